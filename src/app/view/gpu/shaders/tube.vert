ATTRIBUTE vec3 position;
ATTRIBUTE vec3 normal;
ATTRIBUTE vec3 axis;
// x: turns along the rope, y: turns around the rope, z: blend to turns twice as long, or code of a
// surface (-1 plain, -2 grey, -3 dark grey, -4 pale), w: strain
ATTRIBUTE vec4 lay;

OUT vec3 v_normal;
OUT vec3 v_axis;
OUT vec3 v_view;
OUT vec4 v_lay;

uniform mat4 projection;
uniform vec4 eye; // w: depth offset of the lane

void main() {
    v_normal = normal;
    v_axis = axis;
    v_view = eye.xyz - position;
    v_lay = lay;
    gl_Position = projection * vec4(position, 1.0);
    gl_Position.z += eye.w * gl_Position.w;
}
