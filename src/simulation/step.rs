//! One step: free flight, constraints, consistent velocities.

use super::Simulation;
use super::hand::pin_target;
use crate::flight::{Columns, Course, Flight, Leg, Place, Strip};
use crate::moves::Moves;
use crate::state::{Next, Now, State, Workspace};

/// What lives within one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// One a substep.
    legs: Vec<Leg>,
    /// What the last substep began with, if it was not the first.
    pub(super) before: State,
    /// One a strip that sweeps may cut the particles into: one more than there are threads.
    pub(super) strips: Vec<Strip>,
    /// What a scheme will remember of time after the substeps so far. It has no columns.
    ahead: Workspace,
}

impl Simulation {
    /// One step of `dt` seconds: free flight, constraints, consistent velocity; then looks
    /// whether the simulation has exploded and, if so, keeps the last good state.
    pub fn step(&mut self, dt: f64) {
        self.clock.tick(dt);
        let end = self.clock.now();
        let substeps = self.settings.substeps as usize;
        let h = dt / f64::from(self.settings.substeps);
        self.place_hand(h);
        self.plan_legs(end, dt, h);
        let Self { settings, model, constraints, .. } = self;
        let is_pointwise = settings.integrator.scheme().pointwise().is_some();
        let in_parts = is_pointwise && model.is_local() && !constraints.is_empty();
        let strips = if constraints.is_empty() { 1 } else { rayon::current_num_threads() + 1 };
        self.scratch.strips.resize_with(strips, Strip::default);
        if in_parts {
            self.fly_in_parts(h);
        } else {
            (0..substeps).for_each(|substep| self.fly_together(substep, h));
        }
        self.state.t = end;
        self.find_explosion();
    }

    /// Says when substeps of `h` seconds begin, and where the pinned particles are when they end.
    fn plan_legs(&mut self, end: f64, dt: f64, h: f64) {
        let Self { settings, model, scratch, hand, state, .. } = self;
        let substeps = settings.substeps;
        scratch.legs.resize_with(substeps as usize, Leg::default);
        let mut t = state.t;
        for (leg, number) in scratch.legs.iter_mut().zip(1..) {
            let t_end = if number == substeps { end } else { end - dt + f64::from(number) * h };
            let pins = model.pins().iter().map(|pin| (pin.particle, pin_target(pin, hand, t_end)));
            leg.pins.clear();
            leg.pins.extend(pins);
            leg.pins.sort_unstable_by_key(|(particle, _)| *particle);
            leg.t = t;
            t = t_end;
        }
    }

    /// All substeps, each part on its own.
    fn fly_in_parts(&mut self, h: f64) {
        let Self { settings, model, constraints, state, previous, work, scratch, .. } = self;
        let Scratch { legs, before, strips, ahead } = scratch;
        let scheme = settings.integrator.scheme();
        // What a scheme remembers of time does not depend on particles: a step of none is enough.
        ahead.follow(work);
        for leg in legs.iter_mut() {
            leg.remembered.follow(ahead);
            let (now, next) = (Now { t: leg.t, x: &[], v: &[] }, Next { x: &mut [], v: &mut [] });
            scheme.step(&model.part(0..0), now, next, h, ahead);
        }
        // The state before is not copied: the two change places.
        std::mem::swap(state, previous);
        let n = state.len();
        before.resize(if legs.len() > 1 { n } else { 0 });
        let [State { x, v, .. }, State { x: x_2, v: v_2, .. }] = [state, before];
        let history = scheme.pointwise().unwrap_or(0);
        let columns = Columns {
            from_x: &previous.x,
            from_v: &mut previous.v,
            ends: [Place { x, v }, Place { x: x_2, v: v_2 }],
            kept: &previous.x,
            history: work.history(history, n),
        };
        let course = Course { model, scheme, history, h, legs, fall: model.fall() };
        let mut flight = Flight::in_parts(course, columns, strips);
        let w = model.inverse_masses();
        self.sweeps = settings.solver().sweep(constraints, w, &mut flight, h);
        work.follow(ahead);
    }

    /// One substep of all particles at once.
    fn fly_together(&mut self, substep: usize, h: f64) {
        let Self { settings, model, constraints, state, previous, work, scratch, .. } = self;
        let Scratch { legs, before, strips, .. } = scratch;
        let (kept, from_x, from_v) = if substep == 0 {
            std::mem::swap(state, previous);
            (&previous.x, &previous.x, &mut previous.v)
        } else {
            before.resize(state.len());
            std::mem::swap(state, before);
            (&previous.x, &before.x, &mut before.v)
        };
        let State { x, v, .. } = state;
        let scheme = settings.integrator.scheme();
        let legs = &legs[substep..=substep];
        let course = Course { model, scheme, history: 0, h, legs, fall: None };
        let ends = [Place { x, v }, Place::default()];
        let columns = Columns { from_x, from_v, ends, kept, history: Default::default() };
        let mut flight = Flight::together(course, columns, work, strips);
        if constraints.is_empty() {
            let moves = Moves::of(&previous.x, &state.x, &state.v);
            strips[0].moves.push((0..state.len(), moves));
            return;
        }
        let w = model.inverse_masses();
        self.sweeps = settings.solver().sweep(constraints, w, &mut flight, h);
    }
}
