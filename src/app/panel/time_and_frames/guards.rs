//! Guards: limits on frame time, backlog, steps per frame and computing time. They prevent the
//! spiral of death, in which each frame needs more steps than the last.

use crate::app::panel::fields::{FieldHelp, count_ui, si_ui, switched_ui};
use crate::quantity::on_screen::si_field;
use crate::simulation::timing::stepper::{Guard, Guards};
use egui_macroquad::egui::{Response, Ui};

const FRAME_CLAMP: FieldHelp = FieldHelp {
    label: "frame clamp",
    unit: "s",
    text: "Longest time that a frame may add to the simulation; the rest is dropped. Set it below \
        the length of a frame, e.g. to 0.01 s at 60 Hz, and watch the lane run at 0.6 × real \
        time.",
    source: "K switches it · article A; Fiedler 2004",
};
const ACCUMULATOR_CAP: FieldHelp = FieldHelp {
    label: "max. backlog",
    unit: "s",
    text: "Most time that may wait in the accumulator for the next frame; the excess is dropped. \
        Lower it while frames stutter and watch the lane fall behind instead of catching up.",
    source: "article C: 0.2 s",
};
const MOST_STEPS: FieldHelp = FieldHelp {
    label: "max. steps",
    unit: "",
    text: "Largest number of steps in a frame; further steps are dropped. Set it to half of what \
        a frame needs and watch the lane move at half its speed.",
    source: "Bullet's maxSubSteps; Unity's maximum allowed timestep",
};
const TIME_BUDGET: FieldHelp = FieldHelp {
    label: "time budget",
    unit: "s",
    text: "Most computing time per frame, estimated from the measured cost of a step. Set it \
        below what the lane needs and watch the lane slow down while the display stays smooth.",
    source: "",
};

pub fn clamp_ui(ui: &mut Ui, clamp: &mut Guard<f64>) {
    guard_ui(ui, &FRAME_CLAMP, clamp, seconds_text, seconds_ui);
}

fn seconds_text(seconds: f64) -> String {
    si_field(seconds, "s")
}

fn seconds_ui(ui: &mut Ui, seconds: &mut f64) -> Response {
    si_ui(ui, seconds, 1e-4..=10.0, "s")
}

/// Draws the rows of all guards except the frame clamp, which is among the panel's basics.
pub fn guards_ui(ui: &mut Ui, guards: &mut Guards) {
    let Guards { frame_clamp: _, accumulator_cap, most_steps, time_budget } = guards;
    guard_ui(ui, &ACCUMULATOR_CAP, accumulator_cap, seconds_text, seconds_ui);
    let steps_text = |steps: u32| steps.to_string();
    guard_ui(ui, &MOST_STEPS, most_steps, steps_text, |ui, steps| {
        count_ui(ui, steps, 1..=1_000_000)
    });
    guard_ui(ui, &TIME_BUDGET, time_budget, seconds_text, seconds_ui);
}

pub fn guard_ui<T: Copy>(
    ui: &mut Ui,
    help: &FieldHelp,
    guard: &mut Guard<T>,
    format: impl FnOnce(T) -> String,
    change_ui: impl FnOnce(&mut Ui, &mut T) -> Response,
) {
    let (mut on, mut value) = (guard.limit().is_some(), guard.value());
    switched_ui(ui, help, &mut on, &mut value, format, change_ui);
    *guard = if on { Guard::On(value) } else { Guard::Off(value) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::Harness;
    use egui_macroquad::egui::Key;

    #[test]
    fn a_guard_is_switched_on_by_its_key() {
        let mut panel = Harness::new_ui_state(clamp_ui, Guard::Off(0.25));
        panel.press_key(Key::Tab);
        panel.run();
        panel.press_key(Key::Space);
        panel.run();
        assert_eq!(*panel.state(), Guard::On(0.25));
    }
}
