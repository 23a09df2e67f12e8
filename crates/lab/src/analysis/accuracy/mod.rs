//! Errors against the truth, and their orders.

pub(super) mod closed_form;
pub(super) mod converge;
pub(super) mod spectrum;
pub(super) mod truth;
