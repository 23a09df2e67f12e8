//! A plot before it is drawn: its curves, in SI units, and the quantities of its axes.

mod axis_choice;
mod chart_ui;
mod figure;
pub mod graph_ui;
pub mod over_time;
mod straight;
pub mod ticks;

pub use axis_choice::{AxisChoice, written};
pub use chart_ui::chart_ui;
pub use figure::figure;

use crate::app::theme;
use crate::app::view::{LineStyle, lane_style};
use egui_macroquad::egui::Color32;

/// Least height of a plot, as a fraction of the largest shown absolute value: smaller differences
/// are rounding.
const LEAST_HEIGHT: f64 = 1e-9;
/// Powers of ten that a logarithmic axis shows at most: a value that passes through 0 has no least
/// logarithm.
const MOST_DECADES: f64 = 14.0;

/// Plot.
pub struct Graph<'a> {
    /// Name of the plot; it identifies the user's choice of axis.
    pub name: &'static str,
    /// Horizontal axis.
    pub x: GraphAxis,
    /// Vertical axis.
    pub y: GraphAxis,
    /// Curves in drawing order, from the back to the front.
    pub curves: Vec<Curve<'a>>,
    /// Places on the x axis that have a name.
    pub marks: Vec<(f64, String)>,
    /// True if every curve has one value at each x; the cursor then reads all of them.
    pub function: bool,
}

/// Quantity, unit and scale of an axis.
#[derive(Clone, Debug)]
pub struct GraphAxis {
    /// The quantity.
    pub label: String,
    /// Its unit.
    pub unit: &'static str,
    /// Reaches down (or up) to 0, so that sizes can be compared.
    pub from_zero: bool,
    /// Logarithmic by default.
    pub log: bool,
    /// Both ends, where the curves do not decide them.
    pub range: Option<[f64; 2]>,
}

/// One line of a plot.
pub struct Curve<'a> {
    /// Name of its lane or of its quantity.
    pub name: &'a str,
    /// Its colour.
    pub color: Color32,
    /// Line style.
    pub style: LineStyle,
    /// Its width in points.
    pub width: f32,
    /// Finite points.
    pub points: Vec<[f64; 2]>,
    /// True to mark its newest end.
    pub dot_at_end: bool,
    /// Time in seconds at which its lane exploded. The ranges of the axes leave out the part of an
    /// exploded curve that would flatten all others.
    pub exploded: Option<f64>,
}

impl<'a> Curve<'a> {
    /// A curve of a lane by its colour.
    pub fn of_lane(name: &'a str, color: usize, points: Vec<[f64; 2]>) -> Self {
        let (style, color) = (lane_style(color), theme::lane_color(color));
        Self { name, color, style, width: 1.6, points, dot_at_end: false, exploded: None }
    }

    /// An unbroken curve in a colour.
    pub fn plain(name: &'a str, color: Color32, points: Vec<[f64; 2]>) -> Self {
        Self {
            name,
            color,
            style: LineStyle::Solid,
            width: 1.6,
            points,
            dot_at_end: false,
            exploded: None,
        }
    }

    /// The value at the first point from `x` on.
    pub fn value_at(&self, x: f64) -> Option<f64> {
        let after = self.points.partition_point(|point| point[0] < x);
        self.points.get(after).map(|point| point[1])
    }
}

/// Height of a value on the axis: the value, or log₁₀ of its absolute value on a logarithmic axis;
/// `None` if that is not finite.
pub fn height_of(value: f64, log: bool) -> Option<f64> {
    let height = if log { value.abs().log10() } else { value };
    height.is_finite().then_some(height)
}

impl Graph<'_> {
    /// True if values below 0 are drawn by their size, which is all that a logarithmic axis has.
    pub fn hides_signs(&self, choice: &AxisChoice) -> bool {
        let mut values = self.curves.iter().flat_map(|curve| &curve.points).map(|point| point[1]);
        choice.log && values.any(|value| value < 0.0)
    }

    /// The y axis, whose name tells whether signs are hidden.
    pub fn y_axis(&self, choice: &AxisChoice) -> GraphAxis {
        let GraphAxis { label, .. } = &self.y;
        let label = if self.hides_signs(choice) { format!("|{label}|") } else { label.clone() };
        GraphAxis { label, ..self.y.clone() }
    }

    /// Curves whose lane exploded before the time that is shown begins, and when.
    pub fn left_behind(&self) -> impl Iterator<Item = (&Curve<'_>, f64)> {
        let start = if self.function && self.x.unit == "s" { self.x_range()[0] } else { 0.0 };
        let ended = self.curves.iter().filter_map(|curve| Some((curve, curve.exploded?)));
        ended.filter(move |(_, at)| *at < start)
    }

    /// Both ends of the x axis.
    pub fn x_range(&self) -> [f64; 2] {
        let xs = |exploded: bool| {
            let curves =
                self.curves.iter().filter(move |curve| curve.exploded.is_some() == exploded);
            range(curves.flat_map(|curve| &curve.points).map(|point| point[0]))
        };
        self.x.range.unwrap_or_else(|| with_height(both(xs(false), xs(true)).unwrap_or([0.0, 1.0])))
    }

    /// Both ends of the y axis, as heights: the typed range, or that of all values except those of
    /// explosions, which would flatten the rest.
    pub fn y_range(&self, choice: &AxisChoice) -> [f64; 2] {
        let log = choice.log;
        if let Some([low, high]) = choice.fixed()
            && let (Some(low), Some(high)) = (height_of(low, log), height_of(high, log))
        {
            return [low, high];
        }
        if let Some([low, high]) = self.y.range
            && let (Some(low), Some(high)) = (height_of(low, log), height_of(high, log))
        {
            return [low, high];
        }
        let [from, to] = self.x_range();
        let zero = (self.y.from_zero && !log).then_some(0.0);
        let heights = |exploded: bool| {
            let curves =
                self.curves.iter().filter(move |curve| curve.exploded.is_some() == exploded);
            let points = curves.flat_map(|curve| &curve.points);
            let shown = points.filter(|point| (from..=to).contains(&point[0]));
            range(shown.filter_map(|point| height_of(point[1], log)).chain(zero))
        };
        let (living, exploded) = (heights(false), heights(true));
        match both(living, exploded) {
            None => [if log { -1.0 } else { 0.0 }, if log { 0.0 } else { 1.0 }],
            Some([low, high]) if log => {
                let low = low.max(high - MOST_DECADES);
                if high - low < 0.2 { [low - 0.1, high + 0.1] } else { [low, high] }
            }
            Some(ends) => with_height(ends),
        }
    }
}

/// The range itself, unless it is so small that only rounding would show.
fn with_height([low, high]: [f64; 2]) -> [f64; 2] {
    let greatest = low.abs().max(high.abs());
    if greatest == 0.0 {
        return [0.0, 1.0];
    }
    let least = LEAST_HEIGHT * greatest;
    if high - low < least { [low - least, high + least] } else { [low, high] }
}

/// Least and greatest of the finite values.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| {
        let [low, high] = range.unwrap_or([value; 2]);
        Some([value.min(low), value.max(high)])
    })
}

/// Range of an axis for the values of running lanes and those of exploded lanes.
fn both(living: Option<[f64; 2]>, exploded: Option<[f64; 2]>) -> Option<[f64; 2]> {
    let all = || range(living.into_iter().chain(exploded).flatten());
    range_beside_explosions(living, exploded).or_else(all)
}

/// Range of the values of running lanes, extended towards those of exploded lanes by at most its
/// own length to each side. `None` if nothing has to be left out.
fn range_beside_explosions(
    living: Option<[f64; 2]>,
    exploded: Option<[f64; 2]>,
) -> Option<[f64; 2]> {
    let ([low, high], [lowest, highest]) = (living?, exploded?);
    let room = high - low;
    let is_far = lowest < low - room || highest > high + room;
    (room > 0.0 && is_far)
        .then(|| [lowest.clamp(low - room, low), highest.clamp(high, high + room)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(points: Vec<[f64; 2]>) -> Graph<'static> {
        let axis = |unit| GraphAxis {
            label: String::new(),
            unit,
            from_zero: false,
            log: false,
            range: None,
        };
        let curves = vec![Curve::of_lane("lane", 0, points)];
        Graph { name: "test", x: axis("s"), y: axis("J"), curves, marks: vec![], function: true }
    }

    #[test]
    fn an_explosion_leaves_the_plot_and_flattens_no_other_curve() {
        let living = Some([1.0, 3.0]);
        let shown = |exploded| range_beside_explosions(living, exploded);
        assert_eq!(shown(None), None);
        assert_eq!(shown(Some([0.0, 5.0])), None, "it is not far");
        assert_eq!(shown(Some([1.5, 1e9])), Some([1.0, 5.0]));
        assert_eq!(shown(Some([-1e9, 4.0])), Some([-1.0, 4.0]));
        assert_eq!(range_beside_explosions(None, Some([0.0, 1e9])), None, "nobody lives");
        assert_eq!(range([f64::NAN, 2.0, f64::INFINITY, -1.0].into_iter()), Some([-1.0, 2.0]));
    }

    #[test]
    fn an_axis_that_has_moved_on_knows_what_exploded_before() {
        let mut graph = graph(vec![[4.0, 1.0]]);
        graph.curves.push(Curve { exploded: Some(1.5), ..Curve::of_lane("dead", 1, vec![]) });
        for (range, names) in [([0.0, 10.0], &[][..]), ([3.0, 13.0], &["dead"])] {
            graph.x.range = Some(range);
            let left: Vec<_> = graph.left_behind().map(|(curve, _)| curve.name).collect();
            assert_eq!(left, names, "{range:?}");
        }
    }

    #[test]
    fn a_portrait_keeps_its_width_beside_an_explosion() {
        let mut graph = graph(vec![[-1.0, 0.0], [1.0, 2.0]]);
        let exploded = Curve::of_lane("dead", 1, vec![[0.0, 0.0], [1e9, 1e12]]);
        graph.curves.push(Curve { exploded: Some(0.0), ..exploded });
        assert_eq!(graph.x_range(), [-1.0, 3.0]);
        assert_eq!(graph.y_range(&AxisChoice::default()), [0.0, 2.0]);
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
            let graph = graph(points.clone());
            for log in [false, true] {
                let choice = AxisChoice { log, ..AxisChoice::default() };
                for [low, high] in [graph.x_range(), graph.y_range(&choice)] {
                    assert!(low.is_finite() && high.is_finite() && low < high, "{points:?} {log}");
                }
            }
        }
    }

    #[test]
    fn a_logarithmic_axis_shows_sizes_and_a_typed_range_is_taken_as_it_is() {
        let graph = graph(vec![[0.0, -0.01], [1.0, 100.0], [2.0, 0.0]]);
        let log = AxisChoice { log: true, ..AxisChoice::default() };
        assert_eq!(graph.y_range(&log), [-2.0, 2.0]);
        let typed = AxisChoice { typed: Some(["1 mJ".into(), "10".into()]), unit: "J", log: true };
        assert_eq!(graph.y_range(&typed), [-3.0, 1.0]);
        let upside_down = AxisChoice { typed: Some(["2".into(), "1".into()]), ..log.clone() };
        assert_eq!(graph.y_range(&upside_down), [-2.0, 2.0], "no range");
    }
}
