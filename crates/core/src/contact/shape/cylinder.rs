use super::direction::direction;
use glam::DVec3;

/// A cylinder with flat ends, centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Unit vector along the axis.
    pub axis: DVec3,
    /// Half the length in metres.
    pub half: f64,
    /// Radius in metres.
    pub radius: f64,
}

impl Cylinder {
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let Self { axis, half, radius } = *self;
        let height = p.dot(axis);
        let end = if height < 0.0 { -axis } else { axis };
        let across = p - axis * height;
        let (out, length) = direction(across);
        let out = if length > 0.0 { out } else { axis.any_orthonormal_vector() };
        let (beyond_side, beyond_end) = (length - radius, height.abs() - half);
        if beyond_side > 0.0 && beyond_end > 0.0 {
            let (normal, distance) = direction(out * beyond_side + end * beyond_end);
            (distance, normal)
        } else if beyond_side > beyond_end {
            (beyond_side, out)
        } else {
            (beyond_end, end)
        }
    }
}
