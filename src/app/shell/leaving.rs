//! Question before unsaved edits are dropped. It is asked before another scene is opened, a changed
//! scene file is loaded, or the window is closed.

use super::App;
use super::state::{Answer, LeaveQuestion};
use crate::app::bars::lesson::tour;
use crate::app::disk::scene_source::Source;
use crate::app::input::actions::{Action, WindowAction};
use crate::session::recording::is_recording;
use egui_macroquad::egui;

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

    /// Replaces or ends the session. Asks first if this would drop unsaved edits; a repeated
    /// request answers the question.
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
        // The animation is cancelled, because it would show the question.
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
