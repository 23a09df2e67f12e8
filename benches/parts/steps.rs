//! Benchmarks of one step of every integrator on a rope of springs, and of the check for explosions
//! in every step.

use crate::workload_mesh::WorkloadMesh;
use divan::Bencher;
use divan::counter::ItemsCount;
use ropelab::bench::Workload;
use ropelab::constraint::Constraints;
use ropelab::integrate::Method;
use ropelab::measure::first_non_finite;
use ropelab::mesh::Links;
use ropelab::numerics::displacement::DisplacementBounds;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::blow_up::BlowUpDetector;
use ropelab::simulation::settings::Settings;

/// Time step in seconds, so short that every integrator survives the 1000 steps between restarts.
const DT: f64 = 1e-5;

/// A horizontal rope of a thousand springs.
const ROPE: &str = r#"(version: 1, name: "rope",
    ropes: [(name: "rope", from: (0, 0, 0), to: (100, 0, 0), segments: 1000)],
    pins: [(of: Start("rope"))])"#;

fn names() -> Vec<&'static str> {
    Method::all().map(|method| method.info().name).collect()
}

#[divan::bench(args = names())]
fn step(bencher: Bencher, name: &str) {
    let scene = Scene::parse(ROPE, "rope").expect("a scene");
    let integrator = Method::from_name(name).expect("a name from the list");
    let settings = Settings { integrator, dt: DT, ..Settings::default() };
    let mut simulation = Simulation::new(scene.parts, settings);
    let start = simulation.snapshot();
    let mut steps = 0;
    bencher.bench_local(|| {
        if steps % 1000 == 999 {
            simulation.restore(&start);
        }
        steps += 1;
        simulation.step(DT);
    });
    assert!(simulation.explosion().is_none(), "{name} exploded");
}

/// Measures the check of displacements alone, after a step in which no particle has moved far.
#[divan::bench]
fn check_displacements(bencher: Bencher) {
    let cloth = WorkloadMesh::of(Workload::W2);
    let (x, before, v) = (cloth.disturbed(), &cloth.x, &cloth.x);
    bencher.counter(ItemsCount::new(x.len())).bench_local(|| {
        DisplacementBounds::measure(before, &x, v)
            .distance_change()
            .ok_or_else(|| first_non_finite(&x, v))
    });
}

/// Measures the check of every link, which a long displacement requires: along grids, and link by
/// link.
#[divan::bench(args = ["fast", "plain"])]
fn check_links(bencher: Bencher, path: &str) {
    let cloth = WorkloadMesh::of(Workload::W2);
    let x = cloth.disturbed();
    let links = Links::from(cloth.links.clone());
    let held = if path == "fast" { links.clone() } else { Links::default() };
    let mut constraints = Constraints::new(held, x.len());
    bencher.counter(ItemsCount::new(cloth.links.len())).bench_local(|| {
        BlowUpDetector::default().is_overstretched(10.0, &links, &mut constraints, &x, &[])
    });
}
