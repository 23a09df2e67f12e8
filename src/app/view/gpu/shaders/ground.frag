IN vec2 v_screen;

uniform vec4 eye;     // w: 1 = light theme
uniform vec4 right;   // w: height of the floor
uniform vec4 up;      // w: metres between fine grid lines
uniform vec4 forward; // w: opacity of the fine lines
uniform vec4 origin;  // world origin of the grid (x, z), height of the view, 1 = grid
uniform vec4 shade_at; // map of shadows: centre (x, z), half the edge, opacity
uniform sampler2D shadow;

float lines(vec2 p, vec2 width, float spacing) {
    vec2 w = max(width / spacing, vec2(1e-6));
    vec2 d = abs(fract(p / spacing - 0.5) - 0.5) / w;
    vec2 line = 1.0 - smoothstep(0.0, 1.25, d);
    line *= 1.0 - smoothstep(0.12, 0.45, w);
    return max(line.x, line.y);
}

void main() {
    vec3 color = backdrop(v_screen, eye.w);
    vec3 ray = forward.xyz + v_screen.x * right.xyz + v_screen.y * up.xyz;
    float drop = eye.y - right.w;
    float t = -drop / min(ray.y, -1e-6);
    vec2 p = eye.xz + t * ray.xz;
    vec2 width = fwidth(p);
    float near = exp(-0.30 * dot(p, p) / (origin.z * origin.z));
    bool light = eye.w > 0.5;
    color = mix(color, light ? color * 0.97 : color * 0.95 + vec3(0.040, 0.044, 0.053), near);
    if (origin.w > 0.5) {
        vec2 g = p - origin.xy;
        float fine = lines(g, width, up.w) * forward.w;
        float main = lines(g, width, 10.0 * up.w);
        vec3 ink = light ? -vec3(0.95, 0.90, 0.80) : vec3(0.62, 0.70, 0.85);
        color += near * ink * max(0.075 * fine, 0.130 * main);
    }
    vec2 at = (p - shade_at.xy) / shade_at.z * 0.5 + 0.5;
    vec2 inside = clamp(25.0 * min(at, 1.0 - at), 0.0, 1.0);
    float dark = SAMPLE(shadow, clamp(at, 0.0, 1.0)).r * inside.x * inside.y * shade_at.w;
    color *= 1.0 - (light ? 0.45 : 0.82) * dark;
    FRAGMENT = vec4(color + (hash(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
