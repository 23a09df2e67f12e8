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
enum CodePath {
    Fast,
    Plain,
}

#[derive(Clone, Copy, Debug)]
enum Formula {
    Relaxation,
    RootFree,
    Xpbd,
}

const CODE_PATHS: [(Formula, CodePath); 6] = [
    (Formula::Relaxation, CodePath::Fast),
    (Formula::Relaxation, CodePath::Plain),
    (Formula::RootFree, CodePath::Fast),
    (Formula::RootFree, CodePath::Plain),
    (Formula::Xpbd, CodePath::Fast),
    (Formula::Xpbd, CodePath::Plain),
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

fn sweep(
    bencher: Bencher,
    mesh: &WorkloadMesh,
    order: SweepOrder,
    (formula, path): (Formula, CodePath),
) {
    let isa = match path {
        CodePath::Fast => Isa::best(),
        CodePath::Plain => Isa::Scalar,
    };
    let solver = solver(formula, order);
    let (start, w) = (&mesh.x, &mesh.w);
    let links = mesh.links.clone();
    let projections = links.len() * ITERATIONS as usize;
    let mut constraints = Constraints::with_isa(isa, links, start.len());
    let mut x: Vec<DVec3> = mesh.disturbed();
    bencher.counter(ItemsCount::new(projections)).bench_local(|| {
        solver.project(&mut constraints, &mut Particles::new(w, start, &mut x, 1.0 / 60.0))
    });
}

#[divan::bench(args = CODE_PATHS)]
fn chain(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W1), SweepOrder::EndToEnd, path);
}

#[divan::bench(args = CODE_PATHS)]
fn grid(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::Coloured, path);
}

#[divan::bench(args = CODE_PATHS)]
fn net(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W6), SweepOrder::Coloured, path);
}

#[divan::bench(args = CODE_PATHS)]
fn grid_end_to_end(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::EndToEnd, path);
}

#[divan::bench(args = CODE_PATHS)]
fn grid_back_and_forth(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W2), SweepOrder::BackAndForth, path);
}

#[divan::bench(args = CODE_PATHS)]
fn net_end_to_end(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::of(Workload::W6), SweepOrder::EndToEnd, path);
}

#[divan::bench(args = CODE_PATHS)]
fn plate_end_to_end(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::plate(), SweepOrder::EndToEnd, path);
}

#[divan::bench(args = CODE_PATHS)]
fn plate(bencher: Bencher, path: (Formula, CodePath)) {
    sweep(bencher, &WorkloadMesh::plate(), SweepOrder::Coloured, path);
}
