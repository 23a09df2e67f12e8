//! How pairs of rows come into work, and how they leave it.

use super::layout::{lend_rows, pack_rows, pack_weights, unpack_rows};
use super::walk::Rows;
use crate::constraint::passage::Passage;
use crate::numerics::simd::Vector;
use glam::DVec3;
use std::ops::Range;

/// Between the particles of a scene and the rows in work.
pub struct Gate<'a> {
    /// The grid's particles in the scene.
    pub of_grid: &'a Range<usize>,
    /// Inverse masses of the scene.
    pub w: &'a [f64],
    pub passage: &'a mut dyn Passage,
    /// Particles in a row.
    pub columns: usize,
    /// Room for the particles of a pair on their way out.
    pub leaving: &'a mut [DVec3],
}

impl Gate<'_> {
    /// The particles of a pair.
    fn particles(&self, pair: usize) -> Range<usize> {
        let Range { start, end } = *self.of_grid;
        let pair = [pair, pair + 1].map(|pair| end.min(start + 2 * pair * self.columns));
        pair[0]..pair[1]
    }
}

impl<V: Vector, R> Rows<'_, V, R> {
    /// Has fetched what a pair will need that arrives for its first substep.
    #[inline(always)]
    pub fn look_ahead(&mut self, pair: usize, gate: &Gate) {
        let columns = gate.passage.ahead(gate.particles(pair));
        let links = self.links.ahead(self.rows_in(pair));
        self.ahead.begin(columns.into_iter().chain([links]));
    }

    /// Takes in a pair for the sweeps of its first substep.
    #[inline(always)]
    pub fn arrive(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        let w = &gate.w[gate.particles(pair)];
        let (first, n) = (self.at(2 * pair), self.segment);
        let rows = self.weights[first..].chunks_exact_mut(n + 1);
        for (row, w) in rows.zip(w.chunks(gate.columns)) {
            pack_weights(w, row);
        }
        self.take_in(pair, substep, gate);
    }

    /// Lets a pair go after the sweeps of a substep, and takes it in for the next.
    #[inline(always)]
    pub fn turn(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        self.leave(pair, substep, gate);
        self.take_in(pair, substep + 1, gate);
    }

    #[inline(always)]
    fn take_in(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        let particles = gate.particles(pair);
        self.links.forget(self.rows_in(pair));
        let (at, columns) = (self.blocks_of(pair), gate.columns);
        let arrived = gate.passage.arrive(substep, particles);
        pack_rows(arrived.x, columns, &mut self.blocks[at.clone()], self.segment);
        if let Some(start) = self.start.get_mut(at) {
            pack_rows(arrived.start, columns, start, self.segment);
            lend_rows(start, self.segment);
        }
    }

    fn rows_in(&self, pair: usize) -> Range<usize> {
        2 * pair..self.rows.min(2 * (pair + 1))
    }

    /// Where the blocks of a pair's rows are.
    #[inline(always)]
    fn blocks_of(&self, pair: usize) -> Range<usize> {
        let first = self.at(2 * pair);
        first..first + self.rows_in(pair).len() * (self.segment + 1)
    }

    /// Lets a pair go after the sweeps of a substep.
    #[inline(always)]
    pub fn leave(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        let particles = gate.particles(pair);
        let (at, columns) = (self.blocks_of(pair), gate.columns);
        let x = &mut gate.leaving[..particles.len()];
        unpack_rows(&self.blocks[at], self.segment, columns, x);
        gate.passage.leave(substep, particles, x);
    }
}
