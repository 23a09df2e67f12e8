//! Drawing of live charts on the screen.

use super::axis_choice::AxisChoice;
use super::fewer_points::straightened;
use super::over_time;
use super::ticks::{self, AxisOnScreen};
use super::{Curve, LiveChart, height_of};
use crate::app::theme;
use crate::app::view::LineStyle;
use crate::app::widgets::marks::Marked;
use crate::quantity::on_screen::si_tight;
use egui_macroquad::egui::{self, Response, RichText, Ui};
use egui_plot::{AxisHints, GridMark, Line, Plot, PlotBounds, PlotPoint, Points, VLine};

/// Margin around the curves as a fraction of the width and of the height of the chart.
const MARGIN: egui::Vec2 = egui::vec2(0.05, 0.08);
/// Approximate distance in points between marks of the y axis.
const BETWEEN_MARKS: f32 = 32.0;
const X_TEXT: f32 = 20.0;
/// Approximate distance in points between marks of the x axis.
const BETWEEN_COLUMNS: f32 = 90.0;
/// Distance from the cursor to a vertical line, as a fraction of the x axis, below which the
/// tooltip names the line.
const NEAR: f64 = 0.015;
/// Distance above and below the chart, in heights of the chart, at which curves are clipped. Larger
/// values would overflow the f32 coordinates of egui.
const CLIP_DISTANCE: f64 = 10.0;
/// Upper limit in points of the vertical error of a curve from which points were removed.
const MOST_ERROR: f64 = 0.2;
/// Width in points below which times beside the title of a chart are left out.
const LEAST_TIMES: f32 = 24.0;
/// Width in points to the right of the chart: room for half of the last label.
const RIGHT_MARGIN: f32 = 14.0;

/// Creates the empty plot of a chart: axes with marks, and tooltips.
fn axes<'a>(ui: &Ui, chart: &'a LiveChart, choice: &'a AxisChoice, height: f32) -> Plot<'a> {
    let (x_unit, y_unit, log) = (chart.x.unit, chart.y.unit, choice.log);
    let (width, height_of_axis) = ((ui.available_width() - 60.0).max(60.0), height - X_TEXT);
    let rows = f64::from((height_of_axis / BETWEEN_MARKS).max(1.0));
    let columns = f64::from(width / BETWEEN_COLUMNS);
    let x = AxisOnScreen { horizontal: true, length: width.into(), log: false, unit: x_unit };
    let length = height_of_axis.max(1.0).into();
    let y = AxisOnScreen { horizontal: false, length, log, unit: y_unit };
    let y_text = move |mark: GridMark, range: &_| y.label(mark, range);
    let x_axis = AxisHints::new_x().formatter(move |mark, range: &_| {
        let text = x.label(mark, range);
        if text == "0 ms" { "0 s".to_owned() } else { text }
    });
    let y_axis = AxisHints::new_y().formatter(y_text).min_thickness(54.0);
    // An axis without a label still reserves a line in the label's font, so the label has size 1.
    let no_label = || RichText::new("").size(1.0);
    let x_axis = x_axis.label(no_label()).label_spacing(egui::Rangef::new(30.0, 40.0));
    // Marks already have a readable distance, so egui must not leave any out.
    let y_axis = y_axis.label(no_label()).label_spacing(egui::Rangef::new(0.0, 1.0));
    Plot::new(("plot", chart.name))
        .height(height)
        .width(ui.available_width() - RIGHT_MARGIN)
        .show_background(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(move |input| x.marks(input.bounds, columns))
        .y_grid_spacer(move |input| y.marks(input.bounds, rows))
        .grid_spacing(egui::Rangef::new(0.0, 5000.0))
        .cursor_color(theme::quiet())
        .label_formatter(|name, point| match chart.function {
            true => String::new(),
            false => point_text(chart, choice, name, point),
        })
}

/// Draws a chart with its curves, its vertical lines and the values at the cursor.
pub fn live_chart_ui(ui: &mut Ui, chart: &LiveChart, choice: &AxisChoice, height: f32) -> Response {
    let log = choice.log;
    let [low, high] = chart.y_range(choice);
    let [left, right] = chart.x_range();
    let shown = axes(ui, chart, choice, height).show(ui, |plot| {
        for (place, name) in &chart.marks {
            let color = theme::accent().gamma_multiply(0.45);
            plot.vline(VLine::new(*place).name(name).color(color).width(1.0));
        }
        for curve in &chart.curves {
            let error = MOST_ERROR * (high - low) / f64::from(height);
            let error = Some(error).filter(|_| chart.function);
            plot.line(line(curve, log, [low, high], error).name(curve.name));
            if let Some([x, y]) = curve.points.last().filter(|_| curve.dot_at_end)
                && let Some(height) = height_of(*y, log)
            {
                let dot = Points::new(vec![[*x, height]]).color(curve.color).radius(4.0);
                plot.points(dot.name(curve.name));
            }
        }
        let mut bounds = PlotBounds::from_min_max([left, low], [right, high]);
        bounds.add_relative_margin_x(MARGIN);
        if choice.fixed_range().is_none() {
            bounds.add_relative_margin_y(MARGIN);
        }
        plot.set_plot_bounds(bounds);
    });
    if chart.hides_signs(choice) {
        let corner = shown.response.rect.right_top() + egui::vec2(-4.0, 2.0);
        let font = egui::TextStyle::Small.resolve(ui.style());
        let text = "absolute values";
        ui.painter().text(corner, egui::Align2::RIGHT_TOP, text, font, theme::quiet());
    }
    let is_read = chart.function && !shown.response.context_menu_opened();
    if let Some(at) = shown.response.hover_pos().filter(|_| is_read) {
        let x = shown.transform.value_from_position(at).x;
        let id = shown.response.id.with("values");
        // egui shows the tooltip of a response only when the mouse rests. The values at the cursor
        // are shown at once.
        egui::show_tooltip_at_pointer(ui.ctx(), ui.layer_id(), id, |ui| values_ui(ui, chart, x));
    }
    shown.response
}

/// Draws the explosion times of lanes that exploded before the start of the time axis. An ellipsis
/// replaces the times for which the line has no room; the tooltip has all of them.
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
        append(&format!("  {}", si_tight(*t, "s")), curve.color);
    }
    let line = |(curve, t): &(&Curve, f64)| format!("{} {}", curve.name, si_tight(*t, "s"));
    let lines: Vec<String> = exploded_before.iter().map(line).collect();
    let label = ui.add(egui::Label::new(times).truncate());
    let label = label.marked(format_args!("explosions of {}", chart.name));
    label.on_hover_text(format!("Exploded before the shown range:\n{}", lines.join("\n")));
}

/// Draws the time of the first sample of a chart, if earlier samples are missing.
pub fn late_start_ui(ui: &mut Ui, chart: &LiveChart) {
    if let Some(t) = over_time::late_start(chart).filter(|_| ui.available_width() > LEAST_TIMES) {
        let text = RichText::new(format!("from {}", si_tight(t, "s"))).small();
        let label = ui.add(egui::Label::new(text.color(theme::quiet())).truncate());
        let label = label.marked(format_args!("late begin of {}", chart.name));
        let tip = "Samples before this time are not kept: you went more than a minute back, or to \
                   another branch. The time bar still has its moments";
        label.on_hover_text(tip);
    }
}

/// Converts a curve for egui. If `error` is given, points are removed whose removal changes the
/// height of the curve by at most `error`.
fn line(curve: &Curve, log: bool, [low, high]: [f64; 2], error: Option<f64>) -> Line<'static> {
    let room = CLIP_DISTANCE * (high - low);
    let drawn = |&[x, y]: &[f64; 2]| {
        let height = height_of(y, log)?;
        Some([x, height.clamp(low - room, high + room)])
    };
    let points: Vec<[f64; 2]> = curve.points.iter().filter_map(drawn).collect();
    let points = error.map_or_else(|| points.clone(), |error| straightened(&points, error));
    let style = match curve.style {
        LineStyle::Solid => egui_plot::LineStyle::Solid,
        LineStyle::Dashed(length) => egui_plot::LineStyle::Dashed { length },
        LineStyle::Dotted(spacing) => egui_plot::LineStyle::Dotted { spacing },
    };
    Line::new(points).color(curve.color).style(style).width(curve.width)
}

/// Draws the values of all curves at the horizontal position `x` of the cursor.
fn values_ui(ui: &mut Ui, chart: &LiveChart, x: f64) {
    ui.label(RichText::new(ticks::with_unit(x, chart.x.unit)).color(theme::quiet()));
    let [from, to] = chart.x_range();
    let near = chart.marks.iter().filter(|(place, _)| (place - x).abs() < NEAR * (to - from));
    if let Some((place, name)) = near.min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs())) {
        let place = ticks::with_unit(*place, chart.x.unit);
        ui.label(RichText::new(format!("{name}: {place}")).color(theme::accent()));
    }
    egui::Grid::new("values").num_columns(2).spacing([12.0, 0.0]).show(ui, |ui| {
        for curve in &chart.curves {
            let Some(value) = curve.value_at(x) else { continue };
            ui.label(RichText::new(ticks::with_unit(value, chart.y.unit)).monospace());
            ui.label(RichText::new(curve.name).color(curve.color));
            ui.end_row();
        }
    });
}

/// Returns the tooltip of a point of a curve: the name of the curve, and x and y with units.
fn point_text(chart: &LiveChart, choice: &AxisChoice, name: &str, point: &PlotPoint) -> String {
    let x = ticks::with_unit(point.x, chart.x.unit);
    let y = if choice.log { 10f64.powf(point.y) } else { point.y };
    let y = ticks::with_unit(y, chart.y.unit);
    let place = format!("{} {x}\n{} {y}", chart.x.label, chart.y_axis(choice).label);
    if name.is_empty() { place } else { format!("{name}\n{place}") }
}
