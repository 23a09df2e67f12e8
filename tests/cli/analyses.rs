//! Analyses on the command line: stability limits, modes, explanations, maps, orders, translation.

use super::{FALL, REST, TestFolder};
use std::process::{Command, Stdio};

#[test]
fn limit_predicts_and_measures_the_longest_step() {
    let folder = TestFolder::new();
    std::fs::write(folder.0.path().join("rest.ron"), REST).unwrap();
    let integrators = "velocity-verlet,rk4,implicit-euler";
    let line = format!("limit rest.ron --integrator {integrators} --measure --json");
    let answer = folder.json(&line);
    // A spring of 1000 N/m and a mass of 1 kg.
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

/// Without damping, explicit Euler (growth factor √(1 + z²) per step, z = ωh) and Heun
/// (√(1 + z⁴/4)) have no stable step, even where 400 steps grow by less than a thousandth.
#[test]
fn map_and_measured_limit_show_slow_growth() {
    let folder = TestFolder::new();
    let rest = REST.replace("forces: [],", "forces: [], settings: (dt: 0.001),");
    std::fs::write(folder.0.path().join("rest.ron"), rest).unwrap();
    let omega = 1000f64.sqrt();
    let axes = "--x dt=1e-5..1e-2 --y stiffness=999..1001 --size 6x1";
    let schemes = "--integrator explicit-euler,heun";
    let map = folder.json(&format!("map rest.ron {axes} {schemes} --json"));
    let steps = map["x"]["values"].as_array().unwrap();
    let growth = [|z: f64| z * z / 2.0, |z: f64| z.powi(4) / 8.0];
    for (panel, growth) in growth.iter().enumerate() {
        let panel = &map["panels"][panel];
        for (i, dt) in steps.iter().enumerate() {
            assert_eq!(panel["holds"][0][i], false, "{panel}");
            let expected = growth(omega * dt.as_f64().unwrap());
            let found = panel["value"][0][i].as_f64().unwrap() - 1.0;
            // Rounding hides slower growth.
            let is_close = expected < 1e-6 || (found / expected - 1.0).abs() < 0.05;
            assert!(is_close, "dt {dt}: {found}, {expected}");
        }
    }
    let line = "limit rest.ron --integrator explicit-euler,velocity-verlet --measure";
    let answer = folder.json(&format!("{line} --json"));
    let [euler, verlet] = [0, 1].map(|row| &answer["limits"][row]["measured_doubling"]);
    let z = omega * 1e-3;
    let expected = 1e-3 * 2f64.ln() / (0.5 * (z * z).ln_1p());
    assert!((euler.as_f64().unwrap() / expected - 1.0).abs() < 0.01, "{euler} not {expected}");
    assert!(verlet.is_null(), "{verlet}");
    let text = folder.stdout(line);
    assert!(text.contains("none: doubles in 1.38"), "{text}");
}

/// A block that a spring pulls over a running belt. With position-first symplectic Euler a run
/// gains energy at the predicted limit, so `limit` shortens its answer.
const BLOCK: &str = r#"(version: 1, name: "block",
    balls: [(name: "block", at: (0, 0.1, 0), radius: 0.1, mass: 1, surface: (friction: 0.5))],
    particles: [(name: "wall", at: (-1, 0.1, 0))],
    links: [(a: Body("wall"), b: Body("block"), rest: 1, stiffness: 100)],
    pins: [(of: Body("wall"))],
    colliders: [(shape: Plane(), belt: (0.5, 0, 0), surface: (friction: 0.5))])"#;

const NET: &str = r#"(version: 1, name: "net",
    materials: [Rope(name: "cord", mass_per_metre: 0.05, stiffness: 300)],
    nets: [(name: "n", corner: (0, 1, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (4, 4), material: "cord")],
    pins: [(of: Edge("n", Left)), (of: Edge("n", Right))])"#;

/// `limit`, `explain` and `map` print the same longest step, and `limit` and `explain` the same
/// sentence.
#[test]
fn limit_explain_and_map_name_one_longest_step() {
    let folder = TestFolder::new();
    let scenes = [("rest.ron", REST), ("net.ron", NET), ("block.ron", BLOCK)];
    let integrators = ["velocity-verlet", "symplectic-euler-position-first", "rk4"];
    let (mut shortened, mut compared) = (0, 0);
    for (file, text) in scenes {
        std::fs::write(folder.0.path().join(file), text).unwrap();
        let list = integrators.join(",");
        let limits = folder.json(&format!("limit {file} --integrator {list} --json"));
        let axes = "--x dt=1e-4..1e-2 --y damping=0.1..1 --size 2x1 --show growth";
        let map = folder.json(&format!("map {file} {axes} --integrator {list} --json"));
        for (i, integrator) in integrators.iter().enumerate() {
            let row = &limits["limits"][i];
            let keys = ["run_dt", "swinging_dt", "predicted_dt"];
            let longest = keys.iter().find_map(|key| row[key].as_f64());
            shortened += usize::from(row["run_dt"].is_number());
            let at = format!("explain {file} --integrator {integrator} --duration 1 --json");
            let explained = folder.json(&at);
            let explained_step = explained["longest_step"].as_f64();
            assert_eq!(map["panels"][i]["longest_step"].as_f64(), longest, "{at}: {row}");
            if longest.is_some() && explained_step.is_none() {
                // On a busy machine `explain` may run out of time before it confirms the limit.
                continue;
            }
            compared += 1;
            assert_eq!(explained_step, longest, "{at}: {row}");
            let (reason, verdict) = (&explained["reason"], &row["verdict"]);
            let [reason, verdict] = [reason, verdict].map(|text| text.as_str().unwrap());
            assert!(reason.contains(verdict), "{at}: {reason}, not {verdict}");
        }
    }
    assert!(shortened > 0, "no run shortened a limit");
    assert!(compared > 2, "explain named the limit only {compared} times of 9");
}

#[test]
fn translate_says_what_an_engine_limits_and_refuses() {
    let folder = TestFolder::new();
    let limited = folder.stdout("translate --from box2d --value 1000 --substeps 4");
    assert!(limited.contains("limited to 60.0000 Hz"), "{limited}");
    let as_typed = folder.stdout("translate --from box2d --value 60 --substeps 4 --to newton");
    assert!(!as_typed.contains("limited"), "{as_typed}");
    let read_again =
        folder.stdout("translate --from mujoco --value=-40000 --mass 0.05 --to newton");
    assert!(read_again.contains("1000"), "{read_again}");
    let three_ends = folder.error("translate --stiffness 1 --mass 1,2,3");
    assert!(three_ends.contains("--mass has 3 numbers; a link has two ends"), "{three_ends}");
    let refusal = folder.error("translate --stiffness -1");
    assert!(refusal.contains("is -1; expected a number above 0"), "{refusal}");
    for from in ["box2d", "pbd"] {
        let line = format!("translate --from {from} --value 0.5 --damping-ratio -1");
        let refusal = folder.error(&line);
        assert!(refusal.contains("--damping-ratio is -1; expected 0 or more"), "{refusal}");
    }
    let help = folder.stdout("translate --help");
    let examples = help.lines().filter(|line| line.starts_with("  ropelab translate ")).count();
    assert_eq!(examples, 4, "{help}");
}

/// Box2D limits the frequency to 60 Hz with four substeps of 1/60 s.
#[test]
fn a_limit_is_said_in_text_table_scene_and_json() {
    let folder = TestFolder::new();
    let rope = "translate --from box2d --value 100 --damping-ratio 2 --mass 0.05 --length 0.1";
    let text = folder.stdout(&format!("{rope} --substeps 4 --to box2d --scene rope.ron"));
    assert!(text.contains("limited to 60.0000 Hz"), "{text}");
    let row = text.lines().find(|line| line.starts_with("box2d")).expect("a row");
    assert!(row.contains("the highest frequency at this step"), "{row}");
    let scene = folder.read("rope.ron");
    assert!(scene.contains("Soft Step at 100 Hz (limited to 60.0000 Hz"), "{scene}");
    let json = folder.json(&format!("{rope} --substeps 4 --to box2d --json"));
    let note = json["phrases"][0]["note"].as_str().expect("a note");
    assert!(note.contains("the highest frequency at this step"), "{note}");
    assert!(json["limited"].as_str().expect("a limit").contains("60.0000 Hz"), "{json}");
    let free = folder.json(&format!("{rope} --substeps 8 --to box2d --json"));
    assert!(free["limited"].is_null() && free["phrases"][0]["note"].is_null(), "{free}");
}

/// Links of 60 Hz stretch by 8 % and more as the rope swings. The lane is reported as soft, with
/// advice and plain code, and every remedy changes the scene.
#[test]
fn a_rope_from_box2d_that_stretches_gets_its_verdict_a_remedy_and_its_code() {
    let folder = TestFolder::new();
    let rope = "--from box2d --value 60 --damping-ratio 2 --mass 0.05 --length 0.1 --substeps 4";
    folder.stdout(&format!("translate {rope} --scene rope.ron"));
    let run = folder.json("run rope.ron --json --duration 5");
    assert_eq!(run["verdict"], "soft");
    assert!(run["too_compliant"]["share"].as_f64().expect("a share") > 0.05, "{run}");
    assert!(run["remedy"].as_str().expect("a remedy").contains("more substeps"), "{run}");
    let explained = folder.stdout("explain rope.ron --code rust");
    for said in [
        "The lane is soft after ",
        "than its material says",
        "Soft Step, own stiffness, ",
        "links under RATTLE, with velocity Verlet",
        "As code, ",
    ] {
        assert!(explained.contains(said), "{said}: {explained}");
    }
    for idle in ["more mass", "fewer segments"] {
        assert!(!explained.contains(idle), "{idle}: {explained}");
    }
    let own = folder.stdout("run rope.ron --duration 1 --code csharp");
    assert!(own.contains("As code, the lane as it is:") && own.contains("impulses"), "{own}");
}

/// Each frame length alone is stable, but their sequence is not, see docs/design/limit.md.
#[test]
fn limit_judges_frames_of_different_lengths_in_turn() {
    let folder = TestFolder::new();
    let rest = REST.replace("forces: [],", "forces: [], settings: (stepping: FrameCoupled),");
    std::fs::write(folder.0.path().join("coupled.ron"), rest).unwrap();
    let verdict = |z: f64, name: &str| {
        let seconds = [0.4, 0.4, 0.4, 0.4, 1.0].map(|part| part * z / 1000f64.sqrt());
        let lines: String = seconds.iter().map(|seconds| format!("{seconds}\n")).collect();
        std::fs::write(folder.0.path().join("frames.txt"), lines).unwrap();
        let line = format!("limit coupled.ron --frame-times frames.txt --integrator {name} --json");
        folder.json(&line)["limits"][0]["frames_doubling"].as_f64()
    };
    // The product of the step matrices grows by a factor of 1.517 per period of the frames.
    let period = 2.6 * 1.2 / 1000f64.sqrt();
    let expected = period * 2f64.ln() / 1.516_644_843_f64.ln();
    let found = verdict(1.2, "symplectic-euler").expect("it grows");
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, not {expected}");
    assert_eq!(verdict(0.9, "symplectic-euler"), None);
    assert_eq!(verdict(1.2, "dormand-prince"), None);
}

/// A weight falls freely for 0.4 s until its slack rope becomes taut.
#[test]
fn limit_sees_what_comes_within_its_duration() {
    let folder = TestFolder::new();
    let slack = r#"(version: 1, name: "slack",
        particles: [(name: "hook", at: (0, 2, 0)), (name: "weight", at: (0, 2, 0))],
        links: [(a: Body("hook"), b: Body("weight"), rest: 0.8, stiffness: 1000, one_sided: true)],
        pins: [(of: Body("hook"))])"#;
    std::fs::write(folder.0.path().join("slack.ron"), slack).unwrap();
    let longest = |duration: &str| {
        let line = format!("limit slack.ron --integrator velocity-verlet {duration} --json");
        folder.json(&line)["limits"][0]["predicted_dt"].as_f64()
    };
    assert_eq!(longest("--duration 300ms"), None);
    let expected = 2.0 / 1000f64.sqrt();
    let found = longest("").expect("a limit");
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
}

/// The corners of the block chatter on the belt, which the linearised scene does not show. With
/// 0.95 of the predicted step the block gains 8,000 times its energy, with 0.95 of the shortened
/// step it gains nothing.
#[test]
fn limit_is_shortened_until_a_run_of_the_lane_gains_no_energy() {
    let folder = TestFolder::new();
    let integrator = "--integrator symplectic-euler-position-first";
    let report = folder.json(&format!("limit stick-slip {integrator} --json"));
    let row = &report["limits"][0];
    let [predicted, run] = ["predicted_dt", "run_dt"].map(|key| row[key].as_f64().expect(key));
    let verdict = row["verdict"].as_str().expect("a sentence");
    assert!(run < predicted && verdict.contains("by a run of"), "{row}");
    let ends = |dt: f64| {
        let dt = 0.95 * dt;
        let line = format!("run stick-slip {integrator} --dt {dt} --duration 5 --json");
        folder.json(&line)["verdict"].clone()
    };
    assert_eq!((ends(predicted), ends(run)), ("gained-energy".into(), "stable".into()));
}

#[test]
fn the_modes_of_a_scene_stand_beside_theory() {
    let folder = TestFolder::new();
    std::fs::write(folder.0.path().join("rest.ron"), REST).unwrap();
    let answer = folder.json("damping rest.ron --integrator implicit-euler --dt 20ms --json");
    let modes = answer[0]["modes"].as_array().unwrap();
    // A spring of 1000 N/m and a mass of 1 kg. No restoring force acts sideways, so there is one
    // mode.
    let omega = 1000f64.sqrt();
    assert_eq!(modes.len(), 1);
    let frequency = modes[0]["frequency"].as_f64().unwrap();
    assert!((frequency * std::f64::consts::TAU / omega - 1.0).abs() < 1e-6, "{frequency}");
    // The exact eigenvalue λ = 1/(1 − iz) gives ζ = ½ ln(1 + z²)/atan z.
    let z = 0.02 * omega;
    let measured = modes[0]["measured"]["damping_ratio"].as_f64().unwrap();
    assert!((measured - 0.5 * (1.0 + z * z).ln() / z.atan()).abs() < 1e-6, "{measured}");
    // The lane's integrator keeps the parameters of the lane, with and without --integrator.
    let own = REST.trim_end().trim_end_matches(')').to_owned()
        + "settings: (integrator: GeneralizedAlpha(rho_inf: 0.3)))";
    std::fs::write(folder.0.path().join("own.ron"), own).unwrap();
    let ratio = |line: &str| {
        let answer = folder.json(&format!("damping own.ron --dt 20ms --json {line}"));
        let rows = answer.as_array().unwrap();
        let row = rows.iter().find(|row| row["integrator"] == "generalized-alpha").unwrap();
        row["modes"][0]["measured"]["damping_ratio"].as_f64().unwrap()
    };
    assert_eq!(ratio(""), ratio("--integrator generalized-alpha"));
    let default = folder.json("damping rest.ron --dt 20ms --json --integrator generalized-alpha");
    let default = default[0]["modes"][0]["measured"]["damping_ratio"].as_f64().unwrap();
    assert!(ratio("") > 2.0 * default, "{} and {default}", ratio(""));
    let error = folder.error("damping rest.ron --dt 1us");
    assert!(error.contains("another --dt reaches them"), "{error}");
}

#[test]
fn the_four_answers_say_what_they_mean_in_the_terminal() {
    let folder = TestFolder::new();
    let limit = folder.stdout("limit swing.ron --lane wild");
    assert!(limit.contains(": unstable at every step"), "{limit}");
    let limit = folder.stdout("limit swing.ron --integrator velocity-verlet");
    assert!(limit.contains(": stable, 0.02 of the longest step"), "{limit}");
    let damping = folder.stdout("damping --integrator implicit-euler");
    let ratio = "Hughes' algorithmic damping ratio −ln r / φ";
    assert!(damping.contains(ratio), "{damping}");
    let map = folder.stdout("map swing.ron --x dt=1e-3..1e-1 --y stiffness=1e2..1e4 --size 8x8");
    assert!(map.starts_with("A cell is good where") && map.contains("--png FILE"), "{map}");
    assert!(map.contains("stiffness") && map.contains("dt "), "{map}");
}

#[test]
fn explain_names_the_cause_and_remedies_that_hold() {
    let folder = TestFolder::new();
    let answer = folder.json("explain swing.ron --dt 0.07 --duration 2 --json");
    assert_eq!(answer["cause"], "step-too-long");
    let omega_h = answer["mode"]["omega_h"].as_f64().unwrap();
    assert!((omega_h / (1000f64.sqrt() * 0.07) - 1.0).abs() < 0.02, "{omega_h}");
    let (measured, theory) = (&answer["mode"]["growth_measured"], &answer["mode"]["growth_theory"]);
    let ratio = measured.as_f64().unwrap() / theory.as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.02, "{measured} measured, {theory} in theory");
    let remedies = answer["remedies"].as_array().unwrap();
    let shorter =
        remedies.iter().find(|r| r["change"].as_str().unwrap().starts_with("dt")).unwrap();
    assert_eq!(shorter["holds"], true);
    assert!(shorter["settings"]["dt"].as_f64().unwrap() < 2.0 / 1000f64.sqrt());
    assert!(remedies.iter().any(|r| r["change"] == "implicit Euler" && r["holds"] == true));
}

#[test]
fn explicit_euler_is_explained_by_its_scheme_and_not_by_its_step() {
    let folder = TestFolder::new();
    let answer = folder.json("explain swing.ron --lane wild --duration 40 --json");
    assert_eq!(answer["cause"], "never-stable");
    assert_eq!(answer["mode"]["limit"], 0.0);
    let headline = answer["headline"].as_str().unwrap();
    let compared = "times the greatest kinetic + elastic energy of its motion after";
    assert!(headline.starts_with("Gained ") && headline.contains(compared), "{headline}");
}

/// A search for 5000 simulated seconds is interrupted after three seconds.
#[cfg(unix)]
#[test]
fn a_search_that_is_interrupted_says_what_it_found() {
    let folder = TestFolder::new();
    let child = folder
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
fn convergence_is_an_array_with_every_promised_key() {
    let folder = TestFolder::new();
    folder.write("fall.ron", FALL);
    let line = "converge fall.ron --integrator symplectic-euler --dt 10ms..100ms --points 3 --json";
    let curves = folder.json(&format!("{line} --svg orders.svg --png orders.png"));
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
    assert!(folder.read("orders.svg").contains("</svg>"));
    assert!(folder.path().join("orders.png").is_file());
    let refusal = folder.error("converge fall.ron --dt 100ms..1ms");
    assert!(refusal.contains("expected the shorter step first"), "{refusal}");
}

/// The sweeps in the table are an upper limit: a solver with a tolerance may need fewer.
#[test]
fn convergence_names_its_sweeps_as_an_upper_limit() {
    let folder = TestFolder::new();
    folder.write("fall.ron", FALL);
    let line = "converge fall.ron --dt 10ms..100ms --points 3 --integrator heun";
    let text = folder.run(line).out;
    let head = text.lines().next().unwrap_or_default();
    assert!(head.ends_with("most sweeps"), "{head}");
}

#[test]
fn a_map_in_parts_is_joined_to_the_same_table() {
    let folder = TestFolder::new();
    let map = "map swing.ron --x dt=10ms..100ms --y stiffness=100..10000 --size 12x8";
    let whole = folder.json(&format!("{map} --csv whole.csv --json"));
    assert_eq!(whole["panels"][0]["value"].as_array().unwrap().len(), 8);
    assert_eq!(whole["x"]["values"].as_array().unwrap().len(), 12);
    for part in 1..=3 {
        assert_eq!(folder.stdout(&format!("{map} --part {part}/3 --csv part{part}.csv")), "");
    }
    folder.stdout("map --merge part2.csv part3.csv part1.csv --csv joined.csv --png map.png");
    assert_eq!(folder.read("joined.csv"), folder.read("whole.csv"));
    let refusal = folder.error("map --merge part1.csv part2.csv");
    assert!(refusal.contains("lines of the map are missing"), "{refusal}");
    let refusal = folder.error("map --merge part1.csv part2.csv ./part1.csv");
    assert!(refusal.contains("is in part1.csv and in ./part1.csv; expected"), "{refusal}");
}

#[test]
fn bad_axes_are_refused_with_the_nearest_right_name() {
    let folder = TestFolder::new();
    let refusal = folder.error("map swing.ron --y stifness=1..100");
    assert!(refusal.contains("did you mean \"stiffness\"?"), "{refusal}");
    let refusal = folder.error("map swing.ron --y links[0].stifness=1..100");
    assert!(refusal.contains("did you mean \"stiffness\"?"), "{refusal}");
    let refusal = folder.error("map swing.ron --x dt=1ms..1ms");
    assert!(refusal.contains("is empty"), "{refusal}");
    let refusal = folder.error("map swing.ron --x iterations=1..10");
    assert!(refusal.contains("no constraint solver is in force"), "{refusal}");
    let refusal = folder.error("map swing.ron --size 100000x100000");
    assert!(refusal.contains("expected 1 to 4096"), "{refusal}");
}

#[test]
fn a_rope_in_an_engines_terms_becomes_a_scene_for_the_other_commands() {
    let folder = TestFolder::new();
    let rope = "--from box2d --value 60 --damping-ratio 2 --mass 0.05 --length 0.1 --substeps 4";
    let translate = format!("translate {rope} --segments 12 --scene rope.ron");
    assert!(folder.stdout(&translate).contains("jolt"));
    assert!(folder.read("rope.ron").contains("SoftStep(iterations: 1, hertz: Some(60.0)"));
    let run = folder.json("run rope.ron --json --duration 1");
    assert_eq!(run["constraints"], "soft-step");
    assert!((run["dt"].as_f64().unwrap() * 60.0 - 1.0).abs() < 1e-12);
    let explained = folder.stdout("explain rope.ron");
    assert!(explained.contains("% longer than"), "{explained}");
    assert!(folder.read("rope.ron").contains("camera: Side("), "the whole rope is in the picture");
    let limit = folder.stdout("limit rope.ron");
    assert!(limit.contains("does not grow"), "{limit}");
    let misfit = folder.stdout("limit rope.ron --integrator explicit-euler");
    assert!(
        misfit.contains("none: no step is safe, because the integrator moves particles"),
        "{misfit}"
    );
    // An existing scene file is overwritten only with `--force`.
    let again = folder.run(&translate);
    assert!(again.code == Some(2) && again.err.contains("rope.ron"), "{}", again.err);
    folder.stdout(&format!("{translate} --force"));
    let text = folder.stdout(&format!("translate {rope} --scene -"));
    assert!(text.starts_with("// Rope with the values of box2d"), "{text}");
}

/// A lane that takes one step per frame is judged by the longest frame of its own display or of
/// `--frame-times`.
#[test]
fn limit_judges_a_lane_by_its_frames() {
    let folder = TestFolder::new();
    let dt = |arguments: &str| {
        let report = folder.json(&format!("limit frame-coupled-rope --integrator rk4 {arguments}"));
        report["dt"].as_f64().unwrap()
    };
    assert!((dt("--json") - 1.0 / 60.0).abs() < 1e-12);
    assert!((dt("--json --frame-times 144hz") - 1.0 / 144.0).abs() < 1e-12);
    // The lane's frame clamp shortens frames of 50 ms.
    assert!((dt("--json --frame-times 20hz") - 1.0 / 60.0).abs() < 1e-12);
    let text =
        |rate: &str| folder.stdout(&format!("limit frame-coupled-rope --frame-times {rate}"));
    assert!(text("60hz").contains("longest frame 16.67 ms"), "{}", text("60hz"));
    assert!(text("60hz").contains(": unstable"), "{}", text("60hz"));
    assert!(text("144hz").contains(": stable"), "{}", text("144hz"));
}

/// A thread of silk whose longest stable step is below the shortest dt that a scene accepts.
#[test]
fn limits_below_the_shortest_dt_name_substeps() {
    let folder = TestFolder::new();
    let thread = |stiffness: &str| {
        format!(
            "(version: 1, name: \"thread\", materials: [Rope(name: \"m\", mass_per_metre: 1e-7,
                stiffness: {stiffness}, damping: 0)],
             ropes: [(name: \"t\", from: (0, 0, 0), to: (0.005, 0, 0), segments: 4, material: \"m\")],
             pins: [(of: Start(\"t\"))], settings: (integrator: SymplecticEuler, dt: 1e-5))"
        )
    };
    let hint = "the shortest dt is 1 µs; for shorter steps, use substeps";
    folder.write("stiff.ron", &thread("1"));
    folder.write("soft.ron", &thread("1e-3"));
    let limits = |file: &str| {
        folder.stdout(&format!("limit {file} --integrator symplectic-euler --duration 1ms"))
    };
    assert!(limits("stiff.ron").contains(hint), "{}", limits("stiff.ron"));
    assert!(!limits("soft.ron").contains(hint), "{}", limits("soft.ron"));
}
