//! Tests of the window with a real display, a real mouse and real keys.
#![cfg(all(feature = "window", target_os = "linux"))]

#[path = "../desktop/mod.rs"]
mod desktop;

mod hands;
mod own_work;
mod panels;

use desktop::{Desktop, Laboratory, home_with};
use hands::{
    a_dragged_particle_follows, a_second_lane_follows_the_same_drag,
    a_stroke_cuts_the_rope_in_every_lane, balls_are_thrown_and_taken_back_and_the_hand_blows,
};
use panels::the_panel_changes_the_simulation;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// Draws a stroke with the scissors.
fn draw_stroke(window: &mut Laboratory, from: [f64; 2], to: [f64; 2]) {
    window.hold_key("c");
    window.drag([from, to]);
    window.release_key("c");
}

fn cut_links(report: &Value, lane: usize) -> u64 {
    report["lanes"][lane]["cut"].as_u64().expect("a number of links")
}

/// A particle in the middle of the rope, and the pinned particle at its start.
const MIDDLE: usize = 10;
const PINNED: usize = 0;
/// The pinned particle at the end of the rope.
const LAST: usize = 20;

/// A slack rope of 21 particles, seen from the side.
fn scene(name: &str) -> String {
    format!(
        r#"(
    version: 1,
    name: "{name}",
    look_for: "A rope.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2)],
    ropes: [(name: "rope", from: (-0.5, 1.5, 0), to: (0.5, 1.5, 0), length: 1.6, segments: 20, material: "cord")],
    pins: [(of: Start("rope")), (of: End("rope"))],
    forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.02))],
    camera: Side(centre: (0, 1, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#
    )
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    Some([value.get(0)?.as_f64()?, value.get(1)?.as_f64()?])
}

/// Returns the position of a particle on the screen in pixels.
fn pixel(report: &Value, lane: usize, particle: usize) -> Option<[f64; 2]> {
    pair(&report["lanes"][lane]["pixels"][particle])
}

/// Returns the position of a particle in the scene, x and y in metres.
fn position(report: &Value, lane: usize, particle: usize) -> Option<[f64; 2]> {
    pair(&report["lanes"][lane]["positions"][particle])
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn lanes(report: &Value) -> usize {
    report["lanes"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_person_can_drag_compare_edit_and_close() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("first"));
    let recording = home.path().join("session.rec");
    let recording = recording.to_str().expect("a plain name");
    let mut window = desktop.open_with(&["--record", recording], &file, home.path());
    it_opens_and_moves(&mut window);
    a_dragged_particle_follows(&mut window);
    the_panel_changes_the_simulation(&mut window);
    a_second_lane_follows_the_same_drag(&mut window);
    a_stroke_cuts_the_rope_in_every_lane(&mut window);
    a_changed_file_is_loaded_and_a_bad_one_is_not(&mut window, &file);
    a_picture_is_saved(&mut window, &home.path().join("saved"));
    balls_are_thrown_and_taken_back_and_the_hand_blows(&mut window);
    window.key("ctrl+s");
    window.wait("a note names the recording", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains(".rec")).map(|_| ())
    });
    window.key("space");
    let last = window
        .wait("time stands still", |report| (report["paused"] == true).then(|| report.clone()));
    window.quit();
    assert!(home.path().join("config/window.ron").exists(), "the window's settings are kept");
    its_recording_replays_to_the_same_bits(recording, &last);
    let saved = std::fs::read_dir(home.path().join("saved")).expect("the folder");
    let saved = saved.map(|entry| entry.expect("a file").path());
    let saved = saved.filter(|path| path.extension().is_some_and(|ending| ending == "rec"));
    assert_eq!(saved.map(|path| replay(&path)["same_bits"] == true).collect::<Vec<_>>(), [true]);
}

/// Returns the answer of `ropelab replay` about a recording.
fn replay(recording: &Path) -> Value {
    let output = std::process::Command::new(desktop::program::program())
        .args(["replay", "--json"])
        .arg(recording)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn its_recording_replays_to_the_same_bits(recording: &str, last: &Value) {
    let replayed = replay(Path::new(recording));
    assert_eq!(replayed["same_bits"], true, "{replayed}");
    assert!(replayed["compared"].as_u64() > Some(3), "{replayed}");
    assert!(replayed["frames"].as_u64() > Some(100), "{replayed}");
    // The hashes, steps and times are equal to those in the last report of the window.
    assert_eq!(lanes(&replayed), lanes(last));
    for (lane, shown) in lanes_of(&replayed).zip(lanes_of(last)) {
        for what in ["steps", "t", "hash"] {
            assert_eq!(lane[what], shown[what], "{what} of {}", lane["name"]);
        }
    }
}

fn lanes_of(report: &Value) -> impl Iterator<Item = &Value> {
    report["lanes"].as_array().into_iter().flatten()
}

fn it_opens_and_moves(window: &mut Laboratory) {
    window.wait("simulated time passes", |report| {
        (report["lanes"][0]["t"].as_f64()? > 0.5).then_some(())
    });
    let report = window.next_report();
    assert_eq!(report["scene"], "first");
    assert_eq!(lanes(&report), 1);
    assert_eq!(report["messages"], serde_json::json!([]));
}

fn a_changed_file_is_loaded_and_a_bad_one_is_not(window: &mut Laboratory, file: &Path) {
    let before = pixel(&window.next_report(), 0, PINNED).expect("a pinned particle");
    std::fs::write(file, scene("second")).expect("the scene is written");
    window.wait("the changed file is loaded", |report| (report["scene"] == "second").then_some(()));
    let report = window.next_report();
    assert_eq!(lanes(&report), 2, "lanes that were added by hand stay");
    let after = pixel(&report, 0, PINNED).expect("a pinned particle");
    assert!(distance(before, after) < 0.5, "the camera stays: {before:?} {after:?}");

    std::fs::write(file, "(version: 1, name: \"third\",").expect("the scene is written");
    let complaint = window.wait("the bad file is reported", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains("rope.ron")).map(str::to_owned)
    });
    let report = window.next_report();
    assert_eq!(report["scene"], "second", "the running scene stays: {complaint}");
    window.wait("time goes on", |later| {
        (later["lanes"][0]["t"].as_f64()? > report["lanes"][0]["t"].as_f64()? + 0.1).then_some(())
    });
    window.click("dismiss");
}

fn a_picture_is_saved(window: &mut Laboratory, saved: &Path) {
    window.key("F12");
    window.wait("a note names the picture", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains(".png")).map(|_| ())
    });
    let mut files = std::fs::read_dir(saved).expect("the folder of pictures");
    let picture = files.next().expect("a picture").expect("a picture").path();
    let file = std::fs::File::open(&picture).expect("the picture opens");
    let mut reader = png::Decoder::new(file).read_info().expect("the picture is PNG");
    let mut pixels = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut pixels).expect("the picture is whole");
    assert_eq!((frame.width, frame.height), (1280, 800));
    let colors: HashSet<[u8; 3]> = pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    assert!(colors.len() > 500, "a picture has many colours, not {}", colors.len());
    // The first lane is orange: much red, some green, hardly any blue.
    let orange = |p: &&[u8]| p[0] > 120 && p[1] > 60 && p[1] < p[0] && p[2] < p[0] / 3;
    let rope = pixels.chunks_exact(3).filter(orange).count();
    assert!(rope > 300, "the orange rope is in the picture, in {rope} pixels");
}

#[test]
fn damaged_settings_are_renamed_and_reported() {
    let desktop = Desktop::start("800x600");
    let (home, file) = home_with(&scene("small"));
    std::fs::create_dir(home.path().join("config")).expect("a folder");
    std::fs::write(home.path().join("config/window.ron"), "(size: (800").expect("damage");
    let mut window = desktop.open(&file, home.path());
    window.wait("the damage is reported", |report| {
        let text = report["messages"][0].as_str()?;
        text.contains("window.damaged-1.ron").then_some(())
    });
    window.point([500.0, 300.0]);
    window.quit();
    assert!(home.path().join("config/window.damaged-1.ron").exists());
}

fn open_default_scene<'a>(desktop: &'a Desktop, home: &Path) -> Laboratory<'a> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/01-clothesline.ron");
    desktop.open(&file, home)
}
