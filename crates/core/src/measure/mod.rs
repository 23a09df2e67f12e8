//! Measurements of a state: energy, stretch, tension, and the verdict on a simulation.

mod energy_account;
mod energy_balance;
mod kept_gain;
mod linking_number;
mod motion_record;
mod phases;
mod sample_record;
mod swing;
mod tension;
mod verdict;

pub use energy_account::EnergyAccount;
pub use energy_balance::{Balance, Extreme};
pub use kept_gain::KeptGain;
pub use linking_number::linking_number;
pub use motion_record::{Moment, MotionRecord, Thinning};
pub use phases::Phases;
pub use swing::Swing;
pub use tension::Tensions;
pub use verdict::{
    EnergyGain, Explosion, LeftBySweeps, LongLink, MOST_MADE, Overstretch, Softness, StopCause,
    TooCompliant, Unconverged, Verdict,
};

pub(crate) use energy_account::{AccountedSimulation, StepWork};
pub(crate) use sample_record::SampleRecord;
pub(crate) use tension::{LastStep, link_forces};

use crate::mesh::Links;
use crate::mesh::link_sums::{LinkSum, strain, sum_over_links};
use crate::model::Energy;
use crate::numerics::displacement::FURTHEST;
use crate::numerics::state::State;
use glam::DVec3;
use serde::Serialize;

/// Returns the momentum Σ m v in kg·m/s.
pub fn momentum(masses: &[f64], v: &[DVec3]) -> DVec3 {
    masses.iter().zip(v).map(|(m, v)| *v * *m).sum()
}

/// Returns the angular momentum Σ m x × v about the origin in kg·m²/s.
pub fn angular_momentum(masses: &[f64], State { x, v, .. }: &State) -> DVec3 {
    masses.iter().zip(x).zip(v).map(|((m, x), v)| x.cross(*v) * *m).sum()
}

/// Energy drift: (E − E₀) divided by the largest kinetic + elastic energy so far. This scale does
/// not depend on the zero of the potential.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    start: Option<f64>,
    in_play: f64,
    now: f64,
}

impl Drift {
    /// Records the energy of the next state.
    pub fn observe(&mut self, energy: &Energy) {
        let start = *self.start.get_or_insert(energy.total());
        self.in_play = self.in_play.max(energy.kinetic + energy.elastic);
        self.now = energy.total() - start;
    }

    /// Returns E − E₀ in joules.
    pub fn joules(&self) -> f64 {
        self.now
    }

    /// Returns the drift as a fraction; 0 before anything moved.
    pub fn fraction(&self) -> f64 {
        if self.in_play > 0.0 { self.now / self.in_play } else { 0.0 }
    }
}

/// Strain of links: length over rest length − 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stretch {
    /// Strain of the longest link; 0 if none is stretched.
    pub max: f64,
    /// Strain of the shortest link, below 0; 0 if none is too short.
    pub min: f64,
    /// Mean strain of all links that are not cut.
    pub mean: f64,
}

/// Returns the largest, smallest and mean strain of links, without the `cut` links that are cut.
pub fn stretch(links: &Links, cut: usize, x: &[DVec3]) -> Stretch {
    let all = (0..links.len()).map(|i| links.at(i));
    let LinkSum { sum, greatest, least } = sum_over_links(all, x, strain);
    Stretch { max: greatest, min: least, mean: sum / (links.len() - cut).max(1) as f64 }
}

/// Finds the first particle with a position or velocity that is not finite, or beyond [`FURTHEST`].
pub fn first_non_finite(x: &[DVec3], v: &[DVec3]) -> Option<u32> {
    let is_near = |p: &DVec3| p.is_finite() && p.abs().max_element() <= FURTHEST;
    x.iter().zip(v).position(|(x, v)| !(is_near(x) && is_near(v))).map(|i| i as u32)
}

/// Measurements of a simulation, taken once a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// Wall-clock time × speed since the start of the scene, in seconds: the time axis that
    /// simulations of the same scene share.
    pub wall: f64,
    /// Simulated time in seconds.
    pub t: f64,
    /// Length of the frame in seconds.
    pub frame: f64,
    /// Steps taken in the frame.
    pub steps: u32,
    /// Position of the drawn picture between the previous state (0) and the newest state (1).
    pub blend: f64,
    /// Time that is owed to the next frame, in seconds.
    pub owed: f64,
    /// Time dropped since the start of the scene, in seconds; negative = gained.
    pub dropped: f64,
    /// Energies. In a large scene, energy, drift, made energy and stretch are measured only every
    /// few frames.
    pub energy: Energy,
    /// Energy drift as a fraction, see [`Drift`].
    pub drift: f64,
    /// Energy that integrator and solver have made since the energy account started, in joules; 0
    /// without an account.
    pub made: f64,
    /// Strains of links.
    pub stretch: Stretch,
}
