//! Opening and saving of files: the dialog inside the window, a typed path, and files dropped on
//! the window.

use crate::app::disk::saving::{self, file_stem};
use crate::app::input::actions::{Action, RequestActions};
use crate::app::theme;
use directories::UserDirs;
use egui_file_dialog::{DialogState, FileDialog, FileDialogKeyBindings};
use egui_macroquad::egui::{self, Event, Key, RichText};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
pub struct Files {
    dialog: FileDialog,
    saving: bool,
    /// Path that is being typed; `None` while the dialog is in use.
    typed: Option<String>,
}

impl Files {
    pub fn new() -> Self {
        let dialog = FileDialog::new()
            .title("Open a scene")
            .default_size([720.0, 460.0])
            .min_size([420.0, 260.0])
            .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
            .add_file_filter("Scenes (*.ron)", Arc::new(is_ron))
            .add_file_filter("Recordings (*.rec)", Arc::new(is_rec))
            .default_file_filter("Scenes (*.ron)")
            // A slash would open the dialog's own path field, which already contains the folder.
            // That field's keys are off, so a slash begins an empty path in `path_ui`.
            .keybindings(FileDialogKeyBindings {
                edit_path: Vec::new(),
                home_edit_path: Vec::new(),
                ..FileDialogKeyBindings::default()
            });
        Self { dialog, saving: false, typed: None }
    }

    pub fn show(&mut self) {
        self.saving = false;
        self.begin_in_first_folder();
        self.dialog.config_mut().title = Some("Open a scene".to_owned());
        self.dialog.pick_file();
    }

    /// Shows the dialog for saving the scene under a new name.
    pub fn show_saving(&mut self, scene: &str) {
        self.saving = true;
        self.begin_in_first_folder();
        let config = self.dialog.config_mut();
        config.title = Some("Save the scene with its lanes as they are".to_owned());
        config.default_file_name = format!("{}.ron", file_stem(scene));
        self.dialog.save_file();
    }

    /// Sets the dialog's first folder: the folder for saved files if the environment names one,
    /// otherwise `scenes`, otherwise the current folder. Later dialogs begin in the folder of the
    /// last chosen file.
    fn begin_in_first_folder(&mut self) {
        let chosen = saving::chosen_folder().filter(|folder| {
            // The dialog for saving creates this folder. If that fails, another folder is used.
            folder.is_dir() || self.saving && std::fs::create_dir_all(folder).is_ok()
        });
        let current = || {
            let here = std::env::current_dir().ok()?;
            let scenes = here.join("scenes");
            Some(if scenes.is_dir() { scenes } else { here })
        };
        if let Some(folder) = chosen.or_else(current) {
            self.dialog.config_mut().initial_directory = folder;
        }
    }

    /// True if the dialog is open and receives key presses.
    pub fn open(&self) -> bool {
        self.dialog.state() == DialogState::Open
    }

    /// Draws the dialog, and requests actions for a chosen file and for dropped files.
    pub fn files_ui(&mut self, ctx: &egui::Context) {
        self.begin_path(ctx);
        let picked = if self.typed.is_some() {
            self.path_ui(ctx)
        } else {
            let style = ctx.style();
            if self.open() && !self.saving {
                // The dialog writes the name of the chosen file in the selection colour.
                ctx.style_mut(theme::select_by_accent);
            }
            self.dialog.update(ctx);
            ctx.set_style(style);
            self.dialog.take_picked()
        };
        let then = if self.saving { Action::SaveScene } else { Action::Open };
        ctx.request_all(picked.map(then));
        let dropped = macroquad::input::get_dropped_files();
        ctx.request_all(dropped.into_iter().find_map(|file| file.path).map(Action::Open));
    }

    /// Begins a typed path when the user types a slash or a tilde, as on a command line, unless a
    /// field has the focus. All other characters go to the dialog's search.
    fn begin_path(&mut self, ctx: &egui::Context) {
        let is_listening = self.open() && self.typed.is_none();
        if !is_listening || ctx.memory(|memory| memory.focused().is_some()) {
            return;
        }
        let mut path = String::new();
        ctx.input_mut(|input| {
            input.events.retain(|event| match event {
                Event::Text(text) if !path.is_empty() || ["/", "~"].contains(&&**text) => {
                    path.push_str(text);
                    false
                }
                _ => true,
            });
        });
        self.typed = Some(path).filter(|path| !path.is_empty());
    }

    /// Draws the field for a typed path instead of the dialog. Returns the path once it is entered.
    fn path_ui(&mut self, ctx: &egui::Context) -> Option<PathBuf> {
        let typed = self.typed.as_mut()?;
        let title = if self.saving { "Save as" } else { "Open" };
        let modal = egui::Modal::new(egui::Id::new("typed path")).show(ctx, |ui| {
            ui.label(RichText::new(title).strong());
            let line = egui::TextEdit::singleline(typed).desired_width(520.0).show(ui);
            if !line.response.has_focus() && !line.response.lost_focus() {
                line.response.request_focus();
                let mut state = line.state;
                let end = egui::text::CCursor::new(typed.chars().count());
                state.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
                state.store(ctx, line.response.id);
            }
            ui.label(
                RichText::new("Enter confirms the path, Esc returns to the list")
                    .color(theme::quiet()),
            );
        });
        let [enter, escape] =
            [Key::Enter, Key::Escape].map(|key| ctx.input(|i| i.key_pressed(key)));
        if escape || modal.backdrop_response.clicked() {
            self.typed = None;
        }
        if !enter {
            return None;
        }
        let path = with_home(&self.typed.take()?);
        if path.is_dir() {
            self.dialog.config_mut().initial_directory = path;
            if self.saving {
                self.dialog.save_file()
            } else {
                self.dialog.pick_file()
            }
            return None;
        }
        *self = Self { saving: self.saving, ..Self::new() };
        Some(path)
    }
}

/// Replaces a leading `~` in a typed path with the user's home folder.
fn with_home(typed: &str) -> PathBuf {
    let typed = typed.trim();
    let home = || UserDirs::new().map(|user| user.home_dir().to_owned());
    match typed.strip_prefix('~').map(|rest| (rest.trim_start_matches('/'), home())) {
        Some((rest, Some(home))) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

fn is_ron(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"))
}

fn is_rec(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("rec"))
}
