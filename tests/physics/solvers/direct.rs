//! Direct solver: errors after one and two solves, and agreement with converged sweeps.

use crate::support::simulation;
use glam::DVec3;
use ropelab::constraint::{ConstraintSolver, Constraints, Direct, Particles, Xpbd};
use ropelab::mesh::Link;
use ropelab::simulation::Simulation;

/// A rigid rope of 1 m that starts horizontal.
fn falling_rope(segments: u32, settings: &str) -> Simulation {
    simulation(&format!(
        r#"(version: 1, name: "falling", materials: [Rope(name: "m", mass_per_metre: 1, rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: (1, 0, 0), segments: {segments}, material: "m")],
            pins: [(of: Start("r"))],
            settings: (integrator: SymplecticEuler, contact: Off, dt: 0.016666666666666666, {settings}))"#
    ))
}

/// Greatest stretch of any link in `steps` steps.
fn greatest_stretch(simulation: &mut Simulation, steps: u32) -> f64 {
    let mut greatest: f64 = 0.0;
    for _ in 0..steps {
        simulation.step(1.0 / 60.0);
        greatest = greatest.max(simulation.projection().residual);
    }
    assert!(simulation.explosion().is_none());
    greatest
}

/// Stretch of the falling rope: one solve leaves 0.24 %, two solves leave 4e-7, one sweep of XPBD
/// leaves 24.5 %.
#[test]
fn one_solve_leaves_the_linearisation_and_two_leave_nothing() {
    for (solves, most) in [(1, 5e-3), (2, 2e-6)] {
        let settings = format!("constraints: Direct(iterations: {solves}), substeps: 4");
        let stretch = greatest_stretch(&mut falling_rope(20, &settings), 600);
        assert!(stretch < most, "{solves} solves: {stretch}");
    }
    let swept = "constraints: Xpbd(iterations: 1), substeps: 4";
    assert!(greatest_stretch(&mut falling_rope(20, swept), 600) > 0.05);
}

#[test]
fn a_whipping_rope_of_a_hundred_links_neither_explodes_nor_gains_energy() {
    for substeps in [1, 4] {
        let mut rope = falling_rope(100, &format!("constraints: Direct(), substeps: {substeps}"));
        let start = rope.energy().total();
        for _ in 0..1200 {
            rope.step(1.0 / 60.0);
            let gain = rope.energy().total() - start;
            assert!(gain < 0.05 * 9.81 * 0.5, "{substeps} substeps: {gain} J");
        }
        assert!(rope.explosion().is_none());
    }
}

/// A load of a thousand link masses does not stretch a rope of 20 rigid links.
#[test]
fn a_heavy_load_on_a_light_rope_stretches_it_by_nothing() {
    let mut rope = simulation(
        r#"(version: 1, name: "bob", materials: [Rope(name: "m", mass_per_metre: 1, rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: (0, -1, 0), segments: 20, material: "m")],
            masses: [(of: End("r"), mass: 50)], pins: [(of: Start("r"))],
            settings: (integrator: SymplecticEuler, constraints: Direct(iterations: 1),
                contact: Off, dt: 0.016666666666666666))"#,
    );
    assert!(greatest_stretch(&mut rope, 600) < 1e-12);
}

/// A hanging rope of n links: link i from the top (from 0) carries the weight of the n − i − ½
/// links below its middle.
#[test]
fn a_compliant_rope_stretches_as_its_springs_say_at_every_substep() {
    for substeps in [1, 4, 16] {
        for segments in [10_u32, 20, 40, 80] {
            let mut rope = simulation(&format!(
                r#"(version: 1, name: "hanging", materials: [Rope(name: "m", mass_per_metre: 1,
                        stiffness: 100, damping: 0)],
                    ropes: [(name: "r", from: (0, 0, 0), to: (0, -1, 0), segments: {segments},
                        material: "m")],
                    pins: [(of: Start("r"))], forces: [(law: Gravity()), (law: LinearDrag(coefficient: 5))],
                    settings: (integrator: SymplecticEuler, constraints: Direct(), contact: Off,
                        dt: 0.016666666666666666, substeps: {substeps}))"#
            ));
            (0..1500).for_each(|_| rope.step(1.0 / 60.0));
            let sag = -1.0 - rope.state().x[segments as usize].y;
            let n = f64::from(segments);
            // Σ (k + ½) m g/k_link over the links k from the bottom, with the mass m = 1/n of a
            // link and its stiffness k_link = 100 n.
            let expected: f64 =
                (0..segments).map(|k| (f64::from(k) + 0.5) / n * 9.81 / (100.0 * n)).sum();
            let error = sag / expected - 1.0;
            assert!(error.abs() < 1e-3, "{segments} segments, {substeps} substeps: off by {error}");
        }
    }
}

fn link(a: u32, b: u32, stiffness: Option<f64>, one_sided: bool) -> Link {
    Link {
        a,
        b,
        stiffness: stiffness.unwrap_or(1.0),
        damping: if stiffness.is_some() { 0.3 } else { 0.0 },
        one_sided,
        rigid: stiffness.is_none(),
        ..Link::UNIT
    }
}

/// Meshes of several shapes: a tree, a ring, a ladder (two ropes joined by rungs) and a net.
fn meshes() -> Vec<(&'static str, Vec<[u32; 2]>, u32)> {
    let tree = (1..30).map(|i| [(i - 1) / 2, i]).collect();
    let ring = (0..12).map(|i| [i, (i + 1) % 12]).collect();
    let ladder =
        (0..8).flat_map(|i| [[2 * i, 2 * i + 1], [2 * i, 2 * i + 2], [2 * i + 1, 2 * i + 3]]);
    let at = |i: u32, j: u32| 7 * i + j;
    let rows = (0..7).flat_map(move |i| (0..6).map(move |j| [at(i, j), at(i, j + 1)]));
    let columns = (0..6).flat_map(move |i| (0..7).map(move |j| [at(i, j), at(i + 1, j)]));
    vec![
        ("tree", tree, 30),
        ("ring", ring, 12),
        ("ladder", ladder.collect(), 18),
        ("net", rows.chain(columns).collect(), 49),
    ]
}

/// Direct solves and many sweeps of XPBD give the same positions. The displacements in this test
/// are small: both solvers update the links' directions during the solve, so their results differ
/// in the second order of the displacement.
#[test]
fn it_ends_where_endless_sweeps_of_xpbd_end() {
    for (name, pairs, count) in meshes() {
        let links = |stiffness| -> Vec<Link> {
            pairs.iter().map(|&[a, b]| link(a, b, stiffness, false)).collect()
        };
        let mut w: Vec<f64> = (0..count).map(|i| 1.0 + f64::from(i % 5)).collect();
        w[0] = 0.0;
        let project = |solver: ConstraintSolver, stiffness, start: &[DVec3], free: &[DVec3]| {
            let mut constraints = Constraints::new(links(stiffness), count as usize);
            let mut x = free.to_vec();
            solver.project(&mut constraints, &mut Particles::new(&w, start, &mut x, 0.1));
            x
        };
        let place = |i: u32| {
            let i = f64::from(i);
            DVec3::new((1.3 * i).sin(), (0.7 * i).cos(), (0.3 * i * i).sin())
        };
        let apart: Vec<DVec3> = (0..count).map(|i| 2.0 * place(i)).collect();
        let many = ConstraintSolver::Direct(Direct { iterations: 40 });
        let start = project(many, None, &apart, &apart);
        let free: Vec<DVec3> =
            start.iter().zip(0..).map(|(x, i)| *x + 1e-4 * place(3 * i + 1)).collect();
        for stiffness in [None, Some(50.0)] {
            let endless = ConstraintSolver::Xpbd(Xpbd { iterations: 20_000, ..Xpbd::default() });
            let swept = project(endless, stiffness, &start, &free);
            let solved = project(many, stiffness, &start, &free);
            let worst = solved.iter().zip(&swept).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(worst < 1e-7, "{name}, {stiffness:?}: {worst} m apart");
        }
    }
}

#[test]
fn one_sided_links_pull_and_a_cut_one_does_nothing() {
    let links: Vec<Link> = (0..3).map(|i| link(i, i + 1, None, true)).collect();
    let mut constraints = Constraints::new(links, 4);
    let solver = ConstraintSolver::Direct(Direct::default());
    let start: Vec<DVec3> = [0.0, 0.5, 1.0, 2.5].map(|x| DVec3::new(x, 0.0, 0.0)).into();
    let w = [0.0, 1.0, 1.0, 1.0];
    let mut x = start.clone();
    solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
    assert_eq!(x[1], start[1], "slack links push nobody");
    assert!((x[3].x - x[2].x - 1.0).abs() < 1e-12, "{x:?}");
    constraints.cut(2);
    let mut x = start.clone();
    solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
    assert_eq!(x, start);
}

/// A rope of `segments` links that starts aslant, with a load of `ratio` link masses at its end.
fn swinging_load(segments: u32, ratio: f64, substeps: u32) -> Simulation {
    let load = ratio * 0.1 / f64::from(segments);
    simulation(&format!(
        r#"(version: 1, name: "load", materials: [Rope(name: "m", mass_per_metre: 0.1, rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: (0.6, -0.8, 0), segments: {segments}, material: "m")],
            masses: [(of: End("r"), mass: {load})], pins: [(of: Start("r"))],
            settings: (integrator: SymplecticEuler, constraints: Direct(), contact: Off,
                dt: 0.016666666666666666, substeps: {substeps}))"#
    ))
}

/// The particles of the rope vibrate across their links under the tension of the heavy load, with
/// ωh far above 2.
#[test]
fn a_heavy_load_swings_on_a_light_rope_as_a_pendulum_does() {
    for (segments, ratio) in [(20, 100.0), (20, 1000.0), (40, 672.4), (40, 10_000.0)] {
        for substeps in [1, 4, 16] {
            let what = format!("{segments} links, {ratio} : 1, {substeps} substeps");
            let mut rope = swinging_load(segments, ratio, substeps);
            rope.start_energy_account();
            let mut worst: f64 = 0.0;
            for _ in 0..600 {
                rope.step(1.0 / 60.0);
                rope.add_to_energy_account();
                let stretch = rope.stretch();
                worst = worst.max(stretch.max).max(-stretch.min);
            }
            assert!(rope.explosion().is_none(), "{what}");
            let balance = rope.balance().expect("it has an energy account");
            println!("{what}: {worst:.2e} gain {:.3} {:?}", balance.gain.fraction, rope.verdict());
            assert!(worst < 0.01, "{what}: stretch {worst}");
        }
    }
}
