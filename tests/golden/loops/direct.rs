use glam::DVec3;

/// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
pub struct Link {
    pub a: usize,
    pub b: usize,
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// symplectic Euler, direct solve (direct XPBD): one step of 1/120 s. x: positions, v: velocities,
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
        // Solves all links of the rope at once. Link k + 1 begins where link k ends.
        let mut pulls = vec![0.0; links.len()];
        for _ in 0..2 {
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
        for i in 0..x.len() {
            v[i] += (x[i] - free[i]) / h;
        }
    }
}
