//! Marks of an axis: their positions and their labels.

use crate::app::quantity::{self, digits_after_point, percent_unit, si_tight};
use crate::numerics::in_words::without_zeros;
use egui_plot::GridMark;
use std::ops::RangeInclusive;

/// Largest absolute value of an axis, divided by the distance of its marks, up to which four digits
/// distinguish neighbouring marks.
const MOST_STEPS_AWAY: f64 = 1e3;
/// Number of decades of a logarithmic axis below which marks between powers of ten are added.
const MOST_FINE_DECADES: f64 = 1.5;
/// First digits of the marks on a logarithmic axis shorter than 0.8 decades.
const ALL_DIGITS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// Returns about `count` marks of an axis.
pub fn marks(log: bool, bounds: (f64, f64), count: f64) -> Vec<GridMark> {
    if log { power_marks(bounds, count) } else { round_marks(bounds, count) }
}

pub fn label_of(log: bool, mark: GridMark, range: &RangeInclusive<f64>, unit: &str) -> String {
    if log { power_text(mark.value, unit) } else { mark_text(mark, range, unit) }
}

/// Returns about `count` marks at multiples of 1, 2 or 5 times a power of ten. Fewer than two marks
/// show no scale; then the first and the last mark of a finer axis are returned.
pub fn round_marks((low, high): (f64, f64), count: f64) -> Vec<GridMark> {
    let rough = (high - low) / count;
    if !(rough.is_finite() && rough > 0.0) {
        return Vec::new();
    }
    let power = 10f64.powf(rough.log10().floor());
    let factor = match rough / power {
        r if r < 1.5 => 1.0,
        r if r < 3.5 => 2.0,
        r if r < 7.5 => 5.0,
        _ => 10.0,
    };
    let ends =
        |step_size: f64| ((low / step_size).ceil() as i64, (high / step_size).floor() as i64);
    let finer = [10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1].into_iter().filter(|step| *step <= factor);
    let step_sizes = finer.map(|step| step * power);
    let shows_scale = |step_size: &f64| ends(*step_size).0 < ends(*step_size).1;
    let step_size = step_sizes.clone().find(shows_scale).unwrap_or(factor * power);
    let (first, last) = ends(step_size);
    let stride = if step_size < factor * power { (last - first) as usize } else { 1 };
    let marks = (first..=last).step_by(stride.max(1));
    marks.map(|i| GridMark { value: i as f64 * step_size, step_size }).collect()
}

/// Returns about `count` marks of a logarithmic axis. The values of the marks are exponents of ten.
/// An axis shorter than [`MOST_FINE_DECADES`] also has marks between powers of ten.
pub fn power_marks((low, high): (f64, f64), count: f64) -> Vec<GridMark> {
    if !(low.is_finite() && high.is_finite() && high > low) {
        return Vec::new();
    }
    if high - low < MOST_FINE_DECADES {
        let decades = low.floor() as i32..=high.floor() as i32;
        let digits = if high - low < 0.8 { &ALL_DIGITS[..] } else { &[1.0, 2.0, 5.0] };
        let powers =
            decades.flat_map(|decade| digits.iter().map(move |d| d.log10() + f64::from(decade)));
        let inside = powers.filter(|power| (low..=high).contains(power));
        return inside.map(|value| GridMark { value, step_size: 0.3 }).collect();
    }
    let stride = ((high - low) / count).ceil().max(1.0);
    let (first, last) = ((low / stride).ceil() as i64, (high / stride).floor() as i64);
    let mark = |i| GridMark { value: i as f64 * stride, step_size: stride };
    (first..=last).map(mark).collect()
}

/// Returns the label of a mark of a logarithmic axis at 10^`power`.
pub fn power_text(power: f64, unit: &str) -> String {
    let value = 10f64.powf(power);
    let has_prefix = !matches!(unit, "" | "%");
    let (scale, unit) = if unit == "%" { percent_unit(value) } else { (1.0, unit) };
    let (value, power) = (value / scale, power - scale.log10());
    let text = if has_prefix && (1e-12..1e12).contains(&(value * 1.001)) {
        let (scale, prefix) = quantity::prefix_of(value);
        format!("{:.0} {prefix}{unit}", value / scale)
    } else if !has_prefix && (0.999e-2..1e4).contains(&value) {
        let digits = (-(power + 1e-9).floor()).max(0.0) as usize;
        format!("{value:.digits$} {unit}")
    } else {
        format!("{value:.0e} {unit}")
    };
    text.replace('-', "−").trim_end().to_owned()
}

/// Returns the label of a mark. All marks of an axis have the same SI prefix. A label has as many
/// digits as distinguish the mark from the next one, at most four. If the marks differ only after
/// the fourth digit, the lowest mark shows its value, and each other mark shows its distance from
/// the lowest one.
pub fn mark_text(mark: GridMark, range: &RangeInclusive<f64>, unit: &str) -> String {
    let (low, high) = (*range.start(), *range.end());
    let greatest = low.abs().max(high.abs());
    let text = match lowest_if_far(low, high, mark.step_size) {
        None => number_text(mark.value, mark.step_size, greatest, unit),
        Some(lowest) if mark.value < lowest + 0.5 * mark.step_size => {
            number_text(mark.value, 1e-3 * greatest, greatest, unit)
        }
        Some(lowest) => {
            let above = mark.value - lowest;
            format!("+{}", number_text(above, mark.step_size, high - low, unit))
        }
    };
    text.replace('-', "−").trim_end().to_owned()
}

/// Returns the lowest mark of an axis whose marks differ only after the fourth digit; `None` for
/// other axes.
pub fn lowest_if_far(low: f64, high: f64, step_size: f64) -> Option<f64> {
    let greatest = low.abs().max(high.abs());
    (greatest >= MOST_STEPS_AWAY * step_size).then(|| (low / step_size).ceil() * step_size)
}

/// Formats a number to the digit of `step`, with the SI prefix that suits `greatest`. For a unit
/// without SI prefixes, `greatest` below 0.01 or above 100,000 selects a power of ten.
fn number_text(value: f64, step: f64, greatest: f64, unit: &str) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let has_prefix = !matches!(unit, "" | "%");
    let (least, most) = if has_prefix { (1e-12, 1e13) } else { (0.01, 1e5) };
    let (scale, unit) = if unit == "%" { percent_unit(greatest) } else { (1.0, unit) };
    let [value, step, greatest] = [value, step, greatest].map(|of| of / scale);
    if !(least..most).contains(&greatest) {
        return if value == 0.0 { format!("0 {unit}") } else { format!("{value:.0e} {unit}") };
    }
    let (scale, prefix) = if has_prefix { quantity::prefix_of(greatest) } else { (1.0, "") };
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 3.0) as usize;
    format!("{:.digits$} {prefix}{unit}", value / scale)
}

/// Formats the value at the cursor with its unit.
pub fn with_unit(value: f64, unit: &str) -> String {
    let plain = |digits: usize| without_zeros(format!("{value:.digits$}"));
    let text = match unit {
        _ if value != 0.0 && !(1e-12..1e12).contains(&value.abs()) => format!("{value:.2e} {unit}"),
        "%" if percent_unit(value).1 != "%" => {
            let (scale, unit) = percent_unit(value);
            format!("{:.1$} {unit}", value / scale, digits_after_point(value / scale))
        }
        "%" | "" if value != 0.0 && value.abs() < 0.01 => format!("{value:.1e} {unit}"),
        "%" => plain(digits_after_point(value)) + " %",
        "" => plain(2),
        unit => si_tight(value, unit),
    };
    text.replace('-', "−").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_at_most_four_digits_and_differ() {
        let marks = |low: f64, high: f64, unit: &str| -> Vec<String> {
            let range = low..=high;
            round_marks((low, high), 3.0)
                .into_iter()
                .map(|mark| mark_text(mark, &range, unit))
                .collect()
        };
        assert_eq!(marks(0.0, 0.0167, "s"), ["0 ms", "5 ms", "10 ms", "15 ms"]);
        assert_eq!(marks(196.2, 196.20003, "J"), ["196.2 J", "+10 µJ", "+20 µJ", "+30 µJ"]);
        assert_eq!(marks(0.0, 1.2e-4, "%"), ["0.0 ppm", "0.5 ppm", "1.0 ppm"]);
        assert_eq!(marks(0.0, 3e-7, "%"), ["0 ppb", "1 ppb", "2 ppb", "3 ppb"]);
        assert_eq!(marks(0.0, 3e-14, "%"), ["0 %", "1e−14 %", "2e−14 %", "3e−14 %"]);
        assert_eq!(marks(-1.0, 2.0, ""), ["−1", "0", "1", "2"]);
        assert_eq!(marks(0.0, 3e300, "J"), ["0 J", "1e300 J", "2e300 J", "3e300 J"]);
    }

    #[test]
    fn a_low_strip_has_two_marks_at_least() {
        for (low, high) in [(27.2, 28.9), (-0.43, 0.41), (0.0, 1.0), (5.9, 6.05), (1.01, 1.99)] {
            for count in [1.0, 1.3, 2.0] {
                let marks = round_marks((low, high), count);
                assert!(
                    (2..=3).contains(&marks.len()),
                    "{count} marks from {low} to {high}: {marks:?}"
                );
                let apart = marks[marks.len() - 1].value - marks[0].value;
                assert!(
                    apart > 0.3 * (high - low),
                    "{count} marks from {low} to {high}: {marks:?}"
                );
                assert!(marks.iter().all(|mark| (low..=high).contains(&mark.value)));
            }
        }
    }

    #[test]
    fn values_at_the_cursor_have_at_most_four_digits() {
        for (value, unit, text) in [
            (12.3456, "%", "12.35 %"),
            (0.00123, "%", "12.30 ppm"),
            (-2.5e-9, "%", "−0.025 ppb"),
            (0.0, "%", "0 %"),
            (12.3456, "J", "12.3 J"),
        ] {
            assert_eq!(with_unit(value, unit), text);
        }
    }

    #[test]
    fn marks_of_a_logarithmic_axis_are_powers_of_ten_with_prefixes() {
        let marks = |low: f64, high: f64, unit: &str| -> Vec<String> {
            let marks = power_marks((low, high), 4.0);
            marks.into_iter().map(|mark| power_text(mark.value, unit)).collect()
        };
        assert_eq!(marks(-6.2, 0.3, "J"), ["1 µJ", "100 µJ", "10 mJ", "1 J"]);
        assert_eq!(marks(-0.1, 1.0, "m"), ["1 m", "2 m", "5 m", "10 m"]);
        assert_eq!(marks(-3.0, 1.0, "%"), ["10 ppm", "0.01 %", "0.1 %", "1 %", "10 %"]);
        assert_eq!(marks(-16.0, -14.0, "m"), ["1e−16 m", "1e−15 m", "1e−14 m"]);
        assert!(marks(f64::NAN, 1.0, "m").is_empty());
    }
}
