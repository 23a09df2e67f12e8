uniform vec4 color;
void main() { FRAGMENT = color; }
