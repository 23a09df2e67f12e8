//! Replacement of the scene with another scene or a recording.

use super::App;
use crate::app::disk::scene_source::{LoadedScene, Source};
use crate::app::input::actions::Action;
use crate::app::laboratory;
use crate::app::laboratory::Replayed;
use crate::app::panel;
use crate::session::recording::Recording;
use crate::simulation::settings::Command;

impl App {
    pub(super) fn open(&mut self, source: Source) {
        match source.load() {
            Ok(loaded) => self.show(loaded, source),
            Err(e) => self.messages.error("scene", e.to_string()),
        }
    }

    fn show(&mut self, loaded: LoadedScene, source: Source) {
        self.disk.waits_for_file = false;
        self.messages.remove("scene");
        self.messages.remove("comparison");
        let slow = self.laboratory.session().scene().annotations.speed.is_some();
        self.laboratory.replace(loaded, source);
        if slow {
            self.laboratory.command(Command::Speed(1.0));
        }
        self.apply_scene_annotations();
        self.answers.forget();
        self.scene.forget();
        self.plots.picked.forget();
        self.tools.forget();
        self.follow_file();
        self.report_warnings();
    }

    /// Replaces the scene with a recording and replays it.
    pub(super) fn open_recording(&mut self, path: &std::path::Path) {
        let file = path.display().to_string();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) => return self.messages.error("scene", format!("cannot read {file}: {e}")),
        };
        match Recording::read(&bytes, &file) {
            Ok(recording) => {
                let (loaded, source) = laboratory::recorded_scene(&recording);
                self.show(loaded, source);
                self.laboratory.replay(&recording);
            }
            Err(e) => self.messages.error("scene", e.to_string()),
        }
    }

    pub(in crate::app) fn report_finished_replay(&mut self) {
        let Some(Replayed { compared, same_bits }) = self.laboratory.take_replayed() else {
            return;
        };
        if same_bits && compared == 0 {
            let text = "The recording is too short to contain a state, so its bits could not be \
                        compared. ▶ in the time bar plays the recording; Space continues from \
                        the shown moment.";
            self.messages.note("recording", text, self.clock.now());
        } else if same_bits {
            let text = format!(
                "The recording repeats with the same bits at {compared} moments. ▶ in the time bar \
                 plays it; Space continues from the shown moment."
            );
            self.messages.note("recording", text, self.clock.now());
        } else {
            let text = "The replay differs from the recording: another build of ropelab recorded \
                        it, or the file was changed. `ropelab replay FILE --verify` names the first \
                        moment, lane and particle that differ.";
            self.messages.error("recording", text);
        }
    }

    /// Reads the scene file again. Asks first if this would drop unsaved edits.
    pub(super) fn reload(&mut self) {
        let edits = match self.laboratory.source().load() {
            Ok(_) if self.disk.waits_for_file => self.laboratory.unsaved_edits(),
            Ok(loaded) => self.laboratory.edits_lost_by_reload(&loaded),
            // The message about the mistake in the file is shown later.
            Err(_) => Vec::new(),
        };
        if edits.is_empty() {
            self.reload_at_once();
        } else {
            self.ask_before(Action::Reload, edits);
        }
    }

    /// Reads the scene file again without asking. The camera stays in place.
    pub(super) fn reload_at_once(&mut self) {
        if self.disk.waits_for_file {
            return self.open(self.laboratory.source().clone());
        }
        match self.laboratory.source().load() {
            Ok(loaded) => {
                self.messages.remove("scene");
                self.laboratory.reload(loaded);
                self.answers.forget();
                self.tools.hand.forget();
                self.messages.note("reload", "Scene reloaded", self.clock.now());
                self.report_warnings();
            }
            Err(e) => self.messages.error("scene", e.to_string()),
        }
    }

    /// Shows a message about bodies that overlap at the start and pins that jump in the first step.
    pub(super) fn report_warnings(&mut self) {
        let warnings = self.laboratory.session().scene().warnings();
        if !warnings.is_empty() {
            self.messages.note("overlaps", warnings.join(". "), self.clock.now());
        }
    }

    /// Shows a message if the user has replaced values on which the scene's caption or a closed
    /// form depends.
    pub(super) fn report_replaced_numbers(&mut self) {
        self.panel.dials.follow(&self.laboratory);
        let replaced = self.panel.dials.replaced();
        let valid = self.panel.dials.validity();
        let is_news = self.scene.annotations.update(&self.laboratory, replaced.clone(), valid);
        let scene = self.laboratory.session().scene();
        let claims = scene.annotations.readings.iter().any(|it| it.value.is_some());
        match replaced.filter(|_| claims || panel::has_numbers(&scene.look_for)) {
            Some(replaced) if is_news => {
                self.messages.note("caption", panel::caption_note(&replaced), self.clock.now());
            }
            Some(_) => {}
            None => self.messages.remove("caption"),
        }
    }

    pub(in crate::app) fn follow_file(&mut self) {
        self.disk.watch.follow(self.laboratory.source().file());
    }
}
