//! How particles come into a wavefront, go from one substep to the next, and leave it.

use super::Wavefront;
use super::layout::Layout;
use crate::constraint::passage::Passage;
use crate::constraint::ride::{Lay, MOST_RIDING, Order, Packed, Ride};
use crate::numerics::simd::{Kernel, Line, Vector, as_numbers, as_points, lines, vectors_mut};
use glam::DVec3;
use std::ops::Range;

/// What rides along, and room for a strip that turns or leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aboard {
    /// What rides along, as blocks without weights.
    riding: [Vec<Line>; MOST_RIDING],
    /// Positions and weights of a strip that turns.
    x: Vec<Line>,
    weights: Vec<Line>,
    /// Particles of a strip on their way out.
    leaving: Vec<DVec3>,
}

impl Wavefront {
    /// Makes room for so many columns that ride along.
    pub fn make_room(&mut self, damped: bool, riding: usize) {
        let Layout { columns, lanes, strips, .. } = self.layout;
        let make_room = |column: &mut Vec<Line>, blocks: usize, numbers: usize| {
            if column.is_empty() {
                *column = lines(blocks * numbers * lanes, 0.0);
            }
        };
        let of_strip = self.layout.blocks();
        // Behind the last strip there are two more, in which nothing is: one is in flight beside the
        // others, and one is below that.
        make_room(&mut self.blocks, (strips + 2) * of_strip, 4);
        if damped {
            make_room(&mut self.start, (strips + 2) * of_strip, 4);
        }
        let Aboard { riding: columns_aboard, x, weights, leaving } = &mut self.aboard;
        for column in &mut columns_aboard[..riding] {
            make_room(column, strips * of_strip, 3);
            make_room(x, of_strip, 3);
            make_room(weights, of_strip, 1);
        }
        leaving.resize(lanes * columns, DVec3::ZERO);
    }

    /// Takes in a strip for the sweeps of the first substep.
    pub fn arrive(&mut self, strip: usize, riding: usize, passage: &mut dyn Passage) {
        if riding == 0 {
            return self.take_in(strip, 0, passage);
        }
        let particles = self.of_strip(strip);
        let Self { layout, blocks, start, aboard, .. } = self;
        let (from, from_start) = ride(passage).board(0, particles);
        layout.pack::<4>(strip, from[0], blocks);
        for (column, from) in aboard.riding[..riding].iter_mut().zip(&from) {
            layout.pack::<3>(strip, from, column);
        }
        if !start.is_empty() {
            layout.pack::<4>(strip, from_start, start);
        }
    }

    /// Lets a strip go after the sweeps of a substep, and takes it in for the next.
    pub fn turn(&mut self, strip: usize, substep: usize, riding: usize, passage: &mut dyn Passage) {
        if riding == 0 {
            self.let_go(strip, substep, passage);
            return self.take_in(strip, substep + 1, passage);
        }
        let particles = self.of_strip(strip);
        let Self { isa, layout, blocks, start, aboard, .. } = self;
        let Aboard { riding: columns, x, weights, .. } = aboard;
        isa.run(Turn {
            order: Order { isa: *isa, columns: layout.columns, lay: Lay::Slanted(layout.behind()) },
            particles,
            substep,
            ride: ride(passage),
            at: strip * layout.blocks()..(strip + 1) * layout.blocks(),
            blocks,
            start,
            x,
            weights,
            riding: columns.each_mut().map(|column| &mut column[..]),
        });
    }

    /// Lets a strip go after the sweeps of the last substep.
    pub fn leave(
        &mut self,
        strip: usize,
        substep: usize,
        riding: usize,
        passage: &mut dyn Passage,
    ) {
        if riding > 0 {
            let particles = self.of_strip(strip);
            let Self { layout, start, aboard, .. } = self;
            let (to, to_start) = ride(passage).alight(substep, particles);
            for (column, to) in aboard.riding[..riding].iter().zip(to) {
                layout.unpack::<3>(strip, column, to);
            }
            if !start.is_empty() {
                layout.unpack::<4>(strip, start, to_start);
            }
        }
        self.let_go(strip, substep, passage);
    }

    fn take_in(&mut self, strip: usize, substep: usize, passage: &mut dyn Passage) {
        let arrived = passage.arrive(substep, self.of_strip(strip));
        let Self { layout, blocks, start, .. } = self;
        layout.pack::<4>(strip, arrived.x, blocks);
        if !start.is_empty() {
            layout.pack::<4>(strip, arrived.start, start);
        }
    }

    fn let_go(&mut self, strip: usize, substep: usize, passage: &mut dyn Passage) {
        let particles = self.of_strip(strip);
        let Self { layout, blocks, aboard, .. } = self;
        let x = &mut aboard.leaving[..particles.len()];
        layout.unpack::<4>(strip, blocks, x);
        passage.leave(substep, particles, x);
    }

    /// The particles of a strip.
    fn of_strip(&self, strip: usize) -> Range<usize> {
        let Range { start, end } = self.particles;
        let size = self.layout.lanes * self.layout.columns;
        start + strip * size..end.min(start + (strip + 1) * size)
    }
}

/// The way of particles that have what rides along.
fn ride(passage: &mut dyn Passage) -> &mut dyn Ride {
    passage.ride().expect("columns ride along only where there is a way")
}

/// A strip that turns without a particle being put together.
struct Turn<'a> {
    order: Order,
    particles: Range<usize>,
    substep: usize,
    ride: &'a mut dyn Ride,
    /// Blocks of the strip.
    at: Range<usize>,
    /// Of all strips.
    blocks: &'a mut [Line],
    start: &'a mut [Line],
    riding: [&'a mut [Line]; MOST_RIDING],
    /// Of this one.
    x: &'a mut [Line],
    weights: &'a mut [Line],
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { order, particles, substep, ride, at, .. } = self;
        let blocks: &mut [[V; 4]] = &mut vectors_mut(self.blocks).as_chunks_mut().0[at.clone()];
        let start: &mut [[V; 4]] = vectors_mut(self.start).as_chunks_mut().0;
        if let Some(start) = start.get_mut(at.clone()) {
            start.copy_from_slice(blocks);
        }
        let x: &mut [[V; 3]] = &mut vectors_mut(self.x).as_chunks_mut().0[..at.len()];
        let weights: &mut [V] = &mut vectors_mut(self.weights)[..at.len()];
        for ((block, x), w) in blocks.iter().zip(&mut *x).zip(&mut *weights) {
            (*x, *w) = ([block[0], block[1], block[2]], block[3]);
        }
        let riding = self.riding.map(
            #[inline(always)]
            |column| {
                let column: &mut [[V; 3]] = vectors_mut(column).as_chunks_mut().0;
                as_points(column.get_mut(at.clone()).unwrap_or_default())
            },
        );
        let w = as_numbers(weights);
        ride.turn(substep, particles, Packed { order, x: as_points(x), riding, w });
        for (block, x) in blocks.iter_mut().zip(x) {
            *block = [x[0], x[1], x[2], block[3]];
        }
    }
}
