//! Factors on sweeps or substeps with which the links of a lane become stiff enough.

use crate::simulation::Simulation;

/// Upper limit of the work of a trial, in links × sweeps (about 20 ms).
const MOST_WORK: usize = 1_000_000;
/// Largest factor that is reported.
const MOST_TIMES: f64 = 1000.0;

/// Factors on the sweeps and on the substeps of a lane. Either factor alone is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnoughSweeps {
    /// Factor on the sweeps; `None` if sweeps do not converge, if the factor exceeds 1000, or if
    /// the lane has too many links for a trial.
    pub sweeps: Option<u32>,
    /// Factor on the substeps; at most 1000.
    pub substeps: u32,
}

/// Returns the factors on sweeps or substeps that would reduce the residual of a step from
/// `residual` to `most`, both as fractions of a link's length.
///
/// n additional sweeps multiply the residual by a constant factor, measured between n and 2n sweeps
/// in the current state. k times as many substeps divide the residual by k² (Macklin et al. 2019,
/// Small Steps in Physics Simulation).
pub fn enough_sweeps(simulation: &Simulation, residual: f64, most: f64) -> EnoughSweeps {
    let substeps = (residual / most).sqrt().clamp(1.0, MOST_TIMES).ceil() as u32;
    EnoughSweeps { sweeps: times_the_sweeps(simulation, most / residual), substeps }
}

fn times_the_sweeps(simulation: &Simulation, wanted: f64) -> Option<u32> {
    let count = simulation.settings().solver().iterations()?;
    let links = simulation.model().topology().links().len();
    if links.saturating_mul(2 * count as usize) > MOST_WORK {
        return None;
    }
    let mut trial = simulation.sweep_trial()?;
    let [once, twice] = [count, 2 * count].map(|sweeps| trial.residual(sweeps));
    let share = Some(twice / once).filter(|share| (0.0..1.0).contains(share))?;
    let times = 1.0 + wanted.ln() / share.ln();
    (times <= MOST_TIMES).then(|| times.max(1.0).ceil() as u32)
}
