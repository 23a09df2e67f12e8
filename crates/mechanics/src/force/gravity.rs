//! Uniform gravity.

use super::check;
use super::law::{ForceLaw, Kinematics};
use super::uniform_acceleration::UniformAcceleration;
use glam::{DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// Uniform gravity f = m g. The potential −m g·x is zero at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gravity {
    /// Gravitational acceleration in m/s².
    pub g: DVec3,
}

impl Default for Gravity {
    /// 9.81 m/s² downwards (the y axis points up).
    fn default() -> Self {
        Self { g: dvec3(0.0, -9.81, 0.0) }
    }
}

impl Gravity {
    pub(super) fn check(&self) -> Result<(), String> {
        check::finite_vector("g of gravity", self.g)
    }
}

impl ForceLaw for Gravity {
    fn name(&self) -> &'static str {
        "gravity"
    }

    fn title(&self) -> &'static str {
        "uniform gravity"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        at.targets.iter().for_each(|i| f[i] += at.masses[i] * self.g);
    }

    fn uniform_acceleration(&self) -> Option<UniformAcceleration> {
        Some(UniformAcceleration { g: self.g, drag: 0.0 })
    }

    fn add_jvp(&self, _: &Kinematics, _: &[DVec3], _: &[DVec3], _: &mut [DVec3]) {}

    fn potential(&self, at: &Kinematics) -> Option<f64> {
        let height_energy = |i: usize| -at.masses[i] * self.g.dot(at.x[i]);
        Some(at.targets.iter().map(height_energy).sum())
    }
}
