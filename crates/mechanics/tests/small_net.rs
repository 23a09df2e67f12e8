//! Compares sweeps over a net between all instruction sets. The net is small enough for Miri.
//!
//! This is an integration test, because unit tests would compile all kernels a second time.

use glam::{DVec3, dvec3};
use ropelab_mechanics::constraint::{
    ConstraintSolver, Constraints, Particles, Relaxation, SweepOrder, Xpbd,
};
use ropelab_mechanics::mesh::Link;
use ropelab_mechanics::numerics::simd::Isa;

/// Tests only a small net. `tests/physics/fast_paths` compares nets of every size and with every
/// kind of missing or one-sided link.
#[test]
fn a_small_net_moves_as_by_the_plain_loop() {
    let link = |(a, b)| Link {
        a,
        b,
        rest: 0.5,
        stiffness: 1e3,
        damping: 1.0,
        one_sided: (a + b) % 3 == 0,
        rigid: false,
        ..Link::UNIT
    };
    let rungs = (0..9).map(|i| (i, i + 10)).chain((0..18).map(|i| (i, i + 1)));
    let links: Vec<Link> = rungs.map(link).collect();
    let start: Vec<DVec3> = (0..19).map(|i| dvec3(f64::from(i).sqrt(), -0.0, 0.1)).collect();
    let w: Vec<f64> = (0..19).map(|i| f64::from(i % 5)).collect();
    let (order, iterations) = (SweepOrder::Coloured, 2);
    let solvers = [
        ConstraintSolver::Relaxation(Relaxation { iterations, order, ..Relaxation::default() }),
        ConstraintSolver::Xpbd(Xpbd { iterations, order, ..Xpbd::default() }),
    ];
    for solver in solvers {
        let moved = |isa| {
            let mut x = start.clone();
            let mut constraints = Constraints::with_isa(isa, links.clone(), x.len());
            solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
            x
        };
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            assert_eq!(moved(isa), moved(Isa::Scalar), "{}", isa.name());
        }
    }
}
