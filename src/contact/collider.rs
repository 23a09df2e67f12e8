//! Obstacles: shapes that nothing moves but their own path.

use super::shape::Shape;
use super::surface::Surface;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;

/// An obstacle of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its form round its own origin.
    pub shape: Shape,
    /// Where its origin is at t = 0, in metres.
    pub centre: DVec3,
    /// How it bounces and rubs.
    pub surface: Surface,
    /// How its origin moves from there.
    pub path: Trajectory,
    /// Angular velocity of its surface in rad/s: a drum turns in its place.
    pub turn: DVec3,
    /// Velocity of its surface in m/s: a belt runs, its frame stays.
    pub belt: DVec3,
}

impl Collider {
    /// Where its origin is at a time in seconds.
    pub fn at(&self, t: f64) -> DVec3 {
        self.centre + self.path.offset(t)
    }

    /// Velocity of its surface in m/s where it is `out` of its origin, without that of its path.
    pub fn surface_velocity(&self, out: DVec3) -> DVec3 {
        self.belt + self.turn.cross(out)
    }
}

/// A collider in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Where its origin starts, in metres.
    pub start: DVec3,
    /// How far it moves, in metres.
    pub way: DVec3,
}

impl Placed {
    /// Where its origin is at a share of the substep.
    pub fn at(&self, t: f64) -> DVec3 {
        self.start + self.way * t
    }
}
