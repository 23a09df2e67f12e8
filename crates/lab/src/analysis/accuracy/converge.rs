//! Convergence of integrators: how the error shrinks with the step, and how the cost grows.

pub use super::order_fit::ConvergencePoint;
use super::order_fit::{NoOrder, SLOPE_TOLERANCE, fit_order};
use super::precise_run::PreciseRun;
use super::reference::{REFERENCE_TOLERANCE, ReferenceKind, ReferenceTimes, scene_size};
use super::reference_plan::ReferencePlan;
use crate::analysis::in_words::metres_in_words;
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
use std::sync::Arc;

/// Speed of the perturbation in the test for chaos, in scene sizes per second.
const PERTURBATION_SPEED: f64 = 1e-7;
/// Growth of the perturbation above which a motion counts as chaotic: largest displacement divided
/// by (perturbation speed × duration of the run, which counts as at least 1 s).
const CHAOTIC_GROWTH: f64 = 1e3;
/// Largest number of repetitions of a run that measure its cost, and total time in seconds after
/// which no further repetition starts.
const REPEATS: (u32, f64) = (5, 0.05);

/// Steps of a Dormand–Prince reference run per shortest requested step, if something acts only at
/// the ends of steps, such as contact or tearing.
const EVENT_STEPS: u64 = 16;
/// Ratio of the step counts of the two runs whose difference gives the uncertainty.
const UNCERTAINTY_RATIO: u64 = 4;

/// Input of [`converge`]: integrators and steps to compare, and the duration of every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Integrators to try.
    pub integrators: Vec<Method>,
    /// Steps to try, in seconds. The longest step is rounded to divide the duration, and the other
    /// steps to divide the longest step.
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
    /// Reason why no order was measured.
    pub why_no_order: Option<String>,
    /// Reason why `order` is less than the published order, if known: a constraint solver or a
    /// moving pin.
    pub why_less: Option<String>,
    /// Published order.
    pub published_order: u32,
    /// Published order for velocity-dependent forces (drag, dampers).
    pub order_under_drag: u32,
    /// Shortest and longest step in seconds of the range in which the order holds: there, the
    /// slopes of log error over log step differ by at most 0.25 from each other and from `order`.
    pub holds: Option<[f64; 2]>,
    /// Reference motion from which errors are measured.
    pub truth: ReferenceKind,
    /// Uncertainty of the reference in metres: twice the error that its distance from a coarser run
    /// implies. Smaller errors cannot be measured. Null if it is negligible.
    pub uncertainty: Option<f64>,
    /// Error at every step, the longest step first.
    pub points: Vec<ConvergencePoint>,
}

impl ConvergenceCurve {
    /// Returns the published order as text.
    pub fn published(&self) -> String {
        match (self.published_order, self.order_under_drag) {
            (order, same) if order == same => order.to_string(),
            (order, less) => format!("{order}, {less} under drag"),
        }
    }
}

/// Measures error and cost of every integrator at every step, on one scene and with all other
/// settings equal. Each curve is sent through `work` as soon as it is complete. `clock` returns
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
    let check = || work.check();
    let run = |mut plan: ReferencePlan| {
        let reference = plan.run(&check)?;
        PreciseRun::measure(&plan, reference, UNCERTAINTY_RATIO, times.instants, &check)
    };
    let shared_plan = ReferencePlan::shared(parts, settings, times, EVENT_STEPS);
    let shared = shared_plan.clone().map(run).transpose()?;
    work.done(1)?;
    let curve = |method: &Method| {
        let settings = Settings { integrator: *method, ..*settings };
        let plan = match &shared_plan {
            Some(plan) => plan.clone(),
            None => ReferencePlan::by_own_integrator(parts, &settings, times),
        };
        let own;
        let precise = match &shared {
            Some(shared) => shared,
            None => {
                own = run(plan.clone())?;
                &own
            }
        };
        let point = |&count: &u64| {
            let point = measure_point(parts, &settings, count, *duration, precise, clock);
            work.done(1).map(|()| point)
        };
        let measured = steps.par_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        let has_contact = measured.iter().any(|(_, has_contact)| *has_contact);
        let points: Vec<ConvergencePoint> = measured.into_iter().map(|(point, _)| point).collect();
        let info = method.info();
        let uncertainty = precise.is_uncertain().then(|| precise.uncertainty_at(times.instants));
        let fit = fit_order(&points, scene_size(parts), uncertainty.unwrap_or(0.0));
        let why_no_order = match &fit {
            Ok(_) => None,
            Err(reason) => {
                let is_chaotic = || is_chaotic(scene_size(parts), &plan, times, precise, work);
                Some(reason.sentence(has_contact, PinLimit::of(parts, &settings), is_chaotic)?)
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
            truth: precise.reference.truth,
            uncertainty,
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
    precise: &PreciseRun,
    clock: &(dyn Fn() -> f64 + Sync),
) -> (ConvergencePoint, bool) {
    let reference = &precise.reference;
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
    let has_contact =
        simulation.contact().events > 0 || simulation.last_contacts().next().is_some();
    let point = ConvergencePoint {
        dt,
        error,
        end_error,
        cost_s: least,
        evaluations: EvaluationCounter::count(parts, &settings, taken),
        sweeps: taken * u64::from(settings.substeps) * u64::from(sweeps),
    };
    (point, has_contact)
}

/// True if the motion is chaotic: an initial perturbation of 1e-7 scene sizes per second displaces
/// a particle by more than 1e-4 scene sizes per second of the run.
fn is_chaotic(
    size: f64,
    plan: &ReferencePlan,
    times: ReferenceTimes,
    precise: &PreciseRun,
    work: &Work<ConvergenceCurve>,
) -> Result<bool, Cancelled> {
    let other = plan.perturbed(PERTURBATION_SPEED * size).run(&|| work.check())?;
    let apart = (1..=times.instants).filter_map(|instant| {
        other.positions(instant).map(|x| precise.reference.distance(instant, x) / size)
    });
    let apart = apart.filter(|apart| apart.is_finite()).fold(0.0, f64::max);
    Ok(apart > CHAOTIC_GROWTH * PERTURBATION_SPEED * times.duration.max(1.0))
}

/// Returns a sentence that blames the solver's projection or moving pins for an order below the
/// published one. `None` if neither is the reason, or if the order is as published.
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
        "{} moves particles after each substep of the integrator, and this projection has only \
         order {:.0}.",
        solver.info().title,
        order
    ))
}

/// Upper limit that moving pins set to the measured order of a scene. Within a substep, a pin moves
/// in a straight line at constant velocity. Its position during the substep is therefore wrong by
/// O(h²), and its velocity at both ends by O(h).
#[derive(Clone, Copy, Debug, PartialEq)]
struct PinLimit {
    /// Published order for the forces of the scene.
    published: f64,
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

impl NoOrder {
    /// Returns a sentence with the likely reason: chaos, contact, moving pins, or steps that are
    /// too long.
    fn sentence(
        self,
        has_contact: bool,
        pins: Option<PinLimit>,
        is_chaotic: impl Fn() -> Result<bool, Cancelled>,
    ) -> Result<String, Cancelled> {
        let what = match self {
            Self::Explodes => return Ok("The integrator explodes at these steps.".to_owned()),
            Self::Rounding => return Ok("All errors are rounding errors.".to_owned()),
            Self::Uncertain(metres) => {
                return Ok(format!(
                    "Errors are not known: they are barely larger than {}, the uncertainty of the \
                     reference.",
                    metres_in_words(metres)
                ));
            }
            Self::Single(slope) => {
                return Ok(format!(
                    "Only two steps have usable errors; one slope ({slope:.1}) determines no order. \
                     Try shorter steps, or more steps."
                ));
            }
            Self::Large => "Errors are as large as the scene".to_owned(),
            Self::Uneven([least, most]) => {
                format!("Errors do not shrink evenly: slopes from {least:.1} to {most:.1}")
            }
        };
        Ok(if is_chaotic()? {
            format!(
                "{what}; the motion is chaotic: an invisibly small push changes it just as much."
            )
        } else if has_contact {
            format!("{what}; contact begins at a different time in each run.")
        } else if let (Self::Uneven(_), Some(pins)) = (self, pins) {
            format!("{what}. {}", pins.sentence())
        } else {
            format!("{what}; try shorter steps or a shorter run.")
        })
    }
}
