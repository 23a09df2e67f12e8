//! Pieces of loops in Rust, with glam.

use super::Pieces;

pub(super) const PIECES: Pieces = Pieces {
    frame: r"
use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// {title}: one step of {dt} s. x: positions, {state}: {states},
/// w: 1 / mass, 0 where pinned.{memory_says}
pub fn step(x: &mut [DVec3], {state}: &mut [DVec3], {memory}w: &[f64], links: &[Link], gravity: DVec3) {
    let h = {dt} / {substeps} as f64;
    for _ in 0..{substeps} {
        {body}
    }
}
",
    indent: "        ",
    springs: r"
fn accelerations(
    x: &[DVec3],
    v: &[DVec3],
    w: &[f64],
    links: &[Link],
    gravity: DVec3,
) -> Vec<DVec3> {
    let mut a = vec![gravity; x.len()];
    for link in links {
        let (i, j) = (link.a, link.b);
        let l = x[i].distance(x[j]);
        let n = (x[j] - x[i]) / l;
        let f = link.stiffness * (l - link.rest) + {damping} * (v[j] - v[i]).dot(n);
        a[i] += n * (f * w[i]);
        a[j] -= n * (f * w[j]);
    }
    a
}
",
    damping: ["link.damping", "(link.damping + {beta} * link.stiffness)"],
    accelerations: [
        "let a = accelerations(x, v, w, links, gravity);",
        "let a = vec![gravity; x.len()];",
    ],
    explicit_euler: r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += v[i] * h;
    v[i] += a[i] * h;
}
",
    symplectic_euler: r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] += a[i] * h;
    x[i] += v[i] * h;
}
",
    velocity_verlet: [
        r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] += a[i] * (0.5 * h);
    x[i] += v[i] * h;
}
let a = accelerations(x, v, w, links, gravity);
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] += a[i] * (0.5 * h);
}
",
        r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += v[i] * h + a[i] * (0.5 * h * h);
    v[i] += a[i] * h;
}
",
    ],
    position_verlet: r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    let next = 2.0 * x[i] - old[i] + a[i] * (h * h);
    old[i] = x[i];
    x[i] = next;
}
",
    backward: r"
let v: &[DVec3] = &x.iter().zip(&*old).map(|(x, old)| (*x - *old) / h).collect::<Vec<_>>();
",
    rk4: r"
let (mut xs, mut vs) = (x.to_vec(), v.to_vec());
let (mut dx, mut dv) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
    let a = accelerations(&xs, &vs, w, links, gravity);
    for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
        dx[i] += vs[i] * (weight / 6.0);
        dv[i] += a[i] * (weight / 6.0);
        (xs[i], vs[i]) = (x[i] + vs[i] * (next * h), v[i] + a[i] * (next * h));
    }
}
for i in 0..x.len() {
    x[i] += dx[i] * h;
    v[i] += dv[i] * h;
}
",
    midpoint: r"
let (mut xs, mut vs) = (x.to_vec(), v.to_vec());
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    xs[i] += v[i] * (0.5 * h);
    vs[i] += a[i] * (0.5 * h);
}
let a = accelerations(&xs, &vs, w, links, gravity);
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += vs[i] * h;
    v[i] += a[i] * h;
}
",
    heun: r"
let (mut xs, mut vs) = (x.to_vec(), v.to_vec());
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    xs[i] += v[i] * h;
    vs[i] += a[i] * h;
}
let next = accelerations(&xs, &vs, w, links, gravity);
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += (v[i] + vs[i]) * (0.5 * h);
    v[i] += (a[i] + next[i]) * (0.5 * h);
}
",
    leapfrog: r"
let mut predicted = v.to_vec();
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    predicted[i] += a[i] * h;
    v[i] += a[i] * (0.5 * h);
    x[i] += v[i] * h;
}
let a = accelerations(x, &predicted, w, links, gravity);
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] += a[i] * (0.5 * h);
}
",
    beeman: r"
if before.is_empty() {
    before.clone_from(&a);
}
let mut predicted = v.to_vec();
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += v[i] * h + (4.0 * a[i] - before[i]) * (h * h / 6.0);
    predicted[i] += (3.0 * a[i] - before[i]) * (0.5 * h);
}
let next = accelerations(x, &predicted, w, links, gravity);
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] += (2.0 * next[i] + 5.0 * a[i] - before[i]) * (h / 6.0);
}
*before = a;
",
    memory: [
        "before: &mut Vec<DVec3>, ",
        "\n/// before: accelerations of the substep before; empty at first.",
    ],
    relaxation: r"
for _ in 0..{iterations} {
    for link in links {
        let (i, j) = (link.a, link.b);
        let d = x[j] - x[i];
        let l = d.length();
        let s = {share} * (l - link.rest) / (l * (w[i] + w[j]));
        if s.is_finite() {
            x[i] += d * (s * w[i]);
            x[j] -= d * (s * w[j]);
        }
    }
}
",
    xpbd: r"
let mut pulls = vec![0.0; links.len()];
for _ in 0..{iterations} {
    for (link, pull) in links.iter().zip(&mut pulls) {
        let (i, j) = (link.a, link.b);
        let d = x[j] - x[i];
        let l = d.length();
        let compliance = 1.0 / (link.stiffness * h * h);
        let more = (l - link.rest - compliance * *pull) / (w[i] + w[j] + compliance);
        if more.is_finite() && l > 0.0 {
            *pull += more;
            x[i] += d * (more * w[i] / l);
            x[j] -= d * (more * w[j] / l);
        }
    }
}
",
    free: "let free = x.to_vec();",
    velocities: r"
for i in 0..x.len() {
    v[i] += (x[i] - free[i]) / h;
}
",
};
