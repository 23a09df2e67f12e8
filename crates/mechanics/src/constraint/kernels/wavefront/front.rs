//! All lanes of all strips, cell after cell.

use super::super::rule::{Block, Rule, part, pulled, size};
use super::Layout;
use super::membrane::Membrane;
use super::plate::Plate;
use crate::numerics::simd::{Kernel, Line, Vector, vectors, vectors_mut};

/// Strips in flight, so that one waits for roots and quotients while the other computes. Four are a
/// twelfth slower on a membrane: their corners do not fit into registers.
pub const IN_FLIGHT: usize = 2;

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
    /// Moments, one or two, after which corners have their names again.
    const PERIOD: usize;

    /// Before the first moment.
    fn begin<R>(front: &Front<V, R>, strip: usize) -> Self;

    /// All lanes go to their next cell.
    fn go_on<R, const ODD: usize>(&mut self, front: &Front<V, R>, strip: usize, moment: usize);

    /// Relaxes the links of the cells in their order.
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; IN_FLIGHT],
        front: &Front<V, R>,
        now: [Now; IN_FLIGHT],
        links: &mut [[V; K]],
    );

    /// Puts back what the sweep has left, and what is for the strip below.
    fn put<R, const ODD: usize>(&self, front: &mut Front<V, R>, strip: usize, moment: usize);

    fn corners(&self) -> &[Block<V>];

    fn corners_mut(&mut self) -> &mut [Block<V>];

    /// Where the particles at a corner started.
    fn started<R>(front: &Front<V, R>, strip: usize, moment: usize, corner: usize) -> Block<V>;
}

/// Where a strip in flight is.
#[derive(Clone, Copy)]
pub struct Now {
    strip: usize,
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
    /// Sweep after sweep, strip after strip. A strip begins as soon as the one before it has left it
    /// room.
    #[inline(always)]
    fn sweeps<const K: usize, C: Cells<V>>(&mut self, iterations: usize, links: &mut [V])
    where
        R: Rule<K>,
    {
        let links: &mut [[V; K]] = links.as_chunks_mut().0;
        if K > 1 {
            links.iter_mut().for_each(|link| link[K - 1] = V::splat(0.0));
        }
        let Layout { strips, .. } = self.layout;
        let (moments, room) = (self.layout.moments(), self.layout.room());
        let all = iterations * strips;
        // Beside the very first strip and the last one is in flight in which nothing is.
        let nothing = strips;
        let mut cells = [C::begin(self, nothing); IN_FLIGHT];
        for number in 0..=all {
            let strip = if number < all { number % strips } else { nothing };
            let before = if number > 0 { (number - 1) % strips } else { nothing };
            // What is done of the strip before; as much as is left of it is done now.
            let done = if number % 2 == 0 { moments - room } else { room };
            cells = [C::begin(self, strip), cells[0]];
            let now = [Now { strip, moment: 0 }, Now { strip: before, moment: done }];
            self.pass(&mut cells, now, moments - done, links);
        }
    }

    /// So many moments of the strips in flight.
    #[inline(always)]
    fn pass<const K: usize, C: Cells<V>>(
        &mut self,
        cells: &mut [C; IN_FLIGHT],
        mut now: [Now; IN_FLIGHT],
        moments: usize,
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        for _ in (0..moments).step_by(C::PERIOD) {
            self.relax::<K, 0, C>(&mut now, cells, links);
            if C::PERIOD == 2 {
                self.relax::<K, 1, C>(&mut now, cells, links);
            }
        }
    }

    /// All lanes go to their next cell and relax its links.
    #[inline(always)]
    fn relax<const K: usize, const ODD: usize, C: Cells<V>>(
        &mut self,
        now: &mut [Now; IN_FLIGHT],
        cells: &mut [C; IN_FLIGHT],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        for (now, cells) in now.iter().zip(&mut *cells) {
            cells.go_on::<R, ODD>(self, now.strip, now.moment);
        }
        C::relax::<R, K, ODD>(cells, self, *now, links);
        for (now, cells) in now.iter_mut().zip(&*cells) {
            cells.put::<R, ODD>(self, now.strip, now.moment);
            now.moment += 1;
        }
    }

    /// One link of each cell, between two of its corners.
    #[inline(always)]
    pub fn link<const K: usize, C: Cells<V>>(
        &self,
        now: [Now; IN_FLIGHT],
        number: usize,
        [a, b]: [usize; 2],
        cells: &mut [C; IN_FLIGHT],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let mut parts = [V::splat(0.0); IN_FLIGHT];
        for (size_of, cells) in parts.iter_mut().zip(&*cells) {
            *size_of = size(self.rule, &cells.corners()[a], &cells.corners()[b]);
        }
        for ((s, cells), Now { strip, moment }) in parts.iter_mut().zip(&*cells).zip(now) {
            let link = (strip * self.layout.moments() + moment) * self.layout.links() + number;
            *s = part(
                self.rule,
                &mut links[link],
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
