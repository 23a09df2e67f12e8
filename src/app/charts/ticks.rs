//! Marks of an axis: their positions and their labels.

use crate::quantity::in_words::without_zeros;
use crate::quantity::on_screen::{digits_after_point, percent_unit, prefix_of, si_tight};
use egui_plot::GridMark;
use std::ops::RangeInclusive;

/// Largest absolute value of an axis, divided by the distance of its marks, up to which four digits
/// distinguish neighbouring marks.
const MOST_STEPS_AWAY: f64 = 1e3;
/// Number of decades of a logarithmic axis below which marks between powers of ten are added.
const MOST_FINE_DECADES: f64 = 1.5;
/// First digits of the marks on a logarithmic axis shorter than 0.8 decades.
const ALL_DIGITS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// Height of a label, and upper limit of the width of a letter, in points.
const LABEL_HEIGHT: f64 = 15.0;
const LETTER_WIDTH: f64 = 7.4;
/// Smallest distance in points between two labels of a horizontal and of a vertical axis.
const GAPS: [f64; 2] = [8.0, 2.0];
/// Factor between the numbers of marks that are tried until no labels touch.
const FEWER: f64 = 0.75;
const LEAST_COUNT: f64 = 0.4;
/// Distance in decades that egui assumes between marks of a short logarithmic axis.
const FINE_STEP: f64 = 0.3;

/// Axis of a chart on the screen: direction, length in points, scale, and unit of the labels.
#[derive(Clone, Copy, Debug)]
pub struct AxisOnScreen<'a> {
    pub horizontal: bool,
    pub length: f64,
    pub log: bool,
    pub unit: &'a str,
}

impl AxisOnScreen<'_> {
    /// Returns about `count` marks of the axis, or fewer if their labels would touch.
    pub fn marks(&self, bounds: (f64, f64), count: f64) -> Vec<GridMark> {
        let marks = |count| match self.log {
            true => power_marks(bounds, count),
            false => round_marks(bounds, count),
        };
        let counts = std::iter::successors(Some(count), |count| Some(FEWER * count));
        let tried = counts.take_while(|count| *count > LEAST_COUNT).map(marks);
        let mut few = Vec::new();
        for marks in tried.filter(|marks| !marks.is_empty()) {
            if self.has_room_for(&marks, bounds) {
                return marks;
            }
            few = marks;
        }
        // The labels of both ends are the furthest apart.
        if few.len() > 2 {
            few.drain(1..few.len() - 1);
        }
        few
    }

    fn has_room_for(&self, marks: &[GridMark], (low, high): (f64, f64)) -> bool {
        let range = low..=high;
        let gap = GAPS[usize::from(!self.horizontal)];
        let extent = |mark: &GridMark| match self.horizontal {
            true => LETTER_WIDTH * self.label(*mark, &range).chars().count() as f64,
            false => LABEL_HEIGHT,
        };
        marks.windows(2).all(|pair| {
            let apart = (pair[1].value - pair[0].value) / (high - low) * self.length;
            apart >= 0.5 * (extent(&pair[0]) + extent(&pair[1])) + gap
        })
    }

    /// Returns the label of a mark. `range` is the range of the whole axis.
    pub fn label(&self, mark: GridMark, range: &RangeInclusive<f64>) -> String {
        match self.log {
            true => power_text(mark.value, self.unit),
            false => mark_text(mark, range, self.unit),
        }
    }
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
        return fine_power_marks((low, high), count);
    }
    let stride = ((high - low) / count).ceil().max(1.0);
    let (first, last) = ((low / stride).ceil() as i64, (high / stride).floor() as i64);
    let mark = |i| GridMark { value: i as f64 * stride, step_size: stride };
    (first..=last).map(mark).collect()
}

/// Returns at most about `count` marks of a short logarithmic axis, at 1, 2, 3, … or 1, 2, 5 or 1
/// times a power of ten. If these are fewer than two, the marks are at equally spaced values.
fn fine_power_marks((low, high): (f64, f64), count: f64) -> Vec<GridMark> {
    let mark = |value: f64| GridMark { value, step_size: FINE_STEP };
    let at = |digits: &[f64]| -> Vec<GridMark> {
        let decades = low.floor() as i32..=high.floor() as i32;
        let powers =
            decades.flat_map(|decade| digits.iter().map(move |d| d.log10() + f64::from(decade)));
        powers.filter(|power| (low..=high).contains(power)).map(mark).collect()
    };
    let all = if high - low < 0.8 { at(&ALL_DIGITS) } else { Vec::new() };
    let found = [all, at(&[1.0, 2.0, 5.0]), at(&[1.0])];
    let mut enough = found.iter().filter(|marks| marks.len() >= 2);
    // The marks are not evenly spaced, so a few more than `count` are useful.
    let most = (2.0 * count).max(2.0);
    let few = enough.clone().find(|marks| marks.len() as f64 <= most).or(enough.next_back());
    match few {
        Some(marks) => marks.clone(),
        None => {
            let values = round_marks((10f64.powf(low), 10f64.powf(high)), count);
            values.into_iter().map(|value| mark(value.value.log10())).collect()
        }
    }
}

/// Returns the label of a mark of a logarithmic axis at 10^`power`.
pub fn power_text(power: f64, unit: &str) -> String {
    let value = 10f64.powf(power);
    let has_prefix = !matches!(unit, "" | "%");
    let (scale, unit) = if unit == "%" { percent_unit(value) } else { (1.0, unit) };
    let (value, power) = (value / scale, power - scale.log10());
    let text = if has_prefix && (1e-12..1e12).contains(&(value * 1.001)) {
        let (scale, prefix) = prefix_of(value);
        format!("{} {prefix}{unit}", without_zeros(format!("{:.2}", value / scale)))
    } else if !has_prefix && (0.999e-2..1e4).contains(&value) {
        let digits = (-(power + 1e-9).floor()).max(0.0) as usize + 2;
        format!("{} {unit}", without_zeros(format!("{value:.digits$}")))
    } else {
        let digits = format!("{value:.2e}");
        let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
        format!("{}e{exponent} {unit}", without_zeros(mantissa.to_owned()))
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
        let digits = (greatest.log10().floor() - (step.log10() + 1e-9).floor()).clamp(0.0, 3.0);
        let digits = digits as usize;
        return if value == 0.0 {
            format!("0 {unit}")
        } else {
            format!("{value:.digits$e} {unit}")
        };
    }
    let (scale, prefix) = if has_prefix { prefix_of(greatest) } else { (1.0, "") };
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 5.0) as usize;
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

    /// Labels of axes of every length, kind and size of values: neighbours differ and do not touch.
    #[test]
    fn neighbouring_labels_differ_and_do_not_touch() {
        let linear = [
            (0.0, 2.4e-13),
            (1.6e-13, 2.4e-13),
            (0.0, 1.0),
            (0.01, 0.0125),
            (-3.0, 4.0),
            (99.97, 100.02),
            (196.2, 196.200_03),
            (0.0, 0.45),
            (1e7, 9e7),
            (0.0, 3e300),
        ];
        let decades = [(-6.2, 0.3), (0.1, 0.16), (-3.0, -2.9), (-14.2, -13.7), (-4.0, -1.0)];
        let log = decades.map(|bounds| (true, bounds));
        let axes = linear.map(|bounds| (false, bounds)).into_iter().chain(log);
        for (log, bounds) in axes {
            for unit in ["s", "m", "%", "", "N/m"] {
                for (horizontal, length) in
                    [(true, 120.0), (true, 250.0), (true, 600.0), (false, 40.0), (false, 300.0)]
                {
                    let axis = AxisOnScreen { horizontal, length, log, unit };
                    let marks = axis.marks(bounds, length / 40.0);
                    assert!(!marks.is_empty(), "{axis:?} {bounds:?}");
                    let range = bounds.0..=bounds.1;
                    let labels: Vec<_> = marks.iter().map(|it| axis.label(*it, &range)).collect();
                    let differ = labels.windows(2).all(|pair| pair[0] != pair[1]);
                    assert!(differ, "{axis:?} {bounds:?}: {labels:?}");
                    let has_room = marks.len() <= 2 || axis.has_room_for(&marks, bounds);
                    assert!(has_room, "{axis:?} {bounds:?}: {labels:?}");
                }
            }
        }
    }
}
