IN vec2 v_screen;
uniform vec4 part; // pixels of the window to place in the texture: factor, and what is added
uniform sampler2D canvas;
void main() { FRAGMENT = SAMPLE(canvas, gl_FragCoord.xy * part.xy + part.zw); }
