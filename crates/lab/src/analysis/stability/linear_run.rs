//! Run of an integrator on a scene that is linearised at one of its states.

use crate::analysis::linear::mass_product::pseudo_random;
use crate::analysis::vibration::reduced_scene::Tangent;
use crate::analysis::vibration::step_matrix::in_double_precision;
use crate::integrate::Method;
use crate::numerics::state::{State, Workspace};
use crate::numerics::sums::mass_dot;
use crate::numerics::system::System;
use glam::DVec3;

/// Deviation from the state at which the scene is linearised. An integrator advances it. It starts
/// as noise, which contains every mode.
pub(super) struct LinearRun<'a> {
    tangent: &'a Tangent<'a>,
    method: Method,
    now: State,
    next: State,
    work: Workspace,
    zero: Vec<DVec3>,
    push: Vec<DVec3>,
}

impl<'a> LinearRun<'a> {
    /// Creates a run for steps of about `h` seconds; `h` scales the initial velocities.
    pub fn new(tangent: &'a Tangent<'a>, method: &Method, h: f64) -> Self {
        let mass = tangent.masses();
        let free = |noise: Vec<DVec3>, scale: f64| -> Vec<DVec3> {
            let entries = noise.into_iter().zip(mass);
            entries.map(|(x, m)| if *m > 0.0 { x * scale } else { DVec3::ZERO }).collect()
        };
        let now = State {
            t: 0.0,
            x: free(pseudo_random(mass.len()), 1.0),
            v: free(pseudo_random(mass.len() + 1)[1..].to_vec(), 1.0 / h),
        };
        let zero = vec![DVec3::ZERO; mass.len()];
        Self {
            tangent,
            method: in_double_precision(*method),
            next: now.clone(),
            now,
            work: Workspace::default(),
            push: zero.clone(),
            zero,
        }
    }

    pub fn step(&mut self, h: f64) {
        let Self { tangent, method, now, next, work, .. } = self;
        method.as_integrator().step(*tangent, now.view(), next.view_mut(), h, work);
        std::mem::swap(now, next);
    }

    /// Returns √(vᵀMv + xᵀKx), the root of twice the energy. Unlike the displacement, the energy
    /// does not grow if particles only drift.
    pub fn size(&mut self) -> f64 {
        let Self { tangent, now, push, zero, .. } = self;
        let mass = tangent.masses();
        tangent.accelerations(0.0, &now.x, zero, push);
        (mass_dot(mass, &now.v, &now.v) - mass_dot(mass, &now.x, push)).max(0.0).sqrt()
    }

    /// Returns the last finite displacements and velocities, as two vectors.
    pub fn into_displacements(self) -> Vec<Vec<DVec3>> {
        let is_finite = |column: &[DVec3]| column.iter().all(|p| p.is_finite());
        let Self { now, next, .. } = self;
        let grown = if is_finite(&now.x) && is_finite(&now.v) { now } else { next };
        vec![grown.x, grown.v]
    }
}

/// Returns the largest size in the window of steps that ends at `end`. A single size says little,
/// because sizes rise and fall while modes of similar frequencies beat.
pub(super) fn largest_in_window(sizes: &[f64], end: usize, window: usize) -> f64 {
    sizes[end.saturating_sub(window)..end].iter().copied().fold(0.0, f64::max)
}
