//! Scenes of ropelab: reading, checking, editing and writing of scene files.
//!
//! [`SceneFile`](typed::file::SceneFile) is a scene file with the fields that its author wrote.
//! [`Scene`] is the checked scene with its mesh. Code that receives a [`Scene`] need not check it
//! again. A lane is one of several simulations of the same scene that run side by side, each with
//! its own settings.

mod argument;
mod camera;
mod changed_setting;
mod check;
pub mod dials;
pub mod edit;
mod error;
mod geometry;
pub mod library;
mod opening;
pub mod real_materials;
mod ron_options;
mod scene;
pub mod text;
pub mod typed;
pub mod vary;
mod write;

pub use argument::{STANDARD_INPUT, SceneArgument};
pub use camera::CameraSetup;
pub use changed_setting::settings_with;
pub use error::SceneError;
pub use library::SceneEntry;
pub use opening::{LONGEST_FILE, is_scene_file};
pub use scene::{LaneSetup, Scene};
pub use typed::group::Group;
pub use write::{all_settings_to_ron, settings_from_ron, settings_to_ron};
