//! Templates of the exported time step in Rust, with glam's vectors.

use super::templates::{LoopTemplates, SolverTemplate};

const FREE_PARTICLES: &str = r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    {statement};
}
";

pub(super) const TEMPLATES: LoopTemplates = LoopTemplates {
    frame: r"
use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}{types}

/// {title}: one step of {dt} s. x: positions, {state}: {states},
/// w: 1 / mass, 0 where pinned.{memory_says}
pub fn step(x: &mut [DVec3], {state}: &mut [DVec3], {memory}w: &[f64], links: &[Link], {tethers}gravity: DVec3) {
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
    free_particles: [FREE_PARTICLES; 2],
    half: "0.5",
    again: "let a = accelerations(x, v, w, links, gravity);",
    stages: "let (mut xs, mut vs) = (x.to_vec(), v.to_vec());",
    of_stages: [
        "let a = accelerations(&xs, &vs, w, links, gravity);",
        "let next = accelerations(&xs, &vs, w, links, gravity);",
    ],
    predicted: "let mut predicted = v.to_vec();",
    of_predicted: "let a = accelerations(x, &predicted, w, links, gravity);",
    position_verlet: r"
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    let next = 2.0 * x[i] - old[i] + a[i] * (h * h);
    old[i] = x[i];
    x[i] = next;
}
",
    backward: r"
before.resize(x.len(), DVec3::ZERO);
let mut v = vec![DVec3::ZERO; x.len()];
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    v[i] = (x[i] - old[i]) / h + before[i] * (0.5 * h);
}
let v: &[DVec3] = &v;
",
    keep: "*before = a;",
    rk4: r"
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
    memory: ["before: &mut Vec<DVec3>, ", "empty"],
    comment: "\n/// ",
    solvers: &[RELAXATION, XPBD, SOFT_STEP, DIRECT],
    tethers: r"
for tether in tethers {
    let (i, pin) = (tether.particle, tether.pin);
    let way = x[i] - x[pin];
    if way.length() > tether.longest {
        x[i] = x[pin] + way * (tether.longest / way.length());
    }
}
",
    tether: [
        "tethers: &[Tether], ",
        r"

/// A free particle, its nearest pin along the links, and the longest distance between them in m:
/// {multiplier} of the path along the links at rest.
pub struct Tether {
    pub particle: usize,
    pub pin: usize,
    pub longest: f64,
}",
    ],
    free: "let free = x.to_vec();",
    velocities: r"
for i in 0..x.len() {
    v[i] += (x[i] - free[i]) / h;
}
",
};

const RELAXATION: SolverTemplate = SolverTemplate {
    name: "relaxation",
    text: r"
for _ in 0..{iterations} {
    for link in links {
        let (i, j) = (link.a, link.b);
        let d = x[j] - x[i];
        {correction}
        if s.is_finite() {
            x[i] += d * (s * w[i]);
            x[j] -= d * (s * w[j]);
        }
    }
}
",
    forms: &[(
        "{correction}",
        [
            r"let l = d.length();
        let s = {share} * (l - link.rest) / (l * (w[i] + w[j]));",
            r"let (l2, rest2) = (d.length_squared(), link.rest * link.rest);
        let s = {share} * (l2 - rest2) / ((l2 + rest2) * (w[i] + w[j]));",
        ],
    )],
    memory: ["", ""],
};

const XPBD: SolverTemplate = SolverTemplate {
    name: "xpbd",
    text: r"
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
    forms: &[],
    memory: ["", ""],
};

const SOFT_STEP: SolverTemplate = SolverTemplate {
    name: "soft-step",
    text: r"
// Each link's direction, excess length, effective mass and softness at the start of the substep.
// The impulses of the previous substep are applied first: a warm start.
impulses.resize(links.len(), 0.0);
let mut rows = Vec::with_capacity(links.len());
for (link, impulse) in links.iter().zip(&mut *impulses) {
    let (i, j) = (link.a, link.b);
    let d = x[j] - x[i];
    let (l, mass) = (d.length(), 1.0 / (w[i] + w[j]));
    if l == 0.0 || mass.is_infinite() {
        rows.push((DVec3::ZERO, 0.0, 0.0, 0.0, 1.0));
        continue;
    }
    {softness}
    let a1 = 2.0 * zeta + h * omega;
    let soft = 1.0 / (1.0 + h * omega * a1);
    rows.push((d / l, l - link.rest, mass, omega / a1, soft));
    v[i] -= d * (*impulse * w[i] / l);
    v[j] += d * (*impulse * w[j] / l);
}
for _ in 0..{iterations} {
    for ((link, impulse), &(n, excess, mass, rate, soft)) in links.iter().zip(&mut *impulses).zip(&rows)
    {
        let (i, j) = (link.a, link.b);
        let speed = (v[j] - v[i]).dot(n) + rate * excess;
        let more = (soft - 1.0) * mass * speed - soft * *impulse;
        *impulse += more;
        v[i] -= n * (more * w[i]);
        v[j] += n * (more * w[j]);
    }
}
for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
    x[i] += v[i] * h;
}
// The relax pass removes velocities that only served to correct positions.
for _ in 0..{relax} {
    for (link, impulse) in links.iter().zip(&mut *impulses) {
        let (i, j) = (link.a, link.b);
        let n = (x[j] - x[i]).normalize_or_zero();
        let more = -(v[j] - v[i]).dot(n) / (w[i] + w[j]);
        if more.is_finite(){unrelaxed} {
            *impulse += more;
            v[i] -= n * (more * w[i]);
            v[j] += n * (more * w[j]);
        }
    }
}
",
    forms: &[
        (
            "{softness}",
            [
                "let omega = (std::f64::consts::TAU * {hertz}).min(std::f64::consts::FRAC_PI_2 / h);\n    let zeta = {zeta};",
                r"let most = std::f64::consts::FRAC_PI_2 / h;
    let omega = (link.stiffness / mass).sqrt().min(most);
    let zeta = if link.stiffness.is_finite() { 0.5 * link.damping / (mass * omega) } else { {zeta} };",
            ],
        ),
        ("{unrelaxed}", ["", " && link.stiffness.is_infinite()"]),
    ],
    memory: [
        "impulses: &mut Vec<f64>, ",
        "\n/// impulses: one per link in N s, kept from step to step; empty at first.",
    ],
};

const DIRECT: SolverTemplate = SolverTemplate {
    name: "direct",
    text: r"
// Solves all links of the rope at once. Link k + 1 begins where link k ends.
let mut pulls = vec![0.0; links.len()];
for _ in 0..{iterations} {
    let mut rows: Vec<(DVec3, f64, f64, f64)> = Vec::with_capacity(links.len());
    for (link, pull) in links.iter().zip(&pulls) {
        let (i, j) = (link.a, link.b);
        let d = x[j] - x[i];
        let l = d.length();
        let compliance = 1.0 / (link.stiffness * h * h);
        let mut diagonal = w[i] + w[j] + compliance;
        let mut right = l - link.rest - compliance * pull;
        let mut beside = 0.0;
        if let Some(&(n, pivot, before, _)) = rows.last() {
            beside = -w[i] * n.dot(d / l);
            diagonal -= beside * beside / pivot;
            right -= beside / pivot * before;
        }
        rows.push((d / l, diagonal, right, beside));
    }
    let mut known = 0.0;
    for k in (0..links.len()).rev() {
        let (n, pivot, right, _) = rows[k];
        let beside = rows.get(k + 1).map_or(0.0, |row| row.3);
        known = (right - beside * known) / pivot;
        pulls[k] += known;
        x[links[k].a] += n * (known * w[links[k].a]);
        x[links[k].b] -= n * (known * w[links[k].b]);
    }
}
",
    forms: &[],
    memory: ["", ""],
};
