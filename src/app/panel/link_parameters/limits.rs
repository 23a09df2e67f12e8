//! Limits on lengths that act in addition to a solver: tethers and a strain limit.

use crate::app::panel::fields::{FieldHelp, scaled_ui, si_ui};
use crate::app::panel::time_and_frames::guards::guard_ui;
use crate::limit::{LONGEST_TETHER, MOST_STRAIN};
use crate::quantity::on_screen::si_field;
use crate::simulation::timing::stepper::Guard;
use egui_macroquad::egui::Ui;

const TETHERS: FieldHelp = FieldHelp {
    label: "tethers",
    unit: "of the distance to the pin",
    text: "Largest distance of a particle from its nearest pin, as a multiple of the length along \
        the links. A tether pulls the particle but not the links between, which breaks Newton's \
        third law.",
    source: "Kim, Chentanez and Müller 2012, Long Range Attachments",
};
const STRAIN_LIMIT: FieldHelp = FieldHelp {
    label: "strain limit",
    unit: "% of the length",
    text: "Largest change of a link's length after each substep: enforced exactly on ropes with a \
        pin, elsewhere by at most 8 sweeps.",
    source: "Provot 1995, Deformation Constraints in a Mass-Spring Model",
};

pub fn limits_ui(ui: &mut Ui, tethers: &mut Guard<f64>, strain_limit: &mut Guard<f64>) {
    let format = |times: f64| si_field(times, "×");
    guard_ui(ui, &TETHERS, tethers, format, |ui, times| {
        si_ui(ui, times, 1.0..=LONGEST_TETHER, "×")
    });
    let format = |strain: f64| si_field(100.0 * strain, "%");
    guard_ui(ui, &STRAIN_LIMIT, strain_limit, format, |ui, strain| {
        scaled_ui(ui, strain, 1e-6..=MOST_STRAIN, 100.0, "%")
    });
}
