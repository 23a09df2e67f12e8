//! Memory of earlier substeps in exported code: its parameter, and comments on its initial values.

use super::templates::LoopTemplates;
use crate::integrate::{Method, PositionVerlet, VerletStart};
use crate::simulation::settings::Settings;

/// Returns two texts: the function's parameter for the integrator's memory of earlier substeps, and
/// comments on the initial values of this parameter and of the old positions. Both are empty if the
/// settings need no memory.
pub(super) fn memory(templates: &LoopTemplates, settings: &Settings) -> [String; 2] {
    let by_springs = settings.solver().is_none();
    let [parameter, empty] = templates.memory;
    let accelerations = |first: &str| {
        let comment = templates.comment;
        format!("{comment}before: accelerations in the previous substep; {first} at first.")
    };
    let old = |first: &str| format!("{}old: at first {first}.", templates.comment);
    match settings.integrator {
        Method::Beeman => [parameter.to_owned(), accelerations(empty)],
        Method::PositionVerlet(PositionVerlet { start, single: _ }) => match (start, by_springs) {
            (VerletStart::Proper, true) => [
                parameter.to_owned(),
                old("x - v*h + a*h*h/2, with velocities v and their accelerations a")
                    + &accelerations("a"),
            ],
            (VerletStart::Proper, false) => {
                let gravity = "x - v*h + a*h*h/2, with velocities v and gravity a";
                [String::new(), old(gravity)]
            }
            (VerletStart::Article, true) => {
                [parameter.to_owned(), old("x - v*h, with velocities v") + &accelerations(empty)]
            }
            (VerletStart::Article, false) => [String::new(), old("x - v*h, with velocities v")],
        },
        _ => [String::new(), String::new()],
    }
}
