//! Text for numbers in sentences: few digits, and units with SI prefixes.

use super::magnitude::greatest_prefix;

/// Formats a time with three significant digits and a suitable unit, e.g. `1.04 ms`, `12.5 µs`,
/// `3.2 s`.
pub fn seconds_in_words(seconds: f64) -> String {
    in_small_units(seconds, "s")
}

/// Formats the time of an event in seconds with three decimals, e.g. `0.452 s`. A time below 10 ms
/// gets three significant digits, e.g. `300 µs`.
pub fn moment_in_words(seconds: f64) -> String {
    if seconds.abs() < 0.01 { seconds_in_words(seconds) } else { format!("{seconds:.3} s") }
}

/// Formats a quantity with three significant digits and an SI prefix, e.g. `1.98 Mrad/s`, `314
/// kHz`, `17.1 rad/s`, `2.1e117 J`.
pub fn quantity_in_words(value: f64, unit: &str) -> String {
    match value.abs() {
        size if size.is_finite() && size >= 999.5e9 => format!("{value:.1e} {unit}"),
        size if size.is_finite() && size >= 999.5 => {
            let (scale, prefix) = greatest_prefix(size);
            in_small_units(value / scale, &format!("{prefix}{unit}"))
        }
        _ => in_small_units(value, unit),
    }
}

/// Formats an energy with three significant digits, e.g. `4.91 µJ`, `3.2 J`, `43.6 kJ`.
pub fn joules_in_words(joules: f64) -> String {
    quantity_in_words(joules, "J")
}

/// Formats a number without a unit with three significant digits, e.g. `0.0494`, `1.95`, `198`,
/// `1.93e6`.
pub fn number_in_words(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "–".to_owned(),
        0.0 => "0".to_owned(),
        _ if !(1e-3..9999.5).contains(&size) => format!("{value:.2e}"),
        _ => {
            let decimals = (2 - (size * 1.0005).log10().floor() as i32).max(0) as usize;
            without_zeros(format!("{value:.decimals$}"))
        }
    }
}

/// Formats a length with three significant digits, e.g. `12.3 mm`, `1.2 m`, `4.5 km`.
pub fn metres_in_words(metres: f64) -> String {
    match metres.abs() {
        size if size.is_finite() && size >= 999.5 => in_small_units(metres / 1000.0, "km"),
        _ => in_small_units(metres, "m"),
    }
}

/// Formats a mass with three significant digits, e.g. `2.5 g`, `1.2 kg`, `30 mg`.
pub fn kilograms_in_words(kilograms: f64) -> String {
    match kilograms.abs() {
        mass if mass * 1.0005 >= 1.0 => in_small_units(kilograms, "kg"),
        _ => in_small_units(1000.0 * kilograms, "g"),
    }
}

/// Formats a value with three significant digits, in `unit` or a fraction of it such as milli.
/// Multiples such as kilo are not used.
fn in_small_units(value: f64, unit: &str) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if size == 0.0 {
        return format!("0 {unit}");
    }
    if size >= 999.5 {
        return format!("{value:.0} {unit}");
    }
    let (scale, prefix) = greatest_prefix(size);
    let scaled = value / scale;
    let decimals = (2 - scaled.abs().log10().floor() as i32).clamp(0, 2) as usize;
    match without_zeros(format!("{scaled:.decimals$}")).as_str() {
        "0" | "-0" => format!("0 {unit}"),
        digits => format!("{digits} {prefix}{unit}"),
    }
}

/// Formats the stability limit of an integrator, i.e. the largest stable product ωh of angular
/// frequency and step, with at most three decimals, e.g. `2`, `2.828`.
pub fn limit_in_words(omega_h: f64) -> String {
    without_zeros(format!("{omega_h:.3}"))
}

/// Removes trailing zeros after the decimal point, e.g. `1.50` becomes `1.5`.
pub fn without_zeros(digits: String) -> String {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits,
    }
}

/// Formats a number with its noun in the singular or plural, e.g. `1 sweep`, `20 sweeps`.
pub fn count_in_words(count: u32, unit: &str) -> String {
    match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }
}

/// Smallest fraction that is shown as a multiple: 12.3 times is easier to read than 1234 %.
pub const LEAST_FACTOR: f64 = 10.0;

/// Returns a fraction of at least [`LEAST_FACTOR`] as a factor, e.g. `12.3 times`.
fn times(fraction: f64) -> Option<String> {
    (fraction.abs() >= LEAST_FACTOR).then(|| format!("{} times", factor(fraction)))
}

/// Formats a fraction as a percentage with this number of digits after the decimal point, e.g.
/// `12.50 %`. A factor replaces a percentage above 1000 %.
pub fn percent_to(fraction: f64, decimals: usize) -> String {
    times(fraction).unwrap_or_else(|| format!("{:.decimals$} %", 100.0 * fraction))
}

/// Appends the reference of a percentage or multiple, e.g. `12 % of a length`, `12.3 times a
/// length`. `preposition` is `of` or `to`.
pub fn share_of(percentage: &str, preposition: &str, whole: &str) -> String {
    match percentage.ends_with("times") {
        true => format!("{percentage} {whole}"),
        false => format!("{percentage} {preposition} {whole}"),
    }
}

/// Formats a fraction as a percentage with at most four significant digits, e.g. 0.125 as `12.5 %`.
/// A factor replaces a percentage above 1000 %.
pub fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if !percent.is_finite() {
        return "–".to_owned();
    }
    if let Some(times) = times(fraction) {
        return times;
    }
    if percent != 0.0 && percent.abs() < 1e-4 {
        return format!("{percent:.3e} %");
    }
    let digits = (3.0 - percent.abs().max(1e-4).log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{} %", without_zeros(format!("{percent:.digits$}")))
}

/// Formats a factor with at most four digits, e.g. `0.85`, `3.20`, `12.0`, `1.4e7`.
pub fn factor(value: f64) -> String {
    match value {
        value if !value.is_finite() => "–".to_owned(),
        value if value.abs() >= 1e4 => format!("{value:.1e}"),
        value if value.abs() >= 100.0 => format!("{value:.0}"),
        value if value.abs() >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_has_more_digits_than_people_read() {
        for value in [1e-300, 1e300, f64::INFINITY, 0.7123, 12.3456, 5e5] {
            assert!(factor(value).chars().count() <= 7, "{}", factor(value));
            assert!(percent(value).chars().count() <= 13, "{}", percent(value));
        }
        let fractions = [-3e-8, 0.0, 0.125, 9.99, 12.34, -57.0, 3456.7, 1e6];
        let said = [
            "-3.000e-6 %",
            "0 %",
            "12.5 %",
            "999 %",
            "12.3 times",
            "-57.0 times",
            "3457 times",
            "1.0e6 times",
        ];
        assert_eq!(fractions.map(percent), said);
        assert_eq!([0.125, 12.34].map(|it| percent_to(it, 2)), ["12.50 %", "12.3 times"]);
        let of_a_length = |fraction: f64| share_of(&percent(fraction), "of", "a length");
        assert_eq!([0.5, 50.0].map(of_a_length), ["50 % of a length", "50.0 times a length"]);
        assert_eq!(seconds_in_words(0.9996), "1 s");
        assert_eq!(seconds_in_words(5.068e-6), "5.07 µs");
        assert_eq!(
            [0.0, 3e-4, 0.4524, 12.0].map(moment_in_words),
            ["0 s", "300 µs", "0.452 s", "12.000 s"]
        );
    }

    #[test]
    fn energies_of_any_size_have_three_digits() {
        let energies = [0.0, 4.905e-8, 3.2, 999.7, 43_605.5, -2e6, 2.1e117];
        let said = ["0 J", "49 nJ", "3.2 J", "1 kJ", "43.6 kJ", "-2 MJ", "2.1e117 J"];
        assert_eq!(energies.map(joules_in_words), said);
    }

    #[test]
    fn numbers_of_any_size_have_three_digits() {
        let numbers = [0.0, 0.0494, 1.9537, 2.0, 197.538, 9753.283, 1_927_900.542, 3e-7];
        let said = ["0", "0.0494", "1.95", "2", "198", "9753", "1.93e6", "3.00e-7"];
        assert_eq!(numbers.map(number_in_words), said);
        let rates =
            [1_975_376.7, 314_391.0, 17.1, 999.7, 0.0].map(|it| quantity_in_words(it, "Hz"));
        assert_eq!(rates, ["1.98 MHz", "314 kHz", "17.1 Hz", "1 kHz", "0 Hz"]);
        assert_eq!(joules_in_words(1e-20), "0 J");
        let lengths = [0.0123, 1.2, 5262.0, 1e-16].map(metres_in_words);
        assert_eq!(lengths, ["12.3 mm", "1.2 m", "5.26 km", "0 m"]);
    }

    #[test]
    fn masses_limits_and_counts_are_said_as_people_say_them() {
        assert_eq!(kilograms_in_words(0.0025), "2.5 g");
        assert_eq!(kilograms_in_words(3e-5), "30 mg");
        assert_eq!(kilograms_in_words(1.2), "1.2 kg");
        assert_eq!(kilograms_in_words(0.9999), "1 kg");
        assert_eq!(kilograms_in_words(1500.0), "1500 kg");
        assert_eq!(limit_in_words(2.0), "2");
        assert_eq!(limit_in_words(8.0_f64.sqrt()), "2.828");
        assert_eq!(count_in_words(1, "sweep"), "1 sweep");
        assert_eq!(count_in_words(10, "sweep"), "10 sweeps");
    }
}
