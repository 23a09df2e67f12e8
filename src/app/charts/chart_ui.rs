//! Drawing of a [`Chart`], the result of an analysis, on the screen. An exported file shows the
//! same chart.

use super::ticks::{AxisOnScreen, with_unit};
use crate::export::chart::{CURVE_WIDTH, Chart, ChartAxis, CurveStyle};
use egui_macroquad::egui::{Color32, Rangef, RichText, Ui, Vec2};
use egui_plot::{Corner, Legend, Line, LineStyle, Plot, PlotPoint, Points};

/// Margin around the curves as a fraction of the width and of the height of the chart. It keeps the
/// first labels of both axes apart.
const MARGIN: Vec2 = Vec2::new(0.04, 0.04);
/// Upper limits in points of the width of the y axis and of the height of the x axis, with their
/// labels.
const Y_TEXT: f32 = 80.0;
const X_TEXT: f32 = 40.0;
/// Smallest and largest size of the label of the y axis in points, and width of a letter divided by
/// the size.
const LABEL_SIZES: [f32; 2] = [9.0, 13.0];
const LETTER_WIDTH: f32 = 0.5;
/// Distances in points between which egui makes lines of the grid stronger. The lines stay faint.
const GRID_SPACING: Rangef = Rangef { min: 0.0, max: 5000.0 };
/// Approximate distances in points between marks of the x axis and of the y axis.
const BETWEEN_MARKS: [f64; 2] = [80.0, 40.0];

/// Draws a chart with its legend in a corner. Curve i has the colour i; further curves begin with
/// the first colour again.
pub fn chart_ui(ui: &mut Ui, chart: &Chart, colors: &[Color32], (height, legend): (f32, Corner)) {
    let [[left, right], [low, high]] =
        [&chart.x, &chart.y].map(|axis| axis.range.map(|end| coordinate_of(axis, end)));
    let width = ui.available_width() - Y_TEXT;
    let (x, y) = (on_screen(&chart.x, true, width), on_screen(&chart.y, false, height - X_TEXT));
    let plot = Plot::new(("chart", &chart.title))
        .height(height)
        .legend(Legend::default().position(legend))
        .allow_drag(false)
        .allow_scroll(false)
        .include_x(left)
        .include_x(right)
        .include_y(low)
        .include_y(high)
        .set_margin_fraction(MARGIN)
        .x_axis_label(chart.x.label_and_unit().0)
        .grid_spacing(GRID_SPACING)
        .y_axis_label(upright_label(chart.y.label_and_unit().0, height - X_TEXT))
        .x_grid_spacer(move |input| x.marks(input.bounds, x.length / BETWEEN_MARKS[0]))
        .y_grid_spacer(move |input| y.marks(input.bounds, y.length / BETWEEN_MARKS[1]))
        .x_axis_formatter(move |mark, range: &_| x.label(mark, range))
        // The space keeps the label apart from the axis.
        .y_axis_formatter(move |mark, range: &_| y.label(mark, range) + " ")
        .label_formatter(|name, point| point_text(chart, name, point));
    plot.show(ui, |plot| {
        for (curve, color) in chart.curves.iter().zip(colors.iter().cycle()) {
            let shown = |[x, y]: [f64; 2]| {
                Some([coordinate_in_range(&chart.x, x)?, coordinate_in_range(&chart.y, y)?])
            };
            let points: Vec<[f64; 2]> = curve.points.iter().copied().filter_map(shown).collect();
            let name = &curve.name;
            if curve.style != CurveStyle::Dots {
                let style = match curve.style {
                    CurveStyle::Dashed([length, _]) => LineStyle::Dashed { length: length as f32 },
                    _ => LineStyle::Solid,
                };
                let line = Line::new(points.clone()).name(name).color(*color).style(style);
                plot.line(line.width(CURVE_WIDTH as f32));
            }
            if matches!(curve.style, CurveStyle::LineWithDots | CurveStyle::Dots) {
                plot.points(Points::new(points).name(name).color(*color).radius(3.5));
            }
        }
    });
}

/// Returns the corner of a chart whose quarter contains the fewest points.
pub fn emptiest_corner(chart: &Chart) -> Corner {
    let part = |axis: &ChartAxis, value: f64| {
        let [from, to] = axis.range.map(|end| coordinate_of(axis, end));
        coordinate_in_range(axis, value).map(|at| (at - from) / (to - from))
    };
    let points = chart.curves.iter().flat_map(|curve| &curve.points);
    let places: Vec<[f64; 2]> =
        points.filter_map(|[x, y]| Some([part(&chart.x, *x)?, part(&chart.y, *y)?])).collect();
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

/// Returns the coordinate of a value in egui's plot: log₁₀ of the value on a logarithmic axis.
fn coordinate_of(axis: &ChartAxis, value: f64) -> f64 {
    if axis.log { value.log10() } else { value }
}

/// Returns the coordinate of a value in egui's plot; `None` outside the range of the axis.
fn coordinate_in_range(axis: &ChartAxis, value: f64) -> Option<f64> {
    let [from, to] = axis.range;
    (from..=to).contains(&value).then(|| coordinate_of(axis, value))
}

/// Returns the label of the y axis, in a smaller font if a low chart has no room for it.
fn upright_label(label: &str, length: f32) -> RichText {
    let room = length / (LETTER_WIDTH * label.chars().count().max(1) as f32);
    let [least, most] = LABEL_SIZES;
    RichText::new(label).size(room.clamp(least, most))
}

fn on_screen(axis: &ChartAxis, horizontal: bool, length: f32) -> AxisOnScreen<'_> {
    let unit = axis.label_and_unit().1.unwrap_or_default();
    AxisOnScreen { horizontal, length: length.max(1.0).into(), log: axis.log, unit }
}

/// Returns the tooltip of a point: the name of its curve and both values with units.
fn point_text(chart: &Chart, name: &str, point: &PlotPoint) -> String {
    let line = |axis: &ChartAxis, place: f64| {
        let value = if axis.log { 10f64.powf(place) } else { place };
        match axis.label.rsplit_once(" in ") {
            Some((label, unit)) => format!("{label} {}", with_unit(value, unit)),
            None => format!("{} {value:.4e}", axis.label),
        }
    };
    format!("{name}\n{}\n{}", line(&chart.x, point.x), line(&chart.y, point.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::chart::Curve;

    #[test]
    fn a_legend_lies_where_no_points_are() {
        let axis = || ChartAxis { label: "x in s".to_owned(), log: false, range: [0.0, 1.0] };
        let corner = |points: &[[f64; 2]]| {
            let curve = Curve {
                name: "front".to_owned(),
                points: points.to_vec(),
                style: CurveStyle::Dots,
                colour: [0; 3],
            };
            let (title, curves) = ("test".to_owned(), vec![curve]);
            emptiest_corner(&Chart { title, x: axis(), y: axis(), cells: None, curves })
        };
        assert_eq!(corner(&[[0.1, 0.1], [0.2, 0.2], [0.1, 0.9]]), Corner::RightTop);
        let low = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9]];
        assert_eq!(corner(&low), Corner::LeftTop);
        assert_eq!(corner(&[low[0], low[2], [0.1, 0.9], [2.0, 0.1]]), Corner::RightBottom);
    }
}
