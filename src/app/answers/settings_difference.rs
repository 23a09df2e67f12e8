//! Comparison of a lane's current settings with those at its failure.

use crate::quantity::on_screen::si_tight;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;

/// Returns the settings at a lane's explosion as text; `None` if they have not changed.
pub fn settings_at_failure(simulation: &Simulation) -> Option<String> {
    simulation.failed_under().and_then(|then| settings_difference(then, simulation.settings()))
}

/// Describes the most important difference of the settings `then` from the settings `now`; `None`
/// if both are equal.
pub fn settings_difference(then: &Settings, now: &Settings) -> Option<String> {
    let title = |settings: &Settings| settings.integrator.info().title;
    if title(then) != title(now) {
        Some(title(then).to_owned())
    } else if then.dt != now.dt || then.substeps != now.substeps {
        let parts = if then.substeps > 1 { format!(" / {}", then.substeps) } else { String::new() };
        Some(format!("a step of {}{parts}", si_tight(then.dt, "s")))
    } else if then.stiffness_damping != now.stiffness_damping {
        Some(format!("damping β {}", si_tight(then.stiffness_damping, "s")))
    } else if !then.solves_as(now) {
        Some(then.solver().info().title.to_owned())
    } else {
        (then != now).then(|| "other settings".to_owned())
    }
}
