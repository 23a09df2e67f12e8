//! Numbers as a screen shows them: three or four digits, an SI prefix and the unit.

use super::in_words::{LEAST_FACTOR, percent as percent_in_words, without_zeros};
use super::magnitude::greatest_prefix;

/// Smallest magnitude that is not shown as 0, e.g. a picosecond.
const LEAST: f64 = 1e-12;

/// Formats a quantity, as in `16.7 ms` or `−1.20 kJ`. The text is padded to a fixed width, so that
/// text after it does not jitter in a monospaced font.
pub fn si(value: f64, unit: &str) -> String {
    format!("{:<width$}", si_tight(value, unit), width = unit.chars().count() + 7)
}

/// Formats a change like [`si`], with a leading sign.
pub fn si_change(value: f64, unit: &str) -> String {
    let sign = if value <= -LEAST { '−' } else { '+' };
    format!("{sign}{}", si(value.abs(), unit))
}

/// Formats a quantity like [`si`] without padding, for text fields and prose.
pub fn si_tight(value: f64, unit: &str) -> String {
    let (mantissa, prefix) = scaled(value);
    format!("{mantissa} {prefix}{unit}")
}

/// Formats a quantity like [`si_tight`] with four digits and without trailing zeros, for fields of
/// a fixed width.
pub fn si_field(value: f64, unit: &str) -> String {
    let (scale, prefix) = prefix_with(value, unit);
    let scaled = value / scale;
    let decimals = if scaled.abs() < 1.0 { 4 } else { digits_after_point(scaled) };
    let mut digits = without_zeros(format!("{scaled:.decimals$}"));
    if scaled != 0.0 && scaled.abs() < 1e-3 || scaled.abs() >= 1e6 {
        digits = format!("{scaled:.1e}");
    }
    format!("{digits} {prefix}{unit}")
}

/// Formats a quantity like [`si_tight`] with up to six digits after the point and without trailing
/// zeros.
pub fn si_exact(value: f64, unit: &str) -> String {
    let (scale, prefix) = prefix_with(value, unit);
    let digits = without_zeros(format!("{:.6}", value / scale));
    format!("{digits} {prefix}{unit}")
}

/// Formats a percentage without its unit, in at most four digits and without the errors of binary
/// fractions: `0.1`, `33.3`, `1000`.
pub fn rounded_percent(percent: f64) -> String {
    let decimals = if percent.abs() < 9.9995 { 3 } else { 1 };
    without_zeros(format!("{percent:.decimals$}"))
}

/// Magnitude from which a power of ten is shown instead of a prefix.
const LARGEST_WITH_PREFIX: f64 = 999.5e9;

fn scaled(value: f64) -> (String, &'static str) {
    if !value.is_finite() {
        return (if value.is_nan() { "none" } else { "∞" }.to_owned(), "");
    }
    if value.abs() >= LARGEST_WITH_PREFIX {
        return (format!("{value:.1e}").replace('-', "−"), "");
    }
    let (scale, prefix) = prefix_of(value);
    (three_digits(value / scale).replace('-', "−"), prefix)
}

/// Returns factor and name of the SI prefix for a number with this unit. Percentages, multiples and
/// numbers without a unit have no prefix.
pub fn prefix_with(value: f64, unit: &str) -> (f64, &'static str) {
    if matches!(unit, "" | "%" | "ppm" | "ppb" | "×") { (1.0, "") } else { prefix_of(value) }
}

/// Returns the display unit for a percentage of this size, as its value in per cent and its name:
/// ppm below 0.01 %, ppb below 0.000001 %, `×` above 1000 %.
pub fn percent_unit(percent: f64) -> (f64, &'static str) {
    match percent.abs() {
        1e-10..0.999e-6 => (1e-7, "ppb"),
        0.999e-6..0.00999 => (1e-4, "ppm"),
        size if size >= 100.0 * LEAST_FACTOR => (100.0, "×"),
        _ => (1.0, "%"),
    }
}

/// Returns the number of digits after the decimal point of a number with four significant digits.
pub fn digits_after_point(value: f64) -> usize {
    match value.abs() {
        size if size < 9.9995 => 3,
        size if size < 99.995 => 2,
        size if size < 999.95 => 1,
        _ => 0,
    }
}

/// Formats a percentage with its sign and four digits: `+12.35 %`, `−201.7 %`. A factor replaces a
/// percentage above 1000 %: `+12.3 times`.
pub fn percent_change(percent: f64) -> String {
    if !percent.is_finite() {
        return percent_in_words(percent);
    }
    let percent = if percent.abs() < 5e-4 { 0.0 } else { percent };
    let text = if percent.abs() < 100.0 * LEAST_FACTOR {
        format!("{percent:+.digits$} %", digits = digits_after_point(percent))
    } else {
        let sign = if percent < 0.0 { "" } else { "+" };
        format!("{sign}{}", percent_in_words(percent / 100.0))
    };
    text.replace('-', "−")
}

/// Returns factor and name of the SI prefix for a value of this size.
pub fn prefix_of(value: f64) -> (f64, &'static str) {
    if value.abs() < LEAST {
        return (1.0, "");
    }
    greatest_prefix(value)
}

fn three_digits(value: f64) -> String {
    match value.abs() {
        v if v < LEAST => "0".to_owned(),
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Formats a number so that [`read_number`](super::reading::read_number) reads it again.
pub fn format_number(value: f64, unit: &str) -> String {
    match unit {
        "%" | "" if value != 0.0 && !(0.01..1e6).contains(&value.abs()) => format!("{value:.3e}"),
        "%" | "" => without_zeros(format!("{value:.4}")),
        unit if (1e-9..1e9).contains(&value.abs()) => si_exact(value, unit),
        unit => format!("{value:.3e} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::{read_number, read_quantity};
    use super::*;

    #[test]
    fn percentages_show_no_binary_fractions() {
        for (percent, text) in
            [(1.0000000000000002, "1"), (100.0 * 0.07, "7"), (0.1, "0.1"), (1000.0, "1000")]
        {
            assert_eq!(rounded_percent(percent), text);
        }
    }

    #[test]
    fn no_zero_has_a_minus() {
        assert_eq!(si_change(-1e-13, "J").trim_end(), "+0 J");
        assert_eq!(si_change(-0.0, "J").trim_end(), "+0 J");
        assert_eq!(si_change(-2e-12, "J").trim_end(), "−2.00 pJ");
        assert_eq!(percent_change(-1e-4), "+0.000 %");
    }

    #[test]
    fn numbers_carry_three_digits_and_a_prefix() {
        for (value, text) in [
            (0.0004, "400 µs"),
            (0.001, "1.00 ms"),
            (0.0167, "16.7 ms"),
            (0.99999, "1.00 s"),
            (12.345, "12.3 s"),
            (0.0, "0 s"),
            (-1234.0, "−1.23 ks"),
            (5.8186718206e19, "5.8e19 s"),
            (-6e12, "−6.0e12 s"),
            (f64::INFINITY, "∞ s"),
        ] {
            assert_eq!(si_tight(value, "s"), text);
        }
    }

    #[test]
    fn percentages_have_four_digits_and_no_prefix() {
        for (percent, text) in [
            (0.0, "+0.000 %"),
            (-201.667, "−201.7 %"),
            (12.3456, "+12.35 %"),
            (9.99961, "+10.00 %"),
            (1234.0, "+12.3 times"),
            (-5678.9, "−56.8 times"),
            (1.23e7, "+1.2e5 times"),
        ] {
            assert_eq!(percent_change(percent), text);
        }
        assert_eq!(si_exact(2000.0, "%"), "2000 %");
        assert_eq!(si_exact(2000.0, "×"), "2000 ×");
        assert_eq!(si_exact(0.6, "ppm"), "0.6 ppm");
    }

    #[test]
    fn padded_numbers_are_equally_wide() {
        let wide = |v: f64| si(v, "J").chars().count();
        assert!([0.0, 1.0, -12.3, 999.0, 1e-7, -4.5e5].iter().all(|v| wide(*v) == wide(1.0)));
    }

    #[test]
    fn fields_show_four_digits() {
        for (value, unit, text) in [
            (1.0 / 60.0, "s", "16.67 ms"),
            (1e-3, "s", "1 ms"),
            (0.25, "s", "250 ms"),
            (2e4, "N/m", "20 kN/m"),
            (0.0, "s", "0 s"),
            (10.0, "×", "10 ×"),
            (1e-5, "×", "1.0e-5 ×"),
            (0.0666666666666, "s", "66.67 ms"),
        ] {
            assert_eq!(si_field(value, unit), text);
        }
    }

    #[test]
    fn what_is_shown_exactly_is_read_back() {
        for value in [1e-3, 1.0 / 60.0, 0.25, 2.5e-5] {
            let back = read_quantity(&si_exact(value, "s"), "s").unwrap();
            assert!((back - value).abs() < 1e-6 * value);
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (value, unit) in [
            (0.25, "J"),
            (-3e-5, "J"),
            (0.0, "s"),
            (12.5, "%"),
            (2.5e-8, "%"),
            (-7.0, ""),
            (0.05, ""),
            (2e7, ""),
            (1e-14, "m"),
        ] {
            let back = read_number(&format_number(value, unit), unit);
            assert!(back.is_some_and(|back| (back - value).abs() <= 1e-6 * value.abs()), "{value}");
        }
        assert_eq!(read_number("12 %", "%"), Some(12.0));
        assert_eq!(read_number("20 ppm", "%"), Some(2e-3));
        assert_eq!(read_number("NaN", ""), None);
        assert_eq!(read_number("much", "J"), None);
    }
}
