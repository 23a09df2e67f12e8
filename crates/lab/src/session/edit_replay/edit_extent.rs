//! Edits of the user, and the commands that belong to one edit, such as a drag.

use crate::session::event::Event;
use crate::simulation::settings::Command;

/// Removed commands, each with its index before the removal, counted from the edit.
pub type RemovedCommands = Vec<(usize, Command)>;

/// Extent of an edit, counted in events from its first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditExtent {
    /// Edit by hand: the first command and the commands that continue it. A stroke of the scissors
    /// or a drag of a slider ends with event `last` at the latest.
    Hand {
        /// Index of the last event that may belong to the scissors stroke or the slider drag.
        last: usize,
    },
    /// Edit of several commands: all commands among the first `count` events.
    All {
        /// Number of events over which the edit extends.
        count: usize,
    },
}

impl EditExtent {
    /// Returns, for each event, whether it belongs to the edit.
    pub(super) fn own_events(self, tail: &[Event]) -> Vec<bool> {
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
                    let reaches = lasts_until_ended(first) || number <= last;
                    let is_own = !ended && reaches && continues_edit(first, command);
                    ended |= ends_hand_edit(command);
                    is_own
                }
            });
        }
        own
    }
}

fn lasts_until_ended(first: &Command) -> bool {
    matches!(first, Command::Blow(_) | Command::Grab { .. } | Command::GrabCollider { .. })
}

/// True if a command continues the edit that began with the command `first`.
fn continues_edit(first: &Command, command: &Command) -> bool {
    match first {
        Command::Blow(_) => matches!(command, Command::Blow(_)),
        Command::Cut(_) => matches!(command, Command::Cut(_)),
        Command::Grab { .. } | Command::GrabCollider { .. } => {
            matches!(command, Command::MoveHand(_) | Command::Release)
        }
        Command::Configure { lane, .. } => {
            matches!(command, Command::Configure { lane: other, .. } if lane == other)
        }
        Command::ChangeScene(one) => {
            let paths = one.iter().map(|it| &it.path);
            matches!(command, Command::ChangeScene(other)
                if paths.eq(other.iter().map(|it| &it.path)))
        }
        Command::MoveHand(_)
        | Command::Release
        | Command::Throw(_)
        | Command::TogglePin(_)
        | Command::Reset
        | Command::Pause(_)
        | Command::SingleStep
        | Command::Speed(_)
        | Command::AddLane { .. }
        | Command::DuplicateLane(_)
        | Command::RemoveLane(_)
        | Command::NameLane { .. }
        | Command::EditScene(_) => false,
    }
}

fn ends_hand_edit(command: &Command) -> bool {
    matches!(
        command,
        Command::Blow(None)
            | Command::Release
            | Command::Reset
            | Command::Grab { .. }
            | Command::GrabCollider { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::lane_frame::LaneFrame;
    use glam::DVec3;

    fn event(command: Command) -> Event {
        Event::Command(Box::new(command))
    }

    fn frame() -> Event {
        Event::Frame { seconds: 0.016, lanes: vec![LaneFrame::default()] }
    }

    fn own(extent: EditExtent, tail: &[Event]) -> Vec<usize> {
        let own = extent.own_events(tail);
        (0..tail.len()).filter(|number| own[*number]).collect()
    }

    #[test]
    fn what_the_hand_did_belongs_together() {
        let way = || event(Command::MoveHand(DVec3::X));
        let tail = vec![
            event(Command::GrabCollider { collider: 0, at: DVec3::ZERO }),
            way(),
            frame(),
            event(Command::Pause(true)),
            way(),
            frame(),
            event(Command::Release),
            frame(),
            event(Command::Grab { particle: 0, mode: Default::default(), at: DVec3::ZERO }),
            way(),
        ];
        assert_eq!(own(EditExtent::Hand { last: 0 }, &tail), [0, 1, 4, 6]);
        assert_eq!(own(EditExtent::All { count: 5 }, &tail), [0, 1, 3, 4]);
    }

    #[test]
    fn a_stroke_of_the_scissors_and_a_pull_of_a_slider_end() {
        let cut = |link| event(Command::Cut(vec![link]));
        let tail = [cut(1), frame(), cut(2), frame(), cut(3), frame(), cut(4)];
        assert_eq!(
            own(EditExtent::Hand { last: 4 }, &tail),
            [0, 2, 4],
            "the last is another stroke"
        );
        assert_eq!(own(EditExtent::Hand { last: 0 }, &[cut(1), event(Command::Release)]), [0]);
        let set = |lane| event(Command::Configure { lane, settings: Default::default() });
        assert_eq!(own(EditExtent::Hand { last: 3 }, &[set(1), set(0), frame(), set(1)]), [0, 3]);
    }
}
