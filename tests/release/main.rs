//! Promises of a release build: the bits of all scenes, and the memory of a large cloth. The
//! environment variable `ROPELAB_PROGRAM` must contain the path of a release build.

#[path = "../desktop/program.rs"]
mod program;

mod hashes;
mod memory;

use std::process::Command;

/// Runs the program and returns the JSON that it prints.
fn answer(arguments: &[&str]) -> serde_json::Value {
    let output = Command::new(program::program())
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("the program starts: {error}"));
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("JSON: {error}"))
}
