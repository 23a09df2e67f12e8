//! Answers beside the lanes, computed in the background: the longest step that holds, before a
//! lane explodes, and why it did, after.

mod card;
mod limits;
mod mode;

pub use limits::{LaneLimit, limit_ui, longest_steps_ui};
pub use mode::draw_modes;

use super::job_pools::JobPools;
use super::laboratory::Laboratory;
use crate::analysis::explain::{ExplainQuestion, Explanation, Finding, explain};
use crate::analysis::growth::Growth;
use crate::analysis::job::{Job, JobEnd, JobPool};
use crate::analysis::limit;
use crate::session::Lane;
use crate::simulation::settings::{MOST_LANES, Settings};
use crate::simulation::{Interrupt, Simulation};
use std::time::Instant;

/// Seconds between two looks at a lane that moves.
const REFRESH_SECONDS: f64 = 0.5;
/// In a scene of more particles a look is taken when settings change, and ten times as rarely.
const MANY_PARTICLES: usize = 5_000;
/// Simulated seconds that an explanation looks at beyond the explosion.
const SECONDS_AFTER: f64 = 2.0;
/// Longest time that an explanation looks at, in simulated seconds.
const MOST_SECONDS: f64 = 20.0;
/// A frame, where frames decide the step.
const FRAME: f64 = 1.0 / 60.0;

/// What the window knows of its lanes, by colour.
pub struct Answers {
    lanes: [LaneAnswers; MOST_LANES],
    clock: Instant,
}

#[derive(Default)]
struct LaneAnswers {
    limit: Option<LaneLimit>,
    looking: Option<Job<(), LaneLimit>>,
    looked_at: f64,
    looked_with: Option<Settings>,
    explaining: Option<Job<Finding, Explanation>>,
    answer: Option<Answer>,
}

/// Why a lane exploded, as far as it is known.
struct Answer {
    /// The end that it is about: time and particle.
    about: (f64, u32),
    /// With the remedies that were tried so far.
    explanation: Option<Explanation>,
    progress: f64,
    done: bool,
    failed: bool,
    /// The user closed it.
    closed: bool,
    /// The user asked for it.
    asked: bool,
}

impl Default for Answers {
    /// Nothing is known yet.
    fn default() -> Self {
        Self { lanes: Default::default(), clock: Instant::now() }
    }
}

impl Answers {
    /// Whether it is known, or being found out, why the lane of this colour exploded.
    pub fn has_card(&self, color: usize) -> bool {
        self.lanes[color].answer.is_some()
    }

    /// Forgets everything: another scene. What is being computed ends at its next slice.
    pub fn forget(&mut self) {
        self.lanes = Default::default();
    }

    /// The limit of a lane by its colour, if it is known for its settings.
    pub fn limit(&self, color: usize) -> Option<&LaneLimit> {
        self.lanes[color].limit.as_ref()
    }

    /// Takes what has been computed and asks what has not.
    pub fn refresh(&mut self, laboratory: &Laboratory, pools: &JobPools) {
        let now = self.clock.elapsed().as_secs_f64();
        let session = laboratory.session();
        for color in 0..MOST_LANES {
            if !session.lanes().iter().any(|lane| lane.color == color) {
                self.lanes[color] = LaneAnswers::default();
            }
        }
        for lane in session.lanes() {
            self.lanes[lane.color].look(&pools.moments, lane, session.paused(), now);
            self.lanes[lane.color].explain(&pools.cards, laboratory, lane, self.clock);
        }
    }
}

impl LaneAnswers {
    /// The limit of the lane as it stands.
    fn look(&mut self, pool: &JobPool, lane: &Lane, paused: bool, now: f64) {
        if let Some(end) = self.looking.as_mut().and_then(Job::result) {
            self.looking = None;
            self.limit = end.ok();
        }
        let settings = *lane.simulation.settings();
        self.limit = self.limit.take().and_then(|limit| limit.at_step_of(&settings));
        let changed = self.looked_with != Some(settings);
        let many = lane.simulation.state().len() > MANY_PARTICLES;
        let wait = REFRESH_SECONDS * if many { 10.0 } else { 1.0 };
        let due = !paused && lane.simulation.explosion().is_none() && now - self.looked_at > wait;
        let idle = self.looking.is_none();
        if !(changed || idle && due) {
            return;
        }
        self.looked_with = Some(settings);
        self.looked_at = now;
        let mut simulation = lane.simulation.clone();
        // What interrupts the lane's long steps is none of this one's business.
        simulation.heed(Interrupt::default());
        self.looking = Some(pool.start(move |work| {
            let limit = limit::predict(&simulation);
            work.check()?;
            let projects = !settings.solver().is_none();
            let growth = (projects && !many).then(|| Growth::of(&simulation).per_step);
            Ok(LaneLimit { settings, limit, growth })
        }));
    }

    /// Ends the search for remedies; those that were found stay.
    fn cancel(&mut self) {
        self.explaining = None;
        if let Some(answer) = &mut self.answer {
            answer.done = true;
        }
    }

    /// Why the lane exploded, if it did.
    fn explain(&mut self, pool: &JobPool, laboratory: &Laboratory, lane: &Lane, clock: Instant) {
        let Some(explosion) = lane.simulation.explosion() else {
            self.answer = None;
            self.explaining = None;
            return;
        };
        let about = (explosion.t, explosion.particle);
        if self.answer.as_ref().is_none_or(|answer| answer.about != about) {
            let settings = *lane.simulation.settings();
            let question = ExplainQuestion {
                start: Simulation::new(laboratory.session().scene().parts.clone(), settings),
                inputs: lane.inputs.clone(),
                dt: if settings.stepping.uses_dt() { settings.dt } else { FRAME },
                duration: (explosion.t + SECONDS_AFTER).min(MOST_SECONDS),
            };
            let clock = move || clock.elapsed().as_secs_f64();
            self.explaining = Some(pool.start(move |work| explain(&question, &clock, work)));
            self.answer = Some(Answer {
                about,
                explanation: None,
                progress: 0.0,
                done: false,
                failed: false,
                closed: false,
                asked: false,
            });
        }
        let (Some(job), Some(answer)) = (&mut self.explaining, &mut self.answer) else { return };
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
            Some(Err(JobEnd::Cancelled(_) | JobEnd::Failed)) => answer.failed = true,
        }
        self.explaining = None;
    }
}
