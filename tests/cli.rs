//! The binary as a person or a script meets it: standard output, standard error, exit code.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "cli/instruments.rs"]
mod instruments;

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

/// A mass of 1 kg at rest beside a hook, on a spring of 1000 N/m.
const REST: &str = r#"(
    version: 1,
    name: "Rest",
    particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (1, 2, 0))],
    links: [(a: Body("hook"), b: Body("bob"), stiffness: 1000)],
    pins: [(of: Body("hook"))],
    forces: [],
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
    assert_eq!(run["verdict"], "stable");
    assert_eq!(run["exploded_at"], Value::Null);
    assert!(run["energy_drift"].as_f64().unwrap().abs() < 1e-3);
    assert!(run["stretch_max"].as_f64().unwrap() > 0.01);
    assert!(run["cost_per_step_s"].as_f64().unwrap() > 0.0);
    assert_eq!(run["hash"].as_str().unwrap().len(), 16);
}

#[test]
fn a_run_says_how_far_chords_are_off_the_parabolas_of_balls() {
    let error = |lane: u32| {
        let line = format!("run chord-or-parabola --lane {lane} --duration 2 --json");
        Place::new().json(&line)["contact"]["chord_error"].as_f64().unwrap()
    };
    // g h²/8 with h = 0.1 s, whichever path the balls take, and 1 ms.
    for (lane, h) in [(1, 0.1), (2, 0.1), (3, 0.001)] {
        assert!((error(lane) - 9.81 * h * h / 8.0).abs() < 1e-9, "{}", error(lane));
    }
    let text = Place::new().out("run chord-or-parabola --lane 2 --duration 1");
    assert!(text.contains("chord ≤ 1.2e-2 m"), "{text}");
}

#[test]
fn an_explosion_is_a_result_and_not_an_error() {
    let place = Place::new();
    let run = place.json("run swing.ron --lane wild --dt 10ms --json");
    assert_eq!(run["verdict"], "exploded");
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
    let head = "t,kinetic,potential,elastic,total,stretch_max,stretch_min,taken_out,put_in,scheme,x0,y0,z0,vx0,vy0,vz0";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 101);
    assert!(table.contains(
        "\n0.0,0.0,98.10000000000001,0.0,98.10000000000001,0.0,0.0,0.0,0.0,0.0,0.0,10.0,0.0,"
    ));
    for row in &rows {
        let (t, y, vy) = (row[0], row[11], row[14]);
        assert!((y - (10.0 - 4.905 * t * t)).abs() < 1e-12, "{row:?}");
        assert!((vy + 9.81 * t).abs() < 1e-12, "{row:?}");
        assert!((row[4] - 98.1).abs() < 1e-11, "{row:?}");
    }
    assert_eq!(rows[100][0], 1.0);
}

/// The column of that name, from the second line on.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let head = lines.next().expect("a head");
    let place = head.split(',').position(|column| column == name);
    let place = place.unwrap_or_else(|| panic!("no column {name} in {head}"));
    lines.map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn tensions_pins_and_momenta_are_columns_on_request() {
    let place = Place::new();
    // Two weights on rods, one below the other, and a free one that moves past the origin.
    place.write(
        "weights.ron",
        "(version: 1, name: \"weights\", particles: [(at: (0, 0, 0)), (at: (0, -1, 0), mass: 2), \
         (at: (0, -2, 0), mass: 3), (at: (5, 1, 0), mass: 4, velocity: (0, 0, 1))], links: [(a: \
         Particle(0), b: Particle(1), rigid: true), (a: Particle(1), b: Particle(2), rigid: true)], \
         pins: [(of: Particle(0))], forces: [(law: Gravity(), on: Any([Particle(1), \
         Particle(2)]))], settings: (constraints: Shake(), dt: 0.001))",
    );
    let columns = "tension,stretch,pins,momentum,angular-momentum";
    place.out(&format!("run weights.ron --duration 0.1 --csv w.csv --columns {columns}"));
    let table = place.read("w.csv");
    let near = |name: &str, expected: f64, tolerance: f64| {
        for value in column(&table, name) {
            assert!((value - expected).abs() < tolerance, "{name} {value}, expected {expected}");
        }
    };
    near("tension0", 5.0 * 9.81, 1e-6);
    near("tension1", 3.0 * 9.81, 1e-6);
    near("stretch0", 0.0, 1e-9);
    near("Fy0", -5.0 * 9.81, 1e-6);
    near("pz", 4.0, 1e-12);
    // L = m x × v
    near("Lx", 4.0, 1e-9);
    near("Ly", -20.0, 1e-9);
    place.refusal("run weights.ron --csv w.csv --columns tensions");
}

#[test]
fn a_floor_bears_the_weight_of_what_lies_on_it() {
    let place = Place::new();
    place.write(
        "table.ron",
        "(version: 1, name: \"table\", particles: [(at: (0, 0.1, 0), mass: 2, ball: (radius: 0.1, \
         surface: (restitution: 0))), (at: (1, 0, 0), mass: 3)], colliders: [(shape: Plane())], \
         forces: [(law: Gravity())], settings: (dt: 0.001))",
    );
    place.out("run table.ron --duration 0.2 --csv t.csv --columns colliders");
    let table = place.read("t.csv");
    let mean = column(&table, "collider0y");
    let mean = mean[100..].iter().sum::<f64>() / (mean.len() - 100) as f64;
    assert!((mean / (-5.0 * 9.81) - 1.0).abs() < 1e-6, "{mean} N");
}

#[test]
fn with_frame_times_there_is_a_row_a_frame_on_request() {
    let place = Place::new();
    place.out(
        "run fall.ron --dt 10ms --stepping accumulator --frame-times 60hz --duration 0.5 --csv \
         f.csv --columns frames",
    );
    let table = place.read("f.csv");
    let [t, frame, steps, owed, dropped] =
        ["t", "frame", "steps", "owed", "dropped"].map(|name| column(&table, name));
    assert_eq!(t.len(), 31, "the start and 30 frames");
    assert!((steps.iter().sum::<f64>() * 0.01 - t[30]).abs() < 1e-12);
    for k in 1..31 {
        assert_eq!(frame[k], 1.0 / 60.0);
        // simulated + owed + dropped = wall
        let books = t[k] + owed[k] + dropped[k] - k as f64 / 60.0;
        assert!(books.abs() < 1e-12, "frame {k}: {books} s missing");
    }
    let refused = place.refusal("run fall.ron --csv f.csv --columns frames");
    assert!(refused.contains("--frame-times"), "{refused}");
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
        "energy made",
        "greatest stretch",
        "unconverged",
        "cost a step",
    ];
    assert_eq!(table[0], head);
    assert_eq!(table[1][..3], ["explicit-euler", "none", "1 ms"]);
    assert_eq!(table[2][..3], ["explicit-euler", "none", "10 ms"]);
    assert!(table[2][3].starts_with("exploded at "), "{table:?}");
    assert_eq!(table[3][..4], ["rk4", "none", "1 ms", "stable for 5 s"]);
    assert_eq!(table[4][..4], ["rk4", "none", "10 ms", "stable for 5 s"]);
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
fn limit_predicts_and_measures_the_longest_step() {
    let place = Place::new();
    std::fs::write(place.0.path().join("rest.ron"), REST).unwrap();
    let integrators = "velocity-verlet,rk4,implicit-euler";
    let line = format!("limit rest.ron --integrator {integrators} --measure --json");
    let answer = place.json(&line);
    // One spring of 1000 N/m and a mass of 1 kg.
    let omega = 1000f64.sqrt();
    assert!((answer["omega_max"].as_f64().unwrap() / omega - 1.0).abs() < 1e-9);
    let limits = answer["limits"].as_array().unwrap();
    for (row, z) in limits.iter().zip([2.0, 8f64.sqrt()]) {
        for key in ["predicted_dt", "measured_dt"] {
            let ratio = row[key].as_f64().unwrap() * omega / z;
            assert!((ratio - 1.0).abs() < 0.01, "{row}");
        }
    }
    assert_eq!(limits[2]["integrator"], "implicit-euler");
    assert!(limits[2]["predicted_dt"].is_null() && limits[2]["measured_dt"].is_null());
}

#[test]
fn the_modes_of_a_scene_stand_beside_theory() {
    let place = Place::new();
    std::fs::write(place.0.path().join("rest.ron"), REST).unwrap();
    let answer = place.json("damping rest.ron --integrator implicit-euler --dt 20ms --json");
    let modes = answer[0]["modes"].as_array().unwrap();
    // One spring of 1000 N/m and a mass of 1 kg; sideways nothing pulls back.
    let omega = 1000f64.sqrt();
    assert_eq!(modes.len(), 1);
    let frequency = modes[0]["frequency"].as_f64().unwrap();
    assert!((frequency * std::f64::consts::TAU / omega - 1.0).abs() < 1e-6, "{frequency}");
    // λ = 1/(1 − iz): ζ = ½ ln(1 + z²)/atan z.
    let z = 0.02 * omega;
    let measured = modes[0]["measured"]["damping_ratio"].as_f64().unwrap();
    assert!((measured - 0.5 * (1.0 + z * z).ln() / z.atan()).abs() < 1e-6, "{measured}");
    let error = place.refusal("damping rest.ron --dt 1us");
    assert!(error.contains("another --dt reaches them"), "{error}");
}

#[test]
fn the_four_answers_say_what_they_mean_in_the_terminal() {
    let place = Place::new();
    let limit = place.out("limit swing.ron --lane wild");
    assert!(limit.contains(": unstable, as every step is"), "{limit}");
    let limit = place.out("limit swing.ron --integrator velocity-verlet");
    assert!(limit.contains(": stable, 0.02 of the longest step"), "{limit}");
    let map = place.out("map swing.ron --x dt=1e-3..1e-1 --y stiffness=1e2..1e4 --size 8x8");
    assert!(map.starts_with("A cell holds where") && map.contains("--png FILE"), "{map}");
    assert!(map.contains("stiffness") && map.contains("dt "), "{map}");
}

#[test]
fn explain_names_the_cause_and_remedies_that_hold() {
    let place = Place::new();
    let answer = place.json("explain swing.ron --dt 0.07 --duration 2 --json");
    assert_eq!(answer["cause"], "step-too-long");
    let omega_h = answer["mode"]["omega_h"].as_f64().unwrap();
    assert!((omega_h / (1000f64.sqrt() * 0.07) - 1.0).abs() < 0.02, "{omega_h}");
    let (measured, theory) = (&answer["mode"]["growth_measured"], &answer["mode"]["growth_theory"]);
    let ratio = measured.as_f64().unwrap() / theory.as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.02, "{measured} measured, {theory} by theory");
    let remedies = answer["remedies"].as_array().unwrap();
    let shorter =
        remedies.iter().find(|r| r["change"].as_str().unwrap().starts_with("dt")).unwrap();
    assert_eq!(shorter["holds"], true);
    assert!(shorter["settings"]["dt"].as_f64().unwrap() < 2.0 / 1000f64.sqrt());
    assert!(remedies.iter().any(|r| r["change"] == "implicit Euler" && r["holds"] == true));
}

#[test]
fn explicit_euler_is_explained_by_its_scheme_and_not_by_its_step() {
    let place = Place::new();
    let answer = place.json("explain swing.ron --lane wild --duration 40 --json");
    assert_eq!(answer["cause"], "never-stable");
    assert_eq!(answer["mode"]["limit"], 0.0);
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
        ("run swing.ron --dt 1e-12", "dt is 1e-12; expected 0.000001 to 1 seconds"),
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
        ("converge swing.ron --dt nan..1", "\"nan..1\" is no range of steps"),
        ("advise swing.ron", "<--error <FRACTION>|--stretch <FRACTION>>"),
        ("advise swing.ron --error -1", "asked for -1; expected a fraction above 0"),
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
fn what_a_command_reads_is_never_written_over() {
    let place = Place::new();
    place.write("frames.txt", "0.016\n");
    for line in [
        "run swing.ron --csv swing.ron",
        "run swing.ron --csv swing.ron --force",
        "run ./swing.ron --csv sub/../swing.ron --force",
        "run fall.ron --frame-times frames.txt --csv frames.txt --force",
        "export swing.ron --out swing.ron --force",
    ] {
        std::fs::create_dir_all(place.path().join("sub")).unwrap();
        let error = place.refusal(line);
        assert!(error.contains("this command reads that file"), "{line}: {error}");
    }
    assert_eq!(place.read("swing.ron"), SWING);
    assert_eq!(place.read("frames.txt"), "0.016\n");
}

#[test]
fn another_scene_file_is_written_over_only_by_force() {
    let place = Place::new();
    place.write("unnamed", FALL);
    for line in [
        "run swing.ron --csv fall.ron",
        "run swing.ron --csv unnamed",
        "export swing.ron --out fall.ron",
    ] {
        let error = place.refusal(line);
        assert!(error.contains("a scene file has that name; --force writes"), "{line}: {error}");
    }
    assert_eq!((place.read("fall.ron"), place.read("unnamed")), (FALL.into(), FALL.into()));
    place.out("export swing.ron --out fall.ron --force");
    assert!(place.read("fall.ron").contains("Swing"));
    place.write("table.csv", "t,x\n");
    place.out("run swing.ron --csv table.csv --duration 10ms");
    assert!(place.read("table.csv").starts_with("t,kinetic"));
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
fn a_dash_is_standard_input_or_output() {
    let place = Place::new();
    let fed = |line: &str, text: &str| {
        let mut child = place.command(line);
        let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let error = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(0), "{line}: {error}");
        (String::from_utf8(stdout).unwrap(), error)
    };
    assert_eq!(fed("check -", SWING).0, "-: ok, 2 particles, 1 link, 1 pin, 2 lanes\n");
    assert_eq!(fed("export --source - --out -", SWING).0, SWING);
    assert_eq!(fed("export -", SWING).0, place.out("export swing.ron"));
    let run: Value = serde_json::from_str(&fed("run - --json --duration 0.1", SWING).0).unwrap();
    assert_eq!(run["title"], "Swing");
    let (table, report) = fed("run - --csv - --duration 3ms", SWING);
    assert_eq!(table.lines().count(), 1 + 4);
    assert!(table.starts_with("t,kinetic") && report.contains("stable for"), "{table}{report}");
    let line = "run swing.ron --json --frame-times - --stepping frame-coupled --duration 0.1";
    let run: Value = serde_json::from_str(&fed(line, "0.02\n").0).unwrap();
    assert_eq!(run["steps"], 5);
    let (table, told) = fed("-", SWING);
    assert!(table.contains("calm") && told.contains("DISPLAY is not set"), "{told}");
    let error = place.refusal("run swing.ron --csv - --json");
    assert!(error.contains("cannot both be standard output"), "{error}");
}

#[test]
fn a_picture_on_standard_output_is_alone_there() {
    let place = Place::new();
    let Said { out, err, code } = place.say("damping --integrator rk4 --svg -");
    assert!(out.starts_with("<svg") && out.trim_end().ends_with("</svg>"), "{out}");
    assert!(err.contains("rk4") && code == Some(0), "the table is said beside: {err}");
    let both = place.refusal("damping --integrator rk4 --svg - --json");
    assert!(both.contains("cannot both be standard output"), "{both}");
}

#[test]
fn a_scene_of_the_list_is_given_as_it_was_typed() {
    let place = Place::new();
    let typed = std::fs::read_to_string("scenes/01-clothesline.ron").unwrap();
    assert_eq!(place.out("export clothesline --source"), typed);
    assert_eq!(place.out("export swing.ron --source"), SWING);
}

#[test]
fn an_exported_cloth_stays_a_cloth() {
    let place = Place::new();
    place.write(
        "cloth.ron",
        "(version: 1, name: \"x\", cloths: [(corner: (0, 0, 0), across: (7, 0, 0),
            down: (0, -7, 0), cells: (699, 699))])",
    );
    let text = place.out("export cloth.ron");
    assert!(text.len() < 2_000 && text.contains("cloths: ["), "{} bytes", text.len());
}

#[test]
fn what_a_name_says_to_a_terminal_is_shown_and_not_obeyed() {
    let place = Place::new();
    let named = SWING.replace("Swing", "\u{1b}]0;owned\u{7}").replace("calm", "\u{202e}calm");
    place.write("named.ron", &named);
    for line in
        ["run named.ron --duration 10ms", "compare named.ron --duration 10ms", "check named.ron"]
    {
        let out = place.out(line);
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{line}: {out:?}");
    }
    assert!(place.out("run named.ron --duration 10ms").contains("\\u{1b}]0;owned"));
    let error = place.refusal("run named.ron --lane 9");
    assert!(!error.contains('\u{202e}'), "{error:?}");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.path().join("pipe.ron")).status();
    assert!(made.unwrap().success());
    for line in [
        "check pipe.ron",
        "run pipe.ron",
        "pipe.ron",
        "check /dev/zero",
        "run swing.ron --frame-times /dev/zero",
        "replay pipe.ron",
        "explain --recording pipe.ron",
        "map --merge pipe.ron",
    ] {
        let error = place.refusal(line);
        assert!(error.contains("no regular file"), "{line}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_told_to_stop_leaves_nothing_half_done() {
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        let mut child = place
            .command("run swing.ron --csv run.csv --duration 9999")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let files = || std::fs::read_dir(place.path()).unwrap().count();
        while files() == 2 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), files()), (None, 2), "{signal}: {status}");
    }
}

/// A search of hours is interrupted after a moment.
#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_says_what_it_found() {
    let place = Place::new();
    let child = place
        .command("advise swing.ron --error 0.1 --duration 5000")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.starts_with("Interrupted after"), "{}: {err}", output.status);
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && out.contains("settings"), "{out}");
}

#[test]
fn what_would_take_more_than_a_machine_has_is_refused() {
    let place = Place::new();
    let many = (1..=1000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let steps = "1ms,".repeat(999) + "1ms";
    let line = format!(
        "compare swing.ron --substeps {many} --dt {steps} --iterations {many} --constraints xpbd"
    );
    let error = place.refusal(&line);
    assert!(error.contains("would make 2000000000 runs; at most 10000"), "{error}");
    for (line, message) in [
        ("bench W1 --threads 100000", "--threads"),
        ("bench W1 --seconds inf", "--seconds"),
        ("bench W1 --seconds -1", "--seconds"),
    ] {
        let error = place.refusal(line);
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn particles_are_tracked_by_number_by_name_and_all() {
    let place = Place::new();
    let columns = |track: &str| {
        let command = &mut place.command("run swing.ron --duration 2ms --csv -");
        let output = command.args(["--track", track]).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let head = out.lines().next().unwrap_or_default().to_owned();
        (head.split(',').filter(|name| name.starts_with('x')).collect::<Vec<_>>().join(" "), err)
    };
    assert_eq!(columns("1").0, "x1");
    assert_eq!(columns("1,0").0, "x1 x0");
    assert_eq!(columns("all").0, "x0 x1");
    assert_eq!(columns("Body(\"bob\")").0, "x1");
    assert_eq!(columns("Any([All])").0, "x0 x1");
    let error = columns("Body(\"bop\")").1;
    assert!(error.contains("did you mean \"bob\"?"), "{error}");
}

#[test]
fn the_lists_name_everything_for_machines() {
    let place = Place::new();
    let all = place.json("list --json");
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
fn what_overlaps_at_the_start_is_told_with_its_depth() {
    let place = Place::new();
    let balls = "(at: (0, 1, 0), radius: 0.1), (at: (0.15, 1, 0), radius: 0.1)";
    place.write("balls.ron", &format!("(version: 1, name: \"balls\", balls: [{balls}])"));
    for command in ["check balls.ron", "run balls.ron --duration 10ms"] {
        let Said { err, code, .. } = place.say(command);
        assert!(err.contains("balls 0 and 1 by 50 mm"), "{command}: {err}");
        assert_eq!(code, Some(0));
    }
}

#[test]
fn shells_complete_the_names_of_the_lists() {
    let script = Place::new().out("completions bash");
    assert!(script.contains("velocity-verlet") && script.contains("xpbd"));
}

/// Writes a recording of a second of the swing, with one more event than the program was told of if
/// it is to differ.
fn record(place: &Place, file: &str, differs: bool) {
    use ropelab::scene::Scene;
    use ropelab::session::Session;
    use ropelab::session::recording::{MAGIC_LINE, Record, Start};
    let scene = Scene::parse(SWING, "swing.ron").unwrap();
    let lanes = scene.lanes.clone();
    let (program, file_name) = (String::from("0.1.0"), String::from("swing.ron"));
    let start =
        Start { program, file: file_name, scene: SWING.into(), lanes, speed: 1.0, paused: false };
    let mut session = Session::new(std::sync::Arc::new(scene));
    let mut text = MAGIC_LINE.to_owned() + &Record::Start(start).line();
    for _ in 0..60 {
        text += &Record::Event(session.advance(1.0 / 60.0, &|| 0.0)).line();
    }
    if differs {
        session.advance(1.0 / 60.0, &|| 0.0);
    }
    text += &Record::Digests(session.digests()).line();
    text += &Record::Hashes(session.hashes()).line();
    place.write(file, &text);
}

#[test]
fn a_recording_is_repeated_and_compared() {
    let place = Place::new();
    record(&place, "good.rec", false);
    let replay = place.json("replay good.rec --json");
    assert_eq!(replay["same_bits"], true);
    assert_eq!((&replay["frames"], &replay["compared"]), (&60.into(), &1.into()));
    assert_eq!(replay["lanes"][1]["integrator"], "explicit-euler");
    assert!((replay["time"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert!(place.out("replay good.rec --verify").contains("the same bits at 1 moments"));
    // There is no display.
    let said = place.say("replay good.rec");
    assert!(said.err.contains("in the terminal instead"), "{}", said.err);
    assert!(said.out.contains("the same bits at 1 moments"), "{}", said.out);
    let why = place.json("explain --recording good.rec --lane 2 --json");
    assert_eq!(
        (&why["scene"], &why["settings"]["integrator"]),
        (&"good.rec".into(), &"ExplicitEuler".into())
    );
    assert!(place.refusal("explain --recording good.rec --lane 9").contains("lane \"9\""));

    record(&place, "other.rec", true);
    for line in ["replay other.rec", "replay other.rec --verify"] {
        let said = place.say(line);
        assert_eq!(said.code, Some(2));
        let found = "other bits from frame 60 on (1 s), in lane 1, particle 1";
        assert!(said.out.contains(found), "{}", said.out);
        let error = format!("error: other.rec does not repeat: {found}\n");
        assert!(said.err.ends_with(&error), "{}", said.err);
    }
}

#[test]
fn what_is_no_recording_is_not_replayed() {
    let place = Place::new();
    assert_eq!(
        place.refusal("replay nowhere.rec"),
        "error: nowhere.rec: there is no such file, expected a recording\n"
    );
    assert!(place.refusal("replay swing.ron").contains("swing.ron:1: found \"(\""));
    assert_eq!(
        place.refusal("--record a.rec run swing.ron"),
        "error: --record records what happens in the window; a command has none\n"
    );
}

#[test]
fn convergence_is_an_array_with_every_promised_key() {
    let place = Place::new();
    place.write("fall.ron", FALL);
    let line = "converge fall.ron --integrator symplectic-euler --dt 10ms..100ms --points 3 --json";
    let curves = place.json(&format!("{line} --svg orders.svg --png orders.png"));
    let curve = &curves[0];
    assert_eq!(curve["integrator"], "symplectic-euler");
    assert_eq!(curve["published_order"], 1);
    assert_eq!(curve["truth"], "closed-form");
    assert!((curve["order"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{curve}");
    let points = curve["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    // The error of symplectic Euler in free fall is ½ g h t.
    let (dt, error) = (points[0]["dt"].as_f64().unwrap(), points[0]["error"].as_f64().unwrap());
    assert!((error - 0.5 * 9.81 * dt).abs() < 1e-12, "{error}");
    assert_eq!(points[0]["evaluations"], 10);
    assert!(place.read("orders.svg").contains("</svg>"));
    assert!(place.path().join("orders.png").is_file());
    let refusal = place.refusal("converge fall.ron --dt 100ms..1ms");
    assert!(refusal.contains("expected the shorter step first"), "{refusal}");
}

#[test]
fn a_map_in_parts_is_joined_to_the_same_table() {
    let place = Place::new();
    let map = "map swing.ron --x dt=10ms..100ms --y stiffness=100..10000 --size 12x8";
    let whole = place.json(&format!("{map} --csv whole.csv --json"));
    assert_eq!(whole["panels"][0]["value"].as_array().unwrap().len(), 8);
    assert_eq!(whole["x"]["values"].as_array().unwrap().len(), 12);
    for part in 1..=3 {
        assert_eq!(place.out(&format!("{map} --part {part}/3 --csv part{part}.csv")), "");
    }
    place.out("map --merge part2.csv part3.csv part1.csv --csv joined.csv --png map.png");
    assert_eq!(place.read("joined.csv"), place.read("whole.csv"));
    let refusal = place.refusal("map --merge part1.csv part2.csv");
    assert!(refusal.contains("lines of the map are missing"), "{refusal}");
}

#[test]
fn bad_axes_are_refused_with_the_nearest_right_name() {
    let place = Place::new();
    let refusal = place.refusal("map swing.ron --y stifness=1..100");
    assert!(refusal.contains("did you mean \"stiffness\"?"), "{refusal}");
    let refusal = place.refusal("map swing.ron --y links[0].stifness=1..100");
    assert!(refusal.contains("did you mean \"stiffness\"?"), "{refusal}");
    let refusal = place.refusal("map swing.ron --x dt=1ms..1ms");
    assert!(refusal.contains("is empty"), "{refusal}");
    let refusal = place.refusal("map swing.ron --x iterations=1..10");
    assert!(refusal.contains("no constraint solver is in force"), "{refusal}");
    let refusal = place.refusal("map swing.ron --size 100000x100000");
    assert!(refusal.contains("expected 1 to 4096"), "{refusal}");
}
