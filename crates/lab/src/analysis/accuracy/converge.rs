//! Convergence of integrators: how the error shrinks with the step, and how the cost grows.

use super::reference::{
    REFERENCE_TOLERANCE, Reference, ReferenceKind, ReferenceTimes, perturbed, scene_size,
};
use crate::analysis::job::{Cancelled, Work};
use crate::analysis::runs::evaluations::EvaluationCounter;
use crate::integrate::Method;
use crate::mesh::Link;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use rayon::prelude::*;
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;

/// Tolerance of slopes and orders. Slopes agree if they are within this tolerance of their median
/// and of each other. A measured order within this tolerance of the published order needs no
/// explanation.
const SLOPE_TOLERANCE: f64 = 0.25;
/// Smallest measured order that counts as convergence.
const LEAST_ORDER: f64 = 0.5;
/// Speed of the perturbation in the test for chaos, in scene sizes per second.
const PERTURBATION_SPEED: f64 = 1e-7;
/// Growth of the perturbation above which a motion counts as chaotic: largest displacement divided
/// by (perturbation speed × duration of the run, at least 1 s).
const CHAOTIC_GROWTH: f64 = 1e3;
/// Number of repetitions of a run that measure its cost, and total seconds after which no further
/// repetition starts.
const REPEATS: (u32, f64) = (5, 0.05);

/// Input of [`converge`]: integrators and steps to compare, and the duration of every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Integrators to try.
    pub integrators: Vec<Method>,
    /// Steps to try, in seconds. The longest step is rounded so that it divides the duration; the
    /// other steps are rounded so that they divide the longest step.
    pub dts: Vec<f64>,
    /// Duration of every run, in seconds.
    pub duration: f64,
}

/// Convergence of one integrator: its error and its cost at every step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConvergenceCurve {
    /// Name of the integrator.
    pub integrator: &'static str,
    /// Measured order: median slope of log error over log step.
    pub order: Option<f64>,
    /// Reason for no measured order.
    pub why_no_order: Option<String>,
    /// Reason, if known, why `order` is less than the published order: a constraint solver or a
    /// moving pin.
    pub why_less: Option<String>,
    /// Published order.
    pub published_order: u32,
    /// Published order for velocity-dependent forces (drag, dampers).
    pub order_under_drag: u32,
    /// Shortest and longest step in seconds between which the slopes of log error over log step
    /// differ by at most 0.25 from each other and from `order`.
    pub holds: Option<[f64; 2]>,
    /// Reference of the errors.
    pub truth: ReferenceKind,
    /// Errors per step, the longest step first.
    pub points: Vec<ConvergencePoint>,
}

impl ConvergenceCurve {
    /// Returns the published order in words.
    pub fn published(&self) -> String {
        match (self.published_order, self.order_under_drag) {
            (order, same) if order == same => order.to_string(),
            (order, less) => format!("{order}, {less} under drag"),
        }
    }
}

/// Result of one integrator at one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConvergencePoint {
    /// Step in seconds.
    pub dt: f64,
    /// Largest distance of a particle from the reference in metres, over all multiples of the
    /// longest step; null after an explosion.
    pub error: f64,
    /// Error at the end of the run.
    pub end_error: f64,
    /// Shortest computing time in seconds of several runs.
    pub cost_s: f64,
    /// Evaluations of forces and their derivatives.
    pub evaluations: u64,
    /// Upper limit of sweeps.
    pub sweeps: u64,
}

/// Measures error and cost of every integrator at every step, on one scene, with all other settings
/// equal. Sends every curve through `work` as soon as the curve is complete. `clock` returns
/// seconds.
pub fn converge(
    parts: &Arc<Parts>,
    settings: &Settings,
    question: &Convergence,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<ConvergenceCurve>,
) -> Result<Vec<ConvergenceCurve>, Cancelled> {
    let Convergence { integrators, dts, duration } = question;
    let longest = dts.iter().copied().fold(0.0, f64::max);
    let instants = (duration / longest).round().max(1.0);
    let steps_of = |dt: &f64| (duration / dt / instants).round().max(1.0) * instants;
    let mut steps: Vec<u64> = dts.iter().map(|dt| steps_of(dt) as u64).collect();
    steps.sort_unstable();
    steps.dedup();
    work.expect((integrators.len() * steps.len()) as u64 + 1);
    let times = ReferenceTimes {
        duration: *duration,
        instants: instants as u64,
        finest: steps.last().map_or(instants as u64, |most| *most),
        tolerance: REFERENCE_TOLERANCE,
        most_work: f64::INFINITY,
    };
    let shared = Reference::shared(parts, settings, times, &|| work.check())?;
    work.done(1)?;
    let curve = |method: &Method| {
        let settings = Settings { integrator: *method, ..*settings };
        let own;
        let reference = match &shared {
            Some(shared) => shared,
            None => {
                own = Reference::by_own_integrator(parts, &settings, times, &|| work.check())?;
                &own
            }
        };
        let point = |&count: &u64| {
            let point = measure_point(parts, &settings, count, *duration, reference, clock);
            work.done(1).map(|()| point)
        };
        let measured = steps.par_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        let touches = measured.iter().any(|(_, touches)| *touches);
        let points: Vec<ConvergencePoint> = measured.into_iter().map(|(point, _)| point).collect();
        let info = method.info();
        let fit = fit_order(&points, scene_size(parts));
        let why_no_order = match &fit {
            Ok(_) => None,
            Err(reason) => {
                let is_chaotic = || is_chaotic(parts, &settings, times, reference, work);
                Some(reason.sentence(touches, PinLimit::of(parts, &settings), is_chaotic)?)
            }
        };
        let fit = fit.ok();
        let curve = ConvergenceCurve {
            integrator: info.name,
            order: fit.map(|fit| fit.order),
            why_no_order,
            why_less: fit.and_then(|fit| why_less(fit.order, parts, &settings)),
            published_order: info.order,
            order_under_drag: method.as_integrator().order_under_drag(),
            holds: fit.and_then(|fit| fit.holds),
            truth: reference.truth,
            points,
        };
        work.send(curve.clone());
        Ok(curve)
    };
    integrators.par_iter().map(curve).collect()
}

fn measure_point(
    parts: &Arc<Parts>,
    settings: &Settings,
    steps: u64,
    duration: f64,
    reference: &Reference,
    clock: &(dyn Fn() -> f64 + Sync),
) -> (ConvergencePoint, bool) {
    let dt = duration / steps as f64;
    let settings = Settings { dt, ..*settings };
    let (repeats, enough) = REPEATS;
    let (mut least, mut spent) = (f64::INFINITY, 0.0);
    let mut simulation = Simulation::new(parts.clone(), settings);
    let every = (steps / reference.instants).max(1);
    let (mut error, mut end_error) = (0.0_f64, 0.0_f64);
    for _ in 0..repeats {
        simulation.rewind();
        (error, end_error) = (0.0, 0.0);
        let started = clock();
        for step in 1..=steps {
            simulation.step(dt);
            if simulation.explosion().is_some() {
                (error, end_error) = (f64::INFINITY, f64::INFINITY);
                break;
            }
            if step % every == 0 {
                end_error = reference.distance(step / every, &simulation.state().x);
                error = error.max(end_error);
            }
        }
        let seconds = clock() - started;
        (least, spent) = (least.min(seconds), spent + seconds);
        if spent > enough {
            break;
        }
    }
    let taken = simulation.steps();
    let sweeps = settings.solver().iterations().unwrap_or(0);
    let touches = simulation.contact().events > 0 || simulation.last_contacts().next().is_some();
    let point = ConvergencePoint {
        dt,
        error,
        end_error,
        cost_s: least,
        evaluations: EvaluationCounter::count(parts, &settings, taken),
        sweeps: taken * u64::from(settings.substeps) * u64::from(sweeps),
    };
    (point, touches)
}

/// True if the motion is chaotic: an initial perturbation of 1e-7 scene sizes per second displaces
/// a particle by more than 1e-4 scene sizes per second of the run.
fn is_chaotic(
    parts: &Arc<Parts>,
    settings: &Settings,
    times: ReferenceTimes,
    reference: &Reference,
    work: &Work<ConvergenceCurve>,
) -> Result<bool, Cancelled> {
    let size = scene_size(parts);
    let perturbed = Arc::new(perturbed(parts, PERTURBATION_SPEED * size));
    let check = || work.check();
    let other = Reference::shared(&perturbed, settings, times, &check)?
        .map_or_else(|| Reference::by_own_integrator(&perturbed, settings, times, &check), Ok)?;
    let apart = (1..=times.instants).filter_map(|instant| {
        other.positions(instant).map(|x| reference.distance(instant, x) / size)
    });
    let apart = apart.filter(|apart| apart.is_finite()).fold(0.0, f64::max);
    Ok(apart > CHAOTIC_GROWTH * PERTURBATION_SPEED * times.duration.max(1.0))
}

/// Returns a sentence that explains an order below the published one by the solver's projection or
/// by moving pins. `None` if neither is the reason, or if the order is as published.
fn why_less(order: f64, parts: &Parts, settings: &Settings) -> Option<String> {
    let solver = settings.solver();
    if solver.is_none() {
        let pins = PinLimit::of(parts, settings)?;
        return (order < pins.published - SLOPE_TOLERANCE).then(|| pins.sentence());
    }
    let has_drag = parts.forces.iter().any(|force| !force.law.law().has_potential());
    let is_damper = |link: Link| link.damping > 0.0 && !solver.constrains(&link);
    let beta = settings.stiffness_damping;
    let is_damped = parts.mesh.links.iter().any(|link| is_damper(link.damped(beta)));
    let integrator = settings.integrator.as_integrator();
    let least =
        if has_drag || is_damped { integrator.order_under_drag() } else { integrator.info().order };
    if order > f64::from(least) - SLOPE_TOLERANCE {
        return None;
    }
    Some(format!(
        "{} moves particles after each substep of the integrator, which limits the order to its \
         own, {:.0}.",
        solver.info().title,
        order
    ))
}

/// Upper limit of a scene's measured order that moving pins set. A pin moves straight to its
/// position at the end of a substep, at constant velocity, so its position within the substep is
/// wrong by O(h²) and its velocity at both ends by O(h).
#[derive(Clone, Copy, Debug, PartialEq)]
struct PinLimit {
    /// Published order for the forces of the scene.
    published: f64,
    /// True if a damped link acts on a moving pin.
    is_damped: bool,
}

impl PinLimit {
    /// Returns the upper limit of a scene's order. `None` if no pin moves, or if the published
    /// order is not above this limit.
    fn of(parts: &Parts, settings: &Settings) -> Option<Self> {
        let moving = parts.pins.iter().filter(|pin| pin.path != Trajectory::Still);
        let moving: Vec<u32> = moving.map(|pin| pin.particle).collect();
        let is_damped = |link: &Link| link.damping > 0.0 || settings.stiffness_damping > 0.0;
        let moves = |link: &Link| moving.contains(&link.a) || moving.contains(&link.b);
        let dampers = || parts.mesh.links.iter().filter(is_damped);
        let depends_on_velocity = dampers().next().is_some()
            || Simulation::new(Arc::new(parts.clone()), *settings)
                .model()
                .has_velocity_dependent_laws();
        let order = match depends_on_velocity {
            true => settings.integrator.as_integrator().order_under_drag(),
            false => settings.integrator.info().order,
        };
        let is_damped = dampers().any(|link| moves(&link));
        let limit = if is_damped { 1 } else { 2 };
        let published = f64::from(order);
        (!moving.is_empty() && order > limit).then_some(Self { published, is_damped })
    }

    fn sentence(self) -> String {
        let straight = "a moving pin goes straight, at constant velocity, within each substep";
        match self.is_damped {
            true => format!(
                "Dampers limit the order: {straight}, so its velocity at both ends of a substep is \
                 wrong by O(h)."
            ),
            false => format!("The path of a pin limits the order to 2: {straight}."),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct OrderFit {
    order: f64,
    holds: Option<[f64; 2]>,
}

/// Reason why no order can be fitted to the measured errors.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NoOrder {
    /// The run explodes at all steps, or at all but one.
    Explodes,
    /// No two neighbouring steps have usable errors: above rounding and below half the scene's
    /// size.
    Large,
    /// All errors are rounding errors: below 1e-12 of the scene's size.
    Rounding,
    /// Errors do not shrink as a power of the step. Contains the smallest and the largest slope.
    Uneven([f64; 2]),
}

impl NoOrder {
    /// Returns the reason as a sentence, with its likely cause: chaos, contact, moving pins, or
    /// steps that are too long.
    fn sentence(
        self,
        touches: bool,
        pins: Option<PinLimit>,
        is_chaotic: impl Fn() -> Result<bool, Cancelled>,
    ) -> Result<String, Cancelled> {
        let what = match self {
            Self::Explodes => return Ok("The integrator explodes at these steps.".to_owned()),
            Self::Rounding => return Ok("Errors are those of rounding.".to_owned()),
            Self::Large => "Errors are as large as the scene".to_owned(),
            Self::Uneven([least, most]) => {
                format!("Errors do not shrink evenly: slopes from {least:.1} to {most:.1}")
            }
        };
        Ok(if is_chaotic()? {
            format!(
                "{what}; the motion is chaotic, and an invisibly small push changes it by as much."
            )
        } else if touches {
            format!("{what}; contact begins at another moment in each run.")
        } else if let (Self::Uneven(_), Some(pins)) = (self, pins) {
            format!("{what}. {}", pins.sentence())
        } else {
            format!("{what}; try shorter steps or a shorter run.")
        })
    }
}

/// Fits the order to points that are sorted by falling dt. The order is the median of the slopes of
/// log error over log dt between neighbours. Errors that are rounding or as large as the scene are
/// left out. If there are several slopes, more than half of them must agree, in one unbroken range
/// of steps: if the slope drifts from step to step, the errors have no order yet.
fn fit_order(points: &[ConvergencePoint], size: f64) -> Result<OrderFit, NoOrder> {
    let usable = |point: &ConvergencePoint| (1e-13 * size..0.5 * size).contains(&point.error);
    let slope = |pair: &[ConvergencePoint]| {
        let [long, short] = pair else { return None };
        let both = usable(long) && usable(short);
        both.then(|| (long.error / short.error).ln() / (long.dt / short.dt).ln())
    };
    let slopes: Vec<Option<f64>> = points.windows(2).map(slope).collect();
    let mut sorted: Vec<f64> = slopes.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let order = match (sorted.len(), sorted.len() / 2) {
        (0, _) => return Err(why_unusable(points, size)),
        (n, half) if n % 2 == 0 => 0.5 * (sorted[half - 1] + sorted[half]),
        (_, half) => sorted[half],
    };
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

/// Returns the reason why there is no slope of log error over log step: no two neighbouring points
/// have usable errors.
fn why_unusable(points: &[ConvergencePoint], size: f64) -> NoOrder {
    let is_stable = |point: &&ConvergencePoint| point.error.is_finite();
    if points.iter().filter(is_stable).count() < 2 {
        NoOrder::Explodes
    } else if points.iter().filter(is_stable).all(|point| point.error < 1e-12 * size) {
        NoOrder::Rounding
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
        let found = fit_order(&points, 1.0).expect("three slopes are usable");
        assert!((found.order - 2.0).abs() < 1e-12);
        assert_eq!(found.holds, Some([0.1, 0.4]));
        assert_eq!(fit_order(&points[..2], 1.0), Err(NoOrder::Explodes));
        let saturated = [0.31, 0.3, 0.33, 0.29];
        let dts = [0.08, 0.04, 0.02, 0.01];
        let saturated: Vec<_> =
            dts.into_iter().zip(saturated).map(|(dt, e)| point(dt, e)).collect();
        assert!(matches!(fit_order(&saturated, 1.0), Err(NoOrder::Uneven(_))));
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
        let found = fit_order(&points, 1.0);
        assert!(matches!(found, Err(NoOrder::Uneven(_))), "{found:?}");
    }
}
