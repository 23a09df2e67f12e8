//! Bounds of the motion of some particles in a step: a box around their start positions, and their
//! largest displacements.

use crate::numerics::simd::{Isa, Kernel, Vector, coordinates};
use glam::DVec3;
use itertools::izip;

/// Bounding box of the start positions of some particles, and the largest displacement along each
/// axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBounds {
    /// Smallest coordinates of the start positions, in metres.
    pub least: DVec3,
    /// Largest coordinates of the start positions, in metres.
    pub most: DVec3,
    /// Largest magnitude of the displacements along each axis, in metres.
    pub displacement: DVec3,
}

impl Default for MotionBounds {
    fn default() -> Self {
        Self { least: DVec3::INFINITY, most: DVec3::NEG_INFINITY, displacement: DVec3::ZERO }
    }
}

impl MotionBounds {
    /// Measures the motion of particles from `start` to `end`, in metres. NaNs are ignored.
    pub fn measure(start: &[DVec3], end: &[DVec3]) -> Self {
        let kernel = MotionKernel { start: coordinates(start), end: coordinates(end) };
        Isa::best().run(kernel)
    }

    /// Extends the bounds by the bounds of other particles.
    pub fn merge(&mut self, others: &Self) {
        self.least = self.least.min(others.least);
        self.most = self.most.max(others.most);
        self.displacement = self.displacement.max(others.displacement);
    }
}

/// Kernel of [`MotionBounds::measure`], with the coordinates of all particles as one sequence x, y,
/// z, x, y, z ….
struct MotionKernel<'a> {
    start: &'a [f64],
    end: &'a [f64],
}

impl Kernel for MotionKernel<'_> {
    type Output = MotionBounds;

    #[inline(always)]
    fn run<V: Vector>(self) -> MotionBounds {
        let Self { start, end } = self;
        // Groups of three vectors, whose elements are x, y, z, x, y, z ….
        let mut least = [V::splat(f64::INFINITY); 3];
        let mut most = [V::splat(f64::NEG_INFINITY); 3];
        let mut displacement = [V::splat(0.0); 3];
        let threes = izip!(V::arrays(start).as_chunks::<3>().0, V::arrays(end).as_chunks::<3>().0);
        for (start, end) in threes {
            for k in 0..3 {
                let (from, to) = (V::from_array(&start[k]), V::from_array(&end[k]));
                least[k] = from.lesser(least[k]);
                most[k] = from.greater(most[k]);
                displacement[k] = (to - from).greater((from - to).greater(displacement[k]));
            }
        }
        let mut bounds = MotionBounds::default();
        for (number, axis) in (0..3 * V::ELEMENTS).map(|number| (number, number % 3)) {
            let (vector, element) = (number / V::ELEMENTS, number % V::ELEMENTS);
            let of = |vectors: &[V; 3]| vectors[vector].as_slice()[element];
            bounds.least[axis] = bounds.least[axis].min(of(&least));
            bounds.most[axis] = bounds.most[axis].max(of(&most));
            bounds.displacement[axis] = bounds.displacement[axis].max(of(&displacement));
        }
        let whole = start.len() / (3 * V::ELEMENTS) * (3 * V::ELEMENTS);
        let rest = izip!(start[whole..].as_chunks::<3>().0, end[whole..].as_chunks::<3>().0);
        for (from, to) in rest {
            let (from, to) = (DVec3::from_array(*from), DVec3::from_array(*to));
            bounds.merge(&MotionBounds {
                least: from,
                most: from,
                displacement: (to - from).abs(),
            });
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_are_those_of_all_particles_together(
            points in proptest::collection::vec(proptest::array::uniform6(-9.0..9.0), 0..40),
        ) {
            let half = |from: usize| {
                let point = |p: &[f64; 6]| DVec3::new(p[from], p[from + 1], p[from + 2]);
                points.iter().map(point).collect::<Vec<_>>()
            };
            let (start, end) = (half(0), half(3));
            let mut together = MotionBounds::default();
            for (from, to) in izip!(&start, &end) {
                let displacement = (*to - *from).abs();
                together.merge(&MotionBounds { least: *from, most: *from, displacement });
            }
            prop_assert_eq!(MotionBounds::measure(&start, &end), together);
        }
    }
}
