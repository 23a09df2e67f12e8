use crate::contact::SubstepBounds;
use glam::DVec3;
use ropelab_mechanics::numerics::displacement::DisplacementBounds;
use ropelab_mechanics::numerics::state::Workspace;
use std::ops::Range;

/// Buffers of the fused step, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct FusedScratch {
    /// Times and pins of the substeps.
    pub planned: Vec<PlannedSubstep>,
    /// Buffers of the threads that share the particles: one more than there are threads.
    pub thread_scratch: Vec<ThreadScratch>,
    /// Part of the integrator's memory that concerns time (step length, age) after the substeps so
    /// far, without columns of particles.
    pub time_memory: Workspace,
    /// Integrator's memory before the step, stored if the step may be undone.
    pub remembered: Workspace,
    /// Bounds of the motion of all bodies with contact in the step.
    pub motion_bounds: SubstepBounds,
    /// Number of plain (not fused) steps until the next attempt, after a fused step that had to be
    /// undone.
    pub plain_steps_left: u32,
}

/// Data of one substep that are the same for all particles.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct PlannedSubstep {
    /// Time at the start of the substep, in seconds.
    pub t: f64,
    /// Pinned particles in ascending order, with their positions at the end of the substep in
    /// metres.
    pub pins: Vec<(u32, DVec3)>,
    /// Part of the integrator's memory that concerns time (step length, age) in this substep,
    /// without columns of particles.
    pub remembered: Workspace,
}

/// Buffers of one thread, which processes a range of the particles.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct ThreadScratch {
    /// Integrator's memory of the particles whose free motion is being computed.
    pub work: Workspace,
    /// Bounds of the displacements of particles that have finished the step, one entry per range of
    /// particles.
    pub bounds: Vec<(Range<usize>, DisplacementBounds)>,
    /// Bounds of the motion of the thread's bodies, if contact is possible.
    pub motion_bounds: SubstepBounds,
}
