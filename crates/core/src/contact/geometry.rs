//! Bodies and surfaces of a scene that contact knows.

use super::{Collider, Layer, Layers, Skins, Surface};
use glam::DVec3;

/// Contact properties of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skin {
    /// Radius in metres.
    pub radius: f64,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer, which decides what it touches.
    pub layer: Layer,
}

/// Bodies and surfaces of a scene that contact knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Particles that are balls: solid spheres that turn.
    pub balls: Vec<BallSetup>,
    /// Other particles, as colliders meet them.
    pub points: Vec<PointSetup>,
    /// Contact properties of particles, and so of the links and triangles between them.
    pub skins: Skins,
    /// Obstacles.
    pub colliders: Vec<Collider>,
    /// Layers that pass through each other.
    pub layers: Layers,
}

impl Geometry {
    /// Whether nothing touches anything.
    pub fn is_empty(&self) -> bool {
        self.balls.is_empty() && self.colliders.is_empty() && !self.skins.touch_themselves()
    }
}

/// A particle that touches colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSetup {
    /// Its index.
    pub particle: u32,
    /// Radius, bounce and friction.
    pub skin: Skin,
}

/// A particle that is a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSetup {
    /// Its index.
    pub particle: u32,
    /// Radius, bounce and friction.
    pub skin: Skin,
    /// Angular velocity at the start in rad/s.
    pub spin: DVec3,
}
