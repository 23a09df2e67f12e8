//! Clock of frames, cost of each part of a frame, and threads of background jobs.

pub mod clock;
pub mod job_pools;
pub mod overhead;
pub mod wall_clock;
