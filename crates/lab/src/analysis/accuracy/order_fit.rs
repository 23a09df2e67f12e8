//! Fit of an order to measured errors.

use serde::Serialize;
use std::ops::Range;

/// Tolerance of slopes and orders. Slopes agree if they are within this tolerance of each other and
/// of their median. A measured order within this tolerance of the published one needs no
/// explanation.
pub(super) const SLOPE_TOLERANCE: f64 = 0.25;
/// Smallest measured order at which an integrator counts as converging.
const LEAST_ORDER: f64 = 0.5;
/// Smallest error used for slopes, as a multiple of the reference's uncertainty.
const CERTAIN_ERROR: f64 = 2.0;

/// Result of one integrator at one step size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConvergencePoint {
    /// Step in seconds.
    pub dt: f64,
    /// Largest distance of a particle from the reference in metres, over all multiples of the
    /// longest step; null after an explosion.
    pub error: f64,
    /// Error at the end of the run.
    pub end_error: f64,
    /// Shortest computing time of several runs, in seconds.
    pub cost_s: f64,
    /// Evaluations of forces and their derivatives.
    pub evaluations: u64,
    /// Maximum number of sweeps.
    pub sweeps: u64,
}

/// Order that fits the measured errors, and the range of steps in seconds in which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OrderFit {
    pub order: f64,
    pub holds: Option<[f64; 2]>,
}

/// Reason why no order fits the measured errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NoOrder {
    /// The run explodes at all step sizes, or at all but one.
    Explodes,
    /// No two neighbouring steps have usable errors, i.e. errors above rounding and below half the
    /// scene's size.
    Large,
    /// All errors are rounding errors: below 1e-12 of the scene's size.
    Rounding,
    /// At most one error clearly exceeds the uncertainty of the reference, which is stored here in
    /// metres.
    Uncertain(f64),
    /// Errors do not shrink as a power of the step. Contains the smallest and the largest slope.
    Uneven([f64; 2]),
    /// More than two steps were tried, but only two neighbouring ones have usable errors. Contains
    /// their slope, which no other slope confirms.
    Single(f64),
}

/// Fits the order to points that are sorted by falling dt. The order is the median of the slopes of
/// log error over log dt between neighbours. Three kinds of errors are left out: rounding errors,
/// errors barely larger than the uncertainty of the reference, and errors as large as the scene.
/// More than half of the slopes must agree, in one unbroken range of steps: if the slope drifts
/// from step to step, the order is not visible yet. A single slope counts as an order only if at
/// most two steps were requested.
pub(super) fn fit_order(
    points: &[ConvergencePoint],
    size: f64,
    uncertainty: f64,
) -> Result<OrderFit, NoOrder> {
    let least = (1e-13 * size).max(CERTAIN_ERROR * uncertainty);
    let usable = |point: &ConvergencePoint| (least..0.5 * size).contains(&point.error);
    let slope = |pair: &[ConvergencePoint]| {
        let [long, short] = pair else { return None };
        let both = usable(long) && usable(short);
        both.then(|| (long.error / short.error).ln() / (long.dt / short.dt).ln())
    };
    let slopes: Vec<Option<f64>> = points.windows(2).map(slope).collect();
    let mut sorted: Vec<f64> = slopes.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let order = match (sorted.len(), sorted.len() / 2) {
        (0, _) => return Err(why_unusable(points, size, uncertainty)),
        (n, half) if n % 2 == 0 => 0.5 * (sorted[half - 1] + sorted[half]),
        (_, half) => sorted[half],
    };
    if sorted.len() == 1 && points.len() > 2 {
        return Err(NoOrder::Single(order));
    }
    let longest = longest_run(&slopes, order);
    let is_even = sorted.len() == 1 || longest.len() >= 2 && 2 * longest.len() > sorted.len();
    if !is_even || order < LEAST_ORDER {
        return Err(NoOrder::Uneven([sorted[0], sorted[sorted.len() - 1]]));
    }
    let holds = (!longest.is_empty()).then(|| [points[longest.end].dt, points[longest.start].dt]);
    Ok(OrderFit { order, holds })
}

/// Returns the longest unbroken range of slopes that are within [`SLOPE_TOLERANCE`] of the order
/// and of each other.
fn longest_run(slopes: &[Option<f64>], order: f64) -> Range<usize> {
    let mut longest = 0..0;
    for start in 0..slopes.len() {
        let (mut least, mut most) = (order, order);
        let agrees = |slope: &&Option<f64>| {
            let Some(slope) = **slope else { return false };
            let is_near = (slope - order).abs() <= SLOPE_TOLERANCE;
            (least, most) = (least.min(slope), most.max(slope));
            is_near && most - least <= SLOPE_TOLERANCE
        };
        let count = slopes[start..].iter().take_while(agrees).count();
        if count > longest.len() {
            longest = start..start + count;
        }
    }
    longest
}

/// Returns the reason why there is no slope of log error over log step, i.e. why no two
/// neighbouring points have usable errors.
fn why_unusable(points: &[ConvergencePoint], size: f64, uncertainty: f64) -> NoOrder {
    let is_stable = |point: &&ConvergencePoint| point.error.is_finite();
    if points.iter().filter(is_stable).count() < 2 {
        NoOrder::Explodes
    } else if points.iter().filter(is_stable).all(|point| point.error < 1e-12 * size) {
        NoOrder::Rounding
    } else if points.iter().filter(|point| point.error < 0.5 * size).count() > 1 {
        NoOrder::Uncertain(uncertainty)
    } else {
        NoOrder::Large
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(dt: f64, error: f64) -> ConvergencePoint {
        ConvergencePoint { dt, error, end_error: error, cost_s: 0.0, evaluations: 0, sweeps: 0 }
    }

    #[test]
    fn the_range_of_an_order_ends_where_rounding_or_explosion_begins() {
        let points = [
            point(0.8, f64::INFINITY),
            point(0.4, 1.6e-1),
            point(0.2, 4e-2),
            point(0.1, 1e-2),
            point(0.05, 9e-3),
        ];
        let found = fit_order(&points, 1.0, 0.0).expect("three slopes are usable");
        assert!((found.order - 2.0).abs() < 1e-12);
        assert_eq!(found.holds, Some([0.1, 0.4]));
        assert_eq!(fit_order(&points[..2], 1.0, 0.0), Err(NoOrder::Explodes));
        let saturated = [0.31, 0.3, 0.33, 0.29];
        let dts = [0.08, 0.04, 0.02, 0.01];
        let saturated: Vec<_> =
            dts.into_iter().zip(saturated).map(|(dt, e)| point(dt, e)).collect();
        assert!(matches!(fit_order(&saturated, 1.0, 0.0), Err(NoOrder::Uneven(_))));
    }

    #[test]
    fn slopes_that_drift_have_no_order() {
        let slopes = [2.65, 2.0, 1.6, 1.45, 1.3, 1.2, 1.15];
        let (mut dt, mut error) = (0.064, 0.1);
        let mut points = Vec::new();
        for slope in [0.0].into_iter().chain(slopes) {
            error /= 2.0_f64.powf(slope);
            dt /= 2.0;
            points.push(point(dt, error));
        }
        let found = fit_order(&points, 1.0, 0.0);
        assert!(matches!(found, Err(NoOrder::Uneven(_))), "{found:?}");
    }

    /// Two usable points next to exploded ones have a single slope of arbitrary value.
    #[test]
    fn a_single_slope_of_many_steps_is_no_order() {
        let points = [
            point(0.8, f64::INFINITY),
            point(0.4, f64::INFINITY),
            point(0.2, 4e-1),
            point(0.1, 2e-2),
        ];
        let slope = 20f64.log2();
        match fit_order(&points, 1.0, 0.0) {
            Err(NoOrder::Single(found)) => assert!((found - slope).abs() < 1e-12, "{found}"),
            other => panic!("{other:?}"),
        }
        let two = fit_order(&points[2..], 1.0, 0.0).expect("two steps were asked for");
        assert!((two.order - slope).abs() < 1e-12, "{two:?}");
    }

    /// An error below twice the uncertainty of the reference is left out of every slope.
    #[test]
    fn uncertain_errors_have_no_slopes() {
        let errors = [4e-2, 2e-2, 1e-2, 1e-5, 2e-5];
        let dts = [0.4, 0.2, 0.1, 0.05, 0.025];
        let points: Vec<_> = dts.into_iter().zip(errors).map(|(dt, e)| point(dt, e)).collect();
        let found = fit_order(&points, 1.0, 4e-3).expect("two slopes are usable");
        assert!((found.order - 1.0).abs() < 1e-12);
        assert_eq!(found.holds, Some([0.1, 0.4]));
        assert!(matches!(fit_order(&points, 1.0, 0.0), Err(NoOrder::Uneven(_))));
        assert_eq!(fit_order(&points, 1.0, 0.015), Err(NoOrder::Uncertain(0.015)));
    }
}
