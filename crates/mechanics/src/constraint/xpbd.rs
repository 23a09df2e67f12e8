//! Extended position-based dynamics.

use super::constraints::{Multiplier, Sweeps};
use super::kernels::Formula;
use super::sweep::Ends;
use super::{Constraints, SolverInfo, SweepOrder, check_iterations, check_omega};
use crate::mesh::Link;
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
    /// Order in which a sweep visits the links.
    pub order: SweepOrder,
    /// Compliance in m/N of every link that is not rigid, at least 0; None = 1/stiffness of each
    /// link. Rigid links have 0.
    pub compliance: Option<f64>,
    /// Damping along every link in N·s/m, at least 0; None = the damping of each link. At
    /// compliance 0 it has no effect.
    pub damping: Option<f64>,
    /// Over-relaxation ω (SOR), above 0 and below 2, see [`super::Relaxation::omega`]. Other values
    /// than 1 are swept by the plain loop.
    pub omega: f64,
    /// XPBD as it is often written: every sweep forgets λ, so that the compliance is applied
    /// in full each time and links converge to rigid ones, whatever it is
    /// (github.com/newton-physics/newton, issue 2933). Swept by the plain loop. It shows a mistake
    /// and serves no other purpose.
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

impl Xpbd {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { iterations, order, compliance, damping, omega, forgets: _ } = *self;
        check_iterations("iterations of XPBD", iterations)?;
        order.check()?;
        for (what, value) in [("compliance", compliance), ("damping", damping)] {
            if let Some(value) = value
                && !(value >= 0.0 && value.is_finite())
            {
                return Err(format!("{what} of XPBD is {value}, must be finite and at least 0"));
            }
        }
        check_omega("XPBD", omega)
    }

    pub(super) fn prepare(&self, c: &mut Constraints) {
        if self.omega != 1.0 || self.forgets {
            c.drop_kernels();
        }
        c.prepare(self.order);
    }

    pub(super) fn sweeps<'a>(&self, c: &mut Constraints, w: &'a [f64], dt: f64) -> Sweeps<'a> {
        let Self { iterations, order, .. } = *self;
        let damped = c.tune(Tuning { xpbd: *self, dt });
        Sweeps { order, iterations, formula: Formula::Compliant { one_sided: true, damped }, w }
    }

    pub(super) fn project(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        dt: f64,
    ) -> u32 {
        c.bends.begin(dt);
        self.go_on(c, w, start, x, dt)
    }

    /// Projects like [`Self::project`], but starts from the current multipliers of the bends.
    pub(super) fn go_on(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        dt: f64,
    ) -> u32 {
        let sweeps = self.sweeps(c, w, dt);
        let Self { omega, forgets, .. } = *self;
        c.sweep(
            sweeps,
            start,
            x,
            #[inline(always)]
            |i, link, ends, multipliers| {
                let multiplier = &mut multipliers[i];
                if forgets {
                    multiplier.lambda = 0.0;
                }
                pull(link, Ends { share: ends.share * omega, ..ends }, start, multiplier)
            },
        );
        sweeps.iterations
    }
}

/// Parameters on which multipliers depend besides their links: α̃ and γ stay valid as long as these
/// do not change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuning {
    pub xpbd: Xpbd,
    /// Length of the (sub)step in seconds.
    pub dt: f64,
}

impl Tuning {
    /// λ = 0, α̃ = α/dt² and γ = α̃β̃/dt = αβ/dt, where β̃ = dt²β.
    pub fn multiplier(self, link: &Link) -> Multiplier {
        let Self { xpbd, dt } = self;
        let compliance =
            if link.rigid { 0.0 } else { xpbd.compliance.unwrap_or(1.0 / link.stiffness) };
        let damping = xpbd.damping.unwrap_or(link.damping);
        Multiplier { lambda: 0.0, alpha: compliance / (dt * dt), gamma: compliance * damping / dt }
    }
}

/// Residual of the worst link's equation relative to its rest length, or that of the worst bend's
/// equation if it is greater.
pub(super) fn residual(c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64 {
    let of_links = c.network.worst(w, x, |i, link, ends| {
        let m = &c.multiplier(i);
        let d = ends.b - ends.a;
        let left = equation(link, ends, d.length(), d, start, m);
        let slack = link.one_sided && m.lambda == 0.0;
        if slack { left / link.rest } else { left.abs() / link.rest }
    });
    of_links.max(c.bends.residual(w, x))
}

/// C + α̃λ + γ∇C·(x − start), which is to become 0. C = l − L, ∇C = (−d/l, d/l).
#[inline(always)]
fn equation(link: &Link, ends: Ends, l: f64, d: DVec3, start: &[DVec3], m: &Multiplier) -> f64 {
    let moved = (ends.b - start[link.b as usize]) - (ends.a - start[link.a as usize]);
    (l - link.rest) + m.alpha * m.lambda + m.gamma * (d.dot(moved) / l)
}

/// ```text
/// s = (C + α̃λ + γ∇C·(x − start)) / (l ((1 + γ)(w_a + w_b) + α̃))
/// λ ← λ − s l,   p = d s                                           eq. 26; eq. 18 when γ = 0
/// ```
///
/// A one-sided link keeps λ ≤ 0, so that a later sweep can take back a pull but never push.
#[inline(always)]
pub(super) fn pull(link: &Link, ends: Ends, start: &[DVec3], m: &mut Multiplier) -> Option<DVec3> {
    let d = ends.b - ends.a;
    let l = d.length();
    let left = equation(link, ends, l, d, start, m);
    let mut s = left * ends.share / (l * ((1.0 + m.gamma) * ends.w + m.alpha));
    let mut lambda = m.lambda - s * l;
    if link.one_sided && lambda > 0.0 {
        (s, lambda) = (m.lambda / l, 0.0);
    }
    if !s.is_finite() {
        return None;
    }
    m.lambda = lambda;
    Some(d * s)
}
