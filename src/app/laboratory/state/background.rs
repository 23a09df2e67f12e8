//! Stepping in background threads, for work that may take longer than the window can wait. The
//! threads step a copy of the session. When the work has finished, the copy replaces the session.

use crate::app::timing::overhead::thread_seconds;
use crate::app::timing::wall_clock::wall_seconds;
use crate::session::{Event, FrameBudget, Session};
use crate::simulation::Interrupt;
use crate::simulation::settings::Command;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Estimated computing time in seconds above which work is [`Expected::Long`]. Also the time limit
/// of a frame with a shorter estimate.
pub const LONG: f64 = 0.1;
/// Work in the background. Dropping this value cancels the work: the copy is dropped, and the
/// session stays unchanged.
#[derive(Debug)]
pub struct BackgroundWork {
    result: Receiver<(Session, Event)>,
    interrupt: Interrupt,
    began: Instant,
}

#[derive(Clone, Debug)]
pub enum BackgroundTask {
    /// Advances the session by a frame of this length in seconds.
    Frame(f64),
    /// Carries out a command that takes a step.
    Command(Box<Command>),
}

impl BackgroundTask {
    /// Runs the task and returns the event to record. A frame is computed for at most `budget`
    /// seconds.
    pub fn run(&self, session: &mut Session, budget: f64) -> Event {
        let (clock, sample_clock) = (&wall_seconds, &thread_seconds);
        match self {
            Self::Frame(seconds) => {
                let budget = FrameBudget { seconds: budget, clock, sample_clock };
                session.advance_within(*seconds, budget)
            }
            Self::Command(command) => {
                session.command(Command::clone(command));
                Event::Command(Box::new(Command::clone(command)))
            }
        }
    }
}

impl BackgroundWork {
    /// Begins a task on a copy of the session. A frame is computed for at most `budget` seconds.
    pub fn start(
        pool: &ThreadPool,
        session: &mut Session,
        work: BackgroundTask,
        budget: f64,
    ) -> Self {
        let (mut copy, interrupt) = (session.stepping_copy(), Interrupt::new());
        copy.set_interrupt(&interrupt);
        let (send, result) = mpsc::channel();
        let interrupt_copy = interrupt.clone();
        pool.spawn(move || {
            let event = work.run(&mut copy, budget);
            if !interrupt_copy.is_set() {
                copy.set_interrupt(&Interrupt::default());
                // Sending fails if the window has cancelled the work and thereby dropped the
                // receiver.
                let _ = send.send((copy, event));
            }
        });
        Self { result, interrupt, began: Instant::now() }
    }

    /// Waits for the result for at most `patience`. Returns the new session and its event; `None`
    /// if the work has not finished.
    pub fn result_within(&self, patience: Duration) -> Option<(Session, Event)> {
        self.result.recv_timeout(patience).ok()
    }

    /// Returns the elapsed time in seconds since the work began.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

impl Drop for BackgroundWork {
    fn drop(&mut self) {
        self.interrupt.set();
    }
}

/// Expected duration of background work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Short enough for the window to wait.
    Short,
    /// Too long for the window to wait, or unknown.
    Long,
}

impl Expected {
    /// Returns the number of threads: all cores if the window waits. Otherwise one core is left for
    /// drawing, which needs a whole core if there is no graphics card.
    fn threads(self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if self == Self::Short { cores } else { cores.saturating_sub(1).max(1) }
    }
}

/// Threads for background work, started when they are first needed.
#[derive(Debug, Default)]
pub struct StepPools {
    all_cores: Option<ThreadPool>,
    all_but_one: Option<ThreadPool>,
}

impl StepPools {
    /// Returns the threads for work of an expected duration; `None` if the system cannot start more
    /// threads.
    pub fn pool_for(&mut self, expected: Expected) -> Option<&ThreadPool> {
        let pool = match expected {
            Expected::Short => &mut self.all_cores,
            Expected::Long => &mut self.all_but_one,
        };
        if pool.is_none() {
            *pool = ThreadPoolBuilder::new().num_threads(expected.threads()).build().ok();
        }
        pool.as_ref()
    }
}
