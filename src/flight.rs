//! One step of the particles on both sides of a projection, part by part.
//!
//! Where no particle feels another one, a part flies when the sweeps first ask for it and gets its
//! velocity when they let it go: it is read from memory once a step.

use crate::constraint::{Arrived, Passage};
use crate::diagnostics::{Moves, VectorMoves};
use crate::integrate::Integrator;
use crate::model::{Model, PART};
use crate::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};
use crate::state::{MOST_HISTORY, Next, Now, Workspace};
use crate::system::System;
use glam::DVec3;
use itertools::izip;
use std::ops::Range;

/// What is the same for all particles.
#[derive(Clone, Copy)]
pub struct Leg<'a> {
    /// What moves them.
    pub model: &'a Model,
    /// How.
    pub scheme: &'a dyn Integrator,
    /// What the scheme remembers of time.
    pub work: &'a Workspace,
    /// What it remembers of each particle: so many columns.
    pub history: usize,
    /// Time at the beginning, in seconds.
    pub t: f64,
    /// Length in seconds.
    pub h: f64,
    /// Where the pinned particles end, ascending.
    pub pins: &'a [(u32, DVec3)],
}

/// Everything that is known of some particles, one entry each.
pub struct Columns<'a> {
    /// Positions in metres, which the flight writes first and the landing last.
    pub x: &'a mut [DVec3],
    /// Velocities in m/s, likewise.
    pub v: &'a mut [DVec3],
    /// Positions at the start, in metres.
    pub from_x: &'a [DVec3],
    /// Velocities at the start, in m/s. Pinned particles get the one that leads where they end.
    pub from_v: &'a mut [DVec3],
    /// Positions at the start of the step of which this may be a substep, in metres.
    pub kept: &'a [DVec3],
    /// What the scheme remembers; empty beyond its columns.
    pub history: [&'a mut [DVec3]; MOST_HISTORY],
}

impl Columns<'_> {
    fn part(&mut self, at: Range<usize>) -> Columns<'_> {
        Columns {
            x: &mut self.x[at.clone()],
            v: &mut self.v[at.clone()],
            from_x: &self.from_x[at.clone()],
            from_v: &mut self.from_v[at.clone()],
            kept: &self.kept[at],
            history: Default::default(),
        }
    }

    fn split_at(&mut self, at: usize) -> [Columns<'_>; 2] {
        let (x, x_2) = self.x.split_at_mut(at);
        let (v, v_2) = self.v.split_at_mut(at);
        let (from_x, from_x_2) = self.from_x.split_at(at);
        let (from_v, from_v_2) = self.from_v.split_at_mut(at);
        let (kept, kept_2) = self.kept.split_at(at);
        let [(h, h_2), (i, i_2)] = self.history.each_mut().map(|h| h.split_at_mut(at.min(h.len())));
        [
            Columns { x, v, from_x, from_v, kept, history: [h, i] },
            Columns {
                x: x_2,
                v: v_2,
                from_x: from_x_2,
                from_v: from_v_2,
                kept: kept_2,
                history: [h_2, i_2],
            },
        ]
    }
}

/// Some particles in one step.
pub struct Flight<'a> {
    leg: Leg<'a>,
    first: usize,
    columns: Columns<'a>,
    /// The particles before this one have flown.
    flown: usize,
    /// What the scheme remembers of the part that flies. One a strip.
    parts: &'a mut [Workspace],
    /// How far those went that have left.
    pub moves: Moves,
}

impl<'a> Flight<'a> {
    /// Particles that fly when they are first asked for.
    pub fn in_parts(leg: Leg<'a>, columns: Columns<'a>, parts: &'a mut [Workspace]) -> Self {
        Self { leg, first: 0, columns, flown: 0, parts, moves: Moves::default() }
    }

    /// Particles that fly together, at once.
    pub fn together(leg: Leg<'a>, mut columns: Columns<'a>, work: &mut Workspace) -> Self {
        let all = 0..columns.x.len();
        leg.fly(leg.model, all.clone(), columns.part(all.clone()), work);
        Self { leg, first: 0, columns, flown: all.end, parts: &mut [], moves: Moves::default() }
    }

    fn at(&self, particles: &Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }

    fn fly(&mut self, particles: Range<usize>) {
        let at = self.at(&particles);
        let Self { leg, columns, parts, .. } = self;
        let work = &mut parts[0];
        let history = ..leg.history;
        work.load_part(leg.work, columns.history[history].iter().map(|column| &column[at.clone()]));
        let part = leg.model.part(particles.clone());
        leg.fly(&part, particles.clone(), columns.part(at.clone()), work);
        work.store_part(columns.history[history].iter_mut().map(|column| &mut column[at.clone()]));
        self.flown = particles.end;
    }
}

impl Leg<'_> {
    /// Some particles fly: pinned ones to where they belong.
    fn fly(
        &self,
        system: &dyn System,
        particles: Range<usize>,
        columns: Columns,
        work: &mut Workspace,
    ) {
        let Self { t, h, pins, .. } = *self;
        let Columns { x, v, from_x, from_v, .. } = columns;
        let from = pins.partition_point(|(pinned, _)| (*pinned as usize) < particles.start);
        let to = pins.partition_point(|(pinned, _)| (*pinned as usize) < particles.end);
        let pins = pins[from..to].iter().map(|(i, end)| (*i as usize - particles.start, *end));
        for (i, end) in pins.clone() {
            from_v[i] = (end - from_x[i]) / h;
        }
        self.scheme.step(system, Now { t, x: from_x, v: from_v }, Next { x, v }, h, work);
        for (i, end) in pins {
            x[i] = end;
        }
    }
}

impl Passage for Flight<'_> {
    fn arrive(&mut self, particles: Range<usize>) -> Arrived<'_> {
        while self.flown < particles.end {
            let end = (self.flown + PART).min(self.first + self.columns.x.len());
            self.fly(self.flown..end);
        }
        let at = self.at(&particles);
        let Columns { x, from_x, .. } = &self.columns;
        Arrived { x: &x[at.clone()], start: &from_x[at] }
    }

    fn leave(&mut self, particles: Range<usize>, projected: &[DVec3]) {
        let at = self.at(&particles);
        let Columns { x, v, kept, .. } = &mut self.columns;
        let (x, v) = (&mut x[at.clone()], &mut v[at.clone()]);
        self.moves.merge(&land(x, v, projected, &kept[at], self.leg.h));
    }

    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Passage, &mut dyn Passage)) {
        let Self { leg, first, columns, flown, parts, moves } = self;
        let [columns, columns_2] = columns.split_at(at - *first);
        let (parts, parts_2) = parts.split_at_mut(parts.len() / 2);
        let mut here = Flight {
            leg: *leg,
            first: *first,
            columns,
            flown: (*flown).min(at),
            parts,
            moves: Moves::default(),
        };
        let mut there = Flight {
            leg: *leg,
            first: at,
            columns: columns_2,
            flown: (*flown).max(at),
            parts: parts_2,
            moves: Moves::default(),
        };
        both(&mut here, &mut there);
        // Whoever splits the particles has all of the lower ones fly.
        *flown = there.flown;
        moves.merge(&here.moves);
        moves.merge(&there.moves);
    }
}

/// Makes velocities consistent after constraints moved particles from their free flight to where
/// they are `projected`: v ← v + (x' − x)/h, x ← x'. Answers with the ways from `kept`.
///
/// For constant forces this turns every scheme of the list into Verlet with projection: see "Does
/// the integrator show under projection?" in DESIGN.md.
pub fn land(
    x: &mut [DVec3],
    v: &mut [DVec3],
    projected: &[DVec3],
    kept: &[DVec3],
    h: f64,
) -> Moves {
    Isa::best().run(Landing {
        rate: 1.0 / h,
        projected: coordinates(projected),
        kept: coordinates(kept),
        x: coordinates_mut(x),
        v: coordinates_mut(v),
    })
}

/// The coordinates of particles, one number after the other.
struct Landing<'a> {
    /// 1/h
    rate: f64,
    projected: &'a [f64],
    kept: &'a [f64],
    x: &'a mut [f64],
    v: &'a mut [f64],
}

impl Kernel for Landing<'_> {
    type Output = Moves;

    #[inline(always)]
    fn run<V: Vector>(self) -> Moves {
        let Self { rate, projected, kept, x, v } = self;
        let mut seen = VectorMoves::<V>::none();
        let whole = x.len() / (3 * V::LANES) * (3 * V::LANES);
        let threes = izip!(
            V::arrays(projected).as_chunks::<3>().0,
            V::arrays(kept).as_chunks::<3>().0,
            V::arrays_mut(x).as_chunks_mut::<3>().0,
            V::arrays_mut(v).as_chunks_mut::<3>().0
        );
        for (projected, kept, x, v) in threes {
            for k in 0..3 {
                let to = V::from_array(&projected[k]);
                let from = V::from_array(&x[k]);
                let landed = V::from_array(&v[k]) + (to - from) * V::splat(rate);
                seen.see(k, (to - V::from_array(&kept[k])).abs(), landed);
                (x[k], v[k]) = (to.to_array(), landed.to_array());
            }
        }
        let mut moves = seen.moves();
        let rest = izip!(&projected[whole..], &kept[whole..], &mut x[whole..], &mut v[whole..]);
        for (i, (to, kept, x, v)) in rest.enumerate() {
            *v += (to - *x) * rate;
            *x = *to;
            moves.see(i % 3, (to - kept).abs(), *v);
        }
        moves
    }
}
