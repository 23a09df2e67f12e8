//! Software pipeline for link corrections, across batches of links.
//!
//! A root and a quotient have long latencies, so three links are in progress at the same time: one
//! waits for its root, the link before it for its quotient, and the link before that moves its
//! ends. While the first two links of a batch enter the pipeline, the last two links of the
//! previous batch leave it. The entering and the leaving links must not share a block. Every second
//! batch of links between two rows therefore begins in the middle of the row.

use super::active_rows::ActiveRows;
use crate::constraint::kernels::rule::{Rule, end_difference, pull_points, relative_motion_along};
use crate::numerics::simd::{Vector, dot};
use std::ops::Range;

/// Smallest number of blocks in a row at which batches overlap in the pipeline. In shorter rows,
/// the links in the middle share blocks with the links at the ends.
const SHORTEST_OVERLAPPING: usize = 10;

/// Links of one direction and colour in a row, which share no particle.
#[derive(Clone, Copy)]
pub struct Batch {
    /// Indices of the two blocks at the ends of the first link.
    pub ends: [usize; 2],
    /// Index of the values (rest length etc.) of the first link.
    pub number: usize,
    /// Distance, in blocks, between the ends of consecutive links.
    pub stride: usize,
    pub count: usize,
    /// Index of the first block of the row whose ghost block (copies of right neighbours) is an end
    /// of the last link. `None` if no link uses a ghost block.
    pub ghost: Option<usize>,
}

impl Batch {
    #[inline(always)]
    fn link(self, k: usize) -> OneLink {
        let Self { ends: [a, b], number, stride, .. } = self;
        OneLink { ends: [a + k * stride, b + k * stride], number: number + k }
    }
}

/// Links between two blocks, one per element.
#[derive(Clone, Copy)]
struct OneLink {
    ends: [usize; 2],
    number: usize,
}

/// Links in progress: one that waits for its root, and one that waits for its quotient. Neither is
/// valid unless `is_filled`.
#[derive(Clone, Copy)]
pub struct Pipeline<V> {
    is_filled: bool,
    /// Link that waits for its root, its length measure (see [`Rule::length_measure`]) and the sum
    /// of its inverse masses.
    rooted: (OneLink, [V; 2]),
    /// Link that waits for its quotient, and the quotient.
    divided: (OneLink, V),
    /// Index of the first block of the row whose ghost block (copies of right neighbours) is an end
    /// of a link in progress.
    ghost: Option<usize>,
}

impl<V: Vector> Default for Pipeline<V> {
    #[inline(always)]
    fn default() -> Self {
        let (link, zero) = (OneLink { ends: [0; 2], number: 0 }, V::splat(0.0));
        Self { is_filled: false, rooted: (link, [zero; 2]), divided: (link, zero), ghost: None }
    }
}

impl<V: Vector, R> ActiveRows<'_, V, R> {
    /// Corrects the links of a batch, starting with the first link or with the middle one.
    #[inline(always)]
    pub fn relax_batch<const K: usize>(
        &mut self,
        pipeline: &mut Pipeline<V>,
        batch: Batch,
        from_middle: bool,
    ) where
        R: Rule<K>,
    {
        let overlaps = self.segment >= SHORTEST_OVERLAPPING;
        if !overlaps {
            self.finish_pipeline(pipeline);
        }
        if let Some(row) = batch.ghost {
            self.fill_ghost(row);
        }
        if batch.count == 1 {
            return self.relax_single(batch);
        }
        let middle = if overlaps && from_middle { batch.count / 2 } else { 0 };
        self.relax_links(pipeline, batch, middle..batch.count);
        if middle > 0 {
            self.relax_links(pipeline, batch, 0..middle);
        }
        // A batch that starts in the middle has already finished its last link, which changes the
        // ghost block.
        match batch.ghost {
            Some(row) if middle > 0 => self.copy_ghost_back(row),
            ghost => pipeline.ghost = ghost,
        }
    }

    #[inline(always)]
    fn relax_links<const K: usize>(
        &mut self,
        pipeline: &mut Pipeline<V>,
        batch: Batch,
        links: Range<usize>,
    ) where
        R: Rule<K>,
    {
        let Range { start, end } = links;
        let (first, second) = (batch.link(start), batch.link(start + 1));
        if pipeline.is_filled {
            self.push_link(pipeline, first);
            self.push_link(pipeline, second);
        } else {
            self.begin_pipeline(pipeline, first, second);
        }
        if let Some(row) = pipeline.ghost.take() {
            self.copy_ghost_back(row);
        }
        let (mut rooted, mut divided) = (pipeline.rooted.1, pipeline.divided.1);
        let prefetch = self.prefetch.take_lines(end.saturating_sub(start + 2), self.blocks);
        for k in start + 2..end {
            prefetch.prefetch_line(k - (start + 2));
            let next = self.compute_root(batch.link(k).ends);
            let s = self.compute_quotient(batch.link(k - 1), rooted);
            self.pull_ends(batch.link(k - 2).ends, divided);
            (rooted, divided) = (next, s);
        }
        if end > start + 2 {
            pipeline.rooted = (batch.link(end - 1), rooted);
            pipeline.divided = (batch.link(end - 2), divided);
        }
    }

    #[inline(always)]
    fn relax_single<const K: usize>(&mut self, batch: Batch)
    where
        R: Rule<K>,
    {
        let link = batch.link(0);
        let rooted = self.compute_root(link.ends);
        let s = self.compute_quotient(link, rooted);
        self.pull_ends(link.ends, s);
        if let Some(row) = batch.ghost {
            self.copy_ghost_back(row);
        }
    }

    #[inline(always)]
    fn begin_pipeline<const K: usize>(
        &mut self,
        pipeline: &mut Pipeline<V>,
        first: OneLink,
        second: OneLink,
    ) where
        R: Rule<K>,
    {
        let rooted = self.compute_root(first.ends);
        let next = self.compute_root(second.ends);
        let s = self.compute_quotient(first, rooted);
        *pipeline =
            Pipeline { is_filled: true, rooted: (second, next), divided: (first, s), ghost: None };
    }

    /// Adds a link to the pipeline. The other links advance by one stage, and the oldest one moves
    /// its ends.
    #[inline(always)]
    fn push_link<const K: usize>(&mut self, pipeline: &mut Pipeline<V>, link: OneLink)
    where
        R: Rule<K>,
    {
        let Pipeline { rooted: (last, rooted), divided: (last_but_one, divided), .. } = *pipeline;
        let next = self.compute_root(link.ends);
        let s = self.compute_quotient(last, rooted);
        self.pull_ends(last_but_one.ends, divided);
        (pipeline.rooted, pipeline.divided) = ((link, next), (last, s));
    }

    #[inline(always)]
    pub fn finish_pipeline<const K: usize>(&mut self, pipeline: &mut Pipeline<V>)
    where
        R: Rule<K>,
    {
        if !pipeline.is_filled {
            return;
        }
        let Pipeline { rooted: (last, rooted), divided: (last_but_one, divided), ghost, .. } =
            *pipeline;
        let s = self.compute_quotient(last, rooted);
        self.pull_ends(last_but_one.ends, divided);
        self.pull_ends(last.ends, s);
        if let Some(row) = ghost {
            self.copy_ghost_back(row);
        }
        pipeline.is_filled = false;
    }

    #[inline(always)]
    fn compute_root<const K: usize>(&self, [a, b]: [usize; 2]) -> [V; 2]
    where
        R: Rule<K>,
    {
        let (from, to) = (&self.blocks[a], &self.blocks[b]);
        let d = end_difference(from, to);
        [self.rule.length_measure(dot(d, d)), self.weights[a] + self.weights[b]]
    }

    #[inline(always)]
    fn compute_quotient<const K: usize>(&mut self, link: OneLink, [size, w]: [V; 2]) -> V
    where
        R: Rule<K>,
    {
        let OneLink { ends: [a, b], number } = link;
        let mut numbers = self.links.load(number);
        let (blocks, start) = (&*self.blocks, &*self.start);
        let s = self.rule.pull_factor(
            &mut numbers,
            size,
            w,
            #[inline(always)]
            || relative_motion_along([&blocks[a], &blocks[b]], [&start[a], &start[b]]),
        );
        self.links.store(number, numbers);
        s
    }

    /// Moves the ends of a link together. Both blocks are looked up before anything is written.
    /// With a bounds check between the writes, the compiler starts the next root after this
    /// function instead of before it (1.37 instead of 1.30 ns per link of a cloth of 100 × 100
    /// particles).
    #[inline(always)]
    fn pull_ends(&mut self, ends: [usize; 2], s: V) {
        let Ok([from, to]) = self.blocks.get_disjoint_mut(ends) else {
            unreachable!("a link joins two blocks of the active rows");
        };
        let w = ends.map(
            #[inline(always)]
            |end| self.weights[end],
        );
        [*from, *to] = pull_points([from, to], w, s);
    }
}
