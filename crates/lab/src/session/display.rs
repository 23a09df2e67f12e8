//! Simulated displays. Their frame times replace those of the real display in a lane.
//!
//! A lane is one of several simulations of the same scene that run side by side. A lane with its
//! own display computes as many whole frames of this display as fit into the time that has passed.
//! The lane thus keeps up with the other lanes, while its drawn state changes only when its own
//! frames are due. These frames are recorded one by one, so a replay needs no display.

use super::lane_frame::OwnFrame;
use crate::numerics::random::{GAMMA, Xorshift};
use crate::simulation::settings::Settings;
use crate::simulation::timing::frame_source::{FrameSource, LONGEST_TRACE};
use crate::simulation::timing::stepper::{Frame, Stepper};

/// Longest pause of the real display that counts, in seconds. Without this limit, a window that was
/// not drawn for an hour would compute an hour of frames.
const LONGEST_PAUSE: f64 = 0.25;

/// State of a lane's display, simulated or real.
#[derive(Clone, Debug)]
pub struct Display {
    source: FrameSource,
    /// Number of finished frames.
    frames: u64,
    random: Xorshift,
    steps: u32,
    /// Length of the next frame in seconds.
    next: f64,
    /// Time since the last frame in seconds.
    waited: f64,
}

impl Default for Display {
    fn default() -> Self {
        Self::new(FrameSource::Measured)
    }
}

impl Display {
    /// Creates a display that starts now. A source with invalid values is replaced by the real
    /// display.
    pub fn new(source: FrameSource) -> Self {
        let source = if source.check().is_ok() { source } else { FrameSource::Measured };
        let seed = if let FrameSource::Jitter { seed, .. } = source { seed } else { 0 };
        // Seed 0 is a common choice, but the state of the generator must not be 0.
        let random = Xorshift::new(seed.wrapping_add(GAMMA));
        let mut display = Self { source, frames: 0, random, steps: 0, next: 0.0, waited: 0.0 };
        display.next = display.next_length();
        display
    }

    /// Returns the source of the display's frames.
    pub fn source(&self) -> &FrameSource {
        &self.source
    }

    /// True if this is the real display.
    pub fn is_real(&self) -> bool {
        self.source.is_measured()
    }

    /// Restarts the display, with the same sequence of frames.
    pub fn restart(&mut self) {
        *self = Self::new(std::mem::take(&mut self.source));
    }

    /// Returns the frame times of a source that cover `seconds`, at most a million of them, for a
    /// lane with these settings. Under a simulated load, the length of a frame depends on the
    /// number of steps that the stepping scheme plans. Empty for the real display.
    pub fn frame_times(source: &FrameSource, settings: &Settings, seconds: f64) -> Vec<f64> {
        let (mut display, mut stepper) = (Self::new(source.clone()), Stepper::default());
        let Settings { stepping, guards, dt, .. } = settings;
        let (mut frames, mut passed) = (Vec::new(), 0.0);
        while !display.source.is_measured() && passed < seconds && frames.len() < LONGEST_TRACE {
            frames.push(display.next);
            passed += display.next;
            display.frames += 1;
            let plan = stepper.plan(*stepping, guards, *dt, Frame::of(display.next));
            display.finish_frame(plan.steps);
        }
        frames
    }

    /// Returns the computing time per step in seconds that a simulated load prescribes; `None` for
    /// other sources.
    pub fn step_cost(&self) -> Option<f64> {
        if let FrameSource::Load { step, .. } = self.source { Some(step) } else { None }
    }

    /// Adds `seconds` to the time since the last frame. A pause of more than 0.25 s counts as 0.25
    /// s.
    pub fn add_time(&mut self, seconds: f64) {
        self.waited += seconds.clamp(0.0, LONGEST_PAUSE);
    }

    /// Starts the next frame if it is due, and returns its length in seconds. `None` if it is not
    /// due.
    pub fn start_due_frame(&mut self) -> Option<f64> {
        if self.waited < self.next {
            return None;
        }
        self.waited -= self.next;
        self.frames += 1;
        Some(self.next)
    }

    /// Ends the current frame. Under a simulated load, its number of steps determines the length of
    /// the next frame.
    pub fn finish_frame(&mut self, steps: u32) {
        self.steps = steps;
        self.next = self.next_length();
    }

    /// Applies a recorded event that lasted `seconds`. The display then continues as it did after
    /// the original event. `own` contains the recorded frames of the lane's display; `None` if the
    /// lane used the real display. A simulated display restarts in this case.
    pub(super) fn follow_record(&mut self, seconds: f64, own: Option<&[OwnFrame]>) {
        if self.is_real() {
            return;
        }
        let Some(own) = own else { return self.restart() };
        self.add_time(seconds);
        for frame in own {
            // The recorded display may have a different source.
            self.waited = (self.waited - frame.seconds).max(0.0);
            self.frames += 1;
            self.finish_frame(frame.steps);
        }
    }

    fn next_length(&mut self) -> f64 {
        match &self.source {
            FrameSource::Measured => f64::INFINITY,
            FrameSource::Constant { rate } => 1.0 / rate,
            FrameSource::Jitter { rate, jitter, .. } => {
                (1.0 + jitter * self.random.signed()) / rate
            }
            FrameSource::Spike { rate, every, spike } => {
                let is_spike = (self.frames + 1).is_multiple_of(u64::from(*every));
                if is_spike { *spike } else { 1.0 / rate }
            }
            FrameSource::Trace(seconds) => seconds[(self.frames % seconds.len() as u64) as usize],
            FrameSource::Load { rest, step } => rest + step * f64::from(self.steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::timing::frame_source::Spiral;
    use std::sync::Arc;

    /// Returns the lengths of the first frames of a source in seconds, for frames without steps.
    fn frames(source: FrameSource, count: usize) -> Vec<f64> {
        let mut display = Display::new(source);
        let mut frames = Vec::new();
        while frames.len() < count {
            display.add_time(1e-3);
            while let Some(seconds) = display.start_due_frame() {
                frames.push(seconds);
                display.finish_frame(0);
            }
        }
        frames.truncate(count);
        frames
    }

    #[test]
    fn every_source_gives_its_frames() {
        assert_eq!(frames(FrameSource::Constant { rate: 40.0 }, 3), [0.025; 3]);
        let spike = FrameSource::Spike { rate: 50.0, every: 3, spike: 0.2 };
        assert_eq!(frames(spike, 6), [0.02, 0.02, 0.2, 0.02, 0.02, 0.2]);
        let trace = FrameSource::Trace(Arc::from([0.01, 0.03]));
        assert_eq!(frames(trace, 5), [0.01, 0.03, 0.01, 0.03, 0.01]);
    }

    #[test]
    fn jitter_stays_within_its_bounds_and_repeats_with_its_seed() {
        let jitter = |seed| FrameSource::Jitter { rate: 60.0, jitter: 0.3, seed };
        let first = frames(jitter(1), 500);
        assert_eq!(first, frames(jitter(1), 500));
        assert_ne!(first, frames(jitter(2), 500));
        assert!(first.iter().all(|f| (0.7 / 60.0..=1.3 / 60.0).contains(f)));
        // The mean length of 500 frames with 30 % jitter has a standard deviation of 0.3/√3/√500 =
        // 0.8 % of a frame.
        let mean = first.iter().sum::<f64>() / 500.0;
        assert!((mean * 60.0 - 1.0).abs() < 0.03, "mean frame {mean} s");
    }

    /// Returns the lengths of frames under a load with fixed steps of `dt`. The rest of a frame is
    /// carried over to the next one.
    fn loaded(rest: f64, step: f64, dt: f64, count: usize) -> Vec<f64> {
        let mut display = Display::new(FrameSource::Load { rest, step });
        let (mut frames, mut owed) = (Vec::new(), 0.0);
        while frames.len() < count {
            display.add_time(1e-2);
            while let Some(seconds) = display.start_due_frame() {
                frames.push(seconds);
                owed += seconds;
                let steps = (owed / dt).floor();
                owed -= steps * dt;
                display.finish_frame(steps as u32);
            }
        }
        frames
    }

    #[test]
    fn frames_under_a_load_settle_below_c_equal_dt_and_grow_above_it() {
        let source = |step| FrameSource::Load { rest: 0.01, step };
        let below = source(0.75e-3).spiral(1e-3, 1.0).unwrap();
        assert_eq!(below, Spiral { ratio: 0.75, converged_length: Some(0.04) });
        let last = *loaded(0.01, 0.75e-3, 1e-3, 60).last().unwrap();
        // A frame contains a whole number of steps, so its length varies by up to the cost of a
        // step, 0.75 ms. A longer frame contains more steps, so each deviation affects about four
        // later frames.
        assert!((last - 0.04).abs() < 4.0 * 0.75e-3, "last frame {last} s");
        let above = source(1.2e-3).spiral(1e-3, 1.0).unwrap();
        assert_eq!(above.converged_length, None);
        let frames = loaded(0.01, 1.2e-3, 1e-3, 20);
        // A step costs 1.2 times its own length dt, and the rest of a frame takes 10 ms. So a frame
        // of length F causes a next frame of the length 10 ms + 1.2 F.
        for pair in frames.windows(2).skip(3) {
            assert!(
                (pair[1] - 0.01 - 1.2 * pair[0]).abs() < 1.2e-3,
                "successive frames {pair:?} s"
            );
        }
        assert_eq!(source(0.0).spiral(1e-3, 1.0).unwrap().converged_length, Some(0.01));
        assert_eq!(FrameSource::Measured.spiral(1e-3, 1.0), None);
    }

    #[test]
    fn numbers_that_make_no_sense_are_named() {
        for (source, says) in [
            (FrameSource::Constant { rate: 0.0 }, "rate is 0"),
            (FrameSource::Jitter { rate: 60.0, jitter: f64::NAN, seed: 0 }, "jitter is NaN"),
            (FrameSource::Spike { rate: 60.0, every: 0, spike: 0.1 }, "every is 0"),
            (FrameSource::Trace(Arc::from([])), "found 0 frames"),
            (FrameSource::Trace(Arc::from([0.01, -1.0])), "a frame is -1"),
            (FrameSource::Load { rest: 0.0, step: 0.0 }, "rest is 0"),
        ] {
            let error = source.check().unwrap_err();
            assert!(error.starts_with(says), "{error}");
            assert!(Display::new(source).is_real());
        }
    }
}
