ATTRIBUTE vec2 position;
ATTRIBUTE vec2 place;
ATTRIBUTE vec3 form; // kind, size, half thickness; pixels
ATTRIBUTE vec4 color;
OUT vec2 v_place;
OUT vec3 v_form;
OUT vec4 v_color;
void main() {
    v_place = place;
    v_form = form;
    v_color = color;
    gl_Position = vec4(position, 0.0, 1.0);
}
