//! Keyframes (snapshots) of a history, and the events between them.

use super::super::event::Event;
use super::super::snapshot::SessionSnapshot;
use std::sync::Arc;

/// Assumed size of an event in bytes, with the numbers of a few lanes.
pub(super) const EVENT_BYTES: usize = size_of::<TimedEvent>() + 64;

#[derive(Clone, Debug)]
pub(super) struct Keyframe {
    pub(super) snapshot: Arc<SessionSnapshot>,
    /// Number of events from the start of the session to the keyframe.
    pub(super) events: usize,
    pub(super) bytes: usize,
    pub(super) work: f64,
}

#[derive(Clone, Debug)]
pub(super) struct TimedEvent {
    pub(super) event: Event,
    /// Session time in seconds after the event. A restart of the scene does not reset it.
    pub(super) end: f64,
}
