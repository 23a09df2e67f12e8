//! Factors on sweeps or substeps with which the links of a lane become stiff enough.

use crate::simulation::Simulation;

/// Upper limit of the work of a trial, in links × sweeps (about 20 ms).
const MOST_WORK: usize = 1_000_000;
/// Largest factor on sweeps or substeps that is reported.
const MOST_FACTOR: f64 = 1000.0;

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
    let substeps = (residual / most).sqrt().clamp(1.0, MOST_FACTOR).ceil() as u32;
    EnoughSweeps { sweeps: sweep_factor(simulation, most / residual), substeps }
}

fn sweep_factor(simulation: &Simulation, wanted: f64) -> Option<u32> {
    let count = simulation.settings().solver().iterations()?;
    let links = simulation.model().topology().links().len();
    if links.saturating_mul(2 * count as usize) > MOST_WORK {
        return None;
    }
    let mut trial = simulation.sweep_trial()?;
    let [once, twice] = [count, 2 * count].map(|sweeps| trial.residual(sweeps));
    let reduction = Some(twice / once).filter(|reduction| (0.0..1.0).contains(reduction))?;
    let times = 1.0 + wanted.ln() / reduction.ln();
    (times <= MOST_FACTOR).then(|| times.max(1.0).ceil() as u32)
}
