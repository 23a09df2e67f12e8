use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// symplectic Euler, Soft Step (TGS Soft): one step of 1/120 s. x: positions, v: velocities,
/// w: 1 / mass, 0 where pinned.
/// impulses: one per link in N s, kept from step to step; empty at first.
pub fn step(x: &mut [DVec3], v: &mut [DVec3], impulses: &mut Vec<f64>, w: &[f64], links: &[Link], gravity: DVec3) {
    let h = 1.0 / 120.0 / 4 as f64;
    for _ in 0..4 {
        let a = vec![gravity; x.len()];
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            v[i] += a[i] * h;
        }
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
            let omega = (std::f64::consts::TAU * 60.0).min(std::f64::consts::FRAC_PI_2 / h);
            let zeta = 2.0;
            let a1 = 2.0 * zeta + h * omega;
            let soft = 1.0 / (1.0 + h * omega * a1);
            rows.push((d / l, l - link.rest, mass, omega / a1, soft));
            v[i] -= d * (*impulse * w[i] / l);
            v[j] += d * (*impulse * w[j] / l);
        }
        for _ in 0..2 {
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
        for _ in 0..1 {
            for (link, impulse) in links.iter().zip(&mut *impulses) {
                let (i, j) = (link.a, link.b);
                let n = (x[j] - x[i]).normalize_or_zero();
                let more = -(v[j] - v[i]).dot(n) / (w[i] + w[j]);
                if more.is_finite() {
                    *impulse += more;
                    v[i] -= n * (more * w[i]);
                    v[j] += n * (more * w[j]);
                }
            }
        }
    }
}
