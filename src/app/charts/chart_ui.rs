//! Drawing of a [`Chart`], the result of an analysis, on the screen. An exported file shows the
//! same chart.

use super::ticks::{power_text, with_unit};
use crate::export::chart::{CURVE_WIDTH, Chart, ChartAxis, CurveStyle};
use egui_macroquad::egui::{Color32, Ui, Vec2};
use egui_plot::{Corner, GridMark, Legend, Line, LineStyle, Plot, PlotPoint, Points};

/// Draws a chart with its legend in a corner. Curve i has the colour i; further curves begin with
/// the first colour again.
pub fn chart_ui(ui: &mut Ui, chart: &Chart, colors: &[Color32], (height, legend): (f32, Corner)) {
    let [[left, right], [low, high]] =
        [&chart.x, &chart.y].map(|axis| axis.range.map(|end| coordinate_of(axis, end)));
    let plot = Plot::new(("chart", &chart.title))
        .height(height)
        .legend(Legend::default().position(legend))
        .allow_drag(false)
        .allow_scroll(false)
        .include_x(left)
        .include_x(right)
        .include_y(low)
        .include_y(high)
        .set_margin_fraction(Vec2::ZERO)
        .x_axis_label(chart.x.label_and_unit().0)
        .y_axis_label(chart.y.label_and_unit().0)
        .x_axis_formatter(|mark: GridMark, _: &_| mark_text(&chart.x, mark))
        .y_axis_formatter(|mark: GridMark, _: &_| mark_text(&chart.y, mark))
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

fn mark_text(axis: &ChartAxis, mark: GridMark) -> String {
    match axis.label_and_unit().1 {
        unit if axis.log => power_text(mark.value, unit.unwrap_or_default()),
        _ => with_unit(mark.value, ""),
    }
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
