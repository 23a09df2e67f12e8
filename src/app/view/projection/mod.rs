//! Projection from metres to pixels and back: the camera, viewports, and boxes around what they
//! see.

pub mod bounds;
pub mod boxes;
pub mod camera;
pub mod extent;
pub mod lens;
pub mod projector;
pub mod viewport;
