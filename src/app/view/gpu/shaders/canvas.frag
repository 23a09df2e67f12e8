IN vec2 v_screen;
uniform vec4 part; // xy: factor, zw: offset, from pixels of the window to texture coordinates
uniform sampler2D canvas;
void main() { FRAGMENT = SAMPLE(canvas, gl_FragCoord.xy * part.xy + part.zw); }
