//! Access to the graphics driver: shaders, pipelines, buffers.

pub mod driver;
pub mod pipeline;
pub mod upload;
