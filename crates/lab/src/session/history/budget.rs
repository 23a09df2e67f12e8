//! Memory budget of the history, which decides on the keyframes (snapshots) and events that are
//! kept.

use super::super::side_by_side::Session;
use super::History;
use super::keyframe::{EVENT_BYTES, Keyframe};
use std::sync::Arc;

impl History {
    /// Stores the newest moment as a keyframe. This is necessary after a change that is not an
    /// event, e.g. of the source of frames. It has no effect while the session shows an earlier
    /// moment.
    pub fn keep_moment(&mut self, session: &Session) {
        if self.is_past() {
            return;
        }
        let newest = self.end().events;
        if self.keyframes.back().is_some_and(|keyframe| keyframe.events == newest) {
            self.bytes -= self.keyframes.pop_back().map_or(0, |keyframe| keyframe.bytes);
        }
        self.add_keyframe(session);
    }

    pub(super) fn add_keyframe(&mut self, session: &Session) {
        let (snapshot, events) = (session.snapshot(), self.end().events);
        let before = self.keyframes.back().map(|keyframe| &*keyframe.snapshot);
        let bytes = snapshot.bytes() + snapshot.scene_bytes(before);
        self.bytes += bytes;
        let snapshot = Arc::new(snapshot);
        self.keyframes.push_back(Keyframe { snapshot, events, bytes, work: self.work });
        (self.frames, self.seconds) = (0, 0.0);
        self.free_memory();
    }

    pub(super) fn free_memory(&mut self) {
        while self.bytes > self.budget {
            if self.free_memory_of_branches() {
                continue;
            }
            if self.events.len() * EVENT_BYTES > self.budget / 2 && self.keyframes.len() > 1 {
                self.drop_oldest_keyframe();
            } else if !self.drop_densest_keyframe() {
                break;
            }
        }
    }

    /// Drops the keyframe whose neighbours are closest together relative to its age. If only two
    /// keyframes are left, drops the older one. Returns false if only one is left.
    fn drop_densest_keyframe(&mut self) -> bool {
        let gap = |place: usize| {
            let work = |place: usize| self.keyframes[place].work;
            (work(place + 1) - work(place - 1)) / (self.work - work(place) + 1.0)
        };
        let middle = 1..self.keyframes.len().saturating_sub(1);
        let least = middle.min_by(|a, b| gap(*a).total_cmp(&gap(*b)));
        match least.and_then(|place| self.keyframes.remove(place)) {
            Some(keyframe) => {
                self.bytes -= keyframe.bytes;
                true
            }
            None if self.keyframes.len() > 1 => {
                self.drop_oldest_keyframe();
                true
            }
            None => false,
        }
    }

    fn drop_oldest_keyframe(&mut self) {
        let oldest = self.keyframes.pop_front();
        let first = self.keyframes.front().map_or(self.dropped_events, |keyframe| keyframe.events);
        let forgotten = first - self.dropped_events;
        self.start_time =
            self.events.drain(..forgotten).next_back().map_or(self.start_time, |it| it.end);
        self.bytes -= oldest.map_or(0, |it| it.bytes) + forgotten * EVENT_BYTES;
        self.dropped_events = first;
        self.marks.retain(|mark| mark.events > first);
        self.drop_branches_before(first);
    }
}
