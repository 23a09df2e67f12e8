//! Replacement of a running simulation's scene by a scene with other parameters, e.g. another
//! stiffness.

use crate::measure::Drift;
use crate::model::{Parts, PinnedParticle, Thrown};
use crate::simulation::blow_up::BlowUpDetector;
use crate::simulation::running_scene::{Simulation, constraints_of, model_of};
use crate::simulation::scratch::Scratch;
use crate::simulation::snapshot::cut_links;
use std::sync::Arc;

impl Simulation {
    /// Replaces the parts of the scene. If the new parts have the same numbers of particles, links,
    /// balls, colliders and throws, only the memories of integrator and solver restart; state,
    /// time, pins, cuts, thrown balls and hand (the user's mouse) continue. Otherwise the
    /// simulation restarts and the result is false.
    pub fn replace_parts(&mut self, parts: Arc<Parts>) -> bool {
        if !self.has_same_counts(&parts) {
            self.model = model_of(parts, &self.settings);
            self.reset();
            return false;
        }
        self.run.work.restart();
        self.run.reaction.clear();
        self.run.contact_reaction.clear();
        self.run.link_forces.clear();
        let (cut, thrown) = (cut_links(&self.model), self.model.thrown().clone());
        let pins = self.model.pins().to_vec();
        self.rebuild(parts, &cut, &thrown, &pins);
        true
    }

    /// Builds model and constraints from new parts around the present state, with the given cuts,
    /// thrown balls and pins. The hand's spring and wind continue. Energy drift and energy account
    /// restart.
    pub(super) fn rebuild(
        &mut self,
        parts: Arc<Parts>,
        cut: &[u32],
        thrown: &Thrown,
        pins: &[PinnedParticle],
    ) {
        let grab = self.model.grab;
        self.model = model_of(parts, &self.settings);
        self.constraints = constraints_of(&self.model, &self.settings);
        if cut_links(&self.model) != cut {
            self.cut_model(cut);
        }
        self.model.set_thrown(thrown);
        self.model.set_pins(pins);
        self.renew_bends();
        self.model.grab = grab;
        self.model.blow = self.run.blow;
        self.model.shift_colliders(&self.run.shifts);
        self.scratch = Scratch::default();
        self.blow_up_detector = BlowUpDetector::default();
        // New masses and stiffnesses change the energy of a state.
        self.run.drift = Drift::default();
        let energy = self.energy();
        self.run.drift.observe(&energy);
        self.take_energy_as_start();
        self.restart_energy_account();
    }

    /// True if the new parts have the same numbers of particles, links, balls, colliders and
    /// throws.
    fn has_same_counts(&self, parts: &Parts) -> bool {
        let own = self.parts();
        let counts = |parts: &Parts| {
            let (mesh, contact) = (&parts.mesh, &parts.contact);
            let bodies = [contact.balls.len(), contact.colliders.len(), parts.throws.len()];
            ([mesh.positions.len(), mesh.links.len()], bodies)
        };
        counts(own) == counts(parts)
    }
}
