//! State of a recording's replay, and of the playback of the past.

use crate::app::disk::scene_source::{LoadedScene, Source};
use crate::session::recording::{Record, Recording};
use std::collections::VecDeque;

/// Records that are still to be replayed, and the playback of the past.
#[derive(Debug, Default)]
pub struct Replaying {
    pub remaining: VecDeque<Record>,
    /// Number of records when the replay began.
    pub count: usize,
    pub compared: usize,
    pub differs: bool,
    pub outcome: Option<Replayed>,
    /// Session time in seconds that the playback of the past has reached; `None` while the past
    /// does not play. A restart of the scene does not reset this time.
    pub playback_time: Option<f64>,
    /// Start and end of the looped interval, in seconds of session time.
    pub looped: Option<[f64; 2]>,
}

/// Result of the replay of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Number of moments at which states were compared.
    pub compared: usize,
    /// True if the states had the recorded bits at all compared moments.
    pub same_bits: bool,
}

/// Returns the last scene of a recording, and its source.
pub fn recorded_scene(recording: &Recording) -> (LoadedScene, Source) {
    let (start, scene) = recording.last_start();
    // A recording contains the meshes of its scene.
    let loaded = LoadedScene {
        scene: scene.clone(),
        file: start.file.clone(),
        text: start.scene.clone(),
        meshes: Vec::new(),
    };
    (loaded, Source::from_text(&start.scene))
}
