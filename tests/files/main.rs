//! Scenes, recordings and documents as files. One binary, because each one links the whole program.

mod mutated_scenes;
mod readme;
mod recording;
mod scene_bounds;
mod scene_errors;
mod scene_format;
mod sources;
