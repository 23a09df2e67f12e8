//! Buffers of a lane, kept from step to step so that a step allocates nothing.

use super::fused::scratch::FusedScratch;
use super::observation::contact_work::ContactMeter;
use super::observation::pin_work::PinMeter;
use super::reaction::InMotionScratch;
use super::tear::Loads;
use crate::contact::Contacts;
use crate::limit::Limits;
use crate::numerics::displacement::DisplacementBounds;
use crate::numerics::state::State;
use glam::DVec3;
use std::ops::Range;

/// Buffers of one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// State at the start of the last substep, if a step has several substeps.
    pub before: State,
    /// Positions after free motion, before the constraints.
    pub free: Vec<DVec3>,
    /// Velocities that agree with the positions, before contact changes them.
    pub consistent_v: Vec<DVec3>,
    /// Velocities of the motion at the start of the step, while the integrator's own replace them.
    pub motion_v: Vec<DVec3>,
    /// Buffers for integrating with laws that see the velocities of the motion.
    pub in_motion: InMotionScratch,
    /// Contacts of the current substep, and buffers.
    pub contacts: Contacts,
    /// Meter of the work of contact.
    pub meter: ContactMeter,
    /// Meter of the work of moving pins.
    pub pin_meter: PinMeter,
    /// Pinned particles and their positions at the end of the substep, in metres.
    pub pins: Vec<(u32, DVec3)>,
    /// Bounds of the displacements in the step, one entry per run of particles. They also tell
    /// whether particles are finite.
    pub bounds: Vec<(Range<usize>, DisplacementBounds)>,
    /// Buffers of the search for links that tear.
    pub loads: Loads,
    /// Tethers and strain limit.
    pub limits: Limits,
    /// Buffers of the fused step.
    pub fused: FusedScratch,
}
