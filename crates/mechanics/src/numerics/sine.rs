//! A sine with the same bits everywhere.
//!
//! The sine of the system's mathematics library differs in its last bit from platform to
//! platform, and a run that depends on it could not be compared by its hash.

use std::f64::consts::TAU;

/// Returns sin(2π `turns`), within 1e-15 of the true value for the given f64 and never beyond ±1.
/// NaN for infinite turns.
///
/// The angle is folded to a quarter turn, which is exact in binary. Then follows Taylor's series to
/// y²¹ in Horner's form: sin y = y(1 − y²/(2·3) (1 − y²/(4·5) (…))), cut off below 2e-18 at y =
/// π/2.
pub fn sin_turns(turns: f64) -> f64 {
    let r = turns - turns.round();
    let r = if r > 0.25 {
        0.5 - r
    } else if r < -0.25 {
        -0.5 - r
    } else {
        r
    };
    let y = TAU * r;
    let y2 = y * y;
    let mut series = 1.0;
    for k in (2..=20).rev().step_by(2) {
        series = 1.0 - y2 / (f64::from(k) * f64::from(k + 1)) * series;
    }
    (y * series).clamp(-1.0, 1.0)
}
