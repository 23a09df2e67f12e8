//! Forces in a simulation after its newest step.

use crate::contact::ContactForce;
use crate::measure::{LastStep, Tensions, link_forces};
use crate::simulation::running_scene::Simulation;
use glam::DVec3;
use ropelab_mechanics::numerics::state::State;

impl Simulation {
    /// Returns the tensions of the links after the newest step, in newtons.
    pub fn pulls<'a>(&self, tensions: &'a mut Tensions) -> &'a [f64] {
        let contacts = self.last_contacts().flat_map(ContactForce::forces);
        let bent = self.constraints.bend_forces();
        let tethered = || self.scratch.limits.tether_forces();
        let (state, previous) = (&self.run.state, &self.run.previous);
        let seconds = state.t - previous.t;
        let h = self.multiplier_time(seconds / f64::from(self.settings.substeps));
        let keeps = self.settings.solver().keeps_multipliers() && seconds > 0.0;
        let pull = |number| self.constraints.known_tension(number, h).filter(|_| keeps);
        let (is_limited, is_tethered) =
            (self.scratch.limits.strain_acted, tethered().next().is_some());
        let last = LastStep { v: &previous.v, seconds, pull: &pull, is_limited, is_tethered };
        tensions.compute(self.as_accounted(), state, last, contacts.chain(bent).chain(tethered()))
    }

    /// Returns the time h √c in seconds, by whose square a multiplier is divided to give a force in
    /// newtons. Solvers assume that a force f moves a particle by f h²/m, but the integrator's
    /// projections remove the displacement c a h².
    pub(in crate::simulation) fn multiplier_time(&self, h: f64) -> f64 {
        let rules = self.settings.integrator.as_integrator().rules();
        let age_before = self.run.work.age.saturating_sub(1);
        h * rules.displacement(age_before).projected_fraction.sqrt()
    }

    /// Returns the force in newtons that links, bends and tethers together exert on each particle
    /// in the newest step. The force on a pin is the load that it bears. `pulls` are the link
    /// tensions in newtons, including the forces of the strain limit.
    pub fn forces_of_structure(&self, pulls: &[f64]) -> Vec<DVec3> {
        let State { x, .. } = &self.run.state;
        let mut forces = link_forces(self.model.topology().links(), pulls, x);
        self.model.add_bend_forces(x, &mut forces);
        let tethered = self.scratch.limits.tether_forces();
        for (particle, force) in self.constraints.bend_forces().chain(tethered) {
            forces[particle as usize] += force;
        }
        forces
    }

    /// Yields the forces of tethers and strain limit in the last substep of the newest step:
    /// particle, and force on it in newtons. The force on a pin is the load that it bears.
    pub fn forces_of_limits(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.scratch.limits.forces()
    }

    /// Yields the contacts of the last substep of the newest step, with their forces.
    pub fn last_contacts(&self) -> impl Iterator<Item = ContactForce> {
        let forces = self.has_contact().then(|| self.scratch.contacts.contact_forces());
        forces.into_iter().flatten()
    }

    /// Returns the force and torque of all particles on a collider in the newest step. They are
    /// zero for a collider that does not exist.
    pub fn load_on_collider(&self, number: u32) -> Load {
        let mut load = Load::default();
        for contact in self.last_contacts().filter(|contact| contact.collider == Some(number)) {
            let middle = self.collider_place(number as usize, self.run.state.t);
            load.force -= contact.force;
            load.torque -= (contact.at - middle).cross(contact.force);
        }
        load
    }

    /// Returns the force in newtons of all particles on each collider in the newest step.
    pub fn forces_on_colliders(&self) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.parts().contact.colliders.len()];
        for contact in self.last_contacts() {
            if let Some(force) = contact.collider.and_then(|k| forces.get_mut(k as usize)) {
                *force -= contact.force;
            }
        }
        forces
    }
}

/// Force and torque on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Force in newtons.
    pub force: DVec3,
    /// Torque about the origin of the body, in N·m.
    pub torque: DVec3,
}
