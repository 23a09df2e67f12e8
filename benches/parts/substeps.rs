//! Benchmarks of eight sweeps per step over a cloth: all in one substep, or one in each of eight
//! substeps.

use divan::Bencher;
use rayon::ThreadPoolBuilder;
use ropelab::bench::Workload;
use ropelab::constraint::{ConstraintSolver, SweepOrder, Xpbd};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::sync::Arc;

const SWEEPS: u32 = 8;

#[derive(Clone, Copy, Debug)]
enum Solver {
    Relaxation,
    Xpbd,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    solver: Solver,
    substeps: u32,
    threads: usize,
}

fn cases() -> impl Iterator<Item = Case> {
    let solvers = [Solver::Relaxation, Solver::Xpbd];
    solvers.into_iter().flat_map(|solver| {
        [1, SWEEPS]
            .into_iter()
            .flat_map(move |substeps| [1, 2].map(|threads| Case { solver, substeps, threads }))
    })
}

fn step(bencher: Bencher, workload: Workload, Case { solver, substeps, threads }: Case) {
    let [(_, settings)] = workload.paths()[..] else { panic!("a cloth has one path") };
    let iterations = SWEEPS / substeps;
    let mut constraints = match solver {
        Solver::Relaxation => settings.constraints,
        Solver::Xpbd => {
            ConstraintSolver::Xpbd(Xpbd { order: SweepOrder::Coloured, ..Xpbd::default() })
        }
    };
    constraints.set_iterations(iterations);
    let settings = Settings { constraints, substeps, ..settings };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let mut simulation = Simulation::new(Arc::new(workload.parts()), settings);
    let start = simulation.snapshot();
    let mut steps = 0;
    bencher.bench_local(|| {
        // Only the first second of a fall is measured, as in `ropelab bench`.
        if steps % 60 == 59 {
            simulation.restore(&start);
        }
        steps += 1;
        pool.install(|| simulation.step(settings.dt));
    });
}

#[divan::bench(args = cases())]
fn cloth_100(bencher: Bencher, case: Case) {
    step(bencher, Workload::W2, case);
}

#[divan::bench(args = cases())]
fn cloth_500(bencher: Bencher, case: Case) {
    step(bencher, Workload::W3, case);
}
