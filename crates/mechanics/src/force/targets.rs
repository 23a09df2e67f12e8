//! Targets of a law: the particles that it acts on.

use itertools::Either;
use std::ops::Range;

/// Particles that a law acts on, in ascending order, as indices in the columns of
/// [`super::Kinematics`]. All particles are a case of their own, because a loop over all of them
/// needs no list.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// `None` = all.
    chosen: Option<&'a [u32]>,
    /// Particle that is first in the columns.
    first: u32,
    /// Number of particles in the columns.
    count: u32,
}

impl<'a> Targets<'a> {
    /// Creates targets from the `chosen` particles out of `count`, in ascending order.
    pub fn new(chosen: &'a [u32], count: usize) -> Self {
        let chosen = (chosen.len() < count).then_some(chosen);
        Self { chosen, first: 0, count: count as u32 }
    }

    /// Returns the targets in a part of the columns.
    pub fn within(self, part: Range<usize>) -> Self {
        let first = self.first + part.start as u32;
        let before = |end: u32| move |&i: &u32| i < end;
        let chosen = self.chosen.map(|chosen| {
            let from = chosen.partition_point(before(first));
            let to = chosen.partition_point(before(first + part.len() as u32));
            &chosen[from..to]
        });
        Self { chosen, first, count: part.len() as u32 }
    }

    /// Returns the indices in the columns, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> + 'a {
        let first = self.first;
        match self.chosen {
            None => Either::Left(0..self.count as usize),
            Some(chosen) => Either::Right(chosen.iter().map(move |&i| (i - first) as usize)),
        }
    }

    /// True if every particle is a target.
    pub fn are_all(self) -> bool {
        self.chosen.is_none()
    }

    /// True if all of these indices are targets.
    pub fn contain_all(self, places: Range<usize>) -> bool {
        self.chosen.is_none_or(|_| self.within(places.clone()).iter().count() == places.len())
    }

    /// True if this index is a target.
    pub fn contains(self, place: usize) -> bool {
        let particle = self.first + place as u32;
        self.chosen.is_none_or(|chosen| chosen.binary_search(&particle).is_ok())
    }
}
