//! Question before unsaved edits are dropped.

use super::undo_request::named_edits;
use crate::app::input::actions::{Action, WindowAction};
use crate::app::theme;
use crate::app::widgets::pressed;
use egui_macroquad::egui::{self, RichText};
use itertools::Itertools;

const WIDTH: f32 = 400.0;

/// Question whether an action may drop unsaved edits.
pub struct LeaveQuestion {
    pub action: Action,
    /// Names of the edits, each once.
    edits: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
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
    pub fn new(action: Action, edits: Vec<&'static str>) -> Self {
        Self { action, edits: edits.into_iter().unique().collect() }
    }

    /// True if a key may request the action while the question is open. Permitted are the action
    /// itself, which answers the question, and actions that close the question or the window.
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
    pub fn ask_ui(&self, ctx: &egui::Context) -> Option<Answer> {
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
