//! Drawing of live charts on the screen.

use super::axis_choice::AxisChoice;
use super::chart_ui::{color_of, draw_curves, point_text, ticked_plot};
use super::live_chart::LiveChart;
use super::over_time;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::export::chart::ticks::with_unit;
use crate::export::chart::{Chart, Curve};
use crate::quantity::on_screen::si_tight;
use egui_macroquad::egui::{self, Rangef, Response, RichText, Ui};
use egui_plot::{AxisHints, Plot, PlotBounds};

/// Width of the y axis and height of the x axis in points, labels included.
const Y_TEXT: f32 = 60.0;
const X_TEXT: f32 = 20.0;
/// Largest distance between the cursor and a vertical line at which the tooltip names the line, as
/// a fraction of the x axis.
const NEAR: f64 = 0.015;
/// Largest vertical error in points when points are removed from a curve.
const MOST_ERROR: f64 = 0.2;
/// Width in points below which the explosion times beside a chart's title are left out.
const LEAST_TIMES: f32 = 24.0;
/// Width in points to the right of the chart, for half of the last label.
const RIGHT_MARGIN: f32 = 14.0;

/// Creates the empty plot of a chart: axes with ticks, and tooltips of points.
fn axes<'a>(ui: &Ui, chart: &'a Chart, has_point_tips: bool, height: f32) -> Plot<'a> {
    let width = (ui.available_width() - Y_TEXT).max(60.0);
    // An axis without a label still reserves a line in the label's font, so the label has size 1.
    let no_label = || RichText::new("").size(1.0);
    let x_axis = AxisHints::new_x().label(no_label()).label_spacing(Rangef::new(30.0, 40.0));
    // The ticks are already far enough apart to be read, so egui must not leave any out.
    let y_axis = AxisHints::new_y().label(no_label()).label_spacing(Rangef::new(0.0, 1.0));
    let hints = [x_axis, y_axis.min_thickness(54.0)];
    let room = egui::vec2(width, height - X_TEXT);
    ticked_plot(("plot", &*chart.title), [&chart.x, &chart.y], room, hints, "")
        .height(height)
        .width(ui.available_width() - RIGHT_MARGIN)
        .show_background(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .cursor_color(theme::quiet())
        .label_formatter(move |name, point| match has_point_tips {
            true => point_text(chart, name, point),
            false => String::new(),
        })
}

/// Draws a chart with its curves, its vertical lines and the values at the cursor.
pub fn live_chart_ui(ui: &mut Ui, live: &LiveChart, choice: &AxisChoice, height: f32) -> Response {
    let chart = live.chart(choice);
    let ([left, right], [low, high]) = (chart.x.ends(), chart.y.ends());
    let tolerance = live.function.then(|| MOST_ERROR * (high - low) / f64::from(height));
    let shown = axes(ui, &chart, !live.function, height).show(ui, |plot| {
        draw_curves(plot, &chart, tolerance);
        plot.set_plot_bounds(PlotBounds::from_min_max([left, low], [right, high]));
    });
    if live.hides_signs(choice) {
        let corner = shown.response.rect.right_top() + egui::vec2(-4.0, 2.0);
        let font = egui::TextStyle::Small.resolve(ui.style());
        let text = "absolute values";
        ui.painter().text(corner, egui::Align2::RIGHT_TOP, text, font, theme::quiet());
    }
    let is_read = live.function && !shown.response.context_menu_opened();
    if let Some(at) = shown.response.hover_pos().filter(|_| is_read) {
        let x = shown.transform.value_from_position(at).x;
        let id = shown.response.id.with("values");
        // The values at the cursor are shown immediately; egui's own tooltip appears only when the
        // mouse rests.
        egui::show_tooltip_at_pointer(ui.ctx(), ui.layer_id(), id, |ui| values_ui(ui, live, x));
    }
    shown.response
}

/// Draws the explosion times of lanes that exploded before the start of the time axis. An ellipsis
/// replaces the times that do not fit; the tooltip lists all times.
pub fn exploded_before_ui(ui: &mut Ui, chart: &LiveChart) {
    let exploded_before: Vec<_> = chart.exploded_before().collect();
    if exploded_before.is_empty() || ui.available_width() < LEAST_TIMES {
        return;
    }
    let font_id = egui::TextStyle::Small.resolve(ui.style());
    let mut times = egui::text::LayoutJob::default();
    let mut append = |text: &str, color| {
        let format = egui::TextFormat { font_id: font_id.clone(), color, ..Default::default() };
        times.append(text, 0.0, format);
    };
    append("exploded", theme::quiet());
    for (curve, t) in &exploded_before {
        append(&format!("  {}", si_tight(*t, "s")), color_of(curve.colour));
    }
    let line = |(curve, t): &(&Curve, f64)| format!("{} {}", curve.name, si_tight(*t, "s"));
    let lines: Vec<String> = exploded_before.iter().map(line).collect();
    let label = ui.add(egui::Label::new(times).truncate());
    let label = label.marked(format_args!("explosions of {}", chart.name));
    label.on_hover_text(format!(
        "Exploded before the time range of the plot:\n{}",
        lines.join("\n")
    ));
}

/// Draws the time of the first sample of a chart, if earlier samples are missing.
pub fn late_start_ui(ui: &mut Ui, chart: &LiveChart) {
    if let Some(t) = over_time::late_start(chart).filter(|_| ui.available_width() > LEAST_TIMES) {
        let text = RichText::new(format!("from {}", si_tight(t, "s"))).small();
        let label = ui.add(egui::Label::new(text.color(theme::quiet())).truncate());
        let label = label.marked(format_args!("late begin of {}", chart.name));
        let tip = "The plot has no samples before this time, because you went back by more than a \
            minute or to another branch. The time bar can still show the scene at earlier times";
        label.on_hover_text(tip);
    }
}

/// Draws the values of all curves at the horizontal position `x` of the cursor.
fn values_ui(ui: &mut Ui, chart: &LiveChart, x: f64) {
    ui.label(RichText::new(with_unit(x, chart.x.unit)).color(theme::quiet()));
    let [from, to] = chart.x_range();
    let near = chart.marks.iter().filter(|(place, _)| (place - x).abs() < NEAR * (to - from));
    if let Some((place, name)) = near.min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())) {
        let place = with_unit(*place, chart.x.unit);
        ui.label(RichText::new(format!("{name}: {place}")).color(theme::accent()));
    }
    egui::Grid::new("values").num_columns(2).spacing([12.0, 0.0]).show(ui, |ui| {
        for curve in &chart.curves {
            let Some(value) = value_at(curve, x) else { continue };
            ui.label(RichText::new(with_unit(value, chart.y.unit)).monospace());
            ui.label(RichText::new(&*curve.name).color(color_of(curve.colour)));
            ui.end_row();
        }
    });
}

/// Returns the y of the first point whose x is at least `x`; `None` after the last point.
fn value_at(curve: &Curve, x: f64) -> Option<f64> {
    let after = curve.points.partition_point(|point| point[0] < x);
    curve.points.get(after).map(|point| point[1])
}
