//! The fastest vibration of a scene, which decides the longest stable step.

use crate::analysis::linear::lanczos::greatest_pairs;
use crate::analysis::linear::mass_product::{dot, greatest, pseudo_random};
use crate::model::Model;
use crate::numerics::state::State;
use crate::numerics::system::System as _;
use glam::DVec3;

/// Lanczos steps: a chain of 1000 and a cloth of 30 × 30 have ω to 0.1 % by then, a cloth of
/// 100 × 100 to 0.2 %.
const LANCZOS_STEPS: usize = 20;

/// The fastest vibration of a scene as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FastestMode {
    /// Its angular frequency in rad/s.
    pub omega: f64,
    /// A cautious upper value: √(ω² + residual). The residual bounds the distance to some
    /// eigenvalue, which need not be the greatest.
    pub omega_cautious: f64,
    /// Its damping ratio ξ = φᵀCφ / (2ω φᵀMφ).
    pub damping_ratio: f64,
    /// Its shape φ, a displacement a particle, with φᵀMφ = 1 kg m².
    pub shape: Vec<DVec3>,
}

impl FastestMode {
    /// Finds it by Lanczos steps on M⁻¹K in the inner product of M, where K is the tangent
    /// stiffness at `state` (the positive semidefinite part of it, as implicit solvers see it),
    /// with full reorthogonalisation, from `start` or a fixed pseudo-random vector. `None` where
    /// nothing vibrates: there are no springs, or all particles are pinned.
    pub fn of(model: &Model, state: &State, start: Option<&[DVec3]>) -> Option<Self> {
        let mass = model.masses();
        let n = mass.len();
        let start = match start {
            Some(start) if start.len() == n => start.to_vec(),
            _ => pseudo_random(n),
        };
        let zero = vec![DVec3::ZERO; n];
        let stiffness = |u: &[DVec3], out: &mut [DVec3]| {
            model.acceleration_jvp(state.t, &state.x, &state.v, u, &zero, out);
            out.iter_mut().for_each(|out| *out = -*out);
        };
        let damping = |u: &[DVec3], out: &mut [DVec3]| {
            model.acceleration_jvp(state.t, &state.x, &state.v, &zero, u, out);
            out.iter_mut().for_each(|out| *out = -*out);
        };
        Self::of_operators(mass, start, stiffness, damping)
    }

    /// Fastest mode as [`Self::of`], with functions that write M⁻¹K u and M⁻¹C u.
    pub(in crate::analysis) fn of_operators(
        mass: &[f64],
        start: Vec<DVec3>,
        stiffness: impl Fn(&[DVec3], &mut [DVec3]),
        damping: impl Fn(&[DVec3], &mut [DVec3]),
    ) -> Option<Self> {
        let pairs = greatest_pairs(mass, start, LANCZOS_STEPS, 1, stiffness);
        let pair = pairs.into_iter().next()?;
        if !(pair.value.is_finite() && pair.value > 0.0) {
            return None;
        }
        let (omega, shape) = (pair.value.sqrt(), pair.shape);
        let mut damped = vec![DVec3::ZERO; mass.len()];
        damping(&shape, &mut damped);
        Some(Self {
            omega,
            omega_cautious: (pair.value + pair.residual).sqrt(),
            damping_ratio: (dot(mass, &shape, &damped) / (2.0 * omega)).max(0.0),
            shape,
        })
    }

    /// The particle that moves most.
    pub fn particle(&self) -> u32 {
        greatest(&self.shape)
    }
}
