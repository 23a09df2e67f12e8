//! The "numerically damped" integrator of article B (docs/sources.md).

use super::integrator::{Info, Integrator};
use super::rules::{DampingStart, Displacement, Memory, StepRules};
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::columns::advance;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::{Deserialize, Serialize};

/// Numerical damping: averages the old velocity and a velocity recomputed from the new one. The
/// article's five lines
/// ```text
/// v₁ = v + a dt;   v₂ = v₁ − a* dt;   v₃ = ½ (v + v₂);   v' = v₃ + a dt;   x' = x + v' dt
/// ```
/// (a*: acceleration at the start of the previous step) are Adams–Bashforth 2 in v with the
/// position of symplectic Euler. Only motion under a changing force is damped: a vibration of
/// angular frequency ω has the damping ratio ωh/4, but a free fall is not damped. The stability
/// limit ωh = √2 is *below* the limit 2 of symplectic Euler, contrary to the article's hope.
///
/// If dt changes, the formula uses the new dt for both steps, as in the article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NumericalDamping {
    /// Acceleration before the first step.
    pub start: DampingStart,
}

impl Integrator for NumericalDamping {
    fn info(&self) -> Info {
        Info {
            name: "numerical-damping",
            title: "numerical damping",
            order: 1,
            evaluations: 1,
            stability_limit: std::f64::consts::SQRT_2,
            symplectic: false,
            implicit: false,
            reference: "a German article on numerically damped springs; Adams–Bashforth 2 in v",
            verdict: "damps springs without a damper, by an amount that depends on dt",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_NEW_VELOCITY, Memory::Acceleration(self.start))
    }

    /// ```text
    /// v' = v + (3/2 a − 1/2 a*) dt
    /// x' = x + v' dt
    /// ```
    ///
    /// a* is the acceleration at the start of the previous step.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let first = work.age == 0;
        let ([a_old], [a]) = work.columns(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        if first {
            match self.start {
                DampingStart::Proper => a_old.copy_from_slice(a),
                DampingStart::Article => a_old.fill(DVec3::ZERO),
            }
        }
        for (v_new, v, a, a_old) in izip!(&mut *to.v, at.v, a, a_old) {
            *v_new = *v + (1.5 * *a - 0.5 * *a_old) * dt;
            *a_old = *a;
        }
        advance(at.x, dt, to.v, to.x);
        work.remember_step(dt);
    }
}
