//! Text for numbers in tables and reports: four significant digits.

use super::in_words::{LEAST_FACTOR, percent as percent_in_words, without_zeros};

/// Formats a time in seconds with a suitable unit: `1 ms`, `16.67 ms`, `840 ns`.
pub fn format_seconds(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if !size.is_finite() => return "–".to_owned(),
        size if size >= 1.0 || size == 0.0 => (value, "s"),
        size if size >= 1e-3 => (value * 1e3, "ms"),
        size if size >= 1e-6 => (value * 1e6, "µs"),
        _ => (value * 1e9, "ns"),
    };
    format!("{} {unit}", format_significant(scaled))
}

/// Formats a fraction as a percentage with its sign: `+0.012 %`, `-3.40e-9 %`. A factor replaces a
/// percentage above 1000 %.
pub fn format_signed_percent(fraction: f64) -> String {
    match fraction * 100.0 {
        percent if !percent.is_finite() => "–".to_owned(),
        _ if fraction >= LEAST_FACTOR => format!("+{}", percent_in_words(fraction)),
        _ if fraction <= -LEAST_FACTOR => percent_in_words(fraction),
        0.0 => "0 %".to_owned(),
        percent if percent < 0.0 => format!("{} %", format_significant(percent)),
        percent => format!("+{} %", format_significant(percent)),
    }
}

/// Formats a number with four significant digits, without trailing zeros.
pub fn format_significant(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let magnitude = if size == 0.0 { 0 } else { size.log10().floor() as i32 };
    let decimals = (3 - magnitude).max(0) as usize;
    without_zeros(format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_with_four_digits_at_most() {
        let shown: Vec<String> =
            [0.001, 1.0 / 60.0, 8.4e-7, 5.0, 0.0, f64::NAN].map(format_seconds).into();
        assert_eq!(shown, ["1 ms", "16.67 ms", "840 ns", "5 s", "0 s", "–"]);
    }

    #[test]
    fn percentages_carry_their_sign() {
        let shown: Vec<String> =
            [0.0, 1.2e-4, -0.5, 3e-11, -9.8123e-5, 12345.0].map(format_signed_percent).into();
        assert_eq!(
            shown,
            ["0 %", "+0.012 %", "-50 %", "+3.00e-9 %", "-0.009812 %", "+1.2e4 times"]
        );
    }
}
