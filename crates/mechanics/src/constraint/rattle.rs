//! RATTLE.

use super::{Constraints, Shake, SolverInfo, check_iterations};
use glam::DVec3;
use serde::{Deserialize, Serialize};

pub(super) const INFO: SolverInfo = SolverInfo {
    name: "rattle",
    title: "RATTLE",
    reference: "Andersen 1983, Rattle: a velocity version of the Shake algorithm for molecular \
                dynamics calculations, J. Comput. Phys. 52, 24",
    verdict: "SHAKE whose velocities obey the links, too: of second order, keeps its energy; slow on \
              cloths whose diagonals are rigid",
};

/// [`Shake`] with a velocity stage: when positions have moved, velocities lose what would change a
/// length.
///
/// Andersen (1983), "Rattle: a 'velocity' version of the Shake algorithm for molecular dynamics
/// calculations". With the unit vectors n of all links at the end of the step as rows of J,
///
/// ```text
/// J W Jᵀ μ = −J v,   v ← v + W Jᵀ μ
/// ```
///
/// solved by the elimination of [`super::Direct`], once more for the rounding. In nets and cloths,
/// where that would fill too much, conjugate gradients solve it. Where they cannot, as where pins
/// pull at rigid diagonals, a spanning tree is solved and the other links are swept by turns, a
/// thousand at most.
///
/// A one-sided link takes part where it is taut and would stretch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rattle {
    /// Permitted error of a length relative to the rest length, from 1e-15, the rounding of f64, to
    /// 0.1.
    pub tolerance: f64,
    /// Most sweeps in a substep, 1 to 100 000. Steps that need more count as unconverged.
    pub max_iterations: u32,
}

impl Default for Rattle {
    /// Defaults of SHAKE.
    fn default() -> Self {
        let Shake { tolerance, max_iterations } = Shake::default();
        Self { tolerance, max_iterations }
    }
}

impl Rattle {
    /// The stage of positions.
    pub(super) fn shake(&self) -> Shake {
        let Self { tolerance, max_iterations } = *self;
        Shake { tolerance, max_iterations }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let Self { tolerance, max_iterations } = *self;
        if !(1e-15..=0.1).contains(&tolerance) {
            return Err(format!("tolerance of RATTLE is {tolerance}, must be from 1e-15 to 0.1"));
        }
        check_iterations("max_iterations of RATTLE", max_iterations)
    }

    /// The stage of velocities.
    pub(super) fn project_velocities(
        &self,
        c: &mut Constraints,
        w: &[f64],
        x: &[DVec3],
        v: &mut [DVec3],
    ) {
        let is_done = c.is_net() && c.net_plan().project_velocities(w, x, v);
        if !is_done {
            c.direct_plan().project_velocities(w, x, v);
        }
    }
}
