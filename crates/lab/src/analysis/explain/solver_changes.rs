//! Changes of the constraint solver that may help: another solver for the links, or length limits
//! (tethers, strain limit) in addition to the lane's solver.

use super::changes::{Change, ChangeCollector};
use super::symptoms::in_fixed_steps;
use crate::analysis::advise::{can_hold, integrator_of, is_rope_or_tree};
use crate::analysis::in_words::step_in_words;
use crate::constraint::{ConstraintSolver, Defect, RemedyTrial, TrialSubsteps};
use crate::integrate::Method;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::Guard;

/// Length of a tether in the trial, as a multiple of the shortest path along links at rest length
/// to a pin. Physics engines use this value.
const TETHER_LENGTH: f64 = 1.01;
/// Strain limit of the trial, smaller than the strain at which links count as soft.
const STRAIN_LIMIT: f64 = 0.02;

impl ChangeCollector<'_> {
    /// Adds a series of trials for each solver that may help against the defect. Solvers with a
    /// tolerance come last, because they replace the stiffness of the material.
    pub fn add_solvers_against(&mut self, defect: Defect) {
        let parts = self.question.start.parts().clone();
        let mut solvers: Vec<_> = ConstraintSolver::all().collect();
        solvers.sort_by_key(|solver| solver.has_tolerance());
        for solver in solvers {
            let Some(remedy) = solver.remedy_trials() else { continue };
            let is_in_use = self.own.solver().info().name == solver.info().name;
            let fits = remedy.cures.contains(&defect)
                && !(remedy.skips_current_solver && is_in_use)
                && (is_rope_or_tree(&parts) || !remedy.only_trees)
                && parts.mesh.links.len() <= remedy.most_links;
            if fits && remedy.trials.iter().any(|trial| can_hold(&trial.solver, &parts)) {
                let trials = remedy.trials.into_iter().map(|trial| self.solver_change(trial));
                self.add_series(trials.collect::<Vec<_>>());
            }
        }
    }

    /// Returns a change of the solver. If the trial prescribes a number of substeps, the change
    /// also prescribes the step.
    fn solver_change(&self, trial: RemedyTrial) -> Option<Change> {
        let RemedyTrial { mut words, solver, integrator, substeps } = trial;
        let fixed = in_fixed_steps(&self.own, self.question.dt);
        let own = match substeps {
            TrialSubsteps::AsInLane => self.own,
            TrialSubsteps::Exactly(substeps) => Settings { substeps, ..fixed },
            TrialSubsteps::AtLeast(least) => {
                let substeps = least.max(fixed.substeps);
                words = format!("{words}, {}", step_in_words(fixed.dt, substeps));
                Settings { substeps, ..fixed }
            }
        };
        let integrator = integrator.map_or(own.integrator, integrator_of);
        let words = self.with_integrator(words, integrator);
        let (links, constraints) = (LinkMode::Constraints, solver);
        self.change(words, Settings { links, constraints, integrator, ..own })
    }

    /// Appends the title of an integrator to the words if the lane has a different integrator.
    fn with_integrator(&self, words: String, integrator: Method) -> String {
        if self.own.integrator == integrator {
            return words;
        }
        format!("{words}, with {}", integrator.info().title)
    }

    /// Adds tethers and a strain limit, in addition to the lane's solver.
    pub fn add_length_limits(&mut self) {
        if self.question.start.parts().pins.is_empty() {
            return;
        }
        let tethers = Guard::On(TETHER_LENGTH);
        let words = format!("tethers at {TETHER_LENGTH} of the distance to the pins");
        self.add_settings(words, Settings { tethers, ..self.own });
        let strain_limit = Guard::On(STRAIN_LIMIT);
        let words = format!("a strain limit of {} %", 100.0 * STRAIN_LIMIT);
        self.add_settings(words, Settings { strain_limit, ..self.own });
    }
}
