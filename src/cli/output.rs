//! Standard output of a command, which carries one result only.

use crate::cli::error::Error;
use crate::cli::streams::{STREAM, print};
use std::path::Path;

/// Destination of a command's report for people: standard output, or standard error if a file or
/// JSON is written to standard output.
#[derive(Clone, Copy)]
pub struct Output {
    is_stdout_taken: bool,
}

impl Output {
    /// Creates the destination for a command that writes `files`, and JSON if `json` is true.
    /// Returns an error if two results would go to standard output.
    pub fn with_files(files: &[&Option<impl AsRef<Path>>], json: bool) -> Result<Self, Error> {
        let named = files.iter().filter_map(|file| file.as_ref());
        let streams = named.filter(|file| file.as_ref() == Path::new(STREAM)).count();
        if streams + usize::from(json) > 1 {
            return Err(Error::Streams("two results", "standard output"));
        }
        Ok(Self { is_stdout_taken: streams > 0 })
    }

    pub fn print(self, text: &str) -> Result<(), Error> {
        if self.is_stdout_taken {
            eprint!("{text}");
            return Ok(());
        }
        print(text)
    }
}
