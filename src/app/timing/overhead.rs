//! Processor time of a frame outside the solvers and the graphics driver.

use serde::Serialize;

/// Processor time of one frame in seconds, by purpose. All of it is on the drawing thread, except
/// `record`, which is on the stepping threads. Processor time is independent of other programs on
/// the machine. Systems other than Linux use wall-clock time instead.
///
/// Time steps and calls of OpenGL and of the window system are excluded. So is work inside such
/// calls: egui converts its shapes to triangles and uploads them in one call, as does macroquad
/// with the text of the scale bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Overhead {
    /// Time for changed files, actions and commands.
    pub actions: f64,
    /// Time for panels, plots, bars and messages.
    pub interface: f64,
    /// Time for the mouse: picking, dragging, moving the camera.
    pub hand: f64,
    /// Time for sampling energy and stretch, summed over the lanes (simulations of the scene that
    /// run side by side).
    pub record: f64,
    /// Time for computing drawn positions and the boxes around them.
    pub pictures: f64,
    /// Time for vertices, normals, shadows and marks.
    pub view: f64,
}

impl Overhead {
    pub fn total(&self) -> f64 {
        let Self { actions, interface, hand, record, pictures, view } = self;
        actions + interface + hand + record + pictures + view
    }
}

/// Returns the processor time in seconds that a call of `work` takes on this thread.
pub fn seconds_of(work: impl FnOnce()) -> f64 {
    let began = thread_seconds();
    work();
    thread_seconds() - began
}

/// Returns the processor time of this thread in seconds.
#[cfg(target_os = "linux")]
pub fn thread_seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Returns the wall-clock time in seconds.
#[cfg(not(target_os = "linux"))]
pub fn thread_seconds() -> f64 {
    super::wall_clock::wall_seconds()
}
