//! Files that the window reads and writes: scenes, recordings, pictures, preferences.

pub mod recorder;
pub mod saving;
pub mod scene_pictures;
pub mod scene_source;
pub mod screenshot;
#[cfg(all(test, unix))]
mod tests;
pub mod watch;
