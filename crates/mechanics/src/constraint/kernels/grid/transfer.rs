//! Transfer of pairs of rows between a [`ParticleAccess`] and the kernel's buffers.

use super::active_rows::ActiveRows;
use super::layout::{fill_ghosts, pack_rows, pack_weights, unpack_rows};
use crate::constraint::particles::ParticleAccess;
use crate::numerics::simd::Vector;
use glam::DVec3;
use std::ops::Range;

/// Source and destination of the grid's particles, and a buffer for one pair of rows.
pub struct RowTransfer<'a> {
    /// Indices of the grid's particles in the scene.
    pub of_grid: &'a Range<usize>,
    /// Inverse masses of all particles of the scene.
    pub w: &'a [f64],
    pub access: &'a mut dyn ParticleAccess,
    /// Number of particles in a row.
    pub columns: usize,
    /// Buffer for the positions of a pair of rows, before `access` stores them.
    pub outgoing: &'a mut [DVec3],
}

impl RowTransfer<'_> {
    fn particles(&self, pair: usize) -> Range<usize> {
        let Range { start, end } = *self.of_grid;
        let pair = [pair, pair + 1].map(|pair| end.min(start + 2 * pair * self.columns));
        pair[0]..pair[1]
    }
}

impl<V: Vector, R> ActiveRows<'_, V, R> {
    /// Queues for prefetching the memory that a pair of rows needs in its first substep.
    #[inline(always)]
    pub fn queue_prefetch(&mut self, pair: usize, transfer: &RowTransfer) {
        let columns = transfer.access.prefetch_spans(transfer.particles(pair));
        let links = self.links.prefetch_span(self.rows_of(pair));
        self.prefetch.replace(columns.into_iter().chain([links]));
    }

    /// Loads positions and inverse masses of a pair of rows for its first substep.
    #[inline(always)]
    pub fn load(&mut self, pair: usize, substep: usize, transfer: &mut RowTransfer) {
        let w = &transfer.w[transfer.particles(pair)];
        let (first, n) = (self.first_block(2 * pair), self.segment);
        let rows = self.weights[first..].chunks_exact_mut(n + 1);
        for (row, w) in rows.zip(w.chunks(transfer.columns)) {
            pack_weights(w, row);
        }
        self.load_positions(pair, substep, transfer);
    }

    /// Stores a pair of rows after the sweeps of a substep, and loads it for the next substep.
    #[inline(always)]
    pub fn cross_boundary(&mut self, pair: usize, substep: usize, transfer: &mut RowTransfer) {
        self.store(pair, substep, transfer);
        self.load_positions(pair, substep + 1, transfer);
    }

    #[inline(always)]
    fn load_positions(&mut self, pair: usize, substep: usize, transfer: &mut RowTransfer) {
        let particles = transfer.particles(pair);
        self.links.reset_multipliers(self.rows_of(pair));
        let (at, columns) = (self.blocks_of(pair), transfer.columns);
        let loaded = transfer.access.load(substep, particles);
        pack_rows(loaded.x, columns, &mut self.blocks[at.clone()], self.segment);
        if let Some(start) = self.start.get_mut(at) {
            pack_rows(loaded.start, columns, start, self.segment);
            fill_ghosts(start, self.segment);
        }
    }

    fn rows_of(&self, pair: usize) -> Range<usize> {
        2 * pair..self.rows.min(2 * (pair + 1))
    }

    #[inline(always)]
    fn blocks_of(&self, pair: usize) -> Range<usize> {
        let first = self.first_block(2 * pair);
        first..first + self.rows_of(pair).len() * (self.segment + 1)
    }

    /// Stores a pair of rows after the sweeps of a substep.
    #[inline(always)]
    pub fn store(&mut self, pair: usize, substep: usize, transfer: &mut RowTransfer) {
        let particles = transfer.particles(pair);
        let (at, columns) = (self.blocks_of(pair), transfer.columns);
        let x = &mut transfer.outgoing[..particles.len()];
        unpack_rows(&self.blocks[at], self.segment, columns, x);
        transfer.access.store(substep, particles, x);
    }
}
