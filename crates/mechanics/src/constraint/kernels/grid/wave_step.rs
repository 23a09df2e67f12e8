//! Wave steps over a grid: all sweeps advance at the same time, each sweep one pair of rows behind
//! the sweep before it.

use super::active_rows::ActiveRows;
use super::layout::ghost_block;
use super::phases::Phases;
use super::pipeline::{Batch, Pipeline};
use super::strip::SweepPart;
use super::transfer::RowTransfer;
use crate::constraint::kernels::rule::Rule;
use crate::numerics::simd::Vector;

impl<V: Vector, R> ActiveRows<'_, V, R> {
    /// Takes one wave step: each phase (a sweep, or the boundary between two substeps) works on one
    /// pair of rows, one pair behind the phase before it.
    ///
    /// When phase i starts pair p, phase i − 1 has completed the pairs up to p + 1 and the links
    /// between p and p + 1, so phase i may change pair p. Only about as many pairs as there are
    /// phases are being swept at the same time, so they fit into the cache.
    #[inline(always)]
    pub fn advance<const K: usize>(
        &mut self,
        wave_step: usize,
        phases: Phases,
        part: &SweepPart,
        transfer: &mut RowTransfer,
    ) where
        R: Rule<K>,
    {
        let mut pipeline = Pipeline::default();
        for phase in part.phases(wave_step, phases.len()) {
            let pair = wave_step - phase;
            let is_inside = part.inside(phase).contains(&pair);
            if let Some(substep) = phases.boundary(phase) {
                if is_inside {
                    self.finish_pipeline(&mut pipeline);
                    self.cross_boundary(pair, substep, transfer);
                }
            } else {
                let is_joined = pair > 0 && part.between(phase).contains(&(pair - 1));
                self.sweep_pair(&mut pipeline, pair, is_inside, is_joined);
            }
        }
        self.finish_pipeline(&mut pipeline);
    }

    /// Sweeps the links within a pair of rows, and the links between it and the pair above.
    #[inline(always)]
    fn sweep_pair<const K: usize>(
        &mut self,
        pipeline: &mut Pipeline<V>,
        pair: usize,
        is_inside: bool,
        is_joined: bool,
    ) where
        R: Rule<K>,
    {
        let row = 2 * pair;
        if is_inside {
            for row in row..self.rows.min(row + 2) {
                self.sweep_within_row(pipeline, row);
            }
        }
        for (upper, is_due, from_middle) in [
            (row, is_inside, [true, false, true]),
            (row.wrapping_sub(1), is_joined, [false, true, false]),
        ] {
            if is_due && upper + 1 < self.rows {
                self.sweep_to_next_row(pipeline, upper, from_middle);
            } else {
                self.finish_pipeline(pipeline);
            }
        }
    }

    /// Sweeps the links within a row: first those from even blocks, then those from odd blocks.
    #[inline(always)]
    fn sweep_within_row<const K: usize>(&mut self, pipeline: &mut Pipeline<V>, row: usize)
    where
        R: Rule<K>,
    {
        let half = self.segment / 2;
        let at = self.first_block(row);
        let number = self.links.row::<K>(row, 0);
        let even = Batch { ends: [at, at + 1], number, stride: 2, count: half, ghost: None };
        self.relax_batch(pipeline, even, false);
        let (ends, number) = ([at + 1, at + 2], number + half);
        self.relax_batch(pipeline, Batch { ends, number, ghost: Some(at), ..even }, false);
    }

    /// Sweeps the links from a row to the next row: down, down-right, down-left.
    #[inline(always)]
    fn sweep_to_next_row<const K: usize>(
        &mut self,
        pipeline: &mut Pipeline<V>,
        row: usize,
        from_middle: [bool; 3],
    ) where
        R: Rule<K>,
    {
        let count = self.segment;
        let (upper, lower) = (self.first_block(row), self.first_block(row + 1));
        for (direction, from_middle) in (1..).zip(from_middle) {
            let number = self.links.row::<K>(row, direction);
            let (ends, ghost) = match direction {
                1 => ([upper, lower], None),
                2 => ([upper, lower + 1], Some(lower)),
                _ => ([upper + 1, lower], Some(upper)),
            };
            self.relax_batch(
                pipeline,
                Batch { ends, number, stride: 1, count, ghost },
                from_middle,
            );
        }
    }

    /// Fills the ghost block after the row that begins at block `first`: copies of the right
    /// neighbours of the row's last block.
    #[inline(always)]
    pub fn fill_ghost(&mut self, first: usize) {
        self.blocks[first + self.segment] = ghost_block(self.blocks[first]);
    }

    /// Copies the ghost block after a row, which link corrections have changed, back to the row's
    /// first block.
    #[inline(always)]
    pub fn copy_ghost_back(&mut self, first: usize) {
        let ghost = self.blocks[first + self.segment];
        for (own, ghost) in self.blocks[first].iter_mut().zip(ghost) {
            *own = ghost.shift_up(V::splat(own.as_slice()[0]));
        }
    }
}
