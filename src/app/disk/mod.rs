//! Everything that the window reads and writes: scenes, recordings, pictures, preferences.

#[cfg(all(test, unix))]
mod kills;
pub mod recorder;
pub mod saving;
pub mod scene_pictures;
pub mod scene_source;
pub mod screenshot;
pub mod watch;
