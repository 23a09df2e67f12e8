//! The program as users and scripts run it: standard output, standard error, exit code.

#![allow(clippy::unwrap_used)] // helpers of tests

mod instruments;

mod analyses;
mod bad_input;
mod frames;
mod outputs;
mod recordings;
mod runs;
mod tables;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// One particle in free fall from rest at a height of 10 m.
const FALL: &str = r#"(
    version: 1,
    name: "Fall",
    particles: [(name: "stone", at: (0, 10, 0))],
    forces: [(law: Gravity())],
)"#;

/// A stiff spring between a pin and a bob, with two lanes.
const SWING: &str = r#"(
    version: 1,
    name: "Swing",
    look_for: "A bob on a spring.",
    particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (1, 2, 0))],
    links: [(a: Body("hook"), b: Body("bob"), stiffness: 1000)],
    pins: [(of: Body("hook"))],
    forces: [(law: Gravity())],
    settings: (dt: 0.001),
    lanes: [
        (name: "calm", settings: (integrator: VelocityVerlet)),
        (name: "wild", settings: (integrator: ExplicitEuler)),
    ],
)"#;

/// A mass of 1 kg at rest on a spring of 1000 N/m, without gravity.
const REST: &str = r#"(
    version: 1,
    name: "Rest",
    particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (1, 2, 0))],
    links: [(a: Body("hook"), b: Body("bob"), stiffness: 1000)],
    pins: [(of: Body("hook"))],
    forces: [],
)"#;

/// Folder with `swing.ron` and `fall.ron` in which the program runs.
struct TestFolder(TempDir);

/// Output and exit code of a run of the program.
struct ProgramOutput {
    out: String,
    err: String,
    code: Option<i32>,
}

impl TestFolder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("swing.ron", SWING);
        folder.write("fall.ron", FALL);
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path().join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).unwrap()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ropelab"));
        command.args(line.split_whitespace()).current_dir(self.path());
        command.env_remove("DISPLAY").stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> ProgramOutput {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        ProgramOutput {
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
            code: status.code(),
        }
    }

    /// Returns the standard output of a command that must succeed without messages.
    fn stdout(&self, line: &str) -> String {
        let ProgramOutput { out, err, code } = self.run(line);
        assert_eq!((err.as_str(), code), ("", Some(0)), "{line}");
        out
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.stdout(line)).unwrap()
    }

    /// Returns the standard error of a command that must fail with exit code 2 and without a
    /// result.
    fn error(&self, line: &str) -> String {
        let ProgramOutput { out, err, code } = self.run(line);
        assert_eq!((out.as_str(), code), ("", Some(2)), "{line}: {err}");
        err
    }
}

/// Splits a table into cells, line by line. Columns are separated by at least two spaces.
fn split_cells(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().map(|line| line.split("  ").map(str::trim));
    lines.map(|cells| cells.filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn an_exported_scene_runs_like_the_original() {
    let folder = TestFolder::new();
    folder.stdout("export swing.ron --out copy.ron");
    assert_eq!(folder.stdout("export swing.ron"), folder.read("copy.ron"));
    let hash = |file: &str| folder.json(&format!("run {file} --json"))["hash"].clone();
    assert_eq!(hash("copy.ron"), hash("swing.ron"));
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let folder = TestFolder::new();
    let run_with_input = |line: &str, text: &str| {
        let mut child = folder.command(line);
        let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let error = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(0), "{line}: {error}");
        (String::from_utf8(stdout).unwrap(), error)
    };
    assert_eq!(run_with_input("check -", SWING).0, "-: ok, 2 particles, 1 link, 1 pin, 2 lanes\n");
    assert_eq!(run_with_input("export --source - --out -", SWING).0, SWING);
    assert_eq!(run_with_input("export -", SWING).0, folder.stdout("export swing.ron"));
    let run: Value =
        serde_json::from_str(&run_with_input("run - --json --duration 0.1", SWING).0).unwrap();
    assert_eq!(run["title"], "Swing");
    let (table, report) = run_with_input("run - --csv - --duration 3ms", SWING);
    assert_eq!(table.lines().count(), 1 + 4);
    assert!(table.starts_with("t,kinetic") && report.contains("stable for"), "{table}{report}");
    let line = "run swing.ron --json --frame-times - --stepping frame-coupled --duration 0.1";
    let run: Value = serde_json::from_str(&run_with_input(line, "0.02\n").0).unwrap();
    assert_eq!(run["steps"], 5);
    let (table, messages) = run_with_input("-", SWING);
    assert!(table.contains("calm") && messages.contains("DISPLAY is not set"), "{messages}");
    let error = folder.error("run swing.ron --csv - --json");
    assert!(error.contains("cannot both be standard output"), "{error}");
}

#[test]
fn a_picture_on_standard_output_is_alone_there() {
    let folder = TestFolder::new();
    let ProgramOutput { out, err, code } = folder.run("damping --integrator rk4 --svg -");
    assert!(out.starts_with("<svg") && out.trim_end().ends_with("</svg>"), "{out}");
    assert!(err.contains("rk4") && code == Some(0), "the table is said beside: {err}");
    let both = folder.error("damping --integrator rk4 --svg - --json");
    assert!(both.contains("cannot both be standard output"), "{both}");
}

#[test]
fn a_scene_of_the_list_is_given_as_it_was_typed() {
    let folder = TestFolder::new();
    let typed = std::fs::read_to_string("scenes/01-clothesline.ron").unwrap();
    assert_eq!(folder.stdout("export clothesline --source"), typed);
    assert_eq!(folder.stdout("export swing.ron --source"), SWING);
}

#[test]
fn an_exported_cloth_stays_a_cloth() {
    let folder = TestFolder::new();
    folder.write(
        "cloth.ron",
        "(version: 1, name: \"x\", cloths: [(corner: (0, 0, 0), across: (7, 0, 0),
            down: (0, -7, 0), cells: (699, 699))])",
    );
    let text = folder.stdout("export cloth.ron");
    assert!(text.len() < 2_000 && text.contains("cloths: ["), "{} bytes", text.len());
}

#[test]
fn the_lists_name_everything_for_machines() {
    let folder = TestFolder::new();
    let all = folder.json("list --json");
    let keys: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "colliders",
            "constraints",
            "contacts",
            "forces",
            "integrators",
            "materials",
            "scenes",
            "stepping"
        ]
    );
    let of = |kind: &str, name: &str| {
        let rows = all[kind].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).cloned().unwrap_or(Value::Null)
    };
    assert_eq!(of("integrators", "explicit-euler")["stability_limit"], 0.0);
    assert_eq!(of("integrators", "implicit-euler")["stability_limit"], Value::Null);
    assert_eq!(of("integrators", "rk4")["order"], 4);
    assert_eq!(of("forces", "gravity")["potential"], true);
    assert!(of("constraints", "shake")["reference"].is_string());
    assert!(of("stepping", "accumulator")["title"].is_string());
    assert!(of("materials", "climbing-rope")["source"].is_string());
    let one = folder.json("list stepping --json");
    assert_eq!(one["stepping"], all["stepping"]);
    assert_eq!(one.as_object().unwrap().len(), 1);
}

#[test]
fn every_scene_of_the_list_passes_the_check_by_name() {
    let folder = TestFolder::new();
    let scenes = folder.json("list scenes --json");
    for row in scenes["scenes"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let run = folder.json(&format!("run {name} --json --duration 2ms"));
        assert_eq!(run["scene"], name);
    }
}

#[test]
fn every_command_helps_with_examples() {
    let folder = TestFolder::new();
    for command in ["", "run", "compare", "check", "list", "export", "completions"] {
        let help = folder.stdout(&format!("{command} --help"));
        assert!(help.contains("Examples:\n"), "{command}: {help}");
    }
}

#[test]
fn shells_complete_the_names_of_the_lists() {
    let script = TestFolder::new().stdout("completions bash");
    assert!(script.contains("velocity-verlet") && script.contains("xpbd"));
}
