//! Threads for what is computed beside the window, all of the lowest priority: frames come first.

use crate::analysis::job::JobPool;
use rayon::ThreadPoolBuildError;

/// Jobs wait in a queue for others of their kind only: the limit under a slider not for a card, and
/// a card not for a map. Between the queues the system shares what drawing leaves.
pub struct JobPools {
    /// What takes a moment: limits, growth, frequencies.
    pub moments: JobPool,
    /// Up to seconds: why lanes exploded and what would have held; damping; what sweeps leave.
    pub cards: JobPool,
    /// Up to minutes: maps, orders, advice.
    pub studies: JobPool,
}

impl JobPools {
    /// One thread for moments; for the others all cores but one.
    pub fn new() -> Result<Self, ThreadPoolBuildError> {
        Ok(Self {
            moments: JobPool::new(1, lower_priority)?,
            cards: JobPool::beside_a_window(lower_priority)?,
            studies: JobPool::beside_a_window(lower_priority)?,
        })
    }
}

/// Gives the thread that calls it the lowest priority, where the system lets it (Linux).
#[cfg(target_os = "linux")]
fn lower_priority() {
    // Of a thread, despite the name: Linux keeps a nice value for each. What it refuses is no harm.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Other systems decide alone.
#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::job::{Cancelled, Work};

    /// A job as long as the longest map.
    fn endless(work: &Work<()>) -> Result<(), Cancelled> {
        loop {
            work.done(1)?;
        }
    }

    #[test]
    fn what_takes_a_moment_waits_for_no_map_and_no_card() {
        let pools = JobPools::new().expect("some threads can be started");
        let _map = pools.studies.start(endless);
        let card = pools.cards.start(|_: &Work<()>| Ok(7));
        assert_eq!(card.wait(), Ok(7));
        let _card = pools.cards.start(endless);
        let moment = pools.moments.start(|_: &Work<()>| Ok(8));
        assert_eq!(moment.wait(), Ok(8));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn all_jobs_give_way_to_what_draws() {
        let pools = JobPools::new().expect("some threads can be started");
        for pool in [&pools.moments, &pools.cards, &pools.studies] {
            let nice = |_: &Work<()>| Ok(rustix::process::getpriority_process(None));
            assert_eq!(pool.start(nice).wait(), Ok(Ok(19)));
        }
    }
}
