//! Conversion of a live chart into a figure: a drawing on white background for a file.

use super::axis_choice::AxisChoice;
use super::ticks;
use super::{Curve, LiveChart, LiveChartAxis, height_of};
use crate::app::view::LineStyle;
use crate::export::chart::{self, CURVE_WIDTH, Chart, ChartAxis, CurveStyle};
use crate::export::drawing::{Drawing, INK, Rgb};
use crate::quantity::on_screen::{prefix_of, si_tight};
use egui_macroquad::egui::Color32;

/// Approximate number of marks per axis.
const MARKS: f64 = 5.0;
/// Length of a gap of a dashed curve divided by the length of a dash, as on the screen.
const GAP: f64 = 0.62;
/// Margin on each side of the range of the curves, as a fraction of the range.
const RANGE_MARGIN: f64 = 0.04;
/// Brightness from 0 to 1 above which a colour is darkened for white background.
const BRIGHTEST: f64 = 0.55;

/// Returns the figure of a chart in its present state. `scene` is the name of the scene, which is
/// printed at the foot of the figure.
pub fn live_chart_figure(live_chart: &LiveChart, choice: &AxisChoice, scene: &str) -> Drawing {
    let x = AxisReading::of(&live_chart.x, live_chart.x_range(), false, RANGE_MARGIN);
    let margin = if choice.fixed_range().is_some() { 0.0 } else { RANGE_MARGIN };
    let y =
        AxisReading::of(&live_chart.y_axis(choice), live_chart.y_range(choice), choice.log, margin);
    let curve = |curve: &Curve| {
        let shown = |&[x_value, y_value]: &[f64; 2]| {
            height_of(y_value, choice.log)?;
            let size = if choice.log { y_value.abs() } else { y_value };
            Some([x.read(x_value), y.read(size)])
        };
        let style = match curve.style {
            LineStyle::Solid => CurveStyle::Line,
            LineStyle::Dashed(length) => {
                CurveStyle::Dashed([length.into(), GAP * f64::from(length)])
            }
            LineStyle::Dotted(distance) => {
                CurveStyle::Dashed([CURVE_WIDTH, (f64::from(distance) - CURVE_WIDTH).max(1.0)])
            }
        };
        let points = curve.points.iter().filter_map(shown).collect();
        let name = match curve.exploded {
            Some(t) => format!("{}, exploded at {}", curve.name, si_tight(t, "s")),
            None => curve.name.to_owned(),
        };
        chart::Curve { name, points, style, colour: on_white(curve.color) }
    };
    // All vertical lines share one entry of the legend, so they have the same name.
    let vertical = |(place, _): &(f64, String)| chart::Curve {
        name: "theory".to_owned(),
        points: y.axis.range.map(|end| [x.read(*place), end]).to_vec(),
        style: CurveStyle::Line,
        colour: [190, 194, 200],
    };
    let dot = |curve: &Curve| {
        let [x_value, y_value] = *curve.points.last().filter(|_| curve.dot_at_end)?;
        let points = vec![[x.read(x_value), y.read(y_value)]];
        let (name, colour) = (String::new(), on_white(curve.color));
        Some(chart::Curve { name, points, style: CurveStyle::Dots, colour })
    };
    let lines = live_chart.marks.iter().map(vertical).chain(live_chart.curves.iter().map(curve));
    let curves = lines.chain(live_chart.curves.iter().filter_map(dot)).collect();
    let title = live_chart.name.to_owned();
    let chart = Chart { title, x: x.axis.clone(), y: y.axis.clone(), cells: None, curves };
    chart::arrange_charts(&[chart], 1, &[], &format!("ropelab · {scene}"))
}

/// Axis of a figure. A value v has the number (v − offset)/scale on the axis.
struct AxisReading {
    axis: ChartAxis,
    offset: f64,
    scale: f64,
}

impl AxisReading {
    /// Creates the axis. `margin` is the margin on each side of the range, as a fraction of the
    /// range.
    fn of(shown: &LiveChartAxis, [low, high]: [f64; 2], log: bool, margin: f64) -> Self {
        let LiveChartAxis { label, unit, .. } = shown;
        let in_unit = |prefix: &str| match format!("{prefix}{unit}").as_str() {
            "" => String::new(),
            unit => format!(" in {unit}"),
        };
        let margin = margin * (high - low);
        let [low, high] = [low - margin, high + margin];
        if log {
            let range = [low, high].map(|power| 10f64.powf(power));
            let axis = ChartAxis { label: label.clone() + &in_unit(""), range, log };
            return Self { axis, offset: 0.0, scale: 1.0 };
        }
        let step = ticks::round_marks((low, high), MARKS).first().map_or(1.0, |m| m.step_size);
        let offset = ticks::lowest_if_far(low, high, step).unwrap_or(0.0);
        let range = [low - offset, high - offset];
        let greatest = range[0].abs().max(range[1].abs());
        let (scale, prefix) = match *unit {
            "" | "%" => (1.0, ""),
            _ => prefix_of(greatest),
        };
        let less = match offset {
            0.0 => String::new(),
            offset => format!(" − {offset} {unit}").trim_end().to_owned(),
        };
        let label = format!("{label}{less}{}", in_unit(prefix));
        let axis = ChartAxis { label, range: range.map(|end| end / scale), log };
        Self { axis, offset, scale }
    }

    fn read(&self, value: f64) -> f64 {
        (value - self.offset) / self.scale
    }
}

/// Darkens a colour for the dark window so that it can be read on white.
fn on_white(color: Color32) -> Rgb {
    let [r, g, b] = [color.r(), color.g(), color.b()].map(|byte| f64::from(byte) / 255.0);
    let brightness = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let is_grey = color.r().abs_diff(color.b()) < 16 && color.r().abs_diff(color.g()) < 16;
    if is_grey && brightness > 0.85 {
        return INK;
    }
    let factor = (BRIGHTEST / brightness.max(1e-6)).min(1.0);
    [r, g, b].map(|channel| (255.0 * channel * factor).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live_chart(points: Vec<[f64; 2]>) -> LiveChart<'static> {
        let curves = vec![Curve::of_lane("RK4", 0, points)];
        let x = LiveChartAxis::new("simulated time", "s");
        let y = LiveChartAxis::new("total energy", "J");
        LiveChart { name: "Total energy", x, y, curves, marks: vec![], function: true }
    }

    #[test]
    fn a_picture_has_axes_with_units_a_legend_and_the_colours_of_the_lanes() {
        let live_chart = live_chart(vec![[0.0, 196.2], [1.0, 196.20003]]);
        let svg = live_chart_figure(&live_chart, &AxisChoice::default(), "Rope").to_svg();
        for text in
            ["simulated time in s", "total energy − 196.2 J in µJ", "RK4", "Rope", "#c68900"]
        {
            assert!(svg.contains(text), "{text} is missing:\n{svg}");
        }
    }

    #[test]
    fn lanes_have_dashes_of_their_own_and_lost_signs_are_told() {
        let mut live_chart = live_chart(vec![[0.0, 1.0], [1.0, -2.0]]);
        live_chart.curves.push(Curve::of_lane("RK3", 1, vec![[0.0, 2.0], [1.0, 3.0]]));
        live_chart.curves.push(Curve::of_lane("Heun", 2, vec![[0.0, 3.0], [1.0, 4.0]]));
        let svg = |log| {
            live_chart_figure(&live_chart, &AxisChoice { log, ..AxisChoice::default() }, "")
                .to_svg()
        };
        for dashes in ["stroke-dasharray=\"10.00 6.20\"", "stroke-dasharray=\"1.80 3.20\""] {
            // The dashes occur twice: in the curve and in the legend.
            assert_eq!(svg(false).matches(dashes).count(), 2, "{dashes}");
        }
        assert!(svg(true).contains("|total energy|") && !svg(false).contains("|total energy|"));
    }

    #[test]
    fn a_fixed_range_is_that_of_the_picture_and_a_lane_that_exploded_says_when() {
        let mut live_chart = live_chart(vec![[0.0, 1.0], [1.0, 3.0]]);
        live_chart.curves[0].exploded = Some(1.5);
        for log in [false, true] {
            let typed = Some(["2".to_owned(), "4".to_owned()]);
            let choice = AxisChoice { log, typed_range: typed, unit: "J" };
            let margin =
                AxisReading::of(&live_chart.y, live_chart.y_range(&choice), log, 0.0).axis.range;
            assert!(
                (margin[0] - 2.0).abs() < 1e-12 && (margin[1] - 4.0).abs() < 1e-12,
                "margins {margin:?}"
            );
            let svg = live_chart_figure(&live_chart, &choice, "").to_svg();
            assert!(svg.contains("RK4, exploded at 1.50 s"), "{svg}");
        }
    }

    #[test]
    fn a_picture_of_nothing_or_of_what_is_no_number_is_drawn() {
        for points in [vec![], vec![[f64::NAN, 1.0], [0.0, f64::INFINITY]], vec![[0.0, -1e300]]] {
            for log in [false, true] {
                let choice = AxisChoice { log, ..AxisChoice::default() };
                let figure = live_chart_figure(&live_chart(points.clone()), &choice, "");
                assert!(!figure.to_svg().contains("NaN"));
                assert!(figure.to_png().is_ok());
            }
        }
    }
}
