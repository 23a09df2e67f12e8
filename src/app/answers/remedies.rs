//! Table of remedies below the cause of an explosion. Remedies that help have a cost and buttons.
//! Failed and untried remedies follow in small letters.

use super::code::code_button;
use crate::analysis::explain::{Explanation, NewNumber, Remedy};
use crate::analysis::in_words::{factor, percent, seconds_in_words};
use crate::app::input::actions::{Action, CodeSubject, LaneAction, RequestActions};
use crate::app::laboratory::Continuation;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{note_open_menu, pressed};
use crate::simulation::settings::{Command, MOST_LANES, SceneNumber};
use egui_macroquad::egui::{self, RichText, Ui};

/// Lane to which the remedies apply.
#[derive(Clone, Copy)]
pub struct RemedyTarget {
    /// Index of the lane in the session.
    pub index: usize,
    pub color: usize,
    pub lanes: usize,
}

/// Draws the remedies, the best one first.
pub fn remedies_ui(ui: &mut Ui, target: RemedyTarget, explanation: &Explanation) {
    let remedies = explanation.best_remedies_first();
    let (helpful, failed) = remedies.split_at(remedies.partition_point(|remedy| remedy.holds));
    for remedy in helpful {
        ui.separator();
        helpful_remedy_ui(ui, target, remedy);
    }
    if !failed.is_empty() {
        ui.separator();
    }
    failed.iter().for_each(|remedy| failed_remedy_ui(ui, remedy));
}

fn helpful_remedy_ui(ui: &mut Ui, target: RemedyTarget, remedy: &Remedy) {
    let Remedy { change, outcome, cost_per_frame, cost_ratio, error, .. } = remedy;
    ui.add(egui::Label::new(change).wrap());
    let price = seconds_in_words(*cost_per_frame);
    let result = match error.is_finite() {
        true => format!("{price} per frame · error {}", percent(*error)),
        false => format!("{price} per frame"),
    };
    let result = RichText::new(result).monospace().color(theme::quiet());
    ui.add(egui::Label::new(result).truncate()).on_hover_text(format!(
        "{}. Computing time per frame of 1/60 s: {price}, {} times that of this lane before its \
        explosion. Error: largest distance of a particle from its position in a precise run, \
        relative to the size of the motion.",
        outcome.in_words(),
        factor(*cost_ratio),
    ));
    match remedy.scene.is_empty() {
        true => settings_ui(ui, target, remedy),
        false => scene_ui(ui, target, remedy),
    }
}

fn failed_remedy_ui(ui: &mut Ui, remedy: &Remedy) {
    let text = format!("{} · {}", remedy.change, remedy.outcome.in_words());
    let line = RichText::new(text).small().color(theme::quiet());
    ui.add(egui::Label::new(line).wrap()).marked(format_args!("failed {}", remedy.change));
}

/// Draws the buttons of a remedy that changes settings of the lane.
fn settings_ui(ui: &mut Ui, target: RemedyTarget, remedy: &Remedy) {
    let RemedyTarget { index: lane, color, lanes } = target;
    let Remedy { change, settings, .. } = remedy;
    let has_room = lanes < MOST_LANES;
    ui.horizontal(|ui| {
        let apply = ui.button("Apply here");
        let tip = "Gives this lane these settings and restarts the scene";
        if pressed(apply, format_args!("apply {change}"), tip) {
            ui.request(Action::SendCommand(Command::Configure { lane, settings: *settings }));
            ui.request(Action::Reset);
        }
        let add = ui.add_enabled(has_room, egui::Button::new("Add as lane"));
        let tip = "Adds a lane with these settings and restarts the scene";
        if pressed(add, format_args!("add {change}"), tip) {
            let (name, settings) = (change.clone(), *settings);
            ui.request(Action::SendCommand(Command::AddLane { name, settings }));
            ui.request(Action::Reset);
        }
        more_ui(ui, change, |ui| {
            let tip = "Goes back to a time before the energy grew and adds a lane that continues \
                from there with these settings";
            let continues = ui.add_enabled_ui(has_room, |ui| continue_ui(ui, change, tip)).inner;
            if continues {
                let continuation = Continuation::NewLane(Box::new(*settings));
                let action = LaneAction::ContinueBeforeExplosion { color, continuation };
                ui.request(Action::Lane(action));
            }
            let code = CodeSubject::Advised(change.clone(), Box::new(*settings));
            code_button(ui, format_args!("code {change}"), code) || continues
        });
    });
}

/// Draws the buttons of a remedy that changes values of the scene. All lanes share these values.
fn scene_ui(ui: &mut Ui, target: RemedyTarget, remedy: &Remedy) {
    let change = &remedy.change;
    let number = |NewNumber { path, value }: &NewNumber| SceneNumber {
        path: path.clone(),
        value: Some(*value),
    };
    let numbers = || remedy.scene.iter().map(number).collect::<Vec<_>>();
    // A new number of segments restarts the scene, so no lane can continue.
    let restarts = remedy.scene.iter().any(|it| it.path.ends_with("segments"));
    ui.horizontal(|ui| {
        let apply = ui.button("Apply to all lanes");
        let tip = "Changes these values in every lane and restarts the scene";
        if pressed(apply, format_args!("apply {change}"), tip) {
            ui.request(Action::ChangeScene(numbers()));
            ui.request(Action::Reset);
        }
        more_ui(ui, change, |ui| {
            let tip = "Goes back to a time before the energy grew; every lane continues from there \
                with these values";
            let continues = !restarts && continue_ui(ui, change, tip);
            if continues {
                let (continuation, color) = (Continuation::Scene(numbers()), target.color);
                let action = LaneAction::ContinueBeforeExplosion { color, continuation };
                ui.request(Action::Lane(action));
            }
            let tip = "Copies the new values as text for the scene file";
            let copies = pressed(ui.button("Copy"), format_args!("copy {change}"), tip);
            if copies {
                ui.ctx().copy_text(remedy.to_paste());
            }
            continues || copies
        });
    });
}

/// Draws a menu of less common choices at the end of the row. A choice closes the menu.
fn more_ui(ui: &mut Ui, change: &str, contents: impl FnOnce(&mut Ui) -> bool) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let menu = ui.menu_button("…", |ui| {
            note_open_menu(ui.ctx());
            if contents(ui) {
                ui.close_menu();
            }
        });
        let tip = "Other ways to apply this remedy";
        menu.response.marked(format_args!("more {change}")).on_hover_text(tip);
    });
}

fn continue_ui(ui: &mut Ui, change: &str, tip: &str) -> bool {
    pressed(ui.button("Go on with it"), format_args!("go on {change}"), tip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::explain::{Cause, Outcome};
    use crate::app::input::actions::take_requested_actions;
    use crate::app::widgets::{has_open_menu, marks};
    use crate::simulation::settings::Settings;
    use egui_kittest::Harness;
    use std::collections::BTreeMap;

    fn remedy(change: &str, cost_per_frame: f64, holds: bool, scene: bool) -> Remedy {
        let number = NewNumber { path: "rope.stiffness".to_owned(), value: 10.0 };
        Remedy {
            change: change.to_owned(),
            settings: Settings::default(),
            scene: if scene { vec![number] } else { Vec::new() },
            outcome: match holds {
                true => Outcome::Cures { seconds: 20.0 },
                false => Outcome::Explodes { t: 0.1, pushed: false },
            },
            holds,
            cost_per_frame,
            cost_ratio: 2.0,
            error: 0.01,
            error_size: Some(1.0),
        }
    }

    /// Returns the rectangles of the widgets for five remedies, three of which help, in a column of
    /// default width.
    fn rectangles(click: Option<&str>) -> (BTreeMap<String, egui::Rect>, Vec<Action>) {
        marks::remember_widgets(true);
        let explanation = Explanation {
            cause: Cause::StepTooLong,
            headline: String::new(),
            reason: String::new(),
            explosion: None,
            seconds_until_end: 1.0,
            cost_per_frame: 1e-6,
            mode: None,
            longest_step: None,
            symptoms: Vec::new(),
            remedies: vec![
                remedy("a", 1e-6, false, false),
                remedy("b", 3e-6, true, false),
                remedy("c", 1e-6, true, true),
                remedy("d", 2e-6, true, false),
                remedy("e", 1e-6, false, false),
            ],
        };
        let target = RemedyTarget { index: 0, color: 0, lanes: 1 };
        let app = |ui: &mut Ui| remedies_ui(ui, target, &explanation);
        let mut harness = Harness::builder().with_size([300.0, 600.0]).build_ui(app);
        harness.run_steps(3);
        assert!(!has_open_menu(&harness.ctx));
        for name in click.into_iter().flat_map(|name| ["more d", name]) {
            let at = marks::take_widgets(&harness.ctx)[name].center();
            for pressed in [true, false] {
                harness.input_mut().events.push(egui::Event::PointerMoved(at));
                harness.input_mut().events.push(egui::Event::PointerButton {
                    pos: at,
                    button: egui::PointerButton::Primary,
                    pressed,
                    modifiers: egui::Modifiers::NONE,
                });
                harness.run_steps(1);
            }
            harness.run_steps(2);
            assert_eq!(has_open_menu(&harness.ctx), name == "more d");
        }
        marks::take_widgets(&harness.ctx);
        harness.run_steps(1);
        (marks::take_widgets(&harness.ctx), take_requested_actions(&harness.ctx))
    }

    #[test]
    fn remedies_that_hold_stand_first_in_a_row_each_and_failed_ones_in_a_line() {
        let (rects, _) = rectangles(None);
        let order = ["apply d", "apply b", "apply c", "failed a", "failed e"];
        for pair in order.windows(2) {
            let (above, below) = (rects[pair[0]], rects[pair[1]]);
            assert!(above.bottom() < below.top(), "{pair:?}: {rects:?}");
        }
        for change in ["d", "b"] {
            let row = ["apply", "add", "more"].map(|button| rects[&format!("{button} {change}")]);
            assert!(row[0].right() < row[1].left() && row[1].right() < row[2].left(), "{row:?}");
            assert!(row.iter().all(|it| it.center().y == row[0].center().y), "{row:?}");
        }
        assert!(rects["failed e"].height() < 20.0);
        assert!(!rects.contains_key("go on d"), "in the menu");
    }

    #[test]
    fn the_menu_has_rarer_ways_and_closes_when_one_was_taken() {
        let (rects, actions) = rectangles(Some("go on d"));
        let went = matches!(
            actions[..],
            [Action::Lane(LaneAction::ContinueBeforeExplosion { color: 0, .. })]
        );
        assert!(went, "{actions:?}");
        assert!(!rects.contains_key("go on d"), "closed");
    }
}
