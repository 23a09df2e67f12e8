//! One step of the particles on both sides of a projection, part by part.
//!
//! Where no particle feels another one, a part flies when the sweeps first ask for it and gets its
//! velocity when they let it go: it is read from memory once a step.

use crate::constraint::{Arrived, Passage};
use crate::diagnostics::Moves;
use crate::integrate::Integrator;
use crate::model::{Model, PART};
use crate::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};
use crate::state::{MOST_HISTORY, State, Workspace};
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
    /// History columns of the scheme.
    pub history: usize,
    /// What the scheme remembers of time.
    pub work: &'a Workspace,
    /// Time at the beginning, in seconds.
    pub t: f64,
    /// Length in seconds.
    pub h: f64,
    /// Where the pinned particles end, ascending.
    pub pins: &'a [(u32, DVec3)],
    /// Whether particles fly from the columns that are kept, instead of from where they are.
    pub from_kept: bool,
}

/// Everything that is known of some particles, one entry each.
pub struct Columns<'a> {
    /// Positions in metres.
    pub x: &'a mut [DVec3],
    /// Velocities in m/s.
    pub v: &'a mut [DVec3],
    /// Positions at the start of the step that is kept.
    pub kept_x: &'a [DVec3],
    /// Velocities at the start of the step that is kept.
    pub kept_v: &'a [DVec3],
    /// Positions at the start of a later substep; empty in the first.
    pub start: &'a mut [DVec3],
    /// What the scheme remembers; empty beyond its columns.
    pub history: [&'a mut [DVec3]; MOST_HISTORY],
}

impl Columns<'_> {
    fn split_at(&mut self, at: usize) -> [Columns<'_>; 2] {
        let (x, x_2) = self.x.split_at_mut(at);
        let (v, v_2) = self.v.split_at_mut(at);
        let (kept_x, kept_x_2) = self.kept_x.split_at(at);
        let (kept_v, kept_v_2) = self.kept_v.split_at(at);
        let (start, start_2) = self.start.split_at_mut(at.min(self.start.len()));
        let [(h, h_2), (i, i_2)] = self.history.each_mut().map(|h| h.split_at_mut(at.min(h.len())));
        [
            Columns { x, v, kept_x, kept_v, start, history: [h, i] },
            Columns {
                x: x_2,
                v: v_2,
                kept_x: kept_x_2,
                kept_v: kept_v_2,
                start: start_2,
                history: [h_2, i_2],
            },
        ]
    }
}

/// A part in flight.
#[derive(Clone, Debug, Default)]
pub struct Craft {
    state: State,
    work: Workspace,
}

impl Craft {
    /// What its last part remembers.
    pub fn work(&self) -> &Workspace {
        &self.work
    }
}

/// Some particles in one step.
pub struct Flight<'a> {
    leg: Leg<'a>,
    first: usize,
    columns: Columns<'a>,
    /// The particles before this one have flown.
    flown: usize,
    /// One a strip.
    crafts: &'a mut [Craft],
    /// How far those went that have left.
    pub moves: Moves,
}

impl<'a> Flight<'a> {
    /// All particles, before they fly.
    pub fn new(leg: Leg<'a>, columns: Columns<'a>, crafts: &'a mut [Craft]) -> Self {
        Self { leg, first: 0, columns, flown: 0, crafts, moves: Moves::default() }
    }

    /// All particles, which have flown together.
    pub fn landed(leg: Leg<'a>, columns: Columns<'a>) -> Self {
        let flown = columns.x.len();
        Self { leg, first: 0, columns, flown, crafts: &mut [], moves: Moves::default() }
    }

    fn at(&self, particles: &Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }

    fn fly(&mut self, particles: Range<usize>) {
        let at = self.at(&particles);
        let Self { leg, columns, crafts, .. } = self;
        let Craft { state, work } = &mut crafts[0];
        let Columns { x, v, kept_x, kept_v, start, history } = columns;
        let (x, v) = (&mut x[at.clone()], &mut v[at.clone()]);
        let (from_x, from_v) =
            if leg.from_kept { (&kept_x[at.clone()], &kept_v[at.clone()]) } else { (&*x, &*v) };
        if !leg.from_kept {
            start[at.clone()].copy_from_slice(from_x);
        }
        state.t = leg.t;
        state.x.clear();
        state.x.extend_from_slice(from_x);
        state.v.clear();
        state.v.extend_from_slice(from_v);
        work.load_part(leg.work, history[..leg.history].iter().map(|column| &column[at.clone()]));
        let from = leg.pins.partition_point(|(pinned, _)| (*pinned as usize) < particles.start);
        let to = leg.pins.partition_point(|(pinned, _)| (*pinned as usize) < particles.end);
        let pins =
            leg.pins[from..to].iter().map(|(i, target)| (*i as usize - particles.start, target));
        for (i, target) in pins.clone() {
            state.v[i] = (*target - state.x[i]) / leg.h;
        }
        leg.scheme.step(&leg.model.part(particles.clone()), state, leg.h, work);
        for (i, target) in pins {
            state.x[i] = *target;
        }
        x.copy_from_slice(&state.x);
        v.copy_from_slice(&state.v);
        let columns = history[..leg.history].iter_mut().map(|column| &mut column[at.clone()]);
        work.store_part(columns);
        self.flown = particles.end;
    }
}

impl Passage for Flight<'_> {
    fn arrive(&mut self, particles: Range<usize>) -> Arrived<'_> {
        while self.flown < particles.end {
            let end = (self.flown + PART).min(self.first + self.columns.x.len());
            self.fly(self.flown..end);
        }
        let at = self.at(&particles);
        let Columns { x, kept_x, start, .. } = &self.columns;
        let start = if start.is_empty() { &kept_x[at.clone()] } else { &start[at.clone()] };
        Arrived { x: &x[at], start }
    }

    fn leave(&mut self, particles: Range<usize>, projected: &[DVec3]) {
        let at = self.at(&particles);
        let Columns { x, v, kept_x, .. } = &mut self.columns;
        let (x, v) = (&mut x[at.clone()], &mut v[at.clone()]);
        self.moves.merge(&land(x, v, projected, &kept_x[at], self.leg.h));
    }

    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Passage, &mut dyn Passage)) {
        let Self { leg, first, columns, flown, crafts, moves } = self;
        let [columns, columns_2] = columns.split_at(at - *first);
        let (crafts, crafts_2) = crafts.split_at_mut(crafts.len() / 2);
        let mut here = Flight {
            leg: *leg,
            first: *first,
            columns,
            flown: (*flown).min(at),
            crafts,
            moves: Moves::default(),
        };
        let mut there = Flight {
            leg: *leg,
            first: at,
            columns: columns_2,
            flown: (*flown).max(at),
            crafts: crafts_2,
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
        let (mut longest, mut probe) = (V::splat(0.0), V::splat(0.0));
        let whole = x.len() / V::LANES * V::LANES;
        let chunks = izip!(
            V::arrays(projected),
            V::arrays(kept),
            V::arrays_mut(&mut x[..whole]),
            V::arrays_mut(&mut v[..whole])
        );
        for (projected, kept, x, v) in chunks {
            let to = V::from_array(projected);
            let landed = V::from_array(v) + (to - V::from_array(x)) * V::splat(rate);
            let way = (to - V::from_array(kept)).abs();
            longest = V::select(way.is_above(longest), way, longest);
            probe = probe + (way + landed);
            (*x, *v) = (to.to_array(), landed.to_array());
        }
        let mut moves = Moves::default();
        for (longest, probe) in longest.as_slice().iter().zip(probe.as_slice()) {
            moves.see(*longest, *probe);
        }
        let rest = izip!(&projected[whole..], &kept[whole..], &mut x[whole..], &mut v[whole..]);
        for (to, kept, x, v) in rest {
            *v += (to - *x) * rate;
            *x = *to;
            moves.see((to - kept).abs(), *v);
        }
        moves
    }
}
