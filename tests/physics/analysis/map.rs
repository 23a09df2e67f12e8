//! Maps of the settings compared with closed forms and with a computation of all cells, in parts
//! and on several numbers of threads.

use ropelab::analysis::job::{JobPool, Work};
use ropelab::analysis::map::{
    Axis, MapLine, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity,
};
use ropelab::analysis::stability;
use ropelab::export::cells::CellFile;
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// A chain of 4 beads of 0.2 kg between two pins, under low tension.
const CHAIN: &str = r#"(
    version: 1, name: "chain",
    materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 20, damping: 0)],
    ropes: [(name: "rope", from: (0, 1, 0), to: (1, 1, 0), length: 0.9, segments: 5, material: "cord")],
    pins: [(of: Start("rope")), (of: End("rope"))],
    forces: [],
)"#;

fn mapped_scene(text: &str) -> MappedScene {
    let scene = Scene::parse(text, "test").expect("the test's scene is good");
    let settings = scene.lanes[0].settings;
    MappedScene { parts: scene.parts.clone(), settings, file: None, lane: 0 }
}

fn plan(names: &[&str], cells: u32, boundary: bool) -> MapPlan {
    let axis = |quantity, range| Axis::new(quantity, range, cells).expect("a good axis");
    let known = |name: &&str| Method::from_name(name).expect("the test's names are right");
    MapPlan {
        x: axis(Quantity::Dt, [1e-3, 1e-1]),
        y: axis(Quantity::Stiffness, [1e1, 1e4]),
        integrators: names.iter().map(known).collect(),
        shown: ShownQuantity::Growth,
        boundary,
    }
}

fn compute(plan: &MapPlan, part: MapPart) -> Vec<MapLine> {
    plan.compute(&mapped_scene(CHAIN), part, &Work::unwatched()).expect("not cancelled")
}

/// Number of stable cells before the first unstable cell of a line.
fn boundary(line: &MapLine) -> usize {
    line.cells.iter().take_while(|cell| cell.holds).count()
}

/// The fastest of the vibrations of 4 beads between fixed ends has ω² = 4 (k/m) sin²(4π/10).
#[test]
fn the_boundary_is_that_of_the_closed_form_to_one_cell() {
    let schemes = [
        ("symplectic-euler", 2.0),
        ("velocity-verlet", 2.0),
        ("rk4", 8f64.sqrt()),
        ("rk3", 3f64.sqrt()),
    ];
    let plan = plan(&schemes.map(|(name, _)| name), 20, false);
    let m = mapped_scene(CHAIN).parts.mesh.masses[1];
    for line in compute(&plan, MapPart::WHOLE) {
        let (name, z) = schemes[line.panel];
        let k = plan.y.value(line.number as u32);
        let omega = 2.0 * (k / m).sqrt() * (0.4 * std::f64::consts::PI).sin();
        let expected = (0..20).filter(|&i| plan.x.value(i) * omega <= z).count();
        let found = boundary(&line);
        assert!(found.abs_diff(expected) <= 1, "{name}, k = {k}: {found} cells, not {expected}");
    }
}

#[test]
fn bisection_finds_what_brute_force_finds() {
    let names = ["symplectic-euler", "rk4"];
    let brute = compute(&plan(&names, 64, false), MapPart::WHOLE);
    let quick = compute(&plan(&names, 64, true), MapPart::WHOLE);
    let (mut computed, mut differ) = (0, 0);
    for (brute, quick) in brute.iter().zip(&quick) {
        let cells = brute.cells.iter().zip(&quick.cells);
        differ += cells.filter(|(brute, quick)| brute.holds != quick.holds).count();
        computed += quick.cells.iter().filter(|cell| !cell.value.is_nan()).count();
    }
    // Far above the boundary springs turn over and the growing disturbance is no longer small, but
    // by theory the cells are unstable.
    assert_eq!(differ, 0, "cells of 8192 differ");
    assert!(computed < 64 * 64 * names.len() / 6, "{computed} cells were computed");
}

/// A cloth that hangs by two corners and buckles; its folds grow at rates of 36 to 42 per second.
const HUNG_BY_CORNERS: &str = r#"(
    version: 1, name: "flag",
    materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 3000,
                      shear_stiffness: 300, bend_stiffness: 5, damping: 0.1)],
    cloths: [(name: "flag", corner: (0, 1.6, 0), across: (0.8, 0, 0), down: (0, -0.6, 0),
              cells: (9, 7), material: "linen")],
    pins: [(of: Corner("flag", TopLeft)), (of: Corner("flag", TopRight))],
)"#;

/// The map has the same stability boundary as `limit`, although the cloth buckles.
#[test]
fn cells_of_a_cloth_that_buckles_hold_up_to_its_limit() {
    let mapped_scene = mapped_scene(HUNG_BY_CORNERS);
    let greatest =
        mapped_scene.parts.mesh.links.iter().map(|link| link.stiffness).fold(0.0, f64::max);
    let axis = |quantity, range, cells| Axis::new(quantity, range, cells).expect("a good axis");
    let dt = axis(Quantity::Dt, [1e-4, 1.6e-3], 24);
    let plan = MapPlan {
        x: dt.clone(),
        y: axis(Quantity::Stiffness, [greatest, greatest * (1.0 + 1e-9)], 1),
        integrators: ["symplectic-euler", "velocity-verlet", "rk4"]
            .map(|name| Method::from_name(name).expect("a method"))
            .to_vec(),
        shown: ShownQuantity::Growth,
        boundary: false,
    };
    let mut wrong = Vec::new();
    for line in
        plan.compute(&mapped_scene, MapPart::WHOLE, &Work::unwatched()).expect("not cancelled")
    {
        let name = plan.integrators[line.panel].info().name;
        let theory = line.theory.expect("dt varies along the line");
        let settings =
            Settings { integrator: plan.integrators[line.panel], ..mapped_scene.settings };
        let lane = Simulation::new(mapped_scene.parts.clone(), settings);
        let limit = stability::predict_limit(&lane).longest();
        let expected = (0..24).filter(|&i| dt.value(i) <= limit).count();
        let found = boundary(&line);
        if found.abs_diff(expected) > 1 {
            wrong.push(format!("{name}: {found} cells, not {expected}; theory {theory}, {limit}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn csv(lines: Vec<MapLine>, plan: &MapPlan) -> CellFile {
    CellFile { scene: "chain".into(), plan: plan.clone(), lines }
}

#[test]
fn parts_and_threads_give_the_same_bits_as_one_run() {
    let of = |size: u32| plan(&["symplectic-euler", "rk4"], size, false);
    let on = |threads: usize, plan: &MapPlan| {
        let (job_plan, mapped_scene) = (plan.clone(), mapped_scene(CHAIN));
        let pool = JobPool::new(threads, || ());
        let job = pool.start(move |work| job_plan.compute(&mapped_scene, MapPart::WHOLE, work));
        csv(job.wait().expect("not cancelled"), plan).to_csv()
    };
    assert_eq!(on(1, &of(40)), on(2, &of(40)));
    let plan = of(16);
    let whole = on(1, &plan);
    let part = |k: usize| csv(compute(&plan, MapPart { index: k, count: 3 }), &plan).to_csv();
    let read = |k: usize| {
        let file = CellFile::parse(&part(k), "part").expect("a part reads back");
        (format!("part{k}"), file)
    };
    let joined = CellFile::merge(vec![read(2), read(0), read(1)]).expect("all parts are there");
    assert_eq!(joined.to_csv(), whole);
    let error = CellFile::merge(vec![read(0), read(2)]).expect_err("a part is missing");
    assert!(error.to_string().starts_with("11 of 32 lines of the map are missing"), "{error}");
    let error = CellFile::merge(vec![read(0), read(0)]).expect_err("a part is there twice");
    assert!(error.to_string().contains("is in part0 and in part0"), "{error}");
    let damaged = part(0).replace("boundary:", "bounds:");
    let error = CellFile::parse(&damaged, "part").expect_err("the plan is damaged").to_string();
    assert!(error.contains("the plan of the map is damaged at column "), "{error}");
}

/// A bob of 1 kg on a spring of 100 N/m (ω = 10 rad/s) that oscillates along it.
const BOB: &str = r#"(
    version: 1, name: "bob", forces: [],
    particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
    links: [(a: Body("hook"), b: Body("bob"), rest: 0.9, stiffness: 100)],
    pins: [(of: Body("hook"))],
)"#;

/// Computes a map of errors: two values of dt per line, two lines with two values of another
/// quantity.
fn errors(method: &str, dts: [f64; 2], other: (Quantity, [f64; 2])) -> Vec<MapLine> {
    let axis = |quantity, range| Axis::new(quantity, range, 2).expect("a good axis");
    let plan = MapPlan {
        x: axis(Quantity::Dt, dts),
        y: axis(other.0, other.1),
        integrators: vec![Method::from_name(method).expect("a known method")],
        shown: ShownQuantity::Error { duration: 0.5, most: 0.01 },
        boundary: false,
    };
    plan.compute(&mapped_scene(BOB), MapPart::WHOLE, &Work::unwatched()).expect("not cancelled")
}

/// The frequency of velocity Verlet is too high by the factor 1 + (ωh)²/24. After 0.5 s (ωt = 5
/// rad) a bob with an amplitude of 0.1 m therefore is off by at most 0.1 · 5 · (ωh)²/24. The error
/// is relative to the size of the motion, 0.2 m.
#[test]
fn an_error_is_that_of_the_closed_form_and_shrinks_as_the_order_says() {
    // Two cells on a linear axis from 0.001 to 0.009 s are at 3 ms and 7 ms.
    let lines = errors("velocity-verlet", [1e-3, 9e-3], (Quantity::Substeps, [1.0, 5.0]));
    let at = |line: usize, cell: usize| lines[line].cells[cell].value;
    let expected = |h: f64| 0.1 * 5.0 * (10.0 * h).powi(2) / 24.0 / 0.2;
    // The two lines have 2 and 4 substeps.
    for (line, parts) in [(0, 2.0), (1, 4.0)] {
        for (cell, dt) in [(0, 0.003), (1, 0.007)] {
            let (found, expected) = (at(line, cell), expected(dt / parts));
            assert!((found / expected - 1.0).abs() < 0.1, "{found:e}, not {expected:e}");
        }
    }
    assert!(lines.iter().all(|line| line.theory.is_some_and(|dt| dt > 0.3)), "{lines:?}");
}

/// Each line has another stiffness and therefore another exact solution. Beyond the stability limit
/// the errors are large.
#[test]
fn an_error_is_against_the_truth_of_the_cells_own_scene() {
    let lines = errors("rk4", [1e-3, 9e-3], (Quantity::Stiffness, [50.0, 150.0]));
    let cells = lines.iter().flat_map(|line| &line.cells);
    assert!(cells.clone().all(|cell| cell.holds && cell.value < 1e-6), "{lines:?}");
    let lines = errors("velocity-verlet", [0.1, 0.5], (Quantity::Stiffness, [100.0, 300.0]));
    assert!(lines.iter().all(|line| line.cells[1].value > 1.0), "{lines:?}");
}

#[test]
fn one_quantity_on_both_axes_is_refused() {
    let twice = MapPlan { y: plan(&["rk4"], 4, false).x, ..plan(&["rk4"], 4, false) };
    let error = twice.check(&mapped_scene(CHAIN)).expect_err("dt × dt");
    assert_eq!(error.to_string(), "axis dt: it is on both axes");
}

#[test]
fn bad_axes_are_answered_with_the_nearest_right_name() {
    let message = |text: &str| {
        let number = |_: &Quantity, text: &str| text.parse().map_err(|_| "no number".to_owned());
        Axis::read(text, 64, number).expect_err(text).to_string()
    };
    assert!(message("stifness=1..2").contains("did you mean \"stiffness\"?"));
    assert!(message("=1..2").starts_with("unknown axis \"\""), "{}", message("=1..2"));
    assert!(message("dt").contains("expected a name and a range such as dt=1e-4..1e-1"));
    assert!(message("dt=1..1").contains("is empty"));
    assert!(message("dt=NaN..1").contains("expected finite numbers"));
    assert!(message("dt=-1..1").contains("expected more than 0"));
    assert!(message("segments=0..4").contains("expected at least 1"));
    let axis = Axis::new(Quantity::Dt, [1e-3, 1e-1], 1_000_000_000);
    assert!(axis.expect_err("10⁹ cells").to_string().contains("expected 1 to 4096"));
}
