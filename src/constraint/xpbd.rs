//! Extended position-based dynamics.

use super::constraints::Multiplier;
use super::sweep::Ends;
use super::{Constraints, Link, Projection, SolverInfo, SweepOrder, check_iterations};
use glam::DVec3;
use serde::{Deserialize, Serialize};

pub(super) const INFO: SolverInfo = SolverInfo {
    name: "xpbd",
    title: "extended position-based dynamics (XPBD)",
    reference: "Macklin, Müller and Chentanez 2016, XPBD: position-based simulation of compliant \
                constrained dynamics",
    verdict: "as stiff as the material says, stable at any step, with implicit Euler's damping",
};

/// Relaxation with compliance: a solver for the equations of implicit Euler.
///
/// Macklin, Müller and Chentanez (2016), "XPBD: position-based simulation of compliant
/// constrained dynamics". On a single spring it is implicit Euler exactly; at compliance 0 it is
/// [`super::Relaxation`] with the same bits. Substeps are the simulation's setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Xpbd {
    /// Sweeps over all links in a step, 1 to 100 000.
    pub iterations: u32,
    /// In which order a sweep visits the links.
    pub order: SweepOrder,
    /// Compliance in m/N of every link that is not rigid, at least 0; None = 1/stiffness of each
    /// link. Rigid links have 0.
    pub compliance: Option<f64>,
    /// Damping along every link in N·s/m, at least 0; None = the damping of each link. At
    /// compliance 0 it has no effect.
    pub damping: Option<f64>,
}

impl Default for Xpbd {
    /// 20 sweeps, end to end, with the links' own stiffness and damping.
    fn default() -> Self {
        Self { iterations: 20, order: SweepOrder::EndToEnd, compliance: None, damping: None }
    }
}

impl Xpbd {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { iterations, order, compliance, damping } = *self;
        check_iterations("iterations of XPBD", iterations)?;
        order.check()?;
        for (what, value) in [("compliance", compliance), ("damping", damping)] {
            if let Some(value) = value
                && !(value >= 0.0 && value.is_finite())
            {
                return Err(format!("{what} of XPBD is {value}, must be finite and at least 0"));
            }
        }
        Ok(())
    }

    pub(super) fn project(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        dt: f64,
    ) -> Projection {
        let Constraints { network, multipliers } = c;
        for (link, multiplier) in network.links.iter().zip(multipliers.iter_mut()) {
            *multiplier = self.multiplier(link, dt);
        }
        for number in 0..self.iterations {
            network.sweep(self.order, number, w, x, |i, link, ends| {
                pull(link, ends, start, &mut multipliers[i])
            });
        }
        let residual = network.worst(w, x, |i, link, ends| {
            let m = &multipliers[i];
            let left = ends
                .length_and_direction()
                .map_or(f64::NAN, |(l, n)| equation(link, ends, l, n, start, m));
            let slack = link.one_sided && m.lambda == 0.0;
            if slack { left / link.rest } else { left.abs() / link.rest }
        });
        Projection { iterations: self.iterations, residual, converged: residual.is_finite() }
    }

    /// λ = 0, α̃ = α/dt² and γ = α̃β̃/dt = αβ/dt, where β̃ = dt²β.
    fn multiplier(&self, link: &Link, dt: f64) -> Multiplier {
        let compliance =
            if link.rigid { 0.0 } else { self.compliance.unwrap_or(1.0 / link.stiffness) };
        let damping = self.damping.unwrap_or(link.damping);
        Multiplier { lambda: 0.0, alpha: compliance / (dt * dt), gamma: compliance * damping / dt }
    }
}

/// C + α̃λ + γ∇C·(x − start), which is to become 0. C = l − L, ∇C = (−n, n).
fn equation(link: &Link, ends: Ends, l: f64, n: DVec3, start: &[DVec3], m: &Multiplier) -> f64 {
    let moved = (ends.b - start[link.b as usize]) - (ends.a - start[link.a as usize]);
    (l - link.rest) + m.alpha * m.lambda + m.gamma * n.dot(moved)
}

/// ```text
/// Δλ = −(C + α̃λ + γ∇C·(x − start)) / ((1 + γ)(w_a + w_b) + α̃)     eq. 26; eq. 18 when γ = 0
/// λ ← λ + Δλ,   p = −Δλ n
/// ```
///
/// A one-sided link keeps λ ≤ 0, so that a later sweep can take back a pull but never push.
fn pull(link: &Link, ends: Ends, start: &[DVec3], m: &mut Multiplier) -> Option<DVec3> {
    let (l, n) = ends.length_and_direction()?;
    let left = equation(link, ends, l, n, start, m);
    let mut change = -left / ((1.0 + m.gamma) * ends.w + m.alpha) * ends.share;
    if link.one_sided {
        change = (m.lambda + change).min(0.0) - m.lambda;
    }
    m.lambda += change;
    Some(n * -change)
}
