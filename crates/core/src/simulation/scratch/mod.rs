//! Buffers of a simulation, kept from step to step so that a step allocates no memory.

pub mod fused;
pub mod loads;

use super::meters::contact_work::ContactMeter;
use super::meters::pin_work::PinMeter;
use super::reaction::InMotionScratch;
use crate::contact::Contacts;
use crate::limit::Limits;
use fused::FusedScratch;
use glam::DVec3;
use loads::Loads;
use ropelab_mechanics::numerics::displacement::DisplacementBounds;
use ropelab_mechanics::numerics::state::State;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// State at the start of the last substep; used if a step has several substeps.
    pub before: State,
    /// Positions after free motion, before the projection onto constraints.
    pub free: Vec<DVec3>,
    /// Velocities after their update by the projection, v + (x − free)/h, before contact changes
    /// them.
    pub consistent_v: Vec<DVec3>,
    /// Motion velocities V at the start of the step (see `reaction.rs`). They are stored here while
    /// integrator velocities v replace them.
    pub motion_v: Vec<DVec3>,
    /// Buffers for free motion in which force laws are evaluated at the motion velocities V (see
    /// `reaction.rs`).
    pub in_motion: InMotionScratch,
    /// Contacts of the current substep, and buffers of their search.
    pub contacts: Contacts,
    /// Meter of the work of contact, for the energy account.
    pub meter: ContactMeter,
    /// Meter of the work of moving pins, for the energy account.
    pub pin_meter: PinMeter,
    /// Pinned particles and their positions at the end of the substep, in metres.
    pub pins: Vec<(u32, DVec3)>,
    /// Bounds of the displacements in the step, one entry per range of particles. They also tell
    /// whether positions and velocities are finite.
    pub bounds: Vec<(Range<usize>, DisplacementBounds)>,
    /// Buffers of the search for links that tear.
    pub loads: Loads,
    /// Tethers and strain limit: paths, and displacements by the limits.
    pub limits: Limits,
    pub fused: FusedScratch,
}
