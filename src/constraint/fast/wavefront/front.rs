//! All lanes of all strips, cell after cell.

use super::super::rule::{Block, Rule, part, pulled, size};
use super::{LINKS, Layout};
use crate::simd::{Kernel, Line, Vector, vectors, vectors_mut};

/// Sweeps in flight, each on a strip of its own, so that one waits for roots and quotients while
/// the other computes. The corners of four do not fit into registers: they are a twelfth slower.
const MOST_SWEEPS: usize = 2;

/// Some sweeps over a grid.
pub struct Sweep<'a, R, const K: usize> {
    pub rule: R,
    pub iterations: usize,
    pub layout: Layout,
    pub blocks: &'a mut [Line],
    pub start: &'a [Line],
    pub links: &'a mut [Line],
}

impl<R: Rule<K>, const K: usize> Kernel for Sweep<'_, R, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rule, iterations, layout, blocks, start, links } = self;
        let (blocks, start) = (vectors_mut(blocks).as_chunks_mut().0, vectors(start).as_chunks().0);
        Front::<V, _> { rule, layout, blocks, start }.sweeps(iterations, vectors_mut(links));
    }
}

/// What the lanes of all strips see.
struct Front<'a, V: Vector, R> {
    rule: R,
    layout: Layout,
    blocks: &'a mut [Block<V>],
    start: &'a [Block<V>],
}

/// The corners of a cell a lane: two upper and two lower ones. What is right in one cell is left in
/// the next, so the left ones are 0 and 2 at even moments, 1 and 3 at odd ones.
type Corners<V> = [Block<V>; 4];

/// Upper left, upper right, lower left and lower right.
const fn corners(odd: usize) -> [usize; 4] {
    [odd, 1 - odd, 2 + odd, 3 - odd]
}

impl<V: Vector, R> Front<'_, V, R> {
    #[inline(always)]
    fn sweeps<const K: usize>(&mut self, iterations: usize, links: &mut [V])
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
            let sweeps = left.min(MOST_SWEEPS);
            // A sweep is a strip behind the one before.
            for front in 0..strips + sweeps - 1 {
                let first = (front + 1).saturating_sub(strips);
                let end = sweeps.min(front + 1);
                if end - first == MOST_SWEEPS {
                    self.pass::<K, MOST_SWEEPS>(front - first, links);
                } else {
                    self.pass::<K, 1>(front - first, links);
                }
            }
            left -= sweeps;
        }
    }

    /// A sweep over a strip, the next one over the strip above it, and so on: G at once.
    #[inline(always)]
    fn pass<const K: usize, const G: usize>(&mut self, lowest: usize, links: &mut [[V; K]])
    where
        R: Rule<K>,
    {
        let mut cells = [[[V::splat(0.0); 4]; 4]; G];
        for (g, cell) in cells.iter_mut().enumerate() {
            self.begin(lowest - g, cell);
        }
        for moment in (0..self.layout.moments()).step_by(2) {
            self.relax::<K, G, 0>(lowest, moment, &mut cells, links);
            self.relax::<K, G, 1>(lowest, moment + 1, &mut cells, links);
        }
    }

    /// All lanes go to their next cell and relax its links.
    #[inline(always)]
    fn relax<const K: usize, const G: usize, const ODD: usize>(
        &mut self,
        lowest: usize,
        moment: usize,
        cells: &mut [Corners<V>; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        for (g, cell) in cells.iter_mut().enumerate() {
            self.go_on::<ODD>(lowest - g, moment, cell);
        }
        let [upper_left, upper_right, lower_left, lower_right] = const { corners(ODD) };
        let first = (lowest * self.layout.moments() + moment) * LINKS;
        self.link(lowest, moment, first, [upper_left, upper_right], cells, links);
        self.link(lowest, moment, first + 1, [upper_left, lower_left], cells, links);
        self.link(lowest, moment, first + 2, [upper_left, lower_right], cells, links);
        self.link(lowest, moment, first + 3, [upper_right, lower_left], cells, links);
        for (g, cell) in cells.iter().enumerate() {
            self.put(lowest - g, moment, &cell[upper_left], &cell[lower_left]);
        }
    }

    /// One link of each cell, between two of its corners. `first` is where the number of the
    /// lowest strip's is.
    #[inline(always)]
    fn link<const K: usize, const G: usize>(
        &self,
        lowest: usize,
        moment: usize,
        first: usize,
        [a, b]: [usize; 2],
        cells: &mut [Corners<V>; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let a_strip = self.layout.moments() * LINKS;
        let mut parts = [V::splat(0.0); G];
        for (size_of, cell) in parts.iter_mut().zip(&*cells) {
            *size_of = size(self.rule, &cell[a], &cell[b]);
        }
        for (g, (s, cell)) in parts.iter_mut().zip(&*cells).enumerate() {
            let strip = lowest - g;
            *s = part(
                self.rule,
                &mut links[first - g * a_strip],
                *s,
                [&cell[a], &cell[b]],
                #[inline(always)]
                || [self.started(strip, moment, a), self.started(strip, moment, b)],
            );
        }
        for (s, cell) in parts.iter().zip(&mut *cells) {
            [cell[a], cell[b]] = pulled(&cell[a], &cell[b], *s);
        }
    }

    /// Where the block of a strip lies that its first lane meets in a column.
    #[inline(always)]
    fn at(&self, strip: usize, column: usize) -> usize {
        strip * self.layout.blocks() + column
    }

    /// The block whose first lane is the particle below the last row of a strip, seen from lanes
    /// of which the first is in a column.
    #[inline(always)]
    fn below(&self, strip: usize, column: usize) -> usize {
        self.at(strip + 1, column.saturating_sub(self.layout.lag()))
    }

    /// The corners before the first moment, of which the right ones will be the left ones.
    #[inline(always)]
    fn begin(&self, strip: usize, cell: &mut Corners<V>) {
        cell[0] = self.blocks[self.at(strip, 0)];
        self.lower(self.blocks, strip, 0, &mut cell[2]);
    }

    /// All lanes go to the next cell: what was right is left. The upper right corners come from the
    /// lanes above, which have just left them behind.
    #[inline(always)]
    fn go_on<const ODD: usize>(&self, strip: usize, moment: usize, cell: &mut Corners<V>) {
        let [_, _, left_behind, _] = const { corners(1 - ODD) };
        let [_, upper_right, _, lower_right] = const { corners(ODD) };
        let ahead = &self.blocks[self.at(strip, moment + 1)];
        for k in 0..3 {
            cell[upper_right][k] = cell[left_behind][k].shift_up(first_of(ahead[k]));
        }
        cell[upper_right][3] = ahead[3];
        self.lower(self.blocks, strip, moment + 1, &mut cell[lower_right]);
    }

    /// The particles below those of a strip's lanes when the first lane is in a column.
    #[inline(always)]
    fn lower(&self, blocks: &[Block<V>], strip: usize, column: usize, lower: &mut Block<V>) {
        let of_lanes = &blocks[self.at(strip, column + 2)];
        let below = &blocks[self.below(strip, column)];
        for k in 0..4 {
            lower[k] = of_lanes[k].shift_down(below[k]);
        }
    }

    /// Where a corner started.
    #[inline(always)]
    fn started(&self, strip: usize, moment: usize, corner: usize) -> Block<V> {
        let column = moment + (moment + corner) % 2;
        let mut start = self.start[self.at(strip, column)];
        if corner >= 2 {
            self.lower(self.start, strip, column, &mut start);
        }
        start
    }

    /// The sweep has left the upper left corners; what is below the last lane is for the strip
    /// below.
    #[inline(always)]
    fn put(&mut self, strip: usize, moment: usize, upper: &Block<V>, lower: &Block<V>) {
        let at = self.at(strip, moment);
        self.blocks[at] = *upper;
        if moment >= self.layout.lag() {
            let below = self.below(strip, moment);
            for (to, from) in self.blocks[below].iter_mut().zip(lower).take(3) {
                to.as_mut_slice()[0] = from.as_slice()[V::LANES - 1];
            }
        }
    }
}

/// The first lane's number, in the last lane.
#[inline(always)]
fn first_of<V: Vector>(block: V) -> V {
    V::splat(block.as_slice()[0])
}
