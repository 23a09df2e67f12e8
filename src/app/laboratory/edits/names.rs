//! Names of edits, for the list and for messages.

use super::edit::EditKind;
use crate::simulation::settings::{SceneNumber, Settings};

/// Name of a cut. The cuts of one stroke of the scissors are one edit.
pub const CUT: &str = "the cut";

/// Returns the name of an edit as it follows "Undid" in a message, e.g. "the cut".
pub fn name_of(kind: &EditKind) -> &'static str {
    match kind {
        EditKind::Hand { name, .. } => name,
        EditKind::Settings { old, new, .. } => name_of_settings(old, new),
        EditKind::Scene { new, .. } => name_of_numbers(new),
        EditKind::Lane { is_added: true, .. } => "the new lane",
        EditKind::Lane { is_added: false, .. } => "the removal of a lane",
        EditKind::Lanes { .. } => "the exchange of lanes",
        EditKind::Removal(taken) => name_of(&taken.edit.kind),
    }
}

/// Returns the name of the changed setting, or a general name if several settings changed.
fn name_of_settings(old: &Settings, new: &Settings) -> &'static str {
    let alone = [
        (Settings { integrator: new.integrator, ..*old }, "the change of integrator"),
        (Settings { dt: new.dt, ..*old }, "the change of dt"),
        (Settings { substeps: new.substeps, ..*old }, "the change of substeps"),
        (
            Settings { links: new.links, constraints: new.constraints, ..*old },
            "the change of solver",
        ),
        (Settings { stepping: new.stepping, ..*old }, "the change of stepping"),
        (Settings { guards: new.guards, ..*old }, "the change of limits on frames"),
        (Settings { contact: new.contact, ..*old }, "the change of contact"),
    ];
    let found = alone.iter().find(|(settings, _)| settings == new);
    found.map_or("the settings", |(_, name)| name)
}

/// Returns the name of the quantity to which the first value belongs. All values that a slider
/// changes belong to the same quantity.
fn name_of_numbers(numbers: &[SceneNumber]) -> &'static str {
    let path = numbers.first().map_or("", |number| &number.path);
    let field = path.rsplit('.').next().unwrap_or(path);
    match field.split('[').next().unwrap_or(field) {
        "g" => "the change of gravity",
        "velocity" | "air_density" | "drag" => "the change of wind",
        "friction" | "static_friction" => "the change of friction",
        "mass_per_metre" | "areal_density" => "the change of mass",
        "stiffness" | "stretch_stiffness" | "shear_stiffness" => "the change of stiffness",
        "bend_stiffness" | "flexural_rigidity" => "the change of bending",
        "damping" => "the change of damping",
        "segments" | "cells" => "the change of segments",
        _ => "the change of the scene",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::scene_source::{Source, entries};
    use crate::integrate::Method;
    use crate::scene::dials::dials_of;

    #[test]
    fn one_setting_gives_its_name_and_several_do_not() {
        let old = Settings::default();
        let integrator = Settings { integrator: Method::Rk4, ..old };
        assert_eq!(name_of_settings(&old, &integrator), "the change of integrator");
        let dt = Settings { dt: 0.5 * old.dt, ..old };
        assert_eq!(name_of_settings(&old, &dt), "the change of dt");
        let both = Settings { dt: 0.5 * old.dt, ..integrator };
        assert_eq!(name_of_settings(&old, &both), "the settings");
    }

    /// No slider of the library has edits with the general name "the change of the scene".
    #[test]
    fn every_slider_has_a_name_for_its_edits() {
        for index in 0..entries().len() {
            let loaded = Source::Listed(index).load().unwrap_or_else(|e| panic!("{e}"));
            for dial in dials_of(&loaded.scene).iter().flat_map(|group| &group.dials) {
                let numbers = dial.turned_to(2.0 * dial.own);
                let name = name_of_numbers(&numbers);
                assert_ne!(name, "the change of the scene", "{:?} {numbers:?}", dial.kind);
            }
        }
    }
}
