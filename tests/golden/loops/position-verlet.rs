use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// position Verlet: one step of 0.001 s. x: positions, old: positions in the previous substep,
/// w: 1 / mass, 0 where pinned.
/// old: at first x - v*h, with velocities v.
/// before: accelerations in the previous substep; empty at first.
pub fn step(x: &mut [DVec3], old: &mut [DVec3], before: &mut Vec<DVec3>, w: &[f64], links: &[Link], gravity: DVec3) {
    let h = 0.001 / 2 as f64;
    for _ in 0..2 {
        before.resize(x.len(), DVec3::ZERO);
        let mut v = vec![DVec3::ZERO; x.len()];
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            v[i] = (x[i] - old[i]) / h + before[i] * (0.5 * h);
        }
        let v: &[DVec3] = &v;
        let a = accelerations(x, v, w, links, gravity);
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            let next = 2.0 * x[i] - old[i] + a[i] * (h * h);
            old[i] = x[i];
            x[i] = next;
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
