//! `ropelab run`: its report, its hash, and the stepping scheme that it uses.

use super::{ProgramOutput, SWING, TestFolder};
use serde_json::Value;

#[test]
fn a_run_is_one_json_object_with_every_promised_key() {
    let run = TestFolder::new().json("run swing.ron --json --duration 2");
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
        TestFolder::new().json(&line)["contact"]["chord_error"].as_f64().unwrap()
    };
    // Largest distance between a parabola and its chord over a step h: g h²/8, for h = 0.1 s and 1
    // ms. The balls move along one of the two.
    for (lane, h) in [(1, 0.1), (2, 0.1), (3, 0.001)] {
        assert!((error(lane) - 9.81 * h * h / 8.0).abs() < 1e-9, "{}", error(lane));
    }
    let text = TestFolder::new().stdout("run chord-or-parabola --lane 2 --duration 1");
    assert!(text.contains("chord ≤ 12.3 mm"), "{text}");
}

/// VBD stores 1.6 times the energy of the motion in links; less than the factor 2 of the verdict.
#[test]
fn a_stable_run_tells_a_large_gain_below_that_of_the_verdict() {
    let run = |iterations: u32| {
        let line = "run steel-link-in-rubber --constraints vbd --duration 2";
        let text = TestFolder::new().stdout(&format!("{line} --iterations {iterations}"));
        text.lines().find(|line| line.starts_with("result")).unwrap().to_owned()
    };
    let few = run(40);
    assert!(few.contains("stable for 2 s; the scheme added at most 7.6"), "{few}");
    assert!(few.contains("% of the greatest kinetic + elastic energy"), "{few}");
    assert!(run(1000).ends_with("stable for 2 s"), "{}", run(1000));
}

#[test]
fn an_explosion_is_a_result_and_not_an_error() {
    let folder = TestFolder::new();
    let run = folder.json("run swing.ron --lane wild --dt 10ms --json");
    assert_eq!(run["verdict"], "exploded");
    let exploded_at = run["exploded_at"].as_f64().unwrap();
    let last_good = run["t"].as_f64().unwrap();
    assert!((exploded_at - last_good - 0.01).abs() < 1e-12);
    assert_eq!(run["explosion"]["step"], run["steps"].as_u64().unwrap() + 1);
    let text = folder.stdout("run swing.ron --lane 2 --dt 10ms");
    assert!(text.contains("exploded at"), "{text}");
    assert!(text.contains("particle") && text.contains(" J"), "{text}");
}

#[test]
fn the_same_run_has_the_same_hash_whatever_is_written_beside_it() {
    let folder = TestFolder::new();
    let hash = |line: &str| folder.json(line)["hash"].clone();
    let plain = hash("run swing.ron --json");
    assert_eq!(plain, hash("run swing.ron --json --csv a.csv --track 1"));
    let compared = folder.json("compare swing.ron --integrator rk4,velocity-verlet --json");
    assert_eq!(compared[1]["hash"], plain);
    assert_ne!(compared[0]["hash"], plain);
}

#[test]
fn naming_a_constraint_solver_makes_links_constraints() {
    let folder = TestFolder::new();
    let run = |options: &str| folder.json(&format!("run swing.ron --json {options}"));
    let solved = run("--constraints xpbd --iterations 7");
    assert_eq!(solved["links"], "Constraints");
    assert_eq!(solved["constraints"], "xpbd");
    assert_eq!(solved["iterations"], 7);
    let springs = run("--constraints xpbd --links springs");
    assert_eq!(springs["constraints"], "none");
    assert_eq!(springs["hash"], run("")["hash"]);
}

#[test]
fn a_setting_by_its_path_that_another_option_decides_is_an_error() {
    let folder = TestFolder::new();
    for (options, path) in [
        ("--dt 1ms", "dt=0.002"),
        ("--substeps 2", "substeps=3"),
        ("--integrator rk4", "integrator=Heun"),
        ("--constraints xpbd", "constraints=Shake()"),
        ("--constraints xpbd --iterations 7", "constraints.iterations=9"),
        ("--contact off", "contact=Discrete()"),
        ("--stepping accumulator", "stepping=FrameCoupled"),
    ] {
        for command in ["run", "compare"] {
            let run = folder.run(&format!("{command} swing.ron {options} --set {path}"));
            assert!(run.err.contains(&format!("--set {path} has no effect: --")), "{}", run.err);
            assert_eq!(run.code, Some(2));
        }
    }
    let kept =
        folder.json("run swing.ron --json --constraints xpbd --set constraints.iterations=9");
    assert_eq!(kept["iterations"], 9);
}

#[test]
fn no_time_is_lost_between_frames_and_steps() {
    let folder = TestFolder::new();
    folder
        .write("frames.txt", "0.016 # a good one\n\n# a hitch, longer than the frame clamp\n0.4\n");
    let run = folder.json("run swing.ron --json --frame-times frames.txt --stepping accumulator");
    let number = |key: &str| run[key].as_f64().unwrap();
    assert!(number("dropped") > 0.1);
    let sum = number("simulated") + number("owed") + number("dropped");
    assert!((sum - number("wall")).abs() < 1e-9);
    assert!((number("simulated") - number("t")).abs() < 1e-9);
}

#[test]
fn coupled_to_75_hz_a_run_takes_75_steps_a_second() {
    let line = "run fall.ron --json --duration 2 --stepping frame-coupled --frame-times 75hz";
    let run = TestFolder::new().json(line);
    assert_eq!(run["steps"], 150);
    assert!((run["dt"].as_f64().unwrap() - 1.0 / 75.0).abs() < 1e-15);
}

#[test]
fn a_stepping_scheme_without_frames_is_said_to_rest() {
    let ProgramOutput { err, code, .. } =
        TestFolder::new().run("run swing.ron --stepping accumulator");
    assert_eq!(err, "note: --stepping has no effect without --frame-times\n");
    assert_eq!(code, Some(0));
}

#[test]
fn options_on_rows_and_columns_without_effect_are_said_to_have_none() {
    let folder = TestFolder::new();
    let every = folder.run("run swing.ron --every 10");
    assert_eq!(every.err, "note: --every has no effect without --csv or --positions\n");
    let spin = folder.run("run fall.ron --csv fall.csv --columns spin,momentum,pins");
    assert_eq!(
        spin.err,
        "note: --columns spin adds no column: the scene has no balls at the start\n\
         note: --columns pins adds no column: the scene has no pinned particles\n"
    );
    assert_eq!((every.code, spin.code), (Some(0), Some(0)));
}

#[test]
fn without_a_display_the_lanes_are_compared_in_the_terminal() {
    let folder = TestFolder::new();
    let ProgramOutput { out, err, code } = folder.run("swing.ron");
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("Comparing in the terminal instead"), "{err}");
    assert!(out.contains("calm") && out.contains("wild"), "{out}");
}

#[test]
fn what_overlaps_at_the_start_is_told_with_its_depth() {
    let folder = TestFolder::new();
    let balls = "(at: (0, 1, 0), radius: 0.1), (at: (0.15, 1, 0), radius: 0.1)";
    folder.write("balls.ron", &format!("(version: 1, name: \"balls\", balls: [{balls}])"));
    for command in ["check balls.ron", "run balls.ron --duration 10ms"] {
        let ProgramOutput { err, code, .. } = folder.run(command);
        assert!(err.contains("balls 0 and 1 by 50 mm"), "{command}: {err}");
        assert_eq!(code, Some(0));
    }
}

#[test]
fn a_pin_whose_path_starts_elsewhere_is_told_with_its_jump() {
    let folder = TestFolder::new();
    for (points, jumps) in [("(0, (0.3, 0.4, 0))", true), ("(0, (0, 0, 0))", false)] {
        let path = format!("Waypoints(points: [{points}, (1, (1, 0, 0))], repeat: false)");
        let pin = format!("(of: Body(\"hook\"), path: {path})");
        folder.write(
            "hook.ron",
            &format!(
                "(version: 1, name: \"hook\", pins: [{pin}],
                  particles: [(name: \"hook\", at: (0, 1, 0))])"
            ),
        );
        let ProgramOutput { err, code, .. } = folder.run("check hook.ron");
        let told =
            err.contains("the pin of particle 0 jumps in the first step: its path starts 0.5 m");
        assert_eq!((told, code), (jumps, Some(0)), "{points}: {err}");
    }
}

#[test]
fn a_lane_is_found_by_its_exact_name_before_one_of_the_same_letters() {
    let folder = TestFolder::new();
    folder.write("signs.ron", &SWING.replace("calm", "+0.1").replace("wild", "-0.1"));
    let lane = |wanted: &str| {
        let line = format!("run signs.ron --json --duration 10ms --lane={wanted}");
        folder.json(&line)["lane"].clone()
    };
    assert_eq!(
        [lane("+0.1"), lane("-0.1"), lane("0.1"), lane("2")],
        ["+0.1", "-0.1", "+0.1", "-0.1"]
    );
}

#[test]
fn energy_and_times_are_said_in_the_units_that_suit() {
    let folder = TestFolder::new();
    let spider = r#"(
        version: 1,
        name: "Spider thread in mm",
        materials: [Rope(name: "silk", mass_per_metre: 2e-8, stiffness: 0.02, damping: 1e-9,
            radius: 2e-6)],
        ropes: [(name: "t", from: (0, 0.01, 0), to: (0.01, 0.01, 0), segments: 10,
            material: "silk")],
        masses: [(of: End("t"), mass: 1e-6)],
        pins: [(of: Start("t"))],
        settings: (integrator: VelocityVerlet, dt: 1e-4),
    )"#;
    folder.write("spider.ron", spider);
    let text = folder.stdout("run spider.ron");
    assert!(text.contains("exploded at 400 µs"), "{text}");
    assert!(text.contains("energy at start   98.1 nJ"), "{text}");
    assert!(!text.contains("0.000000 J") && !text.contains("0.000 s"), "{text}");
    // The minus sign is that of the report's line "at most". The stone falls from 10 m to −9.62 m.
    let fall = folder.stdout("run fall.ron --duration 2");
    assert!(fall.contains(" + −94.4 J potential") && fall.contains(", −"), "{fall}");
}
