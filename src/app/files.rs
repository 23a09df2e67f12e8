//! Opening files: the dialog inside the window and files that are dropped on it.

use super::actions::Action;
use super::saving::file_stem;
use egui_file_dialog::{DialogState, FileDialog};
use egui_macroquad::egui;
use std::path::Path;
use std::sync::Arc;

/// The file dialog.
#[derive(Debug)]
pub struct Files {
    dialog: FileDialog,
    saving: bool,
}

impl Files {
    /// A dialog that begins in `scenes` if the current folder has one.
    pub fn new() -> Self {
        let mut dialog = FileDialog::new()
            .title("Open a scene")
            .default_size([720.0, 460.0])
            .min_size([420.0, 260.0])
            .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
            .add_file_filter("Scenes (*.ron)", Arc::new(is_ron))
            .default_file_filter("Scenes (*.ron)");
        if let Ok(here) = std::env::current_dir() {
            let scenes = here.join("scenes");
            dialog = dialog.initial_directory(if scenes.is_dir() { scenes } else { here });
        }
        Self { dialog, saving: false }
    }

    /// Shows the dialog.
    pub fn show(&mut self) {
        self.saving = false;
        self.dialog.config_mut().title = Some("Open a scene".to_owned());
        self.dialog.pick_file();
    }

    /// Shows the dialog for a new name.
    pub fn show_saving(&mut self, scene: &str) {
        self.saving = true;
        let config = self.dialog.config_mut();
        config.title = Some("Save the scene with its lanes as they are".to_owned());
        config.default_file_name = format!("{}.ron", file_stem(scene));
        self.dialog.save_file();
    }

    /// Whether the dialog has the keys.
    pub fn open(&self) -> bool {
        self.dialog.state() == DialogState::Open
    }

    /// Draws the dialog and looks for dropped files.
    pub fn files_ui(&mut self, ctx: &egui::Context, actions: &mut Vec<Action>) {
        self.dialog.update(ctx);
        let then = if self.saving { Action::SaveScene } else { Action::Open };
        actions.extend(self.dialog.take_picked().map(then));
        let dropped = macroquad::input::get_dropped_files();
        actions.extend(dropped.into_iter().find_map(|file| file.path).map(Action::Open));
    }
}

fn is_ron(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"))
}
