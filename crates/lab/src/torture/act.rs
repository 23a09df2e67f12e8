//! Random operations on a session.

use crate::preset::Preset;
use crate::simulation::settings::Command;

/// Act: a random operation on a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// One frame of the session is computed.
    Frame {
        /// Length of the frame in seconds.
        seconds: f64,
        /// Number of steps after which the watchdog ends the frame; `None` for a complete frame.
        steps: Option<u32>,
    },
    /// One command is given to the session.
    Command(Box<Command>),
    /// The session returns to an earlier moment, given as a fraction of the kept history. Later
    /// acts continue from there.
    Seek(f64),
    /// The session goes back by this many steps, one at a time.
    StepBack(usize),
    /// The lanes of a comparison replace all lanes. The comparison starts from the settings of the
    /// lane with this index.
    Compare(Preset, usize),
    /// An earlier edit (a mouse drag, or a change of settings, scene or lanes) is undone. The value
    /// selects the edit, as a fraction of all edits.
    Undo(f64),
    /// The edit that was undone last is redone.
    Redo,
    /// The session switches to the last branch.
    SwitchBranch,
    /// The recording is read and replayed, and the session continues from its end.
    Reload,
    /// The scene is saved twice, as typed and with the current state of each lane, and then read
    /// again.
    Save,
}
