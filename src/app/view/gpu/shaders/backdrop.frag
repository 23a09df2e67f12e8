IN vec2 v_screen;
uniform vec4 tone; // x: 1 = light theme
void main() {
    FRAGMENT = vec4(backdrop(v_screen, tone.x) + (hash(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
