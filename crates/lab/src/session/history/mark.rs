//! Marks on the timeline of a session.

use crate::simulation::settings::Command;

/// Mark on the timeline: an event to which the user may want to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Number of events up to and including the marked event.
    pub events: usize,
    /// Kind of the event.
    pub kind: MarkKind,
}

/// Kind of a marked event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Explosion of a lane (one simulation of the scene).
    Explosion {
        /// Index of the lane at the time of the explosion.
        lane: usize,
        /// Palette index of the lane's colour. It never changes.
        color: usize,
    },
    /// Cut of links.
    Cut,
    /// Throw of a ball.
    Throw,
    /// Pinning or freeing of a particle.
    Pin,
    /// Grab of a particle or collider by the hand.
    Drag,
    /// Change of a lane's settings.
    Settings,
    /// Addition or removal of a lane.
    Lanes,
    /// Change of gravity, wind or a material.
    Scene,
    /// Addition or removal of a body.
    Body,
    /// Restart of the scene.
    Restart,
}

impl MarkKind {
    /// Returns the kind of mark for a command; `None` if the command gets no mark.
    pub(super) fn of(command: &Command) -> Option<Self> {
        match command {
            Command::Grab { .. } | Command::GrabCollider { .. } => Some(Self::Drag),
            Command::Throw(_) => Some(Self::Throw),
            Command::TogglePin(_) => Some(Self::Pin),
            Command::Cut(_) => Some(Self::Cut),
            Command::Reset => Some(Self::Restart),
            Command::Configure { .. } => Some(Self::Settings),
            Command::AddLane { .. } | Command::DuplicateLane(_) | Command::RemoveLane(_) => {
                Some(Self::Lanes)
            }
            Command::ChangeScene(_) => Some(Self::Scene),
            Command::EditScene(_) => Some(Self::Body),
            Command::MoveHand(_)
            | Command::Release
            | Command::Blow(_)
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::NameLane { .. } => None,
        }
    }
}
