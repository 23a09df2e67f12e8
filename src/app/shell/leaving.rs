//! Question before unsaved edits are dropped: another scene is opened, the scene is replaced by its
//! changed file, or the window is closed.

use super::App;
use super::undoing::named_edits;
use crate::app::bars::lesson::tour;
use crate::app::disk::scene_source::Source;
use crate::app::input::actions::{Action, WindowAction};
use crate::app::theme;
use crate::app::widgets::pressed;
use crate::session::recording::is_recording;
use egui_macroquad::egui::{self, RichText};
use itertools::Itertools;

const WIDTH: f32 = 400.0;

/// Question whether an action may drop unsaved edits.
pub(in crate::app) struct LeaveQuestion {
    action: Action,
    /// Names of the edits, each once.
    edits: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Leave,
    Save,
    Stay,
}

/// Question, and the labels of the buttons that drop and that keep the edits.
struct QuestionTexts {
    title: &'static str,
    leave: &'static str,
    stay: &'static str,
}

impl LeaveQuestion {
    fn new(action: Action, edits: Vec<&'static str>) -> Self {
        Self { action, edits: edits.into_iter().unique().collect() }
    }

    /// True for an action of a key that the open question lets through: the action itself, which
    /// answers the question, and others that end the question or the window.
    pub fn admits(&self, action: &Action) -> bool {
        let ends = matches!(action, Action::Window(WindowAction::Close | WindowAction::Quit));
        ends || *action == self.action
    }

    fn texts(&self) -> QuestionTexts {
        let (title, leave, stay) = match &self.action {
            Action::Reload => ("Read the scene's file again?", "Read it again", "Keep my edits"),
            Action::Window(WindowAction::Quit) => ("Quit?", "Quit without saving", "Stay"),
            _ => ("Leave this session?", "Leave without saving", "Stay"),
        };
        QuestionTexts { title, leave, stay }
    }

    /// Returns the key that answers the question when it is pressed again.
    fn key(&self) -> Option<&'static str> {
        match self.action {
            Action::Window(WindowAction::Quit) => Some("Ctrl+Q"),
            Action::NextScene { forward: true } => Some("]"),
            Action::NextScene { forward: false } => Some("["),
            _ => None,
        }
    }

    /// Draws the question over everything else. Returns the answer once the user has given it.
    fn ask_ui(&self, ctx: &egui::Context) -> Option<Answer> {
        let QuestionTexts { title, leave, stay } = self.texts();
        let modal = egui::Modal::new(egui::Id::new("unsaved edits")).show(ctx, |ui| {
            ui.set_width(WIDTH.min(ctx.screen_rect().width() - 40.0));
            ui.label(RichText::new(title).strong());
            ui.label(format!("These edits are not saved: {}.", named_edits(&self.edits)));
            if let Some(key) = self.key() {
                let text = format!("{key} again drops them, Esc keeps them.");
                ui.label(RichText::new(text).color(theme::quiet()));
            }
            let answers = [
                (Answer::Save, "Save the scene…", "Opens the dialog for saving the scene"),
                (Answer::Leave, leave, "Drops the edits"),
                (Answer::Stay, stay, "Keeps the session with its edits (Esc)"),
            ];
            let mut given = None;
            ui.horizontal(|ui| {
                for (answer, text, tip) in answers {
                    if pressed(ui.button(text), format_args!("question: {answer:?}"), tip) {
                        given = Some(answer);
                    }
                }
            });
            given
        });
        let is_outside = modal.backdrop_response.clicked();
        modal.inner.or(is_outside.then_some(Answer::Stay))
    }
}

impl App {
    /// Draws the question about unsaved edits and carries out its answer.
    pub(in crate::app) fn question_ui(&mut self, ctx: &egui::Context) {
        let Some(answer) = self.question.as_ref().and_then(|question| question.ask_ui(ctx)) else {
            return;
        };
        let Some(LeaveQuestion { action, .. }) = self.question.take() else { return };
        match answer {
            Answer::Leave => self.leave_session(action),
            Answer::Save => self.act(Action::ShowSaveDialog),
            Answer::Stay => {}
        }
    }

    /// Replaces or ends the session, or asks first if this would drop unsaved edits. The same
    /// request a second time answers the question.
    pub(super) fn leave_or_ask(&mut self, action: Action) {
        let is_answer = self.question.as_ref().is_some_and(|question| question.action == action);
        let is_recorded =
            action == Action::Window(WindowAction::Quit) && self.laboratory.is_recorded_to_file();
        let edits = self.laboratory.unsaved_edits();
        if is_answer || is_recorded || edits.is_empty() {
            self.leave_session(action);
        } else {
            self.ask_before(action, edits);
        }
    }

    pub(super) fn ask_before(&mut self, action: Action, edits: Vec<&'static str>) {
        // The question would be part of the animation.
        self.disk.film.cancel(&mut self.laboratory);
        self.question = Some(LeaveQuestion::new(action, edits));
    }

    /// Carries out an action that replaces or ends the session.
    pub(super) fn leave_session(&mut self, action: Action) {
        self.question = None;
        match action {
            Action::Reload => self.reload_at_once(),
            Action::Open(path) if is_recording(&path).unwrap_or(false) => {
                self.open_recording(&path)
            }
            Action::Open(path) => self.open(Source::File(path)),
            Action::OpenListed(index) => self.open(Source::Listed(index)),
            Action::NextScene { forward } => self.open(self.laboratory.source().neighbour(forward)),
            Action::BeginTour => {
                self.preferences.welcomed = false;
                let first = tour().next().unwrap_or(0);
                self.open(Source::Listed(first));
            }
            Action::Window(WindowAction::Quit) => self.quit(),
            other => self.act(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::widgets::marks;
    use egui_kittest::Harness;

    #[test]
    fn the_question_names_the_edits_and_takes_each_answer() {
        marks::remember_widgets(true);
        let edits = vec!["the new rope", "the cut", "the new rope", "the tie", "the new ball"];
        let question = LeaveQuestion::new(Action::NextScene { forward: true }, edits);
        let app = |ctx: &egui::Context, (answer, texts): &mut (Option<Answer>, String)| {
            *answer = answer.or(question.ask_ui(ctx));
            *texts = question.texts().title.to_owned() + &named_edits(&question.edits);
        };
        for expected in [Answer::Leave, Answer::Save, Answer::Stay] {
            let mut harness = Harness::new_state(app, (None, String::new()));
            harness.run_steps(3);
            assert!(harness.state().1.ends_with("the new rope, the cut, the tie and 1 more"));
            let button = marks::take_widgets(&harness.ctx)[&format!("question: {expected:?}")];
            for pressed in [true, false] {
                harness.input_mut().events.push(egui::Event::PointerButton {
                    pos: button.center(),
                    button: egui::PointerButton::Primary,
                    pressed,
                    modifiers: egui::Modifiers::NONE,
                });
                harness.run_steps(1);
            }
            assert_eq!(harness.state().0, Some(expected));
        }
    }

    #[test]
    fn only_keys_that_answer_the_question_work_while_it_is_open() {
        let question = LeaveQuestion::new(Action::NextScene { forward: true }, vec!["the cut"]);
        let [quit, close] = [WindowAction::Quit, WindowAction::Close].map(Action::Window);
        for action in [Action::NextScene { forward: true }, quit, close] {
            assert!(question.admits(&action), "{action:?}");
        }
        let help = Action::Window(WindowAction::ToggleHelp);
        for action in [Action::NextScene { forward: false }, Action::Reset, help] {
            assert!(!question.admits(&action), "{action:?}");
        }
    }
}
