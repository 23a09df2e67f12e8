//! Replay of a recording, and playback of the past.

use super::Laboratory;
use super::edits::LaboratoryAction;
use super::state::{Replayed, Replaying};
use crate::session::Event;
use crate::session::recording::{Record, Recording};
use crate::simulation::settings::Command;
use std::collections::VecDeque;
use std::time::Instant;

/// Shortest interval in seconds of the past that plays in a loop.
pub const SHORTEST_LOOP: f64 = 0.02;

impl Laboratory {
    /// Begins to repeat all events of a recording's last scene, one slice per frame of the window.
    /// The past then plays from its start.
    pub fn replay(&mut self, recording: &Recording) {
        let remaining: VecDeque<Record> = recording.last_records().cloned().collect();
        self.replaying = Replaying { count: remaining.len(), remaining, ..Replaying::default() };
    }

    pub fn is_replaying(&self) -> bool {
        !self.replaying.remaining.is_empty()
    }

    /// Returns the replayed fraction of a recording, from 0 to 1; `None` if no recording is being
    /// replayed.
    pub fn replayed_fraction(&self) -> Option<f64> {
        let Replaying { remaining, count, .. } = &self.replaying;
        (!remaining.is_empty()).then(|| 1.0 - remaining.len() as f64 / *count as f64)
    }

    /// Returns the result of a finished replay once; later calls return `None`.
    pub fn take_replayed(&mut self) -> Option<Replayed> {
        self.replaying.outcome.take()
    }

    pub(super) fn replay_slice(&mut self) {
        let began = Instant::now();
        while let Some(record) = self.replaying.remaining.pop_front() {
            match record {
                Record::Event(event) => {
                    if let Event::Command(command) = &event {
                        self.record_edit(command);
                    }
                    self.session.apply(&event);
                    self.record_event(event);
                }
                Record::Hashes(hashes) => {
                    self.replaying.compared += 1;
                    self.replaying.differs |= hashes != self.session.hashes();
                }
                Record::Start(_) | Record::Back { .. } | Record::Digests(_) => {}
            }
            if began.elapsed() >= self.slice {
                break;
            }
        }
        self.mark_edits_saved();
        if self.replaying.remaining.is_empty() {
            let Replaying { compared, differs, .. } = self.replaying;
            self.replaying.outcome = Some(Replayed { compared, same_bits: !differs });
            self.deselect_removed_lanes();
            // A waiting undo or redo needs the session at its newest moment.
            if self.edits.is_busy() {
                return self.pause_at_newest();
            }
            self.travel(self.history.start());
            self.past_speed = None;
            self.play_past();
        }
    }

    /// Replays the remaining records without a time limit.
    pub(super) fn finish_replaying(&mut self) {
        while self.is_replaying() {
            self.replay_slice();
        }
    }

    pub fn plays_past(&self) -> bool {
        self.replaying.playback_time.is_some()
    }

    /// Returns the speed of the shown time; 1 = real time. The past plays at the session's speed
    /// until the user chooses another speed.
    pub fn speed(&self) -> f64 {
        self.past_speed.unwrap_or(self.session.speed())
    }

    /// Sets the session's speed to the speed that was chosen while the past was shown.
    pub(super) fn apply_past_speed(&mut self) {
        if let Some(past_speed) = self.past_speed.take()
            && past_speed != self.session.speed()
        {
            self.carry_out(Command::Speed(past_speed));
        }
    }

    /// Plays the past from the shown moment to the newest one. If the newest moment is shown, plays
    /// from the start of the history. The history stays unchanged.
    pub fn play_past(&mut self) {
        if self.can_play_all() {
            self.travel(self.history.start());
        }
        let history = &self.history;
        self.replaying.playback_time =
            history.is_past().then(|| history.time_of(history.shown_moment()));
    }

    /// True if the session is paused at its newest moment and has a past.
    pub fn can_play_all(&self) -> bool {
        let history = &self.history;
        self.session.paused() && !history.is_past() && history.start() != history.end()
    }

    /// Returns the start and end of the looped interval of the past, in seconds of session time.
    pub fn looped(&self) -> Option<[f64; 2]> {
        self.replaying.looped
    }

    /// Plays an interval of the past in a loop until the user goes to another moment. An interval
    /// shorter than [`SHORTEST_LOOP`] only ends the current loop.
    pub fn loop_past(&mut self, [from, to]: [f64; 2]) {
        if to - from < SHORTEST_LOOP || self.is_replaying() {
            self.end_loop();
            return;
        }
        if self.edits.must_wait() {
            return self.queue_request(LaboratoryAction::LoopPast([from, to]));
        }
        self.travel(self.history.place_at(from));
        self.replaying.looped = Some([from, to]);
        self.play_past();
    }

    /// Ends the loop. Returns false if none was playing.
    pub fn end_loop(&mut self) -> bool {
        let was_looped = self.replaying.looped.take().is_some();
        if was_looped {
            self.stop_past();
        }
        was_looped
    }

    /// Stops the playback of the past. Returns true if the past was playing.
    pub fn stop_past(&mut self) -> bool {
        self.replaying.playback_time.take().is_some()
    }

    /// Advances the playback of the past by a frame of `seconds`.
    pub(super) fn advance_past(&mut self, seconds: f64) {
        if self.history.progress().is_none()
            && let Some(at) = self.replaying.playback_time
        {
            let time = at + seconds * self.speed();
            let time = match self.replaying.looped {
                // A frame may be longer than the interval, so the time wraps modulo the interval's
                // length.
                Some([from, to]) => from + (time - from).max(0.0) % (to - from),
                _ => time,
            };
            let place = self.history.place_at(time);
            let newest = self.history.time_of(self.history.end());
            let place = if time >= newest { self.history.end() } else { place };
            self.replaying.playback_time = (time < newest).then_some(time);
            if place != self.history.shown_moment() {
                self.history.start_travel(&mut self.session, place);
            }
        }
        self.continue_travel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROPE: &str = "(version: 1, name: \"rope\", \
        ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0))], pins: [(of: Start(\"rope\"))])";

    fn laboratory() -> Laboratory {
        Laboratory::of_text(ROPE)
    }

    #[test]
    fn a_stretch_plays_over_and_over_until_it_ends() {
        let mut laboratory = laboratory();
        let frame = 1.0 / 60.0;
        laboratory.whole_frames(90);
        let (end, hashes) = (laboratory.history().end(), laboratory.session().hashes());
        laboratory.loop_past([0.3, 0.6]);
        let mut times = Vec::new();
        for _ in 0..100 {
            laboratory.whole_frame(frame);
            // On a slow machine the session needs several frames to reach the moment.
            laboratory.finish_travel();
            times.push(laboratory.session().time());
        }
        let [least, most] = [f64::min, f64::max].map(|it| times.iter().copied().reduce(it));
        assert!(
            least.is_some_and(|t| (0.3 - frame..0.3 + 2.0 * frame).contains(&t)),
            "earliest time {least:?} s"
        );
        assert!(
            most.is_some_and(|t| (0.6 - 2.0 * frame..=0.6).contains(&t)),
            "latest time {most:?} s"
        );
        assert!(
            times.windows(2).filter(|pair| pair[1] < pair[0]).count() >= 4,
            "times of the loop {times:?} s"
        );
        assert!(laboratory.end_loop() && !laboratory.plays_past());
        let still = laboratory.session().time();
        laboratory.whole_frame(frame);
        assert_eq!(laboratory.session().time(), still);
        assert_eq!(laboratory.history().end(), end, "nothing became a branch");
        laboratory.loop_past([0.3, 0.6]);
        laboratory.travel(end);
        laboratory.finish_travel();
        assert_eq!((laboratory.looped(), laboratory.session().hashes()), (None, hashes));
        laboratory.loop_past([0.3, 0.305]);
        assert_eq!(laboratory.looped(), None, "too short");
    }

    #[test]
    fn the_past_plays_at_any_speed_and_the_session_goes_on_at_it() {
        let mut laboratory = laboratory();
        let frame = 1.0 / 60.0;
        let frames = |laboratory: &mut Laboratory, count| {
            laboratory.whole_frames(count);
            laboratory.finish_travel();
        };
        frames(&mut laboratory, 90);
        laboratory.command(Command::Speed(0.5));
        frames(&mut laboratory, 10);
        let end = laboratory.history().end();
        laboratory.travel(laboratory.history().place_at(0.5));
        assert_eq!(laboratory.speed(), 0.5, "the speed does not change by going to the past");
        laboratory.play_past();
        laboratory.command(Command::Speed(0.1));
        assert!(laboratory.plays_past(), "a slower past goes on playing");
        let before = laboratory.session().time();
        frames(&mut laboratory, 60);
        let elapsed = laboratory.session().time() - before;
        assert!((elapsed - 0.1).abs() < 1.5 * frame, "a second of slow motion: {elapsed} s");
        assert_eq!(laboratory.history().end(), end, "nothing became a branch");
        laboratory.stop_past();
        laboratory.command(Command::Pause(false));
        frames(&mut laboratory, 1);
        assert_eq!((laboratory.session().speed(), laboratory.speed()), (0.1, 0.1));
        assert!(laboratory.history().branch().is_some());
        laboratory.travel(laboratory.history().start());
        laboratory.command(Command::Speed(2.0));
        laboratory.travel(laboratory.history().end());
        frames(&mut laboratory, 1);
        assert_eq!((laboratory.session().speed(), laboratory.speed()), (2.0, 2.0), "newest");
        let (session, replay) = laboratory.recorded().replay();
        assert_eq!(replay.difference, None);
        assert_eq!(session.hashes(), laboratory.session().hashes());
    }

    #[test]
    fn a_past_that_was_played_to_its_end_plays_again_from_its_start() {
        let mut laboratory = laboratory();
        assert!(!laboratory.can_play_all(), "it has no past yet");
        laboratory.whole_frames(30);
        assert!(!laboratory.can_play_all(), "it runs");
        laboratory.command(Command::Pause(true));
        let (end, hashes) = (laboratory.history().end(), laboratory.session().hashes());
        assert!(laboratory.can_play_all());
        laboratory.play_past();
        assert!(laboratory.plays_past() && laboratory.history().is_past());
        laboratory.whole_frames(1);
        assert!(laboratory.session().time() < 0.1, "{} s", laboratory.session().time());
        laboratory.whole_frames(200);
        assert_eq!((laboratory.history().end(), laboratory.session().hashes()), (end, hashes));
        assert!(!laboratory.plays_past() && laboratory.can_play_all());
    }
}
