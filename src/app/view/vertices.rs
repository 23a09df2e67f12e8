//! The vertices of a lane, computed before the driver is asked for anything.

use super::cloth::{self, ClothVertex};
use super::lens::Lens;
use super::rope::Tubes;
use super::shape::{Shape, holds};
use super::{LanePicture, ViewOptions};
use glam::{DVec3, Vec3};

/// What of a lane is streamed to the driver. Its memory is used again from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Vertices {
    /// In the order of the patches.
    pub(super) cloths: Vec<Cloth>,
    pub(super) tubes: Tubes,
    pub(super) wires: Option<Wires>,
}

/// A patch of cloth.
#[derive(Debug, Default)]
pub(super) struct Cloth {
    pub(super) vertices: Vec<ClothVertex>,
    /// The triangles that are left; `None` = all.
    pub(super) left: Option<Vec<[u32; 3]>>,
}

/// Links as lines.
#[derive(Debug)]
pub(super) struct Wires {
    pub(super) points: Vec<Vec3>,
    /// The links that are left; `None` = all.
    pub(super) left: Option<Vec<[u32; 2]>>,
}

impl Vertices {
    /// Writes everything that is drawn of a lane.
    pub(super) fn write(
        &mut self,
        lens: &Lens,
        shape: &Shape,
        lane: &LanePicture,
        options: &ViewOptions,
    ) {
        let range = options.strain_range as f32;
        self.tubes.draw(lens, shape, lane.positions, lane.torn(), range);
        self.tubes.obstacles(lens, lane.balls);
        self.cloths.resize_with(shape.patches.len(), Cloth::default);
        for (cloth, patch) in self.cloths.iter_mut().zip(&shape.patches) {
            let range = options.strain_colors.then_some(range);
            cloth::write(&mut cloth.vertices, lens, patch, lane.positions, range);
            cloth.left = lane.torn().map(|alive| patch.faces_left(&shape.wires, alive));
        }
        let wires = options.links && !shape.wires.is_empty();
        self.wires = wires.then(|| Wires::of(lens, shape, lane));
    }
}

impl Wires {
    fn of(lens: &Lens, shape: &Shape, lane: &LanePicture) -> Wires {
        let drawable = |p: &DVec3| lens.relative(*p);
        let complete =
            lane.torn().is_none() && lane.positions.iter().all(|p| drawable(p).is_some());
        let left = |(i, ends): (usize, &[u32; 2])| {
            let drawn = |&end: &u32| drawable(&lane.positions[end as usize]).is_some();
            (holds(i as u32, lane.alive) && ends.iter().all(drawn)).then_some(*ends)
        };
        Wires {
            points: lane.positions.iter().map(|p| drawable(p).unwrap_or(Vec3::ZERO)).collect(),
            left: (!complete).then(|| shape.wires.iter().enumerate().filter_map(left).collect()),
        }
    }
}
