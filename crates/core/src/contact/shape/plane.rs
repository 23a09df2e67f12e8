use glam::DVec3;

/// Half-space below a plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal of the plane, out of the solid half-space.
    pub normal: DVec3,
}

impl Plane {
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        (self.normal.dot(p), self.normal)
    }
}
