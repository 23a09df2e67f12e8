//! Drag proportional to the square of the velocity.

use super::check;
use super::law::{ForceLaw, Kinematics};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Quadratic drag f = −c m |v| v. The coefficient c is per mass; for a sphere in air c = ½ρ C_d
/// A/m. The terminal velocity is √(g/c).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuadraticDrag {
    /// Coefficient c ≥ 0 in 1/m.
    pub coefficient: f64,
}

impl Default for QuadraticDrag {
    /// 0.05/m: the terminal velocity is 14 m/s.
    fn default() -> Self {
        Self { coefficient: 0.05 }
    }
}

impl QuadraticDrag {
    pub(super) fn check(&self) -> Result<(), String> {
        check::not_negative("coefficient of quadratic drag", self.coefficient)
    }
}

impl ForceLaw for QuadraticDrag {
    fn name(&self) -> &'static str {
        "quadratic-drag"
    }

    fn title(&self) -> &'static str {
        "drag in proportion to velocity squared"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            f[i] -= self.coefficient * at.masses[i] * at.v[i].length() * at.v[i];
        });
    }

    /// d(|v| v) = |v| dv + (v·dv / |v|) v; 0 at v = 0.
    fn add_jvp(&self, at: &Kinematics, _: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            let v = at.v[i];
            let Some(direction) = v.try_normalize() else { return };
            let change = v.length() * dv[i] + direction.dot(dv[i]) * v;
            df[i] -= self.coefficient * at.masses[i] * change;
        });
    }

    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
