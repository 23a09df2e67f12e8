use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// A free particle, its nearest pin along the links, and the longest distance between them in m:
/// 1.01 of the path along the links at rest.
pub struct Tether {
    pub particle: usize,
    pub pin: usize,
    pub longest: f64,
}

/// velocity Verlet, extended position-based dynamics (XPBD) with tethers: one step of 1/120 s. x: positions, v: velocities,
/// w: 1 / mass, 0 where pinned.
pub fn step(x: &mut [DVec3], v: &mut [DVec3], w: &[f64], links: &[Link], tethers: &[Tether], gravity: DVec3) {
    let h = 1.0 / 120.0 / 4 as f64;
    for _ in 0..4 {
        let a = vec![gravity; x.len()];
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            x[i] += v[i] * h + a[i] * (0.5 * h * h);
            v[i] += a[i] * h;
        }
        let free = x.to_vec();
        let mut pulls = vec![0.0; links.len()];
        for _ in 0..3 {
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
        for tether in tethers {
            let (i, pin) = (tether.particle, tether.pin);
            let way = x[i] - x[pin];
            if way.length() > tether.longest {
                x[i] = x[pin] + way * (tether.longest / way.length());
            }
        }
        for i in 0..x.len() {
            v[i] += (x[i] - free[i]) / h;
        }
    }
}
