//! Wall clock of frames: how long they take, and how much of that is computing and drawing.

use super::overhead::Overhead;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const REMEMBERED: usize = 3600;
/// Shortest frame without vsync. Shorter frames would draw the same state thousands of times per
/// second and occupy a core.
const SHORTEST_FRAME: Duration = Duration::from_micros(4000);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTime {
    /// Time in seconds since the window opened.
    pub at: f64,
    /// Length of the frame in seconds, including the wait for the display.
    pub frame: f64,
    /// Computing time of the frame in seconds, including drawing.
    pub work: f64,
}

/// Clock of frames, which never goes back.
#[derive(Debug)]
pub struct FrameClock {
    process_start: Instant,
    /// Time in seconds from the start of the process to the first frame on the screen.
    pub first_frame: Option<f64>,
    opened: Instant,
    began: Instant,
    pub frame: f64,
    /// Work time of the last frame in seconds.
    pub work: f64,
    /// Processor time of the last frame, without stepping and the graphics driver.
    pub overhead: Overhead,
    smooth_frame: f64,
    history: VecDeque<FrameTime>,
}

impl FrameClock {
    pub fn new(process_start: Instant) -> Self {
        let now = Instant::now();
        Self {
            process_start,
            first_frame: None,
            opened: now,
            began: now,
            frame: 0.0,
            work: 0.0,
            overhead: Overhead::default(),
            smooth_frame: 1.0 / 60.0,
            history: VecDeque::with_capacity(REMEMBERED),
        }
    }

    /// Begins a frame. Returns the time in seconds since the beginning of the previous frame.
    pub fn begin_frame(&mut self) -> f64 {
        let now = Instant::now();
        if self.first_frame.is_none() && !self.history.is_empty() {
            self.first_frame = Some((now - self.process_start).as_secs_f64());
        }
        self.frame = (now - self.began).as_secs_f64();
        self.began = now;
        self.smooth_frame += 0.05 * (self.frame.min(1.0) - self.smooth_frame);
        if self.history.len() == REMEMBERED {
            self.history.pop_front();
        }
        let at = (now - self.opened).as_secs_f64();
        self.history.push_back(FrameTime { at, frame: self.frame, work: self.work });
        self.frame
    }

    /// Ends the work of a frame. If the frame rate would exceed `frame_limit` (frames per second),
    /// sleeps. `overhead` contains the time of each part of the work.
    pub fn end_work(&mut self, frame_limit: Option<f64>, overhead: Overhead) {
        let worked = self.began.elapsed();
        self.work = worked.as_secs_f64();
        self.overhead = overhead;
        let chosen = frame_limit.map_or(Duration::ZERO, |n| Duration::from_secs_f64(1.0 / n));
        let left = chosen.max(SHORTEST_FRAME).saturating_sub(worked);
        if !left.is_zero() {
            std::thread::sleep(left);
        }
    }

    /// Returns the time in seconds since the window opened.
    pub fn now(&self) -> f64 {
        self.opened.elapsed().as_secs_f64()
    }

    pub fn rate(&self) -> f64 {
        1.0 / self.smooth_frame.max(1e-6)
    }

    pub fn history(&self) -> impl DoubleEndedIterator<Item = &FrameTime> {
        self.history.iter()
    }
}
