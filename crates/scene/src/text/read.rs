//! Safe reading of files and streams: only regular files are read, and only up to a limited length.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

/// Reason why a file was not read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// There is no file with this name.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder.
    #[error("this is a folder")]
    Folder,
    /// The path is a pipe, a device or a socket. Opening or reading it may block forever.
    #[error("this is not a regular file; to read from a pipe, give - as the file name")]
    Irregular,
    /// The file is longer than this limit in bytes.
    #[error("the file is longer than {}", mebibytes(*.0))]
    TooLong(u64),
    /// The operating system reported an error.
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

/// Reads a regular file of at most `longest` bytes.
pub fn regular_file(path: &Path, longest: u64) -> Result<Vec<u8>, ReadError> {
    let found = path.metadata()?;
    if found.is_dir() {
        return Err(ReadError::Folder);
    }
    if !found.is_file() {
        return Err(ReadError::Irregular);
    }
    if found.len() > longest {
        return Err(ReadError::TooLong(longest));
    }
    // Kernel files such as `/proc/kmsg` report size 0, and reading them may block forever. Files of
    // size 0 are therefore not read.
    if found.len() == 0 {
        return Ok(Vec::new());
    }
    to_end(File::open(path)?, longest)
}

/// Reads a stream to its end. Returns an error if it is longer than `longest` bytes.
pub fn to_end(source: impl Read, longest: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    source.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest { Err(ReadError::TooLong(longest)) } else { Ok(bytes) }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn devices_and_endless_streams_are_refused() {
        for path in ["/dev/zero", "/dev/null"] {
            let read = regular_file(Path::new(path), 1 << 20);
            assert!(matches!(read, Err(ReadError::Irregular)), "{path}: {read:?}");
        }
        // `/proc/kmsg` is a regular file, but a read blocks until the kernel's next message.
        if let Ok(bytes) = regular_file(Path::new("/proc/kmsg"), 1 << 20) {
            assert!(bytes.is_empty());
        }
        let endless = to_end(io::repeat(b'x'), 1 << 20).unwrap_err();
        assert_eq!(endless.to_string(), "the file is longer than 1 MiB");
        assert_eq!(to_end(&b"ends"[..], 4).unwrap(), b"ends");
    }
}
