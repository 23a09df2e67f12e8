ATTRIBUTE vec3 position;
ATTRIBUTE vec4 normal; // xyz and strain in 0..65535; all 0 = not drawn
ATTRIBUTE vec2 cell;

OUT vec3 v_normal;
OUT vec3 v_view;
OUT vec4 v_cloth; // cell, strain, 1 = drawn

uniform mat4 projection;
uniform vec4 eye; // w: depth offset of the lane

void main() {
    float alive = dot(normal.xyz, vec3(1.0)) > 0.5 ? 1.0 : 0.0;
    v_normal = normal.xyz / 32767.5 - 1.0;
    v_view = eye.xyz - position;
    v_cloth = vec4(cell, normal.w / 65535.0, alive);
    gl_Position = projection * vec4(position, 1.0);
    gl_Position.z += eye.w * gl_Position.w;
}
