//! Explanation of an exploded lane in a panel beside the scene: the cause and all tried remedies.

use super::code::code_button;
use super::lane_answers::{Answer, Answers};
use super::remedies::{RemedyTarget, remedies_ui};
use crate::analysis::explain::{Cause, Explanation};
use crate::analysis::in_words::seconds_in_words;
use crate::app::answers::settings_difference::settings_at_failure;
use crate::app::input::actions::CodeSubject;
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{close_ui, pressed, swatch_ui};
use crate::quantity::in_words::percent_to;
use crate::session::Lane;
use egui_macroquad::egui::{self, ProgressBar, RichText, Ui};

/// Smallest height in points at which plots are shown below an explanation.
const LEAST_PLOTS: f32 = 150.0;

/// Draws an explanation at its full height. Returns true if plots fit below it.
pub fn explanation_ui(ui: &mut Ui, has_plots: bool, card: impl FnOnce(&mut Ui)) -> bool {
    let area = egui::ScrollArea::vertical().id_salt("explanation");
    area.auto_shrink([false, has_plots]).show(ui, card);
    if !has_plots || ui.available_height() < LEAST_PLOTS {
        return false;
    }
    ui.separator();
    true
}

impl Answers {
    /// Returns the colour number of the lane whose explanation is shown: the selected lane, or else
    /// the first lane with an explanation. If `unrequested` is false, considers only explanations
    /// that the user requested.
    pub fn shown_explanation(&self, laboratory: &Laboratory, unrequested: bool) -> Option<usize> {
        let shows = |color: &usize| {
            let answer = self.lanes[*color].answer.as_ref();
            answer.is_some_and(|answer| !answer.closed && (unrequested || answer.requested))
        };
        let lanes = laboratory.session().lanes().iter().map(|lane| lane.color);
        Some(laboratory.selected().color).filter(shows).or_else(|| lanes.into_iter().find(shows))
    }

    /// Shows the explanation of the lane with this colour number and hides all others.
    pub fn show_explanation(&mut self, color: usize) {
        for (other, lane) in self.lanes.iter_mut().enumerate() {
            if let Some(answer) = &mut lane.answer {
                answer.requested = other == color;
                answer.closed &= other != color;
            }
        }
    }

    /// Closes all explanations. Returns false if none was shown.
    pub fn close_card(&mut self) -> bool {
        let answers = self.lanes.iter_mut().filter_map(|lane| lane.answer.as_mut());
        let mut was_shown = false;
        for answer in answers.filter(|answer| !answer.closed) {
            (answer.closed, answer.requested) = (true, false);
            was_shown = true;
        }
        was_shown
    }

    pub fn card_ui(&mut self, ui: &mut Ui, color: usize, laboratory: &Laboratory) {
        let lanes = laboratory.session().lanes();
        let Some(index) = lanes.iter().position(|lane| lane.color == color) else { return };
        let lane = &lanes[index];
        let (mut cancelled, mut closed) = (false, false);
        if let Some(answer) = &self.lanes[color].answer {
            closed = title_ui(ui, lane);
            if let Some(explanation) = &answer.explanation {
                cause_ui(ui, lane, explanation);
            }
            cancelled = progress_ui(ui, answer);
            if let Some(explanation) = &answer.explanation {
                let target = RemedyTarget { index, color, lanes: lanes.len() };
                remedies_ui(ui, target, explanation);
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

/// Draws the first line with a button for the lane's code. Returns true if the user closed the
/// explanation.
fn title_ui(ui: &mut Ui, lane: &Lane) -> bool {
    // The layout begins at the right, so a narrow panel cuts off the title but not the button.
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    let title = ui.allocate_ui_with_layout(size, layout, |ui| {
        let closed = close_ui(ui, "close card", "Close (Esc)");
        code_button(ui, "code of the lane", code_of(lane));
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            swatch_ui(ui, lane.color);
            let title = RichText::new(card_title(lane)).color(theme::warning()).strong();
            ui.add(egui::Label::new(title).truncate());
        });
        closed
    });
    title.inner
}

/// Returns the subject of the code window: the lane, or the settings at the explosion if they have
/// changed since.
fn code_of(lane: &Lane) -> CodeSubject {
    let now = lane.simulation.settings();
    match lane.simulation.failed_under().filter(|then| *then != now) {
        Some(then) => CodeSubject::Advised(card_title(lane), Box::new(*then)),
        None => CodeSubject::Lane(lane.color),
    }
}

/// Returns the title. It names the settings at the explosion if they have changed since.
fn card_title(lane: &Lane) -> String {
    match settings_at_failure(&lane.simulation) {
        Some(settings_at_failure) => format!("Why it exploded under {settings_at_failure}"),
        None => format!("Why {} exploded", lane.name),
    }
}

fn cause_ui(ui: &mut Ui, lane: &Lane, explanation: &Explanation) {
    let Explanation { headline, reason, seconds_until_end, .. } = explanation;
    let text = if explanation.cause == Cause::Holds {
        let seconds = seconds_in_words(*seconds_until_end);
        format!(
            "Replayed with the recorded mouse input, {} did not explode within {seconds}; the \
            cause is unknown.",
            lane.name
        )
    } else if explodes_at_another_time(lane, explanation) {
        format!("Replayed from the start of the scene under these settings: {headline}")
    } else {
        headline.clone()
    };
    ui.add(egui::Label::new(text).wrap().selectable(true)).marked("cause");
    if !reason.is_empty() {
        let reason = RichText::new(reason).color(theme::quiet());
        ui.add(egui::Label::new(reason).wrap().selectable(true));
    }
}

/// True if the lane and its replay explode at different times. The replay has the same settings
/// from the start, so the lane's settings or scene must have changed during its run.
fn explodes_at_another_time(lane: &Lane, explanation: &Explanation) -> bool {
    let simulation = &lane.simulation;
    let times = simulation.explosion().zip(explanation.explosion);
    let dt = simulation.settings().dt.max(simulation.plan().dt);
    times.is_some_and(|(own, explained)| (own.t - explained.t).abs() > 1.5 * dt)
}

/// Draws the progress of the search for remedies. Returns true if the user cancelled the search.
fn progress_ui(ui: &mut Ui, answer: &Answer) -> bool {
    let mut cancelled = false;
    if answer.failed {
        ui.label("The explanation could not be computed.");
    } else if !answer.done {
        ui.horizontal(|ui| {
            let tip = "Stops the search; the remedies found so far stay";
            cancelled = pressed(ui.button("Cancel"), "cancel remedies", tip);
            let fraction = answer.progress as f32;
            let text = format!("trying remedies, {}", percent_to(answer.progress, 0));
            ui.add(ProgressBar::new(fraction).text(text));
        });
    }
    cancelled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::session_of;
    use crate::measure::Explosion;
    use crate::session::Session;

    /// Draws an explanation that needs `needed` points in a column of 700 points. Returns its drawn
    /// height, and true if plots fit below it.
    fn column(needed: f32, has_plots: bool) -> (f32, bool) {
        let (mut height, mut left) = (0.0, false);
        let mut app = |ui: &mut Ui| {
            let top = ui.cursor().top();
            left = explanation_ui(ui, has_plots, |ui| {
                ui.allocate_space(egui::vec2(10.0, needed));
            });
            height = ui.cursor().top() - top;
        };
        let mut harness =
            egui_kittest::Harness::builder().with_size([320.0, 700.0]).build_ui(&mut app);
        harness.run_steps(3);
        drop(harness);
        (height, left)
    }

    #[test]
    fn an_explanation_takes_the_height_that_it_needs_and_plots_the_rest() {
        let (height, plots) = column(420.0, true);
        assert!(
            (420.0..450.0).contains(&height) && plots,
            "height {height}, room for plots: {plots}"
        );
        let (height, plots) = column(640.0, true);
        assert!(height > 640.0 && !plots, "height {height}, room for plots: {plots}");
        let (height, plots) = column(2000.0, true);
        assert!(
            height > 650.0 && height < 710.0 && !plots,
            "height {height}, room for plots: {plots}"
        );
        assert!(!column(100.0, false).1);
    }

    fn exploded_session() -> Session {
        let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0))], \
                    links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 1e6)], \
                    pins: [(of: Particle(0))], lanes: [(name: \"stiff\", settings: \
                    (integrator: ExplicitEuler, dt: 0.01))])";
        let mut session = session_of(text);
        session.advance(1.0, &|| 0.0);
        session
    }

    #[test]
    fn a_replay_that_explodes_at_another_time_is_called_a_replay() {
        let session = exploded_session();
        let lane = &session.lanes()[0];
        let own = lane.simulation.explosion().expect("it explodes");
        let explained = |t: f64| Explanation {
            cause: Cause::StepTooLong,
            headline: String::new(),
            reason: String::new(),
            explosion: Some(Explosion { t, ..own }),
            seconds_until_end: t,
            cost_per_frame: 1e-6,
            mode: None,
            longest_step: None,
            symptoms: Vec::new(),
            remedies: Vec::new(),
        };
        assert!(!explodes_at_another_time(lane, &explained(own.t)));
        assert!(explodes_at_another_time(lane, &explained(own.t + 1.0)));
    }

    #[test]
    fn the_title_blames_what_was_in_force() {
        use crate::simulation::settings::{Command, Settings};
        let mut session = exploded_session();
        assert_eq!(card_title(&session.lanes()[0]), "Why stiff exploded");
        assert_eq!(code_of(&session.lanes()[0]), CodeSubject::Lane(0));
        let integrator = crate::integrate::Method::Rk4;
        let settings = Settings { integrator, ..*session.lanes()[0].simulation.settings() };
        session.command(Command::Configure { lane: 0, settings });
        assert_eq!(card_title(&session.lanes()[0]), "Why it exploded under explicit Euler");
        let CodeSubject::Advised(_, shown) = code_of(&session.lanes()[0]) else {
            panic!("its code")
        };
        assert_eq!(shown.integrator, crate::integrate::Method::ExplicitEuler);
    }
}
