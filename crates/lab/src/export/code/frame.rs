//! Frames of the engine that calls exported code.

/// Duration of a frame in seconds. An engine calls the exported function once per frame.
pub(super) const FRAME: f64 = 1.0 / 60.0;

/// Returns how many steps of `dt` seconds cover a frame. A remainder of up to a millionth of a step
/// is a rounding error of `dt` and needs no additional step.
pub(super) fn steps_of_a_frame(dt: f64) -> f64 {
    (FRAME / dt - 1e-6).ceil()
}
