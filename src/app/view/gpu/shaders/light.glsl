// Squares and square roots approximate the sRGB curve at little cost.
vec3 linear_from_srgb(vec3 c) { return c * c; }
vec3 srgb_from_linear(vec3 c) { return sqrt(clamp(c, 0.0, 1.0)); }

// Colour of a lit surface: main light from the upper left (it turns with the camera), light from
// the sky, and a soft bright rim.
vec3 shade(vec3 albedo, vec3 n, vec3 v, vec3 key, float gloss) {
    float diffuse = max(0.0, (dot(n, key) + 0.2) / 1.2);
    float sky = 0.5 + 0.5 * n.y;
    vec3 ambient = mix(vec3(0.075, 0.07, 0.075), vec3(0.24, 0.27, 0.33), sky);
    float edge = 1.0 - max(dot(n, v), 0.0);
    float rim = edge * edge * edge * (0.35 + 0.65 * sky);
    float shine = pow(max(dot(n, normalize(key + v)), 0.0), 36.0) * gloss;
    vec3 light = ambient + vec3(1.0, 0.965, 0.91) * 1.15 * diffuse;
    return albedo * light + rim * (0.10 * vec3(0.8, 0.9, 1.0) + 0.25 * albedo) + vec3(shine);
}

// Colour of an exploded lane: grey, half blended with the background, which is light if `faded` is
// 2. A running lane has `faded` 0 and keeps its colour.
vec3 fade(vec3 srgb, float faded) {
    float grey = dot(srgb, vec3(0.30, 0.59, 0.11));
    vec3 ground = faded > 1.5 ? vec3(0.94, 0.95, 0.96) : vec3(0.085, 0.092, 0.11);
    return mix(srgb, mix(ground, vec3(grey), 0.5), min(faded, 1.0));
}

float hash(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }

// Colour of the background; `screen` is ±1 at the edges, `light` is 1 in the light theme.
vec3 backdrop(vec2 screen, float light) {
    if (light > 0.5) {
        vec3 paper = mix(vec3(0.90, 0.91, 0.93), vec3(0.975, 0.98, 0.99), 0.5 + 0.5 * screen.y);
        return paper * (1.0 - 0.02 * dot(screen, screen));
    }
    vec3 color = mix(vec3(0.074, 0.080, 0.097), vec3(0.112, 0.122, 0.148), 0.5 + 0.5 * screen.y);
    return color * (1.0 - 0.10 * dot(screen, screen));
}
