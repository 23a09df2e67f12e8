//! Distance of every lane from the reference lane over time, and its exponential growth rate.

use super::shown::Shown;
use crate::app::charts::{LiveChart, lane_curve, over_time, plain_curve};
use crate::app::theme;
use crate::numerics::hermite::HermiteWeights;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;
use glam::DVec3;
use std::collections::VecDeque;

/// Approximate upper limit on compared particles per lane. If a lane has n times as many, every
/// n-th particle is compared.
const MOST_PARTICLES: usize = 4000;
/// Number of points kept per curve: 20 s at 60 points per second.
const MOST_POINTS: usize = 1200;
/// Length in seconds of the final part of a curve to which a line is fitted.
const SLOPE_SECONDS: f64 = 5.0;
/// Number of segments in which the fitted line is drawn. On a linear axis the line is a curve.
const FIT_POINTS: usize = 20;

const TIP: &str = "Greatest distance of a particle from the same particle of the reference lane. \
                   Where the curve rises as a straight line, nearby motions separate \
                   exponentially, and the slope is the greatest Lyapunov exponent (Benettin et \
                   al. 1980).";

/// Distances of the lanes from the reference lane, indexed by the lanes' colours. A lane's distance
/// is the greatest distance between one of its particles and the same particle of the reference
/// lane.
#[derive(Debug, Default)]
pub struct Distances {
    reference: Option<usize>,
    /// Points [time in seconds, distance in metres].
    curves: [VecDeque<[f64; 2]>; MOST_LANES],
}

impl Distances {
    pub fn observe(&mut self, lanes: &[Lane], reference: Option<usize>) {
        if reference != self.reference {
            *self = Self { reference, ..Self::default() };
        }
        let Some(reference_lane) = lanes.iter().find(|lane| Some(lane.color) == reference) else {
            return;
        };
        for color in 0..MOST_LANES {
            if !lanes.iter().any(|lane| lane.color == color) {
                self.curves[color].clear();
            }
        }
        for lane in lanes.iter().filter(|lane| lane.color != reference_lane.color) {
            let curve = &mut self.curves[lane.color];
            let Some(point @ [t, _]) = distance(lane, reference_lane) else { continue };
            if curve.back().is_some_and(|last| t < last[0]) {
                curve.clear();
            }
            if curve.back().is_none_or(|last| t > last[0]) {
                curve.push_back(point);
            }
            if curve.len() > MOST_POINTS {
                curve.pop_front();
            }
        }
    }

    /// Returns the chart of the distances; `None` without a reference lane.
    pub fn chart(&self, lanes: &[Lane], choice: &Shown) -> Option<DistanceChart> {
        let reference_lane = lanes.iter().find(|lane| Some(lane.color) == self.reference)?;
        let end = self.curves.iter().filter_map(|curve| curve.back()).map(|p| p[0]);
        let end = end.fold(0.0, f64::max);
        let shown = lanes
            .iter()
            .filter(|lane| choice.shows(lane.color) && lane.color != reference_lane.color);
        let mut curves = Vec::new();
        for lane in shown {
            let points = self.curves[lane.color].iter().filter(|point| point[1] > 0.0).copied();
            let points = over_time::thinned(points, over_time::start_of(end));
            curves.push(lane_curve(&lane.name, lane.color, points));
        }
        let measured = |color: usize| LineFit::of(&self.curves[color]);
        let fits = lanes.iter().filter(|lane| choice.shows(lane.color));
        for lane in fits.filter(|lane| lane.color != reference_lane.color) {
            let Some(fit) = measured(lane.color) else { continue };
            curves.push(plain_curve("fit", theme::lane_color(lane.color), fit.points()));
        }
        let mut chart = over_time::chart_over_time("Distance", "m", false, end, curves);
        chart.y.log = true;
        chart.y.label = format!("distance to {}", reference_lane.name);
        let selected = lanes[choice.index_of_selected(lanes)].color;
        let others =
            lanes.iter().map(|lane| lane.color).filter(|color| *color != reference_lane.color);
        let described =
            if selected == reference_lane.color { others.clone().next() } else { Some(selected) };
        let fit = described.and_then(measured);
        let slope = fit.map(|LineFit { slope, ends: [from, to], .. }| {
            format!("last {:.1} s: distance ~ exp({slope:+.2} t/s)", to - from)
        });
        Some(DistanceChart { chart, tip: TIP, slope: slope.unwrap_or_default() })
    }
}

/// Chart of the distances between lanes.
pub struct DistanceChart {
    pub chart: LiveChart,
    pub tip: &'static str,
    /// Slope of the selected lane's curve in words. If the selected lane is the reference lane, the
    /// slope of the first other lane.
    pub slope: String,
}

/// Line fitted by least squares to ln(distance) over the last seconds of a curve.
#[derive(Clone, Copy, Debug)]
struct LineFit {
    /// Slope in 1/s: the greatest Lyapunov exponent if neighbouring states separate exponentially.
    slope: f64,
    /// Middle of the fitted points: time in seconds, and ln of the distance in metres.
    middle: [f64; 2],
    /// First and last time of the fitted points in seconds. A lane's curve ends when the lane
    /// explodes.
    ends: [f64; 2],
}

impl LineFit {
    fn of(curve: &VecDeque<[f64; 2]>) -> Option<Self> {
        let since = curve.back()?[0] - SLOPE_SECONDS;
        let recent = curve.iter().filter(|[t, distance]| *t >= since && *distance > 0.0);
        let points: Vec<[f64; 2]> = recent.map(|[t, distance]| [*t, distance.ln()]).collect();
        let n = points.len() as f64;
        let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / n;
        let (t, y) = (mean(0), mean(1));
        let along: f64 = points.iter().map(|point| (point[0] - t) * (point[1] - y)).sum();
        let square: f64 = points.iter().map(|point| (point[0] - t).powi(2)).sum();
        let fits = points.len() > 10 && square > 0.0;
        let ends = [points.first()?[0], points.last()?[0]];
        fits.then(|| Self { slope: along / square, middle: [t, y], ends })
    }

    fn points(&self) -> Vec<[f64; 2]> {
        let Self { slope, middle: [t, y], ends: [from, to] } = *self;
        let at = |i: usize| from + (to - from) * (i as f64 / FIT_POINTS as f64);
        (0..=FIT_POINTS).map(|i| [at(i), (y + slope * (at(i) - t)).exp()]).collect()
    }
}

/// Returns the newest time that both lanes have reached, and the greatest distance between
/// particles of the same index at that time. Returns `None` if a lane has exploded, or if a lane's
/// last step began after that time.
fn distance(lane: &Lane, reference_lane: &Lane) -> Option<[f64; 2]> {
    if lane.simulation.explosion().is_some() || reference_lane.simulation.explosion().is_some() {
        return None;
    }
    let t = lane.simulation.state().t.min(reference_lane.simulation.state().t);
    let (here, there) = (positions_at(lane, t)?, positions_at(reference_lane, t)?);
    let n = lane.simulation.state().len().min(reference_lane.simulation.state().len());
    let each = (0..n).step_by(n.div_ceil(MOST_PARTICLES).max(1));
    let greatest = each.map(|i| here(i).distance(there(i))).fold(0.0, f64::max);
    greatest.is_finite().then_some([t, greatest])
}

/// Returns the positions of the particles at a time within the last step; `None` for other times. A
/// cubic through the positions and velocities at both ends of the step interpolates them.
fn positions_at(lane: &Lane, t: f64) -> Option<impl Fn(usize) -> DVec3 + '_> {
    let (before, after) = (lane.simulation.previous(), lane.simulation.state());
    let h = after.t - before.t;
    let s = if h > 0.0 { (t - before.t) / h } else { 1.0 };
    let within = (-1e-9..=1.0).contains(&s) && before.len() == after.len();
    let weights = HermiteWeights::at(s, h);
    within.then_some(move |i: usize| {
        weights.position([before.x[i], after.x[i]], [before.v[i], after.v[i]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::session::Session;
    use std::sync::Arc;

    #[test]
    fn the_slope_is_that_of_the_logarithm() {
        let curve = (0..600).map(|i| f64::from(i) / 60.0).map(|t| [t, 1e-6 * (0.9 * t).exp()]);
        let fit = LineFit::of(&curve.collect()).unwrap();
        assert!((fit.slope - 0.9).abs() < 1e-9);
        let points = fit.points();
        assert!(
            (points[0][0] - 5.0).abs() < 0.05
                && (points[FIT_POINTS][0] - 599.0 / 60.0).abs() < 1e-9
        );
        for [t, distance] in points {
            assert!((distance / (1e-6 * (0.9 * t).exp()) - 1.0).abs() < 1e-6, "{t} {distance}");
        }
        assert!(LineFit::of(&VecDeque::new()).is_none());
    }

    #[test]
    fn lanes_that_step_at_different_times_are_compared_at_the_same_one() {
        let text = r#"(version: 1, name: "fall", particles: [(name: "ball", at: (0, 2, 0))],
            forces: [(law: Gravity())],
            lanes: [(name: "a", settings: (dt: 0.01)), (name: "b", settings: (dt: 0.003))])"#;
        let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        let mut session = Session::new(Arc::new(scene));
        let mut compared = 0;
        for _ in 0..60 {
            session.advance(1.0 / 60.0, &|| 0.0);
            // Velocity Verlet is exact in free fall, and so is the cubic between two of its states.
            if let Some([_, distance]) = distance(&session.lanes()[0], &session.lanes()[1]) {
                compared += 1;
                assert!(distance < 1e-12, "{distance}");
            }
        }
        assert!(compared > 15, "{compared}");
    }
}
