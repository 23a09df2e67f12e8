use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// symplectic Euler, relaxation (position-based dynamics): one step of 1/120 s. x: positions, v: velocities,
/// w: 1 / mass, 0 where pinned.
pub fn step(x: &mut [DVec3], v: &mut [DVec3], w: &[f64], links: &[Link], gravity: DVec3) {
    let h = 1.0 / 120.0 / 4 as f64;
    for _ in 0..4 {
        let a = vec![gravity; x.len()];
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            v[i] += a[i] * h;
            x[i] += v[i] * h;
        }
        let free = x.to_vec();
        for _ in 0..5 {
            for link in links {
                let (i, j) = (link.a, link.b);
                let d = x[j] - x[i];
                let (l2, rest2) = (d.length_squared(), link.rest * link.rest);
                let s = 1.0 * (l2 - rest2) / ((l2 + rest2) * (w[i] + w[j]));
                if s.is_finite() {
                    x[i] += d * (s * w[i]);
                    x[j] -= d * (s * w[j]);
                }
            }
        }
        for i in 0..x.len() {
            v[i] += (x[i] - free[i]) / h;
        }
    }
}
