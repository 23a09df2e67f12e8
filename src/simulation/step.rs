//! One step: free flight, constraints, consistent velocities.

use super::Simulation;
use crate::diagnostics::Moves;
use crate::flight::{Columns, Flight, Leg};
use crate::state::{State, Workspace};
use glam::DVec3;

/// What lives within one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Where the pinned particles end, ascending.
    pub(super) pins: Vec<(u32, DVec3)>,
    /// What the last substep began with, if it was not the first.
    pub(super) before: State,
    /// What schemes remember of parts. One a strip that sweeps may cut the particles into: one
    /// more than there are threads.
    parts: Vec<Workspace>,
}

impl Simulation {
    /// One step of `dt` seconds: free flight, constraints, consistent velocity; then looks
    /// whether the simulation has exploded and, if so, keeps the last good state.
    pub fn step(&mut self, dt: f64) {
        self.clock.tick(dt);
        let end = self.clock.now();
        let substeps = self.settings.substeps;
        let h = dt / f64::from(substeps);
        let mut moves = Moves::default();
        for k in 0..substeps {
            let t = if k + 1 == substeps { end } else { end - dt + f64::from(k + 1) * h };
            moves = self.substep(k, t, h);
        }
        self.state.t = end;
        self.find_explosion(moves.longest());
    }

    /// Answers with the moves since the start of the step.
    fn substep(&mut self, number: u32, t_end: f64, h: f64) -> Moves {
        self.place_hand(t_end, h);
        let Self { settings, model, constraints, state, previous, work, scratch, .. } = self;
        let Scratch { pins, before, parts } = scratch;
        // The state before is not copied: the two change places.
        let (kept, from_x, from_v, t) = if number == 0 {
            std::mem::swap(state, previous);
            (&previous.x, &previous.x, &mut previous.v, previous.t)
        } else {
            before.resize(state.len());
            std::mem::swap(state, before);
            (&previous.x, &before.x, &mut before.v, before.t)
        };
        state.t = t_end;
        let n = state.len();
        let State { x, v, .. } = state;
        let scheme = settings.integrator.scheme();
        let in_parts = scheme.pointwise().filter(|_| model.is_local() && !constraints.is_empty());
        let history = in_parts.unwrap_or(0);
        let remembered = work.without_columns();
        let leg = Leg { model, scheme, work: &remembered, history, t, h, pins };
        let mut columns = Columns { x, v, from_x, from_v, kept, history: Default::default() };
        let mut flight = if in_parts.is_some() {
            parts.resize_with(rayon::current_num_threads() + 1, Workspace::default);
            columns.history = work.history(history, n);
            Flight::in_parts(leg, columns, parts)
        } else {
            Flight::together(leg, columns, work)
        };
        if constraints.is_empty() {
            return Moves::of(&previous.x, &state.x, &state.v);
        }
        let solver = settings.solver();
        self.sweeps = solver.sweep(constraints, model.inverse_masses(), &mut flight, h);
        let moves = flight.moves;
        if in_parts.is_some() {
            work.follow(&parts[0]);
        }
        moves
    }
}
