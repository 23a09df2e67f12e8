//! Projection from metres to pixels and back: the camera, viewports, and bounding boxes.

pub mod bounds;
pub mod boxes;
pub mod camera;
pub mod lens;
pub mod projector;
pub mod viewport;
