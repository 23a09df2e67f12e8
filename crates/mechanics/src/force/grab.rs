//! Spring by which the mouse drags a particle.

use super::check;
use super::law::{ForceLaw, Kinematics};
use glam::DVec3;

/// Damped spring between a particle and the *hand*, the point under the mouse: f = k (hand − x) + c
/// (hand′ − v).
///
/// A grab is not part of a scene. The simulation adds it while the user drags a particle, and
/// updates the hand's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grab {
    /// Index of the dragged particle. The law acts on this particle even if it is not a target.
    pub particle: u32,
    /// Position of the hand at time `t` in metres.
    pub position: DVec3,
    /// Time of `position` in seconds.
    pub t: f64,
    /// Velocity of the hand in m/s.
    pub velocity: DVec3,
    /// Stiffness k in N/m, at least 0.
    pub stiffness: f64,
    /// Damping c in N·s/m, at least 0.
    pub damping: f64,
}

impl Grab {
    /// Checks all parameters. The error is a sentence that names the invalid parameter.
    pub fn check(&self) -> Result<(), String> {
        let Self { particle: _, position, t, velocity, stiffness, damping } = *self;
        check::finite_vector("position of the drag", position)?;
        check::finite_vector("velocity of the drag", velocity)?;
        check::finite("time of the drag", t)?;
        check::not_negative("stiffness of the drag", stiffness)?;
        check::not_negative("damping of the drag", damping)
    }

    /// Returns the position of the hand at time `t` in metres, for a constant velocity.
    fn hand_position(&self, t: f64) -> DVec3 {
        self.position + self.velocity * (t - self.t)
    }
}

impl ForceLaw for Grab {
    fn name(&self) -> &'static str {
        "grab"
    }

    fn title(&self) -> &'static str {
        "the damped spring of a mouse drag"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        let i = self.particle as usize;
        f[i] += self.stiffness * (self.hand_position(at.t) - at.x[i]);
        f[i] += self.damping * (self.velocity - at.v[i]);
    }

    fn add_jvp(&self, _: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        let i = self.particle as usize;
        df[i] -= self.stiffness * dx[i] + self.damping * dv[i];
    }

    /// Returns the energy ½k |hand − x|² of the spring.
    fn potential(&self, at: &Kinematics) -> Option<f64> {
        let reach = self.hand_position(at.t).distance_squared(at.x[self.particle as usize]);
        Some(0.5 * self.stiffness * reach)
    }
}
