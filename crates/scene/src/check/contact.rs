//! Checks of balls, colliders and surfaces.

use super::bodies::{CheckedBodies, NamedBody};
use crate::typed::contact_file::{
    BallFile, BallsFile, ColliderFile, ParticleSurfaceFile, ShapeFile, SurfaceFile, ThrownFile,
};
use crate::typed::located::{Fault, Located};
use crate::typed::number::Point;
use glam::DVec3;
use ropelab_core::contact::shape::{Capsule, Cuboid, Cylinder, Plane, Polyhedron, Shape, Sphere};
use ropelab_core::contact::{
    BallSetup, Collider, ContactKind, ContactProperties, ContactTable, Layer, PointSetup, Surface,
};
use ropelab_core::model::{ScheduledThrow, Throw, thrown_ball};
use ropelab_core::numerics::random::LinearCongruence;
use std::sync::Arc;

/// Default coefficient of restitution of balls.
const BALL_RESTITUTION: f64 = 0.5;

impl CheckedBodies {
    pub(super) fn add_ball(&mut self, particle: u32, ball: &BallFile) -> Result<(), Fault> {
        let surface = check_surface(&ball.surface, BALL_RESTITUTION)?;
        let layer = self.layer_of(particle);
        let properties = ContactProperties { radius: ball.radius.into(), surface, layer };
        self.contact.balls.push(BallSetup { particle, properties, spin: ball.spin.into() });
        Ok(())
    }

    pub(super) fn add_balls(&mut self, balls: &[Located<BallsFile>]) -> Result<(), Fault> {
        balls.iter().try_for_each(|balls| self.add_row(balls))
    }

    /// Adds the thrown balls after all other particles, as if the user had thrown them. `All` in
    /// surfaces, masses and velocities does not select them.
    pub(super) fn add_thrown(
        &mut self,
        balls: &[Located<ThrownFile>],
        velocities: &mut Vec<DVec3>,
    ) -> Result<(), Fault> {
        for ball in balls {
            let t = f64::from(ball.after);
            if t > 0.0 {
                let throw = Throw {
                    at: ball.at.into(),
                    velocity: ball.velocity.into(),
                    mass: ball.mass.into(),
                    radius: ball.radius.into(),
                };
                self.throws.push(ScheduledThrow { t, throw });
                continue;
            }
            let particle = self.mesh.particle(ball.at.into(), ball.mass.into());
            velocities.resize(particle as usize, DVec3::ZERO);
            velocities.push(ball.velocity.into());
            self.contact.balls.push(thrown_ball(particle, ball.radius.into()));
            let grown = particle as usize..particle as usize + 1;
            ball.blame(self.check_magnitudes(grown, self.mesh.links.len()))?;
        }
        self.throws.sort_by(|a, b| a.t.total_cmp(&b.t));
        Ok(())
    }

    /// Adds a grid of balls along x, y and z. Neighbours along x have consecutive indices.
    fn add_row(&mut self, balls: &BallsFile) -> Result<(), Fault> {
        let radius = f64::from(balls.radius);
        let surface = check_surface(&balls.surface, BALL_RESTITUTION)?;
        let counts = ball_counts(balls);
        let spacing = balls.spacing.map_or(DVec3::splat(2.0 * radius), DVec3::from);
        let (jitter, speed) = (f64::from(balls.jitter), f64::from(balls.speed));
        let mut noise = LinearCongruence::new(balls.seed);
        let first = self.mesh.positions.len() as u32;
        let layer = self.layer(&balls.layer)?;
        for k in 0..counts.iter().product() {
            let place = [k % counts[0], k / counts[0] % counts[1], k / counts[0] / counts[1]];
            let offset = DVec3::from(place.map(|n| n as f64)) * spacing;
            let at = DVec3::from(balls.at) + offset + noise.vector() * jitter;
            let particle = self.mesh.particle(at, balls.mass.into());
            let properties = ContactProperties { radius, surface, layer };
            self.contact.balls.push(BallSetup { particle, properties, spin: balls.spin.into() });
            self.velocities.push(DVec3::from(balls.velocity) + noise.vector() * speed);
        }
        let end = self.mesh.positions.len() as u32;
        let grown = first as usize..end as usize;
        balls.count.blame(self.check_magnitudes(grown, self.mesh.links.len()))?;
        self.put_in_layer(first as usize, &balls.layer)?;
        let is_one = end - first == 1;
        let body = if is_one { NamedBody::Particle(first) } else { NamedBody::Balls(first..end) };
        self.register_body(&balls.name, body)
    }

    /// Sets the surfaces of all particles that are not balls. These particles become contact points
    /// only if the scene has colliders.
    pub(super) fn add_points(&mut self, files: &[ParticleSurfaceFile]) -> Result<(), Fault> {
        let count = self.mesh.positions.len();
        let point =
            |layer: Layer| ContactProperties { radius: 0.0, surface: Surface::default(), layer };
        let own = |particle| Some(point(self.layer_of(particle)));
        let mut properties_of_all: Vec<_> = (0..count as u32).map(own).collect();
        let mut between = vec![(true, false); count];
        for rope in &self.mesh.ropes {
            for &particle in &rope.particles {
                if let Some(properties) = &mut properties_of_all[particle as usize] {
                    properties.radius = properties.radius.max(rope.radius);
                }
            }
        }
        for ball in &self.contact.balls {
            properties_of_all[ball.particle as usize] = None;
        }
        for file in files {
            let surface = check_surface(&file.surface, 0.0)?;
            for particle in self.find_particles(&file.of)? {
                let Some(properties) = &mut properties_of_all[particle as usize] else {
                    return Err(file.of.fault(format!(
                        "particle {particle} is a ball, which has a surface of its own; expected \
                         other particles"
                    )));
                };
                let radius = file.radius.map_or(properties.radius, f64::from);
                *properties = ContactProperties { radius, surface, ..*properties };
                between[particle as usize] = (file.between, file.itself);
            }
        }
        let contact_kind = |(particle, (between, itself)): (u32, _)| {
            let properties = properties_of_all[particle as usize];
            let properties = properties.unwrap_or_else(|| point(self.layer_of(particle)));
            ContactKind { properties, between, itself }
        };
        self.contact.contact_table = ContactTable::new((0..).zip(between).map(contact_kind));
        if !self.contact.colliders.is_empty() {
            let points = properties_of_all.into_iter().zip(0..);
            let setup = |(properties, particle): (Option<ContactProperties>, u32)| {
                Some(PointSetup { particle, properties: properties? })
            };
            self.contact.points = points.filter_map(setup).collect();
        }
        Ok(())
    }

    pub(super) fn add_colliders(&mut self, colliders: &[ColliderFile]) -> Result<(), Fault> {
        for collider in colliders {
            let ColliderFile { shape, at, surface: own, path, turn, belt, layer } = collider;
            path.blame(path.check().map_err(|e| format!("path: {e}")))?;
            let layer = self.layer(layer)?;
            let (shape, middle) = shape.blame(build_shape(shape))?;
            self.contact.colliders.push(Collider {
                shape,
                centre: middle.map_or((*at).into(), |middle| DVec3::from(*at) + middle),
                surface: check_surface(own, 0.0)?,
                layer,
                path: (**path).clone(),
                turn: (*turn).into(),
                belt: (*belt).into(),
            });
        }
        Ok(())
    }
}

pub(super) fn ball_counts(balls: &BallsFile) -> [u64; 3] {
    let (x, y, z) = *balls.count;
    [x, y, z].map(|n| u64::from(u32::from(n)))
}

fn check_surface(file: &Located<SurfaceFile>, restitution: f64) -> Result<Surface, Fault> {
    let restitution = file.restitution.map_or(restitution, f64::from);
    if restitution > 1.0 {
        return Err(file.fault(format!("found restitution {restitution}, expected 0 to 1")));
    }
    let friction = f64::from(file.friction);
    let static_friction = file.static_friction.map_or(friction, f64::from);
    if static_friction < friction {
        return Err(file.fault(format!(
            "found static_friction {static_friction}, expected at least the friction {friction}"
        )));
    }
    Ok(Surface { restitution, static_friction, friction })
}

/// Returns the shape of a collider, and the position of its centre relative to `at` (`None` if the
/// centre is at `at`).
fn build_shape(shape: &ShapeFile) -> Result<(Shape, Option<DVec3>), String> {
    let shape = match *shape {
        ShapeFile::Plane { normal } => {
            Shape::Plane(Plane { normal: unit_vector("normal", normal)? })
        }
        ShapeFile::Sphere { radius } => Shape::Sphere(Sphere { radius: radius.into() }),
        ShapeFile::Capsule { radius, length, along } => Shape::Capsule(Capsule {
            axis: unit_vector("along", along)?,
            half: 0.5 * f64::from(length),
            radius: radius.into(),
        }),
        ShapeFile::Box { size, turned } => {
            let size = DVec3::from(size);
            if size.min_element() <= 0.0 {
                return Err(format!("found a box of size {size}, expected three lengths above 0"));
            }
            Shape::Cuboid(Cuboid::new(0.5 * size, turned.into()))
        }
        ShapeFile::Cylinder { radius, length, along } => Shape::Cylinder(Cylinder {
            axis: unit_vector("along", along)?,
            half: 0.5 * f64::from(length),
            radius: radius.into(),
        }),
        ShapeFile::Mesh { ref points, ref triangles, .. } => {
            let points: Vec<DVec3> = points.iter().map(|point| (*point).into()).collect();
            let body = Polyhedron::new(&points, triangles);
            let (body, middle) = body.map_err(|error| error.to_string())?;
            return Ok((Shape::Polyhedron(Arc::new(body)), Some(middle)));
        }
    };
    Ok((shape, None))
}

/// Scales the direction to length 1. A vector that already has length 1 keeps its bits.
fn unit_vector(name: &str, direction: Point) -> Result<DVec3, String> {
    let direction = DVec3::from(direction);
    if (direction.length_squared() - 1.0).abs() < 1e-14 {
        return Ok(direction);
    }
    let unit = direction.try_normalize();
    unit.ok_or_else(|| format!("found `{name}` {direction}, expected a direction"))
}
