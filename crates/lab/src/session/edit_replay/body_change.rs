//! Commands that add, remove or renumber bodies.

use crate::simulation::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber};

/// Change of the bodies of a run, caused by a command.
pub(super) enum BodyChange<'a> {
    Throw,
    /// Removes all thrown balls.
    Reset,
    Edit(&'a SceneEdit),
    /// Changes values of the scene that determine the number of particles.
    Numbers(&'a [SceneNumber]),
}

impl<'a> BodyChange<'a> {
    /// Returns the change of bodies that a command causes. `None` if particles, links and obstacles
    /// keep their indices.
    pub(super) fn of(command: &'a Command) -> Option<Self> {
        match command {
            Command::Throw(_) => Some(Self::Throw),
            Command::Reset => Some(Self::Reset),
            Command::EditScene(edit) => Some(Self::Edit(edit)),
            Command::ChangeScene(numbers) => {
                changes_particle_count(numbers).then_some(Self::Numbers(numbers))
            }
            Command::Grab { .. }
            | Command::GrabCollider { .. }
            | Command::MoveHand(_)
            | Command::Release
            | Command::Blow(_)
            | Command::TogglePin(_)
            | Command::Cut(_)
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::Configure { .. }
            | Command::AddLane { .. }
            | Command::DuplicateLane(_)
            | Command::RemoveLane(_)
            | Command::NameLane { .. } => None,
        }
    }
}

/// True if a change of these values may change the number of particles.
fn changes_particle_count(numbers: &[SceneNumber]) -> bool {
    numbers.iter().any(|it| it.path.ends_with("segments") || it.path.contains("cells"))
}
