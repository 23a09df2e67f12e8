//! Clock of frames, cost of their parts, and the threads of background jobs.

pub mod clock;
pub mod job_pools;
pub mod overhead;
