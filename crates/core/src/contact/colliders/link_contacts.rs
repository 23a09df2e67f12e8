//! Contacts of links and triangles with colliders.
//!
//! The distance to a convex body is a convex function along a link, so bisection finds its minimum.
//! A triangle touches a body at its edges, which are links, or at an inner point. The inner point
//! is nearest to the point of the body that lies furthest towards the triangle.

use super::face::{FAR_SAFETY, LEAST_INNER_WEIGHT, Nearest, Side, on_triangle, overlap_depth};
use crate::contact::bodies::collider::{Obstacles, Placed};
use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::contact_table::ContactTable;
use crate::contact::bodies::properties::ContactProperties;
use crate::contact::resolve::position_level::{
    Contact, PositionContacts, recovered_length, remaining_length,
};
use crate::contact::shape::Shape;
use crate::contact::shape::Sphere;
use crate::contact::substep::SubstepMotion;
use glam::DVec3;

/// Number of bisections of a link, which divide it down to 2⁻⁴⁰ of its length.
const HALVINGS: u32 = 40;

/// Largest number of advances of a link along its path. A link that needs more only grazes the
/// collider and does not count as being in contact.
const MOST_ADVANCES: u32 = 50;

/// Contact tolerance: a link of radius r is in contact at gaps up to EARLY · (r + EARLY) metres.
const EARLY: f64 = 1e-6;

/// Largest number of rounds that remove overlaps left by the sweeps.
const ROUNDS: u32 = 20;

/// Largest overlap in metres that may remain.
const OVERLAP_TOLERANCE: f64 = 1e-10;

/// A link or triangle near a collider. A round of overlap removal may check thousands of such
/// features, so this struct is small.
#[derive(Clone, Copy, Debug)]
struct NearFeature {
    collider: u32,
    particles: [u32; 3],
    /// Number of particles: 2 for a link, 3 for a triangle.
    count: u32,
    radius: f64,
    /// Normal of a triangle out of the collider, at the start of the substep. `None` for a link,
    /// and for a triangle beside the collider.
    outward: Option<DVec3>,
}

/// Links and triangles near colliders in one substep.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct LinkContacts {
    near: Vec<NearFeature>,
    /// Number of the last round that moved each particle, counted from 1; 0 if none did.
    moved_in: Vec<u32>,
}

impl LinkContacts {
    pub fn clear(&mut self) {
        self.near.clear();
    }

    /// Returns the number of links and triangles near colliders.
    pub fn count(&self) -> usize {
        self.near.len()
    }

    /// Finds the links and triangles near collider `number`, and their contacts. `gaps` contains
    /// the distances in metres of all particles from this collider at the end of the substep.
    pub fn find_contacts(
        &mut self,
        number: usize,
        gaps: &[f64],
        (contact_features, contact_table): (&ContactFeatures, &ContactTable),
        motion: &SubstepMotion,
        obstacles: Obstacles,
        held: &mut PositionContacts,
    ) {
        let SubstepMotion { start, x, w, margin, .. } = *motion;
        let Obstacles { colliders, placed, layers } = obstacles;
        let (collider, placed) = (&colliders[number], &placed[number]);
        // No point of a link is nearer to a plane than the nearer of its ends, so contacts of
        // particles suffice.
        if matches!(collider.shape, Shape::Plane(_)) {
            return;
        }
        let slack = contact_table.largest_radius() + 3.0 * margin + placed.displacement.length();
        let mut index = 0;
        let mut collect_near_feature = |particles: &[u32]| {
            index += 1;
            let [a, b, c] = [0, 1, particles.len() - 1].map(|k| particles[k] as usize);
            // No point of an edge is further from its nearer end than half the length of the edge.
            let far = gaps[a].min(gaps[b]).min(gaps[c]) - slack;
            let square = |a: usize, b: usize| x[a].distance_squared(x[b]);
            let size = || square(a, b).max(square(b, c)).max(square(c, a));
            let is_far = far > 0.0 && far * far > 0.36 * size();
            if is_far
                || !contact_table.collides_with_bodies(particles)
                || particles.iter().all(|i| w[*i as usize] == 0.0)
            {
                return;
            }
            let mut all = [particles[particles.len() - 1]; 3];
            all[..particles.len()].copy_from_slice(particles);
            let properties = contact_table.of_feature(particles);
            if !layers.may_collide(properties.layer, collider.layer) {
                return;
            }
            let is_triangle = particles.len() > 2;
            let corners = || all.map(|i| start[i as usize] - placed.start);
            let outward =
                is_triangle.then(|| Side::classify(&collider.shape, corners()).outward()).flatten();
            let (collider, count, radius) =
                (number as u32, particles.len() as u32, properties.radius);
            let near = NearFeature { collider, particles: all, count, radius, outward };
            if let Some(contact) = near.contact(&properties, motion, obstacles) {
                let key = Contact::key_at_collider(number, true, index);
                held.contacts.push(Contact { key, ..contact });
            }
            self.near.push(near);
        };
        contact_features.links.iter().for_each(|link| collect_near_feature(link));
        contact_features.sides.iter().for_each(|side| collect_near_feature(side));
        contact_features.triangles.iter().for_each(|triangle| collect_near_feature(triangle));
    }

    /// Returns the deepest overlap in metres of links and triangles with colliders at the end of a
    /// substep.
    pub fn deepest_overlap(&self, x: &[DVec3], obstacles: Obstacles) -> f64 {
        let Obstacles { colliders, placed, .. } = obstacles;
        let overlap = |near: &NearFeature| {
            let number = near.collider as usize;
            near.overlap(&colliders[number].shape, x, placed[number].at(1.0))
        };
        self.near.iter().map(overlap).fold(0.0, f64::max)
    }

    /// Removes the overlaps that the sweeps have left between colliders and links or triangles.
    /// Velocities do not change.
    pub fn remove_overlaps(
        &mut self,
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        h: f64,
        Obstacles { colliders, placed, .. }: Obstacles,
    ) {
        let Self { near, moved_in } = self;
        moved_in.clear();
        moved_in.resize(x.len(), 0);
        for round in 0..ROUNDS {
            let mut has_moved = false;
            for near in near.iter() {
                // Skips features whose particles have not moved since the previous round.
                let is_still = |i: &u32| moved_in[*i as usize] < round;
                if near.particles.iter().all(is_still) {
                    continue;
                }
                let number = near.collider as usize;
                let (shape, placed) = (&colliders[number].shape, &placed[number]);
                let most = near.radius;
                let centres = [placed.start, placed.at(1.0)];
                let Some(now) = near.nearest(shape, [start, x], centres, most) else { continue };
                let mut overlap = near.radius - now.distance;
                if overlap <= OVERLAP_TOLERANCE {
                    continue;
                }
                // An overlap that existed at the start of the substep is removed slowly.
                let before = near.overlap_before(shape, start, placed.start);
                overlap -= remaining_length(before, h);
                if overlap <= OVERLAP_TOLERANCE {
                    continue;
                }
                let particles = &near.particles[..near.count as usize];
                let inverse_mass = Contact::inverse_mass_of(particles, &now.weights, w);
                if inverse_mass == 0.0 {
                    continue;
                }
                has_moved = true;
                for (i, weight) in particles.iter().zip(now.weights) {
                    let i = *i as usize;
                    x[i] += now.normal * (w[i] * weight * overlap / inverse_mass);
                    moved_in[i] = round + 1;
                }
            }
            if !has_moved {
                break;
            }
        }
    }
}

impl NearFeature {
    /// Returns the inner point of the feature that is nearest to a body at the end of the substep.
    /// `None` if this point is more than `most` metres away. Also `None` if it lies on an end or
    /// edge of the feature, because particles and edges are checked separately.
    fn nearest(
        &self,
        shape: &Shape,
        motion: [&[DVec3]; 2],
        centres: [DVec3; 2],
        most: f64,
    ) -> Option<Nearest> {
        let relative = |k: usize| self.particles.map(|i| motion[k][i as usize] - centres[k]);
        if self.count > 2 {
            let nearest = on_triangle(shape, [relative(0), relative(1)], self.outward, most);
            return nearest.filter(|nearest| nearest.distance <= most);
        }
        let [a, b, _] = relative(1);
        let (_, nearest) = on_link(shape, [a, b], most)?;
        let is_inside = nearest.weights[..2].iter().all(|weight| *weight > LEAST_INNER_WEIGHT);
        (is_inside && nearest.distance <= most).then_some(nearest)
    }

    /// Returns the overlap in metres with a body at the position `centre` (in metres); 0 or less
    /// without an overlap.
    fn overlap(&self, shape: &Shape, x: &[DVec3], centre: DVec3) -> f64 {
        let [a, b, c] = self.particles.map(|i| x[i as usize] - centre);
        if self.count > 2 {
            return overlap_depth(shape, [a, b, c], self.radius);
        }
        on_link(shape, [a, b], self.radius)
            .map_or(0.0, |(_, nearest)| self.radius - nearest.distance)
    }

    /// Returns the overlap at the start of the substep, in metres; at least 0.
    fn overlap_before(&self, shape: &Shape, start: &[DVec3], centre: DVec3) -> f64 {
        let nearest = self.nearest(shape, [start; 2], [centre; 2], self.radius);
        nearest.map_or(0.0, |nearest| self.radius - nearest.distance)
    }

    /// Returns the first contact point of a moving link with a body within the substep. `None` for
    /// a triangle, and for a link that does not touch the body, moves away from it, or touches it
    /// at an end.
    fn first_contact(
        &self,
        shape: &Shape,
        placed: &Placed,
        [start, x]: [&[DVec3]; 2],
    ) -> Option<Nearest> {
        if self.count > 2 {
            return None;
        }
        let ends = self.particles.map(|i| i as usize);
        let from = [ends[0], ends[1]].map(|i| start[i] - placed.start);
        let to = [ends[0], ends[1]].map(|i| x[i] - placed.at(1.0));
        let displacement = [to[0] - from[0], to[1] - from[1]];
        let speed = displacement[0].length().max(displacement[1].length());
        let mut t = 0.0;
        for _ in 0..MOST_ADVANCES {
            let at = [from[0] + displacement[0] * t, from[1] + displacement[1] * t];
            let within = self.radius + speed * (1.0 - t);
            let (s, nearest) = on_link(shape, at, within)?;
            let gap = nearest.distance - self.radius;
            if gap <= EARLY * (self.radius + EARLY) {
                let closing =
                    nearest.normal.dot(displacement[0] * (1.0 - s) + displacement[1] * s) < 0.0;
                let is_inside = s > LEAST_INNER_WEIGHT && s < 1.0 - LEAST_INNER_WEIGHT;
                return (closing && is_inside).then_some(nearest);
            }
            t += gap / speed;
            if t > 1.0 || t.is_nan() {
                return None;
            }
        }
        None
    }

    /// Returns the contact of the feature. `None` if it neither touches the body in the substep nor
    /// comes so near that links may bring it into contact.
    fn contact(
        &self,
        properties: &ContactProperties,
        motion: &SubstepMotion,
        Obstacles { colliders, placed, .. }: Obstacles,
    ) -> Option<Contact> {
        let SubstepMotion { start, x, w, h, margin, discrete } = *motion;
        let number = self.collider as usize;
        let (collider, placed) = (&colliders[number], &placed[number]);
        let radius = self.radius;
        let most = radius + if discrete { 0.0 } else { margin };
        let (shape, centres) = (&collider.shape, [placed.start, placed.at(1.0)]);
        let swept = || self.first_contact(shape, placed, [start, x]);
        let found = if discrete { None } else { swept() };
        let near = found.or_else(|| self.nearest(shape, [start, x], centres, most))?;
        // An overlap that existed at the start of the substep is removed slowly.
        let overlap = match found {
            Some(near) => (radius - near.distance).max(0.0),
            None if near.distance < radius && !discrete => {
                self.overlap_before(shape, start, centres[0])
            }
            None => 0.0,
        };
        let recovered = recovered_length(overlap, h);
        let count = self.count as usize;
        let inverse_mass =
            Contact::inverse_mass_of(&self.particles[..count], &near.weights[..count], w);
        if inverse_mass == 0.0 {
            return None;
        }
        let Nearest { weights: [a, b, c], place, distance, normal } = near;
        let target = radius - overlap + recovered;
        let plane_point = place + normal * (target - distance) + placed.at(1.0);
        let surface_displacement =
            placed.displacement + collider.surface_velocity(place - normal * distance) * h;
        let [first, second, third] = self.particles;
        let contact = Contact {
            particles: [first, second, third, third],
            weights: [a, b, c, 0.0],
            count,
            collider: Some(self.collider),
            inverse_mass,
            plane_point,
            surface_displacement,
            recovered,
            ..Contact::without_force(
                normal,
                plane_point,
                collider.surface.with(&properties.surface),
            )
        };
        let approach =
            -(contact.contact_displacement(x, start) - surface_displacement).dot(normal) / h;
        Some(Contact { approach, ..contact })
    }
}

/// Returns the depth in metres to which the inside of a link overlaps a body. `None` if it does
/// not, or if an end of the link overlaps too. The overlap with a plane is always deepest at an
/// end.
pub(in crate::contact) fn inner_link_depth(
    shape: &Shape,
    ends: [DVec3; 2],
    radius: f64,
) -> Option<f64> {
    if matches!(shape, Shape::Plane(_)) || ends.iter().any(|p| shape.distance(*p).0 < radius) {
        return None;
    }
    let (_, nearest) = on_link(shape, ends, radius)?;
    (nearest.distance < radius).then_some(radius - nearest.distance)
}

/// Returns the point of a link that is nearest to a convex body, and its position on the link, 0 to
/// 1. `None` if the point is certainly more than `most` metres away.
fn on_link(shape: &Shape, [a, b]: [DVec3; 2], most: f64) -> Option<(f64, Nearest)> {
    let along = b - a;
    let at = |s: f64| {
        let place = a + along * s;
        let (distance, normal) = shape.distance(place);
        (s, Nearest { weights: [1.0 - s, s, 0.0], place, distance, normal })
    };
    if let Shape::Sphere(Sphere { radius }) = shape {
        let s = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        // Compares squares, because most links are far away and a root takes as long as all other
        // operations.
        let is_far = (a + along * s).length_squared() > FAR_SAFETY * (radius + most).powi(2);
        return (!is_far && !s.is_nan()).then(|| at(s));
    }
    let [first, last] = [at(0.0), at(1.0)];
    let [down, up] = [first.1.normal.dot(along), last.1.normal.dot(along)];
    if down >= 0.0 {
        return Some(first);
    }
    if up <= 0.0 {
        return Some(last);
    }
    // A convex function lies above its tangents at both ends, and so above their intersection.
    let meet = (last.1.distance - first.1.distance - up) / (down - up);
    if first.1.distance + down * meet > most {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = at(0.5 * (low + high));
        let slope = middle.1.normal.dot(along);
        if slope == 0.0 {
            return Some(middle);
        }
        if slope < 0.0 { low = middle.0 } else { high = middle.0 }
    }
    // At an edge of the body, the normals differ on the two sides of the minimum. The normal
    // perpendicular to the link lies between them, so it is interpolated.
    let [below, above] = [at(low), at(high)];
    let slopes = [below.1.normal.dot(along), above.1.normal.dot(along)];
    let part = slopes[0] / (slopes[0] - slopes[1]);
    let normal = below.1.normal.lerp(above.1.normal, part).normalize_or(above.1.normal);
    Some((high, Nearest { normal, ..above.1 }))
}
