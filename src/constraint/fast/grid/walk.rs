//! All sweeps over some rows of a grid at once.

use super::super::rule::{Block, Rule, between, dot, moved_along, pulled};
use super::layout::one_lane_further;
use super::links::Links;
use super::strip::{Part, Slots};
use crate::simd::Vector;

/// Fewest blocks in a row for which no batch begins with particles that the two last links of the
/// batch before still have to move.
const SHORT: usize = 8;

/// Links under way. While one waits for its root, the one before divides and the one before that
/// moves: without this the processor's queues fill with operations that wait (1.8 instead of 1.4
/// ns a link). A batch begins while the one before ends.
struct Line<V> {
    rooted: Option<Rooted<V>>,
    divided: Option<Divided<V>>,
}

impl<V> Line<V> {
    const EMPTY: Self = Self { rooted: None, divided: None };
}

/// A link whose root is under way, between blocks a and b.
#[derive(Clone, Copy)]
struct Rooted<V> {
    a: usize,
    b: usize,
    link: usize,
    w: V,
    size: V,
}

/// A link that has its part, see [`Rule`].
#[derive(Clone, Copy)]
struct Divided<V> {
    a: usize,
    b: usize,
    s: V,
}

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
        let mut line = Line::EMPTY;
        for sweep in part.sweeps(front, iterations) {
            let pair = front - sweep;
            let row = 2 * pair;
            let is_inside = part.inside(sweep).contains(&pair);
            if is_inside {
                for row in row..self.rows.min(row + 2) {
                    self.right(&mut line, row);
                }
            }
            let is_joined = pair > 0 && part.between(sweep).contains(&(pair - 1));
            for (upper, is_due) in [(row, is_inside), (row.wrapping_sub(1), is_joined)] {
                if is_due && upper + 1 < self.rows {
                    self.down(&mut line, upper);
                }
            }
        }
        self.flush(&mut line);
    }

    /// The links within a row: from even blocks, from odd blocks, from the last to the first.
    #[inline(always)]
    fn right<const K: usize>(&mut self, line: &mut Line<V>, row: usize)
    where
        R: Rule<V, K>,
    {
        let n = self.segment;
        let at = self.at(row);
        let links = self.links.row::<K>(row, 0);
        self.batch(line, [at, at + 1], links, 2, n / 2);
        self.batch(line, [at + 1, at + 2], links + n / 2, 2, n / 2 - 1);
        self.across([at + n - 1, at], links + n - 1);
    }

    /// The links from a row to the next: straight down, down-right, down-left.
    #[inline(always)]
    fn down<const K: usize>(&mut self, line: &mut Line<V>, row: usize)
    where
        R: Rule<V, K>,
    {
        let n = self.segment;
        let (upper, lower) = (self.at(row), self.at(row + 1));
        let [down, right, left] = [1, 2, 3].map(
            #[inline(always)]
            |direction| self.links.row::<K>(row, direction),
        );
        self.batch(line, [upper, lower], down, 1, n);
        self.batch(line, [upper, lower + 1], right, 1, n - 1);
        self.across([upper + n - 1, lower], right + n - 1);
        self.batch(line, [upper + 1, lower], left, 1, n - 1);
        self.across([lower + n - 1, upper], left + n - 1);
    }

    /// `count` links that share no particle, from block a to block b, then from a + stride to
    /// b + stride and so on.
    #[inline(always)]
    fn batch<const K: usize>(
        &mut self,
        line: &mut Line<V>,
        [a, b]: [usize; 2],
        link: usize,
        stride: usize,
        count: usize,
    ) where
        R: Rule<V, K>,
    {
        for k in 0..count {
            self.push(line, [a + k * stride, b + k * stride], link + k);
        }
        if self.segment < SHORT {
            self.flush(line);
        }
    }

    /// Starts one link, divides for the one before and moves the one before that.
    #[inline(always)]
    fn push<const K: usize>(&mut self, line: &mut Line<V>, [a, b]: [usize; 2], link: usize)
    where
        R: Rule<V, K>,
    {
        let (from, to) = (&self.blocks[a], &self.blocks[b]);
        let d = between(from, to);
        let (w, size) = (from[3] + to[3], self.rule.size(dot(d, d)));
        let rooted = Rooted { a, b, link, w, size };
        let divided = line.rooted.map(
            #[inline(always)]
            |rooted| self.divide(rooted),
        );
        if let Some(divided) = line.divided {
            self.pull(divided);
        }
        *line = Line { rooted: Some(rooted), divided };
    }

    /// Ends what has been started.
    #[inline(always)]
    fn flush<const K: usize>(&mut self, line: &mut Line<V>)
    where
        R: Rule<V, K>,
    {
        let Line { rooted, divided } = std::mem::replace(line, Line::EMPTY);
        if let Some(divided) = divided {
            self.pull(divided);
        }
        if let Some(rooted) = rooted {
            let divided = self.divide(rooted);
            self.pull(divided);
        }
    }

    #[inline(always)]
    fn divide<const K: usize>(&mut self, rooted: Rooted<V>) -> Divided<V>
    where
        R: Rule<V, K>,
    {
        let Rooted { a, b, link, w, size } = rooted;
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
        Divided { a, b, s }
    }

    #[inline(always)]
    fn pull(&mut self, Divided { a, b, s }: Divided<V>) {
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
