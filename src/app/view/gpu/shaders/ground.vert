ATTRIBUTE vec2 position;
OUT vec2 v_screen;
void main() {
    v_screen = position;
    gl_Position = vec4(position, 0.0, 1.0);
}
