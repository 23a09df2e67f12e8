//! Limits, explanations and softness of the lanes, computed in the background.

use super::lane_limit::LaneLimit;
use super::softness::{Softness, SolverError};
use crate::analysis::explain::{ExplainQuestion, Explanation, Finding, explain};
use crate::analysis::job::{Job, JobEnd, JobPool};
use crate::analysis::stability::growth::confirmed_growth;
use crate::analysis::stability::{SAMPLED_SECONDS, SceneSamples, sample_scene};
use crate::app::laboratory::Laboratory;
use crate::app::timing::job_pools::JobPools;
use crate::app::timing::wall_clock::wall_seconds;
use crate::model::Parts;
use crate::scene::vary::VariableScene;
use crate::session::{Display, Lane};
use crate::simulation::settings::{MOST_LANES, Settings};
use crate::simulation::{Interrupt, Simulation};
use std::sync::Arc;

/// Time in seconds between two updates of the step limit of a moving lane.
const REFRESH_SECONDS: f64 = 0.5;
/// Number of particles above which a moving lane's limit is updated only a tenth as often and
/// growth is not measured. A change of settings still updates the limit immediately.
const MANY_PARTICLES: usize = 5_000;
/// Time in seconds between two trial runs that check whether a lane gains energy.
const CONFIRM_SECONDS: f64 = 10.0;
/// Simulated time in seconds after the explosion that the explanation covers.
const SECONDS_AFTER: f64 = 2.0;
/// Shortest and longest simulated time in seconds that an explanation covers. The shortest is the
/// default of `ropelab explain`, so the window and the command find the same errors.
const EXPLAINED_SECONDS: [f64; 2] = [5.0, 20.0];
/// Assumed step in seconds of lanes that take one step per frame: a frame at 60 Hz.
const FRAME: f64 = 1.0 / 60.0;

/// Limits, explanations and softness of the lanes, indexed by the lanes' colour numbers.
#[derive(Default)]
pub struct Answers {
    pub(super) lanes: [LaneAnswers; MOST_LANES],
}

#[derive(Default)]
pub(super) struct LaneAnswers {
    limit: Option<LaneLimit>,
    limit_job: Option<Job<(), (LaneLimit, Arc<SceneSamples>)>>,
    /// Samples of the lane's motion over the first seconds of the scene, with the settings on which
    /// the samples depend.
    samples: Option<(Settings, Arc<SceneSamples>)>,
    /// Last measurement of growth: time in seconds, settings, and growth factor per step. The
    /// factor is `None` if the lane did not gain energy.
    measured_growth: Option<(f64, Settings, Option<f64>)>,
    limit_requested_at: f64,
    /// Settings of the lane when the limit was last requested, and true if the lane had exploded by
    /// then.
    limit_requested_for: Option<(Settings, bool)>,
    parts: Option<Arc<Parts>>,
    explain_job: Option<Job<Finding, Explanation>>,
    pub(super) answer: Option<Answer>,
    softness: Softness,
}

/// Explanation of an explosion, possibly still being computed.
#[derive(Default)]
pub(super) struct Answer {
    /// Time of the explosion in seconds, which identifies the explosion. The exploded particle
    /// cannot identify it, because adding bodies renumbers particles.
    exploded_at: f64,
    pub(super) explanation: Option<Explanation>,
    pub(super) progress: f64,
    pub(super) done: bool,
    pub(super) failed: bool,
    pub(super) closed: bool,
    pub(super) requested: bool,
}

impl Answers {
    pub fn has_card(&self, color: usize) -> bool {
        self.lanes[color].answer.is_some()
    }

    /// Removes all answers, because the scene was replaced. Running computations end soon
    /// afterwards.
    pub fn forget(&mut self) {
        self.lanes = Default::default();
    }

    pub fn limit(&self, color: usize) -> Option<&LaneLimit> {
        self.lanes[color].limit.as_ref()
    }

    /// Returns the error left by the lane's solver, if the error is visible and lasting.
    pub fn lasting_error(&self, color: usize) -> Option<SolverError> {
        self.lanes[color].softness.lasting_error()
    }

    /// Collects finished results and starts the missing computations.
    pub fn refresh(&mut self, laboratory: &Laboratory, pools: &JobPools) {
        let now = wall_seconds();
        let session = laboratory.session();
        for color in 0..MOST_LANES {
            if !session.lanes().iter().any(|lane| lane.color == color) {
                self.lanes[color] = LaneAnswers::default();
            }
        }
        for lane in session.lanes() {
            self.lanes[lane.color].refresh(&pools.short_jobs, laboratory, lane, now);
            self.lanes[lane.color].softness.observe(&lane.simulation);
            self.lanes[lane.color].explain(&pools.explanations, laboratory, lane);
        }
    }
}

impl LaneAnswers {
    /// Updates the longest stable step of the lane: the smaller of the limits during the first
    /// seconds of the scene and in the lane's current state. For an exploded lane, the current
    /// state is ignored.
    fn refresh(&mut self, pool: &JobPool, laboratory: &Laboratory, lane: &Lane, now: f64) {
        let session = laboratory.session();
        if let Some(end) = self.limit_job.as_mut().and_then(Job::result) {
            self.limit_job = None;
            self.store_limit(end.ok(), now);
        }
        let settings = *lane.simulation.settings();
        self.limit = self.limit.take().and_then(|limit| limit.at_step_of(&settings));
        let parts = &session.scene().parts;
        if self.parts.as_ref().is_none_or(|known| !Arc::ptr_eq(known, parts)) {
            self.parts = Some(parts.clone());
            (self.samples, self.measured_growth, self.limit_requested_for) = (None, None, None);
            // The running job computes the limit of the previous scene.
            self.limit_job = None;
        }
        let exploded = lane.simulation.explosion().is_some();
        let changed = self.limit_requested_for != Some((settings, exploded));
        let many = lane.simulation.state().len() > MANY_PARTICLES;
        let wait = REFRESH_SECONDS * if many { 10.0 } else { 1.0 };
        let moves = !session.paused() && !exploded;
        let due = moves && now - self.limit_requested_at > wait;
        let idle = self.limit_job.is_none();
        // The first limit is shown without trial runs; a second job confirms it with trial runs.
        let unconfirmed = idle && !changed && self.is_unconfirmed(&settings);
        if !(changed || idle && due || unconfirmed) {
            return;
        }
        self.limit_requested_for = Some((settings, exploded));
        self.limit_requested_at = now;
        let mut simulation = lane.simulation.clone();
        // The copy gets its own interrupt, because the lane's interrupt also ends long steps.
        simulation.set_interrupt(Interrupt::default());
        let start = Simulation::new(session.scene().parts.clone(), settings);
        let same = |known: &&(Settings, Arc<SceneSamples>)| {
            known.0 == SceneSamples::sampling_settings(&settings)
        };
        let known = self.samples.as_ref().filter(same).map(|(_, samples)| samples.clone());
        let fresh = |(at, of, _): &&(f64, Settings, Option<f64>)| {
            *of == settings && now - at < CONFIRM_SECONDS
        };
        let measured_growth =
            self.measured_growth.as_ref().filter(fresh).map(|(_, _, growth)| *growth);
        self.limit_job = Some(pool.start(move |work| {
            let samples = match known {
                Some(samples) => samples,
                None => Arc::new(sample_scene(&start, SAMPLED_SECONDS, || work.check())?),
            };
            let limit = match unconfirmed {
                true => samples.confirmed_limit(&settings, || work.check())?,
                false => samples.limit(&settings),
            };
            let limit = match exploded {
                true => limit,
                false => {
                    limit.smaller(SceneSamples::of_current_state(&simulation).limit(&settings))
                }
            };
            work.check()?;
            let projects = !settings.solver().is_none();
            let growth = match measured_growth {
                Some(growth) => growth,
                None if projects && !many => {
                    confirmed_growth(&simulation, || work.check())?.map(|growth| growth.per_step)
                }
                None => None,
            };
            Ok((LaneLimit { settings, limit, growth }, samples))
        }));
    }

    /// True if the limit is known for these settings but not yet confirmed by a trial run.
    fn is_unconfirmed(&self, settings: &Settings) -> bool {
        let known = self.limit.as_ref().is_some_and(|known| known.settings == *settings);
        known && self.samples.as_ref().is_some_and(|(_, samples)| samples.is_unconfirmed(settings))
    }

    /// Ends the search for remedies. The remedies found so far stay.
    pub(super) fn cancel(&mut self) {
        self.explain_job = None;
        if let Some(answer) = &mut self.answer {
            answer.done = true;
        }
    }

    fn store_limit(&mut self, found: Option<(LaneLimit, Arc<SceneSamples>)>, now: f64) {
        let Some((limit, samples)) = found else {
            self.limit = None;
            return;
        };
        self.samples = Some((SceneSamples::sampling_settings(&limit.settings), samples));
        let known = |(_, of, _): &(f64, Settings, Option<f64>)| *of == limit.settings;
        let expired = |at: f64| now - at >= CONFIRM_SECONDS;
        if !self.measured_growth.as_ref().is_some_and(|last| known(last) && !expired(last.0)) {
            self.measured_growth = Some((now, limit.settings, limit.growth));
        }
        self.limit = Some(limit);
    }

    /// Starts the explanation of an explosion and collects its results. Removes the explanation if
    /// the lane is no longer exploded.
    fn explain(&mut self, pool: &JobPool, laboratory: &Laboratory, lane: &Lane) {
        let Some(explosion) = lane.simulation.explosion() else {
            self.answer = None;
            self.explain_job = None;
            return;
        };
        if self.answer.as_ref().is_none_or(|answer| answer.exploded_at != explosion.t) {
            let settings = *lane.simulation.settings();
            let scene = laboratory.session().scene();
            let [least, most] = EXPLAINED_SECONDS;
            let duration = (explosion.t + SECONDS_AFTER).clamp(least, most);
            let question = ExplainQuestion {
                start: Simulation::new(scene.parts.clone(), settings),
                inputs: lane.inputs.clone(),
                dt: if settings.stepping.uses_dt() { settings.dt } else { FRAME },
                frames: Display::frame_times(lane.display.source(), &settings, duration).into(),
                duration,
                scene: Some(VariableScene::of(scene)),
            };
            self.explain_job =
                Some(pool.start(move |work| explain(&question, &wall_seconds, work)));
            self.answer = Some(Answer { exploded_at: explosion.t, ..Answer::default() });
        }
        let (Some(job), Some(answer)) = (&mut self.explain_job, &mut self.answer) else { return };
        for finding in job.partials() {
            finding.add_to(&mut answer.explanation);
        }
        answer.progress = job.progress();
        match job.result() {
            None => return,
            Some(Ok(explanation)) => {
                answer.explanation = Some(explanation);
                answer.done = true;
            }
            Some(Err(JobEnd::Cancelled(_) | JobEnd::Failed | JobEnd::NoThreads(_))) => {
                answer.failed = true;
            }
        }
        self.explain_job = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::scene_edit::SceneEdit;
    use crate::simulation::settings::Command;
    use glam::DVec3;

    #[test]
    fn an_explosion_keeps_its_explanation_if_a_body_is_added() {
        let cloth = r#"(version: 1, name: "x",
            cloths: [(name: "sheet", corner: (0, 0, 0), across: (1, 0, 0), down: (0, -1, 0),
                cells: (3, 3))],
            pins: [(of: Particle(0))], forces: [(law: Gravity())],
            thrown: [(at: (5, 0, 0), velocity: (0, 0, 0), mass: 1, radius: 0.1)],
            settings: (integrator: ExplicitEuler, dt: 0.02))"#;
        let mut laboratory = Laboratory::of_text(cloth);
        let explosion = |laboratory: &Laboratory| {
            laboratory.selected().simulation.explosion().map(|explosion| explosion.particle)
        };
        while explosion(&laboratory).is_none() {
            laboratory.advance(1.0 / 60.0);
        }
        let pool = JobPool::of_all_cores();
        let mut answers = LaneAnswers::default();
        answers.explain(&pool, &laboratory, laboratory.selected());
        answers.answer.as_mut().expect("an answer").closed = true;
        let along = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let sheet = SceneEdit::AddCloth {
            corner: along(3.0, 0.0),
            across: along(1.0, 0.0),
            down: along(0.0, -1.0),
        };
        laboratory.command(Command::EditScene(sheet));
        laboratory.advance(1.0 / 60.0);
        assert!(laboratory.session().scene().parts.mesh.positions.len() > 20, "a sheet was added");
        answers.explain(&pool, &laboratory, laboratory.selected());
        assert!(answers.answer.expect("the same answer").closed);
    }
}
