//! Analyses of scenes: convergence, stability limits, causes of failures, advice.

#![allow(clippy::expect_used)] // helpers of tests

mod advise;
mod converge;
mod damping;
mod elastic_links;
mod explain;
mod limit;
mod limit_by_runs;
mod map;
mod precise_runs;
mod straight_paths;
mod sweep_remedies;
mod swing;
mod symptoms;
mod vbd_remedies;
