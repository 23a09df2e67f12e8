//! Numbers that are checked while they are read, so that RON reports line and column of a bad
//! number.

use glam::DVec3;
use ropelab_core::quantity::magnitude::{
    GREATEST, LEAST, format_six_digits, is_moderate, is_moderate_positive,
};
use serde::{Deserialize, Serialize};

/// Largest number of particles in a scene. This limits the allocated memory.
pub const MOST_PARTICLES: u32 = 1_000_000;

/// Finite number, at most 1e15 in absolute value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(f64);

/// Positive number, 1e-15 to 1e15.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(f64);

/// Number of at least 0: either 0, or 1e-15 to 1e15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct NonNegative(f64);

/// Whole number from 1 to [`MOST_PARTICLES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u32")]
pub struct Count(u32);

/// Point or vector `(x, y, z)` of finite numbers; y points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point(Finite, Finite, Finite);

/// Implements conversions from and to `f64`. A number that is out of range gives an error.
/// `checked` does not test the range, because its numbers come from a checked scene.
macro_rules! convert_number {
    ($number:ident, $is_valid:expr, $kind:literal, $range:literal) => {
        impl TryFrom<f64> for $number {
            type Error = String;

            fn try_from(x: f64) -> Result<Self, String> {
                let is_valid: fn(f64) -> bool = $is_valid;
                if is_valid(x) { Ok(Self(x)) } else { Err(range_error(x, $kind, &format!($range))) }
            }
        }

        impl From<$number> for f64 {
            fn from(x: $number) -> f64 {
                x.0
            }
        }

        impl $number {
            pub(crate) fn checked(x: f64) -> Self {
                Self(x)
            }
        }
    };
}

convert_number!(Finite, is_moderate, "a finite number", "at most {GREATEST:e} in size");
convert_number!(
    Positive,
    is_moderate_positive,
    "a finite number above 0",
    "{LEAST:e} to {GREATEST:e}"
);
convert_number!(
    NonNegative,
    |x| x == 0.0 || is_moderate_positive(x),
    "a finite number of at least 0",
    "0 or {LEAST:e} to {GREATEST:e}"
);

/// Returns the message for a bad number `x`. `kind` is e.g. "a finite number above 0", and `range`
/// e.g. "1e-15 to 1e15". If `x` is of the right kind, the message names the range, otherwise the
/// kind.
fn range_error(x: f64, kind: &str, range: &str) -> String {
    let of_the_kind = x.is_finite() && (x > 0.0 || kind == "a finite number");
    format!("found {}, expected {}", format_six_digits(x), if of_the_kind { range } else { kind })
}

impl TryFrom<i64> for Count {
    type Error = String;

    fn try_from(n: i64) -> Result<Self, String> {
        match u32::try_from(n) {
            Ok(n) if (1..=MOST_PARTICLES).contains(&n) => Ok(Self(n)),
            _ => Err(format!("found {n}, expected a whole number from 1 to {MOST_PARTICLES}")),
        }
    }
}

impl From<Count> for u32 {
    fn from(n: Count) -> u32 {
        n.0
    }
}

impl From<Point> for DVec3 {
    fn from(Point(x, y, z): Point) -> DVec3 {
        DVec3::new(x.0, y.0, z.0)
    }
}

impl Count {
    pub(crate) fn checked(n: u32) -> Self {
        Self(n)
    }
}

impl Point {
    pub(crate) fn checked(p: DVec3) -> Self {
        Self(Finite(p.x), Finite(p.y), Finite(p.z))
    }
}

pub(crate) fn one() -> Positive {
    Positive::checked(1.0)
}

pub(crate) fn is_zero(p: &Point) -> bool {
    // A velocity of −0.0 must be written. If it were omitted, +0.0 would be read back, and the bits
    // of the state would change.
    DVec3::from(*p).to_array().map(f64::to_bits) == [0; 3]
}
