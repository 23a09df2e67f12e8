//! How long scenes may take to be ready and how much memory a run may need. An unoptimised build
//! is many times slower, so these tests exist in release only.
#![cfg(not(debug_assertions))]
#![allow(clippy::unwrap_used)] // helpers of tests

use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Shortest of three times from a file to a simulation that can step.
fn time_to_be_ready(text: &str) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    std::fs::write(&file, text).unwrap();
    let ready = || {
        let start = Instant::now();
        let scene = Arc::new(Scene::load(&file).unwrap());
        let settings = scene.lanes[0].settings;
        let simulation = Simulation::new(scene, settings);
        let passed = start.elapsed();
        drop(simulation);
        passed
    };
    (0..3).map(|_| ready()).min().unwrap()
}

fn assert_ready_in(limit: Duration, what: &str, text: &str) {
    let time = time_to_be_ready(text);
    println!("{what} ready in {:.0} ms", time.as_secs_f64() * 1e3);
    assert!(time < limit, "{what} took {time:?}, limit {limit:?}");
}

#[test]
fn a_cloth_of_500_by_500_is_ready_in_300_ms() {
    for settings in ["()", "(links: Constraints, constraints: Relaxation(order: Coloured))"] {
        let text = format!(
            r#"(version: 1, name: "cloth",
                cloths: [(name: "cloth", corner: (0, 0, 0), across: (50, 0, 0),
                    down: (0, 0, 50), cells: (499, 499))],
                pins: [(of: Particle(0))],
                settings: {settings})"#
        );
        assert_ready_in(Duration::from_millis(300), &format!("cloth, {settings},"), &text);
    }
}

#[test]
fn a_hundred_thousand_explicit_particles_are_ready_in_a_second() {
    const PARTICLES: u32 = 100_000;
    let mut text = String::from("(version: 1, name: \"explicit\", particles: [\n");
    for i in 0..PARTICLES {
        let x = f64::from(i) * 0.01;
        writeln!(text, "(at: ({x:?}, 1.0, {:?}), mass: 0.25),", -x).unwrap();
    }
    text.push_str("], links: [\n");
    for i in 1..PARTICLES {
        writeln!(text, "(a: Particle({}), b: Particle({i}), stiffness: 1000.0),", i - 1).unwrap();
    }
    text.push_str("], pins: [(of: Particle(0))])");
    assert_ready_in(Duration::from_secs(1), "explicit particles", &text);
}

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
