//! Search for the links that a stroke on the picture crosses.

use crate::app::view::Projector;
use crate::app::view::projection::boxes::{Boxes, RUN};
use crate::app::view::shapes::shape::DrawnShape;
use glam::{DVec3, Vec2};
use rayon::prelude::*;

/// Number of links per parallel task: testing a link takes a few nanoseconds.
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

    /// True if both areas overlap, with a margin of one pixel for rounding errors.
    fn overlaps(self, other: Self) -> bool {
        let apart =
            (self.least - 1.0).cmpgt(other.greatest) | other.least.cmpgt(self.greatest + 1.0);
        !apart.any()
    }
}

/// Returns the indices of the links, ascending, whose pictures cross the line between two pixels.
/// `boxes` must be fitted to the positions: a link is tested only if the boxes of the runs of its
/// two ends together overlap the line.
pub fn crossed_links(
    shape: &DrawnShape,
    positions: &[DVec3],
    boxes: &Boxes,
    projector: &Projector,
    stroke: [Vec2; 2],
) -> Vec<u32> {
    let line = Area::around(stroke);
    let covered: Vec<Area> = boxes
        .runs()
        .map(|bounds| {
            let Some(bounds) = bounds else { return Area::NOTHING };
            // A box that reaches behind the eye may cover any part of the screen.
            let corners: Option<Vec<Vec2>> = bounds.corners().map(|c| projector.pixel(c)).collect();
            corners.map_or(Area::EVERYTHING, Area::around)
        })
        .collect();
    let near = |end: u32| covered[end as usize / RUN];
    let pixel = |end: u32| projector.pixel(positions[end as usize]);
    let links = shape.wires.par_iter().with_min_len(LINKS_A_TASK).enumerate();
    let crosses = |[a, b]: [u32; 2]| {
        near(a).union(near(b)).overlaps(line)
            && pixel(a).zip(pixel(b)).is_some_and(|(a, b)| lines_cross([a, b], stroke))
    };
    links.filter(|(_, ends)| crosses(**ends)).map(|(i, _)| i as u32).collect()
}

/// True if two line segments cross or touch, i.e. the ends of each segment are not strictly on one
/// side of the other.
fn lines_cross([a, b]: [Vec2; 2], [c, d]: [Vec2; 2]) -> bool {
    let side = |from: Vec2, to: Vec2, point: Vec2| (to - from).perp_dot(point - from);
    side(a, b, c) * side(a, b, d) <= 0.0
        && side(c, d, a) * side(c, d, b) <= 0.0
        && Area::around([a, b]).overlaps(Area::around([c, d]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::projection::bounds::Bounds;
    use crate::app::view::{Camera, Viewport};
    use crate::mesh::{ClothMaterial, Mesh};
    use macroquad::math::Rect;
    use proptest::prelude::*;

    fn cloth(cells: u32) -> (DrawnShape, Mesh) {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [cells, cells], &ClothMaterial::default());
        let shape =
            DrawnShape::new(mesh.positions.len(), &[], &mesh.cloths, &mesh.faces, &mesh.links);
        (shape, mesh)
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

    fn found(
        (shape, positions): (&DrawnShape, &[DVec3]),
        projector: &Projector,
        stroke: [Vec2; 2],
    ) -> Vec<u32> {
        let mut boxes = Boxes::default();
        boxes.fit(positions);
        crossed_links(shape, positions, &boxes, projector, stroke)
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
    }

    #[test]
    fn a_stroke_beside_the_cloth_cuts_nothing() {
        let (shape, mesh) = cloth(10);
        let project = projector(Vec2::ZERO);
        let at = |x: f64, y: f64| project.pixel(DVec3::new(x, y, 0.0)).expect("in the picture");
        let stroke = [at(-0.05, -0.1), at(-0.05, 1.1)];
        assert!(found((&shape, &mesh.positions), &project, stroke).is_empty());
        let nowhere = vec![DVec3::NAN; mesh.positions.len()];
        let stroke = [at(0.54, -0.1), at(0.54, 1.1)];
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
                    a.zip(b).is_some_and(|(a, b)| lines_cross([a, b], stroke))
                })
                .map(|(i, _)| i)
                .collect();
            prop_assert_eq!(found((&shape, &mesh.positions), &project, stroke), all);
        }
    }
}
