//! The binary as a person or a script meets it: standard output, standard error, exit code.

#![allow(clippy::unwrap_used)] // helpers of tests

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

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

/// One particle in free fall from rest at a height of 10 m.
const FALL: &str = r#"(
    version: 1,
    name: "Fall",
    particles: [(name: "stone", at: (0, 10, 0))],
    forces: [(law: Gravity())],
)"#;

/// A folder with `swing.ron` and `fall.ron` in which the program runs.
struct Place(TempDir);

/// What the program said.
struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("swing.ron", SWING);
        place.write("fall.ron", FALL);
        place
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

    fn say(&self, line: &str) -> Said {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        Said {
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
            code: status.code(),
        }
    }

    /// Standard output of a command that must succeed and have nothing to complain about.
    fn out(&self, line: &str) -> String {
        let Said { out, err, code } = self.say(line);
        assert_eq!((err.as_str(), code), ("", Some(0)), "{line}");
        out
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.out(line)).unwrap()
    }

    /// Standard error of a command that must be refused without a result.
    fn refusal(&self, line: &str) -> String {
        let Said { out, err, code } = self.say(line);
        assert_eq!((out.as_str(), code), ("", Some(2)), "{line}: {err}");
        err
    }
}

/// The cells of a table, line by line.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().map(|line| line.split("  ").map(str::trim));
    lines.map(|cells| cells.filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn a_run_is_one_json_object_with_every_promised_key() {
    let run = Place::new().json("run swing.ron --json --duration 2");
    assert_eq!(run["scene"], "swing.ron");
    assert_eq!(run["integrator"], "velocity-verlet");
    assert_eq!(run["constraints"], "none");
    assert_eq!(run["dt"], 0.001);
    assert_eq!(run["steps"], 2000);
    assert_eq!(run["t"], 2.0);
    assert_eq!(run["survived"], true);
    assert_eq!(run["exploded_at"], Value::Null);
    assert!(run["energy_drift"].as_f64().unwrap().abs() < 1e-3);
    assert!(run["stretch_max"].as_f64().unwrap() > 0.01);
    assert!(run["cost_per_step_s"].as_f64().unwrap() > 0.0);
    assert_eq!(run["hash"].as_str().unwrap().len(), 16);
}

#[test]
fn an_explosion_is_a_result_and_not_an_error() {
    let place = Place::new();
    let run = place.json("run swing.ron --lane wild --dt 10ms --json");
    assert_eq!(run["survived"], false);
    let exploded_at = run["exploded_at"].as_f64().unwrap();
    let last_good = run["t"].as_f64().unwrap();
    assert!((exploded_at - last_good - 0.01).abs() < 1e-12);
    assert_eq!(run["explosion"]["step"], run["steps"].as_u64().unwrap() + 1);
    let text = place.out("run swing.ron --lane 2 --dt 10ms");
    assert!(text.contains("exploded at"), "{text}");
    assert!(text.contains("particle") && text.contains(" J"), "{text}");
}

#[test]
fn the_same_run_has_the_same_hash_whatever_is_written_beside_it() {
    let place = Place::new();
    let hash = |line: &str| place.json(line)["hash"].clone();
    let plain = hash("run swing.ron --json");
    assert_eq!(plain, hash("run swing.ron --json --csv a.csv --track 1"));
    let compared = place.json("compare swing.ron --integrator rk4,velocity-verlet --json");
    assert_eq!(compared[1]["hash"], plain);
    assert_ne!(compared[0]["hash"], plain);
}

#[test]
fn free_fall_can_be_checked_from_the_csv_file() {
    let place = Place::new();
    place.out("run fall.ron --dt 10ms --duration 1 --csv fall.csv --track 0");
    let table = place.read("fall.csv");
    let mut lines = table.lines();
    let head = "t,kinetic,potential,elastic,total,stretch_max,x0,y0,z0,vx0,vy0,vz0";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 101);
    assert!(table.contains("\n0.0,0.0,98.10000000000001,0.0,98.10000000000001,0.0,0.0,10.0,0.0,"));
    for row in &rows {
        let (t, y, vy) = (row[0], row[7], row[10]);
        assert!((y - (10.0 - 4.905 * t * t)).abs() < 1e-12, "{row:?}");
        assert!((vy + 9.81 * t).abs() < 1e-12, "{row:?}");
        assert!((row[4] - 98.1).abs() < 1e-11, "{row:?}");
    }
    assert_eq!(rows[100][0], 1.0);
}

#[test]
fn every_tenth_step_is_written_on_request() {
    let place = Place::new();
    place.out("run fall.ron --dt 10ms --duration 1 --csv fall.csv --every 10");
    let table = place.read("fall.csv");
    let times: Vec<&str> = table.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(times.len(), 12);
    assert_eq!(times[..3], ["t", "0.0", "0.1"]);
}

#[test]
fn the_table_of_a_comparison_keeps_the_order_of_the_arguments() {
    let place = Place::new();
    let table =
        place.out("compare swing.ron --lane calm --integrator explicit-euler,rk4 --dt 1ms,10ms");
    let table = cells(&table);
    let head = [
        "integrator",
        "constraints",
        "step",
        "result",
        "energy drift",
        "greatest stretch",
        "cost a step",
    ];
    assert_eq!(table[0], head);
    assert_eq!(table[1][..3], ["explicit-euler", "none", "1 ms"]);
    assert_eq!(table[2][..3], ["explicit-euler", "none", "10 ms"]);
    assert!(table[2][3].starts_with("exploded at "), "{table:?}");
    assert_eq!(table[3][..4], ["rk4", "none", "1 ms", "survived 5 s"]);
    assert_eq!(table[4][..4], ["rk4", "none", "10 ms", "survived 5 s"]);
}

#[test]
fn without_options_the_lanes_of_a_scene_are_compared() {
    let place = Place::new();
    let lanes = place.json("compare swing.ron --json");
    assert_eq!(lanes[0]["lane"], "calm");
    assert_eq!(lanes[1]["lane"], "wild");
    assert_eq!(lanes.as_array().unwrap().len(), 2);
    let integrators = place.json("compare fall.ron --json");
    assert_eq!(integrators.as_array().unwrap().len(), 5);
}

#[test]
fn naming_a_constraint_solver_makes_links_constraints() {
    let place = Place::new();
    let run = |options: &str| place.json(&format!("run swing.ron --json {options}"));
    let solved = run("--constraints xpbd --iterations 7");
    assert_eq!(solved["links"], "Constraints");
    assert_eq!(solved["constraints"], "xpbd");
    assert_eq!(solved["iterations"], 7);
    let springs = run("--constraints xpbd --links springs");
    assert_eq!(springs["constraints"], "none");
    assert_eq!(springs["hash"], run("")["hash"]);
}

#[test]
fn no_time_is_lost_between_frames_and_steps() {
    let place = Place::new();
    place
        .write("frames.txt", "0.016 # a good one\n\n# a hitch, longer than the frame clamp\n0.4\n");
    let run = place.json("run swing.ron --json --frame-times frames.txt --stepping accumulator");
    let number = |key: &str| run[key].as_f64().unwrap();
    assert!(number("dropped") > 0.1);
    let sum = number("simulated") + number("owed") + number("dropped");
    assert!((sum - number("wall")).abs() < 1e-9);
    assert!((number("simulated") - number("t")).abs() < 1e-9);
}

#[test]
fn coupled_to_75_hz_a_run_takes_75_steps_a_second() {
    let line = "run fall.ron --json --duration 2 --stepping frame-coupled --frame-times 75hz";
    let run = Place::new().json(line);
    assert_eq!(run["steps"], 150);
    assert!((run["dt"].as_f64().unwrap() - 1.0 / 75.0).abs() < 1e-15);
}

#[test]
fn a_stepping_scheme_without_frames_is_said_to_rest() {
    let Said { err, code, .. } = Place::new().say("run swing.ron --stepping accumulator");
    assert_eq!(err, "note: --stepping has no effect without --frame-times\n");
    assert_eq!(code, Some(0));
}

#[test]
fn every_bad_input_gets_one_message_and_exit_code_2() {
    let place = Place::new();
    place.write("frames.txt", "0.016\nfast\n");
    for (line, message) in [
        ("run hanging-rop", "unknown scene \"hanging-rop\", did you mean \"hanging-rope\"?"),
        ("run no.ron", "no.ron: there is no such file"),
        ("run swing.ron --integrator rk44", "unknown integrator \"rk44\", did you mean \"rk4\"?"),
        ("run swing.ron --constraints xpdb", "did you mean \"xpbd\"?"),
        ("run swing.ron --stepping acumulator", "did you mean \"accumulator\"?"),
        ("run swing.ron --lane 3", "no lane \"3\" in this scene; it has 1 \"calm\", 2 \"wild\""),
        ("run swing.ron --dt 1e-12", "dt is 0.000000000001; expected 0.000001 to 1 seconds"),
        ("run swing.ron --dt nan", "dt is NaN"),
        ("run swing.ron --dt -1", "dt is -1"),
        ("run swing.ron --dt soon", "expected seconds such as 0.001, 1ms, 1/240 or 240hz"),
        ("run swing.ron --substeps 0", "substeps is 0"),
        ("run swing.ron --duration -1", "duration is -1; expected a positive number of seconds"),
        ("run swing.ron --duration 1e9", "would take 1.0e12 steps; at most 1e9 are accepted"),
        ("run swing.ron --iterations 3", "--iterations needs a constraint solver in force"),
        ("run swing.ron --links constraints", "--links constraints needs a solver"),
        ("run swing.ron --csv a.csv --track 9", "no particle 9 to track"),
        ("run swing.ron --csv no/a.csv", "cannot write no/a.csv: there is no folder no"),
        ("run swing.ron --csv .", "cannot write .: it is a folder"),
        ("run swing.ron --frame-times 0hz", "expected a positive rate such as 60hz"),
        ("run swing.ron --frame-times no.txt", "expected a rate such as 60hz or a file"),
        ("run swing.ron --frame-times frames.txt", "line 2: found \"fast\"; expected one frame"),
        ("compare swing.ron --integrator rk4,rk44", "did you mean \"rk4\"?"),
        ("list integrator", "a similar value exists: 'integrators'"),
        ("comare", "unknown command or scene \"comare\", did you mean \"compare\"?"),
        ("comare swing.ron", "did you mean \"compare\"?"),
        ("no.ron", "no.ron: there is no such file"),
    ] {
        let error = place.refusal(line);
        assert!(error.starts_with("error: "), "{line}: {error}");
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn a_refused_run_leaves_files_as_they_were() {
    let place = Place::new();
    place.write("run.csv", "mine");
    place.refusal("run swing.ron --csv run.csv --track 9");
    place.refusal("run swing.ron --csv run.csv --duration 1e12");
    assert_eq!(place.read("run.csv"), "mine");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 3);
}

#[test]
fn bad_files_among_good_ones_are_all_named() {
    let place = Place::new();
    place.write("bad.ron", "(version: 1, name: \"x\", lnks: [])");
    place.write("empty.ron", "");
    let Said { out, err, code } = place.say("check bad.ron swing.ron empty.ron");
    assert_eq!(out, "swing.ron: ok, 2 particles, 1 link, 1 pin, 2 lanes\n");
    assert!(err.starts_with("error: bad.ron:1:"), "{err}");
    assert!(err.contains("\"lnks\"") && err.contains("\"links\""), "{err}");
    assert!(err.ends_with("error: 2 of 3 files cannot be used\n"), "{err}");
    assert_eq!(code, Some(2));
}

#[test]
fn an_exported_scene_runs_like_the_original() {
    let place = Place::new();
    place.out("export swing.ron --out copy.ron");
    assert_eq!(place.out("export swing.ron"), place.read("copy.ron"));
    let hash = |file: &str| place.json(&format!("run {file} --json"))["hash"].clone();
    assert_eq!(hash("copy.ron"), hash("swing.ron"));
}

#[test]
fn the_lists_name_everything_for_machines() {
    let place = Place::new();
    let all = place.json("list --json");
    let keys: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["constraints", "forces", "integrators", "scenes", "stepping"]);
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
    let one = place.json("list stepping --json");
    assert_eq!(one["stepping"], all["stepping"]);
    assert_eq!(one.as_object().unwrap().len(), 1);
}

#[test]
fn every_scene_of_the_list_passes_the_check_by_name() {
    let place = Place::new();
    let scenes = place.json("list scenes --json");
    for row in scenes["scenes"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let run = place.json(&format!("run {name} --json --duration 2ms"));
        assert_eq!(run["scene"], name);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command("run swing.ron --csv /dev/stdout --duration 20")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(stderr).unwrap().as_str(), status.code()), ("", Some(0)));
}

#[test]
fn without_a_display_the_lanes_are_compared_in_the_terminal() {
    let place = Place::new();
    let Said { out, err, code } = place.say("swing.ron");
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("Comparing in the terminal instead"), "{err}");
    assert!(out.contains("calm") && out.contains("wild"), "{out}");
}

#[test]
fn every_command_helps_with_examples() {
    let place = Place::new();
    for command in ["", "run", "compare", "check", "list", "export", "completions"] {
        let help = place.out(&format!("{command} --help"));
        assert!(help.contains("Examples:\n"), "{command}: {help}");
    }
}

#[test]
fn shells_complete_the_names_of_the_lists() {
    let script = Place::new().out("completions bash");
    assert!(script.contains("velocity-verlet") && script.contains("xpbd"));
}
