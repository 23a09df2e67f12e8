//! Samples of a scene: its start, and later states that may require shorter steps because of loads,
//! taut ropes, or contact. The limits of all integrators follow from one set of samples.

use super::limit::{Limit, contact_step_fraction, turning_limit};
use super::longest_step::longest_step;
use super::trial_run::bounces::confirm_bounces;
use super::trial_run::{PredictedLimit, TrialRun, confirm_limit};
use super::uneven_steps::{MOST_STEPS, growth_rate};
use crate::analysis::vibration::fastest_mode::FastestMode;
use crate::analysis::vibration::reduced_scene::{ReducedScene, Tangent};
use crate::analysis::vibration::step_matrix::{is_linear, stability_limit};
use crate::contact::{ContactMethod, Penalty};
use crate::integrate::Method;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::LONGEST_DT;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Default duration for which a scene is sampled, in simulated seconds.
pub const SAMPLED_SECONDS: f64 = 5.0;
/// Time between two samples of the scene, in simulated seconds.
const SAMPLE_INTERVAL: f64 = 1.0 / 60.0;
/// Step of the velocity Verlet run that produces the samples, as a fraction of the longest stable
/// step.
const STEP_FRACTION: f64 = 0.4;
/// Longest step of the sampling run in seconds: four steps per sample. Contact needs steps as short
/// as this.
const LONGEST_STEP: f64 = SAMPLE_INTERVAL / 4.0;
/// Maximum work of the sampling run, in steps × particles.
const MOST_WORK: f64 = 1e7;
/// Work of a step with contact detection, in steps without contact detection.
const WORK_OF_CONTACT: f64 = 10.0;
/// Work of finding the fastest vibration of a sample, in evaluations of the force derivative.
const WORK_OF_SEARCH: f64 = 20.0;
/// Factor by which the fastest vibration must become faster before the sampling run shortens its
/// steps.
const SHORTENING_RATIO: f64 = 1.1;
/// Factor by which the fastest vibration of a state must exceed that of the last sample for the
/// state to become a sample.
const KEEPING_RATIO: f64 = 1.001;
/// Number by which the step is divided if the sampling run explodes.
const RETRY_DIVISOR: f64 = 4.0;
/// Maximum number of sampling runs, each with shorter steps.
const MOST_RUNS: u32 = 3;

/// State of a scene with its fastest vibration.
#[derive(Debug)]
struct Sample {
    simulation: Simulation,
    mode: Option<FastestMode>,
    /// Reduced scenes, computed on demand. The second one also contains the fastest of the weakly
    /// damped modes.
    scenes: [OnceLock<ReducedScene>; 2],
}

impl Sample {
    fn of(simulation: &Simulation) -> Self {
        let simulation = without_friction(simulation);
        let mode = tangent_of(&simulation).fastest_mode();
        Self { simulation, mode, scenes: Default::default() }
    }

    /// Returns the reduced scene for an integrator.
    fn reduced_scene(&self, method: &Method, tangent: &Tangent) -> &ReducedScene {
        let undamped = is_linear(method) && method.info().stability_limit == 0.0;
        self.scenes[usize::from(undamped)].get_or_init(|| ReducedScene::of(tangent, undamped))
    }

    fn omega(&self) -> f64 {
        self.mode.as_ref().map_or(0.0, |mode| mode.omega)
    }

    /// Returns the longest stable substep in seconds, and the growth rate in 1/s of the motion that
    /// grows fastest in substeps of `h` seconds. The rate is 0 if nothing grows.
    fn longest_step(&self, method: &Method, h: f64) -> (f64, f64) {
        let tangent = tangent_of(&self.simulation);
        let mut scene = self.reduced_scene(method, &tangent).clone();
        let longest = longest_step(&tangent, &mut scene, method);
        if h <= longest || !is_linear(method) {
            return (longest, 0.0);
        }
        let growth = scene.growth(method, h);
        (longest, if growth.grows { growth.factor.ln() / h } else { 0.0 })
    }
}

fn tangent_of(simulation: &Simulation) -> Tangent<'_> {
    Tangent::new(simulation.model(), simulation.state())
}

/// Returns the limit of a simulation in its current state. Links that the solver constrains do not
/// vibrate and are left out. [`super::growth`] measures the growth of the whole step, constrained
/// links included.
pub fn predict_limit(simulation: &Simulation) -> Limit {
    SceneSamples::of_current_state(simulation).limit(simulation.settings())
}

/// Slip speed in m/s below which penalty friction rises linearly with the slip speed. This huge
/// value leaves practically no friction.
const NO_FRICTION: f64 = 1e12;

/// Returns a copy of the simulation whose penalty contact has no friction. Friction does not limit
/// the step: sticking contact damps at an unlimited rate, but with a limited force. If the step is
/// too long, contact therefore chatters, but gains no energy.
fn without_friction(simulation: &Simulation) -> Simulation {
    let mut simulation = simulation.clone();
    if let ContactMethod::Penalty(penalty) = simulation.settings().contact {
        let contact = ContactMethod::Penalty(Penalty { slip: NO_FRICTION, ..penalty });
        simulation.configure(Settings { contact, ..*simulation.settings() });
    }
    simulation
}

/// Growth of small vibrations under a sequence of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthUnder {
    /// Doubling time of the fastest-growing vibration in seconds; `None` if no vibration grows.
    pub doubling: Option<f64>,
}

/// Samples of a scene from its start state onwards, and the limits that follow from them.
#[derive(Debug)]
pub struct SceneSamples {
    /// Lane at the start, with its own settings.
    lane: Simulation,
    start: Sample,
    /// Later states that may require shorter steps.
    later: Vec<Sample>,
    /// Sampled time in simulated seconds. 0 means that only the start was sampled.
    sampled_seconds: f64,
    /// True if a particle was in penalty contact with a collider during the sampled seconds.
    touched_collider: bool,
    /// Runs that confirmed limits, each with its integrator and number of substeps.
    runs: Mutex<Vec<(Method, u32, TrialRun)>>,
}

impl SceneSamples {
    fn new(simulation: &Simulation, start: Sample) -> Self {
        let lane = simulation.clone();
        Self {
            lane,
            start,
            later: Vec::new(),
            sampled_seconds: 0.0,
            touched_collider: false,
            runs: Mutex::default(),
        }
    }

    /// Returns the settings that determine samples. All other values are fixed, so lanes that
    /// differ only in these values can share samples.
    pub fn sampling_settings(settings: &Settings) -> Settings {
        let free = settings.solver().is_none();
        let (dt, substeps) =
            if free { (SAMPLE_INTERVAL, 1) } else { (settings.dt, settings.substeps) };
        Settings { integrator: Method::VelocityVerlet, dt, substeps, ..*settings }
    }

    /// Creates samples of only the current state.
    pub fn of_current_state(simulation: &Simulation) -> Self {
        Self::new(simulation, Sample::of(simulation))
    }

    /// Returns the limit for settings that may differ from those of the sampled lane in integrator,
    /// step and substeps. It is the smallest limit of all samples. If a run has already confirmed
    /// or shortened the limit, its result is included.
    pub fn limit(&self, settings: &Settings) -> Limit {
        let h = settings.dt / f64::from(settings.substeps);
        let limit = |sample: &Sample| self.limit_at(sample, settings, h);
        let limit = self.later.iter().map(limit).fold(limit(&self.start), Limit::smaller);
        Limit { run: self.known_run(settings), ..limit }
    }

    /// Returns the limit after a run of the lane: the run confirms the limit, or shortens it until
    /// no energy is gained. The result is stored for later calls. `check` is called at every step.
    pub fn confirmed_limit<E>(
        &self,
        settings: &Settings,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Limit, E> {
        let limit = self.limit(settings);
        if !self.is_unconfirmed(settings) {
            return Ok(limit);
        }
        let has_links = !self.lane.parts().mesh.links.is_empty();
        let is_constrained = limit.mode.is_none() && limit.solver_constrains_links && has_links;
        let run = if limit.longest().is_infinite() && limit.mode.is_none() && self.only_bounces() {
            confirm_bounces(&self.lane, settings, &mut check)?
        } else if limit.longest() > 0.0 && (limit.mode.is_some() || is_constrained) {
            let damping_ratio = limit.mode.as_ref().map_or(0.0, |mode| mode.damping_ratio);
            let predicted =
                PredictedLimit { longest: limit.longest(), damping_ratio, is_constrained };
            confirm_limit(&self.lane, settings, predicted, &mut check)?
        } else {
            TrialRun::default()
        };
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push((settings.integrator, settings.substeps, run));
        Ok(Limit { run: Some(run), ..limit })
    }

    /// True if bodies may collide and no solver constrains links.
    fn only_bounces(&self) -> bool {
        let settings = self.lane.settings();
        let collide = settings.contact != ContactMethod::Off;
        let held = !settings.solver().is_none() && !self.lane.parts().mesh.links.is_empty();
        collide && !held && !self.lane.model().geometry().is_empty()
    }

    /// True if no run has confirmed or shortened the limit for these settings yet.
    pub fn is_unconfirmed(&self, settings: &Settings) -> bool {
        self.known_run(settings).is_none()
    }

    fn known_run(&self, settings: &Settings) -> Option<TrialRun> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(method, substeps, _): &&(Method, u32, TrialRun)| {
            *method == settings.integrator && *substeps == settings.substeps
        };
        runs.iter().find(same).map(|(.., run)| *run)
    }

    fn limit_at(&self, sample: &Sample, settings: &Settings, h: f64) -> Limit {
        let method = &settings.integrator;
        let substeps = f64::from(settings.substeps);
        let misfit = settings.misfit();
        let (longest, rate) = sample.longest_step(method, h);
        let solver_constrains_links = !settings.solver().is_none();
        // If a solver constrains the links, weak drag alone may set a limit that is longer than any
        // step that a user can set. Such a limit counts as infinite.
        let is_constrained = solver_constrains_links && sample.mode.is_none();
        let is_beyond = is_constrained && longest * substeps > LONGEST_DT;
        let longest = if is_beyond { f64::INFINITY } else { longest };
        let model = sample.simulation.model();
        let pushes = model.penalty_force().is_some();
        let turning_z = turning_limit(method, pushes);
        let turning = turning_z.zip(sample.mode.as_ref());
        let turning = turning.map(|(z, mode)| z / mode.omega * substeps);
        let begins = (self.touched_collider && longest.is_finite())
            .then(|| contact_step_fraction(method) * longest * substeps);
        Limit {
            mode: sample.mode.clone(),
            dt: if misfit.is_some() { 0.0 } else { longest * substeps },
            turning: turning.into_iter().chain(begins).reduce(f64::min),
            run: None,
            holds_undamped: stability_limit(method, 0.0) > 0.0,
            doubling: (rate > 0.0).then(|| std::f64::consts::LN_2 / rate),
            has_springs: model.has_inner_forces(),
            colliders_push: pushes,
            misfit,
            solver_constrains_links,
            at: sample.simulation.state().t,
            sampled_seconds: self.sampled_seconds,
            substeps: settings.substeps,
        }
    }

    /// Returns the growth factor per step of the small vibration about the start that grows
    /// fastest; at least 1. `None` if the integrator chooses inner steps by an error estimate.
    pub fn growth_per_step(&self, settings: &Settings) -> Option<f64> {
        let (method, substeps) = (&settings.integrator, f64::from(settings.substeps));
        let tangent = tangent_of(&self.start.simulation);
        let growth = |scene: &ReducedScene| scene.growth(method, settings.dt / substeps).factor;
        is_linear(method)
            .then(|| growth(self.start.reduced_scene(method, &tangent)).max(1.0).powf(substeps))
    }

    /// Returns the growth of small vibrations under steps of these lengths in seconds, repeated
    /// cyclically. `None` if the integrator chooses inner steps by an error estimate. `check` is
    /// called at every step.
    pub fn growth_under<E>(
        &self,
        settings: &Settings,
        steps: &[f64],
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<GrowthUnder>, E> {
        if !is_linear(&settings.integrator) {
            return Ok(None);
        }
        let n = settings.substeps;
        let substeps = steps.iter().flat_map(|h| (0..n).map(move |_| h / f64::from(n)));
        let substeps: Vec<f64> = substeps.take(MOST_STEPS).collect();
        let mut greatest = 0.0_f64;
        for sample in std::iter::once(&self.start).chain(&self.later) {
            let tangent = tangent_of(&sample.simulation);
            let rate = growth_rate(&tangent, &settings.integrator, &substeps, &mut check)?;
            greatest = greatest.max(rate);
        }
        let doubling = (greatest > 0.0).then(|| std::f64::consts::LN_2 / greatest);
        Ok(Some(GrowthUnder { doubling }))
    }

    /// Returns the fastest vibration at the start; `None` if nothing vibrates.
    pub fn first_mode(&self) -> Option<&FastestMode> {
        self.start.mode.as_ref()
    }
}

/// Samples a scene for a few seconds in a velocity Verlet run with short steps, without the mouse
/// drag. The samples are the start, the state with the fastest vibration, and the state with the
/// largest strain of a link. Large scenes are sampled for as long as `MOST_WORK` permits. `check`
/// is called at every sample.
pub fn sample_scene<E>(
    simulation: &Simulation,
    seconds: f64,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<SceneSamples, E> {
    let start = Sample::of(simulation);
    let model = simulation.model();
    // An attractor makes particles vibrate without springs, the nearest ones fastest.
    let vibrates = start.mode.is_some() || model.has_inner_forces();
    if !vibrates && model.penalty_force().is_none() {
        return Ok(SceneSamples::new(simulation, start));
    }
    let mut h = first_step(simulation, &start);
    let mut later = LaterSamples::default();
    for _ in 0..MOST_RUNS {
        later = LaterSamples::default();
        if later.run(simulation, &start, (h, seconds), &mut check)? {
            break;
        }
        h /= RETRY_DIVISOR;
    }
    let LaterSamples { fastest, most_strained, sampled_seconds, touched_collider } = later;
    let later = fastest.into_iter().chain(most_strained).collect();
    Ok(SceneSamples {
        later,
        sampled_seconds,
        touched_collider,
        ..SceneSamples::new(simulation, start)
    })
}

/// Returns the longest stable step of a lane, as commands and the window show it: computed from
/// samples of the scene, then confirmed or shortened by a run. `check` is called at every sample
/// and at every step of the run; its error ends the search.
pub fn find_limit<E>(
    simulation: &Simulation,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Limit, E> {
    let samples = sample_scene(simulation, SAMPLED_SECONDS, &mut check)?;
    samples.confirmed_limit(simulation.settings(), check)
}

/// Returns a step in seconds that is stable at the start, and would also be stable if all particles
/// pressed on colliders.
fn first_step(simulation: &Simulation, start: &Sample) -> f64 {
    let follower = Method::VelocityVerlet;
    let (longest, _) = start.longest_step(&follower, 0.0);
    let pressed = simulation.model().penalty_force().map_or(f64::INFINITY, |force| {
        let geometry = force.geometry;
        let balls = geometry.balls.iter().map(|ball| ball.particle);
        let touching = balls.chain(geometry.points.iter().map(|point| point.particle));
        let mass = |i: u32| simulation.model().masses()[i as usize];
        let lightest = touching.map(mass).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        // In a corner, two colliders push on the same particle.
        let omega = (2.0 * force.penalty.stiffness / lightest + start.omega().powi(2)).sqrt();
        let xi = force.penalty.damping / (lightest * omega);
        stability_limit(&follower, xi) / omega
    });
    let own = simulation.settings().dt / f64::from(simulation.settings().substeps);
    let projects = !simulation.settings().solver().is_none();
    let most = if projects { LONGEST_STEP.min(own) } else { LONGEST_STEP };
    (STEP_FRACTION * longest.min(pressed)).min(most)
}

/// Samples after the start of a scene, and the sampled duration. The samples are the state with the
/// fastest vibration and the state with the largest strain. Each of them is `None` unless its value
/// exceeds the value at the start.
#[derive(Debug, Default)]
struct LaterSamples {
    fastest: Option<Sample>,
    most_strained: Option<Sample>,
    sampled_seconds: f64,
    touched_collider: bool,
}

impl LaterSamples {
    /// Runs the scene for this many seconds with steps of at most `h` seconds, and collects
    /// samples. Returns false if the run explodes.
    fn run<E>(
        &mut self,
        simulation: &Simulation,
        start: &Sample,
        (mut h, seconds): (f64, f64),
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut lane = simulation.clone();
        lane.release();
        let own = *simulation.settings();
        let start_time = simulation.state().t;
        let particles = simulation.state().len() as f64;
        let contact = !simulation.model().geometry().is_empty();
        let weight = if contact { WORK_OF_CONTACT } else { 1.0 };
        let (mut omega, mut stretch) = (start.omega(), simulation.stretch().max);
        let mut safe_omega = omega;
        let mut work = 0.0;
        let count = (seconds / SAMPLE_INTERVAL).round() as u64;
        for _ in 0..count {
            let steps = (SAMPLE_INTERVAL / h).ceil();
            work += particles * (steps * weight + WORK_OF_SEARCH);
            if work > MOST_WORK {
                return Ok(true);
            }
            let dt = SAMPLE_INTERVAL / steps;
            let (integrator, substeps) = (Method::VelocityVerlet, 1);
            lane.configure(Settings { integrator, dt, substeps, ..own });
            for _ in 0..steps as u64 {
                lane.step(dt);
            }
            check()?;
            if lane.explosion().is_some() {
                return Ok(false);
            }
            self.sampled_seconds = lane.state().t - start_time;
            self.touched_collider |=
                lane.model().penalty_force().is_some() && lane.last_contacts().next().is_some();
            let now = tangent_of(&lane).fastest_mode().map_or(0.0, |mode| mode.omega);
            if now > KEEPING_RATIO * omega {
                omega = now;
                self.fastest = Some(Sample::of(&lane));
            }
            let longest = lane.stretch().max;
            if longest > stretch {
                stretch = longest;
                self.most_strained = Some(Sample::of(&lane));
            }
            if now > SHORTENING_RATIO * safe_omega {
                h *= if safe_omega > 0.0 { safe_omega / now } else { 1.0 };
                h = h.min(STEP_FRACTION * 2.0 / now);
                safe_omega = now;
            }
        }
        Ok(true)
    }
}
