//! How pairs of rows come into work, and how they leave it.

use super::layout::{Block, lend_rows, pack_rows, pack_weights, unpack_rows};
use super::walk::Rows;
use crate::constraint::passage::Passage;
use crate::constraint::ride::{MOST_RIDING, Order, Packed, Ride};
use crate::numerics::simd::{Vector, as_numbers, as_points};
use glam::DVec3;
use std::ops::Range;

/// Between the particles of a scene and the rows in work.
pub struct Gate<'a, V> {
    /// The grid's particles in the scene.
    pub of_grid: &'a Range<usize>,
    /// Inverse masses of the scene.
    pub w: &'a [f64],
    pub passage: &'a mut dyn Passage,
    /// How they lie in the blocks of a pair.
    pub order: Order,
    /// Room for the particles of a pair on their way out.
    pub leaving: &'a mut [DVec3],
    /// What rides along, where the blocks are; empty if nothing does.
    pub riding: [&'a mut [Block<V>]; MOST_RIDING],
}

impl<V> Gate<'_, V> {
    /// The particles of a pair.
    fn particles(&self, pair: usize) -> Range<usize> {
        let Range { start, end } = *self.of_grid;
        let pair = [pair, pair + 1].map(|pair| end.min(start + 2 * pair * self.order.columns));
        pair[0]..pair[1]
    }

    fn rides(&self) -> bool {
        !self.riding[0].is_empty()
    }
}

impl<V: Vector, R> Rows<'_, V, R> {
    /// Has fetched what a pair will need that arrives for its first substep.
    #[inline(always)]
    pub fn look_ahead(&mut self, pair: usize, gate: &Gate<V>) {
        let columns = gate.passage.ahead(gate.particles(pair));
        let links = self.links.ahead(self.rows_in(pair));
        self.ahead.begin(columns.into_iter().chain([links]));
    }

    /// Takes in a pair for the sweeps of its first substep.
    #[inline(always)]
    pub fn arrive(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let w = &gate.w[gate.particles(pair)];
        let (first, n) = (self.at(2 * pair), self.segment);
        let rows = self.weights[first..].chunks_exact_mut(n + 1);
        for (row, w) in rows.zip(w.chunks(gate.order.columns)) {
            pack_weights(w, row);
        }
        if gate.rides() {
            self.board(pair, substep, gate);
        } else {
            self.take_in(pair, substep, gate);
        }
    }

    /// Lets a pair go after the sweeps of a substep, and takes it in for the next.
    #[inline(always)]
    pub fn turn(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        if gate.rides() {
            self.turn_packed(pair, substep, gate);
        } else {
            self.let_go(pair, substep, gate);
            self.take_in(pair, substep + 1, gate);
        }
    }

    /// Lets a pair go after the sweeps of its last substep.
    #[inline(always)]
    pub fn leave(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        if gate.rides() {
            self.alight(pair, substep, gate);
        }
        self.let_go(pair, substep, gate);
    }

    #[inline(always)]
    fn take_in(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let particles = gate.particles(pair);
        self.links.forget(self.rows_in(pair));
        let (at, columns) = (self.blocks_of(pair), gate.order.columns);
        let arrived = gate.passage.arrive(substep, particles);
        pack_rows(arrived.x, columns, &mut self.blocks[at.clone()], self.segment);
        if let Some(start) = self.start.get_mut(at) {
            pack_rows(arrived.start, columns, start, self.segment);
            lend_rows(start, self.segment);
        }
    }

    /// As [`Self::take_in`], with all that rides along. A −0 among velocities becomes +0 as well,
    /// which makes no difference to what is added to them.
    #[inline(always)]
    fn board(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let particles = gate.particles(pair);
        self.links.forget(self.rows_in(pair));
        let at = self.blocks_of(pair);
        let Gate { passage, order: Order { columns, .. }, riding, .. } = gate;
        let (from, start) = ride(*passage).board(substep, particles);
        for (riding, from) in riding.iter_mut().zip(from) {
            if let Some(blocks) = riding.get_mut(at.clone()) {
                pack_rows(from, *columns, blocks, self.segment);
            }
        }
        self.blocks[at.clone()].copy_from_slice(&riding[0][at.clone()]);
        if let Some(blocks) = self.start.get_mut(at) {
            pack_rows(start, *columns, blocks, self.segment);
            lend_rows(blocks, self.segment);
        }
    }

    /// As [`Self::turn`], in place.
    #[inline(always)]
    fn turn_packed(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let particles = gate.particles(pair);
        self.links.forget(self.rows_in(pair));
        let at = self.blocks_of(pair);
        let Gate { passage, order, riding, .. } = gate;
        let x = &mut self.blocks[at.clone()];
        if let Some(start) = self.start.get_mut(at.clone()) {
            start.copy_from_slice(x);
            lend_rows(start, self.segment);
        }
        let riding = riding.each_mut().map(
            #[inline(always)]
            |column| as_points(column.get_mut(at.clone()).unwrap_or_default()),
        );
        let (x, w) = (as_points(x), as_numbers(&self.weights[at.clone()]));
        ride(*passage).turn(substep, particles, Packed { order: *order, x, riding, w });
    }

    /// Puts what rode along where it belongs.
    #[inline(always)]
    fn alight(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let particles = gate.particles(pair);
        let at = self.blocks_of(pair);
        let Gate { passage, order: Order { columns, .. }, riding, .. } = gate;
        let (to, start) = ride(*passage).alight(substep, particles);
        for (riding, to) in riding.iter().zip(to) {
            if let Some(blocks) = riding.get(at.clone()) {
                unpack_rows(blocks, self.segment, *columns, to);
            }
        }
        if let Some(blocks) = self.start.get(at) {
            unpack_rows(blocks, self.segment, *columns, start);
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
    fn let_go(&mut self, pair: usize, substep: usize, gate: &mut Gate<V>) {
        let particles = gate.particles(pair);
        let (at, columns) = (self.blocks_of(pair), gate.order.columns);
        let x = &mut gate.leaving[..particles.len()];
        unpack_rows(&self.blocks[at], self.segment, columns, x);
        gate.passage.leave(substep, particles, x);
    }
}

/// The way of a pair that has what rides along.
fn ride(passage: &mut dyn Passage) -> &mut dyn Ride {
    passage.ride().expect("columns ride along only where there is a way")
}
