//! Errors of motions against a reference, and orders of convergence.

pub(super) mod closed_form;
pub(super) mod converge;
pub(super) mod elastic_links;
pub(super) mod reference;
pub(super) mod spectrum;
