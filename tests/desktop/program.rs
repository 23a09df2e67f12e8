//! The program that a test starts.

use std::path::PathBuf;

/// Path of the program: the environment variable `ROPELAB_PROGRAM`, or the program that cargo built
/// with the test. check.sh sets the variable to a release build, because users run release builds.
pub fn program() -> PathBuf {
    let named = std::env::var_os("ROPELAB_PROGRAM");
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_ropelab").into()).into()
}
