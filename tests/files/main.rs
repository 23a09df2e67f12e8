//! Scenes, recordings and documents as files. One binary, because each one links the whole program.

mod catalogue;
mod doc_comments;
mod extreme_scenes;
mod history;
mod json_keys;
mod links;
mod mutated_scenes;
mod recording;
mod scene_bounds;
mod scene_chapters;
mod scene_defaults;
mod scene_errors;
mod scene_format;
mod scene_types;
mod sources;
