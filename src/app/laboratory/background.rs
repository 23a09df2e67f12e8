//! Stepping in background threads, for work that may take longer than the window can wait. The
//! threads step a copy of the session. The copy replaces the session when the work is done.

use crate::app::timing::overhead::thread_seconds;
use crate::app::timing::wall_clock::wall_seconds;
use crate::session::{Event, FrameBudget, Session};
use crate::simulation::Interrupt;
use crate::simulation::settings::Command;
use rayon::ThreadPool;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Work in the background. Dropping it cancels the work: the copy is dropped, and the session stays
/// unchanged.
#[derive(Debug)]
pub struct BackgroundWork {
    result: Receiver<(Session, Event)>,
    interrupt: Interrupt,
    began: Instant,
}

#[derive(Clone, Debug)]
pub enum BackgroundTask {
    /// Advances the session by a frame of this many seconds.
    Frame(f64),
    /// Carries out a command that takes a step.
    Command(Box<Command>),
}

impl BackgroundTask {
    /// Runs the task and returns the event to record. A frame computes for at most `budget`
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
    /// Begins a task on a copy of the session. A frame computes for at most `budget` seconds.
    pub fn start(
        pool: &ThreadPool,
        session: &mut Session,
        work: BackgroundTask,
        budget: f64,
    ) -> Self {
        let (mut copy, interrupt) = (session.stepping_copy(), Interrupt::new());
        copy.set_interrupt(&interrupt);
        let (send, result) = mpsc::channel();
        let heeded = interrupt.clone();
        pool.spawn(move || {
            let event = work.run(&mut copy, budget);
            if !heeded.is_set() {
                copy.set_interrupt(&Interrupt::default());
                // Sending fails if the window has cancelled the work, which drops the receiver.
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

    /// Returns the seconds since the work began.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}

impl Drop for BackgroundWork {
    fn drop(&mut self) {
        self.interrupt.set();
    }
}
