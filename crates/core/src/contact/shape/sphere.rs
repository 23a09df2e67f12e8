use super::direction::direction;
use glam::DVec3;

/// A sphere centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius in metres.
    pub radius: f64,
}

impl Sphere {
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let (normal, length) = direction(p);
        (length - self.radius, normal)
    }
}
