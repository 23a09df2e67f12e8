//! All sweeps over some rows of a grid at once.

use super::super::rule::{Block, Rule, between, dot, moved_along, pulled};
use super::layout::one_lane_further;
use super::links::Links;
use super::strip::{Part, Slots};
use crate::simd::Vector;

/// Rows in work, in the slots of their pairs.
pub struct Rows<'a, V: Vector, R> {
    pub rule: R,
    /// Rows of the grid.
    pub rows: usize,
    /// Blocks in a row.
    pub segment: usize,
    pub slots: Slots,
    pub blocks: &'a mut [Block<V>],
    /// XPBD with damping: positions at the start of the step, else empty.
    pub start: &'a mut [Block<V>],
    pub links: Links<'a, V>,
}

impl<V: Vector, R> Rows<'_, V, R> {
    /// Where the blocks of a row begin.
    #[inline(always)]
    pub fn at(&self, row: usize) -> usize {
        (2 * self.slots.of(row / 2) + row % 2) * (self.segment + 1)
    }

    /// The sweeps at one moment of a walk down the pairs, in which each sweep is a pair behind the
    /// one before.
    ///
    /// When sweep i comes to pair p, sweep i − 1 has just left it: it has done the pairs up to
    /// p + 1 and the links from p to p + 1. So the rows that are in work fit into the cache.
    #[inline(always)]
    pub fn advance<const K: usize>(&mut self, front: usize, iterations: usize, part: &Part)
    where
        R: Rule<V, K>,
    {
        for sweep in part.sweeps(front, iterations) {
            let pair = front - sweep;
            let row = 2 * pair;
            let is_inside = part.inside(sweep).contains(&pair);
            if is_inside {
                for row in row..self.rows.min(row + 2) {
                    self.right(row);
                }
            }
            let is_joined = pair > 0 && part.between(sweep).contains(&(pair - 1));
            for (upper, is_due) in [(row, is_inside), (row.wrapping_sub(1), is_joined)] {
                if is_due && upper + 1 < self.rows {
                    self.down(upper);
                }
            }
        }
    }

    /// The links within a row: from even blocks, from odd blocks.
    #[inline(always)]
    fn right<const K: usize>(&mut self, row: usize)
    where
        R: Rule<V, K>,
    {
        let n = self.segment;
        let at = self.at(row);
        let links = self.links.row::<K>(row, 0);
        self.batch([at, at + 1], links, 2, n / 2);
        self.lend(at);
        self.batch([at + 1, at + 2], links + n / 2, 2, n / 2);
        self.take_back(at);
    }

    /// The links from a row to the next: straight down, down-right, down-left.
    #[inline(always)]
    fn down<const K: usize>(&mut self, row: usize)
    where
        R: Rule<V, K>,
    {
        let n = self.segment;
        let (upper, lower) = (self.at(row), self.at(row + 1));
        let [down, right, left] = [1, 2, 3].map(
            #[inline(always)]
            |direction| self.links.row::<K>(row, direction),
        );
        self.batch([upper, lower], down, 1, n);
        self.lend(lower);
        self.batch([upper, lower + 1], right, 1, n);
        self.take_back(lower);
        self.lend(upper);
        self.batch([upper + 1, lower], left, 1, n);
        self.take_back(upper);
    }

    /// Makes the block behind the last one of the row that begins at `first`: what the lanes of
    /// the last block have to their right.
    #[inline(always)]
    fn lend(&mut self, first: usize) {
        self.blocks[first + self.segment] = one_lane_further(self.blocks[first]);
    }

    /// Takes over what became of it.
    #[inline(always)]
    fn take_back(&mut self, first: usize) {
        let lent = self.blocks[first + self.segment];
        for (own, lent) in self.blocks[first].iter_mut().zip(lent).take(3) {
            *own = lent.shift_up(V::splat(own.as_slice()[0]));
        }
    }

    /// `count` links that share no particle, from block a to block b, then from a + stride to
    /// b + stride and so on.
    #[inline(always)]
    fn batch<const K: usize>(
        &mut self,
        [a, b]: [usize; 2],
        link: usize,
        stride: usize,
        count: usize,
    ) where
        R: Rule<V, K>,
    {
        let at = |k: usize| [a + k * stride, b + k * stride];
        let mut rooted = self.root::<K>(at(0));
        let mut divided = V::splat(0.0);
        for k in 1..count {
            let next = self.root::<K>(at(k));
            let s = self.divide(at(k - 1), link + k - 1, rooted);
            if k > 1 {
                self.pull(at(k - 2), divided);
            }
            (rooted, divided) = (next, s);
        }
        let s = self.divide(at(count - 1), link + count - 1, rooted);
        if count > 1 {
            self.pull(at(count - 2), divided);
        }
        self.pull(at(count - 1), s);
    }

    #[inline(always)]
    fn root<const K: usize>(&self, [a, b]: [usize; 2]) -> [V; 2]
    where
        R: Rule<V, K>,
    {
        let (from, to) = (&self.blocks[a], &self.blocks[b]);
        let d = between(from, to);
        [self.rule.size(dot(d, d)), from[3] + to[3]]
    }

    #[inline(always)]
    fn divide<const K: usize>(&mut self, [a, b]: [usize; 2], link: usize, [size, w]: [V; 2]) -> V
    where
        R: Rule<V, K>,
    {
        let mut numbers = self.links.get(link);
        let (blocks, start) = (&*self.blocks, &*self.start);
        let s = self.rule.part(
            &mut numbers,
            size,
            w,
            #[inline(always)]
            || moved_along([&blocks[a], &blocks[b]], [&start[a], &start[b]]),
        );
        self.links.put(link, numbers);
        s
    }

    #[inline(always)]
    fn pull(&mut self, [a, b]: [usize; 2], s: V) {
        [self.blocks[a], self.blocks[b]] = pulled(&self.blocks[a], &self.blocks[b], s);
    }
}
