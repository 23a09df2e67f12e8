//! The bar at the top: time, scene, layout, lanes, plots, help.

use super::status_bar::CLOCK_TIP;
use crate::app::input::actions::{Action, LaneAction, RequestActions, TimeAction, WindowAction};
use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Laboratory;
use crate::app::preferences::Preferences;
use crate::app::quantity::si;
use crate::app::theme;
use crate::app::tools::hand::Tool;
use crate::app::tools::ruler::Stopwatch;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{note_open_menu, pressed};
use crate::simulation::settings::MOST_LANES;
use egui_macroquad::egui::{self, Button, Rect, RichText, Ui, pos2};

/// Icons of two sheets, side by side and overlapping, relative to the centre of their button.
const SIDE_BY_SIDE: [Rect; 2] = [
    Rect { min: pos2(-8.0, -5.0), max: pos2(-1.0, 5.0) },
    Rect { min: pos2(1.0, -5.0), max: pos2(8.0, 5.0) },
];
const OVERLAID: [Rect; 2] = [
    Rect { min: pos2(-7.0, -6.0), max: pos2(3.0, 3.0) },
    Rect { min: pos2(-3.0, -3.0), max: pos2(7.0, 6.0) },
];

/// True for the groups of controls that fit into the width of the bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopBarRoom {
    pub view: bool,
    pub clock: bool,
}

/// Draws the whole bar. `tools` are the preferences and the selected tool; `plots` is true if the
/// window has room for plots.
pub fn top_bar_ui(
    ui: &mut Ui,
    laboratory: &Laboratory,
    tools: (&Preferences, Option<BuildTool>),
    (plots, stopwatch): (bool, Stopwatch),
) -> TopBarRoom {
    let (preferences, _) = tools;
    let mut room = TopBarRoom::default();
    ui.horizontal_centered(|ui| {
        time_ui(ui, laboratory);
        ui.separator();
        scene_ui(ui, laboratory);
        ui.separator();
        lanes_ui(ui, laboratory, preferences);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let help = Action::Window(WindowAction::ToggleHelp);
            icon_ui(ui, "?", "help", "All keys (F1)", false, help);
            if ui.available_width() < 200.0 {
                return;
            }
            panels_ui(ui, preferences, plots);
            ui.separator();
            room.view = ui.available_width() >= 200.0;
            if room.view {
                view_ui(ui, tools);
                ui.separator();
            }
            if ui.available_width() < 110.0 {
                return;
            }
            room.clock = true;
            clock_ui(ui, laboratory, stopwatch);
        });
    });
    room
}

/// Draws the buttons of the plots and of the answers. `plots` is true if the window has room for
/// plots.
fn panels_ui(ui: &mut Ui, preferences: &Preferences, plots: bool) {
    let Preferences { time_plots, energy_plots, motion_plots, .. } = *preferences;
    for (sign, name, tip, on, action) in [
        (
            "Motion",
            "motion plots",
            "Phase portrait and spectrum of a particle (F5): click one",
            plots && motion_plots,
            WindowAction::ToggleMotionPlots,
        ),
        (
            "Energy",
            "energy plots",
            "Plots of energy and stretch (F4)",
            plots && energy_plots,
            WindowAction::ToggleEnergyPlots,
        ),
        (
            "Timing",
            "time plots",
            "Plots of frame time, steps, blend, owed and dropped time (F3)",
            plots && time_plots,
            WindowAction::ToggleTimePlots,
        ),
        (
            "Answers",
            "answers",
            "Where is it stable? How accurate is it? What should I use? (F6)",
            false,
            WindowAction::ToggleStudies,
        ),
    ] {
        icon_ui(ui, sign, name, tip, on, Action::Window(action));
    }
}

pub fn view_ui(ui: &mut Ui, (preferences, build): (&Preferences, Option<BuildTool>)) {
    build_ui(ui, build);
    let strain = preferences.strain_colors;
    let tip = "Colours every link by its strain; the range is in the panel under View";
    icon_ui(
        ui,
        "Strain",
        "colour by strain",
        tip,
        strain,
        Action::Window(WindowAction::ToggleStrainColors),
    );
    let cuts = preferences.drag == Tool::Scissors;
    let tip = "A left drag cuts every link that it crosses; so does C + left drag";
    icon_ui(ui, "Cut", "cut", tip, cuts, Action::Window(WindowAction::ToggleScissors));
}

const STOPWATCH_GAP: f32 = 12.0;

/// Draws the session's time, and the stopwatch if it is in use.
fn clock_ui(ui: &mut Ui, laboratory: &Laboratory, stopwatch: Stopwatch) {
    let t = laboratory.session().time();
    let text = RichText::new(format!("t {}", si(t, "s"))).monospace();
    let label = ui.add(egui::Label::new(text).sense(egui::Sense::CLICK));
    let tip = format!("{CLOCK_TIP}. A click, or S, starts a stopwatch");
    if pressed(label, "clock", tip) {
        ui.request(Action::Time(TimeAction::PressStopwatch));
    }
    if let Some(seconds) = stopwatch.reading(t).filter(|_| ui.available_width() > 100.0) {
        let runs = matches!(stopwatch, Stopwatch::Running(_));
        let ink = if runs { theme::accent() } else { theme::text() };
        ui.add_space(STOPWATCH_GAP);
        let text = RichText::new(format!("⏱ {}", si(seconds, "s"))).monospace().color(ink);
        let label = ui.add(egui::Label::new(text).sense(egui::Sense::CLICK));
        let tip =
            "Stopwatch of the simulated time: a click, or S, stops it, the next one removes it";
        if pressed(label, "stopwatch", tip) {
            ui.request(Action::Time(TimeAction::PressStopwatch));
        }
    }
}

fn build_ui(ui: &mut Ui, build: Option<BuildTool>) {
    let ink = if build.is_some() { theme::accent() } else { theme::text() };
    let name = build.map_or("Tools", |tool| tool.describe().0);
    let menu = ui.menu_button(RichText::new(format!("{name}  ⏷")).color(ink), |ui| {
        note_open_menu(ui.ctx());
        for tool in BuildTool::ALL {
            let (name, key, instructions) = tool.describe();
            let button = Button::new(name).shortcut_text(key).selected(build == Some(tool));
            let button = ui.add(button.min_size(egui::vec2(150.0, 0.0)));
            if pressed(button, format_args!("tool {name}"), instructions) {
                ui.request(Action::ToggleTool(tool));
                ui.close_menu();
            }
        }
    });
    let tip = "Add a rope, a cloth, a ball or a tie to the scene while it runs, delete a body, or \
               measure. Ctrl+Z undoes it";
    menu.response.marked("tools").on_hover_text(tip);
}

fn time_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let paused = laboratory.session().paused() && !laboratory.plays_past();
    let (sign, tip) = match (laboratory.recomputation_left(), paused) {
        (Some(_), _) => ("…", "The session is recomputed after an undo. Esc cancels the undo"),
        (None, true) => ("▶", "Continue (Space)"),
        (None, false) => ("⏸", "Pause (Space)"),
    };
    icon_ui(ui, sign, "play or pause", tip, paused, Action::Time(TimeAction::TogglePause));
    icon_ui(
        ui,
        "⏭",
        "single step",
        "One step in every lane (→)",
        false,
        Action::Time(TimeAction::SingleStep),
    );
    icon_ui(ui, "⟲", "reset", "Restart the scene (R)", false, Action::Reset);
    let percent = laboratory.speed() * 100.0;
    let text = RichText::new(format!("{:>5} %", percent_text(percent))).monospace();
    ui.menu_button(text, |ui| {
        note_open_menu(ui.ctx());
        for (name, speed) in [
            ("0.1 %", 0.001),
            ("1 %", 0.01),
            ("10 %", 0.1),
            ("50 %", 0.5),
            ("100 %", 1.0),
            ("200 %", 2.0),
            ("1000 %", 10.0),
        ] {
            if ui.button(RichText::new(format!("{name:>6}")).monospace()).clicked() {
                ui.request(Action::SendCommand(crate::simulation::settings::Command::Speed(speed)));
                ui.close_menu();
            }
        }
    })
    .response
    .on_hover_text(
        "Speed of simulated time, of the past too while it plays (- and =); any value in the panel \
         under Time and frames",
    );
}

fn percent_text(percent: f64) -> String {
    if percent >= 9.95 { format!("{percent:.0}") } else { format!("{percent:.1}") }
}

fn scene_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let name = &laboratory.session().scene().name;
    let room = (ui.available_width() - 470.0).clamp(90.0, 210.0);
    let text = RichText::new(format!("{name}  ⏷"));
    let button = Button::new(text).truncate().min_size(egui::vec2(room, 24.0));
    let button = ui.add_sized([room, 24.0], button);
    let tip =
        "All scenes ([ and ] lead to the neighbours); a file can also be dropped on the window";
    if pressed(button, "scene", tip) {
        ui.request(Action::Window(WindowAction::ToggleGallery));
    }
}

fn lanes_ui(ui: &mut Ui, laboratory: &Laboratory, preferences: &Preferences) {
    let overlay = preferences.overlay;
    for (tip, on, sheets) in
        [("Lanes side by side", !overlay, SIDE_BY_SIDE), ("Lanes overlaid", overlay, OVERLAID)]
    {
        let button = ui.add(Button::new("").selected(on).min_size(egui::vec2(28.0, 24.0)));
        let ink = if on { theme::accent() } else { theme::text() };
        for sheet in sheets {
            let sheet = sheet.translate(button.rect.center().to_vec2());
            let stroke = egui::Stroke::new(1.2, ink);
            ui.painter().rect_stroke(sheet, 1.0, stroke, egui::StrokeKind::Middle);
        }
        if pressed(button, tip, tip) && !on {
            ui.request(Action::Window(WindowAction::ToggleOverlay));
        }
    }
    let room = laboratory.session().lanes().len() < MOST_LANES;
    ui.add_enabled_ui(room, |ui| {
        icon_ui(
            ui,
            "+ lane",
            "+ lane",
            "A lane to compare with: a copy of the selected one, with settings of its own",
            false,
            Action::Lane(LaneAction::DuplicateLane),
        );
    });
}

fn icon_ui(ui: &mut Ui, sign: &str, name: &str, tip: &str, on: bool, action: Action) {
    let ink = if on { theme::accent() } else { theme::text() };
    let button = ui.add(
        Button::new(RichText::new(sign).color(ink)).selected(on).min_size(egui::vec2(28.0, 24.0)),
    );
    if pressed(button, name, tip) {
        ui.request(action);
    }
}
