//! Colours of the cells of a map: blue for stable cells, yellow to red for unstable ones.

use super::drawing::Rgb;
use crate::analysis::map::{Cell, ShownQuantity};
use crate::quantity::magnitude::format_six_digits;

const STRONG_BLUE: Rgb = [56, 108, 176];
const PALE_BLUE: Rgb = [222, 235, 247];
const YELLOW: Rgb = [254, 217, 118];
const ORANGE: Rgb = [240, 100, 25];
const RED: Rgb = [128, 0, 38];
const DARK: Rgb = [60, 0, 15];

/// Values of growth per step − 1 between which the colours of unstable cells change from yellow to
/// red.
const GROWTH_RANGE: [f64; 2] = [0.007, 1.0];

/// Returns the colour of a map's cell.
pub fn cell_colour(shown: ShownQuantity, cell: &Cell) -> Rgb {
    let Cell { value, holds } = *cell;
    if value.is_nan() {
        return if holds { PALE_BLUE } else { ORANGE };
    }
    match shown {
        ShownQuantity::Growth if holds => mix(PALE_BLUE, STRONG_BLUE, (1.0 - value) / 0.5),
        ShownQuantity::Growth => {
            let [from, to] = GROWTH_RANGE;
            unstable_colour(((value - 1.0) / from).ln() / (to / from).ln())
        }
        ShownQuantity::Stretch { most, .. } | ShownQuantity::Error { most, .. } if holds => {
            mix(STRONG_BLUE, PALE_BLUE, (value / most).max(1e-3).ln() / 1e3_f64.ln() + 1.0)
        }
        ShownQuantity::Stretch { most, .. } | ShownQuantity::Error { most, .. } => {
            unstable_colour((value / most).ln() / 100_f64.ln())
        }
    }
}

/// Returns the entries of the legend: texts with their colours.
pub fn legend_entries(shown: ShownQuantity) -> Vec<(String, Rgb)> {
    let cell = |value: f64, holds: bool| cell_colour(shown, &Cell { value, holds });
    match shown {
        ShownQuantity::Growth => vec![
            ("halves each step".into(), cell(0.5, true)),
            ("constant".into(), cell(1.0, true)),
            ("grows 1 % per step".into(), cell(1.01, false)),
            ("10 %".into(), cell(1.1, false)),
            ("doubles".into(), cell(2.0, false)),
            ("explodes at once".into(), cell(f64::INFINITY, false)),
        ],
        ShownQuantity::Stretch { most, .. } | ShownQuantity::Error { most, .. } => {
            [1e-3, 1e-1, 1.0, 10.0, f64::INFINITY]
                .map(|fraction| {
                    let value = fraction * most;
                    let name = match value.is_finite() {
                        true => format!("{} %", format_six_digits(100.0 * value)),
                        false => "exploded".to_owned(),
                    };
                    (name, cell(value, fraction < 1.0))
                })
                .into()
        }
    }
}

/// Returns the colour of an unstable cell: yellow for 0, orange for 0.5, red for 1 and more, dark
/// red for infinity.
fn unstable_colour(fraction: f64) -> Rgb {
    match fraction {
        fraction if fraction == f64::INFINITY => DARK,
        fraction if fraction < 0.5 => mix(YELLOW, ORANGE, 2.0 * fraction),
        fraction => mix(ORANGE, RED, 2.0 * fraction - 1.0),
    }
}

fn mix(from: Rgb, to: Rgb, fraction: f64) -> Rgb {
    let fraction = fraction.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        (f64::from(from[i]) * (1.0 - fraction) + f64::from(to[i]) * fraction).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without rounding, 100 × 0.1 × 0.1 would be `1.0000000000000002 %`.
    #[test]
    fn the_key_shows_no_binary_fractions() {
        for most in [0.1, 0.01, 0.07, 0.3] {
            for (name, _) in legend_entries(ShownQuantity::Stretch { duration: 1.0, most }) {
                assert!(name.chars().count() <= 9, "{name}");
            }
        }
    }
}
