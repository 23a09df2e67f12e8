//! Ticks of an axis: their positions and their labels.

use crate::quantity::in_words::without_zeros;
use crate::quantity::on_screen::{digits_after_point, percent_unit, prefix_with, si_tight};
use std::ops::RangeInclusive;

/// Largest ratio of an axis's largest absolute value to the distance of its ticks at which four
/// digits distinguish neighbouring ticks.
const MOST_STEPS_AWAY: f64 = 1e3;
/// Length in decades below which a logarithmic axis also has ticks between powers of ten.
const MOST_FINE_DECADES: f64 = 1.5;
/// First digits of the ticks on a logarithmic axis that is shorter than 0.8 decades.
const ALL_DIGITS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// Height of a label and greatest width of a letter, in points.
const LABEL_HEIGHT: f64 = 15.0;
const LETTER_WIDTH: f64 = 7.4;
/// Smallest gap in points between neighbouring labels: [horizontal axis, vertical axis].
const GAPS: [f64; 2] = [8.0, 2.0];
/// Factor by which the number of ticks is multiplied until no labels overlap.
const FEWER: f64 = 0.75;
const LEAST_COUNT: f64 = 0.4;
/// Distance in decades that egui assumes between ticks of a short logarithmic axis.
const FINE_STEP: f64 = 0.3;

/// Approximate distance in points between ticks: [horizontal axis, vertical axis].
const BETWEEN_TICKS: [f64; 2] = [85.0, 34.0];

/// Tick of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// Value of the tick; on a logarithmic axis log₁₀ of the value.
    pub value: f64,
    /// Distance to the next tick.
    pub step_size: f64,
}

/// Properties of an axis that determine its ticks.
#[derive(Clone, Copy, Debug)]
pub struct AxisTicks {
    /// True for an x axis.
    pub horizontal: bool,
    /// Length of the axis in points.
    pub length: f64,
    /// True for a logarithmic axis.
    pub log: bool,
    /// Unit of the values.
    pub unit: &'static str,
}

impl AxisTicks {
    /// Returns the ticks of the axis: as many as its length permits, or fewer if their labels would
    /// overlap.
    pub fn ticks(&self, bounds: (f64, f64)) -> Vec<Tick> {
        let count = (self.length / BETWEEN_TICKS[usize::from(!self.horizontal)]).max(1.0);
        let ticks = |count| match self.log {
            true => power_ticks(bounds, count),
            false => round_ticks(bounds, count),
        };
        let counts = std::iter::successors(Some(count), |count| Some(FEWER * count));
        let tried = counts.take_while(|count| *count > LEAST_COUNT).map(ticks);
        let mut few = Vec::new();
        for ticks in tried.filter(|ticks| !ticks.is_empty()) {
            if self.has_room_for(&ticks, bounds) {
                return ticks;
            }
            few = ticks;
        }
        // The labels of the first and last ticks are the furthest apart.
        if few.len() > 2 {
            few.drain(1..few.len() - 1);
        }
        few
    }

    fn has_room_for(&self, ticks: &[Tick], (low, high): (f64, f64)) -> bool {
        let range = low..=high;
        let gap = GAPS[usize::from(!self.horizontal)];
        let extent = |tick: &Tick| match self.horizontal {
            true => LETTER_WIDTH * self.label(*tick, &range).chars().count() as f64,
            false => LABEL_HEIGHT,
        };
        ticks.windows(2).all(|pair| {
            let apart = (pair[1].value - pair[0].value) / (high - low) * self.length;
            apart >= 0.5 * (extent(&pair[0]) + extent(&pair[1])) + gap
        })
    }

    /// Returns the label of a tick. `range` is the range of the whole axis.
    pub fn label(&self, tick: Tick, range: &RangeInclusive<f64>) -> String {
        match self.log {
            true => power_text(tick.value, self.unit),
            false => tick_text(tick, range, self.unit),
        }
    }
}

/// Returns about `count` ticks at multiples of 1, 2 or 5 times a power of ten. Fewer than two ticks
/// would show no scale. In that case, the first and last ticks of a finer axis are returned.
fn round_ticks((low, high): (f64, f64), count: f64) -> Vec<Tick> {
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
    let ticks = (first..=last).step_by(stride.max(1));
    ticks.map(|i| Tick { value: i as f64 * step_size, step_size }).collect()
}

/// Returns about `count` ticks of a logarithmic axis. The values of the ticks are exponents of ten.
/// An axis shorter than [`MOST_FINE_DECADES`] also has ticks between powers of ten.
fn power_ticks((low, high): (f64, f64), count: f64) -> Vec<Tick> {
    if !(low.is_finite() && high.is_finite() && high > low) {
        return Vec::new();
    }
    if high - low < MOST_FINE_DECADES {
        return fine_power_ticks((low, high), count);
    }
    let stride = ((high - low) / count).ceil().max(1.0);
    let (first, last) = ((low / stride).ceil() as i64, (high / stride).floor() as i64);
    let tick = |i| Tick { value: i as f64 * stride, step_size: stride };
    (first..=last).map(tick).collect()
}

/// Returns the ticks of a short logarithmic axis: at 1, 2, 3, … times a power of ten, at 1, 2 and 5
/// times a power of ten, or at powers of ten. The finest of these choices with at most 2 × `count`
/// ticks is used, or the coarsest if all have more. If every choice has fewer than two ticks, the
/// ticks are at equally spaced values.
fn fine_power_ticks((low, high): (f64, f64), count: f64) -> Vec<Tick> {
    let tick = |value: f64| Tick { value, step_size: FINE_STEP };
    let at = |digits: &[f64]| -> Vec<Tick> {
        let decades = low.floor() as i32..=high.floor() as i32;
        let powers =
            decades.flat_map(|decade| digits.iter().map(move |d| d.log10() + f64::from(decade)));
        powers.filter(|power| (low..=high).contains(power)).map(tick).collect()
    };
    let all = if high - low < 0.8 { at(&ALL_DIGITS) } else { Vec::new() };
    let found = [all, at(&[1.0, 2.0, 5.0]), at(&[1.0])];
    let mut enough = found.iter().filter(|ticks| ticks.len() >= 2);
    // The ticks are not evenly spaced, so more than `count` of them are useful.
    let most = (2.0 * count).max(2.0);
    let few = enough.clone().find(|ticks| ticks.len() as f64 <= most).or(enough.next_back());
    match few {
        Some(ticks) => ticks.clone(),
        None => {
            let values = round_ticks((10f64.powf(low), 10f64.powf(high)), count);
            values.into_iter().map(|value| tick(value.value.log10())).collect()
        }
    }
}

/// Returns the label of a tick of a logarithmic axis at 10^`power`.
fn power_text(power: f64, unit: &str) -> String {
    let value = 10f64.powf(power);
    let has_prefix = !matches!(unit, "" | "%");
    let (scale, unit) = if unit == "%" { percent_unit(value) } else { (1.0, unit) };
    let (value, power) = (value / scale, power - scale.log10());
    let text = if has_prefix && (1e-12..1e12).contains(&(value * 1.001)) {
        let (scale, prefix) = prefix_with(value, unit);
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

/// Returns the label of a tick. All ticks of an axis have the same SI prefix. A label has at most
/// four digits, and only as many as distinguish neighbouring ticks. If the ticks differ only after
/// the fourth digit, the lowest tick shows its value, and every other tick shows its distance from
/// the lowest one.
fn tick_text(tick: Tick, range: &RangeInclusive<f64>, unit: &str) -> String {
    let (low, high) = (*range.start(), *range.end());
    let greatest = low.abs().max(high.abs());
    let text = match lowest_if_far(low, high, tick.step_size) {
        None => number_text(tick.value, tick.step_size, greatest, unit),
        Some(lowest) if tick.value < lowest + 0.5 * tick.step_size => {
            number_text(tick.value, 1e-3 * greatest, greatest, unit)
        }
        Some(lowest) => {
            let above = tick.value - lowest;
            format!("+{}", number_text(above, tick.step_size, high - low, unit))
        }
    };
    text.replace('-', "−").trim_end().to_owned()
}

/// Returns the lowest tick of an axis whose ticks differ only after the fourth digit; `None` for
/// other axes.
fn lowest_if_far(low: f64, high: f64, step_size: f64) -> Option<f64> {
    let greatest = low.abs().max(high.abs());
    (greatest >= MOST_STEPS_AWAY * step_size).then(|| (low / step_size).ceil() * step_size)
}

/// Formats a number with the SI prefix that suits `greatest`, and with as many digits as
/// distinguish neighbours at distance `step`. For a unit without SI prefixes, a power of ten is
/// used if `greatest` is below 0.01 or above 100,000.
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
    let (scale, prefix) = prefix_with(greatest, unit);
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 5.0) as usize;
    format!("{:.digits$} {prefix}{unit}", value / scale)
}

/// Formats a value with its unit for the label at the mouse cursor.
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
        let ticks = |low: f64, high: f64, unit: &str| -> Vec<String> {
            let range = low..=high;
            round_ticks((low, high), 3.0)
                .into_iter()
                .map(|tick| tick_text(tick, &range, unit))
                .collect()
        };
        assert_eq!(ticks(0.0, 0.0167, "s"), ["0 ms", "5 ms", "10 ms", "15 ms"]);
        assert_eq!(ticks(196.2, 196.20003, "J"), ["196.2 J", "+10 µJ", "+20 µJ", "+30 µJ"]);
        assert_eq!(ticks(0.0, 1.2e-4, "%"), ["0.0 ppm", "0.5 ppm", "1.0 ppm"]);
        assert_eq!(ticks(0.0, 3e-7, "%"), ["0 ppb", "1 ppb", "2 ppb", "3 ppb"]);
        assert_eq!(ticks(0.0, 3e-14, "%"), ["0 %", "1e−14 %", "2e−14 %", "3e−14 %"]);
        assert_eq!(ticks(-1.0, 2.0, ""), ["−1", "0", "1", "2"]);
        assert_eq!(ticks(0.0, 3e300, "J"), ["0 J", "1e300 J", "2e300 J", "3e300 J"]);
    }

    #[test]
    fn a_low_strip_has_two_marks_at_least() {
        for (low, high) in [(27.2, 28.9), (-0.43, 0.41), (0.0, 1.0), (5.9, 6.05), (1.01, 1.99)] {
            for count in [1.0, 1.3, 2.0] {
                let ticks = round_ticks((low, high), count);
                assert!(
                    (2..=3).contains(&ticks.len()),
                    "{count} ticks from {low} to {high}: {ticks:?}"
                );
                let apart = ticks[ticks.len() - 1].value - ticks[0].value;
                assert!(
                    apart > 0.3 * (high - low),
                    "{count} ticks from {low} to {high}: {ticks:?}"
                );
                assert!(ticks.iter().all(|tick| (low..=high).contains(&tick.value)));
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
        let ticks = |low: f64, high: f64, unit: &str| -> Vec<String> {
            let ticks = power_ticks((low, high), 4.0);
            ticks.into_iter().map(|tick| power_text(tick.value, unit)).collect()
        };
        assert_eq!(ticks(-6.2, 0.3, "J"), ["1 µJ", "100 µJ", "10 mJ", "1 J"]);
        assert_eq!(ticks(-0.1, 1.0, "m"), ["1 m", "2 m", "5 m", "10 m"]);
        assert_eq!(ticks(-3.0, 1.0, "%"), ["10 ppm", "0.01 %", "0.1 %", "1 %", "10 %"]);
        assert_eq!(ticks(-16.0, -14.0, "m"), ["1e−16 m", "1e−15 m", "1e−14 m"]);
        assert!(ticks(f64::NAN, 1.0, "m").is_empty());
    }

    /// Checks axes of various lengths, scales and ranges: neighbouring labels differ and do not
    /// overlap.
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
                    let axis = AxisTicks { horizontal, length, log, unit };
                    let ticks = axis.ticks(bounds);
                    assert!(!ticks.is_empty(), "{axis:?} {bounds:?}");
                    let range = bounds.0..=bounds.1;
                    let labels: Vec<_> = ticks.iter().map(|it| axis.label(*it, &range)).collect();
                    let differ = labels.windows(2).all(|pair| pair[0] != pair[1]);
                    assert!(differ, "{axis:?} {bounds:?}: {labels:?}");
                    let has_room = ticks.len() <= 2 || axis.has_room_for(&ticks, bounds);
                    assert!(has_room, "{axis:?} {bounds:?}: {labels:?}");
                }
            }
        }
    }
}
