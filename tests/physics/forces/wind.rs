//! Wind on the triangles of grids: SIMD kernel compared with the plain loop over all triangles, bit
//! for bit.

use glam::{DVec3, dvec3};
use ropelab::force::{FaceWind, Gust, Kinematics, Targets};
use ropelab::mesh::Grid;
use ropelab::mesh::faces::Faces;
use ropelab::numerics::random::Random;
use ropelab::numerics::simd::Isa;
use std::array;

fn random_points(random: &mut Random, n: usize) -> Vec<DVec3> {
    (0..n).map(|_| random.point(1.0)).collect()
}

/// Cloths in the wind, with the arguments of the Jacobian-vector product.
struct Cloths {
    faces: Faces,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    d: [Vec<DVec3>; 2],
    /// Forces to which the wind is added, in newtons.
    f: Vec<DVec3>,
    targets: Vec<u32>,
}

/// Grids of these sizes, one after the other in the list of particles, with a single triangle after
/// each grid. Some particles coincide with their neighbours, others move with the wind.
fn cloths(sizes: &[[u32; 2]], wind: &FaceWind, seed: u64) -> Cloths {
    let mut random = Random::new(seed);
    let mut faces = Faces::default();
    let mut n = 3;
    for &[columns, rows] in sizes {
        faces.push_grid(Grid { first: n, columns, rows });
        n += columns * rows;
        faces.push([n - 1, 0, 2]);
    }
    let n = n as usize;
    let [mut x, mut v, f, dx, dv] = array::from_fn(|_| random_points(&mut random, n));
    for i in 1..n {
        if random.below(6) == 0 {
            x[i] = x[i - 1];
        }
    }
    for (v, i) in v.iter_mut().zip(0..) {
        if (i / 40) % 5 == 0 {
            *v = wind.velocity;
        }
    }
    let targets = (0..n as u32).collect();
    Cloths { faces, x, v, d: [dx, dv], f, targets }
}

impl Cloths {
    /// Bits of the forces and of the Jacobian-vector products.
    fn pushed(&self, isa: Isa, wind: &FaceWind) -> [Vec<[u64; 3]>; 2] {
        let masses = vec![1.0; self.x.len()];
        let at = Kinematics {
            t: 0.4,
            x: &self.x,
            v: &self.v,
            masses: &masses,
            faces: &self.faces,
            targets: Targets::new(&self.targets, self.x.len()),
        };
        let (mut f, mut df) = (self.f.clone(), self.f.clone());
        wind.add_on(isa, &at, &mut f);
        wind.add_jvp_on(isa, &at, self.d.each_ref().map(|d| &d[..]), &mut df);
        [f, df].map(|f| f.iter().map(|f| f.to_array().map(f64::to_bits)).collect())
    }

    fn agree(&self, wind: &FaceWind) {
        let plain = self.pushed(Isa::Scalar, wind);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            assert!(self.pushed(isa, wind) == plain, "{}", isa.name());
        }
    }
}

fn wind() -> FaceWind {
    let gust = Gust::Sine { amplitude: 0.0, frequency: 1.0 };
    FaceWind { velocity: dvec3(3.0, -0.5, 1.0), lift: 1.1, gust, ..FaceWind::default() }
}

/// Cuts the first side of about one in `one_in` triangles, which removes the triangles beside it.
fn tear(faces: &mut Faces, one_in: usize, seed: u64) {
    let mut random = Random::new(seed);
    let sides: Vec<[u32; 2]> =
        faces.iter().filter(|_| random.below(one_in) == 0).map(|[a, b, _]| [a, b]).collect();
    faces.cut(&sides);
}

#[test]
fn grids_of_any_size_agree_whole_and_torn() {
    let wind = wind();
    for columns in 2..20 {
        for rows in [2, 3, 4, 9] {
            let mut cloths = cloths(&[[columns, rows], [rows, columns]], &wind, 5);
            cloths.agree(&wind);
            tear(&mut cloths.faces, 7, 3);
            cloths.agree(&wind);
            tear(&mut cloths.faces, 2, 4);
            cloths.agree(&wind);
        }
    }
}

#[test]
fn a_grid_of_which_only_some_particles_are_targets_agrees() {
    let wind = wind();
    let mut cloths = cloths(&[[9, 12], [17, 5]], &wind, 1);
    for seed in 0..4 {
        let mut random = Random::new(seed);
        // The wind acts on all particles of the second cloth and on some of the first.
        cloths.targets.retain(|&i| i >= 3 + 9 * 12 || random.below(9) > 0);
        cloths.agree(&wind);
    }
    cloths.targets.clear();
    assert_eq!(cloths.pushed(Isa::best(), &wind)[0], cloths.pushed(Isa::best(), &wind)[1]);
    cloths.agree(&wind);
}

#[test]
fn one_and_more_threads_agree() {
    let wind = wind();
    // Enough particles for five threads (at least 16,000 each).
    for size in [[160, 501], [37, 2163], [16_100, 5]] {
        let mut cloths = cloths(&[size], &wind, 9);
        tear(&mut cloths.faces, 50, 2);
        let plain = cloths.pushed(Isa::Scalar, &wind);
        for threads in [1, 2, 3, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pushed = pool.expect("a pool").install(|| cloths.pushed(Isa::best(), &wind));
            assert!(pushed == plain, "{size:?} on {threads} threads");
        }
    }
}

#[test]
fn numbers_beyond_all_measure_stay_where_they_are() {
    let wind = wind();
    for odd in [f64::NAN, f64::INFINITY, 1e200, 1e-200] {
        let mut cloths = cloths(&[[12, 9]], &wind, 4);
        cloths.x[40] = DVec3::splat(odd);
        cloths.v[70] = DVec3::splat(odd);
        let [plain, elements] = [Isa::Scalar, Isa::best()].map(|isa| cloths.pushed(isa, &wind));
        for (plain, elements) in
            plain.iter().flatten().flatten().zip(elements.iter().flatten().flatten())
        {
            let both = [plain, elements].map(|bits| f64::from_bits(*bits));
            // If both terms of a sum are NaN, the processor decides which of them the sum is.
            assert!(plain == elements || both.iter().all(|number| number.is_nan()), "{both:?}");
        }
    }
}
