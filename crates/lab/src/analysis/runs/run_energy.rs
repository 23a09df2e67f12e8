//! Energy that an integrator adds, observed in many runs. The ledger of energy (books) is kept if
//! something drives the scene, if contact is by penalty springs, or if a solver holds links. In all
//! other runs the energies alone suffice, which costs less. With contact, the total energy alone
//! would not show what contact springs add, because dampers and friction remove energy at the same
//! time.

use crate::contact::Collider;
use crate::measure::{EnergyBooks, Explosion, KeptGain, MOST_MADE};
use crate::model::Role;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;

/// Event by which a run went bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// The simulation exploded.
    Exploded(Explosion),
    /// The integrator added too much energy.
    GainedEnergy {
        /// Time from which on energy was gained, in seconds.
        t: f64,
        /// Added energy, as a fraction of the largest possible energy.
        times: f64,
    },
}

impl Ending {
    /// Returns the time at which the run went bad, in seconds.
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

/// Upper limit of the energy that counts as rounding, as a fraction of the total energy.
const ROUNDING: f64 = 1e-6;
/// Steps between two readings of the energy, unless the last one was too high.
const EVERY: u64 = 8;

/// Watch on the energy of a run, step by step.
pub(in crate::analysis) struct EnergyWatch {
    /// Total energy at the start in joules; `None` if the ledger is kept.
    start: Option<f64>,
    /// Largest possible kinetic + elastic energy, start − potential, in joules.
    in_play: f64,
    steps: u64,
    kept: KeptGain,
}

impl EnergyWatch {
    /// Starts the watch at the state of a simulation. `is_left_alone` is false if inputs act on the
    /// scene; the ledger of energy is needed then.
    pub fn of(simulation: &Simulation, is_left_alone: bool) -> Self {
        let energy = simulation.energy();
        let pushes = simulation.model().penalty_force().is_some();
        // The ledger separates the energy that sweeps leave in links from the gain, because it is
        // softness.
        let projects = !simulation.settings().solver().is_none();
        let needs_books = pushes || projects || !is_left_alone || is_driven(simulation);
        let start = (!needs_books).then(|| energy.total());
        let in_play = energy.kinetic + energy.elastic;
        Self { start, in_play, steps: 0, kept: KeptGain::default() }
    }

    /// Returns the energy that the integrator has added so far, as a fraction of the largest
    /// possible energy.
    pub fn made(&self, simulation: &Simulation) -> f64 {
        match (self.start, simulation.books()) {
            (Some(start), _) => (simulation.energy().total() - start) / self.in_play,
            (None, Some(books)) => books.energy_made_fraction(),
            (None, None) => 0.0,
        }
    }

    /// True if the energy of the newest reading was too high, whether it is kept or returned.
    pub fn is_above(&self) -> bool {
        self.kept.is_above()
    }

    /// Returns the way in which the newest step made the run go bad; `None` if it did not.
    pub fn ending(&mut self, simulation: &mut Simulation) -> Option<Ending> {
        if let Some(explosion) = simulation.explosion() {
            return Some(Ending::Exploded(explosion));
        }
        self.steps += 1;
        let Some(start) = self.start else {
            if simulation.books().is_none() {
                simulation.open_books();
                return None;
            }
            simulation.enter_in_books();
            let gain = simulation.books().and_then(EnergyBooks::energy_gain)?;
            return Some(Ending::GainedEnergy { t: gain.t, times: gain.fraction });
        };
        if !self.kept.is_above() && !self.steps.is_multiple_of(EVERY) {
            return None;
        }
        let energy = simulation.energy();
        self.in_play = self.in_play.max(start - energy.potential);
        let made = energy.total() - start;
        // A remainder by rounding in a scene at rest is no gain.
        let rounding = ROUNDING * (start.abs() + energy.potential.abs());
        let most = rounding.max(MOST_MADE * self.in_play);
        self.kept.observe(made, most, simulation.state().t, true);
        let KeptGain { since, joules, .. } = self.kept;
        Some(Ending::GainedEnergy { t: since?, times: joules / self.in_play })
    }
}

/// True if a force, a moving pin or collider, or a throw adds energy to the scene.
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
