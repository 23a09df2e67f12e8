//! XPBD's four values of each link of a kernel: rest length, α̃, γ and λ.

use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::mesh::{Link, Links};
use crate::numerics::simd::{CacheLine, allocate_lines, numbers, numbers_mut};
use std::ops::Range;

/// XPBD's values in the memory layout of a kernel: the vectors L, α̃, γ and λ of each group of
/// links.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compliances {
    elements: usize,
    /// Vectors L, α̃, γ and λ of all groups of links; empty until [`Self::allocate`].
    pub lines: Vec<CacheLine>,
}

impl Compliances {
    /// Allocates memory for this many links if none is allocated yet. NaN marks a missing link.
    pub fn allocate(&mut self, elements: usize, places: usize) {
        if self.lines.is_empty() {
            *self = Self { elements, lines: allocate_lines(places * 4, f64::NAN) };
        }
    }

    pub fn put(&mut self, place: usize, link: &Link, tuning: Tuning) {
        let Link { rest, one_sided, .. } = *link;
        let Multiplier { lambda, alpha, gamma } = tuning.multiplier(link);
        let rest = if one_sided { -rest } else { rest };
        for (k, number) in [rest, alpha, gamma, lambda].into_iter().enumerate() {
            *self.number(place, k) = number;
        }
    }

    /// Stores L, α̃, γ and λ of all links of a component. `place` returns the index for a link.
    pub fn put_all(
        &mut self,
        links: &Links,
        particles: Range<usize>,
        tuning: Tuning,
        place: impl Fn(&Link) -> Option<usize>,
    ) {
        for link in links.iter().filter(|link| particles.contains(&(link.a as usize))) {
            if let Some(place) = place(&link) {
                self.put(place, &link, tuning);
            }
        }
    }

    pub fn cut(&mut self, place: usize) {
        if !self.lines.is_empty() {
            *self.number(place, 0) = f64::NAN;
            *self.number(place, 3) = 0.0;
        }
    }

    /// Returns the multiplier of the link with index `place`. `None` before [`Self::allocate`].
    pub fn multiplier(&self, place: usize) -> Option<Multiplier> {
        if self.lines.is_empty() {
            return None;
        }
        let first = self.first(place);
        let number = |k: usize| numbers(&self.lines)[first + k * self.elements];
        Some(Multiplier { alpha: number(1), gamma: number(2), lambda: number(3) })
    }

    pub fn number(&mut self, place: usize, k: usize) -> &mut f64 {
        let at = self.first(place) + k * self.elements;
        &mut numbers_mut(&mut self.lines)[at]
    }

    /// Returns the index in `lines` of the rest length L of the link with index `place`. The link's
    /// α̃, γ and λ follow at distances of one vector.
    pub fn first(&self, place: usize) -> usize {
        let (vector, element) = (place / self.elements, place % self.elements);
        vector * 4 * self.elements + element
    }
}
