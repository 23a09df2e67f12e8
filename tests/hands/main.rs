//! Long tests with mouse and keys: moves in time, undo, building, animations, preferences that are
//! kept.
#![cfg(all(feature = "window", target_os = "linux"))]

#[path = "../desktop/mod.rs"]
#[expect(dead_code, reason = "tests/window does more with it")]
mod desktop;

mod building;
mod edits;
mod opening;
mod remembered;
mod time_bar;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Writes the preferences with which a window in this folder opens.
fn write_preferences(home: &Path, settings: &str) {
    let config = home.join("config");
    std::fs::create_dir_all(&config).expect("a folder");
    std::fs::write(config.join("window.ron"), settings).expect("settings are written");
}

/// Replays a recording without a window and checks that it gives the same bits.
fn check_replay(recording: &str) {
    let output = Command::new(desktop::program::program())
        .args(["replay", "--json", recording])
        .output()
        .expect("the program starts");
    let replayed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(replayed["same_bits"], true, "{replayed}");
}
