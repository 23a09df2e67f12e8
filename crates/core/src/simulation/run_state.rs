//! Mutable state of a simulation.

use super::hand_state::Hand;
use super::settings::Settings;
use super::timing::clock::Clock;
use super::timing::frame_under_way::FrameUnderWay;
use super::timing::stepper::{Plan, Stepper};
use crate::contact::{self, ColliderShift};
use crate::measure::{Drift, Explosion, Overstretch, Stretch, TooCompliant, Unconverged};
use crate::model::{Blow, Energy};
use glam::DVec3;
use ropelab_mechanics::numerics::state::{State, Workspace};

/// Value of `start_energy` that makes the next step compute the energy. Several cuts in one frame
/// then cost only one pass over all links.
pub(super) const ENERGY_NOT_COMPUTED: f64 = f64::INFINITY;

/// State that steps, frames and the hand (the user's mouse) change. Pins, cuts and thrown balls
/// belong to the model. All other data of a simulation follow from settings and model, or have no
/// meaning between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunState {
    pub state: State,
    /// State one step before `state`. The drawn state is a blend of these two.
    pub previous: State,
    /// Memory of the integrator: earlier steps, proposed length of the next step, report of the
    /// last step.
    pub work: Workspace,
    /// Reaction r of each particle: its acceleration in m/s² due to constraints and contacts in the
    /// last substep, see `reaction.rs`. Empty before the first substep, and if the settings need no
    /// reactions.
    pub reaction: Vec<DVec3>,
    /// Part of `reaction` due to contacts at position level. Empty if `reaction` is empty or there
    /// were no contacts.
    pub contact_reaction: Vec<DVec3>,
    /// Forces of links in newtons for the warm start of the solver; empty without a warm start.
    pub link_forces: Vec<f64>,
    /// Fraction s of a constant acceleration that the integrator omitted in the last substep (see
    /// `reaction.rs`): motion velocity V = integrator velocity v + s h `reaction`.
    pub omitted_fraction: f64,
    pub clock: Clock,
    pub stepper: Stepper,
    pub plan: Plan,
    pub frame: Option<FrameUnderWay>,
    pub hand: Option<Hand>,
    /// Displacements of colliders by the hand; empty until the hand grabs a collider for the first
    /// time.
    pub shifts: Vec<ColliderShift>,
    /// Released colliders on the way to the place of their release: index of the collider, and this
    /// place in metres.
    pub arriving: Vec<(u32, DVec3)>,
    pub blow: Option<Blow>,
    pub failure: Option<Failure>,
    pub overstretch: Option<Overstretch>,
    pub compliance: Compliance,
    pub unconverged: Unconverged,
    /// Reference for energy growth in joules: the total energy at the start, or after the last
    /// change by the hand.
    pub start_energy: f64,
    /// Number of sweeps of the last projection.
    pub sweeps: u32,
    pub stretch_armed: bool,
    pub drift: Drift,
    pub last_sample: LastSample,
    /// Spins of balls, forces of lasting contacts, and counts of contact.
    pub contact_memory: contact::ContactMemory,
    /// Number of scheduled balls that have been thrown.
    pub scheduled_throws: u32,
    /// Links that tear at the start of the next step.
    pub overloaded: Vec<u32>,
    /// Number of links that have torn since the start of the scene.
    pub torn: u64,
    /// Number of restarts so far.
    pub starts: u32,
}

/// An explosion with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Failure {
    pub explosion: Explosion,
    pub settings: Settings,
}

/// Time during which links have been longer than their stiffness allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Compliance {
    /// Total simulated time with overlong links, in seconds.
    pub seconds: f64,
    /// Number of the first step in which the next check is allowed.
    pub next: u64,
    /// Worst link at the time when `seconds` reached the limit; `None` before.
    pub found: Option<TooCompliant>,
}

/// Last measured energy and stretch. In large scenes a frame measures only one of them, or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LastSample {
    /// Number of samples so far.
    pub samples: u64,
    pub energy: Energy,
    pub stretch: Stretch,
}

impl RunState {
    pub fn at_start(state: State, geometry: &contact::Geometry) -> Self {
        let contact_memory = contact::ContactMemory::new(geometry);
        Self {
            previous: state.clone(),
            state,
            stretch_armed: true,
            contact_memory,
            ..Self::default()
        }
    }

    /// Makes the next step compute the reference for energy growth, because an external change
    /// alters the energy.
    pub fn request_start_energy(&mut self) {
        self.start_energy = ENERGY_NOT_COMPUTED;
    }

    /// Copies `other` into existing buffers, without data that have no meaning between steps.
    pub fn copy_from(&mut self, other: &Self) {
        let mut copy = std::mem::take(self);
        copy.state.copy_from(&other.state);
        copy.previous.copy_from(&other.previous);
        copy.work.copy_memory(&other.work);
        copy.reaction.clone_from(&other.reaction);
        copy.contact_reaction.clone_from(&other.contact_reaction);
        copy.link_forces.clone_from(&other.link_forces);
        copy.shifts.clone_from(&other.shifts);
        copy.arriving.clone_from(&other.arriving);
        copy.contact_memory.copy_from(&other.contact_memory);
        copy.overloaded.clone_from(&other.overloaded);
        *self = Self {
            state: copy.state,
            previous: copy.previous,
            work: copy.work,
            reaction: copy.reaction,
            contact_reaction: copy.contact_reaction,
            link_forces: copy.link_forces,
            shifts: copy.shifts,
            arriving: copy.arriving,
            contact_memory: copy.contact_memory,
            overloaded: copy.overloaded,
            ..*other
        };
    }
}
