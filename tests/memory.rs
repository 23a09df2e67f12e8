//! Memory limit of a run. It holds only for release builds, because unoptimised builds need other
//! amounts.
#![cfg(not(debug_assertions))]
#![allow(clippy::unwrap_used)] // helpers of tests

use std::process::Command;

#[test]
fn the_cloth_of_w3_needs_less_than_64_mb() {
    let output = Command::new(env!("CARGO_BIN_EXE_ropelab"))
        .args(["bench", "W3", "--seconds", "0.1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let peak = line["peak_mb"].as_f64().unwrap();
    println!("W3 peaks at {peak:.1} MB");
    assert!(peak < 64.0, "{peak} MB");
}
