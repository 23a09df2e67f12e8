//! Permitted magnitudes of scene values, in SI units.

/// Largest permitted magnitude. A product of a dozen such values stays below the largest f64
/// (1.8e308). The square of one value, which drawing needs, stays below the largest f32 (3.4e38).
pub const GREATEST: f64 = 1e15;
/// Smallest permitted magnitude of a value that must not be 0. Its reciprocal is [`GREATEST`].
pub const LEAST: f64 = 1e-15;

/// SI prefixes with their factors, the largest first.
pub const SI_PREFIXES: [(f64, &str); 8] = [
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
];

/// Returns factor and name of the SI prefix for a value of this size.
pub fn greatest_prefix(value: f64) -> (f64, &'static str) {
    // 0.9996 would be printed as "1000 m", so the printed value is compared.
    let shown = value.abs() * 1.0005;
    SI_PREFIXES.into_iter().find(|(scale, _)| shown >= *scale).unwrap_or((1e-12, "p"))
}

/// True if a number is finite and its magnitude is at most [`GREATEST`].
pub fn is_moderate(x: f64) -> bool {
    x.abs() <= GREATEST
}

/// True if a number is between [`LEAST`] and [`GREATEST`].
pub fn is_moderate_positive(x: f64) -> bool {
    (LEAST..=GREATEST).contains(&x)
}

/// Rounds a value to `digits` significant digits.
pub fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// Formats a number for a message, with at most six significant digits.
pub fn format_six_digits(x: f64) -> String {
    if !x.is_finite() || x == 0.0 {
        return x.to_string();
    }
    let rounded = rounded(x, 6);
    let plain = (1e-4..1e7).contains(&rounded.abs());
    if plain { rounded.to_string() } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_six_digits_at_most() {
        let shown: Vec<String> = [0.1, 1.0 / 3.0, 1e300, 5e-324, -0.0625, 1234567.8, f64::NAN, 0.0]
            .map(format_six_digits)
            .into();
        assert_eq!(shown, ["0.1", "0.333333", "1e300", "5e-324", "-0.0625", "1234570", "NaN", "0"]);
    }

    #[test]
    fn no_number_and_no_infinity_is_moderate() {
        for x in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1.1e15] {
            assert!(!is_moderate(x) && !is_moderate_positive(x), "{x}");
        }
        assert!(is_moderate(-1e15) && is_moderate(0.0) && !is_moderate_positive(0.0));
        assert!(is_moderate_positive(1e-15) && !is_moderate_positive(9e-16));
    }
}
