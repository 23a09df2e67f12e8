//! Errors of motions against a reference, and orders of convergence.

pub(super) mod closed_form;
pub(super) mod converge;
pub(super) mod reference;
pub(super) mod spectrum;
