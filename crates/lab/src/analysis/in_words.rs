//! Settings and steps as text for messages.

use crate::integrate::Method;
use crate::simulation::settings::Settings;

pub use crate::quantity::in_words::{
    LEAST_FACTOR, count_in_words, factor, kilograms_in_words, limit_in_words, metres_in_words,
    moment_in_words, number_in_words, percent, percent_to, quantity_in_words, seconds_in_words,
    share_of,
};

/// Largest relative deviation from 1/n s at which a step is written as the rate n Hz.
const WHOLE_RATE: f64 = 1e-4;

/// Largest loss of amplitude per second that is written exactly. A larger loss is written as `at
/// least` this value.
pub const MOST_TOLD_LOSS: f64 = 0.999;

/// Returns the fraction of an amplitude that is lost per second: `12.1 %`, `at least 99.9 %`.
pub fn loss_in_words(loss: f64) -> String {
    let least = if loss > MOST_TOLD_LOSS { "at least " } else { "" };
    format!("{least}{}", percent(loss.min(MOST_TOLD_LOSS)))
}

/// Returns settings as text: `velocity Verlet with XPBD, 10 sweeps, 25 substeps at 60 Hz`.
pub fn settings_in_words(settings: &Settings) -> String {
    let solver = settings.solver();
    let mut text = integrator_and_solver_in_words(settings);
    text += &match solver.iterations() {
        Some(sweeps) if solver.has_tolerance() => format!(", at most {sweeps} sweeps"),
        Some(sweeps) => format!(", {}", count_in_words(sweeps, "sweep")),
        None => String::new(),
    };
    text += &format!(", {}", step_in_words(settings.dt, settings.substeps));
    if settings.stiffness_damping > 0.0 {
        text += &format!(", stiffness damping {}", seconds_in_words(settings.stiffness_damping));
    }
    text
}

/// Returns a step and its substeps as text: `25 substeps at 60 Hz`, `1 step at 240 Hz`, `dt 1.04
/// ms`, `dt 1.04 ms in 20 substeps`.
pub fn step_in_words(dt: f64, substeps: u32) -> String {
    let rate = 1.0 / dt;
    let is_whole = (rate - rate.round()).abs() <= WHOLE_RATE * rate && rate.round() >= 1.0;
    match (is_whole && rate.round() <= 1000.0, substeps) {
        (true, 1) => format!("1 step at {:.0} Hz", rate.round()),
        (true, n) => format!("{n} substeps at {:.0} Hz", rate.round()),
        (false, 1) => format!("dt {}", seconds_in_words(dt)),
        (false, n) => format!("dt {} in {n} substeps", seconds_in_words(dt)),
    }
}

/// Returns the names of the integrator and the solver: `velocity Verlet with XPBD`.
pub fn integrator_and_solver_in_words(settings: &Settings) -> String {
    let title = settings.integrator.info().title;
    match settings.solver() {
        solver if solver.is_none() => title.to_owned(),
        solver => format!("{title} with {}", solver.info().title),
    }
}

/// True if an integrator damps motion by design. Such integrators have order 0 in the catalogue.
pub fn damps_by_design(method: &Method) -> bool {
    method.info().order == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_said_as_rates_where_they_are_whole() {
        assert_eq!(step_in_words(1.0 / 60.0, 25), "25 substeps at 60 Hz");
        assert_eq!(step_in_words(0.016_666_7, 1), "1 step at 60 Hz");
        assert_eq!(step_in_words(1.0 / 144.0, 1), "1 step at 144 Hz");
        assert_eq!(step_in_words(1.3e-4, 1), "dt 130 µs");
        assert_eq!(step_in_words(0.0123, 4), "dt 12.3 ms in 4 substeps");
    }
}
