//! Energy that an integrator adds in a run.
//!
//! A scene without drivers, inputs, penalty contact or a constraint solver conserves energy or
//! loses it, so its total energy alone shows a gain. All other scenes need an energy account in the
//! simulation, which costs more: drivers add energy physically, a constraint solver leaves elastic
//! energy in links, and dampers and friction hide energy that contact springs add.

use crate::contact::Collider;
use crate::measure::{EnergyAccount, Explosion, KeptGain, MOST_MADE};
use crate::model::Role;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;

/// Event that ends a run early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// The simulation exploded.
    Exploded(Explosion),
    /// The integrator added too much energy.
    GainedEnergy {
        /// Time in seconds at which the gain first became too large.
        t: f64,
        /// Added energy, as a fraction of the largest kinetic and elastic energy that the scene can
        /// have.
        times: f64,
    },
}

impl Ending {
    /// Returns the time of the event in seconds.
    pub fn t(&self) -> f64 {
        match self {
            Self::Exploded(explosion) => explosion.t,
            Self::GainedEnergy { t, .. } => *t,
        }
    }

    /// Returns the explosion; `None` if the run gained energy instead.
    pub fn explosion(&self) -> Option<Explosion> {
        match self {
            Self::Exploded(explosion) => Some(*explosion),
            Self::GainedEnergy { .. } => None,
        }
    }
}

/// Largest energy that counts as a rounding error, as a fraction of the total energy.
const ROUNDING: f64 = 1e-6;
/// Number of steps between two readings of the energy. After a reading with too much energy, the
/// energy is read after every step.
const STEPS_BETWEEN_READINGS: u64 = 8;

/// Observer of a run's energy, step by step.
pub(in crate::analysis) struct EnergyWatch {
    /// Total energy at the start in joules; `None` if the energy account is used.
    start: Option<f64>,
    /// Largest kinetic + elastic energy in joules that conservation of energy has allowed so far:
    /// the total energy at the start minus the potential energy.
    largest_energy: f64,
    /// Time in seconds at which the observation began.
    begin: f64,
    steps: u64,
    kept: KeptGain,
}

impl EnergyWatch {
    /// Creates the observer at the current state of a simulation, and starts the energy account if
    /// the observer needs it. `is_left_alone` is false if inputs act on the scene. It is also false
    /// if the verdict must equal that of a lane (one simulation of the scene) in a session, which
    /// also counts energy that dampers remove immediately. In both cases the observer uses the
    /// account.
    pub fn of(simulation: &mut Simulation, is_left_alone: bool) -> Self {
        let energy = simulation.energy();
        // Contact turns energy into heat. A later gain might not exceed the energy at the start.
        let has_contact = simulation.has_contact();
        // Energy that sweeps leave in links makes a lane soft, but is not a gain. Only the energy
        // account separates the two.
        let projects = !simulation.settings().solver().is_none();
        let needs_energy_account =
            has_contact || projects || !is_left_alone || is_driven(simulation);
        if needs_energy_account {
            simulation.start_energy_account();
        }
        let start = (!needs_energy_account).then(|| energy.total());
        let largest_energy = energy.kinetic + energy.elastic;
        let begin = simulation.state().t;
        Self { start, largest_energy, begin, steps: 0, kept: KeptGain::default() }
    }

    /// True if the observer reads only the total energy, in which dampers may hide a gain.
    pub fn reads_total_energy(&self) -> bool {
        self.start.is_some()
    }

    /// Returns the energy that the integrator has added so far, as a fraction of the greatest
    /// kinetic + elastic energy of the motion.
    pub fn made(&self, simulation: &Simulation) -> f64 {
        match (self.start, simulation.energy_account()) {
            (Some(start), _) => (simulation.energy().total() - start) / self.largest_energy,
            (None, Some(account)) => account.energy_made_fraction(),
            (None, None) => 0.0,
        }
    }

    /// True if the newest reading of the energy was too high. The excess may be temporary.
    pub fn is_above(&self) -> bool {
        self.kept.is_above()
    }

    /// Returns the explosion or energy gain of the newest step; `None` without one. Must be called
    /// after every step.
    pub fn ending(&mut self, simulation: &mut Simulation) -> Option<Ending> {
        if let Some(explosion) = simulation.explosion() {
            return Some(Ending::Exploded(explosion));
        }
        self.steps += 1;
        let Some(start) = self.start else {
            simulation.add_to_energy_account();
            let gain = simulation.energy_account().and_then(EnergyAccount::energy_gain)?;
            return Some(Ending::GainedEnergy { t: gain.t, times: gain.fraction });
        };
        if !self.kept.is_above() && !self.steps.is_multiple_of(STEPS_BETWEEN_READINGS) {
            return None;
        }
        let energy = simulation.energy();
        self.largest_energy = self.largest_energy.max(start - energy.potential);
        let made = energy.total() - start;
        // In a scene at rest, a rounding error must not count as a gain.
        let rounding = ROUNDING * (start.abs() + energy.potential.abs());
        let most = rounding.max(MOST_MADE * self.largest_energy);
        self.kept.observe(made, most, [self.begin, simulation.state().t], true);
        let KeptGain { since, joules, .. } = self.kept;
        Some(Ending::GainedEnergy { t: since?, times: joules / self.largest_energy })
    }
}

/// True if a force, a moving pin, a moving collider, or a throw adds energy to the scene.
pub(in crate::analysis) fn is_driven(simulation: &Simulation) -> bool {
    let (model, state) = (simulation.model(), simulation.state());
    let mut laws = model.laws_without_potential(state);
    laws.any(|(_, role, _)| matches!(role, Role::Driver))
        || model.pins().iter().any(|pin| pin.path != Trajectory::Still)
        || !simulation.parts().contact.colliders.iter().all(is_still)
        || !simulation.parts().throws.is_empty()
}

fn is_still(collider: &Collider) -> bool {
    collider.stays() && collider.has_still_surface()
}
