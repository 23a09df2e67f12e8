//! Errors relative to a reference motion, and orders of convergence.

pub(super) mod closed_form;
pub(super) mod converge;
pub(super) mod elastic_links;
pub(super) mod order_fit;
pub(super) mod precise_run;
pub(super) mod reference;
pub(super) mod reference_plan;
pub(super) mod spectrum;
