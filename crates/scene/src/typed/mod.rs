//! Fields of a scene file as its author writes them, in one module for each part of the file.

pub mod annotation;
pub mod contact_file;
pub mod file;
pub(super) mod group;
pub mod lane_file;
pub mod lesson;
pub mod located;
pub mod made_bodies;
pub mod material_file;
pub mod number;
pub mod particles;
pub mod reading;
pub mod rope_file;
