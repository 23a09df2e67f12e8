//! Result of the energy account: the balance and its extremes, in joules.

use serde::Serialize;
use std::collections::BTreeMap;

/// Largest energy that integrator and solver made, or lost, and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extreme {
    /// Energy in joules, at least 0.
    pub joules: f64,
    /// `joules` divided by the largest start + put in − taken out − potential; a gain by at least
    /// the energy that lifts the scene by 1 % of a link or of a ball's radius.
    pub fraction: f64,
    /// Time in seconds.
    pub t: f64,
}

/// Balance of the energy account after the newest step, in joules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Kinetic + potential + elastic energy at the start.
    pub start: f64,
    /// Kinetic energy now, with rotation of balls.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Elastic energy now.
    pub elastic: f64,
    /// Energy that each damper took out; `contact` is the heat of friction and impact.
    pub taken_out: BTreeMap<&'static str, f64>,
    /// Energy that each driver put in.
    pub put_in: BTreeMap<&'static str, f64>,
    /// Energy that integrator and solver made.
    pub scheme: f64,
    /// Part of `scheme` that unconverged sweeps left in links and bends.
    pub left_by_sweeps: f64,
    /// Largest energy made so far.
    pub gain: Extreme,
    /// Largest energy lost so far.
    pub loss: Extreme,
}

impl Extreme {
    /// Keeps the energy and its time if it is the largest so far.
    pub(super) fn observe(&mut self, joules: f64, t: f64) {
        if joules > self.joules {
            (self.joules, self.t) = (joules, t);
        }
    }
}
