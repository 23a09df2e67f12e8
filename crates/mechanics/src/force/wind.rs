//! Wind on particles.

use super::check;
use super::gust::Gust;
use super::law::{ForceLaw, Kinematics};
use glam::{DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// Wind force f = c m (u(t) − v) with the velocity of the air u(t) = velocity · gust. The
/// coefficient c is per mass, as in [`super::LinearDrag`]. In still air both laws are the same, so
/// do not use both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wind {
    /// Mean velocity of the air in m/s.
    pub velocity: DVec3,
    /// Coefficient c ≥ 0 in 1/s.
    pub drag: f64,
    /// Gusts: time-dependent multiple of the velocity.
    pub gust: Gust,
}

impl Default for Wind {
    /// A steady breeze of 5 m/s along x, which accelerates a particle to this speed within about 2
    /// s.
    fn default() -> Self {
        Self { velocity: dvec3(5.0, 0.0, 0.0), drag: 0.5, gust: Gust::Constant }
    }
}

impl Wind {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { velocity, drag, gust } = self;
        check::finite_vector("velocity of wind", *velocity)?;
        check::not_negative("drag of wind", *drag)?;
        gust.check()
    }
}

impl ForceLaw for Wind {
    fn name(&self) -> &'static str {
        "wind"
    }

    fn title(&self) -> &'static str {
        "wind on particles: constant, gusts or a sine"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn varies(&self) -> bool {
        self.gust.varies()
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        let air = self.velocity * self.gust.factor(at.t);
        at.targets.iter().for_each(|i| {
            f[i] += self.drag * at.masses[i] * (air - at.v[i]);
        });
    }

    fn add_jvp(&self, at: &Kinematics, _: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        at.targets.iter().for_each(|i| {
            df[i] -= self.drag * at.masses[i] * dv[i];
        });
    }

    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
