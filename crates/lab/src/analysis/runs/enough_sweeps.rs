//! Factors by which sweeps or substeps must be multiplied to make the links of a lane (one
//! simulation of the scene with its own settings) stiff enough.

use crate::simulation::Simulation;

/// Smallest visible error of a link, as a fraction of its length: 1.5 mm on a link of 10 cm, which
/// is less than the thickness of a rope. In the scene library, lanes that look too soft have larger
/// errors, and a cloth that wraps around a bullet has smaller ones.
pub const VISIBLE_ERROR: f64 = 0.015;
/// Maximum work of a trial, in links × sweeps (about 20 ms).
const MOST_WORK: f64 = 1e6;
/// Largest reported factor for sweeps or substeps.
const MOST_FACTOR: f64 = 1000.0;

/// Ratio between the numbers of sweeps of successive trials.
const LONGER_TRIAL: f64 = 1.5;

/// Factors for the sweeps and for the substeps of a lane. Either factor alone is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnoughSweeps {
    /// Factor for the sweeps. `None` if sweeps do not converge, if the factor exceeds 1000, or if
    /// the lane has too many links for a trial with so many sweeps.
    pub sweeps: Option<u32>,
    /// Factor for the substeps; at most 1000.
    pub substeps: u32,
}

/// Returns the factors for sweeps or substeps that would reduce the residual of a step from
/// `residual` to `most`. Both are fractions of a link's length.
///
/// Sweeps are tried on the next step from the current state. k times as many substeps divide the
/// residual by k² (Macklin et al. 2019, Small Steps in Physics Simulation).
pub fn enough_sweeps(simulation: &Simulation, residual: f64, most: f64) -> EnoughSweeps {
    let substeps = (residual / most).sqrt().clamp(1.0, MOST_FACTOR).ceil() as u32;
    EnoughSweeps { sweeps: sweep_factor(simulation, most / residual), substeps }
}

/// Returns the factor for the sweeps with which the residual of the next step falls to at most the
/// fraction `wanted` of the present one. The convergence of the first sweeps only gives the first
/// factor to try: if light particles carry heavy ones, later sweeps converge much more slowly.
fn sweep_factor(simulation: &Simulation, wanted: f64) -> Option<u32> {
    let count = simulation.settings().solver().iterations()?;
    let links = simulation.model().topology().links().len();
    let is_affordable = |times: f64| links as f64 * f64::from(count) * times <= MOST_WORK;
    if !is_affordable(2.0) {
        return None;
    }
    let mut trial = simulation.sweep_trial()?;
    let [once, twice] = [count, 2 * count].map(|sweeps| trial.residual(sweeps));
    let reduction = Some(twice / once).filter(|reduction| (0.0..1.0).contains(reduction))?;
    let mut times = (1.0 + wanted.ln() / reduction.ln()).max(1.0).ceil();
    while times <= MOST_FACTOR && is_affordable(times) {
        if trial.residual(times as u32 * count) <= wanted * once {
            return Some(times as u32);
        }
        times = (LONGER_TRIAL * times).ceil();
    }
    None
}
