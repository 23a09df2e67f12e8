IN vec2 v_screen;
void main() {
    FRAGMENT = vec4(backdrop(v_screen) + (hash(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
