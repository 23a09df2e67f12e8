//! Lengths of the steps of a lane: dt, or those that frames decide.

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
    /// Lengths of frames in seconds, over and over; empty where all are alike.
    frames: Arc<[f64]>,
    next: usize,
    stepper: Stepper,
    plan: Plan,
    /// The step where no frames are known, in seconds.
    alike: f64,
}

impl Pace {
    /// Steps under some settings, on the display of the question.
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

    /// Length of the next step in seconds.
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

/// Fraction of the time that guards and stepping drop on the display of a question, or on one of
/// 60 Hz if its frames are not known; negative if they gain time. `None` if it does not show.
pub(super) fn lost_time(question: &ExplainQuestion, settings: &Settings) -> Option<f64> {
    let frames = if question.frames.is_empty() { &[FRAME][..] } else { &question.frames };
    Some(lost_on(settings, frames)).filter(|lost| lost.abs() > SLOW)
}

fn lost_on(settings: &Settings, frames: &[f64]) -> f64 {
    /// Frames that are fed at most: ten seconds.
    const MOST: usize = 600;
    /// Fewest frames: rounding of a frame or two is no loss.
    const LEAST: usize = 60;
    let mut stepper = Stepper::default();
    let count = frames.len().clamp(LEAST, MOST);
    for seconds in frames.iter().cycle().take(count) {
        stepper.plan(settings.stepping, &settings.guards, settings.dt, Frame::of(*seconds));
    }
    let ledger = stepper.ledger();
    if ledger.wall > 0.0 { ledger.dropped / ledger.wall } else { 0.0 }
}
