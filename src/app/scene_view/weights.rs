//! Choice of the heavy particles that are drawn as weights: as iron balls with the particle's mass.

use crate::app::view::DrawnBall;
use crate::scene::Scene;
use glam::{DQuat, DVec3};

/// Density of iron in kg/m³.
const IRON: f64 = 7_870.0;
/// Smallest ratio of the radius of an iron ball with a particle's mass to the rope's radius at
/// which the particle is drawn as a weight.
const THICKER_THAN_ROPE: f64 = 2.0;
/// Smallest drawn radius of a weight in points.
const THINNEST: f32 = 6.0;
/// Smallest radius in metres at which a particle that belongs to no rope is drawn as a weight.
const SMALLEST_WITHOUT_ROPE: f64 = 0.012;
/// Maximum number of weights. If more particles are heavy, their material is heavy, so none is
/// drawn as a weight.
const MOST_WEIGHTS: usize = 500;

/// Particles drawn as balls: first the balls of the scene, then heavy particles as iron balls of
/// the same mass.
#[derive(Clone, Debug, Default)]
pub struct Weights(Vec<Weight>);

#[derive(Clone, Copy, Debug)]
struct Weight {
    particle: u32,
    radius: f64,
    least_radius: f32,
}

impl Weights {
    /// Chooses the weights of a scene: unpinned particles whose iron ball is more than
    /// [`THICKER_THAN_ROPE`] times as thick as their rope.
    pub fn new(scene: &Scene) -> Self {
        let mesh = &scene.parts.mesh;
        let mut thickness = vec![SMALLEST_WITHOUT_ROPE / THICKER_THAN_ROPE; mesh.positions.len()];
        for rope in &mesh.ropes {
            for &particle in &rope.particles {
                let here = &mut thickness[particle as usize];
                *here = here.max(rope.radius);
            }
        }
        for ball in &scene.parts.contact.balls {
            thickness[ball.particle as usize] = f64::INFINITY;
        }
        for pin in &scene.parts.pins {
            thickness[pin.particle as usize] = f64::INFINITY;
        }
        let balls =
            mesh.masses.iter().zip(&thickness).enumerate().filter_map(|(i, (mass, rope))| {
                let radius = (3.0 * mass / (4.0 * std::f64::consts::PI * IRON)).cbrt();
                let weight = Weight { particle: i as u32, radius, least_radius: THINNEST };
                (radius > THICKER_THAN_ROPE * rope).then_some(weight)
            });
        let weights: Vec<_> = balls.take(MOST_WEIGHTS + 1).collect();
        let weights = if weights.len() > MOST_WEIGHTS { Vec::new() } else { weights };
        let own = scene.parts.contact.balls.iter().map(|ball| Weight {
            particle: ball.particle,
            radius: ball.properties.radius,
            least_radius: 0.0,
        });
        Self(own.chain(weights).collect())
    }

    /// Returns the balls at these positions, beginning with the balls of the scene. `rotations` are
    /// in the same order.
    pub fn at(&self, positions: &[DVec3], rotations: &[DQuat]) -> impl Iterator<Item = DrawnBall> {
        self.0.iter().enumerate().filter_map(|(i, &Weight { particle, radius, least_radius })| {
            let centre = *positions.get(particle as usize)?;
            let rotation = rotations.get(i).copied();
            Some(DrawnBall { particle, centre, radius, least_radius, rotation })
        })
    }
}
