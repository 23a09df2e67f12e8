//! Positions of the particles of a rope that is routed through points, along arcs and around
//! circles.
//!
//! The particles of a rope around a circle are the corners of a polygon. Every corner, including
//! the first and the last, turns the rope by the same angle. [`sin_turns`] computes sines with the
//! same bits on every machine.

use glam::{DVec2, DVec3, dvec2};
use ropelab_core::numerics::sine::sin_turns;

/// Number of iterations that determine the radius of the polygon's inscribed circle. The radius
/// depends on the angle between the tangents, and the tangents depend on the radius.
const PASSES: u32 = 24;
/// Smallest length of a section, as a fraction of the whole route. Shorter sections are dropped.
const SHORT: f64 = 1e-9;

/// Circle around which the rope runs, flat or as a helix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub centre: DVec3,
    /// Axis of the circle as a unit vector. Seen from its tip, the rope turns counter-clockwise.
    pub about: DVec3,
    pub radius: f64,
    pub more_turns: u32,
}

/// Part of a route, as the scene file describes it. It begins where the previous part ends.
#[derive(Clone, Debug)]
pub(crate) enum RoutePart {
    /// Arc around a centre and a unit axis, by a number of turns.
    Arc { start: DVec3, centre: DVec3, about: DVec3, turns: f64 },
    /// Line between two points, straight unless circles around colliders deflect it.
    Run { from: DVec3, rounds: Vec<Round>, to: DVec3 },
}

/// Section of a route with known positions. `Corners` are the corners of the polygon around a
/// circle.
enum Section {
    Line { from: DVec3, to: DVec3 },
    Arc { start: DVec3, centre: DVec3, about: DVec3, turns: f64 },
    Corners(Vec<DVec3>),
}

/// Returns the positions of the particles of a rope of `segments` links along a route, including
/// both ends.
pub(crate) fn place_particles(
    route_parts: &[RoutePart],
    segments: u32,
) -> Result<Vec<DVec3>, String> {
    let bare: Vec<Section> = sections(route_parts, None)?;
    let total: f64 = bare.iter().map(Section::length).sum();
    let sections = sections(route_parts, Some(total / f64::from(segments)))?;
    let total: f64 = sections.iter().map(Section::length).sum();
    let sections: Vec<Section> = sections
        .into_iter()
        .filter(|section| section.length() > SHORT * total || section.is_single_corner())
        .collect();
    let counts = distribute_links(&sections, segments)?;
    let mut points = Vec::with_capacity(segments as usize + 1);
    for (section, count) in sections.iter().zip(counts) {
        section.append(count, &mut points);
    }
    Ok(points)
}

fn sections(route_parts: &[RoutePart], spacing: Option<f64>) -> Result<Vec<Section>, String> {
    let mut sections = Vec::new();
    for leg in route_parts {
        match leg {
            &RoutePart::Arc { start, centre, about, turns } => {
                sections.push(Section::Arc { start, centre, about, turns });
            }
            RoutePart::Run { from, rounds, to } if rounds.is_empty() => {
                sections.push(Section::Line { from: *from, to: *to });
            }
            RoutePart::Run { from, rounds, to } => {
                let mut here = *from;
                for corners in round_corners([*from, *to], rounds, spacing)? {
                    let (Some(&first), Some(&last)) = (corners.first(), corners.last()) else {
                        continue;
                    };
                    sections.push(Section::Line { from: here, to: first });
                    sections.push(Section::Corners(corners));
                    here = last;
                }
                sections.push(Section::Line { from: here, to: *to });
            }
        }
    }
    Ok(sections)
}

impl Section {
    fn length(&self) -> f64 {
        match self {
            Self::Line { from, to } => from.distance(*to),
            Self::Arc { start, centre, about, turns } => {
                std::f64::consts::TAU * turns * (*start - *centre).reject_from(*about).length()
            }
            Self::Corners(corners) => {
                corners.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
            }
        }
    }

    fn is_single_corner(&self) -> bool {
        matches!(self, Self::Corners(corners) if corners.len() == 1)
    }

    fn append(&self, count: u32, points: &mut Vec<DVec3>) {
        // The previous section may have ended at the first particle of this section.
        let mut append = |point: DVec3, is_first: bool| {
            if !is_first || points.is_empty() {
                points.push(point);
            }
        };
        match self {
            Self::Line { from, to } => {
                for i in 0..=count {
                    let fraction = f64::from(i) / f64::from(count);
                    append(if i == count { *to } else { from.lerp(*to, fraction) }, i == 0);
                }
            }
            Self::Arc { start, centre, about, turns } => {
                for i in 0..=count {
                    let turned = turns * f64::from(i) / f64::from(count);
                    append(rotated(*start, *centre, *about, turned), i == 0);
                }
            }
            Self::Corners(corners) => {
                corners.iter().enumerate().for_each(|(i, corner)| append(*corner, i == 0));
            }
        }
    }
}

/// Returns a position rotated by `turns` around an axis through `centre`.
pub(crate) fn rotated(place: DVec3, centre: DVec3, about: DVec3, turns: f64) -> DVec3 {
    let arm = place - centre;
    let along = arm.project_onto_normalized(about);
    let across = arm - along;
    centre + along + sin_turns(turns + 0.25) * across + sin_turns(turns) * about.cross(across)
}

/// Distributes the links over the sections. Neighbouring corners are joined by one link. Other
/// sections get links in proportion to their lengths.
fn distribute_links(sections: &[Section], segments: u32) -> Result<Vec<u32>, String> {
    let mut counts: Vec<u32> = sections
        .iter()
        .map(|section| match section {
            Section::Corners(corners) => corners.len() as u32 - 1,
            _ => 1,
        })
        .collect();
    let least: u32 = counts.iter().sum();
    if segments < least {
        return Err(format!("found {segments} segments, expected at least {least} for this route"));
    }
    let is_free = |section: &Section| !matches!(section, Section::Corners(_));
    let free: Vec<usize> = (0..sections.len()).filter(|&i| is_free(&sections[i])).collect();
    let mut left = segments - least;
    if free.is_empty() && left > 0 {
        return Err(format!("found {segments} segments, expected {least} for this route"));
    }
    // The first loop distributes links in proportion to lengths, rounded down. The second loop
    // gives the remaining links to the sections with the longest links.
    let length: f64 = free.iter().map(|&i| sections[i].length()).sum();
    let bulk = f64::from(left);
    for &i in &free {
        let proportional = (bulk * sections[i].length() / length).floor().max(0.0) as u32;
        counts[i] += proportional.min(left).saturating_sub(1);
        left = segments - counts.iter().sum::<u32>();
    }
    while left > 0 {
        let link = |i: usize| sections[i].length() / f64::from(counts[i]);
        let Some(&longest) = free.iter().max_by(|&&a, &&b| link(a).total_cmp(&link(b))) else {
            break;
        };
        counts[longest] += 1;
        left -= 1;
    }
    Ok(counts)
}

/// Returns the corners of a rope around each circle between two points.
fn round_corners(
    [from, to]: [DVec3; 2],
    rounds: &[Round],
    spacing: Option<f64>,
) -> Result<Vec<Vec<DVec3>>, String> {
    let axis = rounds.first().map_or(DVec3::Z, |round| round.about);
    let e1 = axis.any_orthonormal_vector();
    let e2 = axis.cross(e1);
    let flat = |p: DVec3| dvec2(p.dot(e1), p.dot(e2));
    let signs: Vec<f64> = rounds.iter().map(|round| round.about.dot(axis)).collect();
    if signs.iter().any(|sign| (sign.abs() - 1.0).abs() > 1e-9) {
        return Err("the axes of neighbouring colliders are not parallel, expected a `Point` \
                    between them"
            .to_owned());
    }
    let point = |p: DVec3| Circle { centre: flat(p), radius: 0.0 };
    let circle = |(round, sign): (&Round, &f64)| Circle {
        centre: flat(round.centre),
        radius: sign.signum() * round.radius,
    };
    let mut circles = vec![point(from)];
    circles.extend(rounds.iter().zip(&signs).map(circle));
    circles.push(point(to));
    let mut wraps = find_wraps(&circles, rounds)?;
    let counts: Vec<u32> =
        wraps.iter().zip(rounds).map(|(wrap, round)| wrap.count(round, spacing)).collect();
    for _ in 0..PASSES {
        for (i, (wrap, round)) in wraps.iter().zip(rounds).enumerate() {
            let half = wrap.turns / (2.0 * f64::from(counts[i]));
            circles[i + 1].radius = signs[i].signum() * round.radius * sin_turns(half + 0.25);
        }
        wraps = find_wraps(&circles, rounds)?;
    }
    let mut corners: Vec<Vec<DVec2>> = Vec::new();
    for (i, (wrap, round)) in wraps.iter().zip(rounds).enumerate() {
        let corner = |k: u32| {
            let turned =
                wrap.turns * (f64::from(k) + 0.5) / f64::from(counts[i]) * signs[i].signum();
            let (sin, cos) = (sin_turns(turned), sin_turns(turned + 0.25));
            circles[i + 1].centre + round.radius * dvec2(cos, sin).rotate(wrap.start)
        };
        corners.push((0..counts[i]).map(corner).collect());
    }
    Ok(lift_corners([from, to], [e1, e2, axis], &corners))
}

/// Moves corners from the plane perpendicular to the axis into space. Their height along the axis
/// grows from one end of the rope to the other, in proportion to the distance along the rope.
fn lift_corners(
    [from, to]: [DVec3; 2],
    [e1, e2, axis]: [DVec3; 3],
    corners: &[Vec<DVec2>],
) -> Vec<Vec<DVec3>> {
    let mut ends: Vec<DVec2> = vec![dvec2(from.dot(e1), from.dot(e2))];
    ends.extend(corners.iter().flatten());
    ends.push(dvec2(to.dot(e1), to.dot(e2)));
    let distances: Vec<f64> = ends.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let total: f64 = distances.iter().sum();
    let mut fractions = distances.iter().scan(0.0, |sum, distance| {
        *sum += distance;
        Some(*sum / total)
    });
    let (start, end) = (from.dot(axis), to.dot(axis));
    let lift = |flat: &DVec2| {
        let fraction = fractions.next().unwrap_or(1.0);
        flat.x * e1 + flat.y * e2 + (start + (end - start) * fraction) * axis
    };
    let mut lift = lift;
    corners.iter().map(|round| round.iter().map(&mut lift).collect()).collect()
}

/// Contact of a rope with a circle: the direction from the centre to the first point of contact,
/// and the angle over which they touch, in turns.
struct Wrap {
    start: DVec2,
    turns: f64,
}

impl Wrap {
    fn count(&self, round: &Round, spacing: Option<f64>) -> u32 {
        let length = std::f64::consts::TAU * self.turns * round.radius;
        let spacing = spacing.unwrap_or(length / 16.0);
        (length / spacing).round().clamp(1.0, 1e6) as u32
    }
}

/// Circle in the plane of a rope. The rope turns counter-clockwise if the radius is positive.
#[derive(Clone, Copy)]
struct Circle {
    centre: DVec2,
    /// Radius in metres, with the sign of the sense of rotation; 0 for an end point.
    radius: f64,
}

/// Returns the contacts with all circles except the first and the last, which are the end points.
fn find_wraps(circles: &[Circle], rounds: &[Round]) -> Result<Vec<Wrap>, String> {
    let normals = circles.windows(2).map(|pair| tangent(&pair[0], &pair[1]));
    let normals = normals.collect::<Option<Vec<DVec2>>>().ok_or_else(|| {
        "the rope begins or ends inside a collider that it goes round, expected a position outside"
            .to_owned()
    })?;
    let wrap = |((pair, circle), round): ((&[DVec2], &Circle), &Round)| {
        let sign = circle.radius.signum();
        let turns = turns_between(pair[0], pair[1]) * sign;
        let turns = turns.rem_euclid(1.0);
        let turns = if turns > 1.0 - SHORT { 0.0 } else { turns };
        Wrap { start: pair[0] * sign, turns: turns + f64::from(round.more_turns) }
    };
    Ok(normals.windows(2).zip(&circles[1..]).zip(rounds).map(wrap).collect())
}

/// Returns the unit vector n of the line that touches two circles at centre + radius × n. `None` if
/// one circle lies within the other.
fn tangent(a: &Circle, b: &Circle) -> Option<DVec2> {
    let (d, k) = (b.centre - a.centre, a.radius - b.radius);
    let rest = d.length_squared() - k * k;
    let is_outside = rest > SHORT * d.length_squared() && d.is_finite();
    is_outside.then(|| (k * d + rest.sqrt() * dvec2(d.y, -d.x)) / d.length_squared())
}

/// Returns the angle from one unit vector to another in turns, −½ to ½, by Newton's method on
/// [`sin_turns`].
fn turns_between(a: DVec2, b: DVec2) -> f64 {
    let (cos, sin) = (a.dot(b), a.perp_dot(b));
    let mut turns = match (cos >= 0.0, sin >= 0.0) {
        (true, _) => 0.25 * sin,
        (false, true) => 0.5 - 0.25 * sin,
        (false, false) => -0.5 - 0.25 * sin,
    };
    for _ in 0..8 {
        let off = sin * sin_turns(turns + 0.25) - cos * sin_turns(turns);
        turns += off / std::f64::consts::TAU;
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn angles_are_found_all_round() {
        for k in -49..50 {
            let turns = f64::from(k) / 100.0;
            let b = dvec2(sin_turns(turns + 0.25), sin_turns(turns));
            assert!((turns_between(DVec2::X, b) - turns).abs() < 1e-15, "{turns}");
        }
    }

    fn half_round(about: DVec3, from: f64, to: f64) -> Vec<DVec3> {
        let round = Round { centre: dvec3(0.0, 1.0, 0.0), about, radius: 0.3, more_turns: 0 };
        let (from, to) = (dvec3(from, 0.0, 0.0), dvec3(to, 0.0, 0.0));
        place_particles(&[RoutePart::Run { from, rounds: vec![round], to }], 40).unwrap()
    }

    #[test]
    fn a_rope_over_a_drum_goes_over_it_either_way() {
        for (about, side) in [(DVec3::NEG_Z, -1.0), (DVec3::Z, 1.0)] {
            let points = half_round(about, 0.3 * side, -0.3 * side);
            assert_eq!(points.len(), 41);
            let top = points.iter().map(|p| p.y).fold(0.0, f64::max);
            assert!((top - 1.3).abs() < 1e-3, "{top}");
            let on: Vec<_> = points.iter().filter(|p| p.y > 1.0 + 1e-9).collect();
            assert!(on.iter().all(|p| (p.distance(dvec3(0.0, 1.0, 0.0)) - 0.3).abs() < 1e-12));
        }
    }

    #[test]
    fn all_corners_round_a_drum_turn_the_rope_by_the_same_angle() {
        let points = half_round(DVec3::NEG_Z, -0.2, 0.5);
        let turn = |trio: &[DVec3]| {
            let [a, b] = [trio[1] - trio[0], trio[2] - trio[1]].map(DVec3::normalize);
            a.cross(b).length()
        };
        let turns: Vec<f64> = points.windows(3).map(turn).filter(|turn| *turn > 1e-9).collect();
        assert!(turns.len() > 10 && turns.iter().all(|t| (t - turns[0]).abs() < 1e-9), "{turns:?}");
    }

    #[test]
    fn a_belt_runs_round_two_drums_and_may_cross_between_them() {
        let round =
            |x: f64, about| Round { centre: dvec3(x, 0.0, 0.0), about, radius: 0.2, more_turns: 0 };
        for (about, at) in [(DVec3::Z, -0.2), (DVec3::NEG_Z, 0.0)] {
            let from = dvec3(0.0, at, 0.0);
            let rounds = vec![round(0.5, DVec3::Z), round(-0.5, about)];
            let points =
                place_particles(&[RoutePart::Run { from, rounds, to: from }], 100).unwrap();
            let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
            let expected = if at < 0.0 { 2.0 + 0.4 * std::f64::consts::PI } else { length };
            assert!((length - expected).abs() < 2e-3 * expected, "{length}");
            assert!(points.iter().all(|p| p.y.abs() < 0.2 + 1e-12));
        }
    }

    #[test]
    fn more_turns_wind_a_helix() {
        let round = Round { centre: DVec3::ZERO, about: DVec3::Z, radius: 0.1, more_turns: 2 };
        let (from, to) = (dvec3(0.1, -1.0, -0.1), dvec3(0.1, 1.0, 0.1));
        let points =
            place_particles(&[RoutePart::Run { from, rounds: vec![round], to }], 200).unwrap();
        assert!(points.is_sorted_by(|a, b| a.z < b.z));
        let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!(length > 2.0 + 0.2 * std::f64::consts::TAU, "{length}");
    }
}
