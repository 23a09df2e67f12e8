//! Drag proportional to velocity.

use super::check;
use super::law::{ForceLaw, Kinematics};
use super::uniform_acceleration::UniformAcceleration;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Linear drag f = −c m v. The coefficient c is per mass, so velocity decays as e^(−ct), however
/// many particles a rope or cloth has. The terminal velocity is g/c.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinearDrag {
    /// Coefficient c ≥ 0 in 1/s.
    pub coefficient: f64,
}

impl Default for LinearDrag {
    /// 0.1/s: about a tenth of the velocity is lost in each second.
    fn default() -> Self {
        Self { coefficient: 0.1 }
    }
}

impl LinearDrag {
    pub(super) fn check(&self) -> Result<(), String> {
        check::not_negative("coefficient of linear drag", self.coefficient)
    }
}

impl ForceLaw for LinearDrag {
    fn name(&self) -> &'static str {
        "linear-drag"
    }

    fn title(&self) -> &'static str {
        "drag in proportion to velocity"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            f[i] -= self.coefficient * at.masses[i] * at.v[i];
        });
    }

    fn uniform_acceleration(&self) -> Option<UniformAcceleration> {
        Some(UniformAcceleration { g: DVec3::ZERO, drag: self.coefficient })
    }

    fn add_jvp(&self, at: &Kinematics, _: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            df[i] -= self.coefficient * at.masses[i] * dv[i];
        });
    }

    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
