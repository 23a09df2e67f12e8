//! Work of references and trials, counted in force evaluations × particles plus sweeps × links. The
//! search is limited by this count, not by computing time, so the same settings are tried on fast
//! and slow machines.

use crate::analysis::stability::{sweeps_of_substep, work_of_a_step};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Maximum work of each of the two references. A rope of ten links needs this much work for two
/// simulated seconds if its fastest vibration has 2e6 rad/s.
pub(super) const MOST_REFERENCE_WORK: f64 = 3e8;
/// Maximum work of all trials of one family. Families, not the whole search, have a limit, because
/// the order of families depends on the costs on the machine.
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
