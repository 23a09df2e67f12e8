IN vec3 v_normal;
IN vec3 v_view;
IN vec4 v_cloth;

uniform vec4 color;  // w: 1 or 2 = exploded lane on dark or light background
uniform vec4 key;    // w: 1 = strain as colour
uniform vec4 fabric; // cells along both edges, cells per check; w: pattern
uniform vec4 ramp0;
uniform vec4 ramp1;
uniform vec4 ramp2;
uniform vec4 ramp3;
uniform vec4 ramp4;
uniform vec4 ramp5;
uniform vec4 ramp6;

vec3 strain_color(float t) {
    t = clamp(t, 0.0, 1.0);
    return ramp0.rgb + t * (ramp1.rgb + t * (ramp2.rgb + t * (ramp3.rgb
        + t * (ramp4.rgb + t * (ramp5.rgb + t * ramp6.rgb)))));
}

void main() {
    if (v_cloth.w < 0.999) discard;
    vec2 cell = v_cloth.xy;
    vec2 width = max(fwidth(cell), vec2(1e-5));
    vec3 v = normalize(v_view);
    vec3 n = normalize(v_normal);
    vec3 base = linear_from_srgb(key.w > 0.5 ? strain_color(v_cloth.z) : color.rgb);

    vec2 check = cell / fabric.z * 0.5;
    vec2 check_width = max(width / fabric.z * 0.5, vec2(1e-5));
    vec2 wave = clamp((abs(fract(check) - 0.5) - 0.25) / check_width, -0.5, 0.5) * 2.0;
    wave *= 1.0 - smoothstep(0.15, 0.5, max(check_width.x, check_width.y));
    // Fraction of dyed thread, 0 to 1, for the patterns checks, stripes, gingham and plain.
    float dyed = 0.5 + 0.5 * wave.x * wave.y;
    if (fabric.w > 0.5) dyed = 0.5 + 0.5 * wave.x;
    if (fabric.w > 1.5) dyed = 0.5 + 0.25 * (wave.x + wave.y);
    if (fabric.w > 2.5) dyed = 1.0;
    float tone = 1.0;
    if (fabric.w < 0.5 || key.w > 0.5) {
        // The pattern is weaker if colours show the strain.
        tone = mix(mix(0.76, 0.88, key.w), 1.0, dyed);
    } else {
        base = mix(vec3(0.60, 0.57, 0.51), base, dyed);
    }
    if (!gl_FrontFacing) {
        n = -n;
        base *= vec3(0.76, 0.78, 0.82);
    }

    vec2 thread = abs(fract(cell - 0.5) - 0.5) / width;
    float seen = 1.0 - smoothstep(0.06, 0.22, max(width.x, width.y));
    tone *= 1.0 - 0.22 * seen * (1.0 - smoothstep(0.4, 1.3, min(thread.x, thread.y)));

    vec2 from_edge = min(cell, fabric.xy - cell) / width;
    float hem = 1.0 - smoothstep(1.2, 2.4, min(from_edge.x, from_edge.y));

    vec3 lit = shade(1.42 * base * tone, n, v, key.xyz, 0.04);
    // A third of the light on the far side shines through the cloth.
    lit += 0.36 * base * tone * max(-dot(n, key.xyz), 0.0);
    lit = mix(lit, base * 0.9 + 0.12, 0.55 * hem);
    // Colours brighter than 1 are scaled down as a whole, so that they keep their hue.
    lit /= max(1.0, max(lit.r, max(lit.g, lit.b)));
    FRAGMENT = vec4(fade(srgb_from_linear(lit), color.w), 1.0);
}
