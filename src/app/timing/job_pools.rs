//! Threads of background jobs. All have the lowest priority, so that they do not delay frames.

use crate::analysis::job::JobPool;

/// Thread pools, one per kind of job, so a job waits only for jobs of its kind. The operating
/// system divides the processor time left by drawing among the pools. A pool has threads only while
/// it has jobs.
pub struct JobPools {
    /// Thread of short jobs: limits, growth, frequencies.
    pub short_jobs: JobPool,
    /// Threads that explain explosions.
    pub explanations: JobPool,
    pub map: JobPool,
    pub orders: JobPool,
    pub damping: JobPool,
    pub sweeps: JobPool,
    pub advice: JobPool,
}

impl Default for JobPools {
    /// Creates the pools. `short_jobs` has one thread; every other pool has one thread fewer than
    /// there are cores.
    fn default() -> Self {
        let pool = || JobPool::beside_a_window(lower_priority);
        Self {
            short_jobs: JobPool::new(1, lower_priority),
            explanations: pool(),
            map: pool(),
            orders: pool(),
            damping: pool(),
            sweeps: pool(),
            advice: pool(),
        }
    }
}

/// Gives the calling thread the lowest priority.
#[cfg(target_os = "linux")]
fn lower_priority() {
    // Despite its name, this call changes only the calling thread, because Linux has one nice value
    // per thread. A failure is harmless.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Does nothing, because only Linux has one priority per thread.
#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::job::{Cancelled, Work};

    impl JobPools {
        fn all(&self) -> [&JobPool; 7] {
            let Self { short_jobs, explanations, map, orders, damping, sweeps, advice } = self;
            [short_jobs, explanations, map, orders, damping, sweeps, advice]
        }
    }

    /// Runs until cancelled, like the job of a very large map.
    fn endless(work: &Work<()>) -> Result<(), Cancelled> {
        loop {
            work.done(1)?;
        }
    }

    #[test]
    fn a_window_without_jobs_has_no_threads_for_jobs() {
        let pools = JobPools::default();
        assert!(pools.all().iter().all(|pool| !pool.has_threads()));
        let _job = pools.map.start(endless);
        assert_eq!(pools.all().iter().filter(|pool| pool.has_threads()).count(), 1);
    }

    /// A job in an idle pool finishes while every other pool has as many endless jobs as threads.
    #[test]
    fn no_queue_waits_for_another() {
        let pools = JobPools::default();
        let all = pools.all();
        for free in 0..all.len() {
            let others = all.iter().enumerate().filter(|(i, _)| *i != free);
            let busy = |(_, pool): (usize, &&JobPool)| {
                (0..pool.count()).map(|_| pool.start(endless)).collect::<Vec<_>>()
            };
            let _busy: Vec<_> = others.flat_map(busy).collect();
            assert_eq!(all[free].start(move |_: &Work<()>| Ok(free)).wait(), Ok(free));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn all_jobs_give_way_to_what_draws() {
        let pools = JobPools::default();
        for pool in pools.all() {
            let nice = |_: &Work<()>| Ok(rustix::process::getpriority_process(None));
            assert_eq!(pool.start(nice).wait(), Ok(Ok(19)));
        }
    }
}
