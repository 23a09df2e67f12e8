use glam::DVec3;

/// Everything below a plane through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit vector away from the solid side.
    pub normal: DVec3,
}

impl Plane {
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        (self.normal.dot(p), self.normal)
    }
}
