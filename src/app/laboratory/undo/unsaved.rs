//! Edits that would be lost with the session.

use crate::app::disk::scene_source::LoadedScene;
use crate::app::laboratory::Laboratory;
use crate::app::laboratory::edits::{Edit, EditKind, name_of};

impl Laboratory {
    /// Returns the names of the unsaved edits that are lost with the session. Edits that a restart
    /// of the scene would also drop (a drag, a cut, a pin, a throw) do not count. Changed settings
    /// count only together with other edits, because users often try settings without intending to
    /// save them.
    pub fn unsaved_edits(&self) -> Vec<&'static str> {
        let is_work =
            |kind: &EditKind| survives_restart(kind) && !matches!(kind, EditKind::Settings { .. });
        if self.unsaved_edits_of(is_work).is_empty() {
            return Vec::new();
        }
        self.unsaved_edits_of(survives_restart)
    }

    /// Returns the names of the unsaved edits that are lost when the changed scene file replaces
    /// the scene. Settings and lanes stay, unless the lanes in the file have changed.
    pub fn edits_lost_by_reload(&self, loaded: &LoadedScene) -> Vec<&'static str> {
        if !self.keeps_lanes_of(loaded) {
            return self.unsaved_edits();
        }
        self.unsaved_edits_of(|kind| matches!(kind, EditKind::Scene { .. }) || is_built(kind))
    }

    fn unsaved_edits_of(&self, is_lost: fn(&EditKind) -> bool) -> Vec<&'static str> {
        let is_unsaved = |edit: &&Edit| !self.edits.saved.contains(&(edit.id, edit.last));
        let edits = self.edits.lists.done.iter().filter(|edit| is_lost(&edit.kind));
        edits.filter(is_unsaved).map(|edit| name_of(&edit.kind)).collect()
    }

    /// Counts all edits in effect as saved, because they are now in a file.
    pub fn mark_edits_saved(&mut self) {
        self.edits.saved = self.edits.lists.done.iter().map(|edit| (edit.id, edit.last)).collect();
    }
}

fn is_built(kind: &EditKind) -> bool {
    matches!(kind, EditKind::Hand { is_built: true, .. })
}

fn survives_restart(kind: &EditKind) -> bool {
    match kind {
        EditKind::Hand { is_built, .. } => *is_built,
        EditKind::Settings { .. }
        | EditKind::Scene { .. }
        | EditKind::Lane { .. }
        | EditKind::Lanes { .. } => true,
        // The removed edit is no longer in effect, so it cannot be lost.
        EditKind::Removal(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Method;
    use crate::simulation::scene_edit::SceneEdit;
    use crate::simulation::settings::{Command, Settings};
    use glam::DVec3;

    const ROPE: &str = "(version: 1, name: \"rope\", ropes: [(name: \"rope\", from: (0, 0, 0), \
                        to: (1, 0, 0))], pins: [(of: Start(\"rope\"))])";

    fn loaded(text: &str) -> LoadedScene {
        let scene = crate::scene::Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        LoadedScene { scene, file: "scene".into(), text: text.into(), meshes: Vec::new() }
    }

    fn build(laboratory: &mut Laboratory) {
        let ball = SceneEdit::AddBall { at: DVec3::Y, radius: 0.1, mass: 1.0 };
        laboratory.edit_scene(ball).expect("a ball");
    }

    #[test]
    fn edits_that_a_restart_keeps_are_unsaved_until_they_are_saved_or_undone() {
        let mut laboratory = Laboratory::of_text(ROPE);
        laboratory.whole_frames(3);
        laboratory.command(Command::Pause(true));
        laboratory.command(Command::TogglePin(3));
        assert_eq!(laboratory.unsaved_edits(), [""; 0], "a restart frees the particle as well");
        build(&mut laboratory);
        assert_eq!(laboratory.unsaved_edits(), ["the new ball"]);
        laboratory.mark_edits_saved();
        assert_eq!(laboratory.unsaved_edits(), [""; 0]);
        let settings = *laboratory.selected().simulation.settings();
        let settings = Settings { integrator: Method::ImplicitEuler, ..settings };
        laboratory.configure_selected(settings).expect("good settings");
        assert_eq!(laboratory.unsaved_edits(), [""; 0], "settings are to be tried");
        build(&mut laboratory);
        assert_eq!(laboratory.unsaved_edits(), ["the change of integrator", "the new ball"]);
        laboratory.undo();
        assert_eq!(laboratory.unsaved_edits(), [""; 0]);
    }

    #[test]
    fn a_reload_loses_bodies_and_keeps_lanes_unless_the_file_has_others() {
        let mut laboratory = Laboratory::of_text(ROPE);
        laboratory.command(Command::DuplicateLane(0));
        let same = loaded(&ROPE.replace("1, 0, 0", "2, 0, 0"));
        assert_eq!(laboratory.edits_lost_by_reload(&same), [""; 0]);
        let lanes = ", lanes: [(name: \"mine\"), (name: \"other\")])";
        let other = loaded(&format!("{}{lanes}", ROPE.strip_suffix(')').expect("an end")));
        assert_eq!(laboratory.edits_lost_by_reload(&other), ["the new lane"]);
        build(&mut laboratory);
        assert_eq!(laboratory.edits_lost_by_reload(&same), ["the new ball"]);
    }

    #[test]
    fn edits_of_a_recording_are_saved_in_it() {
        let mut laboratory = Laboratory::of_text(ROPE);
        build(&mut laboratory);
        laboratory.whole_frames(3);
        let recording = laboratory.recorded();
        let mut replayed = Laboratory::of_text(ROPE);
        replayed.replay(&recording);
        replayed.frames_until(|it| !it.is_replaying());
        assert_eq!(replayed.edits().count(), 1);
        assert_eq!(replayed.unsaved_edits(), [""; 0]);
    }
}
