//! Displacements, one per particle, in the inner product Σ m a·b.

use crate::numerics::random::{GAMMA, Xorshift};
use crate::numerics::sums::mass_dot;
use glam::DVec3;

/// Scales `u` to length 1 in the inner product Σ m a·b; returns `None` if its length is 0 or not
/// finite.
pub(in crate::analysis) fn normalise(mass: &[f64], u: &mut [DVec3]) -> Option<()> {
    let length = mass_dot(mass, u, u).sqrt();
    (length > 0.0 && length.is_finite()).then(|| u.iter_mut().for_each(|u| *u /= length))
}

/// Returns the index of the particle with the longest vector.
pub(in crate::analysis) fn longest_displacement(displacements: &[DVec3]) -> u32 {
    let length = |i: &usize| displacements[*i].length_squared();
    (0..displacements.len()).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0) as u32
}

/// Returns start vectors for Lanczos steps: components from −1 to 1, the same in every call. A
/// regular vector could be orthogonal to the fastest mode of a symmetric scene.
pub(in crate::analysis) fn pseudo_random(n: usize) -> Vec<DVec3> {
    let mut random = Xorshift::new(GAMMA);
    (0..n).map(|_| DVec3::from_array([(); 3].map(|()| random.signed()))).collect()
}
