//! Number of force evaluations of a run.

use crate::integrate::Method;
use crate::model::Parts;
use crate::numerics::block_matrix::BlockMatrix;
use crate::numerics::state::{State, StateRef, Workspace};
use crate::numerics::system::{ScratchColumns, System};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::cell::Cell;
use std::sync::Arc;

/// System that counts the calls of its functions.
pub(in crate::analysis) struct EvaluationCounter<'a> {
    system: &'a dyn System,
    count: Cell<u64>,
}

impl EvaluationCounter<'_> {
    /// Returns the number of evaluations of force and of its derivative in this many steps from the
    /// start of a scene. For integrators that are implicit or choose inner steps, an extra run
    /// counts them. For all others, the number per step is known.
    pub fn count(parts: &Arc<Parts>, settings: &Settings, steps: u64) -> u64 {
        let info = settings.integrator.info();
        let adapts = info.implicit || matches!(settings.integrator, Method::DormandPrince(_));
        if !adapts {
            return steps * u64::from(settings.substeps) * u64::from(info.evaluations);
        }
        let mut simulation = Simulation::new(parts.clone(), *settings);
        let h = settings.dt / f64::from(settings.substeps);
        let mut work = Workspace::default();
        let mut next = State::default();
        let mut count = 0;
        for _ in 0..steps {
            let now = simulation.state();
            next.resize(now.len());
            let counter = EvaluationCounter { system: simulation.model(), count: Cell::new(0) };
            let scheme = settings.integrator.as_integrator();
            scheme.step(&counter, now.view(), next.view_mut(), h, &mut work);
            // The first substep represents all substeps of the step.
            count += counter.count.get() * u64::from(settings.substeps);
            simulation.step(settings.dt);
            if simulation.explosion().is_some() {
                break;
            }
        }
        count
    }
}

impl System for EvaluationCounter<'_> {
    fn masses(&self) -> &[f64] {
        self.system.masses()
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.count.set(self.count.get() + 1);
        self.system.accelerations(t, x, v, a);
    }

    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]) {
        self.count.set(self.count.get() + 1);
        self.system.acceleration_jvp(at, d, out);
    }

    fn blocks(
        &self,
        at: StateRef,
        factors: [f64; 2],
        scratch: ScratchColumns,
        matrix: &mut BlockMatrix,
    ) -> bool {
        let are_known = self.system.blocks(at, factors, scratch, matrix);
        self.count.set(self.count.get() + u64::from(are_known));
        are_known
    }
}
