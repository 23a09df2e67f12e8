//! Attraction by a point.

use super::check;
use super::law::{ForceLaw, Kinematics};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Gravity of a Plummer sphere: f = −μ m r/(r² + ε²)^(3/2) with r = x − center. Plummer (1911), "On
/// the problem of distribution in globular star clusters". The potential −μ m/√(r² + ε²) is zero at
/// infinity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Attractor {
    /// Position in metres.
    pub center: DVec3,
    /// Strength μ in m³/s²; negative repels.
    pub strength: f64,
    /// Softening length ε in metres, positive. The force is greatest at r = ε/√2.
    pub softening: f64,
}

impl Default for Attractor {
    /// An acceleration of 9.8 m/s² at a distance of 1 m from the origin.
    fn default() -> Self {
        Self { center: DVec3::ZERO, strength: 10.0, softening: 0.1 }
    }
}

impl Attractor {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { center, strength, softening } = *self;
        check::finite_vector("center of an attractor", center)?;
        check::finite("strength of an attractor", strength)?;
        check::positive("softening of an attractor", softening)
    }

    fn softened_distance(&self, r: DVec3) -> f64 {
        (r.length_squared() + self.softening * self.softening).sqrt()
    }
}

impl ForceLaw for Attractor {
    fn name(&self) -> &'static str {
        "attractor"
    }

    fn title(&self) -> &'static str {
        "a point that attracts"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            let r = at.x[i] - self.center;
            let s = self.softened_distance(r);
            f[i] -= self.strength * at.masses[i] / (s * s * s) * r;
        });
    }

    /// df = −μ m (dr − 3 r (r·dr)/s²)/s³ with s² = r² + ε².
    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], _: &[DVec3], df: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            let r = at.x[i] - self.center;
            let s = self.softened_distance(r);
            let change = dx[i] - 3.0 * r.dot(dx[i]) / (s * s) * r;
            df[i] -= self.strength * at.masses[i] / (s * s * s) * change;
        });
    }

    fn potential(&self, at: &Kinematics) -> Option<f64> {
        let energy = |i: usize| {
            -self.strength * at.masses[i] / self.softened_distance(at.x[i] - self.center)
        };
        Some(at.targets.iter().map(energy).sum())
    }
}
