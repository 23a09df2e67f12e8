//! Processor time of a frame outside the solvers and the graphics driver.

use serde::Serialize;

/// Seconds of one frame, by purpose: processor time of the drawing thread, and for `record` of the
/// stepping ones, so that other programs do not count. On systems other than Linux, wall-clock
/// time.
///
/// Not included: the time steps, every call of OpenGL and of the window system, and work
/// inseparable from them: egui turns its shapes into triangles and uploads them in one call, and
/// macroquad does so with the text of the scale bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Overhead {
    /// Files that changed, actions, commands.
    pub actions: f64,
    /// Panels, plots, bars and messages.
    pub interface: f64,
    /// Handling of the mouse: picking, dragging, moving the camera.
    pub hand: f64,
    /// Energy and stretch, sampled in each lane; the sum over the lanes.
    pub record: f64,
    /// Positions to draw, and boxes around them.
    pub pictures: f64,
    /// Vertices, normals, shadows and marks.
    pub view: f64,
}

impl Overhead {
    /// Seconds altogether.
    pub fn total(&self) -> f64 {
        let Self { actions, interface, hand, record, pictures, view } = self;
        actions + interface + hand + record + pictures + view
    }
}

/// Calls `act` and returns the seconds of this thread that it took.
pub fn seconds_of(act: impl FnOnce()) -> f64 {
    let began = thread_seconds();
    act();
    thread_seconds() - began
}

/// Processor time of this thread in seconds.
#[cfg(target_os = "linux")]
pub fn thread_seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Time on the clock in seconds.
#[cfg(not(target_os = "linux"))]
pub fn thread_seconds() -> f64 {
    super::clock::wall_seconds()
}
