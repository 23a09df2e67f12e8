//! Tests of scenes, recordings and documents as files. They share one binary, because it takes long
//! to link the whole program.

mod catalogue;
mod doc_comments;
mod extreme_scenes;
mod history;
mod json_keys;
mod links;
mod mutated_scenes;
mod recording;
mod saved_readings;
mod scene_bounds;
mod scene_chapters;
mod scene_defaults;
mod scene_errors;
mod scene_format;
mod scene_types;
mod sources;
