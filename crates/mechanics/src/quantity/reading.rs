//! Numbers with units that people type.

/// Reads a number with an optional SI prefix and an optional unit: `0.4 ms`, `400 µs`, `400us`,
/// `4e-4`, `1/240`, `1 kHz`. A comma is a decimal point.
pub fn read_quantity(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim();
    let bare = text.strip_suffix(unit).unwrap_or(text).trim_end();
    let (number, factor, divisor) = match bare.chars().last()? {
        'n' => (&bare[..bare.len() - 1], 1.0, 1e9),
        'u' | 'µ' | 'μ' => (bare.trim_end_matches(['u', 'µ', 'μ']), 1.0, 1e6),
        'm' => (&bare[..bare.len() - 1], 1.0, 1e3),
        'k' => (&bare[..bare.len() - 1], 1e3, 1.0),
        'M' => (&bare[..bare.len() - 1], 1e6, 1.0),
        _ => (bare, 1.0, 1.0),
    };
    // Division by 1e3 turns 1 ms into the double nearest to 0.001. Multiplication by 1e-3 might
    // not.
    read_fraction(number).map(|value| value * factor / divisor).filter(|value| value.is_finite())
}

/// Reads a time in seconds: `0.001`, `1ms`, `0.5 ms`, `200us`, `2min`, `1/240`.
pub fn read_time(text: &str) -> Option<f64> {
    let (number, unit) = split_unit(text);
    let divisor = match unit.as_str() {
        "" | "s" => 1.0,
        "ms" => 1e3,
        "us" | "µs" | "μs" => 1e6,
        "ns" => 1e9,
        "min" => return Some(read_fraction(number)? * 60.0),
        _ => return None,
    };
    Some(read_fraction(number)? / divisor)
}

/// Reads a rate such as `60hz` or `1.2 kHz`. Returns the period in seconds.
pub fn read_rate(text: &str) -> Option<f64> {
    let (number, unit) = split_unit(text);
    let hertz = match unit.as_str() {
        "hz" => 1.0,
        "khz" => 1e3,
        _ => return None,
    };
    Some(1.0 / (read_fraction(number)? * hertz))
}

/// Reads a time step: a time, a rate above 0 (`240 Hz`), or a number with a prefix (`400 µ`).
pub fn read_step(text: &str) -> Option<f64> {
    let rate = || read_rate(text).filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let time = read_time(text).filter(|seconds| seconds.is_finite());
    time.or_else(rate).or_else(|| read_quantity(text, "s"))
}

/// Reads a number with its unit. A percentage may be given in ppm or ppb, but has no SI prefix.
pub fn read_number(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim();
    let (text, scale) = match (unit, text.strip_suffix("ppm"), text.strip_suffix("ppb")) {
        ("%", Some(parts), _) => (parts, 1e-4),
        ("%", _, Some(parts)) => (parts, 1e-7),
        _ => (text, 1.0),
    };
    let value = match unit {
        "%" => read_fraction(text.trim().trim_end_matches('%').trim_end()),
        unit => read_quantity(text, unit),
    };
    value.map(|value| value * scale).filter(|value| value.is_finite())
}

/// Reads a number or a fraction such as `1/240`. A comma is a decimal point.
fn read_fraction(text: &str) -> Option<f64> {
    let number = |text: &str| -> Option<f64> {
        if has_ambiguous_comma(text) {
            return None;
        }
        text.trim().replace('−', "-").replace(',', ".").parse().ok()
    };
    match text.split_once('/') {
        Some((above, below)) => Some(number(above)? / number(below)?),
        None => number(text),
    }
}

/// True for `1,000`, which may mean one or a thousand.
fn has_ambiguous_comma(text: &str) -> bool {
    let Some((before, after)) = text.split_once(',') else { return false };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let is_zero = before.trim().trim_start_matches(['-', '−']).trim_start_matches('0').is_empty();
    digits == 3 && !is_zero || after.contains(',')
}

/// Splits a text into a number and its unit. `inf` and `nan` count as numbers without a unit;
/// callers reject them.
fn split_unit(text: &str) -> (&str, String) {
    let text = text.trim();
    if text.parse::<f64>().is_ok() {
        return (text, String::new());
    }
    let number = text.trim_end_matches(|c: char| c.is_alphabetic());
    (number.trim_end(), text[number.len()..].to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_may_be_typed_as_a_rate_or_a_fraction() {
        assert_eq!(read_step("240 Hz"), Some(1.0 / 240.0));
        assert_eq!(read_step("1 kHz"), Some(1e-3));
        assert_eq!(read_step("0.4 ms"), Some(0.4e-3));
        assert_eq!(read_step("0 Hz"), None);
        assert_eq!(read_step("1/240"), Some(1.0 / 240.0));
        assert_eq!(read_step("1/0"), None);
    }

    #[test]
    fn typed_numbers_may_have_prefix_and_unit() {
        for text in ["0.4 ms", "0.4ms", "400 µs", "400us", "4e-4", "0.0004 s", "0,4 ms"] {
            let value = read_quantity(text, "s").unwrap();
            assert!((value - 4e-4).abs() < 1e-12, "{text} is read as {value}");
        }
        assert_eq!(read_quantity("1 kHz", "Hz"), Some(1000.0));
        assert_eq!(read_quantity("fast", "s"), None);
        assert_eq!(read_quantity("", "s"), None);
        assert_eq!(read_quantity("NaN", "s"), None);
    }

    #[test]
    fn a_comma_is_a_decimal_point_unless_it_may_separate_thousands() {
        assert_eq!(read_quantity("0,005 s", "s"), Some(0.005));
        assert_eq!(read_quantity("1,25 ms", "s"), Some(1.25e-3));
        assert_eq!(read_time("1,25 ms"), Some(1.25e-3));
        let ambiguous = ["1,000 us", "-12,500", "1,000,000"];
        assert_eq!(ambiguous.map(|text| read_quantity(text, "s")), [None; 3]);
        assert_eq!(ambiguous.map(read_time), [None; 3]);
    }
}
