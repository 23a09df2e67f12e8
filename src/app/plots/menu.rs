//! Menu of a plot: choices for its y axis, and saving of the plot as an image.

use crate::app::charts::AxisChoice;
use crate::app::charts::LiveChart;
use crate::app::charts::live_chart_figure;
use crate::app::input::actions::{Action, PictureFormat, RequestActions, WindowAction};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::note_open_menu;
use crate::export::drawing::Drawing;
use crate::quantity::on_screen::format_number;
use egui_macroquad::egui::{self, RichText, Ui};

/// Draws the contents of the menu. A saved image shows the scene's name `scene`.
pub fn menu_ui(ui: &mut Ui, chart: &LiveChart, choice: &mut AxisChoice, scene: &str) {
    note_open_menu(ui.ctx());
    ui.set_min_width(190.0);
    ui.label(RichText::new(chart.name).color(theme::quiet()));
    ui.horizontal(|ui| {
        for (log, name) in [(false, "linear"), (true, "log")] {
            let button =
                ui.selectable_label(choice.log == log, name).marked(format_args!("{} axis", name));
            if button.clicked() {
                choice.log = log;
            }
        }
        if choice.log {
            ui.label(RichText::new("of absolute values").color(theme::quiet()));
        }
    });
    range_ui(ui, chart, choice);
    ui.separator();
    let shown = || Some(live_chart_figure(chart, choice, scene));
    if save_ui(ui, "", chart.name, shown) {
        ui.close_menu();
    }
}

/// Draws the buttons that save a drawing as PNG or SVG in a file called `name`. `drawing` returns
/// `None` if there is nothing to save. `mark` is a prefix of the buttons' names in reports. Returns
/// true if a button was pressed.
pub fn save_ui(ui: &mut Ui, mark: &str, name: &str, drawing: impl Fn() -> Option<Drawing>) -> bool {
    let mut is_pressed = false;
    for (format, text) in [(PictureFormat::Png, "Save PNG"), (PictureFormat::Svg, "Save SVG")] {
        if ui.button(text).marked(format_args!("{mark}{text}")).clicked() {
            let save = |drawing| WindowAction::SavePlot { name: name.to_owned(), drawing, format };
            ui.request_all(drawing().map(save).map(Action::Window));
            is_pressed = true;
        }
    }
    is_pressed
}

fn range_ui(ui: &mut Ui, chart: &LiveChart, choice: &mut AxisChoice) {
    ui.horizontal(|ui| {
        let automatic =
            ui.selectable_label(choice.typed_range.is_none(), "auto range").marked("auto range");
        let fixed =
            ui.selectable_label(choice.typed_range.is_some(), "fixed range").marked("fixed range");
        if automatic.clicked() {
            choice.typed_range = None;
        } else if fixed.clicked() && choice.typed_range.is_none() {
            let log = choice.log;
            let value = |height: f64| if log { 10f64.powf(height) } else { height };
            let ends = chart.y_range(choice).map(|end| format_number(value(end), chart.y.unit));
            choice.typed_range = Some(ends);
        }
    });
    let is_range = choice.fixed_range().is_some();
    if let Some(ends) = &mut choice.typed_range {
        for (text, name) in ends.iter_mut().rev().zip(["to", "from"]) {
            ui.horizontal(|ui| {
                let field = egui::TextEdit::singleline(text).desired_width(100.0);
                let color = if is_range { theme::text() } else { theme::warning() };
                ui.add(field.text_color(color)).marked(format_args!("range {name}"));
                ui.label(RichText::new(name).color(theme::quiet()));
            });
        }
        if !is_range {
            let wanted = if choice.log {
                "two positive numbers, the smaller one first"
            } else {
                "two \
                numbers, the smaller one first"
            };
            ui.colored_label(theme::warning(), format!("expected {wanted}"));
        }
    }
}
