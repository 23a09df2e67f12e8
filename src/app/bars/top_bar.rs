//! The bar at the top: time, scene, layout, lanes, plots, help.

use super::status_bar::CLOCK_TIP;
use crate::app::input::actions::{Action, LaneAction, RequestActions, TimeAction, WindowAction};
use crate::app::input::build_tool::{BuildTool, ToolDescription};
use crate::app::laboratory::Laboratory;
use crate::app::preferences::Preferences;
use crate::app::theme;
use crate::app::tools::hand_context::Tool;
use crate::app::tools::ruler::Stopwatch;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{note_open_menu, pressed};
use crate::quantity::on_screen::si;
use crate::simulation::settings::{Command, MOST_LANES};
use egui_macroquad::egui::{self, Button, Rect, RichText, Ui, pos2};

/// Icons of two sheets, relative to the centre of their button: side by side and overlapping.
const SIDE_BY_SIDE: [Rect; 2] = [
    Rect { min: pos2(-8.0, -5.0), max: pos2(-1.0, 5.0) },
    Rect { min: pos2(1.0, -5.0), max: pos2(8.0, 5.0) },
];
const OVERLAID: [Rect; 2] = [
    Rect { min: pos2(-7.0, -6.0), max: pos2(3.0, 3.0) },
    Rect { min: pos2(-3.0, -3.0), max: pos2(7.0, 6.0) },
];

/// Widths in points of four groups: the buttons of plots and answers, the tools, the clock, and the
/// menu.
const PANELS: f32 = 264.0;
const VIEW: f32 = 200.0;
const CLOCK: f32 = 110.0;
const MENU: f32 = 40.0;

/// True for the groups of controls that fit into the width of the bar.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopBarRoom {
    pub view: bool,
    pub clock: bool,
}

/// State of the window that the bar needs.
#[derive(Clone, Copy)]
pub struct BarContext {
    /// True if the window has room for plots.
    pub plots: bool,
    /// True if the panel is shown. The panel then has the tools that do not fit in the bar.
    pub has_panel: bool,
    pub stopwatch: Stopwatch,
    /// Selected tool.
    pub build: Option<BuildTool>,
}

/// Draws the whole bar. Controls that do not fit are in a menu.
pub fn top_bar_ui(
    ui: &mut Ui,
    laboratory: &Laboratory,
    preferences: &Preferences,
    BarContext { plots, has_panel, stopwatch, build }: BarContext,
) -> TopBarRoom {
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
            let width = ui.available_width();
            room.view = width >= PANELS + VIEW;
            let has_tools = room.view || has_panel;
            let has_switches = width >= if has_tools { PANELS } else { PANELS + MENU };
            if !(has_switches && has_tools) {
                let plots = (!has_switches).then_some(plots);
                more_ui(ui, preferences, build, plots, !has_tools);
            }
            if has_switches {
                switches_ui(ui, panel_switches(preferences, plots));
                ui.separator();
            }
            if room.view {
                view_ui(ui, preferences, build);
                ui.separator();
            }
            room.clock = has_switches && ui.available_width() >= CLOCK;
            if room.clock {
                clock_ui(ui, laboratory, stopwatch);
            }
        });
    });
    room
}

/// Draws a menu of the controls that do not fit in the bar. It contains the buttons of plots and
/// answers if `plots` is given, and the tools if `has_tools` is true. `Some(true)` means that the
/// window has room for plots.
fn more_ui(
    ui: &mut Ui,
    preferences: &Preferences,
    build: Option<BuildTool>,
    plots: Option<bool>,
    has_tools: bool,
) {
    let menu = ui.menu_button(RichText::new("☰").color(theme::text()), |ui| {
        note_open_menu(ui.ctx());
        let switches = plots.map(|plots| panel_switches(preferences, plots));
        switches.into_iter().flatten().rev().for_each(|switch| switch_entry_ui(ui, switch));
        if !has_tools {
            return;
        }
        if plots.is_some() {
            ui.separator();
        }
        view_switches(preferences).into_iter().for_each(|switch| switch_entry_ui(ui, switch));
        build_entries_ui(ui, build);
    });
    menu.response.marked("more").on_hover_text(
        "More buttons: the window is too narrow to show \
        them in the bar",
    );
}

/// Button that switches something on or off.
struct Switch {
    sign: &'static str,
    name: &'static str,
    tip: &'static str,
    on: bool,
    action: WindowAction,
}

fn switch_entry_ui(ui: &mut Ui, Switch { sign, name, tip, on, action }: Switch) {
    let button = Button::new(sign).selected(on).min_size(egui::vec2(150.0, 0.0));
    if pressed(ui.add(button), name, tip) {
        ui.request(Action::Window(action));
        ui.close_menu();
    }
}

fn switches_ui<const N: usize>(ui: &mut Ui, switches: [Switch; N]) {
    for Switch { sign, name, tip, on, action } in switches {
        icon_ui(ui, sign, name, tip, on, Action::Window(action));
    }
}

/// Returns the buttons of plots and answers, from right to left. `plots` is true if the window has
/// room for plots.
fn panel_switches(preferences: &Preferences, plots: bool) -> [Switch; 4] {
    let Preferences { time_plots, energy_plots, motion_plots, .. } = *preferences;
    [
        Switch {
            sign: "Motion",
            name: "motion plots",
            tip: "Phase portrait (velocity against position) and spectrum of one particle (F5). \
                Click a particle to choose it",
            on: plots && motion_plots,
            action: WindowAction::ToggleMotionPlots,
        },
        Switch {
            sign: "Energy",
            name: "energy plots",
            tip: "Plots of the energy and of the stretch of the links (F4)",
            on: plots && energy_plots,
            action: WindowAction::ToggleEnergyPlots,
        },
        Switch {
            sign: "Timing",
            name: "time plots",
            tip: "Plots of frame time, steps per frame, blend factor, owed and dropped time (F3)",
            on: plots && time_plots,
            action: WindowAction::ToggleTimePlots,
        },
        Switch {
            sign: "Answers",
            name: "answers",
            tip: "Studies: which settings are stable, how accurate they are, and which to use (F6)",
            on: false,
            action: WindowAction::ToggleStudies,
        },
    ]
}

pub fn view_ui(ui: &mut Ui, preferences: &Preferences, build: Option<BuildTool>) {
    build_ui(ui, build);
    switches_ui(ui, view_switches(preferences));
}

fn view_switches(preferences: &Preferences) -> [Switch; 2] {
    [
        Switch {
            sign: "Strain",
            name: "colour by strain",
            tip: "Colours every link by its strain, (length − rest length) / rest length. The \
                panel sets the range of the colours under View",
            on: preferences.strain_colors,
            action: WindowAction::ToggleStrainColors,
        },
        Switch {
            sign: "Cut",
            name: "cut",
            tip: "A left drag cuts every link that it crosses. C + left drag cuts without this \
                switch",
            on: preferences.drag == Tool::Scissors,
            action: WindowAction::ToggleScissors,
        },
    ]
}

const STOPWATCH_GAP: f32 = 12.0;

/// Draws the session's time, and the stopwatch if it is in use.
fn clock_ui(ui: &mut Ui, laboratory: &Laboratory, stopwatch: Stopwatch) {
    let t = laboratory.session().time();
    let tip = format!("{CLOCK_TIP}. A click or S starts, stops, then removes a stopwatch");
    seconds_ui(ui, RichText::new(format!("t {}", si(t, "s"))), "clock", &tip);
    if let Some(seconds) = stopwatch.reading(t).filter(|_| ui.available_width() > 100.0) {
        let runs = matches!(stopwatch, Stopwatch::Running(_));
        let ink = if runs { theme::accent() } else { theme::text() };
        ui.add_space(STOPWATCH_GAP);
        let text = RichText::new(format!("⏱ {}", si(seconds, "s"))).color(ink);
        let tip = "Stopwatch of the session time. A click or S stops it, the next click removes it";
        seconds_ui(ui, text, "stopwatch", tip);
    }
}

/// Draws a time. A click on it presses the stopwatch.
fn seconds_ui(ui: &mut Ui, text: RichText, name: &str, tip: &str) {
    let label = ui.add(egui::Label::new(text.monospace()).sense(egui::Sense::CLICK));
    if pressed(label, name, tip) {
        ui.request(Action::Time(TimeAction::PressStopwatch));
    }
}

fn build_ui(ui: &mut Ui, build: Option<BuildTool>) {
    let ink = if build.is_some() { theme::accent() } else { theme::text() };
    let name = build.map_or("Tools", |tool| tool.description().name);
    let menu = ui.menu_button(RichText::new(format!("{name}  ⏷")).color(ink), |ui| {
        note_open_menu(ui.ctx());
        build_entries_ui(ui, build);
    });
    let tip = "Tools that add a rope, a cloth, a ball or a tie to the running scene, delete a \
        body or measure. Ctrl+Z undoes an edit";
    menu.response.marked("tools").on_hover_text(tip);
}

fn build_entries_ui(ui: &mut Ui, build: Option<BuildTool>) {
    for tool in BuildTool::ALL {
        let ToolDescription { name, key, instructions } = tool.description();
        let button = Button::new(name).shortcut_text(key).selected(build == Some(tool));
        let button = ui.add(button.min_size(egui::vec2(150.0, 0.0)));
        if pressed(button, format_args!("tool {name}"), instructions) {
            ui.request(Action::ToggleTool(tool));
            ui.close_menu();
        }
    }
}

fn time_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let paused = laboratory.session().paused() && !laboratory.plays_past();
    let (sign, tip) = match (laboratory.recomputation_left(), paused) {
        (Some(_), _) => (
            "…",
            "The session is being recomputed after an undo. Esc cancels the \
            undo",
        ),
        (None, true) => ("▶", "Continue (Space)"),
        (None, false) => ("⏸", "Pause (Space)"),
    };
    icon_ui(ui, sign, "play or pause", tip, paused, Action::Time(TimeAction::TogglePause));
    icon_ui(
        ui,
        "⏭",
        "single step",
        "Takes one step in every lane (→)",
        false,
        Action::Time(TimeAction::SingleStep),
    );
    icon_ui(ui, "⟲", "reset", "Restart the scene (R)", false, Action::Reset);
    let percent = laboratory.speed() * 100.0;
    let text = RichText::new(format!("{:>5} %", percent_text(percent))).monospace();
    ui.menu_button(text, |ui| {
        note_open_menu(ui.ctx());
        for percent in [0.1, 1.0, 10.0, 50.0, 100.0, 200.0, 1000.0] {
            if ui.button(RichText::new(format!("{percent:>4} %")).monospace()).clicked() {
                ui.request(Action::SendCommand(Command::Speed(percent / 100.0)));
                ui.close_menu();
            }
        }
    })
    .response
    .on_hover_text(
        "Speed of simulated time relative to the wall clock (- and =), also while the past plays. \
        The panel accepts any value under Time and frames",
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
    let tip = format!(
        "{name}. Click to see all scenes; [ and ] open the previous and the next one. You can \
        also drop a scene file on the window"
    );
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
            "Adds a lane to compare with: a copy of the selected lane whose settings you can \
            change separately",
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
