//! Result of the energy account: the balance and its extremes, in joules.

use super::accounted_simulation::AccountedSimulation;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::state::State;
use ropelab_mechanics::numerics::system::System;
use serde::Serialize;
use std::collections::BTreeMap;

/// Height that the scene may rise without a visible change, as a fraction of a link's length.
const INVISIBLE_LIFT: f64 = 0.01;

/// Longest time in seconds that particles without links and balls may fall without a visible
/// change. Applies to substeps of any length.
const LONGEST_FALL: f64 = 0.05;

/// Largest energy that integrator and solver have made or lost so far, and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extreme {
    /// Energy in joules, at least 0.
    pub joules: f64,
    /// `joules` divided by the largest value so far of start + put in − taken out − potential. A
    /// gain is divided by at least the energy that lifts the scene by 1 % of a link or of a ball's
    /// radius. Without links and balls this bound is the energy that forces give to particles at
    /// rest in one substep.
    pub fraction: f64,
    /// Time in seconds.
    pub t: f64,
}

/// Balance of the energy account after the newest step, in joules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Kinetic + potential + elastic energy at the start.
    pub start: f64,
    /// Kinetic energy now, including the rotation of balls.
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
    /// Records an energy and its time if it is the largest so far.
    pub(super) fn observe(&mut self, joules: f64, t: f64) {
        if joules > self.joules {
            (self.joules, self.t) = (joules, t);
        }
    }
}

/// Returns the largest gain in joules that is too small to be visible. In a scene at rest,
/// rounding, sweeps and the unknown reaction of the first step make more energy than the scene's
/// kinetic and elastic energy. The limit is the energy that lifts all particles by
/// [`INVISIBLE_LIFT`] of the mean link length, or of the largest ball's radius if there are no
/// links. Without links and balls it is the kinetic energy that forces give to particles at rest
/// within a substep of at most [`LONGEST_FALL`].
pub(super) fn negligible_energy(simulation: AccountedSimulation, state: &State) -> f64 {
    let AccountedSimulation { model, h, .. } = simulation;
    let links = model.topology().links();
    let rests = links.iter().map(|link| link.rest).filter(|rest| rest.is_finite());
    let radii = model.geometry().balls.iter().map(|ball| ball.properties.radius);
    let (sum, count) = rests.fold((0.0, 0), |(sum, count), rest| (sum + rest, count + 1));
    let size = if count > 0 { sum / f64::from(count) } else { radii.fold(0.0, f64::max) };
    let masses = model.masses();
    if size > 0.0 {
        return INVISIBLE_LIFT * size * model.gravity().length() * masses.iter().sum::<f64>();
    }
    let mut a = vec![DVec3::ZERO; state.len()];
    let at_rest = a.clone();
    model.accelerations(state.t, &state.x, &at_rest, &mut a);
    let seconds = h.min(LONGEST_FALL);
    let kinetic = izip!(masses, a).map(|(m, a)| 0.5 * m * (a * seconds).length_squared()).sum();
    if f64::is_finite(kinetic) { kinetic } else { 0.0 }
}
