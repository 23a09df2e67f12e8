use super::direction::direction;
use glam::DVec3;

/// All points within `radius` of a segment that is centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Unit vector along the segment.
    pub axis: DVec3,
    /// Half the length of the segment in metres.
    pub half: f64,
    /// Radius in metres.
    pub radius: f64,
}

impl Capsule {
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let Self { axis, half, radius } = *self;
        let (normal, length) = direction(p - axis * p.dot(axis).clamp(-half, half));
        (length - radius, normal)
    }
}
