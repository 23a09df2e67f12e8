//! Choice of a constraint solver, with its parameters. Each solver's own file explains its method.

use super::sweep::SweepOrder;
use serde::{Deserialize, Serialize};
use strum::EnumIter;

/// Constraint solvers with their parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ConstraintSolver {
    /// Every link is a spring.
    #[default]
    None,
    /// Position-based dynamics (Jakobsen): corrects one link after the other to its rest length.
    Relaxation(Relaxation),
    /// Relaxation with compliance.
    Xpbd(Xpbd),
    /// Corrections along the links' directions at the start of the step keep the step symplectic. A
    /// load F requires steps with ωh < 2, where ω² = Σ F/(m l) over the links at a particle.
    Shake(Shake),
    /// XPBD that solves all links of a rope or tree together. On cloths it solves a spanning tree
    /// and sweeps the other links.
    Direct(Direct),
    /// Soft links whose stiffness is given as a frequency (Box2D v3). Ropes explode with explicit
    /// Euler and `SymplecticEulerPositionFirst`.
    SoftStep(SoftStep),
    /// SHAKE that also removes velocities that change lengths.
    Rattle(Rattle),
    /// Vertex block descent: implicit Euler, solved particle by particle.
    Vbd(Vbd),
}

/// Position-based dynamics: corrects one link after the other to its rest length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Relaxation {
    /// Sweeps per substep, 1 to 100,000.
    pub iterations: u32,
    /// Order of the link corrections in a sweep.
    pub order: SweepOrder,
    /// Formula of a link's error.
    pub root: Root,
    /// Fraction k in (0, 1] of a link's error that one correction removes. n sweeps remove 1 − (1 −
    /// k)ⁿ.
    pub stiffness: f64,
    /// Over-relaxation ω in (0, 2), by which every correction is multiplied.
    ///
    /// With the best ω, a sweep leaves the fraction ω − 1 of the error.
    ///
    /// Young (1954), "Iterative methods for solving partial difference equations of elliptic type",
    /// Trans. AMS 76, 92. With few sweeps, ω > 1 may increase the errors of a rope that whips.
    pub omega: f64,
}

/// Formula of a link's error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Root {
    /// Square root: a correction restores the rest length exactly.
    #[default]
    Exact,
    /// One Newton step (Jakobsen): a correction changes 1.2 L to 0.9836 L.
    RootFree,
}

impl Default for Relaxation {
    /// 20 sweeps from end to end, with exact square roots, full stiffness and no over-relaxation.
    fn default() -> Self {
        Self {
            iterations: 20,
            order: SweepOrder::EndToEnd,
            root: Root::Exact,
            stiffness: 1.0,
            omega: 1.0,
        }
    }
}

/// Relaxation with compliance, which solves the equations of implicit Euler.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Xpbd {
    /// Sweeps per substep, 1 to 100,000.
    pub iterations: u32,
    /// Order of the link corrections in a sweep.
    pub order: SweepOrder,
    /// Compliance ≥ 0 in m/N of links that are not rigid; `None` = 1/stiffness of each link.
    pub compliance: Option<f64>,
    /// Damping ≥ 0 in N·s/m that replaces the links' own damping and `stiffness_damping`; `None` =
    /// damping of each link. It has no effect if the compliance is 0.
    pub damping: Option<f64>,
    /// Over-relaxation ω in (0, 2), by which every correction is multiplied.
    ///
    /// Values other than 1 are slower, because no SIMD kernel supports them.
    pub omega: f64,
    /// True if every sweep resets λ to 0, a common mistake that makes links rigid
    /// (newton-physics/newton, issue 2933).
    ///
    /// Each sweep then corrects as if it were the first sweep. No SIMD kernel supports this.
    pub forgets: bool,
}

impl Default for Xpbd {
    /// 20 sweeps, end to end, with the links' own stiffness and damping.
    fn default() -> Self {
        Self {
            iterations: 20,
            order: SweepOrder::EndToEnd,
            compliance: None,
            damping: None,
            omega: 1.0,
            forgets: false,
        }
    }
}

/// Constraint forces along the links' directions at the start of the step, as velocity Verlet
/// requires. The step is symplectic, and a pendulum keeps its amplitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shake {
    /// Largest permitted relative error of a length, 1e-15 to 0.1.
    pub tolerance: f64,
    /// Maximum number of sweeps per substep, 1 to 100,000. A step that needs more counts as
    /// unconverged.
    pub max_iterations: u32,
}

impl Default for Shake {
    /// Tolerance 1e-10, at most 1000 sweeps.
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 1000 }
    }
}

/// XPBD whose links are solved together instead of one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Direct {
    /// Solves per substep, 1 to 100,000. One solve leaves an error of about 0.1 %, two solves leave
    /// 1e-7.
    pub iterations: u32,
}

impl Default for Direct {
    fn default() -> Self {
        Self { iterations: 2 }
    }
}

/// Soft links whose stiffness is a frequency, solved by one sweep per substep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SoftStep {
    /// Number of sweeps with bias per substep, 1 to 100,000.
    pub iterations: u32,
    /// Frequency f > 0 of every link in hertz. `None` = the frequency of each link's material, or
    /// 0.25/h for rigid links.
    pub hertz: Option<f64>,
    /// Damping ratio ζ ≥ 0. It applies to all links if `hertz` is set, otherwise to rigid links
    /// only.
    pub damping_ratio: f64,
    /// Number of sweeps of the relax pass, 0 to 100,000.
    pub relax: u32,
    /// True to limit f to 0.25/h as Box2D does. Rapier has no such limit.
    pub limited: bool,
}

impl Default for SoftStep {
    /// Values of Box2D's joints: 60 Hz, damping ratio 2, one sweep and one relax pass.
    fn default() -> Self {
        Self { iterations: 1, hertz: Some(60.0), damping_ratio: 2.0, relax: 1, limited: true }
    }
}

/// [`Shake`], followed by a velocity projection that stops all length changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rattle {
    /// Largest permitted relative error of a length, 1e-15 to 0.1.
    pub tolerance: f64,
    /// Maximum number of sweeps per substep, 1 to 100,000. A step that needs more counts as
    /// unconverged.
    pub max_iterations: u32,
}

impl Default for Rattle {
    fn default() -> Self {
        let Shake { tolerance, max_iterations } = Shake::default();
        Self { tolerance, max_iterations }
    }
}

/// Implicit Euler for links as springs, solved particle by particle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Vbd {
    /// Sweeps per substep, 1 to 100,000.
    pub iterations: u32,
}

impl Default for Vbd {
    /// 20 sweeps, as in relaxation and XPBD.
    fn default() -> Self {
        Self { iterations: 20 }
    }
}
