ATTRIBUTE vec3 position;
uniform mat4 projection;
uniform vec4 color;
void main() {
    gl_Position = projection * vec4(position, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}
