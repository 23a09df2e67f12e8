//! One sentence about a parameter that makes no sense.

use glam::DVec3;

pub(super) fn finite(what: &str, value: f64) -> Result<(), String> {
    if value.is_finite() { Ok(()) } else { Err(format!("{what} is {value}, must be finite")) }
}

pub(super) fn finite_vector(what: &str, value: DVec3) -> Result<(), String> {
    if value.is_finite() { Ok(()) } else { Err(format!("{what} is {value}, must be finite")) }
}

pub(super) fn positive(what: &str, value: f64) -> Result<(), String> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!("{what} is {value}, must be finite and above 0"))
    }
}

pub(super) fn not_negative(what: &str, value: f64) -> Result<(), String> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(format!("{what} is {value}, must be finite and at least 0"))
    }
}
