//! How far a step moves particles apart.

use crate::simd::{Isa, Kernel, Vector, coordinates};
use glam::DVec3;
use itertools::izip;

/// Where particles go in a step, and whether all that is known of them are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moves {
    /// The least and the greatest way along each axis, in metres.
    ways: [[f64; 2]; 3],
    /// A sum of everything: not finite if one summand is not.
    probe: f64,
}

impl Default for Moves {
    /// Nobody's.
    fn default() -> Self {
        Self { ways: [[f64::INFINITY, f64::NEG_INFINITY]; 3], probe: 0.0 }
    }
}

impl Moves {
    /// Looks at particles that went from `before` to `x` and have velocities `v`.
    pub fn of(before: &[DVec3], x: &[DVec3], v: &[DVec3]) -> Self {
        let moves = Ways { before: coordinates(before), x: coordinates(x), v: coordinates(v) };
        Isa::best().run(moves)
    }

    /// Looks at a way along an axis and at something else that should be a number.
    #[inline(always)]
    pub fn see(&mut self, axis: usize, way: f64, number: f64) {
        self.widen(axis, [way, way]);
        self.probe += way + number;
    }

    /// Looks at what others have seen.
    pub fn merge(&mut self, others: &Self) {
        for (axis, ways) in others.ways.into_iter().enumerate() {
            self.widen(axis, ways);
        }
        self.probe += others.probe;
    }

    #[inline(always)]
    fn widen(&mut self, axis: usize, [less, more]: [f64; 2]) {
        let [least, greatest] = &mut self.ways[axis];
        *least = if less < *least { less } else { *least };
        *greatest = if more > *greatest { more } else { *greatest };
    }

    /// Whether all positions and velocities are finite. No may be a false alarm, when numbers are so
    /// large that their sum overflows.
    pub fn are_finite(&self) -> bool {
        self.probe.is_finite()
    }

    /// The distance between no two particles changed by more than this, in metres, if
    /// [`Self::are_finite`].
    pub fn apart(&self) -> Option<f64> {
        let ranges = self.ways.map(|[least, greatest]| (greatest - least).max(0.0));
        self.are_finite().then(|| DVec3::from(ranges).length())
    }
}

/// [`Moves`] of three vectors of coordinates at a time, whose lanes are x, y and z by turns.
pub(crate) struct VectorMoves<V> {
    least: [V; 3],
    greatest: [V; 3],
    probe: [V; 3],
}

impl<V: Vector> VectorMoves<V> {
    #[inline(always)]
    pub fn none() -> Self {
        let three = |number| [V::splat(number); 3];
        Self { least: three(f64::INFINITY), greatest: three(f64::NEG_INFINITY), probe: three(0.0) }
    }

    /// Looks at the k-th of three vectors.
    #[inline(always)]
    pub fn see(&mut self, k: usize, way: V, number: V) {
        self.least[k] = way.lesser(self.least[k]);
        self.greatest[k] = way.greater(self.greatest[k]);
        self.probe[k] = self.probe[k] + (way + number);
    }

    #[inline(always)]
    pub fn moves(&self) -> Moves {
        let mut moves = Moves::default();
        for (k, (least, greatest, probe)) in
            izip!(&self.least, &self.greatest, &self.probe).enumerate()
        {
            let lanes = izip!(least.as_slice(), greatest.as_slice(), probe.as_slice());
            for (lane, (least, greatest, probe)) in lanes.enumerate() {
                moves.widen((k * V::LANES + lane) % 3, [*least, *greatest]);
                moves.probe += probe;
            }
        }
        moves
    }
}

/// The coordinates of particles, one number after the other.
struct Ways<'a> {
    before: &'a [f64],
    x: &'a [f64],
    v: &'a [f64],
}

impl Kernel for Ways<'_> {
    type Output = Moves;

    #[inline(always)]
    fn run<V: Vector>(self) -> Moves {
        let Self { before, x, v } = self;
        let mut seen = VectorMoves::<V>::none();
        let threes = izip!(
            V::arrays(before).as_chunks::<3>().0,
            V::arrays(x).as_chunks::<3>().0,
            V::arrays(v).as_chunks::<3>().0
        );
        for (before, x, v) in threes {
            for k in 0..3 {
                let way = V::from_array(&x[k]) - V::from_array(&before[k]);
                seen.see(k, way, V::from_array(&v[k]));
            }
        }
        let mut moves = seen.moves();
        let whole = x.len() / (3 * V::LANES) * (3 * V::LANES);
        for (i, (before, x, v)) in izip!(&before[whole..], &x[whole..], &v[whole..]).enumerate() {
            moves.see(i % 3, x - before, *v);
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_apart_is_seen_along_each_axis_and_in_each_direction() {
        for n in [2, 7, 8, 9, 40] {
            for goes in 0..n {
                for way in [DVec3::new(2.0, -3.0, 6.0), DVec3::new(-2.0, 3.0, 6.0)] {
                    let before = vec![DVec3::ONE; n];
                    let mut x = vec![DVec3::splat(5.0); n];
                    x[goes] += way;
                    let moves = Moves::of(&before, &x, &before);
                    assert_eq!(moves.apart(), Some(7.0), "particle {goes} of {n}");
                    let [one, other] = [0..goes, goes..n]
                        .map(|some| Moves::of(&before[some.clone()], &x[some.clone()], &x[some]));
                    let mut both = one;
                    both.merge(&other);
                    assert_eq!(both.apart(), Some(7.0));
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_went_nobody_knows_where() {
        let [one, nan] = [[DVec3::ONE; 9], [DVec3::NAN; 9]];
        assert_eq!(Moves::of(&one, &nan, &one).apart(), None);
        assert_eq!(Moves::of(&one, &one, &nan).apart(), None);
        assert_eq!(Moves::of(&one, &one, &one).apart(), Some(0.0));
        assert_eq!(Moves::of(&[], &[], &[]).apart(), Some(0.0));
    }
}
