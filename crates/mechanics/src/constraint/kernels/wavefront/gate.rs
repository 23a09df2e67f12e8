//! How strips of particles come into a wavefront, go from one substep to the next, and leave it.

use super::Wavefront;
use super::layout::Layout;
use crate::constraint::passage::Passage;
use crate::numerics::simd::lines;
use glam::DVec3;
use std::ops::Range;

impl Wavefront {
    /// Makes room for all strips.
    pub fn make_room(&mut self, damped: bool) {
        let Layout { columns, lanes, strips, .. } = self.layout;
        // Behind the last strip there are two more, in which nothing is: one is in flight beside the
        // others, and one is below that.
        let numbers = (strips + 2) * self.layout.blocks() * 4 * lanes;
        for column in [Some(&mut self.blocks), damped.then_some(&mut self.start)] {
            column.filter(|column| column.is_empty()).into_iter().for_each(|column| {
                *column = lines(numbers, 0.0);
            });
        }
        self.leaving.resize(lanes * columns, DVec3::ZERO);
    }

    /// Takes in a strip for the sweeps of a substep.
    pub fn arrive(&mut self, strip: usize, substep: usize, passage: &mut dyn Passage) {
        let arrived = passage.arrive(substep, self.of_strip(strip));
        let Self { layout, blocks, start, .. } = self;
        layout.pack(strip, arrived.x, blocks);
        if !start.is_empty() {
            layout.pack(strip, arrived.start, start);
        }
    }

    /// Lets a strip go after the sweeps of a substep.
    pub fn leave(&mut self, strip: usize, substep: usize, passage: &mut dyn Passage) {
        let particles = self.of_strip(strip);
        let Self { layout, blocks, leaving, .. } = self;
        let x = &mut leaving[..particles.len()];
        layout.unpack(strip, blocks, x);
        passage.leave(substep, particles, x);
    }

    /// The particles of a strip.
    fn of_strip(&self, strip: usize) -> Range<usize> {
        let Range { start, end } = self.particles;
        let size = self.layout.lanes * self.layout.columns;
        start + strip * size..end.min(start + (strip + 1) * size)
    }
}
