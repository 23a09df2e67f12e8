//! Jacobi sweeps: all corrections start from the same positions.

use crate::constraint::sweep::Ends;
use crate::mesh::{Link, Links};
use glam::DVec3;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Jacobi {
    degrees: Vec<u32>,
    /// Sum of the corrections of each particle in metres.
    corrections: Vec<DVec3>,
}

impl Jacobi {
    pub fn new(links: &Links, particles: usize) -> Self {
        let mut degrees = vec![0_u32; particles];
        for link in links.iter().filter(|link| !link.is_cut()) {
            degrees[link.a as usize] += 1;
            degrees[link.b as usize] += 1;
        }
        Self { degrees, corrections: vec![DVec3::ZERO; particles] }
    }

    pub fn cut(&mut self, link: &Link) {
        self.degrees[link.a as usize] -= 1;
        self.degrees[link.b as usize] -= 1;
    }

    /// Returns the fraction min(1, 2/n) of its correction that a link between particles `a` and `b`
    /// applies. n is the larger of the numbers of links at the two particles.
    fn fraction(&self, a: usize, b: usize) -> f64 {
        (2.0 / f64::from(self.degrees[a].max(self.degrees[b]))).min(1.0)
    }

    pub fn sweep(
        &mut self,
        links: &Links,
        damping: f64,
        w: &[f64],
        x: &mut [DVec3],
        pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
    ) {
        self.corrections.fill(DVec3::ZERO);
        for (i, link) in links.iter().enumerate() {
            let (a, b) = (link.a as usize, link.b as usize);
            let fraction = damping * self.fraction(a, b);
            let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction };
            if ends.w > 0.0
                && let Some(p) = pull(i, &link, ends)
            {
                self.corrections[a] += w[a] * p;
                self.corrections[b] -= w[b] * p;
            }
        }
        for (x, correction) in x.iter_mut().zip(&self.corrections) {
            *x += *correction;
        }
    }
}
