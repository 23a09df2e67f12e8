//! Colliders: shapes that only their own paths and the hand move.

use crate::contact::layer::{Layer, Layers};
use crate::contact::shape::Shape;
use crate::contact::surface::Surface;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;
use itertools::izip;

/// Half the time interval of the finite difference for the velocity of a path, in seconds.
const HALF_INTERVAL: f64 = 1e-6;

/// An obstacle of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Shape around the collider's origin.
    pub shape: Shape,
    /// Position of the origin at t = 0, in metres.
    pub centre: DVec3,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer, which decides which bodies the collider touches.
    pub layer: Layer,
    /// Path of the origin, as displacements from `centre`.
    pub path: Trajectory,
    /// Angular velocity of the surface in rad/s, for a drum that turns in its place.
    pub turn: DVec3,
    /// Velocity of the surface in m/s, for a belt that runs in a frame at rest.
    pub belt: DVec3,
}

impl Collider {
    /// Returns the position of the origin at a time in seconds, in metres.
    pub fn at(&self, t: f64) -> DVec3 {
        self.centre + self.path.offset(t)
    }

    /// True if the collider has no path.
    pub fn stays(&self) -> bool {
        self.path == Trajectory::Still
    }

    /// True if the surface moves only with the origin: the collider is no belt and does not turn.
    pub fn has_still_surface(&self) -> bool {
        self.belt == DVec3::ZERO && self.turn == DVec3::ZERO
    }

    /// Returns the position of the origin at a time in seconds, including the displacement by the
    /// hand, in metres.
    pub fn shifted_at(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        shift.map_or(self.at(t), |shift| self.at(t) + shift.at(t))
    }

    /// Returns the velocity of the origin at a time in seconds, including that of the hand, in m/s.
    pub fn velocity(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        let path =
            (self.at(t + HALF_INTERVAL) - self.at(t - HALF_INTERVAL)) / (2.0 * HALF_INTERVAL);
        path + shift.map_or(DVec3::ZERO, |shift| shift.velocity(t))
    }

    /// Returns the velocity of the surface relative to the origin, at the point `out` from the
    /// origin, in m/s.
    pub fn surface_velocity(&self, out: DVec3) -> DVec3 {
        self.belt + self.turn.cross(out)
    }
}

/// Displacement of a collider by the hand from its path. It changes linearly within the step in
/// which the hand last moved the collider.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColliderShift {
    /// Displacement at the start and at the end of that step, in metres.
    pub offsets: [DVec3; 2],
    /// Start and end of that step, in seconds.
    pub times: [f64; 2],
}

impl ColliderShift {
    /// Returns the displacement at a time in seconds, in metres. The end of one step and the start
    /// of the next agree to the last bit.
    pub fn at(&self, t: f64) -> DVec3 {
        let ([from, to], [start, end]) = (self.offsets, self.times);
        if t >= end {
            to
        } else if t <= start {
            from
        } else {
            from + (to - from) * ((t - start) / (end - start))
        }
    }

    /// Returns the velocity of the displacement at a time in seconds, in m/s.
    fn velocity(&self, t: f64) -> DVec3 {
        let ([from, to], [start, end]) = (self.offsets, self.times);
        if (start..=end).contains(&t) && end > start {
            (to - from) / (end - start)
        } else {
            DVec3::ZERO
        }
    }
}

/// Position of a collider in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Position of the collider's origin at the start, in metres.
    pub start: DVec3,
    /// Displacement in the substep, in metres.
    pub displacement: DVec3,
}

impl Placed {
    /// Returns the position of the origin at a time as a fraction of the substep, 0 to 1.
    pub fn at(&self, t: f64) -> DVec3 {
        self.start + self.displacement * t
    }
}

/// Colliders of a scene in one substep.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Obstacles<'a> {
    /// Colliders of the scene.
    pub colliders: &'a [Collider],
    /// Position of each collider.
    pub placed: &'a [Placed],
    /// Pairs of layers that pass through each other.
    pub layers: &'a Layers,
}

impl<'a> Obstacles<'a> {
    /// Yields the colliders that bodies of a layer touch, with their numbers and positions.
    pub fn of(
        &self,
        layer: Layer,
    ) -> impl Iterator<Item = (u32, &'a Collider, &'a Placed)> + use<'a> {
        let layers = self.layers;
        let all = izip!(0.., self.colliders, self.placed);
        all.filter(move |(_, collider, _)| layers.may_touch(layer, collider.layer))
    }
}

#[cfg(test)]
impl<'a> Obstacles<'a> {
    /// Builds obstacles that touch everything.
    pub fn among(colliders: &'a [Collider], placed: &'a [Placed]) -> Self {
        Self { colliders, placed, layers: Box::leak(Box::default()) }
    }
}
