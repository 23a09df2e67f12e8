//! Every bad input gets one clear message: where, what was found, what was expected.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use proptest::prelude::*;
use ropelab::scene::{Scene, library};
use std::fs;
use std::io::Write;

/// A scene of one particle with more text in it.
fn with(more: &str) -> String {
    format!(
        "(\n    version: 1,\n    name: \"test\",\n    \
         particles: [(at: (0, 0, 0)), (at: (1, 0, 0))],\n    {more}\n)\n"
    )
}

#[track_caller]
fn message(text: &str) -> String {
    match Scene::parse(text, "test.ron") {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The message for `more`, which begins at line 5, column 5.
#[track_caller]
fn refused(more: &str, expected: &str) {
    assert_eq!(message(&with(more)), expected);
}

#[test]
fn the_frame_of_these_tests_is_a_scene() {
    Scene::parse(&with(""), "test.ron").unwrap();
}

#[test]
fn cuts_of_what_is_no_link() {
    refused(
        "cuts: [(0, 1)]",
        "test.ron:5:12: no link holds the particles 0 and 1 together, expected the ends of a link",
    );
    refused(
        "ropes: [(from: (0, 1, 0), to: (1, 1, 0), segments: 3)], cuts: [(4, 3), (3, 5)]",
        "test.ron:5:76: no link holds the particles 3 and 5 together, expected the ends of a \
         link; particle 3 has links to 2 and 4",
    );
}

#[test]
fn ways_of_ropes_that_lead_nowhere() {
    let drum = "colliders: [(shape: Cylinder(radius: 0.2, length: 1, along: (0, 0, 1))), \
                (shape: Plane(), at: (0, -9, 0))],";
    let rope = |more: &str| with(&format!("{drum} ropes: [(from: (-1, 0, 0), {more})]"));
    let wrong = |more: &str, expected: &str| {
        let found = message(&rope(more));
        assert!(found.starts_with("test.ron:5:") && found.ends_with(expected), "{found}");
    };
    Scene::parse(&rope("to: (1, 0, 0), through: [Round(collider: 0, about: (0, 0, -1))]"), "x")
        .unwrap();
    wrong(
        "to: (1, 0, 0), through: [Round(collider: 7, about: (0, 0, 1))]",
        "found collider 7, but the scene has 2, which are numbered from 0",
    );
    wrong(
        "to: (1, 0, 0), through: [Round(collider: 1, about: (0, 0, 1))]",
        "collider 1 is not round, expected a sphere, capsule or cylinder",
    );
    wrong(
        "to: (0.1, 0, 0), through: [Round(collider: 0, about: (0, 0, 1))]",
        "the rope begins or ends inside a collider that it goes round, expected a place outside",
    );
    wrong(
        "to: (1, 0, 0), segments: 1, through: [Point(0, 1, 0)]",
        "found 1 segments, expected at least 2 for this way",
    );
    wrong("closed: true", "a closed rope has no way, expected `through`");
    wrong(
        "closed: true, to: (1, 0, 0), through: [Point(0, 1, 0)]",
        "found `to`, but the rope is closed",
    );
    wrong(
        "to: (1, 0, 0), through: [Arc(centre: (0, 0, 0), about: (0, 0, 0), degrees: 90)]",
        "found `about` [0, 0, 0], expected a direction",
    );
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let load = |name: &str| {
        let text = Scene::load(path(name)).unwrap_err().to_string();
        text.replace(&path("").display().to_string(), "FOLDER/")
    };
    assert_eq!(
        load("missing.ron"),
        "FOLDER/missing.ron: there is no such file, expected a scene file (.ron)"
    );
    fs::create_dir(path("folder.ron")).unwrap();
    assert_eq!(
        load("folder.ron"),
        "FOLDER/folder.ron: this is a folder, expected a scene file (.ron)"
    );
    fs::write(path("empty.ron"), " \n").unwrap();
    assert_eq!(load("empty.ron"), "FOLDER/empty.ron: the file is empty, expected a scene in RON");
    fs::write(path("latin1.ron"), b"(\n  name: \"Seilbr\xFCcke\"").unwrap();
    assert_eq!(
        load("latin1.ron"),
        "FOLDER/latin1.ron:2:16: found the byte 0xFC, expected text in UTF-8"
    );
    fs::write(path("binary.ron"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    assert_eq!(
        load("binary.ron"),
        "FOLDER/binary.ron:1:1: found the byte 0x89, expected text in UTF-8"
    );
    fs::write(path("zeros.ron"), [0; 100]).unwrap();
    assert_eq!(load("zeros.ron"), "FOLDER/zeros.ron:1:1: found `\\0`, expected the scene in ( )");
}

#[test]
fn a_file_of_a_gigabyte_is_refused_without_reading_it() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"(").unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let message = Scene::load(file.path()).unwrap_err().to_string();
    assert!(message.ends_with("the file is longer than 256 MiB, expected at most that"));
}

#[test]
fn unfinished_text() {
    assert_eq!(
        message("(\n    version: 1,\n"),
        "test.ron:3:1: the file ends here, expected the rest of the scene"
    );
    assert_eq!(
        message("(\n    version: 1,\n    name: \"te"),
        "test.ron:3:12: this text has no closing \""
    );
    assert_eq!(message("(version: 1, /* name"), "test.ron:1:21: this comment has no closing */");
    assert_eq!(
        message("(version: 1 name: \"x\")"),
        "test.ron:1:13: found `name`, expected `,` or the closing bracket"
    );
    assert_eq!(
        message("(version: 1, name: \"x\", particles: [(at: (0, 0, 0))]) 7"),
        "test.ron:1:55: found `7`, expected nothing after the scene's closing bracket"
    );
}

#[test]
fn nesting_without_end() {
    let deep = with(&format!("look_for: {}", "(".repeat(100_000)));
    message(&deep);
    let deep = with(&format!("pins: [(of: {}All{})]", "Any([".repeat(200), "])".repeat(200)));
    assert!(message(&deep).contains("nested too deeply"), "{}", message(&deep));
}

#[test]
fn misspelt_names_get_the_nearest_right_one() {
    refused(
        "ropse: [],",
        "test.ron:5:5: unknown field \"ropse\" of Scene, did you mean \"ropes\"?",
    );
    refused(
        "ropes: [(form: (0, 0, 0))],",
        "test.ron:5:14: unknown field \"form\" of rope, did you mean \"from\"?",
    );
    refused(
        "settings: (integrator: VelocityVerlett),",
        "test.ron:5:28: unknown integrator \"VelocityVerlett\", did you mean \"VelocityVerlet\"?",
    );
    refused(
        "settings: (stepping: Interpolate),",
        "test.ron:5:26: unknown stepping scheme \"Interpolate\", did you mean \"Interpolated\"? Expected FrameCoupled, FixedPerFrame, DiscardRemainder, FrameSubsteps, Accumulator, Interpolated, RenderTick or Extrapolated",
    );
    refused(
        "forces: [(law: Gravty())],",
        "test.ron:5:20: unknown force \"Gravty\", did you mean \"Gravity\"? Expected Gravity, LinearDrag, QuadraticDrag, Wind, FaceWind or Attractor",
    );
    refused(
        "forces: [(law: Gravity, on: Bdy(\"x\"))],",
        "test.ron:5:33: unknown particles \"Bdy\", did you mean \"Body\"?",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"hemp\")],",
        "test.ron:5:56: no material is named \"hemp\"",
    );
    refused(
        "materials: [Rope(name: \"hemp\")],\n    ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"hmep\")],",
        "test.ron:6:56: no material is named \"hmep\", did you mean \"hemp\"?",
    );
    refused(
        "pins: [(of: Start(\"rope\"))],",
        "test.ron:5:17: no rope, net, cloth or particle is named \"rope\"",
    );
    refused(
        "camera: Front(height: 2),",
        "test.ron:5:13: unknown camera \"Front\", expected Side or Orbit",
    );
}

#[test]
fn wrong_kinds_of_value() {
    refused("floor: \"low\",", "test.ron:5:12: `floor`: found the text \"low\", expected a number");
    refused(
        "particles: 3,",
        "test.ron:5:5: field \"particles\" is there a second time, expected it once",
    );
    refused(
        "ropes: [(from: (0, 0), to: (1, 0, 0))],",
        "test.ron:5:25: `from`: found 2 elements, expected three numbers (x, y, z)",
    );
    refused("pins: [(of: Node(\"rope\"))],", "test.ron:5:28: found 1 element, expected 2");
    refused(
        "settings: (guards: (frame_clamp: Of(0.01))),",
        "test.ron:5:38: unknown guard \"Of\", did you mean \"Off\"? Expected On or Off",
    );
    refused(
        "ropes: [(from: 0, to: (1, 0, 0))],",
        "test.ron:5:20: `from`: found `0`, expected three numbers (x, y, z)",
    );
    refused(
        "ropes: [(from: (0, 0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:30: found `0`, expected `)`",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 2.5)],",
        "test.ron:5:57: found a number with a fraction or exponent, expected a whole number",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: -3)],",
        "test.ron:5:56: `segments`: found -3, expected a whole number from 1 to 1000000",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 0)],",
        "test.ron:5:56: `segments`: found 0, expected a whole number from 1 to 1000000",
    );
    refused(
        "pins: [(of: Particle(-1))],",
        "test.ron:5:26: `-1` is too large or negative for this field",
    );
    refused(
        "floor: 1, floor: 2,",
        "test.ron:5:15: field \"floor\" is there a second time, expected it once",
    );
    refused(
        "ropes: [Rope(from: (0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:13: `ropes`: found `Rope`, expected `(`: no name stands before this bracket",
    );
    refused(
        "ropes: [(from: Vec3(0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:20: `from`: found `Vec3`, expected `(`: no name stands before this bracket",
    );
    refused("pins: [(path: Still)],", "test.ron:5:24: field \"of\" of pin is missing before this");
}

#[test]
fn numbers_that_are_none() {
    refused("floor: NaN,", "test.ron:5:12: `floor`: found NaN, expected a finite number");
    refused("floor: -inf,", "test.ron:5:12: `floor`: found -inf, expected a finite number");
    refused("floor: 1e999,", "test.ron:5:12: `floor`: found inf, expected a finite number");
    refused(
        "ropes: [(from: (0, inf, 0), to: (1, 0, 0))],",
        "test.ron:5:24: `from`: found inf, expected a finite number",
    );
    refused("settings: (dt: NaN),", "test.ron:5:20: dt is NaN; expected 0.000001 to 1 seconds");
    refused(
        "camera: Side(centre: (0, NaN, 0), height: 1),",
        "test.ron:5:13: camera: found centre (0, NaN, 0) and height 1, expected finite numbers and a height above 0, none beyond 1e15",
    );
    refused(
        "pins: [(of: Particle(0), path: Swing(amplitude: (0, inf, 0), frequency: 1))],",
        "test.ron:5:36: path: swing of amplitude [0, inf, 0] at 1 Hz; expected finite numbers of at most 1e15 and a frequency of at least 0",
    );
}

#[test]
fn parameters_that_make_no_sense() {
    refused(
        "forces: [(law: Gravity(g: (0, NaN, 0)))],",
        "test.ron:5:20: g of gravity is NaN, must be finite",
    );
    refused(
        "forces: [(law: LinearDrag(coefficient: -1))],",
        "test.ron:5:20: coefficient of linear drag is -1, must be finite and at least 0",
    );
    refused(
        "forces: [(law: Wind(gust: Noise(seed: 1, amplitude: 1, correlation_time: 0)))],",
        "test.ron:5:20: correlation_time of a gust is 0, must be finite and above 0",
    );
    refused(
        "settings: (integrator: VerletDrag(drag: 2)),",
        "test.ron:5:28: integrator: drag is 2, expected at least 0 and less than 1",
    );
    refused(
        "settings: (integrator: VerletDrag(drga: 0.1)),",
        "test.ron:5:39: unknown field \"drga\" of VerletDrag, did you mean \"drag\"? Expected drag",
    );
    refused(
        "settings: (constraints: Xpbd(iterations: 0)),",
        "test.ron:5:29: constraints: iterations of XPBD is 0, must be from 1 to 100000",
    );
    refused(
        "settings: (constraints: Relaxation(order: Jacobi(damping: 7))),",
        "test.ron:5:29: constraints: damping of a Jacobi sweep is 7, must be above 0, at most 1",
    );
    refused(
        "settings: (constraints: SoftStep(hertz: 0)),",
        "test.ron:5:29: constraints: hertz of Soft Step is 0, must be above 0, at most 1e9",
    );
    refused(
        "settings: (constraints: Vbd(iterations: 0)),",
        "test.ron:5:29: constraints: iterations of VBD is 0, must be from 1 to 100000",
    );
    refused(
        "settings: (constraints: Xpbd(omega: 2)),",
        "test.ron:5:29: constraints: omega of XPBD is 2, must be above 0 and below 2",
    );
    refused(
        "settings: (constraints: PBD),",
        "test.ron:5:29: unknown constraint solver \"PBD\", did you mean \"Xpbd\"? Expected None, Relaxation, Xpbd, Shake, Direct, SoftStep, Rattle or Vbd",
    );
}

#[test]
fn sizes_that_are_none() {
    refused(
        "masses: [(of: Particle(0), mass: -1)],",
        "test.ron:5:38: `mass`: found -1, expected a finite number above 0",
    );
    refused(
        "masses: [(of: Particle(0), mass: 0.0)],",
        "test.ron:5:38: `mass`: found 0, expected a finite number above 0",
    );
    refused(
        "materials: [Rope(name: \"x\", mass_per_metre: 0)],",
        "test.ron:5:49: `mass_per_metre`: found 0, expected a finite number above 0",
    );
    refused(
        "materials: [Cloth(name: \"x\", damping: -0.5)],",
        "test.ron:5:43: `damping`: found -0.5, expected a finite number of at least 0",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), length: -2)],",
        "test.ron:5:54: `length`: found -2, expected a finite number above 0",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (0, 0, 0))],",
        "test.ron:5:13: the rope's ends are in one place, expected two places or a `length`",
    );
    refused("settings: (dt: 0),", "test.ron:5:20: dt is 0; expected 0.000001 to 1 seconds");
    refused("settings: (dt: -0.01),", "test.ron:5:20: dt is -0.01; expected 0.000001 to 1 seconds");
    refused("settings: (dt: 1e-12),", "test.ron:5:20: dt is 1e-12; expected 0.000001 to 1 seconds");
    refused(
        "lanes: [(name: \"a\"), (name: \"b\", settings: (dt: 1e-12))],",
        "test.ron:5:53: dt is 1e-12; expected 0.000001 to 1 seconds",
    );
    refused(
        "settings: (guards: (frame_clamp: On(0))),",
        "test.ron:5:38: guards: frame_clamp is 0; expected a positive number of seconds",
    );
    refused("settings: (substeps: 0),", "test.ron:5:26: substeps is 0; expected 1 to 1000");
    refused(
        "camera: Side(centre: (0, 0, 0), height: 1, aspect: 0),",
        "test.ron:5:13: camera: found aspect 0, expected 0.1 to 10",
    );
    refused(
        "camera: Side(centre: (0, 0, 0), height: 0),",
        "test.ron:5:13: camera: found centre (0, 0, 0) and height 0, expected finite numbers and a height above 0, none beyond 1e15",
    );
    refused(
        "cloths: [(corner: (0, 0, 0), across: (0, 0, 0), down: (0, 1, 0), cells: (3, 3))],",
        "test.ron:5:42: found an edge of length 0, expected a size",
    );
    refused(
        "cloths: [(corner: (0, 0, 0), across: (0, 2, 0), down: (0, 1, 0), cells: (3, 3))],",
        "test.ron:5:59: `down` is parallel to `across`, expected a sheet with an area",
    );
    refused(
        "cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (0, 3))],",
        "test.ron:5:78: `cells`: found 0, expected a whole number from 1 to 1000000",
    );
}

#[test]
fn more_than_memory_can_hold_is_refused_before_it_is_taken() {
    refused(
        "cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1000000, 1000000))],",
        "test.ron:5:77: this makes 1000002000003 particles, expected at most 1000000",
    );
    refused(
        "nets: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1000000000000, 1))],",
        "test.ron:5:76: `cells`: found 1000000000000, expected a whole number from 1 to 1000000",
    );
    refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 99999999999999999999)],",
        "test.ron:5:56: `segments`: `99999999999999999999` is too large or negative for this field",
    );
}

#[test]
fn references_to_what_is_not_there() {
    refused(
        "links: [(a: Particle(0), b: Particle(2))],",
        "test.ron:5:33: found particle 2, expected 0 to 1",
    );
    refused(
        "links: [(a: Particle(1), b: Particle(1))],",
        "test.ron:5:33: a link from particle 1 to itself, expected two different particles",
    );
    refused("links: [(a: Particle(0), b: All)],", "test.ron:5:33: found 2 particles, expected one");
    refused("faces: [(0, 1, 2)],", "test.ron:5:13: found particle 2, expected 0 to 1");
    refused(
        "annotations: (labels: [(of: Particle(5), text: \"5 m\")]),",
        "test.ron:5:33: found particle 5, expected 0 to 1",
    );
    refused(
        "annotations: (periods: [(of: All, text: \"swing\")]),",
        "test.ron:5:34: found 2 particles, expected one",
    );
    refused(
        "annotations: (patterns: [(of: All, pattern: Plain)]),",
        "test.ron:5:35: found 2 particles that are no cloth, expected one cloth",
    );
    refused(
        "annotations: (readings: [(of: All, name: \"x\", measure: Way(along: (0, 1, 0)), unit: \"m\",
            formula: \"0\", value: Constant(0))]),",
        "test.ron:5:35: found 2 particles, expected one",
    );
    refused(
        "lanes: [(name: \"x\", display: 0)],",
        "test.ron:5:34: found 0, expected 1 to 1000 frames a second",
    );
    refused(
        "lanes: [(name: \"x\", frames: Spike(rate: 60, every: 0, spike: 0.1))],",
        "test.ron:5:33: every is 0; expected at least 1 frame",
    );
    refused(
        "lanes: [(name: \"x\", display: 60, frames: Constant(rate: 60))],",
        "test.ron:5:46: found both `display` and `frames`, expected one",
    );
    refused(
        "thrown: [(at: (0, 0, 0), velocity: (0, 0, 0), mass: 1, radius: 0)],",
        "test.ron:5:68: `radius`: found 0, expected a finite number above 0",
    );
    refused(
        "annotations: (restart: 0),",
        "test.ron:5:28: `restart`: found 0, expected a finite number above 0",
    );
    refused(
        "annotations: (lesson: [(say: \" \", done: Cut)]),",
        "test.ron:5:28: found no words, expected what to do",
    );
    let step = "(say: \"Press 1.\", done: Integrator(ExplicitEuler)), ";
    refused(
        &format!("annotations: (lesson: [{}]),", step.repeat(6)),
        "test.ron:5:288: found a lesson of 6 steps, expected at most 5",
    );
    let many = "ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), segments: 300)],\n    ";
    refused(
        &format!("{many}annotations: (trails: [(of: Body(\"rope\"))]),"),
        "test.ron:6:33: found more than 256 labels, trails, periods and readings, expected at most that",
    );
    refused(
        "drawn_ropes: [(particles: [0, 7])],",
        "test.ron:5:31: found particle 7, expected 0 to 1",
    );
    refused(
        "drawn_cloths: [(first: 0, columns: 4000000000, rows: 4000000000)],",
        "test.ron:5:20: found 4000000000 × 4000000000 particles from number 0, expected at least 2 × 2 and none beyond 1",
    );
    let rope = "ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0))],\n    ";
    refused(
        &format!("{rope}pins: [(of: Node(\"rope\", 21))],"),
        "test.ron:6:17: found node 21 of \"rope\", expected 0 to 20: it has 21 particles",
    );
    refused(
        &format!("{rope}pins: [(of: Edge(\"rope\", Top))],"),
        "test.ron:6:17: \"rope\" is a rope, expected a net or cloth",
    );
    refused(
        &format!("{rope}pins: [(of: Start(\"rpoe\"))],"),
        "test.ron:6:17: no rope, net, cloth or particle is named \"rpoe\", did you mean \"rope\"?",
    );
    refused(
        &format!("{rope}pins: [(of: Start(\"rope\")), (of: Body(\"rope\"))],"),
        "test.ron:6:38: particle 2 is pinned a second time, expected one pin a particle",
    );
}

#[test]
fn names_that_are_taken() {
    refused(
        "materials: [Rope(name: \"x\"), Cloth(name: \"x\")],",
        "test.ron:5:46: a second material named \"x\", expected a new name",
    );
    refused(
        "ropes: [(name: \"x\", from: (0, 0, 0), to: (1, 0, 0)), (name: \"x\", from: (0, 1, 0), to: (1, 1, 0))],",
        "test.ron:5:65: \"x\" is already the name of a rope, expected a new name",
    );
}

#[test]
fn versions_of_the_future() {
    assert_eq!(
        message("(version: 2, name: \"x\", tides: [])"),
        "test.ron:1:25: the file has version 2 of the format, expected version 1: this program is older than the file"
    );
    assert_eq!(
        message("(name: \"x\", tides: [], version: 3)"),
        "test.ron:1:13: the file has version 3 of the format, expected version 1: this program is older than the file"
    );
    assert_eq!(
        message("(name: \"x\", particles: [(at: (0, 0, 0))])"),
        "test.ron:1:41: field \"version\" of Scene is missing before this"
    );
    assert_eq!(
        message("(version: 0, name: \"x\", particles: [(at: (0, 0, 0))])"),
        "test.ron:1:11: the file has version 0 of the format, expected version 1"
    );
    assert_eq!(
        message("(version: 1, name: \"x\")"),
        "test.ron:1:11: the scene is empty, expected at least one particle"
    );
    assert_eq!(
        message(&with(&format!("lanes: [{}],", "(name: \"a\"),".repeat(9)))),
        "test.ron:5:109: found 9 lanes, expected at most 8"
    );
}

#[test]
fn a_scene_that_is_not_in_the_library_gets_the_nearest_name() {
    assert_eq!(
        Scene::open("pendulm").unwrap_err().to_string(),
        "unknown scene \"pendulm\", did you mean \"pendulum\"?; `ropelab list scenes` shows all"
    );
}

fn texts() -> Vec<&'static str> {
    library::list().iter().map(|entry| entry.text()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Scene::parse(&String::from_utf8_lossy(&bytes), "random");
    }

    #[test]
    fn random_signs_never_panic(text in r#"[(){}\[\]:,"a-z0-9.\-+/* \n]{0,200}"#) {
        let _ = Scene::parse(&text, "random");
    }

    #[test]
    fn damaged_scenes_never_panic(
        which in any::<proptest::sample::Index>(),
        cut in any::<proptest::sample::Index>(),
        drop in 0..12_usize,
        put in r#"[(){}\[\]:,"a-zA-Z0-9.\-+/* \n]{0,8}"#,
    ) {
        let texts = texts();
        let text = which.get(&texts);
        let characters: Vec<char> = text.chars().collect();
        let cut = cut.index(characters.len());
        let rest = (cut + drop).min(characters.len());
        let damaged: String =
            characters[..cut].iter().copied().chain(put.chars()).chain(characters[rest..].iter().copied()).collect();
        let _ = Scene::parse(&damaged, "damaged");
    }
}

#[test]
fn balls_and_colliders_that_are_none() {
    #[track_caller]
    fn answered(more: &str, problem: &str) {
        let found = message(&with(more));
        assert!(found.starts_with("test.ron:5:") && found.ends_with(problem), "{found}");
    }
    answered(
        "balls: [(at: (0, 0, 0), radius: 0)]",
        "`radius`: found 0, expected a finite number above 0",
    );
    answered(
        "colliders: [(shape: Box(size: (1, 0, 1)))]",
        "found a box of size [1, 0, 1], expected three lengths above 0",
    );
    answered(
        "colliders: [(shape: Plane(normal: (0, 0, 0)))]",
        "found `normal` [0, 0, 0], expected a direction",
    );
    answered(
        "balls: [(at: (0, 0, 0), surface: (friction: -1))]",
        "`friction`: found -1, expected a finite number of at least 0",
    );
    answered(
        "balls: [(at: (0, 0, 0), surface: (restitution: 2))]",
        "found restitution 2, expected 0 to 1",
    );
    answered(
        "colliders: [(shape: Plane(), surface: (friction: 0.4, static_friction: 0.1))]",
        "found static_friction 0.1, expected at least the friction 0.4",
    );
    answered(
        "balls: [(at: (0, 0, 0), count: (1000, 1000, 1000))]",
        "this makes 1000000002 particles, expected at most 1000000",
    );
    answered(
        "balls: [(name: \"b\", at: (0, 0, 0))], surfaces: [(of: Body(\"b\"))]",
        "particle 2 is a ball, which has a surface of its own; expected other \
         particles",
    );
    answered(
        "colliders: [(shape: Plane(), layer: \"drum\")], no_contact: [(\"drum\", \"durm\")]",
        "no layer is named \"durm\", did you mean \"drum\"?",
    );
    answered(
        "annotations: (readings: [(name: \"x\", measure: Torque(collider: 2, about: (0, 0, 1)), \
         unit: \"N·m\", formula: \"0\", value: Constant(0))])",
        "found collider 2, but the scene has 0, which are numbered from 0",
    );
    let layers: Vec<String> = (0..64).map(|k| format!("(at: (0, 0, 0), layer: \"{k}\")")).collect();
    answered(&format!("balls: [{}]", layers.join(", ")), "this is layer 64, expected at most 63");
}
