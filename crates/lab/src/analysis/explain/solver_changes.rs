//! Changes of the constraint solver that may help: another solver for the links, or length limits
//! (tethers, strain limit) in addition to the lane's solver.

use super::changes::ChangeCollector;
use super::symptoms::in_fixed_steps;
use crate::analysis::advise::is_rope_or_tree;
use crate::analysis::in_words::step_in_words;
use crate::constraint::{ConstraintSolver, Direct, Rattle, Shake, SoftStep, Vbd, Xpbd};
use crate::integrate::Method;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::Guard;

/// Number of substeps for the trial of XPBD with one sweep per substep.
const XPBD_SUBSTEPS: u32 = 20;
/// Numbers of substeps for the trials of Soft Step with the links' own stiffness, in increasing
/// order. The first number is the default of physics engines.
const SOFT_SUBSTEPS: [u32; 4] = [4, 10, 25, 50];
/// Numbers of sweeps for the trials of VBD, in increasing order.
const VBD_SWEEPS: [u32; 3] = [5, 20, 100];
/// Tether length for the trial, as a fraction of the shortest path along links at rest to a pin.
/// Physics engines use this value.
const TETHER_LENGTH: f64 = 1.01;
/// Strain limit for the trial, below the strain at which links count as soft.
const STRAIN_LIMIT: f64 = 0.02;
/// Upper limit of the number of links for a trial of SHAKE and RATTLE. In a large cloth, both need
/// thousands of sweeps to reach their tolerance.
const MOST_RIGID_LINKS: usize = 200;

impl ChangeCollector<'_> {
    /// True if the scene has links that the solver takes.
    fn can_hold(&self, solver: ConstraintSolver) -> bool {
        self.question.start.parts().mesh.links.iter().any(|link| solver.constrains(&link))
    }

    /// Adds XPBD for all links, unless the lane already uses XPBD.
    pub fn add_xpbd(&mut self) {
        let xpbd = ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() });
        if matches!(self.own.solver(), ConstraintSolver::Xpbd(_)) || !self.can_hold(xpbd) {
            return;
        }
        let held = Settings {
            links: LinkMode::Constraints,
            constraints: xpbd,
            substeps: XPBD_SUBSTEPS,
            integrator: Method::SymplecticEuler,
            ..in_fixed_steps(&self.own, self.question.dt)
        };
        let words = format!("links under XPBD, {XPBD_SUBSTEPS} substeps of one sweep");
        self.add_settings(self.with_integrator(words, held.integrator), held);
    }

    /// Adds the direct solver for ropes and trees: it solves all links at once, with the softness
    /// of their material.
    pub fn add_direct_solver(&mut self) {
        let is_direct = matches!(self.own.solver(), ConstraintSolver::Direct(_));
        if is_direct || !is_rope_or_tree(self.question.start.parts()) {
            return;
        }
        let constraints = ConstraintSolver::Direct(Direct::default());
        let links = LinkMode::Constraints;
        let settings = Settings { links, constraints, ..self.own };
        self.add_settings("links solved directly", settings);
    }

    /// Adds VBD with increasing numbers of sweeps. VBD solves implicit Euler particle by particle,
    /// which suits heavy loads on light ropes.
    pub fn add_vbd(&mut self) {
        let has_bends = !self.question.start.parts().mesh.bends.is_empty();
        if !has_bends && !self.can_hold(ConstraintSolver::Vbd(Vbd::default())) {
            return;
        }
        let changes = VBD_SWEEPS.map(|iterations| {
            let constraints = ConstraintSolver::Vbd(Vbd { iterations });
            let links = LinkMode::Constraints;
            let integrator = Method::SymplecticEuler;
            let settings = Settings { integrator, links, constraints, ..self.own };
            let words = format!("links under VBD, {iterations} sweeps");
            self.change(self.with_integrator(words, integrator), settings)
        });
        self.add_series(changes);
    }

    /// Adds Soft Step with the stiffness of the links' material, because another frequency would
    /// make another rope. Its warm start keeps the forces of loads from substep to substep.
    pub fn add_soft_step(&mut self) {
        let constraints =
            ConstraintSolver::SoftStep(SoftStep { hertz: None, ..SoftStep::default() });
        if !self.can_hold(constraints) {
            return;
        }
        let own = in_fixed_steps(&self.own, self.question.dt);
        let (links, integrator) = (LinkMode::Constraints, Method::SymplecticEuler);
        let mut tried = SOFT_SUBSTEPS.map(|substeps| substeps.max(own.substeps)).to_vec();
        tried.dedup();
        let changes = tried.into_iter().map(|substeps| {
            let step = step_in_words(own.dt, substeps);
            let words = format!("Soft Step, own stiffness, {step}");
            let words = self.with_integrator(words, integrator);
            self.change(words, Settings { links, constraints, integrator, substeps, ..own })
        });
        self.add_series(changes.collect::<Vec<_>>());
    }

    pub fn add_shake(&mut self) {
        self.add_rigid_links("SHAKE", ConstraintSolver::Shake(Shake::default()));
    }

    /// Adds RATTLE: SHAKE that also removes velocities along the links.
    pub fn add_rattle(&mut self) {
        self.add_rigid_links("RATTLE", ConstraintSolver::Rattle(Rattle::default()));
    }

    /// Adds a solver that holds all links at their rest length, to a tolerance.
    fn add_rigid_links(&mut self, name: &str, constraints: ConstraintSolver) {
        let is_large = self.question.start.parts().mesh.links.len() > MOST_RIGID_LINKS;
        if is_large || !self.can_hold(constraints) {
            return;
        }
        let (integrator, links) = (Method::VelocityVerlet, LinkMode::Constraints);
        let settings = Settings { integrator, links, constraints, ..self.own };
        let words = self.with_integrator(format!("links under {name}"), integrator);
        self.add_settings(words, settings);
    }

    /// Returns the words with the title of an integrator, if the lane has another one.
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
