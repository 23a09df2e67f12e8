//! Memory budget of the history: which keyframes and events are kept.

use super::super::Session;
use super::{EVENT_BYTES, History, Keyframe};
use std::sync::Arc;

impl History {
    pub(super) fn keep(&mut self, session: &Session) {
        let (snapshot, events) = (session.snapshot(), self.end().events);
        let before = self.keyframes.back().map(|keyframe| &*keyframe.snapshot);
        let bytes = snapshot.bytes() + snapshot.scene_bytes(before);
        self.bytes += bytes;
        let snapshot = Arc::new(snapshot);
        self.keyframes.push_back(Keyframe { snapshot, events, bytes, work: self.work });
        (self.frames, self.seconds) = (0, 0.0);
        self.keep_to_budget();
    }

    pub(super) fn keep_to_budget(&mut self) {
        while self.bytes > self.budget {
            if self.forget_of_branches() {
                continue;
            }
            if self.events.len() * EVENT_BYTES > self.budget / 2 && self.keyframes.len() > 1 {
                self.forget_oldest();
            } else if !self.thin() {
                break;
            }
        }
    }

    /// Drops the keyframe with the smallest gap between its neighbours relative to its age. If only
    /// two keyframes are left, drops the older one. Returns false if only one is left.
    fn thin(&mut self) -> bool {
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
                self.forget_oldest();
                true
            }
            None => false,
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.keyframes.pop_front();
        let first = self.keyframes.front().map_or(self.gone, |keyframe| keyframe.events);
        let forgotten = first - self.gone;
        self.start_time =
            self.events.drain(..forgotten).next_back().map_or(self.start_time, |it| it.end);
        self.bytes -= oldest.map_or(0, |it| it.bytes) + forgotten * EVENT_BYTES;
        self.gone = first;
        self.marks.retain(|mark| mark.events > first);
        self.forget_branches_before(first);
    }
}
