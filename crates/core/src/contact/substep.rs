//! Arguments of contact in a substep: columns and motion of the particles, time, and bodies.

use super::bodies::collider::ColliderShift;
use super::bodies::geometry::Geometry;
use glam::DVec3;
use ropelab_mechanics::mesh::Mesh;
use ropelab_mechanics::mesh::topology::Topology;

/// Columns of the particles in one substep, with one entry per particle.
#[derive(Debug)]
pub struct Columns<'a> {
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
    /// Velocities at the start of the substep, in m/s.
    pub v_start: &'a [DVec3],
    /// Positions at the end of the substep, in metres: computed by the integrator, then corrected
    /// by contact.
    pub x: &'a mut [DVec3],
    /// Velocities at the end of the substep, in m/s.
    pub v: &'a mut [DVec3],
    /// True if sweeps have moved particles since contacts were found.
    pub swept: bool,
}

/// Time and length of a substep, and its gravity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instant {
    /// Start of the substep in seconds.
    pub t: f64,
    /// Length of the substep in seconds.
    pub h: f64,
    /// Acceleration of gravity in m/s².
    pub g: f64,
    /// Factor c of the displacement c a h² that a projection removes if the particle is held
    /// against an acceleration a; see [`crate::integrate::Displacement::projected_fraction`].
    pub projected_fraction: f64,
}

impl Instant {
    pub(super) fn force_scale(&self) -> ForceScale {
        ForceScale { h: self.h, projected_fraction: self.projected_fraction }
    }
}

/// Conversion of multipliers into forces in a substep. If a particle is held against an
/// acceleration a, a projection removes the displacement c a h², with c = `projected_fraction`.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct ForceScale {
    pub h: f64,
    pub projected_fraction: f64,
}

impl ForceScale {
    /// Returns the force in newtons per kg·m of a multiplier λ. The multiplier moves a particle of
    /// inverse mass w by λ w, which is as far as a force λ/(c h²) moves it.
    pub fn force_rate(self) -> f64 {
        1.0 / (self.projected_fraction * self.h * self.h)
    }

    /// Returns the impulse in N·s on the spin of a ball per kg·m of a multiplier.
    pub fn turn_rate(self) -> f64 {
        1.0 / (self.projected_fraction * self.h)
    }
}

/// Motion of all particles in a substep, before sweeps.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct SubstepMotion<'a> {
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
    /// Positions at the end of the substep as computed so far, in metres.
    pub x: &'a [DVec3],
    /// Inverse masses in 1/kg.
    pub w: &'a [f64],
    /// Length of the substep in seconds.
    pub h: f64,
    /// Largest displacement of a particle beyond `x` by links, in metres.
    pub margin: f64,
    /// True for the discrete method, which uses only the positions at the end.
    pub discrete: bool,
}

/// Bodies of a simulation in one substep.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Balls, points and colliders.
    pub geometry: &'a Geometry,
    /// Ropes and cloths of the scene.
    pub mesh: &'a Mesh,
    /// Links and triangles that are not cut.
    pub topology: &'a Topology,
    /// Inverse masses in 1/kg, 0 = pinned.
    pub w: &'a [f64],
    /// Displacements of colliders by the hand, by collider index. Colliders after the end of the
    /// list have none.
    pub shifts: &'a [ColliderShift],
}
