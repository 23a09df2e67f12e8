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
        (2 * self.slots.of(row / 2) + row % 2) * self.segment
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

    /// The links within a row: from even blocks, from odd blocks, from the last to the first.
    #[inline(always)]
    fn right<const K: usize>(&mut self, row: usize)
    where
        R: Rule<V, K>,
    {
        let n = self.segment;
        let at = self.at(row);
        let links = self.links.row::<K>(row, 0);
        self.batch([at, at + 1], links, 2, n / 2);
        self.batch([at + 1, at + 2], links + n / 2, 2, n / 2 - 1);
        self.across([at + n - 1, at], links + n - 1);
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
        self.batch([upper, lower + 1], right, 1, n - 1);
        self.across([upper + n - 1, lower], right + n - 1);
        self.batch([upper + 1, lower], left, 1, n - 1);
        self.across([lower + n - 1, upper], left + n - 1);
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
        if count == 0 {
            return;
        }
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

    /// The links from the last block of a row, `a`, to the first block of a row one lane further,
    /// `b`.
    #[inline(always)]
    fn across<const K: usize>(&mut self, [a, b]: [usize; 2], link: usize)
    where
        R: Rule<V, K>,
    {
        let [x, y, z, w] = self.blocks[b];
        let next = one_lane_further(self.blocks[b]);
        let last = self.blocks[a];
        let d = between(&last, &next);
        let size = self.rule.size(dot(d, d));
        let mut numbers = self.links.get(link);
        let start = &*self.start;
        let s = self.rule.part(
            &mut numbers,
            size,
            last[3] + next[3],
            #[inline(always)]
            || moved_along([&last, &next], [&start[a], &one_lane_further(start[b])]),
        );
        self.links.put(link, numbers);
        let [last, next] = pulled(&last, &next, s);
        self.blocks[a] = last;
        self.blocks[b] = [
            next[0].shift_up(V::splat(x.as_slice()[0])),
            next[1].shift_up(V::splat(y.as_slice()[0])),
            next[2].shift_up(V::splat(z.as_slice()[0])),
            w,
        ];
    }
}
