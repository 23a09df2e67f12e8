//! Background jobs with progress, cancellation and partial results.
//!
//! A job is a function with a [`Work`] parameter. Through this parameter, the job counts finished
//! units, sends partial results, and checks between slices whether it was cancelled. A slice takes
//! at most a few milliseconds. Jobs run on a [`JobPool`], never on the pool that steps and draws: a
//! drawing thread could otherwise pick up part of a job.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use thiserror::Error;

/// Thread pool that runs only jobs. Its threads start with the first job and end after the last
/// one, so an idle pool has no threads.
pub struct JobPool {
    count: usize,
    on_start: Arc<dyn Fn() + Send + Sync>,
    /// Running threads. The waiting and running jobs own them.
    threads: Mutex<Weak<ThreadPool>>,
}

impl JobPool {
    /// Creates a pool of `count` threads (at least one). Each thread calls `on_start` once, for
    /// example to lower its own priority.
    pub fn new(count: usize, on_start: impl Fn() + Send + Sync + 'static) -> Self {
        Self { count: count.max(1), on_start: Arc::new(on_start), threads: Mutex::default() }
    }

    /// Creates a pool on all cores, for a program that only waits for the result.
    pub fn of_all_cores() -> Self {
        Self::new(cores(), || ())
    }

    /// Creates a pool on all cores but one (at least one thread). The remaining core is for the
    /// window.
    pub fn beside_a_window(on_start: impl Fn() + Send + Sync + 'static) -> Self {
        Self::new(cores().saturating_sub(1), on_start)
    }

    /// Returns the number of threads of the pool while it has jobs.
    pub fn count(&self) -> usize {
        self.count
    }

    /// True if the pool has threads now, because jobs wait or run.
    pub fn has_threads(&self) -> bool {
        self.lock().strong_count() > 0
    }

    fn lock(&self) -> MutexGuard<'_, Weak<ThreadPool>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the running threads, or starts them.
    fn start_threads(&self) -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
        let mut running = self.lock();
        if let Some(threads) = running.upgrade() {
            return Ok(threads);
        }
        let on_start = self.on_start.clone();
        let threads = ThreadPoolBuilder::new()
            .num_threads(self.count)
            .thread_name(|i| format!("job {i}"))
            .start_handler(move |_| on_start())
            // The panic has been reported on standard error, and the job's handle returns
            // `JobEnd::Failed`.
            .panic_handler(|_| ())
            .build()?;
        let threads = Arc::new(threads);
        *running = Arc::downgrade(&threads);
        Ok(threads)
    }

    /// Starts a job. Parallel iterators inside the job run on this pool. If no thread is free, jobs
    /// wait in the order in which they were started.
    pub fn start<P: Send + 'static, R: Send + 'static>(
        &self,
        job: impl FnOnce(&Work<P>) -> Result<R, Cancelled> + Send + 'static,
    ) -> Job<P, R> {
        let counts = Arc::new(Counts::default());
        let (partial, partials) = channel();
        let (end, result) = channel();
        let work = Work { counts: counts.clone(), partial };
        match self.start_threads() {
            Ok(threads) => {
                let owned = threads.clone();
                threads.spawn_fifo(move || {
                    // The threads end after the last job that owns them.
                    let _owned = owned;
                    let result = work.check().and_then(|()| job(&work));
                    // Sending fails if the owner has dropped the job's handle. Nobody needs the
                    // result then.
                    let _ = end.send(result.map_err(JobEnd::from));
                });
            }
            Err(error) => {
                let _ = end.send(Err(JobEnd::NoThreads(error.to_string())));
            }
        }
        Job { counts, partials, result, ended: false }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Error of a cancelled job. The job returns it with `?` at its next check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Reason why a job ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JobEnd {
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The job panicked: a defect of the program, reported on standard error.
    #[error("the computation failed; standard error has details")]
    Failed,
    /// The system cannot start threads, for the reason given here.
    #[error("cannot start threads: {0}")]
    NoThreads(String),
}

#[derive(Debug, Default)]
struct Counts {
    done: AtomicU64,
    total: AtomicU64,
    /// Bits of the finished fraction (an `f64`) that [`Work::report_remaining`] reported; 0 if it
    /// was never called.
    fraction: AtomicU64,
    cancelled: AtomicBool,
}

/// Handle through which a job reports its progress, shared by all threads of the job.
#[derive(Clone, Debug)]
pub struct Work<P> {
    counts: Arc<Counts>,
    partial: Sender<P>,
}

impl<P> Work<P> {
    /// Returns a handle for an analysis that its caller runs directly. Nobody reads the progress,
    /// and the analysis cannot be cancelled.
    pub fn unwatched() -> Self {
        Self { counts: Arc::default(), partial: channel().0 }
    }

    /// Announces units of work, in addition to those announced before.
    pub fn expect(&self, units: u64) {
        self.counts.total.fetch_add(units, Ordering::Relaxed);
    }

    /// Counts finished units, and returns the result of [`Work::check`].
    pub fn done(&self, units: u64) -> Result<(), Cancelled> {
        self.counts.done.fetch_add(units, Ordering::Relaxed);
        self.check()
    }

    /// Reports the progress of a search whose length depends on its results: the elapsed and the
    /// estimated remaining time in seconds. The fraction passed / (passed + left) replaces the
    /// fraction of counted units.
    pub fn report_remaining(&self, passed: f64, left: f64) {
        let fraction = passed / (passed + left);
        if fraction.is_finite() {
            self.counts.fraction.store(fraction.to_bits(), Ordering::Relaxed);
        }
    }

    /// Returns an error if the job was cancelled. Must be called between slices.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.counts.cancelled.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }

    /// Sends a partial result to the owner of the job.
    pub fn send(&self, partial: P) {
        // An unwatched or dropped job has no receiver.
        let _ = self.partial.send(partial);
    }
}

/// Handle of a running job. Dropping the handle cancels the job.
#[derive(Debug)]
pub struct Job<P, R> {
    counts: Arc<Counts>,
    partials: Receiver<P>,
    result: Receiver<Result<R, JobEnd>>,
    ended: bool,
}

impl<P, R> Job<P, R> {
    /// Returns the finished fraction, 0 to 1; 0 while it is unknown.
    pub fn progress(&self) -> f64 {
        let fraction = self.counts.fraction.load(Ordering::Relaxed);
        if fraction != 0 {
            return f64::from_bits(fraction);
        }
        let total = self.counts.total.load(Ordering::Relaxed);
        let done = self.counts.done.load(Ordering::Relaxed);
        if total > 0 { (done as f64 / total as f64).min(1.0) } else { 0.0 }
    }

    /// Asks the job to end at its next check.
    pub fn cancel(&self) {
        self.counts.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the partial results that arrived since the last call.
    pub fn partials(&self) -> impl Iterator<Item = P> {
        self.partials.try_iter()
    }

    /// Returns the result without waiting, once. `None` before the job ends and after the result
    /// was returned.
    pub fn result(&mut self) -> Option<Result<R, JobEnd>> {
        if self.ended {
            return None;
        }
        let end = match self.result.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(JobEnd::Failed),
            Ok(end) => end,
        };
        self.ended = true;
        Some(end)
    }

    /// Waits for the end of the job and returns its result.
    pub fn wait(mut self) -> Result<R, JobEnd> {
        self.ended = true;
        self.result.recv().unwrap_or(Err(JobEnd::Failed))
    }
}

impl<P, R> Drop for Job<P, R> {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn pool(threads: usize) -> JobPool {
        JobPool::new(threads, || ())
    }

    #[test]
    fn threads_start_with_a_job_and_end_after_the_last_one() {
        let starts = Arc::new(AtomicU64::new(0));
        let counted = starts.clone();
        let pool = JobPool::new(2, move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        assert!(!pool.has_threads(), "an idle pool");
        for round in 1..=2 {
            let (go, wait) = channel::<()>();
            let first = pool.start(move |_: &Work<()>| Ok(wait.recv().is_ok()));
            let second = pool.start(|_: &Work<()>| Ok(rayon::current_num_threads()));
            assert_eq!(second.wait(), Ok(2));
            assert!(pool.has_threads(), "the first job still runs");
            assert_eq!(go.send(()), Ok(()));
            assert_eq!(first.wait(), Ok(true));
            let has_ended = |_| {
                std::thread::sleep(Duration::from_millis(1));
                !pool.has_threads()
            };
            assert!((0..10_000).any(has_ended), "the threads end");
            assert!(starts.load(Ordering::Relaxed) <= 2 * round, "no more than two at a time");
        }
        assert!(starts.load(Ordering::Relaxed) > 2, "each round starts threads");
    }

    #[test]
    fn a_job_counts_sends_and_returns() {
        let job = pool(1).start(|work: &Work<u64>| {
            work.expect(4);
            let mut sum = 0;
            for part in 1..=4 {
                sum += part;
                work.send(sum);
                work.done(1)?;
            }
            Ok(sum)
        });
        let (counts, partials) = (job.counts.clone(), job.partials());
        let sums: Vec<u64> = loop {
            if counts.done.load(Ordering::Relaxed) == 4 {
                break partials.collect();
            }
        };
        assert_eq!(sums, [1, 3, 6, 10]);
        assert_eq!(job.progress(), 1.0);
        assert_eq!(job.wait(), Ok(10));
    }

    #[test]
    fn a_cancelled_job_ends_at_its_next_slice_and_drops_what_it_holds() {
        let held = Arc::new(());
        let inside = held.clone();
        let job = pool(1).start(move |work: &Work<()>| -> Result<(), Cancelled> {
            let _inside = inside;
            work.send(());
            loop {
                work.done(1)?;
            }
        });
        assert_eq!(job.partials.recv(), Ok(()), "it started");
        job.cancel();
        assert_eq!(job.wait(), Err(JobEnd::Cancelled(Cancelled)));
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn a_dropped_job_is_cancelled_and_makes_room_for_the_next() {
        let pool = pool(1);
        let endless = |work: &Work<()>| -> Result<(), Cancelled> {
            loop {
                work.done(1)?;
            }
        };
        drop(pool.start(endless));
        assert_eq!(pool.start(|_: &Work<()>| Ok(7)).wait(), Ok(7));
    }

    #[test]
    fn a_job_that_panics_fails_and_leaves_the_pool_whole() {
        let pool = pool(1);
        let broken = pool.start(|_: &Work<()>| -> Result<(), Cancelled> { panic!("on purpose") });
        assert_eq!(broken.wait(), Err(JobEnd::Failed));
        assert_eq!(pool.start(|_: &Work<()>| Ok(7)).wait(), Ok(7));
    }

    #[test]
    fn parallel_work_of_a_job_stays_on_its_pool() {
        use rayon::prelude::*;
        let job = pool(2).start(|_: &Work<()>| {
            let name = |_| std::thread::current().name().map(str::to_owned);
            let names: Vec<_> = (0..64).into_par_iter().map(name).collect();
            Ok((rayon::current_num_threads(), names))
        });
        let (threads, names) = job.wait().expect("nobody cancels");
        assert_eq!(threads, 2);
        assert!(names.iter().flatten().all(|name| name.starts_with("job ")), "{names:?}");
    }
}
