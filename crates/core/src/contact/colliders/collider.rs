//! Obstacles: shapes that nothing moves but their own path and the hand.

use crate::contact::layer::{Layer, Layers};
use crate::contact::shape::Shape;
use crate::contact::surface::Surface;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;
use itertools::izip;

/// Time in seconds over which the velocity of a path is taken, before and after.
const SHORT: f64 = 1e-6;

/// An obstacle of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its form round its own origin.
    pub shape: Shape,
    /// Position of its origin at t = 0, in metres.
    pub centre: DVec3,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer, which decides what it touches.
    pub layer: Layer,
    /// Motion of its origin from there.
    pub path: Trajectory,
    /// Angular velocity of its surface in rad/s: a drum turns in its place.
    pub turn: DVec3,
    /// Velocity of its surface in m/s: a belt runs, its frame stays.
    pub belt: DVec3,
}

impl Collider {
    /// Position of its origin at a time in seconds.
    pub fn at(&self, t: f64) -> DVec3 {
        self.centre + self.path.offset(t)
    }

    /// Whether it has no path.
    pub fn stays(&self) -> bool {
        self.path == Trajectory::Still
    }

    /// Whether its surface moves only with its origin: it is no belt and does not turn.
    pub fn has_still_surface(&self) -> bool {
        self.belt == DVec3::ZERO && self.turn == DVec3::ZERO
    }

    /// Position of its origin at a time in seconds, with the hand's displacement if the hand has
    /// moved it.
    pub fn shifted_at(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        shift.map_or(self.at(t), |shift| self.at(t) + shift.at(t))
    }

    /// Velocity of its origin in m/s at a time in seconds, with that of the hand.
    pub fn velocity(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        let path = (self.at(t + SHORT) - self.at(t - SHORT)) / (2.0 * SHORT);
        path + shift.map_or(DVec3::ZERO, |shift| shift.velocity(t))
    }

    /// Velocity of its surface in m/s where it is `out` of its origin, without that of its path.
    pub fn surface_velocity(&self, out: DVec3) -> DVec3 {
        self.belt + self.turn.cross(out)
    }
}

/// Displacement of a collider by the hand from its own path, uniform within the step of the last
/// move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColliderShift {
    /// Displacement at the start and at the end of that step, in metres.
    pub offsets: [DVec3; 2],
    /// Its start and its end in seconds.
    pub times: [f64; 2],
}

impl ColliderShift {
    /// Displacement at a time in seconds, in metres. The end of one step and the start of the next
    /// have the same bits.
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

    /// Velocity of that displacement at a time in seconds, in m/s.
    fn velocity(&self, t: f64) -> DVec3 {
        let ([from, to], [start, end]) = (self.offsets, self.times);
        if (start..=end).contains(&t) && end > start {
            (to - from) / (end - start)
        } else {
            DVec3::ZERO
        }
    }
}

/// A collider in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Position of its origin at the start of the substep, in metres.
    pub start: DVec3,
    /// Displacement in the substep, in metres.
    pub way: DVec3,
}

impl Placed {
    /// Position of its origin at a share of the substep.
    pub fn at(&self, t: f64) -> DVec3 {
        self.start + self.way * t
    }
}

/// The colliders of a substep.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Obstacles<'a> {
    /// Colliders of the scene.
    pub colliders: &'a [Collider],
    /// Their positions, one each.
    pub placed: &'a [Placed],
    /// Layers that pass through each other.
    pub layers: &'a Layers,
}

impl<'a> Obstacles<'a> {
    /// Those that bodies of a layer touch, with their numbers.
    pub fn of(
        &self,
        layer: Layer,
    ) -> impl Iterator<Item = (u32, &'a Collider, &'a Placed)> + use<'a> {
        let layers = self.layers;
        let all = izip!(0.., self.colliders, self.placed);
        all.filter(move |(_, collider, _)| layers.touch(layer, collider.layer))
    }
}

#[cfg(test)]
impl<'a> Obstacles<'a> {
    /// Obstacles that everything touches.
    pub fn among(colliders: &'a [Collider], placed: &'a [Placed]) -> Self {
        Self { colliders, placed, layers: Box::leak(Box::default()) }
    }
}
