//! SHAKE on ropes, trees and nets: all links are solved together, and the result agrees with
//! converged sweeps.

use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, Rattle, Shake};
use ropelab::mesh::Link;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

fn link(a: u32, b: u32) -> Link {
    Link { a, b, rest: 0.1, stiffness: 1e4, ..Link::UNIT }
}

/// Links of a rope, of a tree and of a rope with one loop, and the positions of their particles at
/// the start.
fn meshes() -> [(Vec<Link>, Vec<DVec3>); 3] {
    let along = |i: usize| {
        let i = i as f64;
        dvec3(0.1 * (0.3 * i).sin(), -0.1 * (0.3 * i).cos(), 0.0)
    };
    let mut rope = vec![DVec3::ZERO];
    (1..60).for_each(|i| rope.push(rope[i - 1] + along(i)));
    let mut tree = vec![DVec3::ZERO];
    (1..40).for_each(|i| tree.push(tree[(i - 1) / 2] + along(7 * i)));
    let ring: Vec<DVec3> = (0..6)
        .map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 6.0).sin_cos();
            dvec3(0.1 * cos, 0.1 * sin, 0.0)
        })
        .collect();
    [
        ((1..60).map(|i| link(i - 1, i)).collect(), rope),
        ((1..40).map(|i| link((i - 1) / 2, i)).collect(), tree),
        ((0..6).map(|i| link(i, (i + 1) % 6)).collect(), ring),
    ]
}

/// Positions after free motion: a fall, and a push that turns links by a few hundredths of a
/// radian.
fn moved(start: &[DVec3]) -> Vec<DVec3> {
    let push = |i: usize| 3e-3 * dvec3((i as f64).sin(), 0.4, (1.7 * i as f64).cos());
    start.iter().enumerate().map(|(i, x)| *x + push(i)).collect()
}

/// Makes 30 000 sweeps of SHAKE (Ryckaert, Ciccotti and Berendsen 1977) over two-sided links. A
/// link whose vector was s at the start of the step and is d now moves its ends by w g s, where g =
/// (d·d − L²) / (2 (w_a + w_b) s·d).
fn sweep_many_times(links: &[Link], w: &[f64], start: &[DVec3], x: &mut [DVec3]) {
    for _ in 0..30_000 {
        for link in links {
            let (a, b) = (link.a as usize, link.b as usize);
            if w[a] + w[b] == 0.0 {
                continue;
            }
            let (s, d) = (start[b] - start[a], x[b] - x[a]);
            let g = (d.length_squared() - link.rest * link.rest) / (2.0 * (w[a] + w[b]) * s.dot(d));
            x[a] += w[a] * g * s;
            x[b] -= w[b] * g * s;
        }
    }
}

#[test]
fn few_solves_lead_where_thousands_of_sweeps_lead() {
    for (links, start) in meshes() {
        let n = start.len();
        let mut w: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        w[0] = 0.0;
        let solver = ConstraintSolver::Shake(Shake { tolerance: 1e-13, max_iterations: 1000 });
        let (mut x, mut swept) = (moved(&start), moved(&start));
        (x[0], swept[0]) = (start[0], start[0]);
        let mut constraints = Constraints::new(links.clone(), n);
        let done = solver
            .project_and_measure(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
        assert!(done.converged && done.residual < 1e-12, "{done:?}");
        assert!(done.iterations < 20, "{done:?}");
        sweep_many_times(&links, &w, &start, &mut swept);
        let apart = x.iter().zip(&swept).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{n} particles: {apart} m");
    }
}

#[test]
fn a_free_rope_keeps_its_momentum() {
    let [(links, start), ..] = meshes();
    let free = moved(&start);
    let mut x = free.clone();
    let solver = ConstraintSolver::Shake(Shake::default());
    let n = start.len();
    solver.project(
        &mut Constraints::new(links, n),
        &mut Particles::new(&vec![2.0; n], &start, &mut x, 0.01),
    );
    let sums = |f: &dyn Fn(usize) -> DVec3| (0..n).map(f).sum::<DVec3>();
    assert!(sums(&|i| x[i] - free[i]).length() < 1e-14);
    // Corrections act along the links' directions at the start of the step, so they have no total
    // moment about any point if the positions at the start are the lever arms.
    assert!(sums(&|i| start[i].cross(x[i] - free[i])).length() < 1e-14);
}

/// A cut link exerts no force, and a link between two pins is ignored.
#[test]
fn a_cut_rope_is_two_ropes() {
    let [(links, start), ..] = meshes();
    let n = start.len();
    let mut constraints = Constraints::new(links, n);
    constraints.cut(30);
    let mut w = vec![1.0; n];
    (w[0], w[1]) = (0.0, 0.0);
    let mut x = moved(&start);
    (x[0], x[1]) = (start[0], start[1]);
    let solver = ConstraintSolver::Shake(Shake::default());
    let done =
        solver.project_and_measure(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
    assert!(done.converged && done.iterations < 20, "{done:?}");
    assert!((x[31].distance(x[30]) - 0.1).abs() > 1e-5);
}

/// A net of 12 × 12 particles with all links at rest. Its rows follow a wave, and its columns are
/// oblique to the rows.
fn net() -> (Vec<Link>, Vec<DVec3>) {
    let (mut links, mut x) = (Vec::new(), Vec::new());
    let (mut place, column) = (DVec3::ZERO, dvec3(0.03, -0.08, 0.1 * 0.27_f64.sqrt()));
    for i in 0..12 {
        x.extend((0..12).map(|j| place + f64::from(j) * column));
        let angle = 0.9 * (0.7 * f64::from(i)).sin();
        place += 0.1 * dvec3(angle.cos(), 0.0, angle.sin());
        links.extend((0..11).map(|j| link(12 * i + j, 12 * i + j + 1)));
        if i > 0 {
            links.extend((0..12).map(|j| link(12 * i + j, 12 * i + j - 12)));
        }
    }
    (links, x)
}

#[test]
fn a_net_is_solved_together_where_thousands_of_sweeps_lead() {
    let (links, start) = net();
    let n = start.len();
    let mut w: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    w[..12].fill(0.0);
    let mut free = moved(&start);
    free[..12].copy_from_slice(&start[..12]);
    let tolerance = 1e-12;
    let solver = ConstraintSolver::Shake(Shake { tolerance, max_iterations: 1000 });
    let (mut x, mut swept) = (free.clone(), free);
    let mut constraints = Constraints::new(links.clone(), n);
    let done =
        solver.project_and_measure(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
    assert!(done.converged && done.residual < 1.01 * tolerance, "{done:?}");
    assert!(done.iterations < 60, "{done:?}");
    sweep_many_times(&links, &w, &start, &mut swept);
    let apart = x.iter().zip(&swept).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart} m");
}

#[test]
fn a_net_with_a_cut_is_the_net_without_that_link() {
    let (mut links, start) = net();
    let (n, w) = (start.len(), vec![1.0; start.len()]);
    let solver = ConstraintSolver::Shake(Shake::default());
    let mut cut = Constraints::new(links.clone(), n);
    let mut x = moved(&start);
    solver.project(&mut cut, &mut Particles::new(&w, &start, &mut x, 0.01));
    cut.cut(70);
    x = moved(&start);
    solver.project(&mut cut, &mut Particles::new(&w, &start, &mut x, 0.01));
    links.remove(70);
    let mut without = moved(&start);
    solver.project(
        &mut Constraints::new(links, n),
        &mut Particles::new(&w, &start, &mut without, 0.01),
    );
    let apart = x.iter().zip(&without).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart} m");
}

/// The rows turn by a right angle within a step, so no multipliers along the directions at the
/// start reach all lengths. The second case has one more particle than the mesh, as after a thrown
/// ball was removed.
#[test]
fn links_of_a_net_that_turned_too_far_get_their_lengths() {
    let (links, start) = net();
    let w = vec![1.0; start.len()];
    for particles in [start.len(), start.len() + 1] {
        let mut x: Vec<DVec3> = start.iter().map(|x| dvec3(-x.z, 1.1 * x.y, x.x)).collect();
        let solver = ConstraintSolver::Shake(Shake { tolerance: 1e-10, max_iterations: 100 });
        let mut constraints = Constraints::new(links.clone(), particles);
        let done = solver
            .project_and_measure(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
        assert!(done.residual < 1e-9, "{done:?}");
        assert!(!done.converged, "{done:?}");
    }
}

/// Simulates five seconds of a scene. Returns the greatest gain and the greatest loss of energy as
/// fractions of the energy in motion, the greatest error of a length, and the number of unconverged
/// steps.
fn five_seconds(scene: &str, constraints: ConstraintSolver, dt: f64) -> ([f64; 2], f64, u64) {
    let scene = Scene::open(scene).expect("a scene of the library");
    let settings = Settings { constraints, dt, substeps: 1, ..scene.lanes[0].settings };
    let mut lane = Simulation::new(scene.parts.clone(), settings);
    let start = lane.energy().total();
    let (mut most, mut least, mut fastest, mut worst) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..(5.0 / dt).round() as u32 {
        lane.step(dt);
        let (energy, stretch) = (lane.energy(), lane.stretch());
        most = most.max(energy.total() - start);
        least = least.min(energy.total() - start);
        fastest = fastest.max(energy.kinetic);
        worst = worst.max(stretch.max).max(-stretch.min);
    }
    ([most / fastest, -least / fastest], worst, lane.unconverged().steps)
}

/// Two scenes with light ropes under heavy loads: a trapeze of 60 kg, whose ropes vibrate
/// perpendicular to their links with ω = 1030 rad/s, and a load of a thousand link masses. With
/// steps below ωh = 2, SHAKE and RATTLE conserve the energy. Above, no multipliers along the
/// directions at the start reach all lengths; restoring the lengths then loses energy and never
/// adds any.
#[test]
fn light_ropes_under_a_load_gain_no_energy_at_any_step() {
    let solvers =
        [ConstraintSolver::Shake(Shake::default()), ConstraintSolver::Rattle(Rattle::default())];
    for (scene, solver) in ["trapeze", "heavy-load"].iter().flat_map(|s| solvers.map(|it| (*s, it)))
    {
        for dt in [1.0 / 60.0, 5e-3, 1.0 / 240.0, 2e-3] {
            let ([gain, _], worst, unconverged) = five_seconds(scene, solver, dt);
            let what = format!("{scene}, {solver:?}, {dt} s: gain {gain}, length {worst}");
            assert!(
                gain < 5e-3 && worst < 2e-6 && unconverged > 0,
                "{what}, length {worst}, {unconverged} unconverged steps"
            );
        }
        // The energy under symplectic Euler oscillates about a constant value by an amount
        // proportional to h.
        for dt in [1.5e-3, 1e-3, 5e-4] {
            let ([gain, loss], worst, unconverged) = five_seconds(scene, solver, dt);
            let what = format!("{scene}, {solver:?}, {dt} s: gain {gain}, loss {loss}");
            assert!(gain.max(loss) < 1.1 * dt && worst < 2e-10, "{what}, length {worst}");
            assert_eq!(unconverged, 0, "{what}");
        }
    }
}
