//! Drawing of a [`Chart`] on the screen, as in an exported file.

use super::fewer_points::straightened;
use crate::export::chart::ticks::{AxisTicks, Tick, with_unit};
use crate::export::chart::{Chart, ChartAxis, CurveStyle, clip_polyline};
use crate::export::drawing::Rgb;
use egui_macroquad::egui::{Color32, Rangef, RichText, Ui, Vec2, vec2};
use egui_plot::{
    AxisHints, Corner, GridMark, Legend, Line, LineStyle, Plot, PlotPoint, PlotUi, Points,
};
use std::hash::Hash;

/// Margin around the curves, as a fraction of the chart's width and height. It separates the first
/// labels of the two axes.
const MARGIN: Vec2 = Vec2::new(0.04, 0.04);
/// Largest width of the y axis and largest height of the x axis, labels included, in points.
const Y_TEXT: f32 = 80.0;
const X_TEXT: f32 = 40.0;
/// Smallest and largest size of the y axis's label in points, and the width of a letter as a
/// fraction of the size.
const LABEL_SIZES: [f32; 2] = [9.0, 13.0];
const LETTER_WIDTH: f32 = 0.5;
/// Range of distances in points over which egui strengthens grid lines. This wide range keeps the
/// lines faint.
const GRID_SPACING: Rangef = Rangef { min: 0.0, max: 5000.0 };
/// Radius of the dots of curves in points.
const DOT_RADIUS: f32 = 3.5;

/// Draws the chart of a study with its legend in a corner.
pub fn study_chart_ui(ui: &mut Ui, chart: &Chart, height: f32, legend: Corner) {
    let plot = axes_ui(ui, &chart.title, &chart.x, &chart.y, height)
        .set_margin_fraction(MARGIN)
        .legend(Legend::default().position(legend))
        .label_formatter(|name, point| point_text(chart, name, point));
    plot.show(ui, |plot| draw_curves(plot, chart, None));
}

/// Creates the empty plot of a study: axes with labels and ticks.
pub fn axes_ui<'a>(ui: &Ui, id: &str, x: &ChartAxis, y: &ChartAxis, height: f32) -> Plot<'a> {
    let ([left, right], [low, high]) = (x.ends(), y.ends());
    let room = vec2(ui.available_width() - Y_TEXT, height - X_TEXT);
    let x_axis = AxisHints::new_x().label(x.label.clone());
    let y_axis = AxisHints::new_y().label(upright_label(&y.label, room.y));
    // The space separates the tick labels from the y axis.
    ticked_plot(("chart", id), [x, y], room, [x_axis, y_axis], " ")
        .height(height)
        .allow_drag(false)
        .allow_scroll(false)
        .include_x(left)
        .include_x(right)
        .include_y(low)
        .include_y(high)
}

/// Creates an empty plot with ticks on both axes. `room` is the length of the axes in points.
/// `after_y` is appended to each tick label of the y axis.
pub fn ticked_plot<'a>(
    id: impl Hash,
    [x, y]: [&ChartAxis; 2],
    room: Vec2,
    [x_axis, y_axis]: [AxisHints<'a>; 2],
    after_y: &'static str,
) -> Plot<'a> {
    let (x, y) = (x.ticks(true, room.x.into()), y.ticks(false, room.y.into()));
    let x_axis = x_axis.formatter(move |mark, range: &_| x.label(tick(mark), range));
    let y_axis = y_axis.formatter(move |mark, range: &_| y.label(tick(mark), range) + after_y);
    Plot::new(id)
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(move |input| marks(&x, input.bounds))
        .y_grid_spacer(move |input| marks(&y, input.bounds))
        .grid_spacing(GRID_SPACING)
}

/// Returns the ticks of an axis for egui.
fn marks(axis: &AxisTicks, bounds: (f64, f64)) -> Vec<GridMark> {
    let mark = |Tick { value, step_size }| GridMark { value, step_size };
    axis.ticks(bounds).into_iter().map(mark).collect()
}

fn tick(GridMark { value, step_size }: GridMark) -> Tick {
    Tick { value, step_size }
}

/// Draws the curves of a chart, clipped to the range of its axes. If `tolerance` is given, leaves
/// out points whose removal changes the height of a curve by at most `tolerance` on the y axis.
pub fn draw_curves(plot: &mut PlotUi, chart: &Chart, tolerance: Option<f64>) {
    let [[left, right], [low, high]] = [chart.x.ends(), chart.y.ends()];
    for curve in &chart.curves {
        let place = |[x, y]: &[f64; 2]| [chart.x.coordinate(*x), chart.y.coordinate(*y)];
        let mut points: Vec<[f64; 2]> = curve.points.iter().map(place).collect();
        if let Some(tolerance) = tolerance {
            points = straightened(&points, tolerance);
        }
        let color = color_of(curve.colour);
        let style = match curve.style {
            CurveStyle::Dashed([length, _]) => LineStyle::Dashed { length: length as f32 },
            CurveStyle::Dotted(spacing) => LineStyle::Dotted { spacing: spacing as f32 },
            CurveStyle::LineWithDots | CurveStyle::Line | CurveStyle::Dots => LineStyle::Solid,
        };
        if curve.style != CurveStyle::Dots {
            for piece in clip_polyline(&points, [left, low, right - left, high - low]) {
                let line = Line::new(piece).name(&curve.name).color(color).style(style);
                plot.line(line.width(curve.width as f32));
            }
        }
        if matches!(curve.style, CurveStyle::LineWithDots | CurveStyle::Dots) {
            points.retain(|[x, y]| (left..=right).contains(x) && (low..=high).contains(y));
            plot.points(Points::new(points).name(&curve.name).color(color).radius(DOT_RADIUS));
        }
    }
}

pub fn color_of([r, g, b]: Rgb) -> Color32 {
    Color32::from_rgb(r, g, b)
}

/// Returns the corner of a chart whose quarter contains the fewest points.
pub fn emptiest_corner(chart: &Chart) -> Corner {
    let part = |axis: &ChartAxis, value| axis.fraction(axis.coordinate(value));
    let points = chart.curves.iter().flat_map(|curve| curve.points.iter());
    let points = points.map(|[x, y]| [part(&chart.x, *x), part(&chart.y, *y)]);
    let is_inside = |place: &[f64; 2]| place.iter().all(|part| (0.0..=1.0).contains(part));
    let places: Vec<[f64; 2]> = points.filter(is_inside).collect();
    let corners = [
        (Corner::RightTop, [true, true]),
        (Corner::LeftBottom, [false, false]),
        (Corner::LeftTop, [false, true]),
        (Corner::RightBottom, [true, false]),
    ];
    let count = |[right, top]: [bool; 2]| {
        places.iter().filter(|[x, y]| (*x > 0.5, *y > 0.5) == (right, top)).count()
    };
    let emptiest = corners.into_iter().min_by_key(|(_, quarter)| count(*quarter));
    emptiest.map_or(Corner::RightTop, |(corner, _)| corner)
}

/// Returns the y axis's label, in a smaller font if the chart is too low for it.
fn upright_label(label: &str, length: f32) -> RichText {
    let room = length / (LETTER_WIDTH * label.chars().count().max(1) as f32);
    let [least, most] = LABEL_SIZES;
    RichText::new(label).size(room.clamp(least, most))
}

/// Returns the tooltip of a point: the name of its curve and both values with units.
pub fn point_text(chart: &Chart, name: &str, point: &PlotPoint) -> String {
    let line = |axis: &ChartAxis, place: f64| {
        let value = if axis.log { 10f64.powf(place) } else { place };
        format!("{} {}", axis.label, with_unit(value, axis.unit))
    };
    let place = format!("{}\n{}", line(&chart.x, point.x), line(&chart.y, point.y));
    if name.is_empty() { place } else { format!("{name}\n{place}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::chart::Curve;

    #[test]
    fn a_legend_lies_where_no_points_are() {
        let axis = || ChartAxis { label: "x".to_owned(), unit: "s", log: false, range: [0.0, 1.0] };
        let corner = |points: &[[f64; 2]]| {
            let curve = Curve::new("front", points, CurveStyle::Dots, [0; 3]);
            let (title, curves) = ("test".to_owned(), vec![curve]);
            emptiest_corner(&Chart { title, x: axis(), y: axis(), cells: None, curves })
        };
        assert_eq!(corner(&[[0.1, 0.1], [0.2, 0.2], [0.1, 0.9]]), Corner::RightTop);
        let low = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]];
        assert_eq!(corner(&low), Corner::LeftTop);
        assert_eq!(corner(&[low[0], low[2], [0.1, 0.9], [2.0, 0.1]]), Corner::RightBottom);
    }
}
