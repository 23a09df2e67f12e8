//! Controls of the microscope, which shows how the drawn state is blended from two states.

use crate::app::panel::fields::{FieldHelp, row_ui};
use crate::app::scene_view::microscope::Microscope;
use egui_macroquad::egui::Ui;

const ON: FieldHelp = FieldHelp {
    label: "microscope",
    unit: "",
    text: "Shows the previous state, the current state and the drawn blend of every lane, the \
           accumulator as a bar of one step, and the delay of the drawn state. Use long steps (0.1 \
           s) or slow motion.",
    source: "Fiedler 2004, Fix Your Timestep!",
};
const AS_CODED: FieldHelp = FieldHelp {
    label: "wrong blend",
    unit: "",
    text: "Draws interpolated lanes as the code of article C does: previously drawn state · alpha \
        + current state · (1 − alpha). The weights are swapped and each drawn state enters the \
        next one, so motion jerks although steps and frames are unchanged. (The code of the \
        article blends render times, which stay 0; here states are blended instead.)",
    source: "article C, interpolation as coded",
};

pub fn microscope_ui(ui: &mut Ui, microscope: &mut Microscope, blends: bool) {
    let Microscope { on, as_coded } = microscope;
    row_ui(ui, &ON, |ui| ui.checkbox(on, ""));
    if *as_coded || (*on && blends) {
        row_ui(ui, &AS_CODED, |ui| ui.checkbox(as_coded, ""));
    }
}
