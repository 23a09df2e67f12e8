//! Input for drawing: the bodies of a lane, and the drawing options.

use super::obstacle::Obstacle;
use super::rope::DrawnBall;
use super::torn::Torn;
use crate::app::view::projection::boxes::Boxes;
use glam::DVec3;

#[derive(Clone, Debug, Default)]
pub struct LanePicture {
    /// Position of each particle in metres.
    pub positions: Vec<DVec3>,
    pub boxes: Boxes,
    /// Pinned particles, ordered as in the mesh.
    pub pins: Vec<u32>,
    /// Parts of cloths and ropes that remain after cuts; `None` if nothing was cut.
    pub torn: Option<Torn>,
    /// Balls of the scene, thrown balls and weights.
    pub balls: Vec<DrawnBall>,
    pub obstacles: Vec<Obstacle>,
    /// Index of the lane's colour.
    pub color: usize,
    /// True for an exploded lane, which is drawn in grey.
    pub exploded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewOptions {
    /// True if colours show the strain instead of the lane.
    pub strain_colors: bool,
    /// Strain at the bright end of the colour map.
    pub strain_range: f64,
    /// True if particles are drawn as dots.
    pub dots: bool,
    pub grid: bool,
    pub shadows: bool,
    pub links: bool,
    pub scale_bar: bool,
    /// Distance in points by which the scale bar is moved up to clear readings.
    pub lift: f32,
    /// Height of the floor in metres; `None` if no floor is drawn.
    pub floor: Option<f64>,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            strain_colors: false,
            strain_range: 0.05,
            dots: false,
            grid: true,
            shadows: true,
            links: false,
            scale_bar: true,
            lift: 0.0,
            floor: Some(0.0),
        }
    }
}
