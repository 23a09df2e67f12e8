//! Waiting for analyses that run on other threads, with a progress bar in the terminal.

use super::progress::Progress;
use super::watchdog::note_progress;
use crate::cli::error::Error;
use crate::signals::next_interrupt;
use ropelab::analysis::job::{Job, JobEnd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Outcome of a job that Ctrl-C can interrupt.
pub enum Ended<P, R> {
    /// The job finished.
    Result(R),
    /// Ctrl-C ended the job; these are its partial results.
    Interrupted(Vec<P>),
}

/// Waits for the end of a job and shows its progress.
pub fn wait<P, R>(job: Job<P, R>) -> Result<R, Error> {
    wait_with_message(job, &String::new)
}

/// Waits for the end of a job, and shows its progress and the current message.
pub fn wait_with_message<P, R>(
    mut job: Job<P, R>,
    message: &dyn Fn() -> String,
) -> Result<R, Error> {
    let progress = Progress::new(1e6);
    loop {
        if let Some(result) = job.result() {
            progress.finish();
            return Ok(result?);
        }
        note_progress(job.progress());
        progress.show_message(message());
        progress.show_fraction(job.progress());
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Waits for the end of a job or for Ctrl-C, and passes each new partial result to `watch`.
pub fn wait_and_watch<P, R>(
    mut job: Job<P, R>,
    watch: &mut dyn FnMut(&P) -> Result<(), Error>,
) -> Result<Ended<P, R>, Error> {
    let interrupted = next_interrupt()
        .map_err(|error| Error::Settings(format!("cannot listen for Ctrl-C: {error}")))?;
    let progress = Progress::new(1e6);
    let mut partials = Vec::new();
    loop {
        // The result is read before the partial results, so no partial result is missed.
        let result = job.result();
        for partial in job.partials() {
            progress.hide_while(|| watch(&partial))?;
            partials.push(partial);
        }
        if interrupted.load(Ordering::Relaxed) {
            job.cancel();
        }
        match result {
            Some(Ok(result)) => {
                progress.finish();
                return Ok(Ended::Result(result));
            }
            Some(Err(JobEnd::Cancelled(_))) => {
                progress.finish();
                return Ok(Ended::Interrupted(partials));
            }
            Some(Err(failed)) => return Err(failed.into()),
            None => {}
        }
        note_progress(job.progress());
        progress.show_fraction(job.progress());
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Returns a clock that reads the time in seconds since this call. Analyses measure the cost of
/// steps with this clock.
pub fn clock() -> impl Fn() -> f64 + Sync {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64()
}
