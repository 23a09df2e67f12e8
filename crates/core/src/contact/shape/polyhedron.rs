use super::direction::direction;
use crate::contact::features::Features;
use glam::DVec3;
use ropelab_mechanics::quantity::magnitude::is_moderate;
use std::collections::BTreeMap;
use thiserror::Error;

/// Largest permitted number of triangles of a polyhedron. It is limited because each step tests
/// each particle against each triangle.
pub const MOST_TRIANGLES: usize = 2000;

/// Largest height at which a corner may lie above the plane of a triangle if the body is to count
/// as convex, as a fraction of the body's size.
const CONVEXITY_TOLERANCE: f64 = 1e-6;

/// Height below which a triangle counts as a line, as a fraction of the body's size.
const LEAST_HEIGHT: f64 = 1e-9;

/// Tolerance at which a point counts as straight above a triangle: the point's distance from the
/// triangle minus its height above the plane, as a fraction of the height and of the body's size.
const ABOVE_SIDE_TOLERANCE: f64 = 1e-12;

/// A convex body with flat faces, around its own origin, which is inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    corners: Vec<DVec3>,
    sides: Vec<Side>,
    /// Distance of the furthest corner from the origin, in metres.
    reach: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    corners: [DVec3; 3],
    /// Unit normal out of the body.
    normal: DVec3,
    /// Distance in metres of the triangle's plane from the origin along the normal.
    height: f64,
}

/// Reason why triangles do not form a convex body. Points and triangles are numbered from 0.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PolyhedronError {
    #[error("found {found} {what}, expected {least} to {most}")]
    Count { what: &'static str, found: usize, least: usize, most: usize },
    #[error("point {point} is at {at}, expected finite numbers of moderate size")]
    Point { point: usize, at: DVec3 },
    #[error("triangle {triangle} has point {point} for a corner, expected 0 to {last}")]
    Corner { triangle: usize, point: u32, last: usize },
    #[error("triangle {triangle} has no area, expected three corners that are not in a line")]
    Degenerate { triangle: usize },
    #[error(
        "the edge from point {from} to point {to} belongs to {found} triangles in that direction and \
         {back} in the other, expected one in each: a closed surface whose triangles are all \
         counter-clockwise seen from outside"
    )]
    Open { from: u32, to: u32, found: u32, back: u32 },
    #[error("the triangles face inwards, expected corners counter-clockwise seen from outside")]
    Inwards,
    #[error(
        "point {point} is {millimetres:.3} mm outside the plane of triangle {triangle}, expected a \
         convex body: make one collider of each convex part"
    )]
    Dented { point: usize, triangle: usize, millimetres: f64 },
}

impl Polyhedron {
    /// Creates a body from points in metres and triangles. The corners of a triangle are indices of
    /// points, counter-clockwise seen from outside. Also returns the position of the body's origin
    /// in the coordinates of the points.
    ///
    /// # Errors
    /// `PolyhedronError` if the triangles do not form a closed convex surface.
    pub fn new(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<(Self, DVec3), PolyhedronError> {
        check_numbers(points, triangles)?;
        check_closed(triangles)?;
        let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        // The mean of the corners is inside any convex body; the centre of their bounding box may
        // be outside.
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        let size = (most - least).max_element();
        let corners: Vec<DVec3> = points.iter().map(|point| *point - middle).collect();
        let mut sides = Vec::with_capacity(triangles.len());
        for (number, triangle) in triangles.iter().enumerate() {
            let side = Side::new(triangle.map(|corner| corners[corner as usize]), size);
            sides.push(side.ok_or(PolyhedronError::Degenerate { triangle: number })?);
        }
        let volume = |side: &Side| side.corners[0].dot(side.corners[1].cross(side.corners[2]));
        if sides.iter().map(volume).sum::<f64>() <= 0.0 {
            return Err(PolyhedronError::Inwards);
        }
        for (triangle, side) in sides.iter().enumerate() {
            for (point, corner) in corners.iter().enumerate() {
                let out = side.normal.dot(*corner) - side.height;
                if out > CONVEXITY_TOLERANCE * size {
                    return Err(PolyhedronError::Dented {
                        point,
                        triangle,
                        millimetres: 1e3 * out,
                    });
                }
            }
        }
        let reach = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        Ok((Self { corners, sides, reach }, middle))
    }

    /// Yields the corners of each triangle in metres, with its outward unit normal.
    pub fn triangles(&self) -> impl Iterator<Item = ([DVec3; 3], DVec3)> {
        self.sides.iter().map(|side| (side.corners, side.normal))
    }

    /// Returns the distance of the furthest corner from the origin, in metres.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    pub(super) fn furthest(&self, direction: DVec3) -> DVec3 {
        let further = |best: DVec3, corner: &DVec3| {
            if corner.dot(direction) > best.dot(direction) { *corner } else { best }
        };
        self.corners[1..].iter().fold(self.corners[0], further)
    }

    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let above = |side: &Side| side.normal.dot(p) - side.height;
        let mut highest = (f64::NEG_INFINITY, DVec3::Y);
        for side in &self.sides {
            let height = above(side);
            if height > highest.0 {
                highest = (height, side.normal);
            }
        }
        if highest.0 <= 0.0 {
            return highest;
        }
        // Outside the body, the nearest triangle is one whose outer side faces the point.
        let mut nearest = (f64::INFINITY, DVec3::Y);
        for side in self.sides.iter().filter(|side| above(side) > 0.0) {
            let [a, b, c] = side.corners;
            let (_, displacement) = Features::PointAndTriangle.nearest(&[p, a, b, c]);
            let (normal, length) = direction(displacement);
            if length < nearest.0 {
                // The point is straight above the triangle, or so near that the direction would
                // consist of rounding errors.
                let height = above(side);
                let is_above = length
                    <= height * (1.0 + ABOVE_SIDE_TOLERANCE) + ABOVE_SIDE_TOLERANCE * self.reach;
                nearest = if is_above { (height, side.normal) } else { (length, normal) };
            }
        }
        nearest
    }
}

impl Side {
    fn new(corners: [DVec3; 3], size: f64) -> Option<Self> {
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a);
        let longest = [b - a, c - b, a - c].map(DVec3::length).into_iter().fold(0.0, f64::max);
        // The length of `across` is twice the area: the longest edge times the height of the
        // triangle above this edge.
        let normal = across.try_normalize()?;
        (across.length() > LEAST_HEIGHT * size * longest).then(|| Self {
            corners,
            normal,
            height: normal.dot(a),
        })
    }
}

fn check_numbers(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), PolyhedronError> {
    let most = MOST_TRIANGLES;
    for (what, found) in [("points", points.len()), ("triangles", triangles.len())] {
        if !(4..=most).contains(&found) {
            return Err(PolyhedronError::Count { what, found, least: 4, most });
        }
    }
    let is_bad = |point: &DVec3| !point.to_array().into_iter().all(is_moderate);
    if let Some(point) = points.iter().position(is_bad) {
        return Err(PolyhedronError::Point { point, at: points[point] });
    }
    let last = points.len() - 1;
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&point) = corners.iter().find(|corner| **corner as usize > last) {
            return Err(PolyhedronError::Corner { triangle, point, last });
        }
    }
    Ok(())
}

/// Checks that each edge belongs to one triangle in each direction.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), PolyhedronError> {
    let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for edge in [(a, b), (b, c), (c, a)] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    for (&(from, to), &found) in &edges {
        let back = edges.get(&(to, from)).copied().unwrap_or(0);
        if found != 1 || back != 1 {
            return Err(PolyhedronError::Open { from, to, found, back });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::shape::Cuboid;
    use glam::dvec3;
    use proptest::prelude::*;

    /// Returns points and triangles of a box, given by half its edges.
    fn cube(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let sign = |bit: u32, k: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let points = (0..8).map(|k| dvec3(sign(0, k), sign(1, k), sign(2, k)) * half).collect();
        let quads: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        (points, triangles)
    }

    proptest! {
        #[test]
        fn a_box_out_of_triangles_is_as_far_away_as_a_box(p in proptest::array::uniform3(-2.0..2.0)) {
            let (half, p) = (dvec3(0.5, 0.2, 0.9), DVec3::from(p));
            let (points, triangles) = cube(half);
            let (body, middle) = Polyhedron::new(&points, &triangles).expect("a box");
            prop_assert!(middle.length() < 1e-15, "{}", middle);
            let (expected, normal) = Cuboid::new(half, DVec3::ZERO).distance(p);
            let (found, found_normal) = body.distance(p);
            prop_assert!((found - expected).abs() < 1e-12, "distance at {p}: {found} m, not {expected}");
            if expected > 1e-9 {
                let error = (found_normal - normal).length();
                prop_assert!(error < 1e-9, "normal at {p}: {found_normal}, not {normal}");
            }
        }
    }

    #[test]
    fn on_its_surface_the_normal_is_that_of_a_side() {
        let (points, triangles) = cube(DVec3::ONE);
        let (body, _) = Polyhedron::new(&points, &triangles).expect("a box");
        // On the diagonal between two triangles, and one rounding error above it.
        for height in [1.0, 1.0 + 1e-15] {
            let (distance, normal) = body.distance(dvec3(0.3, height, 0.3));
            assert!(distance.abs() < 1e-14, "{distance}");
            assert_eq!(normal, DVec3::Y);
        }
    }

    #[test]
    fn what_is_no_closed_convex_surface_is_refused() {
        let (points, triangles) = cube(DVec3::ONE);
        let refused = |points: &[DVec3], triangles: &[[u32; 3]]| {
            Polyhedron::new(points, triangles).expect_err("refused").to_string()
        };
        assert_eq!(refused(&points[..3], &triangles), "found 3 points, expected 4 to 2000");
        assert_eq!(refused(&points, &[]), "found 0 triangles, expected 4 to 2000");
        assert!(refused(&points[..7], &triangles).ends_with("for a corner, expected 0 to 6"));
        assert!(refused(&points, &triangles[1..]).contains("expected one in each"));
        let mut bad = points.clone();
        bad[3].y = f64::NAN;
        assert!(refused(&bad, &triangles).starts_with("point 3 is at [1, NaN, -1]"));
        let flipped: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        assert!(refused(&points, &flipped).starts_with("the triangles face inwards"));
        let mut dented = points.clone();
        dented[7] *= 0.5;
        assert!(refused(&dented, &triangles).contains("one collider of each convex part"));
        let mut flat = points.clone();
        flat[1] = flat[0];
        assert!(refused(&flat, &triangles).ends_with("three corners that are not in a line"));
    }
}
