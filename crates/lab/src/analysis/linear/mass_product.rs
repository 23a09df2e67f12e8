//! Displacements, one a particle, in the inner product of the masses.

use crate::numerics::random::{GAMMA, Xorshift};
use crate::numerics::sums::mass_dot;
use glam::DVec3;

/// Scales to length 1 in the inner product of the masses; `None` without a length.
pub(in crate::analysis) fn normalise(mass: &[f64], u: &mut [DVec3]) -> Option<()> {
    let length = mass_dot(mass, u, u).sqrt();
    (length > 0.0 && length.is_finite()).then(|| u.iter_mut().for_each(|u| *u /= length))
}

/// The particle with the longest vector.
pub(in crate::analysis) fn greatest(shape: &[DVec3]) -> u32 {
    let length = |i: &usize| shape[*i].length_squared();
    (0..shape.len()).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0) as u32
}

/// Vectors with components from −1 to 1, always the same ones: a start that is symmetric, as a
/// scene may be, could be free of the fastest mode.
pub(in crate::analysis) fn pseudo_random(n: usize) -> Vec<DVec3> {
    let mut random = Xorshift::new(GAMMA);
    (0..n).map(|_| DVec3::from_array([(); 3].map(|()| random.signed()))).collect()
}
