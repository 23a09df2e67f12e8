//! What keeps long frames in check.

use super::fields::{FieldHelp, count_ui, row_ui, si_ui, still_ui};
use crate::app::quantity;
use crate::app::report::mark;
use crate::simulation::stepper::{Guard, Guards};
use egui_macroquad::egui::{Response, Ui};

const FRAME_CLAMP: FieldHelp = FieldHelp {
    label: "frame clamp",
    unit: "s",
    text: "A frame counts for at most so long; the rest is dropped. 0.25 s forgives a hiccup. \
           The article's 0.01 s runs at 0.6× real time on a 60 Hz display.",
    source: "article A; Fiedler 2004",
};
const ACCUMULATOR_CAP: FieldHelp = FieldHelp {
    label: "owed cap",
    unit: "s",
    text: "The accumulator holds at most so much time; what overflows is dropped.",
    source: "article C: 0.2 s",
};
const MOST_STEPS: FieldHelp = FieldHelp {
    label: "most steps",
    unit: "a frame",
    text: "No more steps than this in a frame; steps that do not fit are dropped.",
    source: "Bullet's maxSubSteps; Unity's maximum allowed timestep",
};
const TIME_BUDGET: FieldHelp = FieldHelp {
    label: "time budget",
    unit: "s",
    text: "Computing takes at most so long a frame, judged by the measured cost of a step. The \
           guard that knows how fast this computer is.",
    source: "",
};

/// The group of guards.
pub fn guards_ui(ui: &mut Ui, guards: &mut Guards) {
    let Guards { frame_clamp, accumulator_cap, most_steps, time_budget } = guards;
    let tell = |seconds| quantity::si_exact(seconds, "s");
    let change = |ui: &mut Ui, seconds: &mut f64| si_ui(ui, seconds, 1e-4..=10.0, "s");
    guard_ui(ui, &FRAME_CLAMP, frame_clamp, tell, change);
    guard_ui(ui, &ACCUMULATOR_CAP, accumulator_cap, tell, change);
    let tell_steps = |steps: u32| steps.to_string();
    guard_ui(ui, &MOST_STEPS, most_steps, tell_steps, |ui, steps| {
        count_ui(ui, steps, 1..=1_000_000)
    });
    guard_ui(ui, &TIME_BUDGET, time_budget, tell, change);
}

fn guard_ui<T: Copy>(
    ui: &mut Ui,
    help: &FieldHelp,
    guard: &mut Guard<T>,
    tell: impl FnOnce(T) -> String,
    change_ui: impl FnOnce(&mut Ui, &mut T) -> Response,
) {
    row_ui(ui, help, |ui| {
        let (mut on, mut value) = (guard.limit().is_some(), guard.value());
        let switch = ui.checkbox(&mut on, "");
        mark(&switch, format_args!("{} on", help.label));
        let field = if on { change_ui(ui, &mut value) } else { still_ui(ui, tell(value)) };
        *guard = if on { Guard::On(value) } else { Guard::Off(value) };
        switch.union(field)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use egui_macroquad::egui::Key;
    use egui_macroquad::egui::accesskit::Role;

    fn panel(guards: Guards) -> Harness<'static, Guards> {
        Harness::new_ui_state(guards_ui, guards)
    }

    /// Which switch has the keys, counted from above.
    fn focused(panel: &Harness<Guards>) -> Option<usize> {
        panel.get_all_by_role(Role::CheckBox).position(|switch| switch.is_focused())
    }

    #[test]
    fn tab_leads_from_one_guard_that_is_off_to_the_next() {
        let mut panel = panel(Guards {
            frame_clamp: Guard::Off(0.25),
            accumulator_cap: Guard::Off(0.2),
            most_steps: Guard::Off(10),
            time_budget: Guard::Off(0.01),
        });
        for guard in 0..4 {
            panel.press_key(Key::Tab);
            panel.run();
            assert_eq!(focused(&panel), Some(guard));
        }
    }

    #[test]
    fn a_guard_is_switched_on_by_its_key() {
        let mut panel = panel(Guards { frame_clamp: Guard::Off(0.25), ..Guards::default() });
        panel.press_key(Key::Tab);
        panel.run();
        panel.press_key(Key::Space);
        panel.run();
        assert_eq!(panel.state().frame_clamp, Guard::On(0.25));
    }
}
