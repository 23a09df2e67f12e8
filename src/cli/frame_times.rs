//! Frame times of a display that is not there.

use super::quantity;
use std::fs;
use thiserror::Error;

/// Seconds of the frames that are fed, over and over.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTimes(pub Vec<f64>);

/// Why there are no frame times.
#[derive(Debug, Error)]
pub enum FrameTimesError {
    /// The file cannot be read.
    #[error("cannot read it: {0}; expected a rate such as 60hz or a file of frame times")]
    File(#[from] std::io::Error),
    /// A line is no frame time.
    #[error("line {line}: found \"{found}\"; expected one frame time in seconds such as 0.0167")]
    Line {
        /// Which, counted from 1.
        line: usize,
        /// What is there.
        found: String,
    },
    /// No line has a frame time.
    #[error("the file is empty; expected one frame time in seconds a line")]
    Empty,
    /// The rate is no rate.
    #[error("expected a positive rate such as 60hz")]
    Rate,
}

impl FrameTimes {
    /// Reads a rate (`60hz`) or a file with one frame time in seconds a line.
    pub fn from_argument(text: &str) -> Result<Self, FrameTimesError> {
        match quantity::rate(text) {
            Some(seconds) if is_positive(seconds) => Ok(Self(vec![seconds])),
            Some(_) => Err(FrameTimesError::Rate),
            None => from_lines(&fs::read_to_string(text)?),
        }
    }
}

fn from_lines(text: &str) -> Result<FrameTimes, FrameTimesError> {
    let mut frames = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let found = line.split('#').next().unwrap_or_default().trim();
        if found.is_empty() {
            continue;
        }
        match found.parse() {
            Ok(seconds) if is_positive(seconds) => frames.push(seconds),
            _ => {
                let found = found.chars().take(40).collect();
                return Err(FrameTimesError::Line { line: i + 1, found });
            }
        }
    }
    if frames.is_empty() { Err(FrameTimesError::Empty) } else { Ok(FrameTimes(frames)) }
}

fn is_positive(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let frames = from_lines("# a hitch\n0.016\n\n0.2 # here\n").unwrap();
        assert_eq!(frames, FrameTimes(vec![0.016, 0.2]));
    }

    #[test]
    fn a_bad_line_is_named() {
        for bad in ["x", "-0.01", "NaN", "0", "inf"] {
            let error = from_lines(&format!("0.016\n{bad}\n")).unwrap_err();
            let expected = format!("line 2: found \"{bad}\"; expected one frame time");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
        assert!(matches!(from_lines("# nothing\n"), Err(FrameTimesError::Empty)));
    }
}
