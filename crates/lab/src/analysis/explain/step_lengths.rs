//! Step lengths of a lane (one simulation of the scene): the fixed dt, or lengths that follow from
//! frame times.

use super::question::{ExplainQuestion, FRAME};
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{Frame, Plan, Stepper};
use std::sync::Arc;

/// Fraction of wall-clock time above which a loss counts as visible slow motion.
const VISIBLE_LOSS: f64 = 0.01;

/// Generator of a lane's step lengths.
#[derive(Clone, Debug)]
pub(super) struct StepLengths {
    settings: Settings,
    /// Frame times in seconds, repeated cyclically; empty until the first step if unknown.
    frames: Arc<[f64]>,
    next: usize,
    stepper: Stepper,
    plan: Plan,
    /// Assumed frame time in seconds if frame times are unknown.
    assumed_frame: f64,
}

impl StepLengths {
    /// Creates the step lengths for these settings, with the frame times of the explained run.
    pub fn of(question: &ExplainQuestion, settings: &Settings) -> Self {
        Self {
            settings: *settings,
            frames: question.frames.clone(),
            next: 0,
            stepper: Stepper::default(),
            plan: Plan::default(),
            assumed_frame: question.dt,
        }
    }

    /// Returns the length of the next step in seconds.
    pub fn next_length(&mut self) -> f64 {
        let Settings { stepping, guards, dt, .. } = self.settings;
        if stepping.uses_dt() {
            return dt;
        }
        if self.frames.is_empty() {
            self.frames = Arc::from([self.assumed_frame]);
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

/// Returns the fraction of wall-clock time that the stepping scheme and its guards (e.g. a limit on
/// the frame time) drop; negative if they add time. The frame times are those of the explained run,
/// or 1/60 s if unknown. `None` if the fraction is too small to be visible.
pub(super) fn lost_time(question: &ExplainQuestion, settings: &Settings) -> Option<f64> {
    let frames = if question.frames.is_empty() { &[FRAME][..] } else { &question.frames };
    Some(fraction_lost(settings, frames)).filter(|lost| lost.abs() > VISIBLE_LOSS)
}

fn fraction_lost(settings: &Settings, frames: &[f64]) -> f64 {
    /// Maximum number of planned frames: ten seconds at 60 Hz.
    const MOST_FRAMES: usize = 600;
    /// Minimum number of planned frames. With fewer frames, the rounding in a single frame would
    /// count as lost time.
    const FEWEST_FRAMES: usize = 60;
    let mut stepper = Stepper::default();
    let count = frames.len().clamp(FEWEST_FRAMES, MOST_FRAMES);
    for seconds in frames.iter().cycle().take(count) {
        stepper.plan(settings.stepping, &settings.guards, settings.dt, Frame::of(*seconds));
    }
    let time_account = stepper.time_account();
    if time_account.wall > 0.0 { time_account.dropped / time_account.wall } else { 0.0 }
}
