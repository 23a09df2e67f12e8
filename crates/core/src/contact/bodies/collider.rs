//! Colliders: obstacles that move only along their own path and by the hand (the user's mouse).

use super::layer::{Layer, Layers};
use super::surface::Surface;
use crate::contact::shape::Shape;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::trajectory::Trajectory;

/// Half the time interval in seconds of the finite difference for the velocity of a path.
const HALF_INTERVAL: f64 = 1e-6;

/// An obstacle of a scene. Forces do not move it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Shape around the collider's origin.
    pub shape: Shape,
    /// Position of the origin at t = 0, in metres.
    pub centre: DVec3,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer: determines the bodies that can touch the collider.
    pub layer: Layer,
    /// Path of the origin, as displacements from `centre`.
    pub path: Trajectory,
    /// Angular velocity of the surface in rad/s, e.g. of a drum that spins in place. The shape
    /// itself does not turn.
    pub turn: DVec3,
    /// Velocity of the surface in m/s, e.g. of a conveyor belt. The shape itself does not move.
    pub belt: DVec3,
}

impl Collider {
    /// Creates a collider at rest at `centre` (in metres), in the default layer.
    pub fn still(shape: Shape, centre: DVec3, surface: Surface) -> Self {
        let (layer, path) = (Layer::default(), Trajectory::Still);
        Self { shape, centre, surface, layer, path, turn: DVec3::ZERO, belt: DVec3::ZERO }
    }

    /// Returns the position of the origin at a time in seconds, in metres.
    pub fn at(&self, t: f64) -> DVec3 {
        self.centre + self.path.offset(t)
    }

    /// True if the collider has no path.
    pub fn stays(&self) -> bool {
        self.path == Trajectory::Still
    }

    /// True if the surface is at rest relative to the shape, i.e. neither runs like a belt nor
    /// spins.
    pub fn has_still_surface(&self) -> bool {
        self.belt == DVec3::ZERO && self.turn == DVec3::ZERO
    }

    /// Returns the position of the origin in metres at time `t`, including the displacement by the
    /// hand.
    pub(crate) fn shifted_at(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        shift.map_or(self.at(t), |shift| self.at(t) + shift.at(t))
    }

    /// Returns the velocity of the origin in m/s at time `t`, including the motion by the hand.
    pub fn velocity(&self, shift: Option<&ColliderShift>, t: f64) -> DVec3 {
        let path =
            (self.at(t + HALF_INTERVAL) - self.at(t - HALF_INTERVAL)) / (2.0 * HALF_INTERVAL);
        path + shift.map_or(DVec3::ZERO, |shift| shift.velocity(t))
    }

    /// Returns the velocity of the surface in m/s relative to the origin, at the point `out` (in
    /// metres from the origin).
    pub(crate) fn surface_velocity(&self, out: DVec3) -> DVec3 {
        self.belt + self.turn.cross(out)
    }
}

/// Displacement of a collider by the hand, relative to the collider's own path. It changes linearly
/// in the step of the hand's last motion and is constant afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColliderShift {
    /// Displacements in metres at the start and at the end of the hand's last motion.
    pub offsets: [DVec3; 2],
    /// Start and end of the hand's last motion, in seconds.
    pub times: [f64; 2],
}

impl ColliderShift {
    /// Returns the displacement at time `t` in metres. The end of a step and the start of the next
    /// step are the same instant and give the same bits.
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

    /// Returns the rate of change of the displacement at time `t`, in m/s.
    fn velocity(&self, t: f64) -> DVec3 {
        let ([from, to], [start, end]) = (self.offsets, self.times);
        if (start..=end).contains(&t) && end > start {
            (to - from) / (end - start)
        } else {
            DVec3::ZERO
        }
    }
}

/// Position and displacement of a collider in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Position of the origin at the start of the substep, in metres.
    pub start: DVec3,
    pub displacement: DVec3,
}

impl Placed {
    /// Returns the position of the origin in metres at `t`, a fraction of the substep from 0 to 1.
    pub fn at(&self, t: f64) -> DVec3 {
        self.start + self.displacement * t
    }
}

/// All colliders of a scene in one substep, with their positions.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Obstacles<'a> {
    pub colliders: &'a [Collider],
    /// Position and displacement of each collider.
    pub placed: &'a [Placed],
    /// Pairs of layers that pass through each other.
    pub layers: &'a Layers,
}

impl<'a> Obstacles<'a> {
    /// Yields the colliders that collide with bodies of a layer: index, collider and position.
    pub fn colliders_for(
        &self,
        layer: Layer,
    ) -> impl Iterator<Item = (u32, &'a Collider, &'a Placed)> + use<'a> {
        let layers = self.layers;
        let all = izip!(0.., self.colliders, self.placed);
        all.filter(move |(_, collider, _)| layers.may_collide(layer, collider.layer))
    }
}

#[cfg(test)]
impl<'a> Obstacles<'a> {
    /// Builds obstacles that collide with every layer.
    pub fn among(colliders: &'a [Collider], placed: &'a [Placed]) -> Self {
        Self { colliders, placed, layers: Box::leak(Box::default()) }
    }
}
