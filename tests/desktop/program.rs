//! The program that a test starts.

use std::path::PathBuf;

/// Path of the program: the environment variable `ROPELAB_PROGRAM`, or what cargo has built beside
/// the test. check.sh names a release build, so that the test is about what people start.
pub fn program() -> PathBuf {
    let named = std::env::var_os("ROPELAB_PROGRAM");
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_ropelab").into()).into()
}
