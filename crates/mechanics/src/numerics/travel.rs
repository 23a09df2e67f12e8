//! Travel of a group of particles in a step: bounding box at the start, and longest displacements.

use crate::numerics::simd::{Isa, Kernel, Vector, coordinates};
use glam::DVec3;
use itertools::izip;

/// Bounding box of the particles at the start of a step, and their longest displacement along each
/// axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// Smallest coordinates at the start, in metres.
    pub least: DVec3,
    /// Largest coordinates at the start, in metres.
    pub most: DVec3,
    /// Longest displacement along each axis in either direction, in metres.
    pub way: DVec3,
}

impl Default for Travel {
    /// Travel of no particles: an empty box.
    fn default() -> Self {
        Self { least: DVec3::INFINITY, most: DVec3::NEG_INFINITY, way: DVec3::ZERO }
    }
}

impl Travel {
    /// Measures the travel of particles from `start` to `end`, in metres. NaNs are ignored.
    pub fn of(start: &[DVec3], end: &[DVec3]) -> Self {
        let ways = Ways { start: coordinates(start), end: coordinates(end) };
        Isa::best().run(ways)
    }

    /// Extends box and displacements by the box and displacements of other particles.
    pub fn merge(&mut self, others: &Self) {
        self.least = self.least.min(others.least);
        self.most = self.most.max(others.most);
        self.way = self.way.max(others.way);
    }
}

/// Kernel of [`Travel::of`]: coordinates of particles, one number after the other.
struct Ways<'a> {
    start: &'a [f64],
    end: &'a [f64],
}

impl Kernel for Ways<'_> {
    type Output = Travel;

    #[inline(always)]
    fn run<V: Vector>(self) -> Travel {
        let Self { start, end } = self;
        // Three vectors at a time, whose elements are x, y and z in turn.
        let mut least = [V::splat(f64::INFINITY); 3];
        let mut most = [V::splat(f64::NEG_INFINITY); 3];
        let mut way = [V::splat(0.0); 3];
        let threes = izip!(V::arrays(start).as_chunks::<3>().0, V::arrays(end).as_chunks::<3>().0);
        for (start, end) in threes {
            for k in 0..3 {
                let (from, to) = (V::from_array(&start[k]), V::from_array(&end[k]));
                least[k] = from.lesser(least[k]);
                most[k] = from.greater(most[k]);
                way[k] = (to - from).greater((from - to).greater(way[k]));
            }
        }
        let mut travel = Travel::default();
        for (number, axis) in (0..3 * V::ELEMENTS).map(|number| (number, number % 3)) {
            let (vector, element) = (number / V::ELEMENTS, number % V::ELEMENTS);
            let of = |vectors: &[V; 3]| vectors[vector].as_slice()[element];
            travel.least[axis] = travel.least[axis].min(of(&least));
            travel.most[axis] = travel.most[axis].max(of(&most));
            travel.way[axis] = travel.way[axis].max(of(&way));
        }
        let whole = start.len() / (3 * V::ELEMENTS) * (3 * V::ELEMENTS);
        let rest = izip!(start[whole..].as_chunks::<3>().0, end[whole..].as_chunks::<3>().0);
        for (from, to) in rest {
            let (from, to) = (DVec3::from_array(*from), DVec3::from_array(*to));
            travel.merge(&Travel { least: from, most: from, way: (to - from).abs() });
        }
        travel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_travel_is_that_of_each_particle_together(
            points in proptest::collection::vec(proptest::array::uniform6(-9.0..9.0), 0..40),
        ) {
            let half = |from: usize| {
                let point = |p: &[f64; 6]| DVec3::new(p[from], p[from + 1], p[from + 2]);
                points.iter().map(point).collect::<Vec<_>>()
            };
            let (start, end) = (half(0), half(3));
            let mut together = Travel::default();
            for (from, to) in izip!(&start, &end) {
                together.merge(&Travel { least: *from, most: *from, way: (*to - *from).abs() });
            }
            prop_assert_eq!(Travel::of(&start, &end), together);
        }
    }
}
