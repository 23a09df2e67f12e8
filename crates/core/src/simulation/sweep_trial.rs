//! Trial of a number of sweeps: the residual of the constraints after these sweeps in the next
//! substep, computed on a copy.

use super::hand_state::pin_targets;
use super::running_scene::Simulation;
use glam::DVec3;
use ropelab_mechanics::constraint::{ConstraintSolver, Constraints, Particles};
use ropelab_mechanics::numerics::system::System;

/// Copy of a simulation's next substep before its sweeps. The free motion is computed by symplectic
/// Euler.
#[derive(Clone, Debug)]
pub struct SweepTrial {
    solver: ConstraintSolver,
    constraints: Constraints,
    w: Vec<f64>,
    start: Vec<DVec3>,
    free: Vec<DVec3>,
    x: Vec<DVec3>,
    h: f64,
}

impl Simulation {
    /// Returns a trial that starts from the newest state; `None` if no link is a constraint.
    pub fn sweep_trial(&self) -> Option<SweepTrial> {
        let solver = self.settings.solver();
        if solver.is_none() || self.constraints.is_empty() {
            return None;
        }
        let h = self.settings.dt / f64::from(self.settings.substeps);
        let (state, model) = (&self.run.state, &self.model);
        let mut free = vec![DVec3::ZERO; state.len()];
        model.accelerations(state.t, &state.x, &state.v, &mut free);
        for (a, (x, v)) in free.iter_mut().zip(state.x.iter().zip(&state.v)) {
            *a = *x + h * (*v + h * *a);
        }
        for (particle, end) in pin_targets(model, &self.run.hand, state.t + h) {
            free[particle as usize] = end;
        }
        Some(SweepTrial {
            solver,
            constraints: self.constraints.clone(),
            w: model.inverse_masses().to_vec(),
            start: state.x.clone(),
            x: free.clone(),
            free,
            h,
        })
    }
}

impl SweepTrial {
    /// Returns the residual of the worst link after this number of sweeps, as a fraction of its
    /// rest length.
    pub fn residual(&mut self, sweeps: u32) -> f64 {
        self.x.clone_from(&self.free);
        self.solver.set_iterations(sweeps);
        let Self { solver, constraints, w, start, x, h, .. } = self;
        solver.project_and_measure(constraints, &mut Particles::new(w, start, x, *h)).residual
    }

    /// Returns the solver with the parameters that follow from the simulation's settings.
    pub fn solver(&self) -> &ConstraintSolver {
        &self.solver
    }

    /// Returns the data from which the sweeps start: inverse masses in 1/kg, positions in metres,
    /// and the length of the substep in seconds.
    pub fn start_of_sweeps(&self) -> (&[f64], &[DVec3], f64) {
        (&self.w, &self.free, self.h)
    }
}
