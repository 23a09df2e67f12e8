//! Transfer of particles between a [`ParticleAccess`] and the strips of a wavefront.

use super::Wavefront;
use super::layout::WaveLayout;
use crate::constraint::particle_access::ParticleAccess;
use crate::numerics::simd::allocate_lines;
use glam::DVec3;
use std::ops::Range;

impl Wavefront {
    /// Allocates the blocks of all strips.
    pub fn allocate(&mut self, damped: bool) {
        let WaveLayout { columns, elements, strips, .. } = self.layout;
        // Two empty strips follow the last one. One is in progress together with the first and the
        // last strip, and the other is the strip below it.
        let numbers = (strips + 2) * self.layout.strip_blocks() * 4 * elements;
        for column in [Some(&mut self.blocks), damped.then_some(&mut self.start)] {
            column.filter(|column| column.is_empty()).into_iter().for_each(|column| {
                *column = allocate_lines(numbers, 0.0);
            });
        }
        self.outgoing.resize(elements * columns, DVec3::ZERO);
    }

    /// Loads the particles of a strip for the sweeps of a substep.
    pub fn load(&mut self, strip: usize, substep: usize, access: &mut dyn ParticleAccess) {
        let loaded = access.load(substep, self.strip_particles(strip));
        let Self { layout, blocks, start, .. } = self;
        layout.pack(strip, loaded.x, blocks);
        if !start.is_empty() {
            layout.pack(strip, loaded.start, start);
        }
    }

    /// Stores the particles of a strip after the sweeps of a substep.
    pub fn store(&mut self, strip: usize, substep: usize, access: &mut dyn ParticleAccess) {
        let particles = self.strip_particles(strip);
        let Self { layout, blocks, outgoing, .. } = self;
        let x = &mut outgoing[..particles.len()];
        layout.unpack(strip, blocks, x);
        access.store(substep, particles, x);
    }

    fn strip_particles(&self, strip: usize) -> Range<usize> {
        let Range { start, end } = self.particles;
        let size = self.layout.elements * self.layout.columns;
        start + strip * size..end.min(start + (strip + 1) * size)
    }
}
