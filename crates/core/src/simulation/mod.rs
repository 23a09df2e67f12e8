//! One simulation: a scene that runs under one set of settings.

mod advance;
pub mod blow_up;
mod change;
mod fused;
mod hand_state;
mod memory_reports;
mod meters;
mod observation;
mod reaction;
mod run_state;
mod running_scene;
pub mod scene_edit;
mod scratch;
pub mod settings;
mod snapshot;
mod sweep_trial;
pub mod timing;
pub mod verdict;

pub use advance::substep::update_velocities;
pub use change::carry_over::PartsMapping;
pub use observation::forces::Load;
pub use running_scene::Simulation;
pub use snapshot::Snapshot;
pub use sweep_trial::SweepTrial;
pub use timing::interrupt::Interrupt;
