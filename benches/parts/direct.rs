//! Benchmark of two direct solves of a falling rope: time, and links × solves per second.

use divan::Bencher;
use divan::counter::ItemsCount;
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Direct, Particles};
use ropelab::mesh::{Link, LinkKind};

/// Length of a substep in seconds.
const H: f64 = 1.0 / 240.0;

#[divan::bench(args = [20, 100, 1000])]
fn two_solves(bencher: Bencher, count: u32) {
    let bend = |i: u32| dvec3(0.1 * f64::from(i), (0.05 * f64::from(i)).sin(), 0.0);
    let start: Vec<DVec3> = (0..=count).map(bend).collect();
    let rest = |i: u32| start[i as usize].distance(start[i as usize + 1]);
    let link = |a: u32| Link {
        a,
        b: a + 1,
        rest: rest(a),
        stiffness: 3000.0,
        damping: 0.0,
        kind: LinkKind::Structural,
        one_sided: false,
        rigid: true,
    };
    let links: Vec<Link> = (0..count).map(link).collect();
    let w: Vec<f64> = (0..=count).map(|i| if i == 0 { 0.0 } else { 100.0 }).collect();
    let fall = |(i, x): (usize, &DVec3)| match i {
        0 => *x,
        _ => *x - DVec3::Y * (1e-3 * (1.0 + (i as f64).sin())),
    };
    let free: Vec<DVec3> = start.iter().enumerate().map(fall).collect();
    let direct = ConstraintSolver::Direct(Direct::default());
    let mut constraints = Constraints::new(links, start.len());
    let mut x = free.clone();
    bencher.counter(ItemsCount::new(2 * count as usize)).bench_local(|| {
        x.copy_from_slice(&free);
        direct.project(&mut constraints, &mut Particles::new(&w, &start, &mut x, H))
    });
}
