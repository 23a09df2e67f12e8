IN vec3 v_normal;
IN vec3 v_axis;
IN vec3 v_view;
IN vec4 v_lay;

uniform vec4 color; // w: 1 or 2 = exploded lane on dark or light background
uniform vec4 key;   // w: 1 = strain as colour
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

// Three strands of a twisted rope. Returns x = position across the strand (-1..1), and y = 1 in the
// dark strand, 0 in the two others.
vec2 strand(float along, float around) {
    float phase = 3.0 * (along + around);
    float id = mod(floor(phase), 3.0);
    return vec2(fract(phase) * 2.0 - 1.0, id < 0.5 ? 1.0 : 0.0);
}

void main() {
    vec3 n = normalize(v_normal);
    vec3 v = normalize(v_view);
    vec3 base = linear_from_srgb(key.w > 0.5 ? strain_color(v_lay.w) : color.rgb);
    float gloss = 0.05;
    if (v_lay.z < -1.5) {
        float tone = v_lay.z < -3.5 ? 3.5 : v_lay.z < -2.5 ? 0.5 : 1.0;
        base = vec3(0.155, 0.165, 0.185) * tone;
    }
    if (v_lay.z >= 0.0) {
        vec2 fine = strand(v_lay.x, v_lay.y);
        vec2 coarse = strand(0.5 * v_lay.x, v_lay.y);
        float detail = 1.0 - smoothstep(0.25, 0.7, fwidth(3.0 * v_lay.x) * mix(1.0, 0.5, v_lay.z));
        float across = mix(fine.x, coarse.x, v_lay.z);
        float dark = mix(fine.y, coarse.y, v_lay.z);
        float groove = mix(fine.x * fine.x, coarse.x * coarse.x, v_lay.z);
        vec3 axis = normalize(v_axis);
        vec3 slope = normalize(cross(axis, n) + 0.8 * axis);
        n = normalize(n + 0.55 * detail * across * slope);
        // The pattern is weaker if colours show the strain.
        float pattern = mix(1.0, 0.3, key.w);
        float tone = mix(1.0, 0.30, pattern * dark) * mix(1.0, 0.45, pattern * groove * groove);
        base *= mix(mix(0.68, 0.9, key.w), tone, detail);
    } else {
        gloss = v_lay.z < -1.5 ? 0.12 : 0.35;
    }
    vec3 lit = srgb_from_linear(shade(base, n, v, key.xyz, gloss));
    FRAGMENT = vec4(fade(lit, color.w), 1.0);
}
