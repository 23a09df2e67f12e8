//! SHAKE.

use super::sweep::Ends;
use super::{Constraints, SolverInfo, check_iterations};
use crate::mesh::Link;
use glam::DVec3;
use serde::{Deserialize, Serialize};

pub(super) const INFO: SolverInfo = SolverInfo {
    name: "shake",
    title: "SHAKE",
    reference: "Ryckaert, Ciccotti and Berendsen 1977, J. Comput. Phys. 23, 327",
    verdict: "rigid links that keep their energy; slow on long ropes, may not converge in a crash",
};

/// Constraint forces along the links' directions at the start of the step, as velocity Verlet
/// asks for: the step stays symplectic, and a pendulum keeps its swing.
///
/// Ryckaert, J.-P., Ciccotti, G. and Berendsen, H. J. C. (1977), "Numerical integration of the
/// Cartesian equations of motion of a system with constraints". Links are visited end to end
/// until every one is within the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shake {
    /// Greatest error of a length that is left alone, relative to the rest length; from 1e-15,
    /// the rounding of f64, to 0.1.
    pub tolerance: f64,
    /// Sweeps after which it gives up, which the tip of the lane's chip and `unconverged_steps` report,
    /// 1 to 100 000.
    pub max_iterations: u32,
}

impl Default for Shake {
    /// Lengths to 1e-10 within 1000 sweeps.
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 1000 }
    }
}

impl Shake {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { tolerance, max_iterations } = *self;
        if !(1e-15..=0.1).contains(&tolerance) {
            return Err(format!("tolerance of SHAKE is {tolerance}, must be from 1e-15 to 0.1"));
        }
        check_iterations("max_iterations of SHAKE", max_iterations)
    }

    pub(super) fn project(
        &self,
        c: &Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
    ) -> u32 {
        let mut iterations = 0;
        let mut moved = true;
        while moved && iterations < self.max_iterations {
            moved = false;
            c.network.visit_all(w, x, &mut |_, link, ends| {
                let s = start[link.b as usize] - start[link.a as usize];
                let p = pull(link, ends, s, self.tolerance);
                moved |= p.is_some();
                p
            });
            iterations += 1;
        }
        iterations
    }

    /// Whether the tolerance is met. Links compare squares, (l² − L²)/2L², which differs from
    /// (l − L)/L in the second order.
    pub(super) fn is_met(&self, residual: f64) -> bool {
        residual <= self.tolerance * (1.0 + self.tolerance)
    }
}

/// p = g s with g = (d·d − L²) / (2 (w_a + w_b) s·d), where s is the link at the start of the
/// step and d the link now: one Newton step for |d − (w_a + w_b) g s| = L. None within the
/// tolerance, and for ends that are not finite.
///
/// Departure from the paper: where that step would carry d beyond the foot of the perpendicular
/// on s, or the link has turned by more than a right angle, g s may be huge or point the wrong
/// way. Such a link is put to its length along d instead, like in relaxation. It happens only to
/// steps far too long for SHAKE's accuracy to matter.
fn pull(link: &Link, ends: Ends, s: DVec3, tolerance: f64) -> Option<DVec3> {
    let d = ends.b - ends.a;
    let rest2 = link.rest * link.rest;
    let excess = d.length_squared() - rest2;
    let error = if link.one_sided { excess } else { excess.abs() };
    if error <= 2.0 * tolerance * rest2 || !excess.is_finite() {
        return None;
    }
    let along = s.dot(d);
    if along > 0.0 && s.length_squared() * excess.abs() <= 2.0 * along * along {
        return Some(s * (excess / (2.0 * ends.w * along)));
    }
    let (l, n) = ends.length_and_direction()?;
    Some(n * ((l - link.rest) / ends.w))
}
