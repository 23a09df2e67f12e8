//! Threads of background jobs. All have the lowest priority, because frames go first.

use crate::analysis::job::JobPool;
use rayon::ThreadPoolBuildError;

/// Thread pools, one per kind of job: a job waits only for jobs of its kind. The operating system
/// divides the processor time that drawing leaves among the pools.
pub struct JobPools {
    /// Thread of short jobs: limits, growth, frequencies.
    pub short_jobs: JobPool,
    /// Threads of explanations of explosions.
    pub explanations: JobPool,
    pub map: JobPool,
    pub orders: JobPool,
    pub damping: JobPool,
    pub sweeps: JobPool,
    pub advice: JobPool,
}

impl JobPools {
    /// Creates the pools: `short_jobs` has one thread, each other pool one thread fewer than there
    /// are cores.
    pub fn new() -> Result<Self, ThreadPoolBuildError> {
        let pool = || JobPool::beside_a_window(lower_priority);
        Ok(Self {
            short_jobs: JobPool::new(1, lower_priority)?,
            explanations: pool()?,
            map: pool()?,
            orders: pool()?,
            damping: pool()?,
            sweeps: pool()?,
            advice: pool()?,
        })
    }
}

/// Gives the calling thread the lowest priority.
#[cfg(target_os = "linux")]
fn lower_priority() {
    // Despite its name, this call changes the calling thread only, because Linux has a nice value
    // per thread. A failure is harmless.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Does nothing: only Linux has a priority per thread.
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

    /// Runs until it is cancelled, like the job of a very large map.
    fn endless(work: &Work<()>) -> Result<(), Cancelled> {
        loop {
            work.done(1)?;
        }
    }

    /// A job in an idle pool finishes while every other pool has as many endless jobs as threads.
    #[test]
    fn no_queue_waits_for_another() {
        let pools = JobPools::new().expect("some threads can be started");
        let all = pools.all();
        for free in 0..all.len() {
            let others = all.iter().enumerate().filter(|(i, _)| *i != free);
            let busy = |(_, pool): (usize, &&JobPool)| {
                (0..pool.threads()).map(|_| pool.start(endless)).collect::<Vec<_>>()
            };
            let _busy: Vec<_> = others.flat_map(busy).collect();
            assert_eq!(all[free].start(move |_: &Work<()>| Ok(free)).wait(), Ok(free));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn all_jobs_give_way_to_what_draws() {
        let pools = JobPools::new().expect("some threads can be started");
        for pool in pools.all() {
            let nice = |_: &Work<()>| Ok(rustix::process::getpriority_process(None));
            assert_eq!(pool.start(nice).wait(), Ok(Ok(19)));
        }
    }
}
