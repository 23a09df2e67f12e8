//! Wind from the mouse: a stream of air along a line of sight.

use glam::DVec3;
use ropelab_mechanics::quantity::magnitude::{
    GREATEST, format_six_digits, is_moderate, is_moderate_positive,
};
use serde::{Deserialize, Serialize};

/// Rate in 1/s at which a particle on the line takes on the velocity of the air. The rate does not
/// depend on the mass, as with gravity, because particles have no area.
const RATE: f64 = 5.0;

/// Stream of air that acts on all particles near a line. At the distance r from the line, the air
/// accelerates a particle of velocity v towards the velocity u of the stream. With the radius R of
/// the stream, the acceleration is
///
/// a = 5 s⁻¹ · (1 − r²/R²)² (u − v), r < R.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blow {
    /// A point on the line, in metres.
    pub at: DVec3,
    /// Direction of the line, of any length but 0.
    pub along: DVec3,
    /// Radius R in metres.
    pub radius: f64,
    /// Velocity u of the air in m/s.
    pub velocity: DVec3,
}

impl Blow {
    /// Checks the ranges of all fields.
    pub fn check(&self) -> Result<(), String> {
        let Self { at, along, radius, velocity } = *self;
        let all = |vector: DVec3| vector.to_array().into_iter().all(is_moderate);
        if !all(at) || !all(velocity) || !all(along) || !is_moderate_positive(along.length()) {
            return Err(format!(
                "the mouse blows at {at} along {along} with {velocity}; expected metres, a \
                 direction and m/s, none beyond {GREATEST:e}"
            ));
        }
        if !is_moderate_positive(radius) {
            return Err(format!(
                "the mouse blows {} m wide; expected a radius above 0",
                format_six_digits(radius)
            ));
        }
        Ok(())
    }

    /// Returns the acceleration that the air gives a particle, in m/s².
    pub fn acceleration(&self, x: DVec3, v: DVec3) -> DVec3 {
        (self.velocity - v) * self.rate(x)
    }

    /// Returns the change of the acceleration by the velocity change `dv`. The derivative by
    /// position is left out, because it would make the matrix of implicit integrators indefinite.
    pub(super) fn acceleration_jvp(&self, x: DVec3, dv: DVec3) -> DVec3 {
        -dv * self.rate(x)
    }

    fn rate(&self, x: DVec3) -> f64 {
        let away = (x - self.at).reject_from(self.along);
        let inside = 1.0 - away.length_squared() / (self.radius * self.radius);
        if inside > 0.0 { RATE * inside * inside } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn it_blows_along_the_whole_line_and_not_beside_it() {
        let blow = Blow { at: DVec3::ZERO, along: DVec3::Z * 3.0, radius: 0.5, velocity: DVec3::X };
        let rest = DVec3::ZERO;
        assert_eq!(blow.acceleration(dvec3(0.0, 0.0, 7.0), rest), dvec3(5.0, 0.0, 0.0));
        assert_eq!(blow.acceleration(dvec3(0.25, 0.0, -2.0), rest).x, 5.0 * 0.75 * 0.75);
        assert_eq!(blow.acceleration(dvec3(0.5, 0.0, 0.0), rest), rest);
        assert_eq!(blow.acceleration(DVec3::ZERO, DVec3::X), rest, "at the speed of the air");
        assert!(blow.check().is_ok());
        assert!(Blow { along: rest, ..blow }.check().is_err());
        assert!(Blow { radius: -1.0, ..blow }.check().is_err());
    }
}
