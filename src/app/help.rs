//! F1: all keys, and what the mouse does.

use super::input::{KEYS, MOUSE};
use super::theme;
use egui_macroquad::egui::{self, Align2, RichText, Ui};

/// The window with all keys.
pub fn help_ui(ctx: &egui::Context, open: &mut bool) {
    let room = ctx.screen_rect().size() - egui::vec2(48.0, 96.0);
    egui::Window::new("Keys and mouse")
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .max_size(room)
        .default_height(room.y)
        .show(ctx, |ui| {
            egui::ScrollArea::vertical().max_height(room.y).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = 28.0;
                    ui.vertical(|ui| groups_ui(ui, &["Time", "Scene", "Window"]));
                    ui.vertical(|ui| groups_ui(ui, &["Selected lane", "View"]));
                    ui.vertical(|ui| {
                        groups_ui(ui, &["Hand"]);
                        mouse_ui(ui);
                    });
                });
            });
        });
}

fn groups_ui(ui: &mut Ui, titles: &[&str]) {
    for (title, bindings) in KEYS.iter().filter(|(title, _)| titles.contains(title)) {
        let rows = bindings
            .iter()
            .map(|binding| (binding.names().collect::<Vec<_>>().join("  "), binding.says));
        table_ui(ui, title, rows);
    }
}

fn mouse_ui(ui: &mut Ui) {
    table_ui(ui, "Mouse", MOUSE.iter().map(|(gesture, says)| ((*gesture).to_owned(), *says)));
}

fn table_ui(ui: &mut Ui, title: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    ui.label(RichText::new(title).color(theme::ACCENT));
    ui.spacing_mut().interact_size.y = 17.0;
    let grid = egui::Grid::new(("keys", title)).num_columns(2).spacing([16.0, 2.0]);
    grid.min_col_width(122.0).show(ui, |ui| {
        for (keys, says) in rows {
            ui.label(RichText::new(keys).monospace());
            ui.label(RichText::new(says).color(theme::QUIET));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_keys_has_its_place() {
        let shown = ["Time", "Scene", "Selected lane", "View", "Window", "Hand"];
        assert!(KEYS.iter().all(|(title, _)| shown.contains(title)));
    }
}
