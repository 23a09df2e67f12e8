//! Commands that belong to one edit.

use crate::session::Event;
use crate::simulation::settings::Command;

/// Commands that were taken out, each with its number among the events with it.
pub type Gesture = Vec<(usize, Command)>;

/// Extent of an edit among the events from its first command on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// What a hand did: the first command, and those that go on with it. Cuts of one stroke, and
    /// numbers and settings that one slider set, reach up to the event of this number.
    Hand {
        /// Number of the last event that may belong to it.
        last: usize,
    },
    /// All commands of so many events.
    All {
        /// Number of events.
        count: usize,
    },
}

impl Taken {
    /// Returns for each event whether it belongs to the edit.
    pub(super) fn of(self, tail: &[Event]) -> Vec<bool> {
        let (mut first, mut ended): (Option<&Command>, bool) = (None, false);
        let mut own = Vec::with_capacity(tail.len());
        for (number, event) in tail.iter().enumerate() {
            let command = match event {
                Event::Command(command) => Some(&**command),
                Event::Frame { .. } => None,
            };
            own.push(match (self, command, first) {
                (Self::All { count }, command, _) => command.is_some() && number < count,
                (_, None, _) => false,
                (Self::Hand { .. }, Some(command), None) => {
                    first = Some(command);
                    true
                }
                (Self::Hand { last }, Some(command), Some(first)) => {
                    let reaches = lasts(first) || number <= last;
                    let is_own = !ended && reaches && continues(first, command);
                    ended |= ends(command);
                    is_own
                }
            });
        }
        own
    }
}

/// True if an edit that begins with this command lasts until something ends it.
fn lasts(first: &Command) -> bool {
    matches!(first, Command::Blow(_) | Command::Grab { .. } | Command::GrabCollider { .. })
}

/// True if a command goes on with what another one began.
fn continues(first: &Command, command: &Command) -> bool {
    match (first, command) {
        (Command::Blow(_), Command::Blow(_)) | (Command::Cut(_), Command::Cut(_)) => true,
        (Command::Grab { .. } | Command::GrabCollider { .. }, _) => {
            matches!(command, Command::MoveHand(_) | Command::Release)
        }
        (Command::Configure { lane, .. }, Command::Configure { lane: other, .. }) => lane == other,
        (Command::ChangeScene(one), Command::ChangeScene(other)) => {
            one.iter().map(|it| &it.path).eq(other.iter().map(|it| &it.path))
        }
        _ => false,
    }
}

/// True if nothing after a command belongs to what the hand began before.
fn ends(command: &Command) -> bool {
    matches!(
        command,
        Command::Blow(None)
            | Command::Release
            | Command::Reset
            | Command::Grab { .. }
            | Command::GrabCollider { .. }
    )
}
