//! Preparation of a scene file's text, before its values are read.

pub(super) mod brackets;
pub(super) mod nesting;
pub mod read;
pub(super) mod skipped;
