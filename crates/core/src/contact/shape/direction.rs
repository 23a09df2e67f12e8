use glam::DVec3;

/// Splits a vector into unit vector and length. The unit vector of a zero vector is +y.
pub(super) fn direction(p: DVec3) -> (DVec3, f64) {
    let length = p.length();
    if length > 0.0 { (p / length, length) } else { (DVec3::Y, 0.0) }
}
