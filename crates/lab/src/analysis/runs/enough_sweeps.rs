//! Number of sweeps or substeps that would make the links of a lane stiff enough.

use crate::simulation::Simulation;

/// Upper limit of the work of a trial, in links × sweeps; about 20 ms.
const MOST_WORK: usize = 1_000_000;
/// Upper limit of a factor that is worth reporting.
const MOST_TIMES: f64 = 1000.0;

/// Two factors, on a lane's sweeps and on its substeps. Either one is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnoughSweeps {
    /// Factor on the sweeps; `None` if sweeps do not converge, if the factor is too large, or if
    /// the lane is too large for a trial.
    pub sweeps: Option<u32>,
    /// Factor on the substeps; at most 1000.
    pub substeps: u32,
}

/// Returns the factors on sweeps or substeps that would reduce the residual of a step from
/// `residual` to `most`, both as fractions of a link's length.
///
/// n additional sweeps multiply the residual by a constant factor, measured between n and 2n sweeps
/// on the current state. With k times as many substeps, 1/k² of the residual is left (Macklin et
/// al. 2019, Small Steps in Physics Simulation).
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
