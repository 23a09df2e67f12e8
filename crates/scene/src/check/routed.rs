//! Ropes with a route: through points, along arcs and around colliders.

use super::bodies::CheckedBodies;
use crate::geometry::route::{Round, RoutePart, place_particles, rotated};
use crate::typed::located::{Fault, Located};
use crate::typed::number::Point;
use crate::typed::rope_file::{RopeFile, Via};
use glam::DVec3;
use ropelab_core::contact::shape::Shape;
use ropelab_core::mesh::{Bend, Chain, LinkKind, RopeMaterial};

/// Largest distance at which two positions count as equal, as a fraction of (1 m + distance from
/// the origin).
const SAME_POSITION: f64 = 1e-9;

impl CheckedBodies {
    /// Returns the positions of the particles of a rope with a route. The last position of a closed
    /// rope equals the first.
    pub(super) fn places_along(
        &self,
        rope: &Located<RopeFile>,
        [from, to]: [DVec3; 2],
    ) -> Result<Vec<DVec3>, Fault> {
        let (mut here, mut route_parts, mut rounds) = (from, Vec::new(), Vec::new());
        for via in &rope.through {
            match **via {
                Via::Point(point) => {
                    let rounds = std::mem::take(&mut rounds);
                    route_parts.push(RoutePart::Run { from: here, rounds, to: point.into() });
                    here = point.into();
                }
                Via::Arc { centre, about, degrees } => {
                    if !rounds.is_empty() {
                        return Err(via.fault(
                            "found an arc that begins at a collider, expected a `Point` before it",
                        ));
                    }
                    let (centre, about) = (DVec3::from(centre), via.blame(unit_axis(about))?);
                    let turns = f64::from(degrees) / 360.0;
                    route_parts.push(RoutePart::Arc { start: here, centre, about, turns });
                    here = rotated(here, centre, about, turns);
                }
                Via::Round { .. } => rounds.push(self.check_round(via)?),
            }
        }
        if !rounds.is_empty() || here.distance(to) > SAME_POSITION * (1.0 + to.length()) {
            route_parts.push(RoutePart::Run { from: here, rounds, to });
        }
        rope.blame(place_particles(&route_parts, (*rope.segments).into()))
    }

    fn check_round(&self, via: &Located<Via>) -> Result<Round, Fault> {
        let Via::Round { collider, about, turns, gap } = **via else {
            return Err(via.fault("expected `Round`"));
        };
        let count = self.contact.colliders.len();
        let found = self.contact.colliders.get(collider as usize).ok_or_else(|| {
            via.fault(format!(
                "found collider {collider}, but the scene has {count}, which are numbered from 0"
            ))
        })?;
        let radius = match &found.shape {
            Shape::Sphere(sphere) => sphere.radius,
            Shape::Capsule(capsule) => capsule.radius,
            Shape::Cylinder(cylinder) => cylinder.radius,
            _ => {
                return Err(via.fault(format!(
                    "collider {collider} is not round, expected a sphere, capsule or cylinder"
                )));
            }
        };
        let radius = radius + f64::from(gap);
        if radius <= 0.0 {
            return Err(via.fault(format!(
                "found gap {}, expected more than minus the radius of collider {collider}",
                f64::from(gap)
            )));
        }
        let about = via.blame(unit_axis(about))?;
        Ok(Round { centre: found.centre, about, radius, more_turns: turns })
    }

    /// Adds a rope with one particle per point, and returns its particles from end to end. If
    /// `length` is given, rest lengths are scaled so that their sum is `length`. The last point of
    /// a closed rope equals the first one and gets no particle.
    pub(super) fn add_routed(
        &mut self,
        points: &[DVec3],
        tied: [Option<u32>; 2],
        length: Option<f64>,
        material: &RopeMaterial,
        closed: bool,
    ) -> Vec<u32> {
        let route_length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let scale = length.map_or(1.0, |length| length / route_length);
        let rests: Vec<f64> =
            points.windows(2).map(|pair| scale * pair[0].distance(pair[1])).collect();
        let own = if closed { points.len() - 1 } else { points.len() };
        let mut particles: Vec<u32> = Vec::with_capacity(points.len());
        for (i, &point) in points[..own].iter().enumerate() {
            let before = if closed { rests.last() } else { None };
            let before = i.checked_sub(1).map_or(before, |i| rests.get(i)).copied().unwrap_or(0.0);
            let after = rests.get(i).copied().unwrap_or(0.0);
            let mass = 0.5 * material.mass_per_metre * (before + after);
            let tie = if i == 0 { tied[0] } else { tied[1].filter(|_| i + 1 == own && !closed) };
            particles.push(match tie {
                Some(particle) => {
                    self.mesh.masses[particle as usize] += mass;
                    particle
                }
                None => self.mesh.particle(point, mass),
            });
        }
        let mut chain = particles.clone();
        if closed {
            chain.push(particles[0]);
        }
        self.link_chain(&chain, &rests, material, closed);
        self.mesh.ropes.push(Chain { particles: chain, radius: material.radius });
        particles
    }

    fn link_chain(&mut self, chain: &[u32], rests: &[f64], material: &RopeMaterial, closed: bool) {
        let ends = chain.windows(2);
        for (pair, &rest) in ends.zip(rests) {
            self.mesh.links.push(material.link([pair[0], pair[1]], rest, LinkKind::Structural));
        }
        let mut trios: Vec<([u32; 3], [f64; 2])> = chain
            .windows(3)
            .zip(rests.windows(2))
            .map(|(trio, rests)| ([trio[0], trio[1], trio[2]], [rests[0], rests[1]]))
            .collect();
        if let (true, [first, second, .., before, _], [rest, .., last]) = (closed, chain, rests) {
            trios.push(([*before, *first, *second], [*last, *rest]));
        }
        for (trio, rests) in trios {
            if material.bend_stiffness > 0.0 {
                let rest = rests[0] + rests[1];
                self.mesh.links.push(material.link([trio[0], trio[2]], rest, LinkKind::Bend));
            }
            if material.flexural_rigidity > 0.0 {
                let rigidity = material.flexural_rigidity;
                self.mesh.bends.push(Bend { particles: trio, rest: rests, rigidity });
            }
        }
    }
}

fn unit_axis(about: Point) -> Result<DVec3, String> {
    let about = DVec3::from(about);
    about.try_normalize().ok_or_else(|| format!("found `about` {about}, expected a direction"))
}
