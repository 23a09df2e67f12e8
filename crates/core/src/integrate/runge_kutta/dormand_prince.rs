use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::columns::axpy;
use ropelab_mechanics::numerics::state::{SolveReport, StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::{Deserialize, Serialize};

/// Nodes: times of the stages within the inner step.
const C: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// Stage weights. The last row gives the fifth-order result. The derivative at this result is the
/// seventh stage, and also the first stage of the next inner step.
const A: [&[f64]; 7] = [
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Weights of the error estimate: fifth-order weights minus fourth-order weights.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Largest number of inner steps in a step. An exploding system thus costs at most about 7000
/// evaluations per step.
const MOST_INNER_STEPS: f64 = 1000.0;

/// Stability limit z = ωh of one inner step of length h, with the growth factor |λ(iz)| = 1: z² is
/// the real root of u³ − 25u² + 225u − 200.
const INNER_LIMIT: f64 = 0.997_190_166;

/// Dormand–Prince 5(4): J. R. Dormand and P. J. Prince (1980), J. Comput. Appl. Math. 6, 19;
/// step-size control after Hairer, Nørsett and Wanner, *Solving ODEs I*, §II.4.
///
/// Each step is divided into as many inner steps as the tolerance requires, at most 1000. The inner
/// steps together fill the fixed step, which makes the integrator comparable with others. If 1000
/// do not suffice, the step counts as unconverged. Only the proposed length of an inner step is
/// reused in the next step, because constraints move particles in between.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DormandPrince {
    /// Tolerance in (0, 1), relative to each position + 1 m and velocity + 1 m/s.
    pub tolerance: f64,
}

impl Default for DormandPrince {
    fn default() -> Self {
        Self { tolerance: 1e-6 }
    }
}

impl Integrator for DormandPrince {
    fn info(&self) -> Info {
        Info {
            name: "dormand-prince",
            title: "Dormand–Prince 5(4)",
            order: 5,
            evaluations: 7,
            stability_limit: INNER_LIMIT * MOST_INNER_STEPS,
            symplectic: false,
            implicit: false,
            reference: "Dormand & Prince 1980, J. Comput. Appl. Math. 6, 19",
            verdict: "as many inner steps as its tolerance needs: the costly reference",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::coupled(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// Takes inner steps of length h; the last one is shortened to end at dt:
    /// ```text
    /// xᵢ = x + h Σⱼ Aᵢⱼ vⱼ      vᵢ = v + h Σⱼ Aᵢⱼ aⱼ      aᵢ = a(t + Cᵢ h, xᵢ, vᵢ)
    /// x' = x₇, v' = v₇      error = h Σⱼ Eⱼ vⱼ, h Σⱼ Eⱼ aⱼ
    /// h ← h · clamp(0.9 error^(−3/16), 1/5, 5)
    /// ```
    ///
    /// The exponent −3/16 replaces the standard −1/5, because three square roots and a product have
    /// the same bits on every machine, unlike `powf`.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let shortest = dt / MOST_INNER_STEPS;
        let mut proposed = if work.proposed_dt > 0.0 { work.proposed_dt } else { dt };
        let mut path = std::mem::take(&mut work.path);
        let [x_stage, stages @ ..] = work.scratch::<15>(at.len());
        let (v_stage, a_stage) = stages.split_at_mut(7);
        let StateMut { x, v } = to;
        x.copy_from_slice(at.x);
        v.copy_from_slice(at.v);
        let mut done = 0.0;
        let mut report = SolveReport::default();
        system.accelerations(at.t, x, v, &mut a_stage[0]);
        while done < dt {
            let h = proposed.clamp(shortest, dt);
            let forced = h <= shortest;
            // The factor 1 + 1e-9 keeps a rounding remainder from becoming another inner step.
            let last = done + h * (1.0 + 1e-9) >= dt;
            let h = if last { dt - done } else { h };
            v_stage[0].copy_from_slice(v);
            for i in 1..7 {
                let (v_known, v_next) = v_stage.split_at_mut(i);
                let (a_known, a_next) = a_stage.split_at_mut(i);
                x_stage.copy_from_slice(x);
                v_next[0].copy_from_slice(v);
                for (weight, v, a) in izip!(A[i], v_known, a_known) {
                    axpy(h * weight, v, x_stage);
                    axpy(h * weight, a, &mut v_next[0]);
                }
                let t = at.t + done + C[i] * h;
                system.accelerations(t, x_stage, &v_next[0], &mut a_next[0]);
            }
            let error = self.error(h, [&*x, &*v], v_stage, a_stage);
            let factor = step_factor(error);
            if error <= 1.0 || forced {
                x.copy_from_slice(x_stage);
                v.copy_from_slice(&v_stage[6]);
                a_stage.swap(0, 6);
                done = if last { dt } else { done + h };
                report.parts += 1;
                report.residual = report.residual.max(error);
                report.failed |= error > 1.0;
                // The last inner step is shortened to end at dt; this must not shorten the next
                // proposal.
                proposed = if last { proposed.max(h * factor) } else { h * factor };
                if !error.is_finite() {
                    break;
                }
                if !last {
                    path.record(StateRef { t: at.t + done, x, v });
                }
            } else {
                proposed = h * factor;
            }
        }
        work.path = path;
        work.proposed_dt = proposed;
        work.solve = report;
    }
}

impl DormandPrince {
    /// Returns the largest ratio of estimated to permitted error over all particles; infinite if an
    /// error is not finite.
    fn error(&self, h: f64, [x0, v0]: [&[DVec3]; 2], v: &[Vec<DVec3>], a: &[Vec<DVec3>]) -> f64 {
        let mut largest = 0.0_f64;
        for (i, (x0, v0)) in izip!(x0, v0).enumerate() {
            let (mut ex, mut ev) = (DVec3::ZERO, DVec3::ZERO);
            for (weight, v, a) in izip!(E, v, a) {
                ex += h * weight * v[i];
                ev += h * weight * a[i];
            }
            let error = ex.length() / (1.0 + x0.length()) + ev.length() / (1.0 + v0.length());
            if !error.is_finite() {
                return f64::INFINITY;
            }
            largest = largest.max(error);
        }
        largest / self.tolerance
    }
}

fn step_factor(error: f64) -> f64 {
    let eighth_root = error.sqrt().sqrt().sqrt();
    (0.9 / (eighth_root * eighth_root.sqrt())).clamp(0.2, 5.0)
}
