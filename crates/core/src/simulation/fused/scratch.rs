//! Buffers of the fused step.

use crate::contact::MotionBounds;
use crate::numerics::displacement::DisplacementBounds;
use crate::numerics::state::Workspace;
use glam::DVec3;
use std::ops::Range;

/// Buffers of one step.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct FusedScratch {
    /// Plans of the substeps.
    pub planned: Vec<PlannedSubstep>,
    /// Buffers of the strips into which sweeps may cut the particles: one more than there are
    /// threads.
    pub thread_scratch: Vec<ThreadScratch>,
    /// Integrator's memory of time after the substeps so far, without columns of particles.
    pub time_memory: Workspace,
    /// Integrator's memory before the step, kept if the step may have to be undone.
    pub remembered: Workspace,
    /// Bounds of the motion of bodies that must not have touched anything.
    pub motion_bounds: MotionBounds,
    /// Number of plain steps until the next attempt, after a fused step that had to be undone.
    pub plain_steps_left: u32,
}

/// Data of one substep that are the same for all particles.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct PlannedSubstep {
    /// Time at the start, in seconds.
    pub t: f64,
    /// Pinned particles and their positions at the end in metres, ascending.
    pub pins: Vec<(u32, DVec3)>,
    /// Part of the integrator's memory about time, without columns of particles.
    pub remembered: Workspace,
}

/// Buffers of one strip of the particles, which one thread processes.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct ThreadScratch {
    /// Integrator's memory of the part in free motion.
    pub work: Workspace,
    /// Bounds of the displacements of particles that have finished the last substep, one entry per
    /// run of particles.
    pub bounds: Vec<(Range<usize>, DisplacementBounds)>,
    /// Bounds of the motion of bodies, if contact is possible.
    pub motion_bounds: MotionBounds,
}
