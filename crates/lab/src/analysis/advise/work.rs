//! Work of reference runs and trials, in force evaluations × particles plus sweeps × links. This
//! count, not computing time, limits the search, so fast and slow machines try the same settings.

use crate::analysis::stability::{sweeps_of_substep, work_of_a_step};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Maximum work of each of the two reference runs. A rope of ten links whose fastest vibration has
/// 2e6 rad/s needs so much work for two simulated seconds.
pub(super) const MOST_REFERENCE_WORK: f64 = 3e8;
/// Maximum work of all trials of one family. The limit is per family and not for the whole search,
/// because the order of families depends on costs that the machine determines.
pub(super) const MOST_FAMILY_WORK: f64 = 2e9;

/// Settings that were not tried, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotTried {
    /// Integrators and solvers.
    pub names: Vec<String>,
    /// Reason, as a clause.
    pub why: String,
}

pub(super) fn work_of_run(parts: &Arc<Parts>, settings: &Settings, duration: f64) -> f64 {
    let simulation = Simulation::new(parts.clone(), *settings);
    let substeps = duration / settings.dt * f64::from(settings.substeps);
    let links = parts.mesh.links.len() as f64;
    let sweeps = sweeps_of_substep(&settings.solver()) * links * substeps;
    work_of_a_step(&simulation) * (duration / settings.dt) + sweeps
}

/// Adds a name to the entry with this reason, or a new entry.
pub(super) fn add_not_tried(list: &mut Vec<NotTried>, name: String, why: String) {
    match list.iter_mut().find(|entry| entry.why == why) {
        Some(entry) if entry.names.contains(&name) => {}
        Some(entry) => entry.names.push(name),
        None => list.push(NotTried { names: vec![name], why }),
    }
}
