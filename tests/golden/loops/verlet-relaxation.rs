use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// position Verlet, relaxation (position-based dynamics): one step of 1/120 s. x: positions, old: positions in the previous substep,
/// w: 1 / mass, 0 where pinned.
/// old: at first x - v*h, with velocities v.
pub fn step(x: &mut [DVec3], old: &mut [DVec3], w: &[f64], links: &[Link], gravity: DVec3) {
    let h = 1.0 / 120.0 / 4 as f64;
    for _ in 0..4 {
        let a = vec![gravity; x.len()];
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            let next = 2.0 * x[i] - old[i] + a[i] * (h * h);
            old[i] = x[i];
            x[i] = next;
        }
        for _ in 0..5 {
            for link in links {
                let (i, j) = (link.a, link.b);
                let d = x[j] - x[i];
                let l = d.length();
                let s = 1.0 * (l - link.rest) / (l * (w[i] + w[j]));
                if s.is_finite() {
                    x[i] += d * (s * w[i]);
                    x[j] -= d * (s * w[j]);
                }
            }
        }
    }
}
