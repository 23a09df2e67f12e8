//! Frame times of a simulated display.

use crate::cli::streams::STREAM;
use ropelab::analysis::TimeSource;
use ropelab::quantity::reading::read_rate;
use ropelab::scene::text::read::{ReadError, regular_file, to_end};
use ropelab::session::Display;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::frame_source::FrameSource;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Frame times of a simulated display. They are repeated until the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTimes {
    /// Lengths of the frames in seconds.
    pub seconds: Vec<f64>,
    /// File with the frame times; `None` for a rate.
    pub file: Option<PathBuf>,
}

/// Maximum size of a frame-time file in bytes, enough for ten hours at 60 Hz.
const LONGEST_FILE: u64 = 64 << 20;

#[derive(Debug, Error)]
pub enum FrameTimesError {
    #[error("{0}; expected a rate such as 60hz or a file of frame times")]
    File(#[from] ReadError),
    #[error("the file is not UTF-8 text; expected one frame time in seconds per line")]
    NoText,
    #[error("line {line}: found \"{found}\"; expected one frame time in seconds such as 0.0167")]
    Line { line: usize, found: String },
    #[error("the file is empty; expected one frame time in seconds per line")]
    Empty,
    #[error("expected a positive rate such as 60hz")]
    Rate,
}

impl FrameTimes {
    /// Parses a rate (`60hz`), or reads a file with one frame time in seconds per line. The file
    /// `-` is standard input.
    pub fn from_argument(text: &str) -> Result<Self, FrameTimesError> {
        match read_rate(text) {
            Some(seconds) if is_positive(seconds) => {
                Ok(Self { seconds: vec![seconds], file: None })
            }
            Some(_) => Err(FrameTimesError::Rate),
            None => {
                let file = PathBuf::from(text);
                let bytes = if text == STREAM {
                    to_end(io::stdin().lock(), LONGEST_FILE)?
                } else {
                    regular_file(&file, LONGEST_FILE)?
                };
                let lines = std::str::from_utf8(&bytes).map_err(|_| FrameTimesError::NoText)?;
                Ok(Self { seconds: parse_lines(lines)?, file: Some(file) })
            }
        }
    }

    /// Returns the file of an option `--frame-times`, if there is one.
    pub fn file_of(times: &Option<Self>) -> Option<PathBuf> {
        times.as_ref()?.file.clone()
    }

    /// Returns the lengths of frames in seconds: those of `--frame-times` or, without this option,
    /// those of the lane's simulated display for `seconds`. Empty if the lane has the real display.
    pub fn frame_lengths(
        times: Option<&Self>,
        lane: &FrameSource,
        settings: &Settings,
        seconds: f64,
    ) -> Vec<f64> {
        match times {
            Some(times) => times.seconds.clone(),
            None => Display::frame_times(lane, settings, seconds),
        }
    }

    /// Returns how a run advances: frame by frame, or step by step if there are no frames.
    pub fn choose_feed(
        times: Option<&Self>,
        lane: &FrameSource,
        settings: &Settings,
        seconds: f64,
    ) -> TimeSource {
        let frames = Self::frame_lengths(times, lane, settings, seconds);
        if frames.is_empty() { TimeSource::Steps } else { TimeSource::Frames(frames) }
    }
}

/// Returns a note if the steps of a lane differ from those that its settings or the options
/// request. `typed_dt` is true if the command line contains `--dt`.
pub fn note_on_steps(
    lane: &str,
    settings: &Settings,
    feed: &TimeSource,
    typed_dt: bool,
) -> Option<String> {
    match feed {
        _ if settings.stepping.uses_dt() => None,
        TimeSource::Steps => Some(format!(
            "note: lane \"{lane}\" takes one step per frame, and the frames of the real display \
             are not known here, so it takes steps of dt instead; give a rate with --frame-times \
             60hz"
        )),
        TimeSource::Frames(_) if typed_dt => Some(format!(
            "note: --dt has no effect: lane \"{lane}\" takes one step per frame; --stepping \
             accumulator takes steps of dt"
        )),
        TimeSource::Frames(_) => None,
    }
}

fn parse_lines(text: &str) -> Result<Vec<f64>, FrameTimesError> {
    let mut frames = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
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
    if frames.is_empty() { Err(FrameTimesError::Empty) } else { Ok(frames) }
}

fn is_positive(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let frames = parse_lines("# a hitch\n0.016\n\n0.2 # here\n").unwrap();
        assert_eq!(frames, [0.016, 0.2]);
    }

    #[test]
    fn a_bad_line_is_named() {
        for bad in ["x", "-0.01", "NaN", "0", "inf"] {
            let error = parse_lines(&format!("0.016\n{bad}\n")).unwrap_err();
            let expected = format!("line 2: found \"{bad}\"; expected one frame time");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
        assert!(matches!(parse_lines("# nothing\n"), Err(FrameTimesError::Empty)));
    }
}
