//! Standard output, which has one result.

use crate::cli::error::Error;
use crate::cli::streams::{STREAM, print};
use std::path::Path;

/// Destination of a command's report, beside the files that it writes.
#[derive(Clone, Copy)]
pub struct Output {
    is_taken: bool,
}

impl Output {
    /// Creates the output of a command that writes `files`, and JSON if `json` is true.
    pub fn beside(files: &[&Option<impl AsRef<Path>>], json: bool) -> Result<Self, Error> {
        let named = files.iter().filter_map(|file| file.as_ref());
        let streams = named.filter(|file| file.as_ref() == Path::new(STREAM)).count();
        if streams + usize::from(json) > 1 {
            return Err(Error::Streams("two results", "standard output"));
        }
        Ok(Self { is_taken: streams > 0 })
    }

    /// Text for people: on standard error where a file takes standard output.
    pub fn print(self, text: &str) -> Result<(), Error> {
        if self.is_taken {
            eprint!("{text}");
            return Ok(());
        }
        print(text)
    }
}
