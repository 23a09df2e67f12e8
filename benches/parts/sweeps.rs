//! Benchmarks of eight sweeps over the links of a body, by the fast path and by the plain loop:
//! time, and links per second.

use crate::workload_mesh::WorkloadMesh;
use divan::Bencher;
use divan::counter::ItemsCount;
use glam::DVec3;
use ropelab::bench::Workload;
use ropelab::constraint::{
    ConstraintSolver, Constraints, Particles, Relaxation, Root, SweepOrder, Xpbd,
};
use ropelab::numerics::simd::Isa;

const ITERATIONS: u32 = 8;

#[derive(Clone, Copy, Debug)]
enum Way {
    Fast,
    Plain,
}

#[derive(Clone, Copy, Debug)]
enum Formula {
    Relaxation,
    RootFree,
    Xpbd,
}

const WAYS: [(Formula, Way); 6] = [
    (Formula::Relaxation, Way::Fast),
    (Formula::Relaxation, Way::Plain),
    (Formula::RootFree, Way::Fast),
    (Formula::RootFree, Way::Plain),
    (Formula::Xpbd, Way::Fast),
    (Formula::Xpbd, Way::Plain),
];

fn solver(formula: Formula, order: SweepOrder) -> ConstraintSolver {
    let relaxation = Relaxation { iterations: ITERATIONS, order, ..Relaxation::default() };
    match formula {
        Formula::Relaxation => ConstraintSolver::Relaxation(relaxation),
        Formula::RootFree => {
            ConstraintSolver::Relaxation(Relaxation { root: Root::RootFree, ..relaxation })
        }
        Formula::Xpbd => {
            ConstraintSolver::Xpbd(Xpbd { iterations: ITERATIONS, order, ..Xpbd::default() })
        }
    }
}

fn sweep(bencher: Bencher, mesh: &WorkloadMesh, order: SweepOrder, (formula, way): (Formula, Way)) {
    let isa = match way {
        Way::Fast => Isa::best(),
        Way::Plain => Isa::Scalar,
    };
    let solver = solver(formula, order);
    let (start, w) = (&mesh.x, &mesh.w);
    let links = mesh.links.clone();
    let projections = links.len() * ITERATIONS as usize;
    let mut constraints = Constraints::on(isa, links, start.len());
    let mut x: Vec<DVec3> = mesh.disturbed();
    bencher.counter(ItemsCount::new(projections)).bench_local(|| {
        solver.project(&mut constraints, &mut Particles::new(w, start, &mut x, 1.0 / 60.0))
    });
}

#[divan::bench(args = WAYS)]
fn chain(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W1), SweepOrder::EndToEnd, way);
}

#[divan::bench(args = WAYS)]
fn grid(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::Coloured, way);
}

#[divan::bench(args = WAYS)]
fn net(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W6), SweepOrder::Coloured, way);
}

#[divan::bench(args = WAYS)]
fn grid_end_to_end(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::EndToEnd, way);
}

#[divan::bench(args = WAYS)]
fn grid_back_and_forth(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::BackAndForth, way);
}

#[divan::bench(args = WAYS)]
fn net_end_to_end(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W6), SweepOrder::EndToEnd, way);
}

#[divan::bench(args = WAYS)]
fn plate_end_to_end(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::plate(), SweepOrder::EndToEnd, way);
}

#[divan::bench(args = WAYS)]
fn plate(bencher: Bencher, way: (Formula, Way)) {
    sweep(bencher, &WorkloadMesh::plate(), SweepOrder::Coloured, way);
}
