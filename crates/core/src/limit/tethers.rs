//! Tethers (long-range attachment): the distance between a particle and its nearest pin is limited
//! to a multiple of the rest length of the links between them.
//!
//! A particle at x with its pin at a and the longest distance d:
//!
//! if |x − a| > d: x ← a + (x − a) d/|x − a|
//!
//! Kim, Chentanez and Müller 2012, Long Range Attachments. The pull bypasses the links: it acts on
//! the pin, but not on the particles between, which breaks Newton's third law along the path.

use super::paths::PathStep;
use glam::DVec3;

/// Pulls every particle that is too far from its pin back to the longest permitted distance, in the
/// positions `x`. Adds displacement times mass to `mass_times_displacement`. Returns true if any particle moved.
pub(super) fn enforce(
    multiplier: f64,
    steps: &[PathStep],
    masses: &[f64],
    x: &mut [DVec3],
    mass_times_displacement: &mut [DVec3],
) -> bool {
    let mut moved = false;
    for step in steps {
        let (i, pin) = (step.particle as usize, step.pin as usize);
        let offset = x[i] - x[pin];
        let longest = multiplier * step.distance;
        let squared = offset.length_squared();
        if squared > longest * longest {
            let end = x[pin] + offset * (longest / squared.sqrt());
            let push = (end - x[i]) * masses[i];
            x[i] = end;
            mass_times_displacement[i] += push;
            mass_times_displacement[pin] -= push;
            moved = true;
        }
    }
    moved
}
