//! The help (F1): all keys and mouse gestures.

use crate::app::input::{KEYS, MOUSE};
use crate::app::theme;
use egui_macroquad::egui::{self, Align2, RichText, Ui};

const TITLE: &str = "Keys and mouse";
const MOUSE_TITLE: &str = "Mouse";

/// Groups of keys, arranged in three columns, in two, and in one, depending on the window's width.
const THREE: &[&[&str]] =
    &[&["Time", "Scene", "Window"], &["Selected lane", "View"], &["Hand", MOUSE_TITLE]];
const TWO: &[&[&str]] =
    &[&["Time", "Scene", "Window", "Hand"], &["Selected lane", "View", MOUSE_TITLE]];
const ONE: &[&[&str]] =
    &[&["Time", "Scene", "Selected lane", "View", "Hand", MOUSE_TITLE, "Window"]];

fn columns_in(width: f32) -> &'static [&'static [&'static str]] {
    match width {
        1216.0.. => THREE,
        940.0.. => TWO,
        _ => ONE,
    }
}

pub fn help_ui(ctx: &egui::Context, open: &mut bool) {
    let room = ctx.screen_rect().size() - egui::vec2(48.0, 96.0);
    egui::Window::new(TITLE)
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
                    for titles in columns_in(room.x) {
                        ui.vertical(|ui| titles.iter().for_each(|title| group_ui(ui, title)));
                    }
                });
            });
        });
}

fn group_ui(ui: &mut Ui, title: &str) {
    if title == MOUSE_TITLE {
        let rows = MOUSE.iter().map(|(gesture, description)| ((*gesture).to_owned(), *description));
        table_ui(ui, title, rows);
    }
    for (_, bindings) in KEYS.iter().filter(|(group, _)| *group == title) {
        let rows = bindings
            .iter()
            .map(|binding| (binding.names().collect::<Vec<_>>().join("  "), binding.description));
        table_ui(ui, title, rows);
    }
}

fn table_ui(ui: &mut Ui, title: &str, rows: impl Iterator<Item = (String, &'static str)>) {
    ui.label(RichText::new(title).color(theme::accent()));
    ui.spacing_mut().interact_size.y = 17.0;
    let grid = egui::Grid::new(("keys", title)).num_columns(2).spacing([16.0, 2.0]);
    grid.min_col_width(122.0).show(ui, |ui| {
        for (keys, description) in rows {
            ui.label(RichText::new(keys).monospace());
            ui.label(RichText::new(description).color(theme::quiet()));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_margins_in_windows_of_every_width() {
        for width in [640.0, 800.0, 890.0, 990.0, 1100.0, 1230.0, 1280.0, 1366.0, 1920.0] {
            let app = |ctx: &egui::Context| {
                theme::apply(ctx);
                help_ui(ctx, &mut true);
            };
            let size = egui::vec2(width, 720.0);
            let mut harness = egui_kittest::Harness::builder().with_size(size).build(app);
            harness.run_steps(4);
            let window = egui::Id::new(TITLE);
            let rect = harness.ctx.memory(|memory| memory.area_rect(window));
            let rect = rect.expect("the help is open");
            assert!(rect.left() >= 16.0 && rect.right() <= width - 16.0, "{rect:?} in {width}");
        }
    }

    #[test]
    fn every_group_of_keys_has_its_place() {
        for columns in [ONE, TWO, THREE] {
            let shown: Vec<_> = columns.iter().flat_map(|titles| titles.iter()).collect();
            assert!(KEYS.iter().all(|(title, _)| shown.contains(&title)), "{shown:?}");
            assert!(shown.contains(&&MOUSE_TITLE) && shown.len() == KEYS.len() + 1);
        }
    }
}
