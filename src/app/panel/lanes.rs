//! List of lanes (simulations of the scene that run side by side), with buttons to select, hide,
//! show alone, add, copy and remove lanes.

use crate::app::input::actions::CodeSubject;
use crate::app::input::actions::{Action, LaneAction, RequestActions, WindowAction};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{note_open_menu, pressed, swatch_ui};
use crate::preset::Preset;
use crate::simulation::settings::MOST_LANES;
use egui_macroquad::egui::{self, RichText, Ui};

pub fn lanes_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let selected = laboratory.selected().color;
    for lane in laboratory.session().lanes() {
        let color = lane.color;
        ui.horizontal(|ui| {
            swatch_ui(ui, color);
            let width = ui.available_width() - 62.0;
            let ink = if color == selected { theme::text() } else { theme::quiet() };
            let name = RichText::new(&lane.name).color(ink);
            let text = egui::Button::new(name).truncate().frame(false);
            let size = egui::vec2(width, ui.spacing().interact_size.y);
            let layout = egui::Layout::left_to_right(egui::Align::Center);
            let button = ui.allocate_ui_with_layout(size, layout, |ui| {
                ui.set_width(width);
                ui.add(text)
            });
            let mark = format_args!("select lane {}", lane.name);
            if pressed(button.inner, mark, format!("Select {}", lane.name)) {
                ui.request(Action::Lane(LaneAction::Select(color)));
            }
            switches_ui(ui, laboratory, color);
        });
    }
    buttons_ui(ui, laboratory);
    sharing_ui(ui, laboratory);
}

fn switches_ui(ui: &mut Ui, laboratory: &Laboratory, color: usize) {
    ui.spacing_mut().item_spacing.x = 2.0;
    let small = |text: &str, on: bool| {
        let ink = if on { theme::text() } else { theme::quiet().gamma_multiply(0.6) };
        egui::Button::new(RichText::new(text).color(ink)).min_size(egui::vec2(24.0, 22.0))
    };
    let shown = !laboratory.shown.hidden[color];
    let eye = ui.add(small("👁", shown));
    let tip = "Shows or hides this lane; a hidden lane keeps running";
    if pressed(eye, format_args!("show lane {color}"), tip) {
        ui.request(Action::Lane(LaneAction::ToggleHidden(color)));
    }
    let alone = laboratory.shown.solo == Some(color);
    let solo = ui.add(small("S", alone).selected(alone));
    if pressed(
        solo,
        format_args!("solo lane {color}"),
        "Solo: shows this lane alone, or all \
        lanes again",
    ) {
        ui.request(Action::Lane(LaneAction::ToggleSolo(color)));
    }
}

fn buttons_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let lanes = laboratory.session().lanes().len();
    ui.horizontal(|ui| {
        ui.add_enabled_ui(lanes < MOST_LANES, |ui| {
            let tip = "Adds a lane with the settings of the selected lane, at the scene's initial \
                state. Restart the scene (R) to bring all lanes to the same time.";
            if pressed(ui.button("Add"), "add lane", tip) {
                ui.request(Action::Lane(LaneAction::AddLane));
            }
            let tip = "Adds a copy of the selected lane in its present state";
            if pressed(ui.button("Duplicate"), "duplicate lane", tip) {
                ui.request(Action::Lane(LaneAction::DuplicateLane));
            }
        });
        ui.add_enabled_ui(lanes > 1, |ui| {
            if pressed(ui.button("Remove"), "remove lane", "Removes the selected lane") {
                ui.request(Action::Lane(LaneAction::RemoveLane));
            }
        });
    });
}

/// Draws the menus for starting a comparison and for exporting settings.
fn sharing_ui(ui: &mut Ui, laboratory: &Laboratory) {
    ui.horizontal(|ui| {
        let menu = ui.menu_button("Compare", |ui| {
            note_open_menu(ui.ctx());
            for preset in Preset::ALL {
                let title = preset.title();
                if pressed(ui.button(title), title, preset.verdict()) {
                    ui.request(Action::Lane(LaneAction::Compare(preset)));
                    ui.close_menu();
                }
            }
        });
        let tip = "Replaces the lanes by those of a prepared comparison; distances are measured \
            from its first lane";
        menu.response.marked("compare").on_hover_text(tip);
        let own = ui.add_enabled(laboratory.has_other_lanes(), egui::Button::new("Scene's own"));
        let tip = "Restores the lanes and settings of the scene file (Backspace)";
        if pressed(own, "scene's own lanes", tip) {
            ui.request(Action::Lane(LaneAction::RestoreLanes));
        }
        let color = laboratory.selected().color;
        ui.menu_button("More", |ui| more_ui(ui, color)).response.marked("more");
    });
}

/// Draws the menu of rarely used actions: export of code, scene and settings.
fn more_ui(ui: &mut Ui, selected: usize) {
    note_open_menu(ui.ctx());
    ui.set_min_width(190.0);
    for (text, tip, action) in [
        (
            "Code of a step",
            "Shows one step of this lane as plain code to copy into your own program",
            Action::Window(WindowAction::ShowCode(CodeSubject::Lane(selected))),
        ),
        (
            "Save the scene…",
            "Saves the scene with these lanes and pins to a file",
            Action::ShowSaveDialog,
        ),
        (
            "Copy settings as RON",
            "Copies this lane's settings to the clipboard, in the notation of scene files",
            Action::Lane(LaneAction::CopySettings),
        ),
        (
            "Paste settings",
            "Gives this lane the settings on the clipboard, written as settings: (…)",
            Action::Lane(LaneAction::PasteSettings),
        ),
    ] {
        if pressed(ui.button(text), text, tip) {
            ui.request(action);
            ui.close_menu();
        }
    }
}
