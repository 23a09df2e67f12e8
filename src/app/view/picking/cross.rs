//! Search for the links that a mouse stroke crosses on the screen.

use crate::app::view::projection::bounds::Bounds;
use crate::app::view::projection::boxes::{Boxes, RUN};
use crate::app::view::projection::projector::Projector;
use crate::app::view::shapes::shape::DrawnShape;
use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;

/// Number of links per parallel task. Testing a link takes a few nanoseconds.
const LINKS_A_TASK: usize = 16_384;

/// Bounding rectangle on the screen in pixels.
#[derive(Clone, Copy)]
struct Area {
    least: Vec2,
    greatest: Vec2,
}

impl Area {
    const NOTHING: Self = Self { least: Vec2::INFINITY, greatest: Vec2::NEG_INFINITY };
    const EVERYTHING: Self = Self { least: Vec2::NEG_INFINITY, greatest: Vec2::INFINITY };

    fn around(points: impl IntoIterator<Item = Vec2>) -> Self {
        let widen = |area: Self, point: Vec2| Self {
            least: area.least.min(point),
            greatest: area.greatest.max(point),
        };
        points.into_iter().fold(Self::NOTHING, widen)
    }

    fn union(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    /// True if both areas overlap within a margin of one pixel for rounding errors.
    fn overlaps(self, other: Self) -> bool {
        let apart =
            (self.least - 1.0).cmpgt(other.greatest) | other.least.cmpgt(self.greatest + 1.0);
        !apart.any()
    }
}

/// Largest distance in pixels beyond an end of a link at which a crossing still counts. Without
/// this margin, rounding errors would let a stroke pass between two links with a common end.
const END_MARGIN: f32 = 0.5;

/// Positions of a lane's particles in one frame, with the boxes fitted to them. A lane is a
/// simulation of the scene.
#[derive(Clone, Copy)]
pub struct FramePositions<'a> {
    pub positions: &'a [DVec3],
    pub boxes: &'a Boxes,
}

/// Returns the ascending indices of the links that the mouse has crossed on the screen since the
/// previous frame. `frames` are the previous and the current frame; `stroke` contains the mouse
/// pixel in each. The motion of the links is included, because a rope that swings towards the mouse
/// could otherwise pass it between two frames. A link is tested only if the area around the boxes
/// of its two ends overlaps the stroke.
pub fn crossed_links(
    shape: &DrawnShape,
    frames: [FramePositions; 2],
    projector: &Projector,
    stroke: [Vec2; 2],
) -> Vec<u32> {
    let line = Area::around(stroke);
    let [before, now] = frames.map(|frame| covered_areas(frame.boxes, projector));
    let covered: Vec<Area> = before.into_iter().zip(now).map(|(a, b)| a.union(b)).collect();
    let near = |end: u32| covered[end as usize / RUN];
    let links = shape.wires.par_iter().with_min_len(LINKS_A_TASK).enumerate();
    let crosses = |ends: [u32; 2]| {
        let pixels = frames.map(|frame| {
            let [a, b] = ends.map(|end| projector.pixel(frame.positions[end as usize]));
            a.zip(b).map(|(a, b)| [a, b])
        });
        near(ends[0]).union(near(ends[1])).overlaps(line)
            && pixels[0].zip(pixels[1]).is_some_and(|(a, b)| point_crosses_line([a, b], stroke))
    };
    links.filter(|(_, ends)| crosses(**ends)).map(|(i, _)| i as u32).collect()
}

fn covered_areas(boxes: &Boxes, projector: &Projector) -> Vec<Area> {
    let cover = |bounds: Option<Bounds>| {
        let Some(bounds) = bounds else { return Area::NOTHING };
        // A box that extends behind the eye may cover any part of the screen.
        let corners: Option<Vec<Vec2>> = bounds.corners().map(|c| projector.pixel(c)).collect();
        corners.map_or(Area::EVERYTHING, Area::around)
    };
    boxes.runs().map(cover).collect()
}

/// True if a moving point crosses or touches a moving line segment. `segments` are the ends of the
/// segment before and after the motion; `points` is the point before and after it. The signed
/// distance from the segment's line and the position along it are interpolated linearly, which is
/// exact for a segment at rest.
fn point_crosses_line(segments: [[Vec2; 2]; 2], points: [Vec2; 2]) -> bool {
    // Coordinates of the point relative to the segment, across and along it; then the segment's
    // length.
    let [before, after] = [0, 1].map(|i| {
        let [a, b] = segments[i];
        let (along, offset) = (b - a, points[i] - a);
        let length = along.length();
        Vec3::new(along.perp_dot(offset) / length, along.dot(offset) / length, length)
    });
    let total = before.x - after.x;
    let fraction = if total == 0.0 { 0.0 } else { before.x / total };
    let Vec3 { y: place, z: length, .. } = before.lerp(after, fraction);
    before.x * after.x <= 0.0 && (-END_MARGIN..=length + END_MARGIN).contains(&place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::projection::camera::Camera;
    use crate::app::view::projection::viewport::Viewport;
    use crate::mesh::{ClothMaterial, Mesh, RopeMaterial};
    use macroquad::math::Rect;
    use proptest::prelude::*;

    fn cloth(cells: u32) -> (DrawnShape, Mesh) {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [cells, cells], &ClothMaterial::default());
        (DrawnShape::new(&mesh), mesh)
    }

    fn projector(turn: Vec2) -> Projector {
        let viewport = Viewport::new(Rect::new(30.0, 10.0, 900.0, 700.0), 1.0);
        let bounds = Bounds { min: DVec3::splat(-0.2), max: DVec3::splat(1.2) };
        let mut camera = Camera::new(bounds, 1.3);
        if turn != Vec2::ZERO {
            camera.orbit(turn, &viewport);
        }
        camera.projector(&viewport)
    }

    fn found_while_moving(
        shape: &DrawnShape,
        positions: [&[DVec3]; 2],
        projector: &Projector,
        stroke: [Vec2; 2],
    ) -> Vec<u32> {
        let boxes = positions.map(|positions| {
            let mut boxes = Boxes::default();
            boxes.fit(positions);
            boxes
        });
        let frames = [0, 1].map(|i| FramePositions { positions: positions[i], boxes: &boxes[i] });
        crossed_links(shape, frames, projector, stroke)
    }

    fn found(
        (shape, positions): (&DrawnShape, &[DVec3]),
        projector: &Projector,
        stroke: [Vec2; 2],
    ) -> Vec<u32> {
        found_while_moving(shape, [positions; 2], projector, stroke)
    }

    #[test]
    fn a_stroke_down_a_column_of_cells_cuts_what_crosses_it() {
        let (shape, mesh) = cloth(10);
        let project = projector(Vec2::ZERO);
        let at = |x: f64, y: f64| project.pixel(DVec3::new(x, y, 0.0)).expect("in the picture");
        let stroke = [at(0.54, -0.1), at(0.54, 1.1)];
        let links = found((&shape, &mesh.positions), &project, stroke);
        for (i, link) in mesh.links.iter().enumerate() {
            let [a, b] = [link.a, link.b].map(|end| mesh.positions[end as usize].x);
            let crosses = a.min(b) < 0.54 && a.max(b) > 0.54;
            assert_eq!(links.contains(&(i as u32)), crosses, "{link:?}");
        }
        let nowhere = vec![DVec3::NAN; mesh.positions.len()];
        assert!(found((&shape, &nowhere), &project, stroke).is_empty());
    }

    proptest! {
        #[test]
        fn boxes_hide_no_link(
            turn in (-900f32..900.0, -200f32..200.0),
            ends in prop::array::uniform4(0f32..900.0),
            fold in 0f64..20.0,
        ) {
            let (shape, mut mesh) = cloth(40);
            for p in &mut mesh.positions {
                p.z = 0.2 * (fold * p.x).sin();
            }
            let project = projector(Vec2::from(turn));
            let stroke = [Vec2::new(ends[0], ends[1]), Vec2::new(ends[2], ends[3])];
            let all: Vec<u32> = (0..)
                .zip(&shape.wires)
                .filter(|(_, ends)| {
                    let [a, b] = ends.map(|end| project.pixel(mesh.positions[end as usize]));
                    a.zip(b).is_some_and(|(a, b)| point_crosses_line([[a, b]; 2], stroke))
                })
                .map(|(i, _)| i)
                .collect();
            prop_assert_eq!(found((&shape, &mesh.positions), &project, stroke), all);
        }

        /// The link shakes while the mouse crosses it in small moves. A mouse at rest may therefore
        /// be on one side of the link in one frame and on the other side in the next.
        #[test]
        fn a_stroke_over_a_shaking_link_cuts_it(
            shake in prop::collection::vec(-0.2f64..0.2, 21),
        ) {
            let mut mesh = Mesh::default();
            let material = RopeMaterial::default();
            mesh.rope(DVec3::new(-0.5, 0.5, 0.0), DVec3::new(0.5, 0.5, 0.0), 1.0, 1, &material);
            let shape = DrawnShape::new(&mesh);
            let project = projector(Vec2::ZERO);
            let at = |y: f64| project.pixel(DVec3::new(0.0, y, 0.0)).expect("in the picture");
            let cut = (1..shake.len()).any(|i| {
                let frames = [i - 1, i].map(|frame| {
                    let rise = DVec3::new(0.0, shake[frame], 0.0);
                    mesh.positions.iter().map(|p| *p + rise).collect::<Vec<_>>()
                });
                let stroke = [i - 1, i].map(|frame| at(0.05 * frame as f64));
                !found_while_moving(&shape, [&frames[0], &frames[1]], &project, stroke).is_empty()
            });
            prop_assert!(cut);
        }
    }
}
