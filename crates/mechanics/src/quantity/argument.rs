//! Parsers of command-line arguments that are numbers with units. Each error is a sentence that
//! states what was expected.

use super::reading::{read_rate, read_time};

/// Parses a time step: seconds (`0.001`), with a unit (`1ms`, `0.5 ms`, `200us`), a fraction
/// (`1/240`) or a rate (`120hz`, `1khz`).
pub fn parse_step(text: &str) -> Result<f64, String> {
    read_time(text).or_else(|| read_rate(text)).ok_or_else(|| {
        format!(
            "\"{text}\" is not a time step; expected seconds such as 0.001, 1ms, 1/240 or 240hz"
        )
    })
}

/// Parses a duration: seconds (`10`), or with a unit (`500ms`, `2min`).
pub fn parse_duration(text: &str) -> Result<f64, String> {
    read_time(text).ok_or_else(|| {
        format!("\"{text}\" is not a duration; expected seconds such as 10 or 500ms")
    })
}

/// Parses a duration above 0.
pub fn parse_positive_duration(text: &str) -> Result<f64, String> {
    match parse_duration(text)? {
        seconds if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err(format!("\"{text}\" is not a time above 0")),
    }
}

/// Parses a fraction such as 0.05. Percentages are not accepted.
pub fn parse_fraction_of_one(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| {
        format!("\"{text}\" is not a fraction; expected a number such as 0.05 for 5 %")
    })
}

/// Parses a number of substeps or sweeps. The settings check its range.
pub fn parse_count(text: &str) -> Result<u32, String> {
    let count = text.trim().parse();
    count.map_err(|_| format!("\"{text}\" is not a count; expected a whole number such as 4"))
}

/// Parses a range of time steps, the shorter one first: `1ms..100ms`, `1e-4..0.1`.
pub fn parse_step_range(text: &str) -> Result<[f64; 2], String> {
    let no_range =
        || format!("\"{text}\" is not a range of steps; expected two steps such as 1ms..100ms");
    let (from, to) = text.split_once("..").ok_or_else(no_range)?;
    let range = [parse_step(from)?, parse_step(to)?];
    if !range.iter().all(|dt| dt.is_finite()) {
        Err(no_range())
    } else if range[0] < range[1] {
        Ok(range)
    } else {
        Err(format!("\"{text}\" is an empty range; expected the shorter step first"))
    }
}

/// Interval between rows of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// Interval in steps or frames.
    Steps(u64),
    /// Interval of simulated time in seconds.
    Seconds(f64),
}

/// Parses an interval: a whole number of steps (`10`), or a time (`0.5`, `16ms`, `1/60`, `60hz`).
pub fn parse_interval(text: &str) -> Result<Interval, String> {
    let wrong = || {
        format!("\"{text}\" is not an interval; expected steps such as 10, or a time such as 1/60")
    };
    match (text.trim().parse::<u64>(), parse_step(text)) {
        (Ok(0), _) => Err(wrong()),
        (Ok(steps), _) => Ok(Interval::Steps(steps)),
        (Err(_), Ok(seconds)) if seconds > 0.0 && seconds.is_finite() => {
            Ok(Interval::Seconds(seconds))
        }
        (Err(_), _) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_millisecond_is_the_same_double_however_it_is_written() {
        for text in ["0.001", "1ms", "1 ms", "1000us", "1000 µs", "1/1000", "1khz", "1000 Hz"] {
            assert_eq!(parse_step(text), Ok(0.001), "{text}");
        }
        assert_eq!(parse_step("60hz"), Ok(1.0 / 60.0));
        assert_eq!(parse_duration("2 min"), Ok(120.0));
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        for text in ["", "ms", "1 week", "1e", "hz", "1m", "1/x"] {
            assert!(parse_step(text).is_err(), "{text}");
        }
        assert!(parse_duration("60hz").is_err());
        assert_eq!(
            parse_step("fast").unwrap_err(),
            "\"fast\" is not a time step; expected seconds such as 0.001, 1ms, 1/240 or 240hz"
        );
    }
}
