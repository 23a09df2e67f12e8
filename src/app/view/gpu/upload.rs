//! Upload of a lane into the driver's buffers.

use super::driver::Driver;
use super::pipeline::{FrameBuffers, SurfaceUniforms, immutable_buffer};
use crate::app::view::shapes::cloth;
use crate::app::view::shapes::lane_picture::LanePicture;
use crate::app::view::shapes::shape::{DrawnShape, Patch};
use crate::app::view::shapes::vertices::{Vertices, Wires};
use glam::Vec4;
use macroquad::miniquad::{BufferId, BufferType, UniformsSource};

/// Buffers of a shape whose contents do not change from frame to frame.
pub struct ShapeBuffers {
    pub shape: u64,
    pub last_used: u64,
    patches: Vec<PatchBuffers>,
    pub wires: Option<BufferId>,
}

pub struct PatchBuffers {
    cells: BufferId,
    faces: BufferId,
}

/// Buffers of one drawn part of a lane, e.g. a cloth, with the number of indices.
pub struct DrawPart {
    pub vertices: Vec<BufferId>,
    pub indices: BufferId,
    pub count: usize,
}

pub struct UploadedLane {
    pub cloths: Vec<(DrawPart, Vec4)>,
    pub tubes: Option<DrawPart>,
    pub wires: Option<DrawPart>,
    pub uniforms: SurfaceUniforms,
    /// True for an exploded lane.
    pub faded: bool,
}

impl ShapeBuffers {
    pub fn new(driver: &mut Driver, shape: &DrawnShape) -> ShapeBuffers {
        let patches = shape.patches.iter().map(|patch| {
            let cells: Vec<[f32; 2]> = (0..patch.grid.rows)
                .flat_map(|row| (0..patch.grid.columns).map(move |c| [c as f32, row as f32]))
                .collect();
            PatchBuffers {
                cells: immutable_buffer(driver, BufferType::VertexBuffer, &cells),
                faces: immutable_buffer(
                    driver,
                    BufferType::IndexBuffer,
                    patch.faces.as_flattened(),
                ),
            }
        });
        ShapeBuffers { shape: shape.id, last_used: 0, patches: patches.collect(), wires: None }
    }

    pub fn free(&self, driver: &mut Driver) {
        for PatchBuffers { cells, faces } in &self.patches {
            driver.delete_buffer(*cells);
            driver.delete_buffer(*faces);
        }
        if let Some(wires) = self.wires {
            driver.delete_buffer(wires);
        }
    }
}

impl DrawPart {
    pub fn paint(&self, driver: &mut Driver, uniforms: UniformsSource) {
        driver.apply_bindings_from_slice(&self.vertices, self.indices, &[]);
        driver.apply_uniforms(uniforms);
        driver.draw(0, self.count as i32, 1);
    }
}

pub fn upload_cloths(
    driver: &mut Driver,
    frame_buffers: &mut FrameBuffers,
    buffers: &ShapeBuffers,
    shape: &DrawnShape,
    lane: &LanePicture,
    vertices: &Vertices,
) -> Vec<(DrawPart, Vec4)> {
    let patches = vertices.cloths.iter().zip(&shape.patches).zip(&buffers.patches);
    let upload =
        |(i, ((vertices, patch), buffers)): (usize, ((&Vec<_>, &Patch), &PatchBuffers))| {
            let (indices, count) = match &lane.torn {
                None => (buffers.faces, 3 * patch.faces.len()),
                Some(torn) => {
                    let left = &torn.patches[i].faces;
                    (frame_buffers.indices(driver, left.as_flattened()), 3 * left.len())
                }
            };
            let vertices = vec![frame_buffers.vertices(driver, vertices), buffers.cells];
            (DrawPart { vertices, indices, count }, cloth::fabric_uniform(patch))
        };
    patches.enumerate().map(upload).collect()
}

/// Uploads vertices that change in every frame; returns `None` if they form no triangle.
pub fn upload_part<T>(
    driver: &mut Driver,
    frame_buffers: &mut FrameBuffers,
    vertices: &[T],
    indices: &[u32],
) -> Option<DrawPart> {
    (!indices.is_empty()).then(|| DrawPart {
        vertices: vec![frame_buffers.vertices(driver, vertices)],
        indices: frame_buffers.indices(driver, indices),
        count: indices.len(),
    })
}

pub fn upload_wires(
    driver: &mut Driver,
    frame_buffers: &mut FrameBuffers,
    buffers: &ShapeBuffers,
    shape: &DrawnShape,
    vertices: &Vertices,
) -> Option<DrawPart> {
    let Wires { points, left } = vertices.wires.as_ref()?;
    let (indices, count) = match left {
        None => (buffers.wires?, 2 * shape.wires.len()),
        Some(left) => (frame_buffers.indices(driver, left.as_flattened()), 2 * left.len()),
    };
    Some(DrawPart { vertices: vec![frame_buffers.vertices(driver, points)], indices, count })
}
