//! Gauss–Seidel corrections of links, one link after the other.

use crate::mesh::Link;
use glam::DVec3;

/// Current ends of a link, the input of a solver's correction.
#[derive(Clone, Copy)]
pub(in crate::constraint) struct Ends {
    /// Position of `link.a` in metres.
    pub a: DVec3,
    /// Position of `link.b` in metres.
    pub b: DVec3,
    /// w_a + w_b in 1/kg, positive.
    pub w: f64,
    /// Fraction of the correction to apply: 1 unless Jacobi sweeps or over-relaxation change it.
    pub fraction: f64,
}

impl Ends {
    /// Returns the length l and the direction n from a to b. `None` if the ends coincide or are not
    /// finite.
    ///
    /// d = b − a, l = √((d_x² + d_y²) + d_z²), n = d · (1/l).
    pub fn length_and_direction(&self) -> Option<(f64, DVec3)> {
        let d = self.b - self.a;
        let l = d.length();
        let reciprocal = 1.0 / l;
        (l > 0.0 && reciprocal.is_finite() && reciprocal > 0.0).then(|| (l, d * reciprocal))
    }
}

/// Corrects links one after the other; each correction starts from the positions after the
/// corrections before it.
pub(in crate::constraint) fn gauss_seidel(
    links: impl Iterator<Item = (usize, Link)>,
    w: &[f64],
    x: &mut [DVec3],
    pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
) {
    for (i, link) in links {
        let (a, b) = (link.a as usize, link.b as usize);
        let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction: 1.0 };
        if ends.w > 0.0
            && let Some(p) = pull(i, &link, ends)
        {
            x[a] += w[a] * p;
            x[b] -= w[b] * p;
        }
    }
}
