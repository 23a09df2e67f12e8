//! Lengths of a lane's steps: the fixed dt, or lengths that frames decide.

use super::{ExplainQuestion, FRAME};
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{Frame, Plan, Stepper};
use std::sync::Arc;

/// Fraction of the time that may be lost before it shows as slow motion.
const SLOW: f64 = 0.01;

/// The steps of a lane, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    settings: Settings,
    /// Lengths of frames in seconds, repeated cyclically; empty until the first step if unknown.
    frames: Arc<[f64]>,
    next: usize,
    stepper: Stepper,
    plan: Plan,
    /// Length of a frame in seconds if frames are unknown.
    alike: f64,
}

impl Pace {
    /// Creates the sequence of steps for these settings, with the frames of the question.
    pub fn of(question: &ExplainQuestion, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            frames: question.frames.clone(),
            next: 0,
            stepper: Stepper::default(),
            plan: Plan::default(),
            alike: question.dt,
        }
    }

    /// Returns the length of the next step in seconds.
    pub fn next_step(&mut self) -> f64 {
        let Settings { stepping, guards, dt, .. } = self.settings;
        if stepping.uses_dt() {
            return dt;
        }
        if self.frames.is_empty() {
            self.frames = Arc::from([self.alike]);
        }
        if self.plan.steps == 0 {
            let frame = Frame::of(self.frames[self.next % self.frames.len()]);
            self.next += 1;
            self.plan = self.stepper.plan(stepping, &guards, dt, frame);
        }
        self.plan.steps = self.plan.steps.saturating_sub(1);
        self.plan.dt
    }
}

/// Returns the fraction of the time that guards (limits of frame time) and stepping drop on the
/// display of a question, or on one of 60 Hz if its frames are not known; negative if they add time.
/// `None` if the fraction is too small to be visible.
pub(super) fn lost_time(question: &ExplainQuestion, settings: &Settings) -> Option<f64> {
    let frames = if question.frames.is_empty() { &[FRAME][..] } else { &question.frames };
    Some(lost_on(settings, frames)).filter(|lost| lost.abs() > SLOW)
}

fn lost_on(settings: &Settings, frames: &[f64]) -> f64 {
    /// Upper limit of the number of frames: ten seconds at 60 Hz.
    const MOST: usize = 600;
    /// Lower limit of the number of frames, so that the rounding of one frame does not count as a
    /// loss.
    const LEAST: usize = 60;
    let mut stepper = Stepper::default();
    let count = frames.len().clamp(LEAST, MOST);
    for seconds in frames.iter().cycle().take(count) {
        stepper.plan(settings.stepping, &settings.guards, settings.dt, Frame::of(*seconds));
    }
    let ledger = stepper.ledger();
    if ledger.wall > 0.0 { ledger.dropped / ledger.wall } else { 0.0 }
}
