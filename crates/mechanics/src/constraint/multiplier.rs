//! Multiplier of a link in XPBD: its coefficients, its equation, and a correction that updates it.
//!
//! Equation numbers are those of Macklin, Müller and Chentanez (2016), see [`super::Xpbd`].

use super::particles::Times;
use super::sweep::{Ends, SweepOrder};
use crate::mesh::Link;
use glam::DVec3;

/// Multiplier λ of a link in XPBD, with the coefficients that are constant during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Multiplier {
    /// Accumulated multiplier λ in kg·m: link force times h², negative in tension.
    pub lambda: f64,
    /// Time-scaled compliance α̃ = α/h² in 1/kg.
    pub alpha: f64,
    /// Dimensionless damping coefficient γ = αβ/Δt.
    pub gamma: f64,
}

/// Parameters that determine the coefficients α̃ and γ of a link's multiplier. The coefficients are
/// valid until a parameter changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tuning {
    /// Sweep order of the projections.
    pub order: SweepOrder,
    /// Compliance in m/N of links that are not rigid; `None` = 1/stiffness of each link.
    pub compliance: Option<f64>,
    /// Damping in N·s/m; `None` = damping of each link.
    pub damping: Option<f64>,
    pub times: Times,
}

impl Tuning {
    /// Returns the multiplier of a link at the start of a projection: λ = 0, α̃ = α/h² and γ =
    /// α̃β̃/Δt = αβ/Δt, where β̃ = h²β and Δt is the length of the substep.
    pub fn multiplier(self, link: &Link) -> Multiplier {
        let Self { order: _, compliance, damping, times: Times { h, substep } } = self;
        let compliance = if link.rigid { 0.0 } else { compliance.unwrap_or(1.0 / link.stiffness) };
        let damping = damping.unwrap_or(link.damping);
        let gamma = compliance * damping / substep;
        Multiplier { lambda: 0.0, alpha: compliance / (h * h), gamma }
    }
}

/// Returns the residual C + α̃λ + γ∇C·(x − start) of a link, where C = l − L and ∇C = (−d/l, d/l).
/// Sweeps reduce the residual to 0.
#[inline(always)]
pub(super) fn equation(
    link: &Link,
    ends: Ends,
    l: f64,
    d: DVec3,
    start: &[DVec3],
    m: &Multiplier,
) -> f64 {
    let moved = (ends.b - start[link.b as usize]) - (ends.a - start[link.a as usize]);
    (l - link.rest) + m.alpha * m.lambda + m.gamma * (d.dot(moved) / l)
}

/// Returns the correction p of a link, and updates λ:
///
/// ```text
/// s = (C + α̃λ + γ∇C·(x − start)) / (l ((1 + γ)(w_a + w_b) + α̃))
/// λ ← λ − s l,   p = d s                                           eq. 26; eq. 18 when γ = 0
/// ```
///
/// For a one-sided link λ ≤ 0: a later sweep may reduce its pull to 0, but it never pushes.
#[inline(always)]
pub(super) fn link_correction(
    link: &Link,
    ends: Ends,
    start: &[DVec3],
    m: &mut Multiplier,
) -> Option<DVec3> {
    let d = ends.b - ends.a;
    let l = d.length();
    let left = equation(link, ends, l, d, start, m);
    let mut s = left * ends.fraction / (l * ((1.0 + m.gamma) * ends.w + m.alpha));
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
