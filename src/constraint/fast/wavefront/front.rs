//! All lanes of all strips, cell after cell.

use super::super::rule::{Block, Rule, part, pulled, size};
use super::Layout;
use super::membrane::Membrane;
use super::plate::Plate;
use crate::simd::{Kernel, Line, Vector, vectors, vectors_mut};

/// Sweeps in flight, each on a strip of its own, so that one waits for roots and quotients while
/// the other computes. Four are a twelfth slower on a membrane: their corners do not fit into
/// registers.
const IN_FLIGHT: usize = 2;

/// Some sweeps over a grid, or over a plate.
pub struct Sweep<'a, R, const K: usize, const PLATE: bool> {
    pub rule: R,
    pub iterations: usize,
    pub layout: Layout,
    pub blocks: &'a mut [Line],
    pub start: &'a [Line],
    pub links: &'a mut [Line],
}

impl<R: Rule<K>, const K: usize, const PLATE: bool> Kernel for Sweep<'_, R, K, PLATE> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rule, iterations, layout, blocks, start, links } = self;
        let (blocks, start) = (vectors_mut(blocks).as_chunks_mut().0, vectors(start).as_chunks().0);
        let (mut front, links) = (Front { rule, layout, blocks, start }, vectors_mut::<V>(links));
        if PLATE {
            front.sweeps::<K, Plate<V>>(iterations, links);
        } else {
            front.sweeps::<K, Membrane<V>>(iterations, links);
        }
    }
}

/// The cells in which the lanes of a strip are, and what of them is known without a look at memory.
pub trait Cells<V: Vector>: Copy {
    /// Whether a sweep may follow another one on the strip above it, at the same moment: what it
    /// reads of the strip below must have been left there already.
    const MAY_FOLLOW: bool;
    /// Moments, one or two, after which corners have their names again.
    const PERIOD: usize;

    /// Before the first moment.
    fn begin<R>(front: &Front<V, R>, strip: usize) -> Self;

    /// All lanes go to their next cell.
    fn go_on<R, const ODD: usize>(&mut self, front: &Front<V, R>, strip: usize, moment: usize);

    /// Relaxes the links of G strips' cells in their order.
    fn relax<R: Rule<K>, const K: usize, const G: usize, const ODD: usize>(
        cells: &mut [Self; G],
        front: &Front<V, R>,
        now: Now,
        links: &mut [[V; K]],
    );

    /// Puts back what the sweep has left, and what is for the strip below.
    fn put<R, const ODD: usize>(&self, front: &mut Front<V, R>, strip: usize, moment: usize);

    fn corners(&self) -> &[Block<V>];

    fn corners_mut(&mut self) -> &mut [Block<V>];

    /// Where the particles at a corner started.
    fn started<R>(front: &Front<V, R>, strip: usize, moment: usize, corner: usize) -> Block<V>;
}

/// Where the strips in work are: G of them, from the lowest one upwards.
#[derive(Clone, Copy)]
pub struct Now {
    lowest: usize,
    moment: usize,
}

/// What the lanes of all strips see.
pub struct Front<'a, V: Vector, R> {
    rule: R,
    pub layout: Layout,
    pub blocks: &'a mut [Block<V>],
    pub start: &'a [Block<V>],
}

impl<V: Vector, R> Front<'_, V, R> {
    #[inline(always)]
    fn sweeps<const K: usize, C: Cells<V>>(&mut self, iterations: usize, links: &mut [V])
    where
        R: Rule<K>,
    {
        let links: &mut [[V; K]] = links.as_chunks_mut().0;
        if K > 1 {
            links.iter_mut().for_each(|link| link[K - 1] = V::splat(0.0));
        }
        let strips = self.layout.strips;
        let mut left = iterations;
        while left > 0 {
            let sweeps = if C::MAY_FOLLOW { left.min(IN_FLIGHT) } else { 1 };
            // A sweep is a strip behind the one before.
            for front in 0..strips + sweeps - 1 {
                let first = (front + 1).saturating_sub(strips);
                let end = sweeps.min(front + 1);
                if C::MAY_FOLLOW && end - first == IN_FLIGHT {
                    self.pass::<K, IN_FLIGHT, C>(front - first, links);
                } else {
                    self.pass::<K, 1, C>(front - first, links);
                }
            }
            left -= sweeps;
        }
    }

    /// A sweep over a strip, the next one over the strip above it, and so on: G at once.
    #[inline(always)]
    fn pass<const K: usize, const G: usize, C: Cells<V>>(
        &mut self,
        lowest: usize,
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let mut cells = [C::begin(self, lowest); G];
        for (g, cells) in cells.iter_mut().enumerate().skip(1) {
            *cells = C::begin(self, lowest - g);
        }
        for moment in (0..self.layout.moments()).step_by(C::PERIOD) {
            self.relax::<K, G, 0, C>(Now { lowest, moment }, &mut cells, links);
            if C::PERIOD == 2 {
                self.relax::<K, G, 1, C>(Now { lowest, moment: moment + 1 }, &mut cells, links);
            }
        }
    }

    /// All lanes go to their next cell and relax its links.
    #[inline(always)]
    fn relax<const K: usize, const G: usize, const ODD: usize, C: Cells<V>>(
        &mut self,
        now: Now,
        cells: &mut [C; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let Now { lowest, moment } = now;
        for (g, cells) in cells.iter_mut().enumerate() {
            cells.go_on::<R, ODD>(self, lowest - g, moment);
        }
        C::relax::<R, K, G, ODD>(cells, self, now, links);
        for (g, cells) in cells.iter().enumerate() {
            cells.put::<R, ODD>(self, lowest - g, moment);
        }
    }

    /// One link of each cell, between two of its corners.
    #[inline(always)]
    pub fn link<const K: usize, const G: usize, C: Cells<V>>(
        &self,
        Now { lowest, moment }: Now,
        number: usize,
        [a, b]: [usize; 2],
        cells: &mut [C; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let per_moment = self.layout.links();
        let per_strip = self.layout.moments() * per_moment;
        let first = lowest * per_strip + moment * per_moment + number;
        let mut parts = [V::splat(0.0); G];
        for (size_of, cells) in parts.iter_mut().zip(&*cells) {
            *size_of = size(self.rule, &cells.corners()[a], &cells.corners()[b]);
        }
        for (g, (s, cells)) in parts.iter_mut().zip(&*cells).enumerate() {
            let strip = lowest - g;
            *s = part(
                self.rule,
                &mut links[first - g * per_strip],
                *s,
                [&cells.corners()[a], &cells.corners()[b]],
                #[inline(always)]
                || [C::started(self, strip, moment, a), C::started(self, strip, moment, b)],
            );
        }
        for (s, cells) in parts.iter().zip(&mut *cells) {
            let corners = cells.corners_mut();
            [corners[a], corners[b]] = pulled(&corners[a], &corners[b], *s);
        }
    }

    /// Where the block of a strip lies that its first lane meets in a column.
    #[inline(always)]
    pub fn at(&self, strip: usize, column: usize) -> usize {
        strip * self.layout.blocks() + column
    }

    /// The block whose first lane is the particle below the last row of a strip, seen from lanes
    /// of which the first is in a column.
    #[inline(always)]
    pub fn below(&self, strip: usize, column: usize) -> usize {
        self.at(strip + 1, column.saturating_sub(self.layout.lag()))
    }

    /// The particles below those of a strip's lanes when the first lane is in a column.
    #[inline(always)]
    pub fn lower(&self, blocks: &[Block<V>], strip: usize, column: usize) -> Block<V> {
        let mut lower = blocks[self.at(strip, column + self.layout.behind())];
        let below = &blocks[self.below(strip, column)];
        for k in 0..4 {
            lower[k] = lower[k].shift_down(below[k]);
        }
        lower
    }

    /// The last lane's corner is for the strip below: for its first row, or for its second.
    #[inline(always)]
    pub fn hand_on(&mut self, strip: usize, moment: usize, row: usize, corner: &Block<V>) {
        if moment >= self.layout.lag() {
            let below = self.below(strip, moment) + row * self.layout.behind();
            for (to, from) in self.blocks[below].iter_mut().zip(corner).take(3) {
                to.as_mut_slice()[row] = from.as_slice()[V::LANES - 1];
            }
        }
    }
}

/// One lane's number in all lanes.
#[inline(always)]
pub fn splat<V: Vector>(block: V, lane: usize) -> V {
    V::splat(block.as_slice()[lane])
}
