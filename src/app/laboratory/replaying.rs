//! A recording that was opened happens again; and the past plays, without going on from it.

use super::Laboratory;
use crate::app::disk::scene_source::{LoadedScene, Source};
use crate::session::Event;
use crate::session::recording::{Record, Recording};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long a frame of the window computes what was recorded.
const SLICE: Duration = Duration::from_millis(25);

/// Rest of a recording, and whether the past plays.
#[derive(Debug, Default)]
pub(super) struct Replaying {
    left: VecDeque<Record>,
    /// Records at the beginning.
    of: usize,
    compared: usize,
    differs: bool,
    outcome: Option<Replayed>,
    /// Seconds of the session at which the past plays, over all its starts.
    plays_at: Option<f64>,
}

/// How a recording that was opened has repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Moments at which the states were compared.
    pub compared: usize,
    /// Whether all of them had the recorded bits.
    pub same_bits: bool,
}

/// The scene of a recording and where it came from: its last one, if several were opened.
pub fn recorded_scene(recording: &Recording) -> (LoadedScene, Source) {
    let (start, scene) = recording.last_start();
    let loaded =
        LoadedScene { scene: scene.clone(), file: start.file.clone(), text: start.scene.clone() };
    (loaded, Source::of_text(&start.scene))
}

impl Laboratory {
    /// Everything that was recorded of the scene happens again, in slices, a frame of the window
    /// each. Then the past plays from its start.
    pub fn replay(&mut self, recording: &Recording) {
        let left: VecDeque<Record> = recording.last_records().cloned().collect();
        self.replaying = Replaying { of: left.len(), left, ..Replaying::default() };
    }

    /// Whether a recording happens again.
    pub fn is_replaying(&self) -> bool {
        !self.replaying.left.is_empty()
    }

    /// Share of a recording that has been repeated, while it is.
    pub fn replayed_part(&self) -> Option<f64> {
        let Replaying { left, of, .. } = &self.replaying;
        (!left.is_empty()).then(|| 1.0 - left.len() as f64 / *of as f64)
    }

    /// How the recording has repeated: said once.
    pub fn take_replayed(&mut self) -> Option<Replayed> {
        self.replaying.outcome.take()
    }

    pub(super) fn replay_slice(&mut self) {
        let began = Instant::now();
        while began.elapsed() < SLICE {
            let Some(record) = self.replaying.left.pop_front() else { break };
            match record {
                Record::Event(event) => {
                    if let Event::Command(command) = &event {
                        self.note_edit(command);
                    }
                    self.session.apply(&event);
                    self.happened(event);
                }
                Record::Hashes(hashes) => {
                    self.replaying.compared += 1;
                    self.replaying.differs |= hashes != self.session.hashes();
                }
                Record::Start(_) | Record::Back { .. } | Record::Digests(_) => {}
            }
        }
        if self.replaying.left.is_empty() {
            let Replaying { compared, differs, .. } = self.replaying;
            self.replaying.outcome = Some(Replayed { compared, same_bits: !differs });
            self.forget_lost_lanes();
            self.travel(self.history.start());
            self.play_past();
        }
    }

    /// Repeats the rest of a recording now.
    pub(super) fn finish_replaying(&mut self) {
        while self.is_replaying() {
            self.replay_slice();
        }
    }

    /// Whether the past plays.
    pub fn plays_past(&self) -> bool {
        self.replaying.plays_at.is_some()
    }

    /// The past plays from the moment that the session is at, at its own speed, up to the newest
    /// moment. Nothing becomes a branch.
    pub fn play_past(&mut self) {
        let history = &self.history;
        self.replaying.plays_at = history.is_past().then(|| history.time_of(history.here()));
    }

    /// The past stands still. Answers whether it played.
    pub fn stop_past(&mut self) -> bool {
        self.replaying.plays_at.take().is_some()
    }

    /// Lets a frame of the past pass.
    pub(super) fn pass_past(&mut self, seconds: f64) {
        if self.history.progress().is_none()
            && let Some(at) = self.replaying.plays_at
        {
            let time = at + seconds * self.session.speed();
            let place = self.history.place_at(time);
            let newest = self.history.time_of(self.history.end());
            let place = if time >= newest { self.history.end() } else { place };
            self.replaying.plays_at = (time < newest).then_some(time);
            if place != self.history.here() {
                self.history.set_out(&mut self.session, place);
            }
        }
        self.pursue();
    }
}
