//! Targets of a force law: the particles that it acts on.

use itertools::Either;
use std::ops::Range;

/// Particles that a law acts on, as indices in the columns of [`super::Kinematics`] in ascending
/// order. A law that acts on all particles needs no list.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// Indices of the chosen particles in the whole simulation; `None` = all particles.
    chosen: Option<&'a [u32]>,
    /// Index, in the whole simulation, of the particle in entry 0 of the columns.
    first: u32,
    count: u32,
}

impl<'a> Targets<'a> {
    /// Creates targets from `chosen` particles (ascending) among `count` particles.
    pub fn new(chosen: &'a [u32], count: usize) -> Self {
        let chosen = (chosen.len() < count).then_some(chosen);
        Self { chosen, first: 0, count: count as u32 }
    }

    /// Returns the targets within a part of the columns, with indices relative to that part.
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

    /// Yields the targets as indices in the columns, in ascending order.
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

    /// True if the law acts on all particles in this range of the columns.
    pub(crate) fn contain_all(self, places: Range<usize>) -> bool {
        self.chosen.is_none_or(|_| self.within(places.clone()).iter().count() == places.len())
    }

    /// True if the law acts on the particle in entry `place` of the columns.
    pub fn contains(self, place: usize) -> bool {
        let particle = self.first + place as u32;
        self.chosen.is_none_or(|chosen| chosen.binary_search(&particle).is_ok())
    }
}
