//! Chart of the running lanes, with the ranges of its axes.

use super::axis_choice::AxisChoice;
use crate::app::theme;
use crate::app::view::{LineStyle, lane_style};
use crate::export::chart::{CURVE_WIDTH, Chart, ChartAxis, Curve, CurveStyle};
use crate::export::drawing::Rgb;
use egui_macroquad::egui::Color32;
use std::borrow::Cow;

/// Margin around the curves on each side, as a fraction of the x range and of the y range.
const MARGINS: [f64; 2] = [0.05, 0.08];
/// Length of a gap in a dashed curve divided by the length of a dash, as drawn by egui.
const GAP: f64 = 0.62;
/// Exponents of the powers of ten that a logarithmic axis can show.
const POWERS: std::ops::RangeInclusive<f64> = -300.0..=300.0;
/// Smallest y range, as a fraction of the largest absolute value in the chart or of
/// [`LiveChartAxis::scale`], whichever is larger. Smaller differences are rounding errors.
const LEAST_HEIGHT: f64 = 1e-9;
/// Largest number of decades on a logarithmic axis. A curve through 0 would need infinitely many.
const MOST_DECADES: f64 = 14.0;

/// Chart of the running lanes, with its curves and axes, before the user's choices for the y axis.
pub struct LiveChart {
    /// Name of the chart. The user's choices for its y axis are stored under this name.
    pub name: &'static str,
    pub x: LiveChartAxis,
    pub y: LiveChartAxis,
    /// Curves in drawing order: a later curve covers an earlier one.
    pub curves: Vec<Curve<'static>>,
    /// Vertical lines: their positions on the x axis and their names.
    pub marks: Vec<(f64, String)>,
    /// True if every curve has one value at each x. The tooltip then shows the values of all curves
    /// at the x of the cursor.
    pub function: bool,
}

#[derive(Clone, Debug)]
pub struct LiveChartAxis {
    pub label: String,
    pub unit: &'static str,
    /// True if the range includes 0. The heights of curves are then proportional to their values.
    pub from_zero: bool,
    /// True if the axis is logarithmic unless the user chooses otherwise.
    pub log: bool,
    /// Both ends of the axis; `None` if the curves determine the range.
    pub range: Option<[f64; 2]>,
    /// Magnitude that determines the rounding errors of the values, in the unit of the axis; 0 for
    /// the magnitude of the values themselves. For example, an energy error is a difference of
    /// energies, so its rounding errors are proportional to these energies.
    pub scale: f64,
}

impl LiveChartAxis {
    pub fn new(label: &str, unit: &'static str) -> Self {
        let label = label.to_owned();
        Self { label, unit, from_zero: false, log: false, range: None, scale: 0.0 }
    }
}

/// Creates the curve of the lane with this colour number, with the lane's line style.
pub fn lane_curve(name: &str, color: usize, points: Vec<[f64; 2]>) -> Curve<'static> {
    let style = match lane_style(color) {
        LineStyle::Solid => CurveStyle::Line,
        LineStyle::Dashed(length) => CurveStyle::Dashed([length.into(), GAP * f64::from(length)]),
        LineStyle::Dotted(distance) => CurveStyle::Dotted(distance.into()),
    };
    let curve = plain_curve("", theme::lane_color(color), points);
    Curve { name: name.to_owned().into(), style, width: CURVE_WIDTH, ..curve }
}

/// Creates a thin solid curve.
pub fn plain_curve(name: &'static str, color: Color32, points: Vec<[f64; 2]>) -> Curve<'static> {
    let curve = Curve::new(name, points, CurveStyle::Line, to_rgb(color));
    Curve { width: 0.8, ..curve }
}

/// Returns the bytes of a colour without its opacity.
pub fn to_rgb(color: Color32) -> Rgb {
    [color.r(), color.g(), color.b()]
}

/// Returns the height of a value on the axis. On a logarithmic axis, this is log₁₀ of the absolute
/// value. Returns `None` if the axis cannot show the value.
fn height_of(value: f64, log: bool) -> Option<f64> {
    let height = if log { value.abs().log10() } else { value };
    (if log { POWERS.contains(&height) } else { height.is_finite() }).then_some(height)
}

/// Returns a range extended on each side by a fraction of its length.
fn with_margin([low, high]: [f64; 2], fraction: f64) -> [f64; 2] {
    let margin = fraction * (high - low);
    [low - margin, high + margin]
}

impl LiveChart {
    /// Returns the chart as it is drawn, with margins around the curves. A logarithmic axis shows
    /// absolute values.
    pub fn chart(&self, choice: &AxisChoice) -> Chart<'_> {
        let log = choice.log;
        let margin = if choice.fixed_range().is_some() { 0.0 } else { MARGINS[1] };
        let [x_range, heights] =
            [with_margin(self.x_range(), MARGINS[0]), with_margin(self.y_range(choice), margin)];
        let y_range = if log { heights.map(|power| 10f64.powf(power)) } else { heights };
        let label = &self.y.label;
        let label = if self.hides_signs(choice) { format!("|{label}|") } else { label.clone() };
        let (x, y) = (self.x.label.clone(), label);
        let accent = theme::accent().gamma_multiply(0.45);
        let mark = |(place, _): &(f64, String)| {
            plain_curve("theory", accent, y_range.map(|end| [*place, end]).to_vec())
        };
        let curve = |curve| shown_curve(curve, log);
        Chart {
            title: self.name.to_owned(),
            x: ChartAxis { label: x, unit: self.x.unit, range: x_range, log: false },
            y: ChartAxis { label: y, unit: self.y.unit, range: y_range, log },
            cells: None,
            curves: self.marks.iter().map(mark).chain(self.curves.iter().map(curve)).collect(),
        }
    }

    /// True if a logarithmic axis shows the absolute values of negative numbers.
    pub fn hides_signs(&self, choice: &AxisChoice) -> bool {
        let mut values =
            self.curves.iter().flat_map(|curve| curve.points.iter()).map(|point| point[1]);
        choice.log && values.any(|value| value < 0.0)
    }

    /// Returns the curves of lanes that exploded before the start of the time axis, with the
    /// explosion times.
    pub fn exploded_before(&self) -> impl Iterator<Item = (&Curve<'static>, f64)> {
        let start = if self.function && self.x.unit == "s" { self.x_range()[0] } else { 0.0 };
        let ended = self.curves.iter().filter_map(|curve| Some((curve, curve.exploded?)));
        ended.filter(move |(_, at)| *at < start)
    }

    /// Returns the points of all exploded lanes, or else of all running lanes.
    fn points(&self, exploded: bool) -> impl Iterator<Item = &[f64; 2]> {
        let curves = self.curves.iter().filter(move |curve| curve.exploded.is_some() == exploded);
        curves.flat_map(|curve| curve.points.iter())
    }

    pub fn x_range(&self) -> [f64; 2] {
        let xs = |exploded| range(self.points(exploded).map(|point| point[0]));
        let found = || axis_range(xs(false), xs(true)).unwrap_or([0.0, 1.0]);
        self.x.range.unwrap_or_else(|| widened(found(), self.x.scale))
    }

    /// Returns both ends of the y axis as heights: the typed range, or the range of all values.
    /// Values of exploded lanes are left out if they would flatten the other curves.
    pub fn y_range(&self, choice: &AxisChoice) -> [f64; 2] {
        let log = choice.log;
        for [low, high] in choice.fixed_range().into_iter().chain(self.y.range) {
            if let (Some(low), Some(high)) = (height_of(low, log), height_of(high, log)) {
                return [low, high];
            }
        }
        let [from, to] = self.x_range();
        let zero = (self.y.from_zero && !log).then_some(0.0);
        let heights = |exploded: bool| {
            let shown = self.points(exploded).filter(|point| (from..=to).contains(&point[0]));
            range(shown.filter_map(|point| height_of(point[1], log)).chain(zero))
        };
        let (running, exploded) = (heights(false), heights(true));
        match axis_range(running, exploded) {
            None => [if log { -1.0 } else { 0.0 }, if log { 0.0 } else { 1.0 }],
            Some([low, high]) if log => {
                let low = low.max(high - MOST_DECADES);
                if high - low < 0.2 { [low - 0.1, high + 0.1] } else { [low, high] }
            }
            Some(ends) => widened(ends, self.y.scale),
        }
    }
}

/// Returns a curve without the points that its axis cannot show. A logarithmic axis shows absolute
/// values.
fn shown_curve<'a>(curve: &'a Curve, log: bool) -> Curve<'a> {
    let is_shown = |[_, y]: &[f64; 2]| height_of(*y, log).is_some();
    if !log && curve.points.iter().all(is_shown) {
        return curve.with_points(Cow::Borrowed(&curve.points));
    }
    let shown = curve.points.iter().filter(|point| is_shown(point));
    let size = |[x, y]: &[f64; 2]| [*x, if log { y.abs() } else { *y }];
    curve.with_points(shown.map(size).collect())
}

/// Returns the range, widened if it is so small that only rounding errors would show. An end at 0
/// stays at 0. `scale` is the scale of the axis.
fn widened([low, high]: [f64; 2], scale: f64) -> [f64; 2] {
    let greatest = low.abs().max(high.abs());
    if greatest == 0.0 {
        return [0.0, 1.0];
    }
    let least = LEAST_HEIGHT * greatest.max(scale);
    match (low, high) {
        _ if high - low >= least => [low, high],
        (0.0, _) => [0.0, least],
        (_, 0.0) => [-least, 0.0],
        _ => [low - least, high + least],
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| {
        let [low, high] = range.unwrap_or([value; 2]);
        Some([value.min(low), value.max(high)])
    })
}

/// Returns the range of an axis. The arguments are the ranges of the running lanes' values and of
/// the exploded lanes' values.
fn axis_range(running: Option<[f64; 2]>, exploded: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let all = || range(running.into_iter().chain(exploded).flatten());
    range_beside_explosions(running, exploded).or_else(all)
}

/// Returns the range of the running lanes, extended towards the range of the exploded lanes by at
/// most its own length on each side. Returns `None` if the extended range covers that of the
/// exploded lanes.
fn range_beside_explosions(
    running: Option<[f64; 2]>,
    exploded: Option<[f64; 2]>,
) -> Option<[f64; 2]> {
    let ([low, high], [lowest, highest]) = (running?, exploded?);
    let room = high - low;
    let is_far = lowest < low - room || highest > high + room;
    (room > 0.0 && is_far)
        .then(|| [lowest.clamp(low - room, low), highest.clamp(high, high + room)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<[f64; 2]>) -> LiveChart {
        let [x, y] = ["s", "J"].map(|unit| LiveChartAxis::new("", unit));
        let curves = vec![lane_curve("lane", 0, points)];
        LiveChart { name: "test", x, y, curves, marks: vec![], function: true }
    }

    #[test]
    fn an_explosion_leaves_the_plot_and_flattens_no_other_curve() {
        let running = Some([1.0, 3.0]);
        let shown = |exploded| range_beside_explosions(running, exploded);
        assert_eq!(shown(None), None);
        assert_eq!(shown(Some([0.0, 5.0])), None, "it is not far");
        assert_eq!(shown(Some([1.5, 1e9])), Some([1.0, 5.0]));
        assert_eq!(shown(Some([-1e9, 4.0])), Some([-1.0, 4.0]));
        assert_eq!(range_beside_explosions(None, Some([0.0, 1e9])), None, "nobody lives");
        assert_eq!(range([f64::NAN, 2.0, f64::INFINITY, -1.0].into_iter()), Some([-1.0, 2.0]));
    }

    #[test]
    fn an_axis_that_has_moved_on_knows_what_exploded_before() {
        let mut chart = chart(vec![[4.0, 1.0]]);
        chart.curves.push(Curve { exploded: Some(1.5), ..lane_curve("dead", 1, vec![]) });
        for (range, names) in [([0.0, 10.0], &[][..]), ([3.0, 13.0], &["dead"])] {
            chart.x.range = Some(range);
            let left: Vec<_> =
                chart.exploded_before().map(|(curve, _)| curve.name.clone()).collect();
            assert_eq!(left, names, "{range:?}");
        }
    }

    #[test]
    fn a_portrait_keeps_its_width_beside_an_explosion() {
        let mut chart = chart(vec![[-1.0, 0.0], [1.0, 2.0]]);
        let exploded = lane_curve("dead", 1, vec![[0.0, 0.0], [1e9, 1e12]]);
        chart.curves.push(Curve { exploded: Some(0.0), ..exploded });
        assert_eq!(chart.x_range(), [-1.0, 3.0]);
        assert_eq!(chart.y_range(&AxisChoice::default()), [0.0, 2.0]);
    }

    #[test]
    fn every_range_is_finite_and_has_room() {
        let all = [
            vec![],
            vec![[0.0, 0.0]],
            vec![[0.0, f64::NAN], [f64::NAN, 1.0]],
            vec![[0.0, -3.0], [1.0, -3.0]],
            vec![[0.0, 1e300], [1.0, -1e300]],
            vec![[0.0, 1e-300], [1.0, 2.0]],
        ];
        for points in all {
            let chart = chart(points.clone());
            for log in [false, true] {
                let choice = AxisChoice { log, ..AxisChoice::default() };
                for [low, high] in [chart.x_range(), chart.y_range(&choice)] {
                    assert!(low.is_finite() && high.is_finite() && low < high, "{points:?} {log}");
                }
            }
        }
    }

    #[test]
    fn rounding_errors_of_a_difference_are_a_flat_curve() {
        let noise = || chart(vec![[0.0, 0.0], [1.0, 3e-12], [2.0, 1e-12]]);
        let shown = |scale: f64| {
            let mut chart = noise();
            (chart.y.from_zero, chart.y.scale) = (true, scale);
            chart.y_range(&AxisChoice::default())
        };
        assert_eq!(shown(0.0), [0.0, 3e-12], "small values that are computed from small numbers");
        let least = 100.0 * LEAST_HEIGHT;
        assert_eq!(shown(100.0), [0.0, least]);
        assert_eq!(shown(1e-4), [0.0, 3e-12]);
        assert_eq!(widened([-2e-12, 1e-12], 100.0), [-2e-12 - least, 1e-12 + least]);
        assert_eq!(widened([-2e-12, 0.0], 100.0), [-least, 0.0]);
    }

    #[test]
    fn a_logarithmic_axis_shows_sizes_and_a_typed_range_is_taken_as_it_is() {
        let chart = chart(vec![[0.0, -0.01], [1.0, 100.0], [2.0, 0.0]]);
        let log = AxisChoice { log: true, ..AxisChoice::default() };
        assert_eq!(chart.y_range(&log), [-2.0, 2.0]);
        let typed =
            AxisChoice { typed_range: Some(["1 mJ".into(), "10".into()]), unit: "J", log: true };
        assert_eq!(chart.y_range(&typed), [-3.0, 1.0]);
        let upside_down = AxisChoice { typed_range: Some(["2".into(), "1".into()]), ..log.clone() };
        assert_eq!(chart.y_range(&upside_down), [-2.0, 2.0], "no range");
    }
}
