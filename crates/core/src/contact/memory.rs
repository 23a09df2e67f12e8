//! State of contact from step to step.

use super::{BallSetup, ContactReport, Geometry, Pressure};
use crate::contact::resolve::position_level::LayerForce;
use glam::DVec3;

/// State of contact from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Angular velocity in rad/s, one a ball.
    pub spin: Vec<DVec3>,
    /// Forces between balls and their supports, ascending.
    pub pressures: Vec<Pressure>,
    /// Forces between layers of ropes and cloths, ascending.
    pub layers: Vec<LayerForce>,
    /// Links that were cut then: others have other numbers.
    pub cut_links: usize,
    /// Counts since the start.
    pub report: ContactReport,
}

impl ContactMemory {
    /// State at the start of a scene.
    pub fn new(geometry: &Geometry) -> Self {
        let spin = geometry.balls.iter().map(|ball| ball.spin).collect();
        Self { spin, ..Self::default() }
    }

    /// Becomes equal to another one in the memory it has.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { spin, pressures, layers, cut_links, report } = other;
        self.spin.clone_from(spin);
        self.pressures.clone_from(pressures);
        self.layers.clone_from(layers);
        self.cut_links = *cut_links;
        self.report = *report;
    }

    /// Goes back to the start.
    pub fn restart(&mut self, geometry: &Geometry) {
        self.spin.clear();
        self.spin.extend(geometry.balls.iter().map(|ball| ball.spin));
        self.pressures.clear();
        self.layers.clear();
        self.cut_links = 0;
        self.report = ContactReport::default();
    }

    /// 2/5 m r² ω of all balls, in kg·m²/s. `mass` of a particle is in kilograms.
    pub fn spin(&self, geometry: &Geometry, mass: impl Fn(u32) -> f64) -> DVec3 {
        let balls = geometry.balls.iter().zip(&self.spin);
        let spin = |(ball, spin): (&BallSetup, &DVec3)| {
            *spin * (0.4 * mass(ball.particle) * ball.skin.radius * ball.skin.radius)
        };
        balls.map(spin).sum()
    }

    /// ½ · 2/5 m r² ω² of all balls, in joules. `mass` of a particle is in kilograms.
    pub fn rotational_energy(&self, geometry: &Geometry, mass: impl Fn(u32) -> f64) -> f64 {
        let balls = geometry.balls.iter().zip(&self.spin);
        let energy = |(ball, spin): (&BallSetup, &DVec3)| {
            let BallSetup { particle, skin, .. } = ball;
            0.2 * mass(*particle) * skin.radius * skin.radius * spin.length_squared()
        };
        0.0 + balls.map(energy).sum::<f64>()
    }
}
