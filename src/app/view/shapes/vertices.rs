//! Vertices of a lane, computed before any call of the graphics driver.

use super::cloth::{self, ClothVertex};
use super::lane_picture::{LanePicture, ViewOptions};
use super::shape::DrawnShape;
use super::torn::is_uncut;
use super::tube::Tubes;
use crate::app::view::projection::lens::Lens;
use glam::{DVec3, Vec3};

/// Data of a lane that are sent to the driver in every frame. Their memory is reused.
#[derive(Debug, Default)]
pub struct Vertices {
    /// Vertices of every cloth, in the order of the shape's patches.
    pub cloths: Vec<Vec<ClothVertex>>,
    pub tubes: Tubes,
    pub wires: Option<Wires>,
}

#[derive(Debug)]
pub struct Wires {
    pub points: Vec<Vec3>,
    /// Ends of the uncut links; `None` if all links are uncut.
    pub left: Option<Vec<[u32; 2]>>,
}

impl Vertices {
    pub fn write(
        &mut self,
        lens: &Lens,
        shape: &DrawnShape,
        lane: &LanePicture,
        options: &ViewOptions,
    ) {
        let (range, torn) = (options.strain_range as f32, lane.torn.as_ref());
        self.tubes.begin(lens, range);
        self.tubes.draw(shape, &lane.positions, torn);
        self.tubes.balls(&lane.balls);
        self.tubes.obstacles(&lane.obstacles, options.floor);
        self.cloths.resize_with(shape.patches.len(), Vec::new);
        for (i, (vertices, patch)) in self.cloths.iter_mut().zip(&shape.patches).enumerate() {
            let range = options.strain_colors.then_some(range);
            let torn = torn.map(|torn| &torn.patches[i]);
            cloth::write_vertices(vertices, lens, patch, torn, &lane.positions, range);
        }
        let wires = options.links && !shape.wires.is_empty();
        self.wires = wires.then(|| Wires::of(lens, shape, lane));
    }
}

impl Wires {
    fn of(lens: &Lens, shape: &DrawnShape, lane: &LanePicture) -> Wires {
        let drawable = |p: &DVec3| lens.relative(*p);
        let complete = lane.torn.is_none() && lane.positions.iter().all(|p| drawable(p).is_some());
        let left = |(i, ends): (usize, &[u32; 2])| {
            let drawn = |&end: &u32| drawable(&lane.positions[end as usize]).is_some();
            (is_uncut(i as u32, lane.torn.as_ref()) && ends.iter().all(drawn)).then_some(*ends)
        };
        Wires {
            points: lane.positions.iter().map(|p| drawable(p).unwrap_or(Vec3::ZERO)).collect(),
            left: (!complete).then(|| shape.wires.iter().enumerate().filter_map(left).collect()),
        }
    }
}
