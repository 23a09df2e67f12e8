//! Bounds of scenes: all values that are computed from an accepted scene are finite and positive,
//! and a small file cannot demand more memory or time than a machine has.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use proptest::prelude::*;
use ropelab::mesh::Link;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use std::time::{Duration, Instant};

fn scene(more: &str) -> String {
    format!("(version: 1, name: \"x\", {more})")
}

fn parse(more: &str) -> Result<Scene, String> {
    Scene::parse(&scene(more), "x").map_err(|e| e.to_string())
}

#[track_caller]
fn assert_refused(more: &str, why: &str) {
    let message = parse(more).expect_err(more);
    assert!(message.contains(why), "{more}\n{message}");
    assert!(message.chars().count() < 500, "{message}");
}

#[test]
fn numbers_beyond_reason_are_refused_where_they_stand_or_where_they_lead() {
    let rope = |more: &str| format!("ropes: [(from: (0, 0, 0), to: (1, 0, 0), {more})]");
    let cord =
        |more: &str| format!("materials: [Rope(name: \"c\", {more})], {}", rope("material: \"c\""));
    for number in ["1e160", "1e300", "1e308", "-1e308"] {
        assert_refused(
            &format!("ropes: [(from: (0, 0, 0), to: ({number}, 0, 0))]"),
            "expected at most 1e15",
        );
    }
    assert_refused(&rope("length: 5e-324"), "found 5e-324, expected 1e-15 to 1e15");
    assert_refused(&cord("mass_per_metre: 5e-324"), "found 5e-324");
    assert_refused(&cord("stiffness: 1e308"), "found 1e308");
    assert_refused(&cord("stiffness: 5e-324"), "found 5e-324");
    assert_refused(&cord("damping: 1e308"), "found 1e308");
    assert_refused(&cord("mass_per_metre: 1e-15"), "makes a particle of 2.5e-17 kg");
    assert_refused(&cord("stiffness: 1e14"), "makes links of stiffness 2e15 N/m");
    assert_refused(
        "cloths: [(corner: (0, 0, 0), across: (1e-150, 0, 0), down: (0, 1e-150, 0), cells: (2, 2))]",
        "found an edge of 1e-150 m, expected 1e-15 to 1e15 m",
    );
    assert_refused(
        "cloths: [(corner: (9e14, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (99, 99))]",
        "makes links of length 0 m",
    );
    assert_refused(
        "particles: [(at: (0, 0, 0))], forces: [(law: Gravity(g: (0, 1e308, 0)))]",
        "1e308",
    );
    assert_refused(
        "particles: [(at: (0, 0, 0))], camera: Side(centre: (0, 0, 0), height: 1e300)",
        "height 1e300",
    );
    assert_refused(
        "particles: [(at: (0, 0, 0))], pins: [(of: All, path: Swing(amplitude: (1e300, 0, 0), frequency: 1))]",
        "at most 1e15",
    );
}

#[test]
fn a_sheet_of_any_size_that_is_no_line_is_no_line() {
    for size in ["1e-12", "1", "1e14"] {
        let text = format!(
            "materials: [Cloth(name: \"c\", areal_density: {})],
             cloths: [(corner: (0, 0, 0), across: ({size}, 0, 0), down: (0, {size}, 0),
                cells: (2, 2), material: \"c\")]",
            if size == "1e-12" {
                "1e12"
            } else if size == "1" {
                "1"
            } else {
                "1e-14"
            },
        );
        parse(&text).unwrap_or_else(|e| panic!("{size}: {e}"));
    }
}

#[test]
fn small_files_that_ask_for_much_are_refused_at_once() {
    let cloth =
        "cloths: [(corner: (0, 0, 0), across: (9, 0, 0), down: (0, -9, 0), cells: (299, 299))]";
    let started = Instant::now();
    let forces = "(law: Gravity()),".repeat(1000);
    assert_refused(&format!("{cloth}, forces: [{forces}]"), "expected at most 33554432 in a file");
    let all = "All,".repeat(1000);
    assert_refused(&format!("{cloth}, pins: [(of: Any([{all}]))]"), "expected at most 33554432");
    let masses = "(of: All, mass: 1),".repeat(20_000);
    assert_refused(&format!("{cloth}, masses: [{masses}]"), "expected at most 33554432");
    let name = "q".repeat(100_000);
    let materials: String = (0..2000).map(|i| format!("Rope(name: \"cord {i}\"),")).collect();
    assert_refused(
        &format!(
            "materials: [{materials}],
             ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"{name}\")]"
        ),
        "no material is named \"qqq",
    );
    let colliders = "(shape: Plane()),".repeat(2000);
    assert_refused(&format!("{cloth}, colliders: [{colliders}]"), "180000000 pairs to test");
    for deep in ["camera: ", "floor: ", "look_for: "] {
        let nested = format!("{deep}{}1{}", "Some(".repeat(100_000), ")".repeat(100_000));
        assert_refused(&nested, "nested too deeply");
    }
    assert_refused(&format!("{}: 1", "f".repeat(10_000_000)), "unknown field");
    // Seven files. An unoptimised build on a busy machine takes many times as long as a release.
    let limit = if cfg!(debug_assertions) { 120 } else { 7 * 2 };
    assert!(started.elapsed() < Duration::from_secs(limit), "{:?}", started.elapsed());
}

#[test]
fn a_file_of_a_megabyte_of_slack_ropes_is_ready_at_once() {
    let far = "(from: (0, 0, 0), to: (1, 0, 0), length: 2),".repeat(23_000);
    // Ends that are few links apart need the folded form, because the rope has no equilibrium.
    let narrow = "(from: (0, 0, 0), to: (0.1, 0, 0), length: 9, segments: 300),".repeat(3_000);
    for ropes in [far, narrow] {
        let started = Instant::now();
        parse(&format!("ropes: [{ropes}]")).unwrap_or_else(|e| panic!("{e}"));
        let limit = if cfg!(debug_assertions) { 6 } else { 2 };
        assert!(started.elapsed() < Duration::from_secs(limit), "{:?}", started.elapsed());
    }
}

/// Numbers of any size, with evenly distributed exponents, and special numbers.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-18.0f64..18.0, any::<bool>()).prop_map(|(e, minus)| {
            let size = 10f64.powf(e);
            if minus { -size } else { size }
        }),
        6 => (-3.0f64..3.0).prop_map(|e| 10f64.powf(e)),
        1 => proptest::sample::select(vec![0.0, -0.0, 1.0, 5e-324, 1e308, -1e308, 1e160]),
    ]
}

fn any_body() -> impl Strategy<Value = String> {
    let n = || any_number();
    let count = 1u32..6;
    prop_oneof![
        ([n(), n(), n(), n()], n(), count.clone()).prop_map(|([a, b, c, l], k, s)| format!(
            "materials: [Rope(name: \"m\", stiffness: {k:?}, bend_stiffness: {a:?})],
             ropes: [(from: ({a:?}, {b:?}, 0), to: ({c:?}, 0, 1), length: {l:?}, segments: {s}, material: \"m\")]"
        )),
        ([n(), n(), n()], count.clone()).prop_map(|([a, b, c], s)| format!(
            "ropes: [(from: ({a:?}, {b:?}, 0), to: ({c:?}, 0, {a:?}), segments: {s})]"
        )),
        ([n(), n(), n(), n()], count.clone(), count.clone()).prop_map(|([a, b, c, d], s, t)| format!(
            "materials: [Cloth(name: \"m\", areal_density: {d:?}, damping: {a:?})],
             cloths: [(corner: ({a:?}, 0, 0), across: ({b:?}, 0, 0), down: (0, {c:?}, 0), cells: ({s}, {t}), material: \"m\")]"
        )),
        ([n(), n(), n(), n()], count.clone(), count).prop_map(|([a, b, c, d], s, t)| format!(
            "materials: [Rope(name: \"m\", mass_per_metre: {d:?}, stiffness: {a:?})],
             nets: [(corner: (0, 0, 0), across: ({b:?}, 0, 0), down: (0, {c:?}, 0), cells: ({s}, {t}), material: \"m\")]"
        )),
        [n(), n(), n(), n(), n()].prop_map(|[a, b, m, k, v]| format!(
            "particles: [(at: ({a:?}, {b:?}, 0), mass: {m:?}, velocity: ({v:?}, 0, 0)), (at: (0, 0, 0))],
             links: [(a: Particle(0), b: Particle(1), stiffness: {k:?})],
             forces: [(law: Gravity(g: (0, {v:?}, 0)))], floor: {b:?}"
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_check_accepts_is_finite_and_what_export_writes_is_accepted(body in any_body()) {
        let Ok(scene) = parse(&body) else { return Ok(()) };
        let mesh = &scene.parts.mesh;
        let good = |x: f64| x.is_finite() && x > 0.0;
        prop_assert!(mesh.positions.iter().all(|x| x.is_finite()));
        prop_assert!(mesh.masses.iter().all(|&m| good(m) && good(1.0 / m)), "{:?}", mesh.masses);
        for Link { rest, stiffness, damping, .. } in mesh.links.iter() {
            let are_good = good(rest) && good(stiffness) && good(1.0 / stiffness);
            prop_assert!(are_good, "rest length {rest}, stiffness {stiffness}");
            prop_assert!(damping.is_finite() && damping >= 0.0);
        }
        prop_assert_eq!(scene.camera.check(), Ok(()));
        let energy = Simulation::new(scene.parts.clone(), scene.lanes[0].settings).energy();
        for part in [energy.kinetic, energy.potential, energy.elastic, energy.total()] {
            prop_assert!(part.is_finite(), "{energy:?}");
        }
        let again = Scene::parse(&scene.to_ron(), "export").map_err(|e| e.to_string());
        prop_assert_eq!(again, Ok(scene));
    }
}
