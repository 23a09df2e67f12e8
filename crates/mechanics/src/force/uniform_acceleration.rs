//! Acceleration that a law gives to all particles alike.

use glam::DVec3;
use std::iter::Sum;
use std::ops::Add;

/// A fall through still air: a = g − c v, the same for every mass and at every place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UniformAcceleration {
    /// Acceleration in m/s².
    pub g: DVec3,
    /// Drag per mass in 1/s.
    pub drag: f64,
}

impl Add for UniformAcceleration {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { g: self.g + other.g, drag: self.drag + other.drag }
    }
}

impl Sum for UniformAcceleration {
    fn sum<I: Iterator<Item = Self>>(accelerations: I) -> Self {
        accelerations.fold(Self::default(), Self::add)
    }
}
