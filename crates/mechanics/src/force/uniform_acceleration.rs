//! Acceleration that is the same for all particles of the same velocity.

use glam::DVec3;
use std::iter::Sum;
use std::ops::Add;

/// Acceleration a = g − c v, independent of mass and position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UniformAcceleration {
    /// Constant part g of the acceleration in m/s².
    pub g: DVec3,
    /// Drag coefficient c (drag per mass) in 1/s.
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
