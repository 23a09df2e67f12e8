//! Benchmarks of contact that measure whole runs: a heap of balls, a cloth that folds, and a
//! million swept queries.

use super::occasion_line::{OccasionLine, simulation};
use super::workload::{HALF_CUBE, balls};
use crate::contact::Surface;
use crate::contact::features::Features;
use crate::force::{Force, Gravity};
use crate::integrate::Method;
use crate::model::{Parts, TargetedForce};
use crate::numerics::random::Random;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Largest accepted ratio of the cost per ball with 10 000 balls to that with 1 000 balls.
const GROWTH_AIM: f64 = 1.3;
/// Largest accepted time per step of the heap in milliseconds: 300 steps per second.
const HEAP_AIM: f64 = 1000.0 / 300.0;
/// Largest accepted mean and maximum of the cloth's frame times, in milliseconds.
const FRAME_AIM: f64 = 1000.0 / 30.0;
const WORST_FRAME_AIM: f64 = 100.0;
/// Largest accepted time per query in nanoseconds.
const QUERY_AIM: f64 = 500.0;

fn ball_simulation(parts: Parts) -> Simulation {
    let settings =
        Settings { integrator: Method::SymplecticEuler, dt: 1.0 / 60.0, ..Settings::default() };
    Simulation::new(Arc::new(parts), settings)
}

/// Time in seconds after which the measurement of a run stops.
const LONGEST_RUN: f64 = 60.0;

/// Returns the duration of each of `steps` steps in milliseconds. Stops early after
/// [`LONGEST_RUN`].
fn time_steps(simulation: &mut Simulation, steps: usize, clock: Clock) -> Vec<f64> {
    let dt = simulation.settings().dt;
    let mut time = || {
        let start = clock();
        simulation.step(dt);
        (clock() - start) * 1e3
    };
    let begun = clock();
    (0..steps).map_while(|_| (clock() - begun < LONGEST_RUN).then(&mut time)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Measures the cost per ball with few and with many balls, and the cost of a heap.
pub(super) fn measure_heap(clock: Clock) -> Vec<OccasionLine> {
    let bouncing = Surface { restitution: 1.0, static_friction: 0.0, friction: 0.0 };
    let cost = |count: usize, half: f64| {
        let mut simulation = ball_simulation(balls(count, half, bouncing));
        let times = time_steps(&mut simulation, 300, clock);
        times.iter().copied().fold(f64::INFINITY, f64::min) / count as f64
    };
    let growth = cost(10_000, HALF_CUBE * 10_f64.cbrt()) / cost(1000, HALF_CUBE);
    let rough = Surface { restitution: 0.5, static_friction: 0.3, friction: 0.3 };
    let mut parts = balls(1000, HALF_CUBE, rough);
    let targets = (0..1000).collect();
    parts.forces.push(TargetedForce { law: Force::Gravity(Gravity::default()), targets });
    let mut heap = ball_simulation(parts);
    let fall = time_steps(&mut heap, 600, clock);
    let rest = time_steps(&mut heap, 600, clock);
    let fastest = heap.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    let report = heap.contact();
    vec![
        ("cost of a ball, 10 000 over 1 000".to_owned(), growth, GROWTH_AIM),
        ("heap of 1 000 balls, first 10 s, mean ms per step".to_owned(), mean(&fall), HEAP_AIM),
        ("heap, first 10 s, worst ms per step".to_owned(), largest(&fall), f64::NAN),
        ("heap, next 10 s, mean ms per step".to_owned(), mean(&rest), HEAP_AIM),
        ("heap, fastest ball after 20 s, m/s".to_owned(), fastest, 1e-3),
        ("heap, left over in 20 s".to_owned(), report.left_over as f64, f64::NAN),
        ("heap, deepest overlap in 20 s, m".to_owned(), report.deepest_overlap, f64::NAN),
    ]
}

/// Measures the frames of a cloth that falls on a sphere and folds on itself on the floor.
///
/// The cloth resists compression, shear and bending, and is swept four times per substep. Rigid
/// one-sided links with one sweep would stretch by half when the sphere catches the cloth. The
/// cloth would then end in a heap with ten times as many pairs in contact.
pub(super) fn measure_folding_cloth(clock: Clock) -> Vec<OccasionLine> {
    const SCENE: &str = r#"(version: 1, name: "folds",
        materials: [Cloth(name: "terry", areal_density: 0.3, stretch_stiffness: 2000,
            shear_stiffness: 20, bend_stiffness: 1, damping: 0.02)],
        cloths: [(name: "cloth", corner: (-0.6, 0.8, -0.6), across: (1.2, 0, 0),
            down: (0, 0, 1.2), cells: (99, 99), material: "terry")],
        colliders: [(shape: Sphere(radius: 0.25), at: (0.05, 0.4, 0), surface: (friction: 0.4)),
            (shape: Plane(), surface: (friction: 0.6))],
        surfaces: [(of: All, radius: 0.003, itself: true, surface: (friction: 0.4))],
        forces: [(law: Gravity()), (law: LinearDrag(coefficient: 2))],
        settings: (integrator: SymplecticEuler, constraints: Xpbd(iterations: 4, order: Coloured),
            dt: 0.016666666666666666, substeps: 10, contact: Swept(itself: Guarantee)))"#;
    let (mut cloth, _scene) = simulation(SCENE);
    let Ok(pool) = ThreadPoolBuilder::new().num_threads(2).build() else { return Vec::new() };
    let frames = pool.install(|| time_steps(&mut cloth, 180, clock));
    let fall = &frames[..frames.len().min(15)];
    let count = frames.len();
    vec![
        (format!("{count} of 180 frames of a cloth, mean ms per frame"), mean(&frames), FRAME_AIM),
        ("worst ms per frame".to_owned(), largest(&frames), WORST_FRAME_AIM),
        ("falling freely, mean ms per frame".to_owned(), mean(fall), FRAME_AIM),
        ("deepest overlap, m".to_owned(), cloth.contact().deepest_overlap, f64::NAN),
    ]
}

/// Distance in metres at which two features count as being in contact. The features are in a cube
/// of 1 m.
const REACH: f64 = 1e-3;

/// Number of timed queries, and number of queries whose answers are checked.
const QUERIES: usize = 1_000_000;
const CHECKED_QUERIES: usize = 20_000;
/// Number of instants at which a pair is tested for a contact that the query missed.
const CHECKED_INSTANTS: u32 = 400;

/// Returns random straight paths of four points, as their positions at start and end. Every tenth
/// path is degenerate: parallel edges, a triangle without area, or no motion.
fn random_paths(count: usize) -> Vec<[[DVec3; 4]; 2]> {
    let mut random = Random::new(1);
    let mut vector = move || random.point(1.0);
    let mut path = |k: usize| {
        let start = [(); 4].map(|()| vector() * 0.5);
        let displacements = [(); 4].map(|()| vector() * 0.5);
        let mut both = [start, [0, 1, 2, 3].map(|i| start[i] + displacements[i])];
        match k % 30 {
            0 => both.iter_mut().for_each(|x| x[3] = x[2] + (x[1] - x[0])),
            10 => both.iter_mut().for_each(|x| x[3] = 0.5 * (x[1] + x[2])),
            20 => both[1] = both[0],
            _ => {}
        }
        both
    };
    (0..count).map(&mut path).collect()
}

/// True if two features are in contact before the time that the query reports.
fn is_missed(features: Features, [start, end]: &[[DVec3; 4]; 2]) -> bool {
    let found = features.first_contact(start, end, REACH).map_or(f64::INFINITY, |(t, ..)| t);
    (0..=CHECKED_INSTANTS)
        .map(|k| f64::from(k) / f64::from(CHECKED_INSTANTS))
        .take_while(|t| *t < found)
        .any(|t| {
            let x = [0, 1, 2, 3].map(|i| start[i].lerp(end[i], t));
            features.nearest(&x).1.length() < REACH * (1.0 - 1e-9)
        })
}

/// Measures the time of a swept query, and counts the contacts that queries have missed.
pub(super) fn measure_queries(clock: Clock) -> Vec<OccasionLine> {
    let paths = random_paths(QUERIES);
    let kinds = [("vertex–triangle", Features::PointAndTriangle), ("edge–edge", Features::Links)];
    let lines = kinds.map(|(name, features)| {
        let start = clock();
        let contacts =
            paths.iter().filter(|[from, to]| features.first_contact(from, to, REACH).is_some());
        let contacts = contacts.count();
        let ns = (clock() - start) * 1e9 / QUERIES as f64;
        let missed =
            paths[..CHECKED_QUERIES].iter().filter(|path| is_missed(features, path)).count();
        [
            (format!("{name}, ns per query ({contacts} of {QUERIES} touch)"), ns, QUERY_AIM),
            (format!("{name}, missed of {CHECKED_QUERIES}"), missed as f64, 0.0),
        ]
    });
    lines.into_iter().flatten().collect()
}
