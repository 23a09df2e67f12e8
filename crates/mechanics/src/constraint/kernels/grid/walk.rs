//! All sweeps over some rows of a grid at once.

use super::super::rule::Rule;
use super::ahead::Ahead;
use super::gate::Gate;
use super::layout::{Block, one_lane_further};
use super::line::{Batch, Line};
use super::links::Links;
use super::phases::Phases;
use super::strip::{Part, Slots};
use crate::numerics::simd::Vector;

/// Rows in work, in the slots of their pairs.
pub struct Rows<'a, V: Vector, R> {
    pub rule: R,
    /// Rows of the grid.
    pub rows: usize,
    /// Blocks in a row.
    pub segment: usize,
    pub slots: Slots,
    pub blocks: &'a mut [Block<V>],
    /// Inverse masses, where blocks have their particles.
    pub weights: &'a mut [V],
    /// XPBD with damping: positions at the start of the step, else empty.
    pub start: &'a mut [Block<V>],
    pub links: Links<'a, V>,
    pub ahead: Ahead,
}

impl<V: Vector, R> Rows<'_, V, R> {
    /// Where the blocks of a row begin.
    #[inline(always)]
    pub fn at(&self, row: usize) -> usize {
        (2 * self.slots.of(row / 2) + row % 2) * (self.segment + 1)
    }

    /// The phases at one moment of a walk down the pairs, in which each phase is a pair behind the
    /// one before.
    ///
    /// When phase i comes to pair p, phase i − 1 has just left it: it has done the pairs up to
    /// p + 1 and the links from p to p + 1. So the rows that are in work fit into the cache.
    #[inline(always)]
    pub fn advance<const K: usize>(
        &mut self,
        front: usize,
        phases: Phases,
        part: &Part,
        gate: &mut Gate,
    ) where
        R: Rule<K>,
    {
        let mut line = Line::default();
        for phase in part.phases(front, phases.len()) {
            let pair = front - phase;
            let is_inside = part.inside(phase).contains(&pair);
            if let Some(substep) = phases.turn(phase) {
                if is_inside {
                    self.finish(&mut line);
                    self.turn(pair, substep, gate);
                }
            } else {
                let is_joined = pair > 0 && part.between(phase).contains(&(pair - 1));
                self.sweep(&mut line, pair, is_inside, is_joined);
            }
        }
        self.finish(&mut line);
    }

    /// A sweep over the links inside a pair, and those that join it to the one above.
    #[inline(always)]
    fn sweep<const K: usize>(
        &mut self,
        line: &mut Line<V>,
        pair: usize,
        is_inside: bool,
        is_joined: bool,
    ) where
        R: Rule<K>,
    {
        let row = 2 * pair;
        if is_inside {
            for row in row..self.rows.min(row + 2) {
                self.right(line, row);
            }
        }
        for (upper, is_due, from_middle) in [
            (row, is_inside, [true, false, true]),
            (row.wrapping_sub(1), is_joined, [false, true, false]),
        ] {
            if is_due && upper + 1 < self.rows {
                self.down(line, upper, from_middle);
            } else {
                self.finish(line);
            }
        }
    }

    /// The links within a row: from even blocks, from odd blocks.
    #[inline(always)]
    fn right<const K: usize>(&mut self, line: &mut Line<V>, row: usize)
    where
        R: Rule<K>,
    {
        let half = self.segment / 2;
        let at = self.at(row);
        let number = self.links.row::<K>(row, 0);
        let even = Batch { ends: [at, at + 1], number, stride: 2, count: half, lent: None };
        self.batch(line, even, false);
        let (ends, number) = ([at + 1, at + 2], number + half);
        self.batch(line, Batch { ends, number, lent: Some(at), ..even }, false);
    }

    /// The links from a row to the next: straight down, down-right, down-left.
    #[inline(always)]
    fn down<const K: usize>(&mut self, line: &mut Line<V>, row: usize, from_middle: [bool; 3])
    where
        R: Rule<K>,
    {
        let count = self.segment;
        let (upper, lower) = (self.at(row), self.at(row + 1));
        for (direction, from_middle) in (1..).zip(from_middle) {
            let number = self.links.row::<K>(row, direction);
            let (ends, lent) = match direction {
                1 => ([upper, lower], None),
                2 => ([upper, lower + 1], Some(lower)),
                _ => ([upper + 1, lower], Some(upper)),
            };
            self.batch(line, Batch { ends, number, stride: 1, count, lent }, from_middle);
        }
    }

    /// Makes the block behind the last one of the row that begins at `first`: what the lanes of
    /// the last block have to their right.
    #[inline(always)]
    pub fn lend(&mut self, first: usize) {
        self.blocks[first + self.segment] = one_lane_further(self.blocks[first]);
    }

    /// Takes over what became of it.
    #[inline(always)]
    pub fn take_back(&mut self, first: usize) {
        let lent = self.blocks[first + self.segment];
        for (own, lent) in self.blocks[first].iter_mut().zip(lent) {
            *own = lent.shift_up(V::splat(own.as_slice()[0]));
        }
    }
}
