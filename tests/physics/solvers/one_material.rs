//! One material gives the same rope under every solver that can represent it, for any number of
//! links and substeps. A solver that cannot represent it reports this.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use crate::support;
use rayon::prelude::*;
use ropelab::simulation::Simulation;

const FRAME: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;

/// Axial stiffness E·A of the rope in newtons, mass of the rope and mass of the load in kilograms.
const EA: f64 = 20.0;
const ROPE: f64 = 0.1;
const LOAD: f64 = 0.4;

const SEGMENTS: [u32; 4] = [10, 20, 40, 80];
const SUBSTEPS: [u32; 3] = [1, 4, 16];

/// Solvers that represent a compliant rope, with sufficient numbers of sweeps. XPBD needs about N²
/// sweeps for N links to converge, so it is included only for short ropes.
fn solvers(segments: u32) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("springs", "integrator: ImplicitEuler".to_owned()),
        ("direct", "integrator: SymplecticEuler, constraints: Direct()".to_owned()),
        (
            "Soft Step",
            "integrator: SymplecticEuler, constraints: SoftStep(hertz: None, iterations: 20)"
                .to_owned(),
        ),
    ];
    if segments <= 20 {
        let sweeps = 8 * segments * segments;
        let xpbd = format!("integrator: SymplecticEuler, constraints: Xpbd(iterations: {sweeps})");
        all.push(("XPBD", xpbd));
    }
    all
}

/// A rope of 1 m with a load at its lower end, which hangs straight down with unstretched links at
/// the start.
fn rope(segments: u32, substeps: u32, settings: &str, drag: f64) -> Simulation {
    // The last particle has the mass of the load and of half a link.
    let end = LOAD + 0.5 * ROPE / f64::from(segments);
    let text = format!(
        r#"(version: 1, name: "rope",
            materials: [Rope(name: "m", mass_per_metre: {ROPE}, stiffness: {EA}, damping: 0)],
            ropes: [(name: "r", from: (0, 0, 0), to: (0, -1, 0), segments: {segments}, material: "m")],
            masses: [(of: End("r"), mass: {end})], pins: [(of: Start("r"))],
            forces: [(law: Gravity()), (law: LinearDrag(coefficient: {drag}))],
            settings: ({settings}, contact: Off, dt: {FRAME}, substeps: {substeps}))"#
    );
    support::simulation(&text)
}

fn sag(rope: &Simulation) -> f64 {
    -1.0 - rope.state().x.last().unwrap().y
}

/// Calls `check` with a description, the number of links, the number of substeps and the settings,
/// for every combination of solver, links and substeps.
fn for_all(check: impl Fn(&str, u32, u32, &str) + Sync) {
    let all: Vec<(u32, u32)> =
        SEGMENTS.iter().flat_map(|n| SUBSTEPS.map(|substeps| (*n, substeps))).collect();
    all.par_iter().for_each(|&(segments, substeps)| {
        for (name, settings) in solvers(segments) {
            let what = format!("{name}, {segments} links, {substeps} substeps");
            check(&what, segments, substeps, &settings);
        }
    });
}

#[test]
fn one_material_hangs_equally_far_down() {
    for_all(|what, segments, substeps, settings| {
        let mut rope = rope(segments, substeps, settings, 10.0);
        (0..600).for_each(|_| rope.step(FRAME));
        let links = f64::from(segments);
        // Each link carries the load, the links below it and half of its own weight.
        let carried: f64 = (0..segments).map(|i| LOAD + ROPE * (f64::from(i) + 0.5) / links).sum();
        let expected = carried * GRAVITY / (EA * links);
        let error = sag(&rope) / expected - 1.0;
        match rope.solver_limit() {
            None => assert!(error.abs() < 1e-3, "{what}: {error}"),
            Some(_) => assert!(error > 1e-3, "{what}: it misses by {error} and says so"),
        }
    });
}

#[test]
fn one_material_swings_up_and_down_in_the_same_time() {
    // First longitudinal vibration of a rod of length L, mass m and stiffness EA with a load M at
    // its end: x tan x = m/M, ω = x √(EA/ρ)/L with ρ = m/L.
    let mut x: f64 = 0.5;
    for _ in 0..50 {
        let f = x * x.tan() - ROPE / LOAD;
        x -= f / (x.tan() + x / x.cos().powi(2));
    }
    let expected = std::f64::consts::TAU / (x * (EA / ROPE).sqrt());
    for_all(|what, segments, substeps, settings| {
        let mut rope = rope(segments, substeps, settings, 0.0);
        if rope.solver_limit().is_some() {
            return;
        }
        // Measures the period: time between the first and the second lowest point of the load.
        let (mut turns, mut before) = (Vec::new(), [0.0; 2]);
        while turns.len() < 2 {
            rope.step(FRAME);
            let speed = rope.state().v.last().unwrap().y;
            if before[1] < 0.0 && speed >= 0.0 {
                let part = before[1] / (before[1] - speed);
                turns.push(before[0] + part * (rope.state().t - before[0]));
            }
            before = [rope.state().t, speed];
        }
        let error = (turns[1] - turns[0]) / expected - 1.0;
        assert!(error.abs() < 0.01, "{what}: {error}");
    });
}
