//! Sine function with the same bits on every platform.
//!
//! The last bit of the system library's sine differs between platforms, so with it results would
//! have different hashes.

use std::f64::consts::TAU;

/// Returns sin(2π `turns`). The error is at most 1e-15, and the magnitude of the result at most 1.
/// NaN if `turns` is infinite.
///
/// The angle is reduced to a quarter turn, which is exact in binary arithmetic. The sine is the
/// Taylor series up to y²¹ in Horner's form, sin y = y (1 − y²/(2·3) (1 − y²/(4·5) (…))). The
/// truncation error is below 2e-18 at y = π/2.
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
