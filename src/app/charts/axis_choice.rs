//! Scale and range that the user chose for the y axis of a plot.

use crate::app::quantity;
use crate::quantity::in_words::without_zeros;
use crate::quantity::reading::read_quantity;

#[derive(Clone, Debug, Default)]
pub struct AxisChoice {
    pub log: bool,
    /// Both ends of the range as typed; `None` if the curves determine the range.
    pub typed_range: Option<[String; 2]>,
    /// Unit of numbers that are typed without a unit.
    pub unit: &'static str,
}

impl AxisChoice {
    /// Returns the typed range. Returns `None` unless both ends are numbers in ascending order; on
    /// a logarithmic axis they must also be positive.
    pub fn fixed_range(&self) -> Option<[f64; 2]> {
        let [low, high] =
            self.typed_range.as_ref()?.each_ref().map(|text| read_number(text, self.unit));
        let (low, high) = (low?, high?);
        (low < high && (low > 0.0 || !self.log)).then_some([low, high])
    }
}

/// Reads a number with its unit. A percentage may be given in ppm or ppb, but has no SI prefix.
fn read_number(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim();
    let (text, scale) = match (unit, text.strip_suffix("ppm"), text.strip_suffix("ppb")) {
        ("%", Some(parts), _) => (parts, 1e-4),
        ("%", _, Some(parts)) => (parts, 1e-7),
        _ => (text, 1.0),
    };
    match unit {
        "%" | "" => text.trim().trim_end_matches('%').trim_end().replace('−', "-").parse().ok(),
        unit => read_quantity(text, unit),
    }
    .map(|value: f64| value * scale)
    .filter(|value| value.is_finite())
}

/// Formats a number so that [`read_number`] reads it again.
pub fn format_number(value: f64, unit: &str) -> String {
    match unit {
        "%" | "" if value != 0.0 && value.abs() < 0.01 => format!("{value:.3e}"),
        "%" | "" => without_zeros(format!("{value:.4}")),
        unit if (1e-9..1e9).contains(&value.abs()) => quantity::si_exact(value, unit),
        unit => format!("{value:.3e} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (value, unit) in [
            (0.25, "J"),
            (-3e-5, "J"),
            (0.0, "s"),
            (12.5, "%"),
            (2.5e-8, "%"),
            (-7.0, ""),
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
