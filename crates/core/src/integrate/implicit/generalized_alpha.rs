use super::inner_steps::step_in_parts;
use super::newton::{self, Equation};
use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{DampingStart, Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::{Deserialize, Serialize};

/// Generalized-α: J. Chung and G. M. Hulbert (1993), J. Appl. Mech. 60, 371. Newmark's formulas
/// with the force balance inside the step. The fastest modes shrink by the factor ρ∞ in each step,
/// slow ones hardly at all.
///
/// The remembered acceleration a belongs to the time t + (αₘ − α_f) dt*, not to t, where dt* is the
/// length of the last step: M. Arnold and O. Brüls (2007), Multibody Syst. Dyn. 18, 185. A
/// projection does not change the remembered acceleration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeneralizedAlpha {
    /// Fraction ρ∞ of an infinitely fast oscillation that remains after a step, in [0, 1].
    pub rho_inf: f64,
}

impl Default for GeneralizedAlpha {
    fn default() -> Self {
        Self { rho_inf: 0.8 }
    }
}

impl Integrator for GeneralizedAlpha {
    fn info(&self) -> Info {
        Info {
            name: "generalized-alpha",
            title: "generalized-α",
            order: 2,
            evaluations: 1,
            stability_limit: f64::INFINITY,
            symplectic: false,
            implicit: true,
            reference: "Chung & Hulbert 1993, J. Appl. Mech. 60, 371",
            verdict: "one parameter damps the vibrations that dt cannot resolve; with little \
                      damping, stiff swinging ropes explode",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::coupled(
            Displacement::BY_MEAN_VELOCITY,
            Memory::Acceleration(DampingStart::Proper),
        )
    }

    /// Formula with ρ = ρ∞, αₘ = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ − αₘ + α_f, β = ¼ (1 −
    /// αₘ + α_f)² (equations 17, 20 and 25 of the paper):
    /// ```text
    /// x' = x + v dt + ((½ − β) a + β a') dt²
    /// v' = v + ((1 − γ) a + γ a') dt
    /// (1 − αₘ) a' + αₘ a = a(t + (1 − α_f) dt, (1 − α_f) x' + α_f x, (1 − α_f) v' + α_f v)
    /// ```
    ///
    /// The solve finds the right-hand side of the last line. The first step uses a = a(t, x, v). If
    /// the last step had a different length dt*, the step uses q + (a − q) dt/dt* in place of a,
    /// where q = a(t, x, v). Without this correction the order is 1: on a harmonic oscillator with
    /// steps of lengths 1, 4, 1, 4, …, ρ = 0.5, and 100 pairs of steps a radian, the error is 17
    /// times as large.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let rho = self.rho_inf;
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 - alpha_m + alpha_f;
        let beta = 0.25 * (1.0 - alpha_m + alpha_f) * (1.0 - alpha_m + alpha_f);
        let inside = 1.0 - alpha_f;
        step_in_parts(at, to, dt, work, &|at, to, dt, work, accepts_failure| {
            let first = work.age == 0;
            let StateRef { t, x, v } = at;
            let ratio = if first { 1.0 } else { dt / work.last_dt };
            let ([remembered], [a, balance, x0, v0, newton @ ..], matrix) =
                work.columns_and_blocks::<1, { newton::COLUMNS + 4 }>(at.len());
            if first || ratio != 1.0 {
                system.accelerations(t, x, v, a);
            }
            // A failed attempt must not change the remembered acceleration.
            for (a, remembered) in izip!(&mut *a, &*remembered).filter(|_| !first) {
                *a = if ratio == 1.0 { *remembered } else { *a + (*remembered - *a) * ratio };
            }
            // State (x₀, v₀) if the force were zero. The force balance then gives a', which gives
            // the state.
            for (x0, v0, x, v, a) in izip!(&mut *x0, &mut *v0, x, v, &*a) {
                let a_new = *a * (-alpha_m / (1.0 - alpha_m));
                *x0 = *x + (*v * dt + ((0.5 - beta) * *a + beta * a_new) * (dt * dt)) * inside;
                *v0 = *v + ((1.0 - gamma) * *a + gamma * a_new) * (dt * inside);
            }
            let equation = Equation {
                system,
                t: t + inside * dt,
                from: x,
                x0,
                v0,
                cx: inside * beta * dt * dt / (1.0 - alpha_m),
                cv: inside * gamma * dt / (1.0 - alpha_m),
            };
            let report = equation.solve(balance, newton, matrix);
            let done = !report.failed || accepts_failure;
            for (x_new, v_new, x, v, a, balance, remembered) in
                izip!(to.x, to.v, x, v, a, balance, remembered)
            {
                let a_new = (*balance - alpha_m * *a) / (1.0 - alpha_m);
                *x_new = *x + (*v * dt + ((0.5 - beta) * *a + beta * a_new) * (dt * dt));
                *v_new = *v + ((1.0 - gamma) * *a + gamma * a_new) * dt;
                if done {
                    *remembered = a_new;
                }
            }
            if done {
                work.remember_step(dt);
            }
            report
        });
    }
}
