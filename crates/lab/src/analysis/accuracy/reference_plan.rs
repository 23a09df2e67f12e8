//! Plans of reference motions: a closed form if the motion has one, otherwise a sufficiently
//! precise run.

use super::closed_form::ExactMotions;
use super::elastic_links::{ElasticLinks, rigid_solver};
use super::reference::{Reference, ReferenceKind, ReferenceTimes, perturbed};
use crate::analysis::job::Cancelled;
use crate::analysis::stability;
use crate::contact::{BallPath, ContactMethod, Swept};
use crate::integrate::{DormandPrince, Method};
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use std::sync::Arc;

/// Reference steps per shortest requested step if a solver constrains links or pins move.
const REFINEMENT: u64 = 64;
/// Maximum number of steps of a reference run with a stability limit. A small rope takes a few
/// minutes for so many steps.
const MOST_STEPS: f64 = 3e7;
/// Step of a reference run as a fraction of the longest stable step. It applies to runs with SHAKE,
/// where bends, dampers and drag limit the step, and to Dormand–Prince runs that have exploded with
/// longer steps.
const STABLE_STEP_FRACTION: f64 = 0.4;
/// Longest step of a reference run in seconds. Within a step a moving pin travels straight, and
/// contact acts only at the end of a step, so the step limits both errors.
const LONGEST_REFERENCE_STEP: f64 = 1.0 / 240.0;

/// Plan of a reference motion. The plan allows any number of steps per instant, so a run can be
/// compared with finer and coarser ones.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct ReferencePlan {
    parts: Arc<Parts>,
    settings: Settings,
    truth: ReferenceKind,
    times: ReferenceTimes,
    /// Closed form of the motion; `None` if the reference is a run.
    exact: Option<ExactMotions>,
    /// Number of steps from one instant to the next.
    steps_per_instant: u64,
    /// Number of instants after which the run ends.
    last: u64,
    /// True if the step length limits the precision, because something acts only at the ends of
    /// steps or because a solver constrains links.
    pub depends_on_steps: bool,
}

impl ReferencePlan {
    /// Plans a reference that is valid for all integrators: a closed form or a Dormand–Prince run.
    /// `None` if the scene has no closed form and a solver constrains links. If something acts only
    /// at the ends of steps, the run takes `event_steps` steps per shortest requested step.
    pub fn shared(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: ReferenceTimes,
        event_steps: u64,
    ) -> Option<Self> {
        let exact = ExactMotions::of(parts, settings);
        if exact.is_none() && !settings.solver().is_none() {
            return None;
        }
        let moves = parts.pins.iter().any(|pin| pin.path != Trajectory::Still);
        let has_events = exact.is_none() && acts_between_steps(parts, settings);
        let finer = match (moves, has_events) {
            (true, _) => REFINEMENT.max(event_steps),
            (false, true) => event_steps,
            (false, false) => 1,
        };
        let least = (times.duration / LONGEST_REFERENCE_STEP).ceil() as u64;
        let tolerance = times.tolerance;
        let integrator = Method::DormandPrince(DormandPrince { tolerance });
        let settings = Settings { integrator, substeps: 1, ..*settings };
        let truth = match exact {
            Some(_) => ReferenceKind::ClosedForm,
            None => ReferenceKind::DormandPrince,
        };
        let steps = (times.finest * finer).max(least);
        let plan = Self::of(parts, &settings, truth, times, steps);
        Some(Self { exact, depends_on_steps: has_events, ..plan })
    }

    /// Plans the reference of a lane (one simulation of the scene), independent of the lane's
    /// integrator: [`Self::shared`] if possible. `elastic` decides how elastic links are treated.
    /// If a solver still constrains links, the reference is a leapfrog run with SHAKE, which keeps
    /// link lengths to within 1e-9. Unlike velocity Verlet, leapfrog has order 2 under drag, too.
    /// The step of this run is 1/64 of the finest compared step, or less if bends or springs need
    /// it.
    pub fn of_lane(
        parts: &Arc<Parts>,
        settings: &Settings,
        elastic: ElasticLinks,
        times: ReferenceTimes,
    ) -> Self {
        let (parts, settings) = elastic.apply(parts, settings);
        if let Some(shared) = Self::shared(&parts, &settings, times, 1) {
            return shared;
        }
        let settings = Settings {
            integrator: Method::Leapfrog,
            constraints: rigid_solver(),
            substeps: 1,
            ..settings
        };
        let stable = stable_steps(&parts, &settings, times.duration);
        let steps = (times.finest * REFINEMENT).max(stable);
        Self::of(&parts, &settings, ReferenceKind::SameSchemeFiner, times, steps)
    }

    /// Plans a reference with the lane's own integrator at 1/64 of the finest compared step.
    pub fn by_own_integrator(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: ReferenceTimes,
    ) -> Self {
        let steps = times.finest * REFINEMENT;
        Self::of(parts, settings, ReferenceKind::SameSchemeFiner, times, steps)
    }

    /// Plans a run of at least `steps` steps. Balls move on parabolas, which are the most precise
    /// paths.
    fn of(
        parts: &Arc<Parts>,
        settings: &Settings,
        truth: ReferenceKind,
        times: ReferenceTimes,
        steps: u64,
    ) -> Self {
        Self {
            parts: parts.clone(),
            settings: with_parabolas(settings),
            truth,
            times,
            exact: None,
            steps_per_instant: steps.div_ceil(times.instants),
            last: times.instants,
            depends_on_steps: true,
        }
    }

    /// Returns the same plan for the scene with a small pseudo-random change of every velocity, by
    /// at most `speed` metres per second.
    pub fn perturbed(&self, speed: f64) -> Self {
        let parts = Arc::new(perturbed(&self.parts, speed));
        let exact = self.exact.as_ref().and_then(|_| ExactMotions::of(&parts, &self.settings));
        Self { parts, exact, ..self.clone() }
    }

    /// Returns a plan with about `factor` times fewer steps for the first `last` instants, and the
    /// exact ratio of the step counts.
    ///
    /// The steps of the two plans end at different times. Otherwise an event that waits for the end
    /// of a step, such as the tearing of a link, would often be equally wrong in both runs.
    pub fn coarser(&self, factor: u64, last: u64) -> (Self, f64) {
        let fewer = self.steps_per_instant / factor;
        let steps_per_instant = if fewer > 1 { fewer + 1 } else { 1 };
        let ratio = self.steps_per_instant as f64 / steps_per_instant as f64;
        (Self { steps_per_instant, last, ..self.clone() }, ratio)
    }

    /// Returns a plan with about `factor` times as many steps for the first `last` instants, and
    /// the exact ratio of the step counts. The steps of the two plans end at different times, as in
    /// [`Self::coarser`].
    pub fn finer(&self, factor: u64, last: u64) -> (Self, f64) {
        let steps_per_instant = self.steps_per_instant * factor + 1;
        let ratio = steps_per_instant as f64 / self.steps_per_instant as f64;
        (Self { steps_per_instant, last, ..self.clone() }, ratio)
    }

    /// Computes the reference. If a Dormand–Prince run explodes, it is repeated with stable steps,
    /// and the plan keeps this number of steps.
    pub fn run(
        &mut self,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Reference, Cancelled> {
        if let Some(exact) = &self.exact {
            let ReferenceTimes { duration, instants, .. } = self.times;
            let at = |i: u64| exact.positions(i as f64 / instants as f64 * duration);
            return Ok(Reference::exact((1..=self.last).map(at).collect()));
        }
        let first = self.run_once(check)?;
        if self.truth != ReferenceKind::DormandPrince || first.is_complete() || first.is_spent() {
            return Ok(first);
        }
        let stable = stable_steps(&self.parts, &self.settings, self.times.duration);
        let needed = stable.div_ceil(self.times.instants);
        if needed <= self.steps_per_instant {
            return Ok(first);
        }
        self.steps_per_instant = needed;
        self.run_once(check)
    }

    /// Runs the simulation once, and stores the positions at every instant. Stops at an explosion,
    /// or when the work limit is reached.
    pub fn run_once(
        &self,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Reference, Cancelled> {
        let Self { parts, settings, truth, times, steps_per_instant, last, .. } = self;
        let dt = times.duration / (steps_per_instant * times.instants) as f64;
        let mut simulation = Simulation::new(parts.clone(), Settings { dt, ..*settings });
        let mut reference = Reference::begin(*truth, *last);
        while !reference.is_complete() {
            if reference.work > times.most_work {
                reference.end_early();
                break;
            }
            for _ in 0..*steps_per_instant {
                check()?;
                simulation.step(dt);
                let evaluations = evaluations_of_last_step(&simulation);
                reference.work += evaluations * simulation.state().len() as f64;
                if simulation.solve().failed {
                    reference.note_missed_tolerance();
                }
            }
            if simulation.explosion().is_some() {
                break;
            }
            if !simulation.settings().solver().is_none() {
                let sweeps =
                    *steps_per_instant as f64 * f64::from(simulation.projection().iterations);
                reference.work += sweeps * parts.mesh.links.len() as f64;
            }
            reference.store(&simulation.state().x);
        }
        Ok(reference)
    }
}

/// True if something acts only at the ends of steps or substeps: contact without penalty forces, a
/// limit on lengths, tearing, or balls that are thrown later. The error of every run is then
/// proportional to the step, whatever the integrator.
pub(in crate::analysis) fn acts_between_steps(parts: &Parts, settings: &Settings) -> bool {
    let has_events = match settings.contact {
        ContactMethod::Off | ContactMethod::Penalty(_) => false,
        ContactMethod::Discrete(_) | ContactMethod::Swept(_) => !parts.contact.is_empty(),
    };
    has_events
        || !settings.limits().is_empty()
        || settings.tear.acts_on(parts)
        || !parts.throws.is_empty()
}

/// Returns the settings with swept contact on parabolas, which are the exact paths for constant
/// forces.
pub(in crate::analysis) fn with_parabolas(settings: &Settings) -> Settings {
    let contact = match settings.contact {
        ContactMethod::Swept(swept) => {
            ContactMethod::Swept(Swept { path: BallPath::Parabola, ..swept })
        }
        other => other,
    };
    Settings { contact, ..*settings }
}

/// Returns how many steps a clearly stable run of `seconds` needs: each step is 0.4 of the longest
/// stable step. At most 3e7.
fn stable_steps(parts: &Arc<Parts>, settings: &Settings, seconds: f64) -> u64 {
    let longest = stability::predict_limit(&Simulation::new(parts.clone(), *settings)).longest();
    (seconds / (STABLE_STEP_FRACTION * longest)).min(MOST_STEPS).ceil() as u64
}

/// Returns the number of force evaluations in the last step of an explicit integrator. Rejected
/// inner steps are not counted.
fn evaluations_of_last_step(simulation: &Simulation) -> f64 {
    let evaluations = f64::from(simulation.settings().integrator.info().evaluations);
    evaluations * f64::from(simulation.solve().parts.max(1))
}
