//! Benchmarks of the wind on the faces of a cloth: forces and Jacobian-vector products, by the fast
//! path along rows and by the plain loop.

use crate::workload_mesh::WorkloadMesh;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::DVec3;
use ropelab::bench::Workload;
use ropelab::force::{FaceWind, Kinematics, Targets};
use ropelab::numerics::simd::Isa;

#[divan::bench(args = ["fast", "plain"])]
fn forces(bencher: Bencher, path: &str) {
    bench(bencher, path, |isa, wind, at, _, f| wind.add_on(isa, at, f));
}

#[divan::bench(args = ["fast", "plain"])]
fn jacobian_product(bencher: Bencher, path: &str) {
    bench(bencher, path, |isa, wind, at, d, df| wind.add_jvp_on(isa, at, [d, d], df));
}

/// Measures `evaluate`. Its arguments are the wind, the particles, a direction, and the column to
/// which it adds.
fn bench(
    bencher: Bencher,
    path: &str,
    evaluate: impl Fn(Isa, &FaceWind, &Kinematics, &[DVec3], &mut [DVec3]),
) {
    let isa = if path == "fast" { Isa::best() } else { Isa::Scalar };
    let parts = Workload::W2.parts();
    let cloth = WorkloadMesh::of(Workload::W2);
    let (x, v) = (cloth.disturbed(), cloth.x.clone());
    let faces = &parts.mesh.faces;
    let masses = vec![1.0; x.len()];
    let all: Vec<u32> = (0..x.len() as u32).collect();
    let targets = Targets::new(&all, x.len());
    let at = Kinematics { t: 0.0, x: &x, v: &v, masses: &masses, faces, targets };
    let mut sum = vec![DVec3::ZERO; x.len()];
    bencher.counter(ItemsCount::new(faces.iter().count())).bench_local(|| {
        sum.fill(DVec3::ZERO);
        evaluate(isa, black_box(&FaceWind::default()), &at, &cloth.x, &mut sum);
        black_box(&mut sum);
    });
}
