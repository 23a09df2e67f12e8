//! Frames of a lane's simulated display: every command feeds the lane the same frames.

use super::{ProgramOutput, TestFolder};
use ropelab::scene::library;
use serde_json::Value;

/// A soft rope whose lanes take one step per frame of three displays: 30 Hz, jittering 60 Hz, and
/// the real display.
const FRAMES: &str = r#"(
    version: 1,
    name: "Frames",
    materials: [Rope(name: "c", mass_per_metre: 0.2, stiffness: 300, damping: 0.05)],
    ropes: [(name: "r", from: (0, 2, 0), to: (1.2, 2, 0), segments: 10, material: "c")],
    pins: [(of: Start("r"))],
    settings: (integrator: SymplecticEuler, stepping: FrameCoupled, substeps: 4),
    lanes: [
        (name: "30", display: 30),
        (name: "jitter", frames: Jitter(rate: 60, jitter: 0.5, seed: 3)),
        (name: "real"),
    ],
)"#;

/// Returns lane, verdict, time of explosion, steps and hash of a run.
fn outcome(run: &Value) -> [Value; 5] {
    ["lane", "verdict", "exploded_at", "steps", "hash"].map(|key| run[key].clone())
}

#[test]
fn run_ends_a_lane_of_any_scene_as_compare_does() {
    let folder = TestFolder::new();
    let mut differ = Vec::new();
    for scene in library::list() {
        let lanes = &scene.load().unwrap().lanes;
        // A scene with a single lane is compared under several integrators, not under its own.
        if lanes.len() < 2 {
            continue;
        }
        let coupled = lanes.iter().any(|lane| !lane.frames.is_measured());
        let options = if coupled { "--json --duration 0.6" } else { "--json --duration 0.1" };
        let name = scene.name;
        let compared = folder.json(&format!("compare {name} {options}"));
        for (i, compared) in compared.as_array().unwrap().iter().enumerate() {
            let run = folder.json(&format!("run {name} --lane {} {options}", i + 1));
            if outcome(&run) != outcome(compared) {
                differ.push(format!("{name}: {:?} and {:?}", outcome(&run), outcome(compared)));
            }
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn a_lane_whose_step_is_the_frame_runs_on_its_own_display() {
    let folder = TestFolder::new();
    folder.write("frames.ron", FRAMES);
    let run =
        |lane: &str| folder.json(&format!("run frames.ron --json --duration 2 --lane {lane}"));
    assert_eq!(run("30")["stepping"], "frame-coupled");
    assert_eq!(run("30")["verdict"], "exploded");
    let compared = folder.run("compare frames.ron --json --duration 2");
    let compared: Value = serde_json::from_str(&compared.out).unwrap();
    assert_eq!(outcome(&run("30")), outcome(&compared[0]));
    assert_eq!(outcome(&run("jitter")), outcome(&compared[1]));
    let series = "compare frames.ron --lane 30 --integrator symplectic-euler --series s.csv --json";
    let series = folder.json(&format!("{series} --duration 2"));
    assert_eq!(outcome(&series[0]), outcome(&compared[0]));
}

#[test]
fn steps_that_stand_for_frames_are_named() {
    let folder = TestFolder::new();
    folder.write("frames.ron", FRAMES);
    let note = "note: lane \"real\" takes one step per frame, and the frames of the real display \
                are not known here, so it takes steps of dt instead; give a rate with \
                --frame-times 60hz\n";
    for line in ["run frames.ron --lane real --duration 0.1", "compare frames.ron --duration 0.1"] {
        let ProgramOutput { err, code, .. } = folder.run(line);
        assert_eq!((err.as_str(), code), (note, Some(0)), "{line}");
    }
    folder.stdout("run frames.ron --lane real --frame-times 60hz --duration 0.1");
    let ProgramOutput { err, .. } = folder.run("run frames.ron --dt 1ms --duration 0.1");
    let note = "note: --dt has no effect: lane \"30\" takes one step per frame; --stepping \
                accumulator takes steps of dt\n";
    assert_eq!(err, note);
}

#[test]
fn frames_without_end_are_refused_like_steps_without_end() {
    let folder = TestFolder::new();
    folder.write("frames.ron", FRAMES);
    let error = folder.error("run frames.ron --lane jitter --duration 1e15");
    assert!(error.contains("at most 1e9 are accepted"), "{error}");
}

#[test]
fn frames_under_a_load_get_longer_by_the_steps_of_the_frame_before() {
    let folder = TestFolder::new();
    let scene = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0))], settings: (dt: 0.0078125, \
                 guards: (frame_clamp: On(0.25))), lanes: [(name: \"slow\", frames: Load(rest: \
                 0.015625, step: 0.015625))])";
    folder.write("load.ron", scene);
    let table = folder.run("run load.ron --duration 2 --csv - --columns frames").out;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "frame").unwrap();
    let mut frames: Vec<f64> = rows[2..].iter().map(|row| row[column].parse().unwrap()).collect();
    frames.dedup();
    // R = c = 2 dt, so frames have 2, 6, 14, 30, 32 and 32 steps: the clamp permits 32.
    assert_eq!(frames, [0.015625, 0.046875, 0.109375, 0.234375, 0.484375, 0.515625]);
}
