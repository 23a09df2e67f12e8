//! Subject to what: links as springs or constraints, and the constraint solver.

use super::fields::{Lesson, choice_ui, row_ui};
use crate::constraint::ConstraintSolver;
use crate::settings::LinkMode;
use egui_macroquad::egui::Ui;

const LINKS: Lesson = Lesson {
    label: "links act as",
    unit: "",
    text: "Springs push in proportion to their stretch: the stiffer, the shorter the step must \
           be. Constraints are put back to their length after each step, whatever the step.",
    source: "Provot 1995; Jakobsen 2001, Advanced Character Physics",
};

/// The group of links and constraints.
pub fn links_ui(ui: &mut Ui, links: &mut LinkMode, _constraints: &mut ConstraintSolver) {
    row_ui(ui, &LINKS, |ui| {
        choice_ui(
            ui,
            links,
            &[(LinkMode::Springs, "springs"), (LinkMode::Constraints, "constraints")],
        )
    });
}
