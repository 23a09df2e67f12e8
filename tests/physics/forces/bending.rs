//! Bending: deflection compared with the elastica, and stability, clamps and cuts of bends.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use crate::support::simulation;
use ropelab::simulation::Simulation;

/// Loads as p = P L²/EI: from loads for which the linear beam formula holds to a load that turns
/// the tip of the rod down.
const LOADS: [f64; 4] = [0.1, 0.5, 2.0, 5.0];

/// Deflection of the tip of a weightless rod that is clamped horizontally, under a load P at the
/// tip, divided by the rod's length L. θ″ = −p cos θ for 0 ≤ s ≤ 1 with θ(0) = 0, θ′(1) = 0, p = P
/// L²/EI; the deflection is ∫ sin θ ds. θ′(0) is found by shooting with the classical Runge–Kutta
/// method.
fn elastica(p: f64) -> f64 {
    const STEPS: usize = 1000;
    let shoot = |curvature: f64| {
        let h = 1.0 / STEPS as f64;
        let rate = |[theta, kappa, _]: [f64; 3]| [kappa, -p * theta.cos(), theta.sin()];
        let along = |y: [f64; 3], s: f64, k: [f64; 3]| [0, 1, 2].map(|i| y[i] + s * k[i]);
        let mut y = [0.0, curvature, 0.0];
        for _ in 0..STEPS {
            let k1 = rate(y);
            let k2 = rate(along(y, 0.5 * h, k1));
            let k3 = rate(along(y, 0.5 * h, k2));
            let k4 = rate(along(y, h, k3));
            y = [0, 1, 2].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        y
    };
    let (mut low, mut high) = (0.0, p);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] > 0.0 { high = middle } else { low = middle }
    }
    shoot(0.5 * (low + high))[2]
}

#[test]
fn the_reference_is_that_of_bisshopp_and_drucker() {
    // Published values of "Large deflection of cantilever beams" (1945). For small loads, the
    // linear beam formula P L³/(3 EI).
    for (p, deflection) in [(1.0, 0.302), (2.0, 0.494), (5.0, 0.714), (10.0, 0.811)] {
        assert!((elastica(p) - deflection).abs() < 1e-3, "load {p}: deflection {}", elastica(p));
    }
    assert!((elastica(1e-3) * 3e3 - 1.0).abs() < 1e-6);
}

/// A rod of 1 m with EI = 1 N·m² and little mass, in `cells` cells, clamped horizontally by two
/// pins. A mass of 0.05 kg at its tip is loaded with `load` newtons. Drag brings the rod to rest.
fn rope(cells: u32, load: f64, settings: &str) -> Simulation {
    let cell = 1.0 / f64::from(cells);
    simulation(&format!(
        r#"(version: 1, name: "rope",
            materials: [Rope(name: "rod", mass_per_metre: 0.5, stiffness: 1e4, damping: 0,
                             flexural_rigidity: 1)],
            ropes: [(name: "rod", from: (-{cell}, 0, 0), to: (1, 0, 0), segments: {segments},
                     material: "rod")],
            masses: [(of: End("rod"), mass: 0.05)],
            pins: [(of: Any([Node("rod", 0), Node("rod", 1)]))],
            forces: [(law: Gravity(g: (0, -{gravity}, 0)), on: End("rod")),
                     (law: LinearDrag(coefficient: 8))],
            settings: {settings})"#,
        segments = cells + 1,
        gravity = load / 0.05,
    ))
}

/// Strip of cloth 0.2 m wide, clamped and loaded like [`rope`].
fn strip(cells: u32, load: f64, settings: &str) -> Simulation {
    let cell = 1.0 / f64::from(cells);
    let tips: Vec<String> =
        (0..3).map(|row| format!(r#"Knot("strip", {}, {row})"#, cells + 1)).collect();
    // The tip's load is divided between three particles. Those at the edges of the strip get half
    // as much as the one in the middle.
    let masses = [(&tips[0], 0.0125), (&tips[1], 0.025), (&tips[2], 0.0125)]
        .map(|(tip, mass)| format!("(of: {tip}, mass: {mass})"))
        .join(", ");
    simulation(&format!(
        r#"(version: 1, name: "strip",
            materials: [Cloth(name: "cloth", areal_density: 2.5, stretch_stiffness: 1e5,
                              shear_stiffness: 1e4, damping: 0, flexural_rigidity: 5)],
            cloths: [(name: "strip", corner: (-{cell}, 0, 0), across: ({length}, 0, 0),
                      down: (0, 0, 0.2), cells: ({columns}, 2), material: "cloth")],
            masses: [{masses}],
            pins: [(of: Any([Edge("strip", Left), Knot("strip", 1, 0), Knot("strip", 1, 1),
                             Knot("strip", 1, 2)]))],
            forces: [(law: Gravity(g: (0, -{gravity}, 0)), on: Edge("strip", Right)),
                     (law: LinearDrag(coefficient: 8))],
            settings: {settings})"#,
        length = 1.0 + cell,
        columns = cells + 1,
        gravity = load / 0.05,
    ))
}

/// Deflection of the tip in metres, downwards, after `seconds` seconds, when the rod is at rest.
fn deflection(mut simulation: Simulation, seconds: f64) -> f64 {
    let dt = simulation.settings().dt;
    for _ in 0..(seconds / dt) as usize {
        simulation.step(dt);
    }
    assert_eq!(simulation.explosion(), None);
    let fastest = simulation.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-4, "still moves at {fastest} m/s");
    -simulation.state().x[simulation.state().x.len() - 1].y
}

/// Checks that ropes and strips of 16 and 32 cells have the deflection of the elastica.
fn bends_as_the_elastica(settings: &str) {
    for cells in [16, 32] {
        for load in LOADS {
            let expected = elastica(load);
            for (what, simulation) in
                [("rope", rope(cells, load, settings)), ("strip", strip(cells, load, settings))]
            {
                let error = deflection(simulation, 3.0) / expected - 1.0;
                assert!(error.abs() < 0.02, "{what}, {cells} cells, load {load}: {error}");
            }
        }
    }
}

#[test]
fn a_rope_and_a_strip_of_springs_bend_as_the_elastica() {
    bends_as_the_elastica("(integrator: SymplecticEuler, dt: 1e-4)");
}

#[test]
fn a_rope_and_a_strip_under_xpbd_bend_as_the_elastica() {
    bends_as_the_elastica(
        "(integrator: SymplecticEuler, constraints: Xpbd(iterations: 4), dt: 1e-4)",
    );
}

#[test]
fn sweeps_over_bends_and_links_take_turns_until_they_agree() {
    // The step is ten times as long, so a few sweeps leave the links far too long.
    let settings = |iterations: u32| {
        format!(
            "(integrator: SymplecticEuler, constraints: Xpbd(iterations: {iterations}), dt: 1e-3)"
        )
    };
    let mut few = rope(16, 2.0, &settings(2));
    let mut many = rope(16, 2.0, &settings(100));
    for _ in 0..200 {
        few.step(1e-3);
        many.step(1e-3);
    }
    assert!(many.projection().residual < 1e-3 * few.projection().residual);
    let error = deflection(many, 3.0) / elastica(2.0) - 1.0;
    assert!(error.abs() < 0.02, "{error}");
}

/// A free rope of 40 links without gravity, which vibrates in its fastest bending mode: a zigzag of
/// 1 % of a link, with ω² = 16 EI/(L³ m).
fn zigzag(step_over_limit: f64) -> Simulation {
    let (rigidity, link, mass) = (1.0_f64, 0.05, 0.1 * 0.05);
    let omega = (16.0 * rigidity / (link * link * link * mass)).sqrt();
    let dt = step_over_limit * 2.0 / omega;
    let velocities: Vec<String> = (0..41)
        .map(|i| {
            let v = if i % 2 == 0 { 5e-4 } else { -5e-4 } * omega;
            format!(r#"(of: Node("rope", {i}), velocity: (0, {v}, 0))"#)
        })
        .collect();
    simulation(&format!(
        r#"(version: 1, name: "zigzag",
            materials: [Rope(name: "soft", mass_per_metre: 0.1, stiffness: 10, damping: 0,
                             flexural_rigidity: {rigidity})],
            ropes: [(name: "rope", from: (0, 0, 0), to: (2, 0, 0), segments: 40,
                     material: "soft")],
            velocities: [{}],
            forces: [],
            settings: (integrator: SymplecticEuler, dt: {dt}))"#,
        velocities.join(", ")
    ))
}

#[test]
fn an_explicit_step_may_be_as_long_as_the_formula_says_and_no_longer() {
    let energy_after = |step_over_limit: f64| {
        let mut simulation = zigzag(step_over_limit);
        let before = simulation.energy().total();
        let dt = simulation.settings().dt;
        for _ in 0..300 {
            if simulation.explosion().is_none() {
                simulation.step(dt);
            }
        }
        (simulation.energy().total() / before, simulation.explosion().is_some())
    };
    let (held, exploded) = energy_after(0.95);
    assert!(held < 20.0 && !exploded, "{held}");
    let (_, exploded) = energy_after(1.05);
    assert!(exploded);
}

#[test]
fn implicit_steps_and_xpbd_hold_any_stiffness() {
    for settings in [
        "(integrator: ImplicitEuler, dt: 0.01)",
        "(integrator: Bdf2, dt: 0.01)",
        "(integrator: SymplecticEuler, constraints: Xpbd(iterations: 1), dt: 0.01)",
        "(integrator: SymplecticEuler, constraints: Xpbd(iterations: 20, order: BackAndForth), dt: 0.01)",
    ] {
        let mut simulation = simulation(&format!(
            r#"(version: 1, name: "stiff",
                materials: [Cloth(name: "board", areal_density: 0.3, stretch_stiffness: 500,
                                  shear_stiffness: 100, flexural_rigidity: 10)],
                cloths: [(name: "board", corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1),
                          cells: (6, 6), material: "board")],
                pins: [(of: Corner("board", TopLeft)), (of: Corner("board", TopRight))],
                settings: {settings})"#
        ));
        (0..60).for_each(|_| simulation.step(0.01));
        assert_eq!(simulation.explosion(), None, "{settings}");
    }
}

/// A cloth that falls and hangs at one corner. `settings` decide whether bends are forces or
/// constraints.
fn cloth(settings: &str) -> Simulation {
    simulation(&format!(
        r#"(version: 1, name: "cloth",
            materials: [Cloth(name: "felt", areal_density: 0.3, stretch_stiffness: 200,
                              shear_stiffness: 50, flexural_rigidity: 1e-2)],
            cloths: [(name: "felt", corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1),
                      cells: (9, 7), material: "felt")],
            pins: [(of: Corner("felt", TopLeft))],
            settings: {settings})"#
    ))
}

const BOTH_WAYS: [&str; 3] = [
    "(integrator: VelocityVerlet, dt: 0.002)",
    "(integrator: VelocityVerlet, constraints: Relaxation(iterations: 4), dt: 0.002)",
    "(integrator: VelocityVerlet, constraints: Xpbd(iterations: 3), substeps: 2, dt: 0.004)",
];

#[test]
fn a_snapshot_comes_back_to_the_same_bits() {
    for settings in BOTH_WAYS {
        let mut simulation = cloth(settings);
        let dt = simulation.settings().dt;
        let go_on = |simulation: &mut Simulation| {
            (0..50).for_each(|_| simulation.step(dt));
            simulation.hash()
        };
        go_on(&mut simulation);
        let snapshot = simulation.snapshot();
        let first = go_on(&mut simulation);
        simulation.restore(&snapshot);
        assert_eq!(go_on(&mut simulation), first, "{settings}");
    }
}

#[test]
fn a_bend_dies_with_a_link_that_it_spans() {
    for settings in BOTH_WAYS {
        let mut simulation = simulation(&format!(
            r#"(version: 1, name: "rod",
                materials: [Rope(name: "rod", mass_per_metre: 0.1, stiffness: 200,
                                 flexural_rigidity: 1e-3)],
                ropes: [(name: "rod", from: (0, 0, 0), to: (1, 0, 0), segments: 10,
                         material: "rod")],
                pins: [(of: Any([Node("rod", 0), Node("rod", 1)]))],
                settings: {settings})"#
        ));
        assert_eq!(simulation.model().bending().bends().len(), 9);
        simulation.cut(&[4]);
        assert_eq!(simulation.model().bending().bends().len(), 7);
        let dt = simulation.settings().dt;
        let steps = (0.5 / dt) as u32;
        (0..steps).for_each(|_| simulation.step(dt));
        // The part that was cut off falls as one straight piece, because no bend connects it to the
        // clamp.
        let x = &simulation.state().x[5..];
        let lowest = x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        let highest = x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest < -1.1 && highest - lowest < 1e-9, "{settings}: {lowest} to {highest}");
    }
}

#[test]
fn a_clamp_made_by_hand_holds_the_direction_and_lets_it_go() {
    for settings in BOTH_WAYS {
        let mut simulation = simulation(&format!(
            r#"(version: 1, name: "rod",
                materials: [Rope(name: "rod", mass_per_metre: 0.1, stiffness: 100,
                                 flexural_rigidity: 0.2)],
                ropes: [(name: "rod", from: (0, 0, 0), to: (1, 0, 0), segments: 10,
                         material: "rod")],
                pins: [(of: Start("rod"))],
                forces: [(law: Gravity()), (law: LinearDrag(coefficient: 6))],
                settings: {settings})"#
        ));
        let dt = simulation.settings().dt;
        let tip_after = |simulation: &mut Simulation| {
            (0..(2.0 / dt) as u32).for_each(|_| simulation.step(dt));
            simulation.state().x[10].y
        };
        simulation.toggle_pin(1);
        let clamped = tip_after(&mut simulation);
        simulation.toggle_pin(1);
        let hinged = tip_after(&mut simulation);
        assert!(clamped > -0.5 && hinged < -0.9, "{settings}: {clamped} and {hinged}");
    }
}
