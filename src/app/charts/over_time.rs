//! Charts of quantities of the lanes and of the window over the last seconds.

use super::live_chart::{LiveChart, LiveChartAxis, lane_curve, plain_curve};
use crate::app::theme;
use crate::app::timing::clock::FrameClock;
use crate::export::chart::{CURVE_WIDTH, Curve};
use crate::measure::Sample;
use crate::session::Lane;
use crate::simulation::settings::Settings;

/// Label of the x axis of charts of lanes.
const SIMULATED: &str = "simulated time";
/// Largest length of the time axis in simulated seconds.
pub const LONGEST_AXIS: f64 = 10.0;
/// Smallest length of the time axis in simulated seconds.
const SHORTEST_AXIS: f64 = 2.0;
/// Largest number of points per curve: more points than pixels cost time and show nothing new.
const MOST_POINTS: f64 = 320.0;

pub struct PlottedQuantity {
    pub title: &'static str,
    pub unit: &'static str,
    pub tip: &'static str,
    /// True if the axis includes 0. The heights of curves are then proportional to their values.
    pub from_zero: bool,
    /// Reads the quantity from a sample of a lane.
    pub value: fn(&Sample) -> f64,
    /// Returns the [scale](LiveChartAxis::scale) of the quantity.
    pub scale: fn(&Sample) -> f64,
}

impl PlottedQuantity {
    pub const fn new(title: &'static str, unit: &'static str, value: fn(&Sample) -> f64) -> Self {
        Self { title, unit, tip: "", from_zero: true, value, scale: |_| 1.0 }
    }

    pub const fn with_scale(self, scale: fn(&Sample) -> f64) -> Self {
        Self { scale, ..self }
    }

    pub const fn with_tip(self, tip: &'static str) -> Self {
        Self { tip, ..self }
    }

    pub const fn without_zero(self) -> Self {
        Self { from_zero: false, ..self }
    }
}

/// Steps per frame, blend, and owed (due but not yet simulated) and dropped time of a lane.
pub const CLOCK: [PlottedQuantity; 4] = [
    PlottedQuantity::new("Steps a frame", "", |s| f64::from(s.steps))
        .with_tip("Time steps that a lane takes in each frame"),
    PlottedQuantity::new("Blend", "", |s| s.blend)
        .with_tip("Blend factor: 0 draws the state before the last step, 1 the state after it"),
    PlottedQuantity::new("Owed time", "s", |s| s.owed).with_tip(
        "Time in the accumulator that is not simulated yet. If it keeps growing, the computer is \
        too slow for this scene.",
    ),
    PlottedQuantity::new("Dropped time", "s", |s| s.dropped).with_tip(
        "Time that limits on frames or the stepping scheme dropped, so that it is never \
        simulated. Below 0, the scheme has simulated more time than has passed",
    ),
];

/// Creates a chart of the last [`LONGEST_AXIS`] seconds before `end`.
pub fn chart_over_time(
    name: &'static str,
    unit: &'static str,
    from_zero: bool,
    end: f64,
    curves: Vec<Curve<'static>>,
) -> LiveChart {
    let range = Some(window_of(end));
    let x = LiveChartAxis { range, ..LiveChartAxis::new(SIMULATED, "s") };
    let y = LiveChartAxis { from_zero, ..LiveChartAxis::new(&name.to_lowercase(), unit) };
    LiveChart { name, x, y, curves, marks: Vec::new(), function: true }
}

pub fn lanes_chart(quantity: &PlottedQuantity, lanes: &[&Lane]) -> LiveChart {
    let end = newest(lanes);
    let curve = |lane: &&Lane| {
        let samples = lane.simulation.record().iter();
        let points = thinned(samples.map(|s| [s.t, (quantity.value)(s)]), start_of(end));
        let exploded = lane.simulation.explosion().map(|explosion| explosion.t);
        Curve { exploded, ..lane_curve(&lane.name, lane.color, points) }
    };
    let curves = lanes.iter().map(curve).collect();
    let PlottedQuantity { title, unit, from_zero, .. } = *quantity;
    let mut chart = chart_over_time(title, unit, from_zero, end, curves);
    let running = lanes.iter().filter(|lane| lane.simulation.explosion().is_none());
    let samples = running.flat_map(|lane| lane.simulation.record().iter());
    let scales = samples.filter(|s| s.t >= start_of(end)).map(quantity.scale);
    chart.y.scale = scales.filter(|scale| scale.is_finite()).fold(0.0, f64::max);
    chart
}

/// Creates the chart of frame time and computing time of the window. All lanes share both.
pub fn frame_time_chart(clock: &FrameClock) -> LiveChart {
    let end = clock.history().next_back().map_or(0.0, |frame| frame.at);
    let start = start_of(end);
    let frames = thinned(clock.history().map(|f| [f.at, f.frame]), start);
    let work = thinned(clock.history().map(|f| [f.at, f.work]), start);
    let curves = vec![
        Curve { width: CURVE_WIDTH, ..plain_curve("frame", theme::text(), frames) },
        Curve { width: CURVE_WIDTH, ..plain_curve("work", theme::accent(), work) },
    ];
    let mut chart = chart_over_time("Frame time", "s", true, end, curves);
    chart.x.label = "time of the window".to_owned();
    chart
}

/// Creates the chart of the frame times of lanes with a simulated display. A thin line marks the
/// frame time to which a lane converges under its computing load.
pub fn frames_chart(lanes: &[&Lane], speed: f64) -> LiveChart {
    let end = newest(lanes);
    let start = start_of(end);
    let mut curves = Vec::new();
    for lane in lanes {
        let frames = lane.simulation.record().iter().map(|s| [s.t, s.frame]);
        curves.push(lane_curve(&lane.name, lane.color, thinned(frames, start)));
        let Settings { dt, stepping, .. } = *lane.simulation.settings();
        let spiral = lane.display.source().spiral(dt, speed).filter(|_| stepping.uses_dt());
        if let Some(converged_length) = spiral.and_then(|spiral| spiral.converged_length) {
            let ends = window_of(end).map(|t| [t, converged_length]).to_vec();
            curves.push(plain_curve("F*", theme::lane_color(lane.color), ends));
        }
    }
    chart_over_time("Frames of the lanes", "s", true, end, curves)
}

pub fn newest(lanes: &[&Lane]) -> f64 {
    let newest = |lane: &&Lane| lane.simulation.record().last().map_or(0.0, |s| s.t);
    lanes.iter().map(newest).fold(0.0, f64::max)
}

/// Returns both ends of a time axis in seconds; `end` is the newest time. The axis grows from
/// [`SHORTEST_AXIS`] to [`LONGEST_AXIS`] seconds and then scrolls.
fn window_of(end: f64) -> [f64; 2] {
    let start = start_of(end);
    [start, start + end.clamp(SHORTEST_AXIS, LONGEST_AXIS)]
}

/// Returns the time of a chart's first sample if earlier samples are missing. They are missing
/// after the user has gone back by more than a minute or to another branch.
pub fn late_start(chart: &LiveChart) -> Option<f64> {
    let [start, _] = chart.x.range.filter(|_| chart.x.label == SIMULATED)?;
    let firsts = chart.curves.iter().filter_map(|curve| Some(curve.points.first()?[0]));
    let first = firsts.fold(f64::INFINITY, f64::min);
    (first.is_finite() && first > start + LATE_SECONDS).then_some(first)
}

/// Largest time in seconds between the left end of the axis and the first sample at which the chart
/// does not mention that sample's time.
const LATE_SECONDS: f64 = 0.5;

pub fn start_of(end: f64) -> f64 {
    (end - LONGEST_AXIS).max(0.0)
}

/// Time in seconds without a sample after which a new curve begins. Such gaps arise when the user
/// goes to a moment whose samples were not kept.
const GAP: f64 = 3.0;

/// Returns the points since `start`, thinned to the last point in each of [`MOST_POINTS`] equal
/// intervals. The intervals begin at multiples of their length; otherwise a scrolling curve would
/// shimmer. Points before a gap of [`GAP`] seconds are left out.
pub fn thinned(points: impl Iterator<Item = [f64; 2]>, start: f64) -> Vec<[f64; 2]> {
    let span = |x: f64| (x / LONGEST_AXIS * MOST_POINTS).floor();
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for point in points.filter(|p| p[0] >= start && p[1].is_finite()) {
        match kept.last_mut() {
            Some(last) if point[0] - last[0] > GAP => kept = vec![point],
            Some(last) if span(last[0]) == span(point[0]) => *last = point,
            _ => kept.push(point),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_begin_after_a_stretch_without_samples_and_say_so() {
        let times = (0..120).chain(480..600).map(|frame| f64::from(frame) / 60.0);
        let points = thinned(times.map(|t| [t, 1.0]), 0.0);
        assert!(points[0][0] >= 8.0, "no line leads over the gap: {:?}", points[0]);
        let chart =
            |points| chart_over_time("x", "J", true, 10.0, vec![lane_curve("a", 0, points)]);
        assert_eq!(late_start(&chart(points.clone())), Some(points[0][0]));
        let whole = thinned((0..600).map(|frame| [f64::from(frame) / 60.0, 1.0]), 0.0);
        assert_eq!(late_start(&chart(whole)), None);
    }

    #[test]
    fn an_axis_has_the_scale_of_the_numbers_behind_its_values() {
        let text = "(version: 1, name: \"flight\", balls: [(name: \"ball\", at: (0, 0, 0), radius: \
                    0.1, velocity: (2, 0, 0))], settings: (dt: 0.01))";
        let mut session = crate::app::laboratory::session_of(text);
        session.advance(0.1, &|| 0.0);
        let lane = &session.lanes()[0];
        let of = |quantity: &PlottedQuantity| lanes_chart(quantity, &[lane]).y.scale;
        let made = PlottedQuantity::new("Energy made", "J", |s| s.made);
        let kinetic = lane.simulation.record().last().unwrap().energy.kinetic;
        assert!(kinetic > 0.0 && of(&made.with_scale(|s| s.energy.kinetic)) == kinetic);
        assert_eq!(of(&CLOCK[2]), 1.0, "a second");
    }

    #[test]
    fn an_axis_of_time_grows_with_the_curves_and_never_jumps() {
        assert_eq!(window_of(0.0), [0.0, SHORTEST_AXIS]);
        assert_eq!(window_of(1.4), [0.0, SHORTEST_AXIS]);
        assert_eq!(window_of(4.0), [0.0, 4.0]);
        assert_eq!(window_of(25.0), [15.0, 25.0]);
        let times = (0..2000).map(|frame| f64::from(frame) / 60.0);
        let ends: Vec<[f64; 2]> = times.map(window_of).collect();
        for pair in ends.windows(2) {
            for (before, after) in pair[0].iter().zip(pair[1]) {
                assert!(
                    (0.0..1.01 / 60.0).contains(&(after - before)),
                    "ends of the axis in two frames {pair:?}"
                );
            }
        }
    }
}
