//! One step: free flight, constraints, consistent velocities.

use super::Simulation;
use crate::diagnostics::Moves;
use crate::flight::{Columns, Craft, Flight, Leg};
use crate::integrate::Integrator;
use crate::model::Model;
use crate::state::{State, Workspace};
use glam::DVec3;

/// What lives within one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Where the pinned particles end, ascending.
    pub(super) pins: Vec<(u32, DVec3)>,
    /// Positions at the start of a later substep.
    pub(super) start: Vec<DVec3>,
    /// One a strip that sweeps may cut the particles into: one more than there are threads.
    crafts: Vec<Craft>,
}

impl Scratch {
    /// All particles fly together, after the state has been kept in `previous` or, in a later
    /// substep, its positions in `start`.
    fn fly(
        &mut self,
        model: &Model,
        scheme: &dyn Integrator,
        previous: Option<&mut State>,
        state: &mut State,
        h: f64,
        work: &mut Workspace,
    ) {
        match previous {
            Some(previous) => previous.copy_from(state),
            None => self.start.clone_from(&state.x),
        }
        for (i, target) in &self.pins {
            let i = *i as usize;
            state.v[i] = (*target - state.x[i]) / h;
        }
        scheme.step(model, state, h, work);
        for (i, target) in &self.pins {
            state.x[*i as usize] = *target;
        }
    }
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
        let scheme = settings.integrator.scheme();
        let history = scheme.pointwise().filter(|_| model.is_local() && !constraints.is_empty());
        let (t, n, is_first) = (state.t, state.len(), number == 0);
        match history {
            None => scratch.fly(model, scheme, is_first.then_some(&mut *previous), state, h, work),
            Some(_) if is_first => std::mem::swap(state, previous),
            Some(_) => scratch.start.resize(n, DVec3::ZERO),
        }
        state.t = t_end;
        if constraints.is_empty() {
            return Moves::of(&previous.x, &state.x, &state.v);
        }
        scratch.crafts.resize_with(rayon::current_num_threads() + 1, Craft::default);
        let leg = Leg {
            model,
            scheme,
            history: history.unwrap_or(0),
            work: &work.without_columns(),
            t,
            h,
            pins: &scratch.pins,
            from_kept: is_first,
        };
        let columns = Columns {
            x: &mut state.x,
            v: &mut state.v,
            kept_x: &previous.x,
            kept_v: &previous.v,
            start: if is_first { &mut [] } else { &mut scratch.start },
            history: work.history(leg.history, n),
        };
        let mut flight = match history {
            Some(_) => Flight::new(leg, columns, &mut scratch.crafts),
            None => Flight::landed(leg, columns),
        };
        let solver = settings.solver();
        self.sweeps = solver.sweep(constraints, model.inverse_masses(), &mut flight, h);
        let moves = flight.moves;
        if history.is_some() {
            work.follow(scratch.crafts[0].work());
        }
        moves
    }
}
