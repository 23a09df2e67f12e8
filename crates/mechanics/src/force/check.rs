//! Range checks of force parameters. The error is a sentence that names the parameter and its
//! value.

use crate::quantity::magnitude::{GREATEST, LEAST, format_six_digits, is_moderate_positive};
use glam::DVec3;

pub(super) fn finite(what: &str, value: f64) -> Result<(), String> {
    check_moderate(what, value, value.is_finite(), "finite")
}

pub(super) fn finite_vector(what: &str, value: DVec3) -> Result<(), String> {
    value.to_array().iter().try_for_each(|&coordinate| finite(what, coordinate))
}

pub(super) fn positive(what: &str, value: f64) -> Result<(), String> {
    let kind = value > 0.0 && value.is_finite();
    check_moderate(what, value, kind, "finite and above 0")
}

pub(super) fn not_negative(what: &str, value: f64) -> Result<(), String> {
    let kind = value >= 0.0 && value.is_finite();
    check_moderate(what, value, kind, "finite and at least 0")
}

/// Checks that a value is 0 or has a magnitude from [`LEAST`] to [`GREATEST`]. `is_of_kind` is the
/// result of an additional check, which `kind` describes, e.g. "finite and above 0".
fn check_moderate(what: &str, value: f64, is_of_kind: bool, kind: &str) -> Result<(), String> {
    let is_moderate = value == 0.0 || is_moderate_positive(value.abs());
    match (is_of_kind, is_moderate) {
        (true, true) => Ok(()),
        (true, false) => Err(format!(
            "{what} is {}, its magnitude must be from {LEAST:e} to {GREATEST:e}",
            format_six_digits(value)
        )),
        (false, _) => Err(format!("{what} is {}, must be {kind}", format_six_digits(value))),
    }
}
