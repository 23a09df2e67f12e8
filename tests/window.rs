//! The window as a person uses it: a real display, a real mouse, real keys.
#![cfg(all(feature = "window", target_os = "linux"))]

mod desktop;

use desktop::{Desktop, Laboratory, sides};
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A particle in the middle of the rope, and its end that is pinned.
const MIDDLE: usize = 10;
const PINNED: usize = 0;
/// Its other end, which is pinned too.
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

/// A cloth of 500 × 500 particles, one step a frame. Weak gravity: four sweeps could not hold it
/// against more.
const LARGE: &str = r#"(
    version: 1,
    name: "large cloth",
    look_for: "A cloth of 250,000 particles.",
    materials: [Cloth(name: "cloth", areal_density: 0.3, stretch_stiffness: 100, bend_stiffness: 0, rigid: true)],
    cloths: [(name: "cloth", corner: (-5, 10, 0), across: (10, 0, 0), down: (0, -6, 8), cells: (499, 499), material: "cloth")],
    pins: [(of: Edge("cloth", Top))],
    forces: [(law: Gravity(g: (0, -0.2, 0)))],
    camera: Orbit(centre: (0, 6, 3), distance: 25, yaw: 25, pitch: 12),
    settings: (
        integrator: PositionVerlet(),
        constraints: Relaxation(iterations: 4, order: Coloured),
        stepping: FixedPerFrame,
        dt: 0.016,
    ),
)
"#;

/// A particle of the large cloth, a few rows below the pins.
const GRABBED: usize = 1250;

/// A scene in a folder of its own.
fn home_with(text: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("rope.ron");
    std::fs::write(&file, text).expect("the scene is written");
    (home, file)
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    Some([value.get(0)?.as_f64()?, value.get(1)?.as_f64()?])
}

/// Where a particle is on the screen.
fn pixel(report: &Value, lane: usize, particle: usize) -> Option<[f64; 2]> {
    pair(&report["lanes"][lane]["pixels"][particle])
}

/// Where a particle is in the world, seen from the side.
fn place(report: &Value, lane: usize, particle: usize) -> Option<[f64; 2]> {
    pair(&report["lanes"][lane]["positions"][particle])
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn lanes(report: &Value) -> usize {
    report["lanes"].as_array().map_or(0, Vec::len)
}

/// Grabs a particle with the left button and pulls it by so many pixels; returns where the hand
/// is. The button stays down.
fn grab_and_pull(window: &mut Laboratory, lane: usize, by: [f64; 2]) -> [f64; 2] {
    // The particle may move meanwhile: what counts is that it is within reach of the cursor.
    let start = window.wait("a particle to grab", |report| pixel(report, lane, MIDDLE));
    window.point(start);
    window.look();
    window.press(1);
    window.look();
    for part in 1..=10 {
        let part = f64::from(part) / 10.0;
        window.point([start[0] + by[0] * part, start[1] + by[1] * part]);
        window.look();
    }
    [start[0] + by[0], start[1] + by[1]]
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
    window.key("ctrl+q");
    assert!(window.ends().success(), "the window ends with exit code 0");
    assert!(home.path().join("config/window.ron").exists(), "the window's settings are kept");
    its_recording_replays_to_the_same_bits(recording, &last);
    let saved = std::fs::read_dir(home.path().join("saved")).expect("the folder");
    let saved = saved.map(|entry| entry.expect("a file").path());
    let saved = saved.filter(|path| path.extension().is_some_and(|ending| ending == "rec"));
    assert_eq!(saved.map(|path| replay(&path)["same_bits"] == true).collect::<Vec<_>>(), [true]);
}

/// What `ropelab replay` says of a recording.
fn replay(recording: &Path) -> Value {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ropelab"))
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
    // The hashes are the window's own; so are steps and times that its last report has.
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
    let report = window.look();
    assert_eq!(report["scene"], "first");
    assert_eq!(lanes(&report), 1);
    assert_eq!(report["messages"], serde_json::json!([]));
}

fn a_dragged_particle_follows(window: &mut Laboratory) {
    let before = place(&window.look(), 0, MIDDLE).expect("a particle");
    let hand = grab_and_pull(window, 0, [70.0, -90.0]);
    window.wait("the particle follows the hand", |report| {
        (distance(pixel(report, 0, MIDDLE)?, hand) < 25.0).then_some(())
    });
    let held = place(&window.look(), 0, MIDDLE).expect("a particle");
    assert!(distance(before, held) > 0.1, "{before:?} {held:?}");
    window.release(1);
    window.wait("the particle falls when it is let go", |report| {
        (distance(pixel(report, 0, MIDDLE)?, hand) > 40.0).then_some(())
    });
}

fn the_panel_changes_the_simulation(window: &mut Laboratory) {
    let clamp = |report: &Value| report["lanes"][0]["settings"]["guards"]["frame_clamp"].clone();
    assert!(clamp(&window.look()).get("On").is_some());
    window.click("frame clamp on");
    window.wait("the frame clamp is off", |report| clamp(report).get("Off").map(|_| ()));
    window.click("frame clamp on");
    window.wait("the frame clamp is on", |report| clamp(report).get("On").map(|_| ()));
    window.click("integrator");
    window.click("integrator: symplectic-euler");
    window.wait("the lane steps with symplectic Euler", |report| {
        (report["lanes"][0]["settings"]["integrator"] == "SymplecticEuler").then_some(())
    });
}

fn a_second_lane_follows_the_same_drag(window: &mut Laboratory) {
    window.click("+ lane");
    window.wait("there are two lanes", |report| (lanes(report) == 2).then_some(()));
    window.key("4");
    window.wait("key 4 gives the second lane velocity Verlet", |report| {
        (report["lanes"][1]["settings"]["integrator"] == "VelocityVerlet").then_some(())
    });
    let before = place(&window.look(), 1, MIDDLE).expect("a particle");
    grab_and_pull(window, 0, [40.0, -60.0]);
    window.wait("both lanes follow one hand", |report| {
        let (first, second) = (place(report, 0, MIDDLE)?, place(report, 1, MIDDLE)?);
        (distance(first, second) < 0.05 && distance(before, second) > 0.1).then_some(())
    });
    window.release(1);
}

/// Draws a stroke with the scissors.
fn stroke(window: &mut Laboratory, from: [f64; 2], to: [f64; 2]) {
    window.hold("c");
    window.drag([from, to]);
    window.let_go("c");
}

fn cut(report: &Value, lane: usize) -> u64 {
    report["lanes"][lane]["cut"].as_u64().expect("a number of links")
}

fn a_stroke_cuts_the_rope_in_every_lane(window: &mut Laboratory) {
    window.key("r");
    let [from, to] = window.wait("a rope", |report| {
        let [left, right] = [pixel(report, 0, PINNED)?, pixel(report, 0, LAST)?];
        let [x, y] = [0, 1].map(|axis| 0.5 * (left[axis] + right[axis]));
        Some([[x, y - 30.0], [x, y + 330.0]])
    });
    stroke(window, from, to);
    window.wait("both lanes are cut, and each half hangs from its pin", |report| {
        let hangs = |lane: usize| {
            let [left, right] = [place(report, lane, PINNED)?, place(report, lane, LAST)?];
            let lowest = (0..=LAST).filter_map(|i| Some(place(report, lane, i)?[1]));
            let depth = left[1] - lowest.fold(f64::INFINITY, f64::min);
            // Half of a whole rope of 1.6 m whose ends are 1 m apart hangs 0.57 m down.
            (cut(report, lane) > 0 && depth > 0.65 && right[1] == left[1]).then_some(())
        };
        hangs(0).and(hangs(1))
    });
    assert_eq!(cut(&window.look(), 0), cut(&window.look(), 1));
    window.key("r");
    window.wait("a new start heals the rope", |report| (cut(report, 0) == 0).then_some(()));
}

fn particles(report: &Value, lane: usize) -> usize {
    report["lanes"][lane]["positions"].as_array().map_or(0, Vec::len)
}

fn balls_are_thrown_and_taken_back_and_the_hand_blows(window: &mut Laboratory) {
    let before = particles(&window.look(), 0);
    window.key("space");
    window.wait("time stands still", |report| (report["paused"] == true).then_some(()));
    // A step that the ball comes after.
    window.key("Right");
    window.key("b");
    window.wait("a ball in every lane", |report| {
        (0..lanes(report)).all(|lane| particles(report, lane) == before + 1).then_some(())
    });
    window.key("Left");
    window.wait("no ball", |report| (particles(report, 0) == before).then_some(()));
    window.key("space");
    window.hold("b");
    window.wait("a stream", |report| (particles(report, 0) > before + 3).then_some(()));
    window.let_go("b");
    let middle = window.wait("a rope", |report| pixel(report, 0, MIDDLE));
    window.point(middle);
    window.hold("w");
    let still = window.look()["commands"].as_u64();
    window.point([middle[0] + 5.0, middle[1]]);
    window.wait("the wind follows the mouse", |report| {
        (report["commands"].as_u64() > still).then_some(())
    });
    window.let_go("w");
    // Time for hashes in the recording.
    let t = |report: &Value| report["lanes"][0]["t"].as_f64();
    let then = t(&window.look()).expect("a time");
    window.wait("two seconds", |report| (t(report)? > then + 2.0).then_some(()));
}

fn a_changed_file_is_loaded_and_a_bad_one_is_not(window: &mut Laboratory, file: &Path) {
    let before = pixel(&window.look(), 0, PINNED).expect("a pinned particle");
    std::fs::write(file, scene("second")).expect("the scene is written");
    window.wait("the changed file is loaded", |report| (report["scene"] == "second").then_some(()));
    let report = window.look();
    assert_eq!(lanes(&report), 2, "lanes that were added by hand stay");
    let after = pixel(&report, 0, PINNED).expect("a pinned particle");
    assert!(distance(before, after) < 0.5, "the camera stays: {before:?} {after:?}");

    std::fs::write(file, "(version: 1, name: \"third\",").expect("the scene is written");
    let complaint = window.wait("the bad file is reported", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains("rope.ron")).map(str::to_owned)
    });
    let report = window.look();
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
fn a_plot_is_saved_as_a_picture_and_a_click_picks_the_particle_of_the_spectrum() {
    let desktop = Desktop::start("1280x800");
    let (home, scene) = home_with(&scene("plots"));
    let mut window = desktop.open(&scene, home.path());
    window.wait("the first frame", |report| report["first_frame"].as_f64());
    window.key("F5");
    window.wait("the spectrum", |report| sides(&report["widgets"]["plot of Spectrum"]));
    let middle = window.wait("the rope", |report| {
        let pixel = &report["lanes"][0]["pixels"][MIDDLE];
        Some([pixel[0].as_f64()?, pixel[1].as_f64()?])
    });
    window.point(middle);
    window.press(1);
    window.release(1);
    for (format, ending) in [("Save PNG", "png"), ("Save SVG", "svg")] {
        window.click("menu of Spectrum");
        window.click(format);
        window.wait("a note names the picture", |report| {
            let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
            messages.into_iter().find(|text| text.contains(ending)).map(|_| ())
        });
    }
    let saved = home.path().join("saved");
    let png = std::fs::File::open(saved.join("plots-spectrum-1.png")).expect("the picture opens");
    assert!(png::Decoder::new(png).read_info().is_ok(), "the picture is PNG");
    let svg = std::fs::read_to_string(saved.join("plots-spectrum-1.svg")).expect("the SVG");
    for text in ["frequency in Hz", "amplitude of particle", "plots"] {
        assert!(svg.contains(text), "{text} is not in the picture:\n{svg}");
    }
    window.key("ctrl+q");
    assert!(window.ends().success());
}

/// The window with answers: a map over quantities of one's own, colours, a mistake, a picture.
#[test]
fn a_map_is_chosen_computed_and_saved() {
    let desktop = Desktop::start("1280x800");
    let (home, scene) = home_with(&scene("maps"));
    let mut window = desktop.open(&scene, home.path());
    window.wait("the first frame", |report| report["first_frame"].as_f64());
    window.key("F6");
    let is_there = |name: &'static str| move |report: &Value| sides(&report["widgets"][name]);
    window.click("cells");
    window.click("cells: 32");
    window.wait("the map is computed", is_there("map: again"));
    window.click("map: error");
    window.click("y axis");
    window.click("y axis: number of the file");
    window.wait("no path is a mistake", is_there("map: problem"));
    window.click("y axis: path");
    window.type_text("forces[1].law.coefficient");
    window.key("Return");
    window.wait("a map over a number of the file", is_there("map: again"));
    window.click("map: Save SVG");
    window.wait("a note names the picture", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains("svg")).map(|_| ())
    });
    let svg = std::fs::read_to_string(home.path().join("saved/maps-map-1.svg")).expect("the SVG");
    for text in ["10 ms", "forces[1].law.coefficient", "theory", "greatest error"] {
        assert!(svg.contains(text), "{text} is not in the picture");
    }
    window.key("ctrl+q");
    assert!(window.ends().success());
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
    window.key("ctrl+q");
    assert!(window.ends().success(), "the window ends with exit code 0");
    assert!(home.path().join("config/window.damaged-1.ron").exists());
}

#[test]
fn a_drag_goes_on_outside_the_window() {
    let desktop = Desktop::start("1600x1000");
    let (home, file) = home_with(&scene("outside"));
    let mut window = desktop.open(&file, home.path());
    let commands = |report: &Value| report["commands"].as_u64();
    grab_and_pull(&mut window, 0, [40.0, 0.0]);
    // Out of the window, on outside of it, and in again with the button down.
    for to in [[1400.0, 500.0], [1500.0, 700.0], [1300.0, 900.0], [700.0, 500.0], [720.0, 480.0]] {
        let before = commands(&window.look());
        window.point(to);
        window.wait("the hand moves", |report| (commands(report) > before).then_some(()));
    }
    window.point([1500.0, 900.0]);
    window.look();
    let before = commands(&window.look());
    window.release(1);
    window.wait("the hand lets go", |report| (commands(report) > before).then_some(()));
    let after = commands(&window.look());
    window.point([700.0, 500.0]);
    window.look();
    assert_eq!(commands(&window.look()), after, "nothing is held any more");
    window.key("ctrl+q");
    assert!(window.ends().success());
}

#[test]
fn a_path_is_typed_into_the_dialog() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("first"));
    let other = home.path().join("other.ron");
    std::fs::write(&other, scene("second")).expect("a file is written");
    let mut window = desktop.open(&file, home.path());
    window.click("lane name");
    window.key("Escape");
    window.wait("the field gives the keys back", |report| report["focus"].is_null().then_some(()));
    window.key("ctrl+o");
    window.wait("the dialog", |report| (report["file_dialog"] == true).then_some(()));
    window.type_text(&other.display().to_string());
    window.look();
    window.key("Return");
    window.wait("the other scene", |report| (report["scene"] == "second").then_some(()));
    window.key("space");
    window.wait("Space pauses: the dialog has gone", |report| {
        (report["paused"] == true).then_some(())
    });
    window.key("ctrl+q");
    assert!(window.ends().success());
}

#[test]
fn keys_that_are_typed_into_a_field_stay_there() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("typing"));
    let mut window = desktop.open(&file, home.path());
    window.click("lane name");
    window.key("space");
    window.key("p");
    window.wait("the name has what was typed", |report| {
        report["lanes"][0]["name"].as_str()?.contains(" p").then_some(())
    });
    assert_eq!(window.look()["paused"], false, "a space in a name is no pause");
    window.key("Return");
    window.wait("the field gives the keys back", |report| report["focus"].is_null().then_some(()));
    window.key("space");
    window.wait("Space pauses", |report| (report["paused"] == true).then_some(()));
    let t = window.look()["lanes"][0]["steps"].as_u64().expect("steps");
    window.key("Right");
    window.wait("one step is taken", |report| {
        (report["lanes"][0]["steps"].as_u64()? == t + 1).then_some(())
    });
    window.key("ctrl+q");
    assert!(window.ends().success());
}

fn open_default_scene<'a>(desktop: &'a Desktop, home: &Path) -> Laboratory<'a> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/01-clothesline.ron");
    desktop.open(&file, home)
}

/// Presses Tab until the widget has the focus, in sight.
fn tab_leads_to(window: &mut Laboratory, widget: &str) -> Option<()> {
    (0..40).find_map(|_| {
        window.key("Tab");
        // The key may arrive after the next report, and the panel scrolls in the frame after.
        (0..3).for_each(|_| drop(window.look()));
        let report = window.look();
        let [left, top, right, bottom] = sides(&report["focus"])?;
        let widget = sides(&report["widgets"][widget])?;
        // A number that is typed into is smaller than its frame.
        let has_focus = left <= widget[0] && top <= widget[1] && right >= widget[2];
        (has_focus && bottom >= widget[3] && bottom < 776.0).then_some(())
    })
}

#[test]
fn the_tab_key_leads_beyond_what_is_in_sight() {
    let desktop = Desktop::start("1280x800");
    let home = tempfile::tempdir().expect("a folder");
    let mut window = open_default_scene(&desktop, home.path());
    for group in ["View", "Time and frames", "Contact", "Links and constraints", "Lanes"] {
        window.click(group);
        // A group that opens moves the others for some frames.
        (0..20).for_each(|_| drop(window.look()));
    }
    window.wait("the panel", |report| report["widgets"]["add lane"].as_array().cloned());
    assert!(window.look()["widgets"]["speed"].is_null(), "out of sight, and nobody types");
    window.click("+ lane");
    // Its row moves the others down.
    window.wait("a second lane", |report| report["widgets"]["show lane 1"].as_array().cloned());
    window.click("time step");
    window.wait("the field is typed into", |report| report["focus"].is_array().then_some(()));
    tab_leads_to(&mut window, "speed").expect("a row beyond an explanation");
    tab_leads_to(&mut window, "time budget on").expect("a row beyond guards that are off");
    tab_leads_to(&mut window, "chip 0").expect("the first lane, beyond plots");
    window.key("Return");
    window.wait("the lane is selected", |report| (report["selected"] == 0).then_some(()));
    tab_leads_to(&mut window, "Lanes side by side").expect("the top bar, beyond the lanes");
    window.key("ctrl+q");
    assert!(window.ends().success());
}

/// What the window says of its frames.
struct Frames {
    first_frame: f64,
    /// Processor seconds of each frame outside the solvers and the driver, sorted.
    overheads: Vec<f64>,
}

fn frames(window: &mut Laboratory, count: usize) -> Frames {
    let first_frame = window.wait("the first frame", |report| report["first_frame"].as_f64());
    // What is built once, as fonts, is built in the first frames.
    for _ in 0..5 {
        window.look();
    }
    let overhead = |_| window.look()["overhead"].as_f64().expect("the overhead of a frame");
    let mut overheads: Vec<f64> = (0..count).map(overhead).collect();
    overheads.sort_by(f64::total_cmp);
    Frames { first_frame, overheads }
}

/// Greatest own work of a frame in seconds. The aim is 1 ms: met with 0.86 ms on an AMD EPYC when
/// `release` still optimised across crates; missed on an Intel Xeon without that, with 1.05 ms alone
/// and 1.07 ms beside busy neighbours, of which panels, plots and bars take 0.7 (November 2026). Half
/// as much again is left for the machine, so that a jump is found and a slower processor is none.
const MOST_OWN_WORK: f64 = 0.0015;

/// Holds the processor's work in a frame, outside the solvers and the driver, to a limit in
/// seconds, in a `part` of the frames: other programs take caches and memory away, and never make
/// a frame shorter. A build without optimisation may take ten times as long.
fn hold_to(what: &str, frames: &Frames, part: f64, limit: f64) {
    let at = |part: f64| 1e3 * frames.overheads[(part * frames.overheads.len() as f64) as usize];
    println!(
        "{what}: first frame after {:.2} s; overhead of a frame {:.2} ms (lower quartile), \
         {:.2} ms (median), {:.2} ms (9 of 10)",
        frames.first_frame,
        at(0.25),
        at(0.5),
        at(0.9),
    );
    let limit = 1e3 * if cfg!(debug_assertions) { 10.0 * limit } else { limit };
    assert!(at(part) < limit, "{what}: {:.2} ms a frame", at(part));
}

/// A rope over a drum, and a drum beside it that nothing touches.
const DRUMS: &str = r#"(
    version: 1,
    name: "drums",
    look_for: "A rope over a drum.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2)],
    ropes: [(name: "rope", from: (-0.4, 1.2, 0), to: (0.4, 1.2, 0), segments: 20, material: "cord")],
    colliders: [(shape: Cylinder(radius: 0.2, length: 0.4, along: (0, 0, 1)), at: (0, 0.9, 0), surface: (friction: 0.5)),
                (shape: Sphere(radius: 0.15), at: (-0.8, 0.5, 0)),
                (shape: Plane(), at: (0, 0, 0))],
    camera: Side(centre: (0, 0.8, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#;

#[test]
fn a_person_can_carry_a_collider_away_and_back() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(DRUMS);
    let recording = home.path().join("session.rec");
    let mut window = desktop.open_with(
        &["--record", recording.to_str().expect("a plain name")],
        &file,
        home.path(),
    );
    let drum = |report: &Value| pair(&report["lanes"][0]["collider_pixels"][0]);
    let sphere = |report: &Value| pair(&report["lanes"][0]["collider_pixels"][1]);
    let start = window.wait("a sphere", sphere);
    let fixed = window.wait("a drum", drum);
    let drag = |window: &mut Laboratory, from: [f64; 2], by: [f64; 2]| {
        let to = [from[0] + by[0], from[1] + by[1]];
        window.drag([from, to]);
        to
    };
    // Not by its middle: it keeps its place in the hand.
    let hand = drag(&mut window, [start[0] + 20.0, start[1] - 10.0], [90.0, -60.0]);
    window.wait("the sphere follows the hand and stays", |report| {
        (distance(sphere(report)?, [hand[0] - 20.0, hand[1] + 10.0]) < 2.0).then_some(())
    });
    assert_eq!(window.wait("a drum", drum), fixed, "the other one stays");
    // The drum goes, and the rope on it with it.
    let hand = drag(&mut window, fixed, [0.0, -100.0]);
    window.wait("the drum is where the hand was", |report| {
        (distance(drum(report)?, hand) < 2.0).then_some(())
    });
    // A drag of the floor moves nothing. That the drum was let go may be counted a report later.
    (0..3).for_each(|_| drop(window.look()));
    let before = window.look()["commands"].as_u64();
    drag(&mut window, [fixed[0] + 300.0, fixed[1] + 250.0], [40.0, 0.0]);
    assert_eq!(window.look()["commands"].as_u64(), before);
    window.key("space");
    let last = window
        .wait("time stands still", |report| (report["paused"] == true).then(|| report.clone()));
    window.key("r");
    window.wait("a new start puts both back", |report| {
        (distance(sphere(report)?, start) < 0.5 && distance(drum(report)?, fixed) < 0.5)
            .then_some(())
    });
    assert!(last["commands"].as_u64() > Some(10), "{last}");
    window.key("ctrl+q");
    assert!(window.ends().success());
    let replayed = replay(&recording);
    assert_eq!(replayed["same_bits"], true, "{replayed}");
    assert!(replayed["compared"].as_u64() > Some(0), "{replayed}");
}

#[test]
fn the_window_itself_takes_little_of_a_frame() {
    let desktop = Desktop::start("1280x800");
    let home = tempfile::tempdir().expect("a folder");
    let mut window = open_default_scene(&desktop, home.path());
    let frames = frames(&mut window, 100);
    // Half a second is meant, with a graphics card; this is drawn by the processor.
    assert!(frames.first_frame < 2.0, "the first frame took {} s", frames.first_frame);
    hold_to("default scene", &frames, 0.25, MOST_OWN_WORK);
}

#[test]
fn the_window_itself_takes_little_beside_busy_neighbours() {
    let desktop = Desktop::start("1280x800");
    let home = tempfile::tempdir().expect("a folder");
    let mut window = open_default_scene(&desktop, home.path());
    let neighbours = BusyNeighbours::start();
    let frames = frames(&mut window, 60);
    drop(neighbours);
    hold_to("default scene beside busy neighbours", &frames, 0.5, MOST_OWN_WORK);
}

/// As many threads as there are cores, busy until this is dropped.
struct BusyNeighbours(Arc<AtomicBool>);

impl BusyNeighbours {
    fn start() -> Self {
        let is_over = Arc::<AtomicBool>::default();
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let is_over = is_over.clone();
            std::thread::spawn(move || take_caches_away(&is_over));
        }
        Self(is_over)
    }
}

impl Drop for BusyNeighbours {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes to 16 MB again and again: more than a core's own caches hold.
fn take_caches_away(is_over: &AtomicBool) {
    let mut memory = vec![1u64; 1 << 21];
    while !is_over.load(Ordering::Relaxed) {
        memory.iter_mut().for_each(|word| *word = word.wrapping_mul(3) ^ 7);
    }
    std::hint::black_box(memory);
}

#[test]
fn a_cloth_of_250_000_particles_is_stepped_drawn_and_dragged() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(LARGE);
    let mut window = desktop.open(&file, home.path());
    let grabbed = window.wait("a particle to grab", |report| pixel(report, 0, GRABBED));
    window.point(grabbed);
    let whole = frames(&mut window, 40);
    hold_to("500 x 500", &whole, 0.5, 0.008);
    let before = window.look();
    // A hard grab: the soft hand is as strong as one of the particles.
    window.hold("shift");
    window.press(1);
    window.look();
    window.point([grabbed[0] + 10.0, grabbed[1] - 20.0]);
    window.wait("a particle follows the hand", |report| {
        let moved = |i| Some(distance(place(&before, 0, i)?, place(report, 0, i)?));
        (0..2500).filter_map(moved).any(|way| way > 0.3).then_some(())
    });
    window.release(1);
    window.let_go("shift");
    let [from, to] = [grabbed, [grabbed[0] + 60.0, grabbed[1] + 120.0]];
    stroke(&mut window, from, to);
    let torn = frames(&mut window, 40);
    assert!(cut(&window.look(), 0) > 100, "{} links", cut(&window.look(), 0));
    hold_to("500 x 500, cut", &torn, 0.5, 0.008);
    window.key("ctrl+q");
    assert!(window.ends().success(), "the window ends with exit code 0");
}

/// A cloth in the wind under implicit Euler, as in the library: a step takes milliseconds.
#[test]
fn a_step_of_a_microsecond_can_be_typed_in_and_the_window_goes_on() {
    let desktop = Desktop::start("1280x800");
    let home = tempfile::tempdir().expect("a folder");
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let scene = std::fs::read_dir(&scenes).expect("the scenes").find_map(|entry| {
        let path = entry.expect("a scene").path();
        path.to_str()?.ends_with("cloth-in-wind.ron").then_some(path)
    });
    let mut window = desktop.open(&scene.expect("cloth-in-wind"), home.path());
    window.click("time step");
    window.wait("the field is typed into", |report| report["focus"].is_array().then_some(()));
    window.key("ctrl+a");
    window.type_text("0.000001 s");
    window.key("Return");
    window.wait("the lane steps by a microsecond", |report| {
        (report["lanes"][0]["settings"]["dt"] == 1e-6).then_some(())
    });
    // A frame of 14 s was allowed before. Steps take 0.1 s of one, and the drawing, without a graphics
    // card, some 0.04 s; an optimised build is meant.
    let most = if cfg!(debug_assertions) { 1.0 } else { 0.25 };
    let frame = |_| window.look()["frame"].as_f64().expect("the length of a frame");
    let frames: Vec<f64> = (0..40).map(frame).collect();
    println!("frames of steps of a microsecond: {frames:?} s");
    assert!(frames.iter().all(|frame| *frame < most), "frames took {frames:?} s");
    window.key("space");
    window.wait("Space pauses", |report| (report["paused"] == true).then_some(()));
    window.key("ctrl+q");
    assert!(window.ends().success());
}

fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Every scene that measures something, in one window whose file changes.
#[test]
fn nothing_covers_a_reading() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("first"));
    let mut window = desktop.open(&file, home.path());
    window.wait("the window", |report| report["first_frame"].as_f64());
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut seen = 0;
    for entry in std::fs::read_dir(scenes).expect("scenes") {
        let text = std::fs::read_to_string(entry.expect("a scene").path()).expect("text");
        if !text.contains("readings:") && !text.contains("periods:") {
            continue;
        }
        let (_, name) = text.split_once("\n    name: \"").expect("a name");
        let (name, _) = name.split_once('"').expect("its end");
        std::fs::write(&file, &text).expect("the scene is written");
        let report = window.wait(name, |report| {
            let moves = report["lanes"][0]["t"].as_f64()? > 0.05;
            (report["scene"] == name && moves).then(|| report.clone())
        });
        let widgets = report["widgets"].as_object().expect("widgets");
        let places = widgets.iter().filter_map(|(name, rect)| Some((name, sides(rect)?)));
        let places: Vec<_> = places.collect();
        for (reading, rect) in places.iter().filter(|(name, _)| name.ends_with(": readings")) {
            seen += 1;
            // The scene itself is a widget that takes the mouse, and the note that the file was read
            // again leaves by itself.
            let passing = ["the scene", "dismiss"];
            let others = places
                .iter()
                .filter(|(other, _)| other != reading && !passing.contains(&other.as_str()));
            for (other, place) in others {
                assert!(!overlap(*rect, *place), "{name}: {other} lies on {reading}");
            }
        }
    }
    assert!(seen > 20, "{seen} readings");
    window.key("ctrl+q");
    assert!(window.ends().success());
}
