IN vec2 v_screen;
uniform vec4 part; // of the texture that is used
uniform sampler2D canvas;
void main() {
    FRAGMENT = vec4(SAMPLE(canvas, (0.5 + 0.5 * v_screen) * part.xy).rgb, 1.0);
}
