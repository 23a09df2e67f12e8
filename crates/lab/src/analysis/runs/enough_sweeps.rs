//! Sweeps or substeps that would leave links of a lane less soft.

use crate::simulation::Simulation;

/// Most work of a trial, in links × sweeps: some 20 ms.
const MOST_WORK: usize = 1_000_000;
/// Most times as many sweeps or substeps that are worth saying.
const MOST_TIMES: f64 = 1000.0;

/// Factors on a lane's sweeps or on its substeps, of which one is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnoughSweeps {
    /// Factor on the sweeps; `None` if sweeps do not converge or the lane is too large to try.
    pub sweeps: Option<u32>,
    /// Factor on the substeps.
    pub substeps: u32,
}

/// Returns the sweeps or substeps that would reduce the residual of a step from `residual` to
/// `most`, both as shares of a link's length.
///
/// Sweeps leave a constant share: it is measured between n and 2n sweeps on the current state.
/// Substeps leave 1/k² with k times as many (Macklin et al. 2019, Small Steps in Physics
/// Simulation).
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
