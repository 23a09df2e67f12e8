//! From one substep to the next in the order of registers.
//!
//! A scheme does the same with all numbers of a column. It never learns which of them belong to one
//! particle, nor which axis they are along, so they may come in any order that all columns share.
//! Only forces know, and where particles do nothing but fall the acceleration is one for all, but for
//! what each number of its velocity takes away.

use super::{Columns, Flight, Leg, PART, Strip};
use crate::constraint::{Order, Packed, Passage, Ride, Riding};
use crate::force::Fall;
use crate::numerics::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};
use crate::numerics::state::{Next, Now};
use crate::numerics::system::System;
use glam::DVec3;
use itertools::izip;
use std::ops::Range;

impl Ride for Flight<'_> {
    fn columns(&self) -> usize {
        2 + self.course.history
    }

    fn board(&mut self, substep: usize, particles: Range<usize>) -> (Riding<'_>, &[DVec3]) {
        self.arrive(substep, particles.clone());
        let at = self.at(&particles);
        let from_x = &self.columns.from_x[at];
        let (riding, start) = self.alight(substep, particles);
        (riding, if substep == 0 { from_x } else { start })
    }

    fn turn(&mut self, substep: usize, particles: Range<usize>, packed: Packed) {
        let Packed { order, x, riding: [flown, v, memory @ ..], w } = packed;
        let Self { course, strips, .. } = self;
        let Strip { work, landed, .. } = &mut strips[0];
        let (h, substep, lanes) = (course.h, substep + 1, order.isa.lanes());
        let Leg { t, remembered, .. } = &course.legs[substep];
        let [memory, more] = memory;
        let memory = &mut [memory, more][..course.history];
        let fall = course.fall.expect("particles that do nothing but fall");
        landed.resize(PART, DVec3::ZERO);
        for first in (0..x.len()).step_by(PART) {
            let part = first..x.len().min(first + PART);
            let falling = Falling { isa: order.isa, fall, w: &w[part.clone()] };
            let pins = || {
                let pins = course.pins(substep, &particles);
                let places = pins.map(|(i, end)| (Place::new(order, i), end));
                places.filter_map(|(place, end)| Some((place.within(&part, lanes)?, end)))
            };
            let (x, v) = (&mut x[part.clone()], &mut v[part.clone()]);
            let flown = &mut flown[part.clone()];
            let landed = &mut landed[..part.len()];
            order.isa.run(Land {
                rate: 1.0 / h,
                x: coordinates(x),
                flown: coordinates(flown),
                v: coordinates(v),
                landed: coordinates_mut(landed),
            });
            for (place, end) in pins() {
                place.put(landed, (end - place.get(x)) / h);
            }
            work.load_part(remembered, memory.iter().map(|column| &column[part.clone()]));
            let now = Now { t: *t, x, v: landed };
            course.scheme.step(&falling, now, Next { x: flown, v }, h, work);
            work.store_part(memory.iter_mut().map(|column| &mut column[part.clone()]));
            for (place, end) in pins() {
                place.put(flown, end);
                place.put(v, place.get(landed));
            }
            order.isa.run(Pack { flown: coordinates(flown), x: coordinates_mut(x) });
        }
    }

    fn alight(&mut self, substep: usize, particles: Range<usize>) -> (Riding<'_>, &mut [DVec3]) {
        let at = self.at(&particles);
        let Self { course, columns: Columns { ends, history, .. }, .. } = self;
        let [to, from] = course.by_turns(substep, ends);
        let [memory, more] =
            history.each_mut().map(|column| column.get_mut(at.clone()).unwrap_or_default());
        ([&mut to.x[at.clone()], &mut to.v[at.clone()], memory, more], &mut from.x[at])
    }
}

/// Where the numbers of a particle are.
#[derive(Clone, Copy)]
struct Place {
    lanes: usize,
    block: usize,
    lane: usize,
}

impl Place {
    fn new(order: Order, particle: usize) -> Self {
        let (block, lane) = order.place(particle);
        Self { lanes: order.isa.lanes(), block, lane }
    }

    /// The same place counted from where a part begins, if it is there.
    fn within(self, part: &Range<usize>, lanes: usize) -> Option<Self> {
        let blocks = part.start / lanes..part.end / lanes;
        blocks.contains(&self.block).then(|| Self { block: self.block - blocks.start, ..self })
    }

    fn number(self, axis: usize) -> usize {
        (3 * self.block + axis) * self.lanes + self.lane
    }

    fn get(self, column: &[DVec3]) -> DVec3 {
        DVec3::from([0, 1, 2].map(|axis| coordinates(column)[self.number(axis)]))
    }

    fn put(self, column: &mut [DVec3], point: DVec3) {
        for axis in 0..3 {
            coordinates_mut(column)[self.number(axis)] = point[axis];
        }
    }
}

/// Particles that fall, in the order of registers.
struct Falling<'a> {
    isa: Isa,
    fall: Fall,
    w: &'a [f64],
}

impl System for Falling<'_> {
    /// None is pinned: whoever asks puts pins where they belong.
    fn masses(&self) -> &[f64] {
        &[1.0; PART][..self.w.len()]
    }

    fn accelerations(&self, _: f64, _: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let Self { isa, fall, w } = self;
        let g = (fall.g + 0.0).to_array();
        let (v, a) = (coordinates(v), coordinates_mut(a));
        isa.run(Accelerate { g, drag: fall.drag, w, v, a });
    }

    fn acceleration_jvp(
        &self,
        _: f64,
        _: &[DVec3],
        _: &[DVec3],
        _: &[DVec3],
        dv: &[DVec3],
        out: &mut [DVec3],
    ) {
        let Self { isa, fall, w } = self;
        let (v, a) = (coordinates(dv), coordinates_mut(out));
        isa.run(Accelerate { g: [0.0; 3], drag: fall.drag, w, v, a });
    }
}

/// a = g − c v: 0 where the inverse mass is.
struct Accelerate<'a> {
    g: [f64; 3],
    drag: f64,
    w: &'a [f64],
    v: &'a [f64],
    a: &'a mut [f64],
}

impl Kernel for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { g, drag, w, v, a } = self;
        let (v, a) = (V::arrays(v).as_chunks::<3>().0, V::arrays_mut(a).as_chunks_mut::<3>().0);
        for (w, v, a) in izip!(V::arrays(w), v, a) {
            let is_free = V::from_array(w).is_above(V::splat(0.0));
            for (a, v, g) in izip!(a, v, g) {
                let slower = V::splat(g) - V::splat(drag) * V::from_array(v);
                let fall = if drag == 0.0 { V::splat(g) } else { slower };
                *a = fall.only(is_free).to_array();
            }
        }
    }
}

/// Velocities after a projection, number by number: v + (x' − x)/h, see [`super::land`].
struct Land<'a> {
    /// 1/h
    rate: f64,
    x: &'a [f64],
    flown: &'a [f64],
    v: &'a [f64],
    landed: &'a mut [f64],
}

impl Kernel for Land<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rate, x, flown, v, landed } = self;
        let vectors = izip!(V::arrays_mut(landed), V::arrays(v), V::arrays(x), V::arrays(flown));
        for (landed, v, x, flown) in vectors {
            let way = V::from_array(x) - V::from_array(flown);
            *landed = (V::from_array(v) + way * V::splat(rate)).to_array();
        }
    }
}

/// Positions before the first sweep. + 0 as whenever particles are packed.
struct Pack<'a> {
    flown: &'a [f64],
    x: &'a mut [f64],
}

impl Kernel for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (x, flown) in V::arrays_mut(self.x).iter_mut().zip(V::arrays(self.flown)) {
            *x = (V::from_array(flown) + V::splat(0.0)).to_array();
        }
    }
}
