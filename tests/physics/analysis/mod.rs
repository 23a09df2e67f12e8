//! Answers about scenes: how errors shrink, what is stable, what to use.

#![allow(clippy::expect_used)] // helpers of tests

mod advise;
mod converge;
mod damping;
mod explain;
mod limit;
mod map;
mod symptoms;
