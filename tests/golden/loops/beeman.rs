use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// Beeman: one step of 0.001 s. x: positions, v: velocities,
/// w: 1 / mass, 0 where pinned.
/// before: accelerations in the previous substep; empty at first.
pub fn step(x: &mut [DVec3], v: &mut [DVec3], before: &mut Vec<DVec3>, w: &[f64], links: &[Link], gravity: DVec3) {
    let h = 0.001 / 2 as f64;
    for _ in 0..2 {
        let a = accelerations(x, v, w, links, gravity);
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
    }
}

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
        let f = link.stiffness * (l - link.rest) + link.damping * (v[j] - v[i]).dot(n);
        a[i] += n * (f * w[i]);
        a[j] -= n * (f * w[j]);
    }
    a
}
