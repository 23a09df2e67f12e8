//! Contacts of particles with colliders.

use crate::contact::bodies::collider::{Collider, Obstacles, Placed};
use crate::contact::bodies::properties::PointSetup;
use crate::contact::resolve::position_level::{
    CONTACT_GAP, Contact, PositionContacts, recovered_length, remaining_length,
};
use crate::contact::substep::SubstepMotion;
use crate::contact::swept::sphere_to_shape;
use glam::DVec3;
use itertools::izip;

/// Finds the contacts of particles with collider `number`: of particles that hit the collider on
/// their path, and of particles so near to it that links may move them into it. Writes the distance
/// in metres of each particle from this collider at the end of the substep to `gaps`.
pub(in crate::contact) fn find_contacts(
    number: usize,
    held: &mut PositionContacts,
    points: &[PointSetup],
    motion: &SubstepMotion,
    Obstacles { colliders, placed, layers }: Obstacles,
    gaps: &mut Vec<f64>,
) {
    let SubstepMotion { start, x, w, h, margin, discrete } = *motion;
    let (collider, placed) = (&colliders[number], &placed[number]);
    gaps.clear();
    gaps.extend(x.iter().map(|x| collider.shape.distance(*x - placed.at(1.0)).0));
    for (index, point) in points.iter().enumerate() {
        let i = point.particle as usize;
        if w[i] == 0.0 || !layers.may_collide(point.properties.layer, collider.layer) {
            continue;
        }
        let (distance, radius) = (gaps[i], point.properties.radius);
        let from = start[i] - placed.start;
        let to = x[i] - placed.at(1.0);
        let displacement = to - from;
        let is_near = distance <= radius + if discrete { CONTACT_GAP } else { margin };
        if !is_near && (discrete || distance > radius + displacement.length()) {
            continue;
        }
        let mut normal = collider.shape.distance(to).1;
        let mut plane_point = to + normal * (radius - distance);
        let swept = || sphere_to_shape(&collider.shape, from, displacement, radius);
        if let Some((t, n)) = (!discrete).then(swept).flatten() {
            (plane_point, normal) = (from + displacement * t, n);
            if is_near {
                let depth = radius - collider.shape.distance(from).0;
                plane_point += normal * recovered_length(depth, h);
            }
        } else if !is_near {
            // The particle misses the convex body and is too far away for links to move it there.
            // `stop_at_colliders` checks the particle again after the sweeps.
            continue;
        } else if !discrete {
            // An overlap that existed at the start of the substep is removed slowly.
            let depth = radius - collider.shape.distance(from).0;
            if depth > OVERLAP_TOLERANCE {
                plane_point -= normal * remaining_length(depth, h);
            }
        }
        let v = collider.surface_velocity(to - normal * radius);
        let surface_displacement = placed.displacement + v * h;
        let at = plane_point + placed.at(1.0);
        let surface = collider.surface.with(&point.properties.surface);
        held.contacts.push(Contact {
            particles: [point.particle; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            key: Contact::key_at_collider(number, false, index),
            collider: Some(number as u32),
            inverse_mass: w[i],
            plane_point: at,
            surface_displacement,
            approach: -(x[i] - start[i] - surface_displacement).dot(normal) / h,
            ..Contact::without_force(normal, at, surface)
        });
    }
}

/// Moves particles that have entered a collider after the sweeps back to its surface. They keep
/// their motion along the surface.
pub(in crate::contact) fn stop_at_colliders(
    points: &[PointSetup],
    start: &[DVec3],
    x: &mut [DVec3],
    w: &[f64],
    Obstacles { colliders, placed, layers }: Obstacles,
) {
    for (collider, placed) in izip!(colliders, placed) {
        for point in points {
            let i = point.particle as usize;
            let radius = point.properties.radius;
            let (from, to) = (start[i] - placed.start, x[i] - placed.at(1.0));
            let passes = w[i] == 0.0 || !layers.may_collide(point.properties.layer, collider.layer);
            if passes || collider.shape.distance(from).0 < radius {
                continue;
            }
            let Some((t, normal)) = sphere_to_shape(&collider.shape, from, to - from, radius)
            else {
                continue;
            };
            let rest = (to - from) * (1.0 - t);
            let depth = -normal.dot(rest);
            if depth > OVERLAP_TOLERANCE {
                x[i] += normal * depth;
            }
        }
    }
}

pub(in crate::contact) fn deepest_overlap(
    points: &[PointSetup],
    x: &[DVec3],
    w: &[f64],
    obstacles: Obstacles,
) -> f64 {
    let depth = |point: &PointSetup| {
        let i = point.particle as usize;
        let overlap = |(_, collider, placed): (u32, &Collider, &Placed)| {
            point.properties.radius - collider.shape.distance(x[i] - placed.at(1.0)).0
        };
        let touched = obstacles.colliders_for(point.properties.layer);
        let deepest = touched.map(overlap).fold(0.0, f64::max);
        if w[i] > 0.0 { deepest } else { 0.0 }
    };
    points.iter().map(depth).fold(0.0, f64::max)
}

/// Largest overlap in metres that sweeps may leave because of rounding.
const OVERLAP_TOLERANCE: f64 = 1e-12;
