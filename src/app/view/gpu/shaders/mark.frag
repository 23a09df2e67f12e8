IN vec2 v_place;
IN vec3 v_form;
IN vec4 v_color;
void main() {
    vec2 p = v_place;
    float d;
    if (v_form.x < 0.5) d = length(p) - v_form.y;
    else if (v_form.x < 1.5) d = abs(length(p) - v_form.y) - v_form.z;
    else if (v_form.x < 2.5) d = (abs(p.x) + abs(p.y)) * 0.70711 - v_form.y;
    else if (v_form.x < 3.5) d = abs((abs(p.x) + abs(p.y)) * 0.70711 - v_form.y) - v_form.z;
    else d = length(vec2(max(abs(p.x) - v_form.y, 0.0), p.y)) - v_form.z;
    FRAGMENT = vec4(v_color.rgb, v_color.a * clamp(0.5 - d, 0.0, 1.0));
}
