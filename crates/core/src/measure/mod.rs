//! Measurements of a state: energy, stretch, tension, and the verdict on a simulation.

mod accounted_simulation;
mod drift;
mod energy_account;
mod energy_balance;
mod kept_gain;
mod linking_number;
mod momentum;
mod motion_record;
mod phases;
mod sample;
mod sample_record;
mod stretch;
mod swing;
mod tension;
mod verdict;

pub use drift::Drift;
pub use energy_account::EnergyAccount;
pub use energy_balance::{Balance, Extreme};
pub use kept_gain::KeptGain;
pub use linking_number::linking_number;
pub use momentum::{angular_momentum, momentum};
pub use motion_record::{Moment, MotionRecord, Thinning};
pub use phases::Phases;
pub use sample::Sample;
pub use stretch::{Stretch, stretch};
pub use swing::Swing;
pub use tension::Tensions;
pub use verdict::{
    EnergyGain, Explosion, LeftBySweeps, LongLink, MOST_MADE, Overstretch, Softness, StopCause,
    TooCompliant, Unconverged, Verdict, first_non_finite,
};

pub(crate) use accounted_simulation::AccountedSimulation;
pub(crate) use energy_account::StepWork;
pub(crate) use sample_record::SampleRecord;
pub(crate) use tension::{LastStep, link_forces};
