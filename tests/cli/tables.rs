//! CSV tables of runs and printed tables of comparisons.

use super::{TestFolder, split_cells};

#[test]
fn free_fall_can_be_checked_from_the_csv_file() {
    let folder = TestFolder::new();
    folder.stdout("run fall.ron --dt 10ms --duration 1 --csv fall.csv --track 0");
    let table = folder.read("fall.csv");
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

/// Returns the values of the column with this name.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let head = lines.next().expect("a head");
    let index = head.split(',').position(|column| column == name);
    let index = index.unwrap_or_else(|| panic!("no column {name} in {head}"));
    lines.map(|line| line.split(',').nth(index).unwrap().parse().unwrap()).collect()
}

#[test]
fn tensions_pins_and_momenta_are_columns_on_request() {
    let folder = TestFolder::new();
    // Two weights on rods, one below the other, and a free particle that moves past the origin.
    folder.write(
        "weights.ron",
        "(version: 1, name: \"weights\", particles: [(at: (0, 0, 0)), (at: (0, -1, 0), mass: 2), \
         (at: (0, -2, 0), mass: 3), (at: (5, 1, 0), mass: 4, velocity: (0, 0, 1))], links: [(a: \
         Particle(0), b: Particle(1), rigid: true), (a: Particle(1), b: Particle(2), rigid: true)], \
         pins: [(of: Particle(0))], forces: [(law: Gravity(), on: Any([Particle(1), \
         Particle(2)]))], settings: (constraints: Shake(), dt: 0.001))",
    );
    let columns = "tension,stretch,pins,momentum,angular-momentum";
    folder.stdout(&format!("run weights.ron --duration 0.1 --csv w.csv --columns {columns}"));
    let table = folder.read("w.csv");
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
    // Angular momentum L = m x × v.
    near("Lx", 4.0, 1e-9);
    near("Ly", -20.0, 1e-9);
    folder.error("run weights.ron --csv w.csv --columns tensions");
}

#[test]
fn a_floor_bears_the_weight_of_what_lies_on_it() {
    let folder = TestFolder::new();
    folder.write(
        "table.ron",
        "(version: 1, name: \"table\", particles: [(at: (0, 0.1, 0), mass: 2, ball: (radius: 0.1, \
         surface: (restitution: 0))), (at: (1, 0, 0), mass: 3)], colliders: [(shape: Plane())], \
         forces: [(law: Gravity())], settings: (dt: 0.001))",
    );
    folder.stdout("run table.ron --duration 0.2 --csv t.csv --columns colliders");
    let table = folder.read("t.csv");
    let mean = column(&table, "collider0y");
    let mean = mean[100..].iter().sum::<f64>() / (mean.len() - 100) as f64;
    assert!((mean / (-5.0 * 9.81) - 1.0).abs() < 1e-6, "{mean} N");
}

/// A ball of 1 kg lies on a plate with the path y = 0.1 m · sin(ωt), ω = 2π/s, whose acceleration
/// stays below g. The ball presses on the plate with g + y″ at the time of each row.
#[test]
fn the_force_on_a_moving_collider_is_that_of_the_rows_time() {
    let folder = TestFolder::new();
    folder.write(
        "plate.ron",
        "(version: 1, name: \"plate\", forces: [(law: Gravity())], particles: [(at: (0, 0.2, 0), \
         velocity: (0, 0.628318530718, 0), ball: (radius: 0.1, surface: (restitution: 0)))], \
         colliders: [(shape: Box(size: (2, 0.2, 2)), surface: (restitution: 0), \
         path: Swing(amplitude: (0, 0.1, 0), frequency: 1))], settings: (dt: 0.01))",
    );
    for (line, contact) in [("", "swept"), ("--substeps 4", "swept"), ("", "discrete")] {
        let line = format!("{line} --contact {contact} --csv p.csv --columns colliders");
        folder.stdout(&format!("run plate.ron --duration 1.2 {line}"));
        let table = folder.read("p.csv");
        let (t, force) = (column(&table, "t"), column(&table, "collider0y"));
        assert_eq!(t.len(), 121);
        let omega = std::f64::consts::TAU;
        // In the first steps the ball begins to touch the plate. No step follows the last row.
        for (t, force) in t.iter().zip(&force).take(120).skip(3) {
            let expected = -(9.81 - 0.1 * omega * omega * (omega * t).sin());
            assert!(
                (force - expected).abs() < 0.02,
                "{line}: {force} N at {t} s, not {expected} N"
            );
        }
    }
}

#[test]
fn with_frame_times_there_is_a_row_a_frame_on_request() {
    let folder = TestFolder::new();
    folder.stdout(
        "run fall.ron --dt 10ms --stepping accumulator --frame-times 60hz --duration 0.5 --csv \
         f.csv --columns frames",
    );
    let table = folder.read("f.csv");
    let [t, frame, steps, owed, dropped] =
        ["t", "frame", "steps", "owed", "dropped"].map(|name| column(&table, name));
    assert_eq!(t.len(), 31, "the start and 30 frames");
    assert!((steps.iter().sum::<f64>() * 0.01 - t[30]).abs() < 1e-12);
    for k in 1..31 {
        assert_eq!(frame[k], 1.0 / 60.0);
        // simulated + owed + dropped = wall
        let account = t[k] + owed[k] + dropped[k] - k as f64 / 60.0;
        assert!(account.abs() < 1e-12, "frame {k}: {account} s missing");
    }
    let refused = folder.error("run fall.ron --csv f.csv --columns frames");
    assert!(refused.contains("--frame-times"), "{refused}");
}

#[test]
fn every_tenth_step_is_written_on_request() {
    let folder = TestFolder::new();
    folder.stdout("run fall.ron --dt 10ms --duration 1 --csv fall.csv --every 10");
    let table = folder.read("fall.csv");
    let times: Vec<&str> = table.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(times.len(), 12);
    assert_eq!(times[..3], ["t", "0.0", "0.1"]);
}

#[test]
fn the_table_of_a_comparison_keeps_the_order_of_the_arguments() {
    let folder = TestFolder::new();
    let table = folder
        .stdout("compare swing.ron --lane calm --integrator explicit-euler,rk4 --dt 1ms,10ms");
    let table = split_cells(&table);
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
    let folder = TestFolder::new();
    let lanes = folder.json("compare swing.ron --json");
    assert_eq!(lanes[0]["lane"], "calm");
    assert_eq!(lanes[1]["lane"], "wild");
    assert_eq!(lanes.as_array().unwrap().len(), 2);
    let integrators = folder.json("compare fall.ron --json");
    assert_eq!(integrators.as_array().unwrap().len(), 5);
}

#[test]
fn particles_are_tracked_by_number_by_name_and_all() {
    let folder = TestFolder::new();
    let columns = |track: &str| {
        let command = &mut folder.command("run swing.ron --duration 2ms --csv -");
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
fn a_ball_is_tracked_from_its_throw_on() {
    let folder = TestFolder::new();
    let scene = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0))], pins: [(of: Particle(0))], \
                 thrown: [(at: (5, 0, 0), velocity: (4, 0, 0), mass: 0.3, radius: 0.05, after: \
                 0.05)])";
    folder.write("throw.ron", scene);
    let table = folder.run("run throw.ron --dt 10ms --duration 0.07 --csv - --track all").out;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "x1").expect("the ball has a column");
    let x: Vec<f64> = rows[1..].iter().map(|row| row[column].parse().unwrap()).collect();
    assert!(x[..6].iter().all(|x| x.is_nan()), "{x:?}");
    assert!((x[6] - 5.04).abs() < 1e-9 && (x[7] - 5.08).abs() < 1e-9, "{x:?}");
}
