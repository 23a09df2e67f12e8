//! Benchmarks of the springs of a cloth: forces and Jacobian-vector products, by the fast path
//! along grids and by the plain loop.

use crate::workload_mesh::WorkloadMesh;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::DVec3;
use ropelab::bench::Workload;
use ropelab::force::{Kinematics, Springs, Targets};
use ropelab::mesh::LinkKind;
use ropelab::mesh::faces::Faces;
use ropelab::numerics::simd::Isa;

#[divan::bench(args = ["fast", "plain"])]
fn forces(bencher: Bencher, path: &str) {
    forces_of(&WorkloadMesh::of(Workload::W2), bencher, path);
}

#[divan::bench(args = ["fast", "plain"])]
fn forces_of_a_plate(bencher: Bencher, path: &str) {
    forces_of(&WorkloadMesh::plate(), bencher, path);
}

/// Measures the bend links of a cloth, which remain springs under relaxation.
#[divan::bench(args = ["fast", "plain"])]
fn forces_of_bend_links(bencher: Bencher, path: &str) {
    let mut cloth = WorkloadMesh::plate();
    cloth.links.retain(|link| link.kind == LinkKind::Bend);
    forces_of(&cloth, bencher, path);
}

fn forces_of(cloth: &WorkloadMesh, bencher: Bencher, path: &str) {
    bench(cloth, bencher, path, |springs, at, _, f| springs.write(at, f, &|_, _| ()));
}

#[divan::bench(args = ["fast", "plain"])]
fn jacobian_product(bencher: Bencher, path: &str) {
    let cloth = WorkloadMesh::of(Workload::W2);
    bench(&cloth, bencher, path, |springs, at, direction, df| {
        springs.write_jvp(at, direction, direction, df, &|_, _| ());
    });
}

/// Measures `evaluate`. Its arguments are the springs, the particles, a direction, and the column
/// to write.
fn bench(
    cloth: &WorkloadMesh,
    bencher: Bencher,
    path: &str,
    evaluate: impl Fn(&Springs, &Kinematics, &[DVec3], &mut [DVec3]),
) {
    let isa = if path == "fast" { Isa::best() } else { Isa::Scalar };
    let springs = Springs::with_isa(isa, &cloth.links);
    let (x, v) = (cloth.disturbed(), cloth.x.clone());
    let masses = vec![1.0; x.len()];
    let at = Kinematics {
        t: 0.0,
        x: &x,
        v: &v,
        masses: &masses,
        faces: &Faces::default(),
        targets: Targets::new(&[], x.len()),
    };
    let direction = &cloth.x;
    let mut sum = vec![DVec3::ZERO; x.len()];
    bencher.counter(ItemsCount::new(cloth.links.len())).bench_local(|| {
        evaluate(black_box(&springs), &at, direction, &mut sum);
    });
}
