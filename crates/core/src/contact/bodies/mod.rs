//! Bodies of a scene that take part in contact, with their surfaces and layers.

pub mod collider;
pub mod contact_features;
pub mod contact_table;
pub mod geometry;
pub mod layer;
pub mod properties;
pub mod surface;
