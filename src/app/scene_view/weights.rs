//! Choice of the particles that are drawn as weights.

use crate::app::view::DrawnBall;
use crate::scene::Scene;
use glam::{DQuat, DVec3};

/// Density of iron in kg/m³.
const IRON: f64 = 7_870.0;
/// A weight shows where its ball sticks out of the rope by as much as the rope is thick.
const STICKS_OUT: f64 = 2.0;
/// Radius in points below which no weight is drawn.
const THINNEST: f32 = 6.0;
/// Radius in metres below which a weight on no rope is not shown.
const SMALLEST: f64 = 0.012;
/// Most weights that are drawn: more of them are a material.
const MOST: usize = 500;

/// Particles that are drawn as iron balls of their own mass.
#[derive(Clone, Debug, Default)]
pub struct Weights(Vec<Weight>);

#[derive(Clone, Copy, Debug)]
struct Weight {
    particle: u32,
    radius: f64,
    thinnest: f32,
}

impl Weights {
    /// The weights of a scene: particles, free at the start, whose mass as an iron ball would stick
    /// out of the rope or cloth on which they hang.
    pub fn new(scene: &Scene) -> Self {
        let mesh = &scene.parts.mesh;
        let mut thickness = vec![SMALLEST / STICKS_OUT; mesh.positions.len()];
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
                let weight = Weight { particle: i as u32, radius, thinnest: THINNEST };
                (radius > STICKS_OUT * rope).then_some(weight)
            });
        let weights: Vec<_> = balls.take(MOST + 1).collect();
        let weights = if weights.len() > MOST { Vec::new() } else { weights };
        let own = scene.parts.contact.balls.iter().map(|ball| Weight {
            particle: ball.particle,
            radius: ball.properties.radius,
            thinnest: 0.0,
        });
        Self(own.chain(weights).collect())
    }

    /// The balls at these positions, with their particles: first those of the scene, in its order,
    /// with their rotation so far.
    pub fn at(
        &self,
        positions: &[DVec3],
        turned: &[DQuat],
    ) -> impl Iterator<Item = (u32, DrawnBall)> {
        self.0.iter().enumerate().filter_map(|(i, &Weight { particle, radius, thinnest })| {
            let centre = *positions.get(particle as usize)?;
            let turned = turned.get(i).copied();
            Some((particle, DrawnBall { centre, radius, thinnest, turned }))
        })
    }
}
