//! Progress bar in a terminal, for work that takes more than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time after which the progress bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Number of steps between two readings of the clock.
const STRIDE: u64 = 64;

/// Progress bar that counts the steps of all threads. It stays invisible if standard error is not a
/// terminal.
pub struct Progress {
    bar: ProgressBar,
    steps: AtomicU64,
    shown: AtomicBool,
    started: Instant,
}

impl Progress {
    /// Creates an invisible bar for this many steps.
    pub fn new(steps: f64) -> Self {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{msg}{wide_bar} {percent} % {eta} left") {
            bar.set_style(style);
        }
        let (steps, shown) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { bar, steps, shown, started: Instant::now() }
    }

    pub fn count_step(&self) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if steps.is_multiple_of(STRIDE) {
            self.show_position(steps);
        }
    }

    /// Shows the finished fraction of the work, 0 to 1.
    pub fn show_fraction(&self, fraction: f64) {
        self.show_position((fraction * self.bar.length().unwrap_or(0) as f64) as u64);
    }

    /// Shows a message in front of the bar.
    pub fn show_message(&self, message: String) {
        self.bar.set_message(message);
    }

    fn show_position(&self, position: u64) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        if !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(position);
    }

    pub fn hide_while<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
