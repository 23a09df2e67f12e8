//! Arguments that a step passes to contact: the particles of a substep, its time, and the bodies.

use super::resolve::position_level::Pace;
use super::{ColliderShift, Geometry};
use crate::mesh::Mesh;
use crate::mesh::topology::Topology;
use glam::DVec3;

/// The particles in one substep, one entry each.
#[derive(Debug)]
pub struct Columns<'a> {
    /// Positions at the start, in metres.
    pub start: &'a [DVec3],
    /// Velocities at the start, in m/s.
    pub v_start: &'a [DVec3],
    /// Positions at the end, in metres: on entry those of the integrator, on return those after
    /// contact.
    pub x: &'a mut [DVec3],
    /// Velocities at the end, in m/s.
    pub v: &'a mut [DVec3],
    /// True if sweeps have moved anything since contacts were found.
    pub swept: bool,
}

/// Time of a substep, and its gravity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instant {
    /// Start in seconds.
    pub t: f64,
    /// Length in seconds.
    pub h: f64,
    /// Acceleration of gravity in m/s².
    pub g: f64,
    /// Share of a h² that a projection undoes, see [`crate::integrate::Integrator`].
    pub undone: f64,
}

impl Instant {
    pub(super) fn pace(&self) -> Pace {
        Pace { h: self.h, undone: self.undone }
    }
}

/// A lane's bodies in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Balls and obstacles.
    pub geometry: &'a Geometry,
    /// Ropes and cloths of the scene.
    pub mesh: &'a Mesh,
    /// Links and triangles that are left after cuts.
    pub topology: &'a Topology,
    /// Inverse masses in 1/kg, 0 = pinned.
    pub w: &'a [f64],
    /// Displacements of the first colliders by the hand; the hand has not moved the others.
    pub shifts: &'a [ColliderShift],
}
