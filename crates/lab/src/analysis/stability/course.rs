//! The moments of a scene that decide about its longest step: its start, and what comes later, such
//! as loads, ropes that tighten, and contact.

use super::limit::{FastestMode, Limit, share_where_contact_begins, turning_limit};
use super::longest_step::longest_step;
use crate::analysis::vibration::reduced_scene::{ReducedScene, Tangent};
use crate::analysis::vibration::step_matrix::{is_linear, stability_limit};
use crate::contact::{ContactMethod, Penalty};
use crate::integrate::Method;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use std::sync::OnceLock;

/// Seconds for which a scene is followed.
pub const FOLLOWED_SECONDS: f64 = 5.0;
/// Seconds between two looks at it.
const LOOK: f64 = 1.0 / 60.0;
/// The scene is followed by velocity Verlet with this part of its longest step.
const SHARE: f64 = 0.4;
/// But with no longer ones than this, for contact.
const LONGEST: f64 = LOOK / 4.0;
/// Steps times particles after which it is followed no further, and how much more one counts where
/// contact is looked for.
const MOST_WORK: f64 = 1e7;
const WORK_OF_CONTACT: f64 = 10.0;
/// Force derivatives in a search for the fastest vibration.
const WORK_OF_LOOK: f64 = 20.0;
/// Steps become shorter when vibrations have become so many times as fast.
const FASTER: f64 = 1.1;
/// A vibration that is not faster by this much is no other moment.
const NOTABLY: f64 = 1.001;
/// Factor by which steps become shorter where following explodes, and number of attempts.
const SHORTER: f64 = 4.0;
const ATTEMPTS: u32 = 3;

/// One moment.
#[derive(Debug)]
struct Moment {
    simulation: Simulation,
    mode: Option<FastestMode>,
    /// Without and with the fastest shapes of what is hardly damped.
    scenes: [OnceLock<ReducedScene>; 2],
}

impl Moment {
    fn of(simulation: &Simulation) -> Self {
        let simulation = without_friction(simulation);
        let mode = tangent_of(&simulation).fastest_mode();
        Self { simulation, mode, scenes: Default::default() }
    }

    fn omega(&self) -> f64 {
        self.mode.as_ref().map_or(0.0, |mode| mode.omega)
    }

    /// The longest substep in seconds, and the rate in 1/s at which what grows fastest grows with
    /// substeps of `h`.
    fn longest_step(&self, method: &Method, h: f64) -> (f64, f64) {
        let tangent = tangent_of(&self.simulation);
        let undamped = is_linear(method) && method.info().stability_limit == 0.0;
        let scene =
            self.scenes[usize::from(undamped)].get_or_init(|| ReducedScene::of(&tangent, undamped));
        let mut scene = scene.clone();
        let longest = longest_step(&tangent, &mut scene, method);
        if h <= longest || !is_linear(method) {
            return (longest, 0.0);
        }
        let growth = scene.growth(method, h);
        (longest, if growth.grows { growth.factor.ln() / h } else { 0.0 })
    }
}

fn tangent_of(simulation: &Simulation) -> Tangent<'_> {
    let held = !simulation.settings().solver().is_none();
    Tangent::new(simulation.model(), simulation.state(), held)
}

/// Slip speed in m/s below which friction grows, that leaves none.
const NO_FRICTION: f64 = 1e12;

/// A simulation whose penalty contact has no friction. What sticks is damped at a rate without
/// bound, but by a force that has one: too long a step makes it chatter, not gain energy.
fn without_friction(simulation: &Simulation) -> Simulation {
    let mut simulation = simulation.clone();
    if let ContactMethod::Penalty(penalty) = simulation.settings().contact {
        let contact = ContactMethod::Penalty(Penalty { slip: NO_FRICTION, ..penalty });
        simulation.configure(Settings { contact, ..*simulation.settings() });
    }
    simulation
}

/// A scene from some state on, as far as it was followed.
#[derive(Debug)]
pub struct Course {
    start: Moment,
    /// Moments after it that may ask for shorter steps.
    later: Vec<Moment>,
    /// Length of the followed course in seconds; 0 = it was not followed.
    followed: f64,
    /// Colliders that push were touched meanwhile.
    pushed: bool,
}

impl Course {
    /// Settings as far as a course depends on them: two lanes that agree in these share one.
    pub fn settings(settings: &Settings) -> Settings {
        let free = settings.solver().is_none();
        let (dt, substeps) = if free { (LOOK, 1) } else { (settings.dt, settings.substeps) };
        Settings { integrator: Method::VelocityVerlet, dt, substeps, ..*settings }
    }

    /// One moment alone.
    pub fn as_it_stands(simulation: &Simulation) -> Self {
        Self { start: Moment::of(simulation), later: Vec::new(), followed: 0.0, pushed: false }
    }

    /// The limit of settings that differ from those that were followed in integrator, step and
    /// substeps at most: the least of all moments.
    pub fn limit(&self, settings: &Settings) -> Limit {
        let h = settings.dt / f64::from(settings.substeps);
        let limit = |moment: &Moment| self.limit_at(moment, settings, h);
        self.later.iter().map(limit).fold(limit(&self.start), Limit::least)
    }

    fn limit_at(&self, moment: &Moment, settings: &Settings, h: f64) -> Limit {
        let method = &settings.integrator;
        let substeps = f64::from(settings.substeps);
        let misfit = settings.misfit();
        let (longest, rate) = moment.longest_step(method, h);
        let model = moment.simulation.model();
        let pushes = model.penalty_force().is_some();
        let turning_z = turning_limit(method, pushes);
        let turning = turning_z.zip(moment.mode.as_ref());
        let turning = turning.map(|(z, mode)| z / mode.omega * substeps);
        let begins = (self.pushed && longest.is_finite())
            .then(|| share_where_contact_begins(method) * longest * substeps);
        Limit {
            mode: moment.mode.clone(),
            dt: if misfit.is_some() { 0.0 } else { longest * substeps },
            turning: turning.into_iter().chain(begins).reduce(f64::min),
            holds_undamped: stability_limit(method, 0.0) > 0.0,
            doubling: (rate > 0.0).then(|| std::f64::consts::LN_2 / rate),
            has_springs: model.has_inner_forces(),
            colliders_push: pushes,
            misfit,
            links_are_held: !settings.solver().is_none(),
            at: moment.simulation.state().t,
            followed: self.followed,
            substeps: settings.substeps,
        }
    }

    /// The fastest vibration at the start.
    pub fn first_mode(&self) -> Option<&FastestMode> {
        self.start.mode.as_ref()
    }
}

/// Follows a scene for some seconds by velocity Verlet with short steps, without the hand, and
/// keeps its start, the moment at which it vibrates fastest, and the one at which a link is
/// stretched most. Large scenes are followed as far as the work allows. `check` is asked at every
/// look.
pub fn follow<E>(
    simulation: &Simulation,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Course, E> {
    let start = Moment::of(simulation);
    let model = simulation.model();
    if !model.has_inner_forces() && model.penalty_force().is_none() {
        return Ok(Course { start, later: Vec::new(), followed: 0.0, pushed: false });
    }
    let mut h = first_step(simulation, &start);
    let mut later = Later::default();
    for _ in 0..ATTEMPTS {
        later = Later::default();
        if later.follow(simulation, &start, h, &mut check)? {
            break;
        }
        h /= SHORTER;
    }
    let Later { fastest, longest, followed, pushed } = later;
    Ok(Course { start, later: fastest.into_iter().chain(longest).collect(), followed, pushed })
}

/// A step that is stable at the start and would be if everything pressed on colliders.
fn first_step(simulation: &Simulation, start: &Moment) -> f64 {
    let follower = Method::VelocityVerlet;
    let (longest, _) = start.longest_step(&follower, 0.0);
    let pressed = simulation.model().penalty_force().map_or(f64::INFINITY, |force| {
        let geometry = force.geometry;
        let balls = geometry.balls.iter().map(|ball| ball.particle);
        let touching = balls.chain(geometry.points.iter().map(|point| point.particle));
        let mass = |i: u32| simulation.model().masses()[i as usize];
        let lightest = touching.map(mass).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        // In a corner two colliders push.
        let omega = (2.0 * force.penalty.stiffness / lightest + start.omega().powi(2)).sqrt();
        let xi = force.penalty.damping / (lightest * omega);
        stability_limit(&follower, xi) / omega
    });
    let own = simulation.settings().dt / f64::from(simulation.settings().substeps);
    let projects = !simulation.settings().solver().is_none();
    let most = if projects { LONGEST.min(own) } else { LONGEST };
    (SHARE * longest.min(pressed)).min(most)
}

/// Findings after the start.
#[derive(Debug, Default)]
struct Later {
    fastest: Option<Moment>,
    longest: Option<Moment>,
    followed: f64,
    pushed: bool,
}

impl Later {
    /// Follows with steps of `h` seconds at most; false if that explodes.
    fn follow<E>(
        &mut self,
        simulation: &Simulation,
        start: &Moment,
        mut h: f64,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut lane = simulation.clone();
        lane.release();
        let own = *simulation.settings();
        let begin = simulation.state().t;
        let particles = simulation.state().len() as f64;
        let contact = !simulation.model().geometry().is_empty();
        let weight = if contact { WORK_OF_CONTACT } else { 1.0 };
        let (mut omega, mut stretch) = (start.omega(), simulation.stretch().max);
        let mut safe_omega = omega;
        let mut work = 0.0;
        let looks = (FOLLOWED_SECONDS / LOOK).round() as u32;
        for _ in 0..looks {
            let steps = (LOOK / h).ceil();
            work += particles * (steps * weight + WORK_OF_LOOK);
            if work > MOST_WORK {
                return Ok(true);
            }
            let dt = LOOK / steps;
            let (integrator, substeps) = (Method::VelocityVerlet, 1);
            lane.configure(Settings { integrator, dt, substeps, ..own });
            for _ in 0..steps as u64 {
                lane.step(dt);
            }
            check()?;
            if lane.explosion().is_some() {
                return Ok(false);
            }
            self.followed = lane.state().t - begin;
            self.pushed |=
                lane.model().penalty_force().is_some() && lane.touched().next().is_some();
            let now = tangent_of(&lane).fastest_mode().map_or(0.0, |mode| mode.omega);
            if now > NOTABLY * omega {
                omega = now;
                self.fastest = Some(Moment::of(&lane));
            }
            let longest = lane.stretch().max;
            if longest > stretch {
                stretch = longest;
                self.longest = Some(Moment::of(&lane));
            }
            if now > FASTER * safe_omega {
                h *= if safe_omega > 0.0 { safe_omega / now } else { 1.0 };
                h = h.min(SHARE * 2.0 / now);
                safe_omega = now;
            }
        }
        Ok(true)
    }
}
