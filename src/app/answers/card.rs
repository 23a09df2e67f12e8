//! The explanation of a lane that exploded, in a panel beside the scene: the cause, and every remedy
//! that was tried, each with its price and a way to take it.

use super::{Answer, Answers, CodeOf, code_button};
use crate::analysis::explain::{Cause, Explanation, NewNumber, Remedy};
use crate::analysis::in_words::{factor, percent, seconds_in_words};
use crate::app::laboratory::{Laboratory, Onward};
use crate::app::scene_view::failure::blamed;
use crate::app::scene_view::lanes::swatch_ui;
use crate::app::shell::actions::Action;
use crate::app::shell::report::mark;
use crate::app::theme;
use crate::session::Lane;
use crate::simulation::settings::{Command, MOST_LANES, SceneNumber};
use egui_macroquad::egui::{self, ProgressBar, RichText, Ui};

impl Answers {
    /// The lane whose explanation is shown, by colour: the selected one, or else the first. `unasked`:
    /// explanations show by themselves.
    pub fn explained(&self, laboratory: &Laboratory, unasked: bool) -> Option<usize> {
        let shows = |color: &usize| {
            let answer = self.lanes[*color].answer.as_ref();
            answer.is_some_and(|answer| !answer.closed && (unasked || answer.asked))
        };
        let lanes = laboratory.session().lanes().iter().map(|lane| lane.color);
        Some(laboratory.selected().color).filter(shows).or_else(|| lanes.into_iter().find(shows))
    }

    /// Shows the explanation of a lane, by colour, where there is room for it.
    pub fn ask(&mut self, color: usize) {
        for (other, lane) in self.lanes.iter_mut().enumerate() {
            if let Some(answer) = &mut lane.answer {
                answer.asked = other == color;
                answer.closed &= other != color;
            }
        }
    }

    /// Closes every explanation; false if none was shown.
    pub fn close_card(&mut self) -> bool {
        let answers = self.lanes.iter_mut().filter_map(|lane| lane.answer.as_mut());
        let mut was_shown = false;
        for answer in answers.filter(|answer| !answer.closed) {
            (answer.closed, answer.asked) = (true, false);
            was_shown = true;
        }
        was_shown
    }

    /// The explanation of the lane of this colour.
    pub fn card_ui(
        &mut self,
        ui: &mut Ui,
        color: usize,
        laboratory: &Laboratory,
        actions: &mut Vec<Action>,
    ) {
        let lanes = laboratory.session().lanes();
        let Some(place) = lanes.iter().position(|lane| lane.color == color) else { return };
        let lane = &lanes[place];
        let (mut cancelled, mut closed) = (false, false);
        if let Some(answer) = &self.lanes[color].answer {
            closed = title_ui(ui, lane);
            if let Some(explanation) = &answer.explanation {
                cause_ui(ui, lane, explanation);
            }
            actions.extend(code_button(ui, "code of the lane", CodeOf::Lane(color)));
            cancelled = progress_ui(ui, answer);
            for remedy in answer.explanation.iter().flat_map(|known| &known.remedies) {
                remedy_ui(ui, (place, color, lanes.len()), remedy, actions);
            }
        }
        if cancelled {
            self.lanes[color].cancel();
        }
        if closed {
            self.close_card();
        }
    }
}

/// The first line. True when the explanation was closed.
fn title_ui(ui: &mut Ui, lane: &Lane) -> bool {
    // From the right, so that a narrow panel cuts the words and not the button.
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    let title = ui.allocate_ui_with_layout(size, layout, |ui| {
        let cross = RichText::new("×").size(18.0).color(theme::quiet());
        let close = ui.add(egui::Button::new(cross).frame(false)).on_hover_text("Close (Esc)");
        mark(&close, "close card");
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            swatch_ui(ui, lane.color);
            let title = RichText::new(title(lane)).color(theme::warning()).strong();
            ui.add(egui::Label::new(title).truncate());
        });
        close.clicked()
    });
    title.inner
}

/// Title, which blames the settings that were in force then.
fn title(lane: &Lane) -> String {
    match blamed(&lane.simulation) {
        Some(blamed) => format!("Why it exploded under {blamed}"),
        None => format!("Why {} exploded", lane.name),
    }
}

fn cause_ui(ui: &mut Ui, lane: &Lane, explanation: &Explanation) {
    let Explanation { headline, reason, lived, .. } = explanation;
    let text = if explanation.cause == Cause::Holds {
        let seconds = seconds_in_words(*lived);
        format!(
            "Replayed with your mouse, {} did not explode within {seconds}; cause unknown",
            lane.name
        )
    } else {
        headline.clone()
    };
    let label = ui.add(egui::Label::new(text).wrap().selectable(true));
    mark(&label, "cause");
    if !reason.is_empty() {
        let reason = RichText::new(reason).color(theme::quiet());
        ui.add(egui::Label::new(reason).wrap().selectable(true));
    }
}

/// Progress of the search for remedies. True when it was cancelled.
fn progress_ui(ui: &mut Ui, answer: &Answer) -> bool {
    let mut cancelled = false;
    if answer.failed {
        ui.label("The computation failed.");
    } else if !answer.done {
        ui.horizontal(|ui| {
            let cancel = ui.button("Cancel");
            mark(&cancel, "cancel remedies");
            cancelled = cancel.on_hover_text("Ends the search for remedies").clicked();
            let share = answer.progress as f32;
            let text = format!("trying remedies, {:.0} %", 100.0 * share);
            ui.add(ProgressBar::new(share).text(text));
        });
    }
    cancelled
}

/// One remedy: the change, its result and its price, and below that a way to take it.
fn remedy_ui(
    ui: &mut Ui,
    (lane, color, lanes): (usize, usize, usize),
    remedy: &Remedy,
    actions: &mut Vec<Action>,
) {
    let Remedy { change, settings, scene, outcome, holds, cost_per_frame, cost_ratio, error } =
        remedy;
    ui.separator();
    let ink = if *holds { theme::text() } else { theme::quiet() };
    ui.add(egui::Label::new(RichText::new(change).color(ink)).wrap());
    let price = seconds_in_words(*cost_per_frame);
    let result = match holds {
        false => outcome.in_words(),
        true if error.is_finite() => format!("{price} per frame · error {}", percent(*error)),
        true => format!("{price} per frame"),
    };
    let result = ui.label(RichText::new(result).monospace().color(theme::quiet()));
    result.on_hover_text(format!(
        "{}. Computing time per frame of 1/60 s: {price}, {} times that of this lane in steps that \
         live. Error: greatest distance of a particle from a precise run, relative to the scene's \
         size.",
        outcome.in_words(),
        factor(*cost_ratio),
    ));
    if !*holds {
        return;
    }
    if !scene.is_empty() {
        scene_remedy_ui(ui, color, remedy, actions);
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let apply = ui.button("Apply here");
        mark(&apply, format_args!("apply {change}"));
        if apply.on_hover_text("Sets this lane and restarts the scene").clicked() {
            actions.push(Action::Give(Command::Configure { lane, settings: *settings }));
            actions.push(Action::Reset);
        }
        let add = ui.add_enabled(lanes < MOST_LANES, egui::Button::new("Add as lane"));
        mark(&add, format_args!("add {change}"));
        if add.on_hover_text("Adds a lane with these settings and restarts the scene").clicked() {
            let (name, settings) = (change.clone(), *settings);
            actions.push(Action::Give(Command::AddLane { name, settings }));
            actions.push(Action::Reset);
        }
        let on = ui.add_enabled(lanes < MOST_LANES, egui::Button::new("Go on with it"));
        mark(&on, format_args!("go on {change}"));
        let tip = "Goes back to 20 steps before the explosion and adds a lane there that goes on \
                   with these settings. Time stands still until Space";
        if on.on_hover_text(tip).clicked() {
            let onward = Onward::NewLane(Box::new(*settings));
            actions.push(Action::GoOnBeforeExplosion { color, onward });
        }
        let code = CodeOf::Advised(change.clone(), Box::new(*settings));
        actions.extend(code_button(ui, format_args!("code {change}"), code));
    });
}

/// Ways to take a remedy that changes numbers of the scene, which all lanes share.
fn scene_remedy_ui(ui: &mut Ui, color: usize, remedy: &Remedy, actions: &mut Vec<Action>) {
    let change = &remedy.change;
    let number = |NewNumber { path, value }: &NewNumber| SceneNumber {
        path: path.clone(),
        value: Some(*value),
    };
    let numbers = || remedy.scene.iter().map(number).collect::<Vec<_>>();
    // Other segments restart the scene: there is no moment to go on from.
    let restarts = remedy.scene.iter().any(|it| it.path.ends_with("segments"));
    ui.horizontal_wrapped(|ui| {
        let apply = ui.button("Apply to all lanes");
        mark(&apply, format_args!("apply {change}"));
        let tip = "Changes these numbers in every lane and restarts the scene";
        if apply.on_hover_text(tip).clicked() {
            actions.push(Action::ChangeScene(numbers()));
            actions.push(Action::Reset);
        }
        if !restarts {
            let on = ui.button("Go on with it");
            mark(&on, format_args!("go on {change}"));
            let tip = "Goes back to 20 steps before the explosion, where every lane goes on with \
                       these numbers. Time stands still until Space";
            if on.on_hover_text(tip).clicked() {
                let onward = Onward::Scene(numbers());
                actions.push(Action::GoOnBeforeExplosion { color, onward });
            }
        }
        let copy = ui.button("Copy");
        mark(&copy, format_args!("copy {change}"));
        if copy.on_hover_text("Copies the numbers for the scene file").clicked() {
            ui.ctx().copy_text(remedy.to_paste());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_blames_what_was_in_force() {
        use crate::scene::Scene;
        use crate::session::Session;
        use crate::simulation::settings::Settings;
        let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0))], \
                    links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 1e6)], \
                    pins: [(of: Particle(0))], lanes: [(name: \"stiff\", settings: \
                    (integrator: ExplicitEuler, dt: 0.01))])";
        let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        let mut session = Session::new(std::sync::Arc::new(scene));
        session.advance(1.0, &|| 0.0);
        assert_eq!(title(&session.lanes()[0]), "Why stiff exploded");
        let integrator = crate::integrate::Method::Rk4;
        let settings = Settings { integrator, ..*session.lanes()[0].simulation.settings() };
        session.command(Command::Configure { lane: 0, settings });
        assert_eq!(title(&session.lanes()[0]), "Why it exploded under explicit Euler");
    }
}
