use glam::DVec3;

/// A frame in progress: its steps are planned, but not all of them are taken yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::simulation) struct FrameUnderWay {
    pub seconds: f64,
    /// Number of steps taken so far.
    pub taken: u32,
    /// True if computing the frame's steps takes longer than the time that they simulate.
    pub falls_behind: bool,
    /// Position of the hand when the frame began, in metres.
    pub hand_from: DVec3,
}
