//! Changes of the solver that may help: another solver for the links, or limits of length in
//! addition to the lane's solver.

use super::changes::Changes;
use super::symptoms::in_fixed_steps;
use crate::analysis::advise::is_rope_or_tree;
use crate::analysis::in_words::step_in_words;
use crate::constraint::{ConstraintSolver, Direct, Rattle, Shake, SoftStep, Vbd, Xpbd};
use crate::integrate::Method;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::Guard;

/// Number of substeps that are tried for XPBD with one sweep each.
const MANY_SUBSTEPS: u32 = 20;
/// Numbers of substeps that are tried for Soft Step with the links' own stiffness, in increasing
/// order. The first is the default of engines.
const SOFT_SUBSTEPS: [u32; 4] = [4, 10, 25, 50];
/// Numbers of sweeps that are tried for VBD, in increasing order.
const BLOCK_SWEEPS: [u32; 3] = [5, 20, 100];
/// Tether length that is tried: the longest distance to a pin, as a fraction of the path along the
/// links at rest. The value is that of engines.
const TETHERS: f64 = 1.01;
/// Strain limit that is tried, below the threshold at which links count as soft.
const STRAIN: f64 = 0.02;
/// Upper limit of the number of links for trying SHAKE and RATTLE. In a large cloth they need
/// thousands of sweeps to meet their tolerance.
const MOST_SHAKEN: usize = 200;

impl Changes<'_> {
    /// Adds XPBD for all links, unless the lane uses XPBD already.
    pub fn held_links(&mut self) {
        let xpbd = ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() });
        let can_hold =
            self.question.start.parts().mesh.links.iter().any(|link| xpbd.constrains(&link));
        if matches!(self.own.solver(), ConstraintSolver::Xpbd(_)) || !can_hold {
            return;
        }
        let held = Settings {
            links: LinkMode::Constraints,
            constraints: xpbd,
            substeps: MANY_SUBSTEPS,
            integrator: Method::SymplecticEuler,
            ..in_fixed_steps(&self.own, self.question.dt)
        };
        self.add(format!("links under XPBD, {MANY_SUBSTEPS} substeps of one sweep"), held);
    }

    /// Adds the direct solver for ropes and trees: it solves all links at once, with the softness
    /// of their material.
    pub fn direct(&mut self) {
        let is_direct = matches!(self.own.solver(), ConstraintSolver::Direct(_));
        if is_direct || !is_rope_or_tree(self.question.start.parts()) {
            return;
        }
        let constraints = ConstraintSolver::Direct(Direct::default());
        let links = LinkMode::Constraints;
        let settings = Settings { links, constraints, ..self.own };
        self.add("links solved directly", settings);
    }

    /// Adds VBD: implicit Euler of the links, particle by particle, which suits heavy loads on
    /// light ropes. The rungs have increasing numbers of sweeps.
    pub fn vertex_blocks(&mut self) {
        let rungs = BLOCK_SWEEPS.map(|iterations| {
            let constraints = ConstraintSolver::Vbd(Vbd { iterations });
            let links = LinkMode::Constraints;
            let integrator = Method::SymplecticEuler;
            let settings = Settings { integrator, links, constraints, ..self.own };
            self.change(format!("links under VBD, {iterations} sweeps"), settings)
        });
        self.push(rungs);
    }

    /// Adds Soft Step at the stiffness of the links' material, because another frequency would be
    /// another rope. Its warm start keeps the forces of loads from substep to substep.
    pub fn soft_steps(&mut self) {
        let constraints =
            ConstraintSolver::SoftStep(SoftStep { hertz: None, ..SoftStep::default() });
        let own = in_fixed_steps(&self.own, self.question.dt);
        let (links, integrator) = (LinkMode::Constraints, Method::SymplecticEuler);
        let mut tried = SOFT_SUBSTEPS.map(|substeps| substeps.max(own.substeps)).to_vec();
        tried.dedup();
        let rungs = tried.into_iter().map(|substeps| {
            let step = step_in_words(own.dt, substeps);
            let words = format!("Soft Step at own stiffness, {step}");
            self.change(words, Settings { links, constraints, integrator, substeps, ..own })
        });
        self.push(rungs.collect::<Vec<_>>());
    }

    pub fn shake(&mut self) {
        self.rigid_links("SHAKE", ConstraintSolver::Shake(Shake::default()));
    }

    /// Adds RATTLE: SHAKE that also removes velocities along the links.
    pub fn rattle(&mut self) {
        self.rigid_links("RATTLE", ConstraintSolver::Rattle(Rattle::default()));
    }

    /// Adds a solver that holds all links at their lengths, to a tolerance.
    fn rigid_links(&mut self, name: &str, constraints: ConstraintSolver) {
        if self.question.start.parts().mesh.links.len() > MOST_SHAKEN {
            return;
        }
        let (integrator, links) = (Method::VelocityVerlet, LinkMode::Constraints);
        let settings = Settings { integrator, links, constraints, ..self.own };
        self.add(format!("links under {name}"), settings);
    }

    /// Adds tethers and a strain limit, in addition to the lane's solver.
    pub fn limits_of_length(&mut self) {
        if self.question.start.parts().pins.is_empty() {
            return;
        }
        let tethers = Guard::On(TETHERS);
        let words = format!("tethers at {TETHERS} of the distance to the pins");
        self.add(words, Settings { tethers, ..self.own });
        let strain_limit = Guard::On(STRAIN);
        let words = format!("a strain limit of {} %", 100.0 * STRAIN);
        self.add(words, Settings { strain_limit, ..self.own });
    }
}
