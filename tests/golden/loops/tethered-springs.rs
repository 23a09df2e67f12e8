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

/// symplectic Euler with tethers: one step of 0.001 s. x: positions, v: velocities,
/// w: 1 / mass, 0 where pinned.
pub fn step(x: &mut [DVec3], v: &mut [DVec3], w: &[f64], links: &[Link], tethers: &[Tether], gravity: DVec3) {
    let h = 0.001 / 2 as f64;
    for _ in 0..2 {
        let a = accelerations(x, v, w, links, gravity);
        for i in (0..x.len()).filter(|&i| w[i] > 0.0) {
            v[i] += a[i] * h;
            x[i] += v[i] * h;
        }
        let free = x.to_vec();
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
