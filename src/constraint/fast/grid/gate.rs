//! How pairs of rows come into work, and how they leave it.

use super::layout::{Block, one_lane_further, pack, pack_weights, unpack};
use super::walk::Rows;
use crate::constraint::passage::Passage;
use crate::simd::Vector;
use glam::DVec3;
use std::ops::Range;

/// Between the particles of a scene and the rows in work.
pub struct Gate<'a> {
    /// Particles in a row.
    pub columns: usize,
    /// The grid's particles in the scene.
    pub of_grid: &'a Range<usize>,
    /// Inverse masses of the scene.
    pub w: &'a [f64],
    pub passage: &'a mut dyn Passage,
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
    pub fn look_ahead(&mut self, pair: usize, substep: usize, gate: &Gate) {
        let columns = gate.passage.ahead(substep, gate.particles(pair));
        let links = self.links.ahead(self.rows_in(pair));
        self.ahead.begin(columns.into_iter().chain([links]));
    }

    /// Takes in a pair for the sweeps of its first substep.
    #[inline(always)]
    pub fn arrive(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        let w = &gate.w[gate.particles(pair)];
        let (first, n) = (self.at(2 * pair), self.segment);
        let rows = self.weights[first..].chunks_exact_mut(n + 1);
        rows.zip(w.chunks(gate.columns)).for_each(|(row, w)| pack_weights(w, row));
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
        let Gate { columns, passage, .. } = gate;
        self.links.forget(self.rows_in(pair));
        let arrived = passage.arrive(substep, particles);
        for (row, x) in self.rows_of(pair).zip(arrived.x.chunks(*columns)) {
            pack(x, row);
        }
        if !self.start.is_empty() {
            let (first, n) = (self.at(2 * pair), self.segment);
            let rows = self.start[first..].chunks_exact_mut(n + 1);
            for (row, start) in rows.zip(arrived.start.chunks(*columns)) {
                pack(start, &mut row[..n]);
                row[n] = one_lane_further(row[0]);
            }
        }
    }

    fn rows_in(&self, pair: usize) -> Range<usize> {
        2 * pair..self.rows.min(2 * (pair + 1))
    }

    /// The blocks of a pair's rows, each without the one behind its last.
    #[inline(always)]
    fn rows_of(&mut self, pair: usize) -> impl Iterator<Item = &mut [Block<V>]> {
        let (first, n) = (self.at(2 * pair), self.segment);
        self.blocks[first..].chunks_exact_mut(n + 1).map(move |row| &mut row[..n])
    }

    /// Lets a pair go after the sweeps of a substep.
    #[inline(always)]
    pub fn leave(&mut self, pair: usize, substep: usize, gate: &mut Gate) {
        let particles = gate.particles(pair);
        let Gate { columns, passage, leaving, .. } = gate;
        let x = &mut leaving[..particles.len()];
        for (row, x) in self.rows_of(pair).zip(x.chunks_mut(*columns)) {
            unpack(row, x);
        }
        passage.leave(substep, particles, x);
    }
}
