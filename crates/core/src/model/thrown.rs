//! Thrown balls: particles that are added to a running simulation.

use crate::contact::{BallSetup, ContactProperties, Layer, Surface};
use glam::DVec3;
use ropelab_mechanics::quantity::magnitude::{
    GREATEST, LEAST, format_six_digits, is_moderate, is_moderate_positive,
};
use serde::{Deserialize, Serialize};

/// Largest number of thrown balls in the scene. Another throw replaces the oldest one.
pub const MOST_THROWN: usize = 100;

/// Surface of a thrown ball: the same as the default for balls in scene files.
const SURFACE: Surface = Surface { restitution: 0.5, static_friction: 0.3, friction: 0.3 };

/// Ball and initial motion of a throw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Throw {
    /// Initial position of the ball's centre in metres.
    pub at: DVec3,
    /// Initial velocity in m/s.
    pub velocity: DVec3,
    /// Mass in kilograms.
    pub mass: f64,
    /// Radius in metres.
    pub radius: f64,
}

impl Throw {
    /// Checks the ranges of all fields.
    pub fn check(&self) -> Result<(), String> {
        let Self { at, velocity, mass, radius } = *self;
        for (what, unit, vector) in [("place", "metres", at), ("velocity", "m/s", velocity)] {
            if !vector.to_array().into_iter().all(is_moderate) {
                return Err(format!(
                    "the {what} of a thrown ball is {vector}; expected {unit} from -{GREATEST:e} to \
                     {GREATEST:e}"
                ));
            }
        }
        for (what, unit, size) in [("mass", "kilograms", mass), ("radius", "metres", radius)] {
            if !is_moderate_positive(size) {
                return Err(format!(
                    "the {what} of a thrown ball is {}; expected {LEAST:e} to {GREATEST:e} {unit}",
                    format_six_digits(size)
                ));
            }
        }
        Ok(())
    }
}

/// A throw that the scene file schedules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduledThrow {
    /// Time between the start of the scene and the throw, in seconds.
    pub t: f64,
    /// Ball and initial motion.
    pub throw: Throw,
}

/// Author of a throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrownBy {
    /// A person at the window.
    Person,
    /// The scene file, which gives the time of the throw.
    Scene,
}

/// A ball that was thrown, with time and author of the throw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThrownBall {
    /// Ball and initial motion.
    pub throw: Throw,
    /// Simulated time of the throw in seconds.
    pub t: f64,
    /// Author of the throw.
    pub by: ThrownBy,
}

/// Thrown balls of a simulation. Their particles follow those of the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thrown {
    /// Thrown balls, in the order of their particles.
    pub balls: Vec<ThrownBall>,
    /// Number of throws since the start of the scene.
    pub throws: u64,
}

/// Creates a thrown ball with a radius in metres.
pub fn thrown_ball(particle: u32, radius: f64) -> BallSetup {
    let properties = ContactProperties { radius, surface: SURFACE, layer: Layer::default() };
    BallSetup { particle, properties, spin: DVec3::ZERO }
}
