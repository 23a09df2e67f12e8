//! Contact of triangles with convex bodies: the side of a triangle on which a body lies, and the
//! inner point of the triangle in contact.
//!
//! A triangle touches a body at its edges, which are links, or at an inner point. The inner point
//! touches the point of the body that reaches furthest towards the triangle. The whole body, not
//! its centre, decides on which side of the triangle the body lies: after the plane has passed the
//! centre of a post, an end of the post may still be on the other side.

use crate::contact::shape::Shape;
use crate::contact::shape::Sphere;
use glam::DVec3;

/// Smallest barycentric coordinate at which a point counts as inside a link or triangle. Points
/// with a smaller coordinate belong to the ends or edges.
pub(in crate::contact) const LEAST_INNER_WEIGHT: f64 = 1e-9;

/// Safety factor on the squared distance at which features count as far from a sphere and are
/// skipped. The excess over 1 allows for rounding and for early detection.
pub(in crate::contact) const FAR_SAFETY: f64 = 1.0 + 1e-5;

/// Number of bisections of a substep, which divide it down to 2⁻³⁰ of its length.
const HALVINGS: u32 = 30;

/// Point of a link or triangle that is nearest to a body, with its distance.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Nearest {
    pub weights: [f64; 3],
    /// Position of the point relative to the body's origin, in metres.
    pub place: DVec3,
    /// Distance of the point from the surface of the body in metres, without the radius of the link
    /// or triangle.
    pub distance: f64,
    /// Unit normal out of the body.
    pub normal: DVec3,
}

/// Position of a convex body relative to a triangle and its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) enum Side {
    /// The whole core of the body (see [`Shape::core`]) lies on one side of the triangle's plane.
    /// The vector is the triangle's normal, directed out of the body.
    Behind(DVec3),
    /// The triangle's plane cuts the core of the body, and the cut is within the triangle. The
    /// vector is the normal along which the body overlaps less.
    Through(DVec3),
    /// The triangle's plane cuts the core of the body, but outside the triangle. The body can touch
    /// only edges and corners.
    Beside,
}

impl Side {
    /// Returns the position of a body relative to a triangle. `corners` are relative to the body's
    /// origin.
    ///
    /// The segment between the body's two furthest points, one on each side of the triangle's
    /// plane, is part of the body. If no edge of the triangle is inside the body, the body passes
    /// through the triangle if and only if this segment does.
    pub fn classify(shape: &Shape, corners: [DVec3; 3]) -> Self {
        let across = triangle_normal(corners);
        let cores = [across, -across].map(|direction| shape.core(direction));
        let [Some((high, _)), Some((low, _))] = cores else { return Self::Beside };
        let [above, below] = [high, low].map(|core| across.dot(core - corners[0]));
        let pierced = || is_inside(weights(corners, low.lerp(high, below / (below - above))));
        if above <= 0.0 && below < 0.0 {
            Self::Behind(across)
        } else if below >= 0.0 && above > 0.0 {
            Self::Behind(-across)
        } else if above > 0.0 && below < 0.0 && pierced() {
            Self::Through(if above <= -below { across } else { -across })
        } else {
            Self::Beside
        }
    }

    /// Returns the triangle's normal, directed out of the body; `None` if the body is beside the
    /// triangle.
    pub fn outward(self) -> Option<DVec3> {
        match self {
            Self::Behind(outward) | Self::Through(outward) => Some(outward),
            Self::Beside => None,
        }
    }
}

/// Returns the inner point of a triangle that a body touches first in the substep. If the body does
/// not pass through the triangle, returns the inner point nearest to the body at the end of the
/// substep. `None` if there is no such point, or if it is certainly more than `most` metres away.
/// `from` and `to` are the corners at the start and at the end of the substep, relative to the
/// body's origin. `outward` is the normal out of the body at the start of the substep, or `None` if
/// the body was beside the triangle.
pub(in crate::contact) fn on_triangle(
    shape: &Shape,
    [from, to]: [[DVec3; 3]; 2],
    outward: Option<DVec3>,
    most: f64,
) -> Option<Nearest> {
    let outward = match outward {
        Some(outward) => outward,
        None => match Side::classify(shape, to) {
            Side::Behind(outward) => outward,
            Side::Through(_) | Side::Beside => return None,
        },
    };
    let across = align_with(triangle_normal(to), outward);
    if is_far(shape, across, to[0], most) {
        return None;
    }
    let normal = across.try_normalize()?;
    let (core, radius) = shape.core(normal)?;
    let height = normal.dot(to[0] - core);
    if height >= 0.0 || matches!(Side::classify(shape, to), Side::Through(_)) {
        let (weights, place) = (weights(to, core), core + normal * height);
        let nearest = Nearest { weights, place, distance: height - radius, normal };
        return is_inside(weights).then_some(nearest);
    }
    // The triangle's plane has moved over the body during the substep, so the triangle may have
    // touched the body in between.
    let corners = first_contact(shape, [from, to], outward)?;
    let normal = align_with(triangle_normal(corners), outward).try_normalize()?;
    let (core, radius) = shape.core(normal)?;
    let weights = weights(corners, core);
    let place = to[0] * weights[0] + to[1] * weights[1] + to[2] * weights[2];
    let distance = normal.dot(place - core) - radius;
    is_inside(weights).then_some(Nearest { weights, place, distance, normal })
}

/// Returns the depth in metres to which the inside of a triangle overlaps a body; 0 or less without
/// an overlap. `radius` is the triangle's radius.
pub(in crate::contact) fn overlap_depth(shape: &Shape, corners: [DVec3; 3], radius: f64) -> f64 {
    let across = triangle_normal(corners);
    if is_far(shape, align_with(across, corners[0]), corners[0], radius) {
        return 0.0;
    }
    let side = Side::classify(shape, corners);
    let Some(normal) = side.outward().and_then(DVec3::try_normalize) else { return 0.0 };
    let Some((core, rounding)) = shape.core(normal) else { return 0.0 };
    let is_there = matches!(side, Side::Through(_)) || is_inside(weights(corners, core));
    if is_there { radius + rounding - normal.dot(corners[0] - core) } else { 0.0 }
}

/// Returns the corners of a moving triangle at the time when its plane first touches the core of a
/// body. The body lies behind the plane at the start, but not at the end.
fn first_contact(shape: &Shape, [from, to]: [[DVec3; 3]; 2], outward: DVec3) -> Option<[DVec3; 3]> {
    let at = |t: f64| [0, 1, 2].map(|k| from[k].lerp(to[k], t));
    let is_behind = |corners: [DVec3; 3]| {
        let normal = align_with(triangle_normal(corners), outward);
        shape.core(normal).is_some_and(|(core, _)| normal.dot(corners[0] - core) >= 0.0)
    };
    if !is_behind(from) {
        return None;
    }
    let (mut before, mut after) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (before + after);
        if is_behind(at(middle)) { before = middle } else { after = middle }
    }
    Some(at(before))
}

/// True if a plane is more than `most` metres away from a sphere. The plane goes through `corner`
/// and has the normal `across` of any length. Compares squares, because a root takes as long as all
/// other operations and most triangles are far away.
fn is_far(shape: &Shape, across: DVec3, corner: DVec3, most: f64) -> bool {
    let Shape::Sphere(Sphere { radius }) = shape else { return false };
    // Height of the triangle's plane above the sphere's centre, times the length of `across`.
    let height = across.dot(corner);
    let reach = radius + most;
    height > 0.0 && height * height > FAR_SAFETY * reach * reach * across.length_squared()
}

/// Returns a normal of a triangle. Its length is twice the triangle's area.
fn triangle_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Returns the vector, reversed if it points against `direction`.
fn align_with(vector: DVec3, direction: DVec3) -> DVec3 {
    if vector.dot(direction) < 0.0 { -vector } else { vector }
}

/// Returns the barycentric coordinates of a point that is projected onto the plane of a triangle.
fn weights(corners: [DVec3; 3], place: DVec3) -> [f64; 3] {
    let [a, b, c] = corners;
    let across = triangle_normal(corners);
    let square = across.length_squared();
    let u = across.dot((b - place).cross(c - place)) / square;
    let v = across.dot((c - place).cross(a - place)) / square;
    [u, v, 1.0 - u - v]
}

fn is_inside(weights: [f64; 3]) -> bool {
    weights.iter().all(|weight| *weight > LEAST_INNER_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_triangle_that_turns_over_stays_on_its_side() {
        let shape = Shape::Sphere(Sphere { radius: 0.25 });
        let corner = |x: f64, z: f64| dvec3(x, 0.26, z);
        let [a, b, c] = [corner(-0.01, -0.01), corner(0.01, -0.01), corner(0.0, 0.01)];
        let outward = Side::classify(&shape, [a, b, c]).outward();
        // A cloth that is compressed in its plane turns triangles over.
        for corners in [[a, b, c], [b, a, c]] {
            let nearest = on_triangle(&shape, [[a, b, c], corners], outward, 0.02);
            let nearest = nearest.expect("the middle is inside");
            assert!((nearest.distance - 0.01).abs() < 1e-12, "{nearest:?}");
            assert!((nearest.normal - DVec3::Y).length() < 1e-12, "{nearest:?}");
        }
    }
}
