use super::stretch::Stretch;
use crate::model::Energy;
use serde::Serialize;

/// Measurements of a simulation, taken once a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// Wall-clock time × speed since the start of the scene, in seconds. This is the time axis that
    /// all simulations of the scene share.
    pub wall: f64,
    /// Simulated time in seconds.
    pub t: f64,
    /// Length of the frame in seconds.
    pub frame: f64,
    /// Steps taken in the frame.
    pub steps: u32,
    /// Time of the drawn state between the previous state (0) and the newest state (1).
    pub blend: f64,
    /// Time that is owed to the next frame, in seconds.
    pub owed: f64,
    /// Time dropped since the start of the scene, in seconds; negative = gained.
    pub dropped: f64,
    /// Energies. In a large scene, `energy`, `drift`, `made` and `stretch` are measured only every
    /// few frames.
    pub energy: Energy,
    /// Energy drift as a fraction, see [`Drift`](super::Drift).
    pub drift: f64,
    /// Energy in joules that integrator and solver have made since the energy account started; 0
    /// without an account.
    pub made: f64,
    /// Strains of links.
    pub stretch: Stretch,
}
