//! Measurements on the command line: the files that a run writes and the values that it measures.

use super::{ProgramOutput, TestFolder};

/// A cloth, a ball that bounces on a floor, and a pendulum bob whose period is measured.
const LABORATORY: &str = r#"(
    version: 1,
    name: "Laboratory",
    particles: [(name: "hook", at: (0, 3, 0)), (name: "bob", at: (0.2, 2, 0))],
    balls: [(name: "ball", at: (2, 0.5, 0), radius: 0.1, spin: (0, 0, 3))],
    cloths: [(name: "towel", corner: (-2, 1, 0), across: (0.5, 0, 0), down: (0, -0.5, 0), cells: (2, 2))],
    links: [(a: Body("hook"), b: Body("bob"), stiffness: 1e4)],
    pins: [(of: Body("hook")), (of: Corner("towel", TopLeft)), (of: Corner("towel", TopRight))],
    colliders: [(shape: Plane())],
    annotations: (periods: [(of: Body("bob"), text: "T")], readings: [(of: Body("ball"), name: "fall",
        measure: Way(along: (0, -1, 0)), unit: "m", formula: "h", value: Constant(0.4))]),
)"#;

fn laboratory() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("lab.ron", LABORATORY);
    folder
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').map(|number| number.parse().unwrap()).collect()
}

#[test]
fn positions_of_all_particles_are_written_at_even_instants() {
    let folder = laboratory();
    folder.stdout("run lab.ron --duration 0.5 --positions all.csv --every 1/60");
    let table = folder.read("all.csv");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 1 + 31, "the start, and every sixtieth until half a second");
    assert_eq!(numbers(rows[3]).len(), 1 + 3 * (3 + 9));
    assert!((numbers(rows[3])[0] - 2.0 / 60.0).abs() < 1e-15);
    // The ball, particle 2, falls freely for 0.1 s; the instants lie between two steps of a
    // millisecond.
    let fallen = numbers(rows[1])[8] - numbers(rows[7])[8];
    assert!((fallen - 0.5 * 9.81 * 0.01).abs() < 2e-6, "{fallen}");
    assert_eq!(folder.read("all.triangles.csv").lines().count(), 1 + 8);
    for file in ["all.npy", "all.pc2"] {
        folder.stdout(&format!("run lab.ron --duration 0.1 --positions {file}"));
        assert!(folder.path().join(file).exists());
    }
    assert!(folder.error("run lab.ron --positions all.xyz").contains(".csv, .npy or .pc2"));
}

#[test]
fn rows_are_written_every_so_many_seconds() {
    let folder = laboratory();
    folder.stdout("run lab.ron --duration 0.1 --csv run.csv --every 25ms --columns spin");
    let table = folder.read("run.csv");
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].ends_with(",wx2,wy2,wz2"), "{}", rows[0]);
    let times: Vec<f64> = rows[1..].iter().map(|row| numbers(row)[0]).collect();
    assert_eq!(times, [0.0, 0.025, 0.05, 0.075, 0.1]);
    assert_eq!(numbers(rows[2]).last(), Some(&3.0));
}

#[test]
fn contacts_are_told_with_place_impulse_and_partners() {
    let folder = laboratory();
    folder.stdout("run lab.ron --duration 0.4 --contacts hits.csv --lane 1");
    let table = folder.read("hits.csv");
    let mut rows = table.lines();
    let head = rows.next().unwrap();
    assert_eq!(head, "t,x,y,z,nx,ny,nz,jx,jy,jz,particles,shares,collider");
    let first: Vec<&str> = rows.next().expect("the ball lands").split(',').collect();
    let number = |k: usize| first[k].parse::<f64>().unwrap();
    // The ball (1 kg) falls 0.4 m and bounces with half its speed v: the impulse is 1.5 kg × v.
    let speed = (2.0 * 9.81 * 0.4_f64).sqrt();
    assert!((number(0) - speed / 9.81).abs() < 2e-3, "{first:?}");
    assert_eq!([number(4), number(5), number(6)], [0.0, 1.0, 0.0]);
    assert!((number(8) / (1.5 * speed) - 1.0).abs() < 0.02, "{first:?}");
    assert_eq!(first[10..], ["2", "1.0", "0"]);
}

/// 1 kg on a spring of 981 N/m falls from the rest length by 2 %, and has returned after 0.2 s.
#[test]
fn a_reading_of_the_peak_stretch_covers_the_whole_run() {
    let folder = TestFolder::new();
    let bob = r#"(version: 1, name: "bob",
        particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
        links: [(a: Body("hook"), b: Body("bob"), stiffness: 981)], pins: [(of: Body("hook"))],
        annotations: (readings: [(name: "peak", measure: PeakStretch, unit: "%"),
                                 (name: "now", measure: GreatestStretch, unit: "%")]))"#;
    folder.write("bob.ron", bob);
    let run = folder.json("run bob.ron --duration 0.2 --json");
    let [peak, now] =
        [0, 1].map(|k| run["readings"][k]["measured"].as_f64().expect("a measured value"));
    assert!((peak - 2.0).abs() < 0.01 && now < 0.1, "{peak} %, {now} %");
}

#[test]
fn readings_periods_and_closed_forms_are_reported() {
    let folder = laboratory();
    let run = folder.json("run lab.ron --duration 6 --json");
    let reading = &run["readings"][0];
    assert_eq!((&reading["name"], &reading["value"]), (&"fall".into(), &0.4.into()));
    assert!((reading["measured"].as_f64().unwrap() - 0.4).abs() < 1e-3, "{reading}");
    // A pendulum of length 1.02 m and amplitude 0.2 m.
    let period = run["periods"][0]["seconds"].as_f64().unwrap();
    let length = (1.0_f64 + 0.04).sqrt();
    let small = std::f64::consts::TAU * (length / 9.81).sqrt();
    assert!((period / small - 1.0).abs() < 5e-3, "period {period} s, expected {small} s");
    let fall = folder.json("run fall.ron --duration 1 --integrator velocity-verlet --json");
    let distance = fall["exact_distance"].as_f64().unwrap();
    assert!(distance < 1e-12, "{distance}");
}

#[test]
fn any_parameter_can_be_set() {
    let folder = laboratory();
    let hash = |set: &str| {
        let line = format!("run lab.ron --integrator generalized-alpha --dt 10ms --json {set}");
        folder.json(&line)["hash"].as_str().unwrap().to_owned()
    };
    assert_ne!(hash(""), hash("--set integrator.rho_inf=0.1"));
    assert_eq!(hash(""), hash("--set contact.most_events=20000"));
    let line = "run lab.ron --dt 10ms --json --set integrator=GeneralizedAlpha(rho_inf:0.1)";
    let with_fields = folder.json(line)["hash"].as_str().unwrap().to_owned();
    assert_eq!(with_fields, hash("--set integrator.rho_inf=0.1"));
    for (set, why) in [
        ("--set integrator.rho=1", "found no \"rho\" here"),
        ("--set integrator.rho_inf", "expected PATH=VALUE"),
        ("--set integrator.rho_inf=7", "rho_inf"),
    ] {
        let line = format!("run lab.ron --integrator generalized-alpha {set}");
        assert!(folder.error(&line).contains(why), "{set}: {}", folder.error(&line));
    }
}

/// Every command that uses settings of a lane takes `--set`, and a setting that a command varies or
/// replaces is an error with its reason.
#[test]
fn all_analyses_take_any_parameter() {
    let folder = laboratory();
    let swing = super::REST.replace("stiffness: 1000", "stiffness: 1000, rest: 0.9");
    std::fs::write(folder.path().join("rest.ron"), swing).unwrap();
    let rho = |rho: &str| format!("--integrator generalized-alpha --set integrator.rho_inf={rho}");
    for line in [
        "damping --json",
        "damping rest.ron --dt 20ms --json",
        "converge rest.ron --dt 5ms..20ms --points 3 --duration 0.2 --json",
        "map rest.ron --x dt=1ms..20ms --y damping=1..5 --size 2x2 --json",
    ] {
        let costless = |line: &str| {
            let text = folder.stdout(line);
            text.lines().filter(|line| !line.contains("cost_s")).collect::<Vec<_>>().join("\n")
        };
        let [damped, plain] =
            ["0.1", "0.9"].map(|number| costless(&format!("{line} {}", rho(number))));
        assert_ne!(damped, plain, "{line}");
    }
    let limit = |set: &str| folder.json(&format!("limit rest.ron --integrator rk4 --json {set}"));
    let [own, damped] = ["", "--set stiffness_damping=0.01"].map(limit);
    assert_eq!(own["damping_ratio"].as_f64(), Some(0.0));
    // Damping β k of a spring k has the ratio ξ = β ω/2.
    let xi = damped["damping_ratio"].as_f64().unwrap();
    assert!((xi / (0.5 * 0.01 * 1000f64.sqrt()) - 1.0).abs() < 1e-6, "{xi}");
    for (line, why) in [
        ("converge rest.ron --set dt=1ms", "--dt FROM..TO names the steps"),
        ("map rest.ron --set dt=0.001", "dt is an axis of the map"),
        ("map rest.ron --dt 1ms", "--dt has no effect: dt is an axis of the map"),
        ("damping rest.ron --set links=Constraints", "springs as links"),
        ("damping rest.ron --constraints shake", "springs as links"),
        ("damping --set integrator.rho_inf=0.5", "no effect without a scene"),
        ("damping --substeps 2", "no effect without a scene"),
        ("limit rest.ron --integrator rk4 --set integrator.rho_inf=0.5", "found no \"rho_inf\""),
        ("limit rest.ron --integrator rk4 --set integrator=Heun", "--integrator names"),
        ("limit rest.ron --set integrator.rho_inf", "expected PATH=VALUE"),
    ] {
        assert!(folder.error(line).contains(why), "{line}: {}", folder.error(line));
    }
}

#[test]
fn the_state_at_the_end_is_a_scene_that_goes_on_from_there() {
    let folder = laboratory();
    let state = |line: &str| {
        folder.stdout(line);
        let table = folder.read("state.csv");
        numbers(table.lines().last().unwrap())
    };
    folder.stdout("run lab.ron --duration 0.2 --end later.ron");
    folder.stdout("check later.ron");
    let through = state("run lab.ron --duration 0.5 --positions state.csv --every 0.5");
    let resumed = state("run later.ron --duration 0.3 --positions state.csv --every 0.3");
    let apart = through[1..].iter().zip(&resumed[1..]).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart}");
}

#[test]
fn motions_that_start_again_after_the_end_are_named() {
    let folder = TestFolder::new();
    let path = "path: Swing(amplitude: (0.1, 0, 0), frequency: 0.7)";
    let still = "pins: [(of: Particle(0))], colliders: [(shape: Plane(), belt: (1, 0, 0))],
        forces: [(law: Gravity()), (law: Wind())]";
    let gust = "gust: Sine(amplitude: 1, frequency: 0.4)";
    for (body, named) in [
        (still.to_owned(), ""),
        (format!("pins: [(of: Particle(0), {path})]"), "paths of pins"),
        (format!("colliders: [(shape: Plane(), {path})]"), "paths of colliders"),
        (format!("forces: [(law: Wind({gust}))]"), "gusts"),
        (
            format!("pins: [(of: Particle(0), {path})], forces: [(law: FaceWind({gust}))]"),
            "paths of pins and gusts",
        ),
    ] {
        let particles = "particles: [(at: (0, 1, 0)), (at: (1, 1, 0))]";
        folder.write("moved.ron", &format!("(version: 1, name: \"m\", {particles}, {body})"));
        for integrator in ["velocity-verlet", "bdf2", "rk4"] {
            let line = "run moved.ron --duration 10ms --end later.ron --force --integrator";
            let ProgramOutput { err, code, .. } = folder.run(&format!("{line} {integrator}"));
            let note =
                format!("note: the scene of --end starts at time 0, and its {named} start again\n");
            let expected = if named.is_empty() { "" } else { &note };
            assert_eq!((err.as_str(), code), (expected, Some(0)), "{body}");
        }
    }
}

#[test]
fn lanes_are_compared_over_time() {
    let folder = laboratory();
    let line = "compare lab.ron --integrator velocity-verlet,rk4 --series apart.csv --every 10ms \
        --duration 0.2";
    let reports = folder.json(&format!("{line} --json"));
    assert_eq!(reports[0]["distance"], 0.0);
    let distance = reports[1]["distance"].as_f64().unwrap();
    assert!(distance > 0.0 && distance < 1e-2, "{distance}");
    let table = folder.read("apart.csv");
    assert!(table.starts_with("t,total1,stretch_max1,distance1,total2,"), "{table}");
    assert_eq!(table.lines().count(), 1 + 21);
    assert!(folder.stdout(line).contains("furthest apart"));
}

#[test]
fn an_analysis_that_gets_nowhere_gives_up_with_a_sentence() {
    let folder = laboratory();
    // One part of this analysis takes longer than 0.2 s.
    let said = folder.run("converge lab.ron --duration 60 --dt 10us..20us --give-up 0.2");
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("no part of the work has finished within 200 ms"), "{}", said.err);
    assert!(folder.error("limit lab.ron --give-up 0").contains("--give-up is 0"));
}

#[test]
fn optional_parameters_take_none_and_some_as_explain_prints_them() {
    let folder = TestFolder::new();
    let hash = |set: &str| {
        let line = format!("run swing.ron --json --constraints {set} --duration 0.2");
        folder.json(&line)["hash"].clone()
    };
    let some = hash("soft-step --set constraints.hertz=Some(3)");
    assert_eq!(some, hash("soft-step --set constraints.hertz=3"));
    assert_ne!(some, hash("soft-step --set constraints.hertz=None"));
    assert_eq!(hash("xpbd --set constraints.compliance=None"), hash("xpbd"));
    assert_ne!(hash("xpbd --set constraints.compliance=Some(0.1)"), hash("xpbd"));
    for (set, message) in [
        ("constraints.hertz=fast", "found \"fast\", expected a number or None"),
        ("constraints.hertz=Some(fast)", "found \"Some(fast)\", expected a number or None"),
        ("dt=fast", "found \"fast\", expected a number"),
        ("substeps=1.5", "found \"1.5\", expected a whole number"),
        ("substeps=None", "found \"None\", expected a whole number"),
    ] {
        let line = format!("run swing.ron --constraints soft-step --set {set}");
        let error = folder.error(&line);
        assert!(error.ends_with(&format!("--set {set}: {message}\n")), "{error}");
    }
}
