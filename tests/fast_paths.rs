//! Every fast path against the plain loop of the same order, bit for bit.

use glam::{DVec3, dvec3};
use proptest::prelude::*;
use ropelab::constraint::{
    ConstraintSolver, Constraints, Link, LinkKind, Relaxation, Root, SweepOrder, Xpbd,
};
use ropelab::faces::Faces;
use ropelab::force::{ForceLaw, Kinematics, Springs, Targets};
use ropelab::scene::library;
use ropelab::simd::Isa;

/// Random links, masses and positions. Some particles are pinned, some coincide, some have −0 in
/// a coordinate, and some links are missing.
#[derive(Clone, Debug)]
struct System {
    links: Vec<Link>,
    w: Vec<f64>,
    start: Vec<DVec3>,
    x: Vec<DVec3>,
}

/// A small generator of its own, so that one seed is one system on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % n
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// How the links of a system differ from those of a fresh mesh.
#[derive(Clone, Copy, Debug)]
struct Flaws {
    one_sided: bool,
    cut: bool,
    swapped: bool,
}

fn system(pairs: &[(usize, usize)], particles: usize, seed: u64, flaws: Flaws) -> System {
    let mut dice = Dice(seed);
    let mut links = Vec::new();
    for &(a, b) in pairs {
        if flaws.cut && dice.one_in(10) {
            continue;
        }
        let (a, b) = if flaws.swapped && dice.one_in(2) { (b, a) } else { (a, b) };
        links.push(Link {
            a: a as u32,
            b: b as u32,
            rest: 0.05 + 0.1 * dice.unit(),
            stiffness: 1e3 * (1.0 + dice.unit()),
            damping: dice.unit(),
            kind: LinkKind::Structural,
            one_sided: flaws.one_sided && dice.one_in(3),
            rigid: dice.one_in(4),
        });
    }
    let mut x = Vec::new();
    let mut w = Vec::new();
    for i in 0..particles {
        let place = dvec3(dice.unit(), dice.unit(), dice.unit()) * 0.3;
        x.push(match dice.below(12) {
            0 if i > 0 => x[i - 1],
            1 => dvec3(-0.0, place.y, -0.0),
            _ => place + dvec3(0.1 * i as f64, 0.0, 0.0),
        });
        w.push(if dice.one_in(8) { 0.0 } else { 0.5 + dice.unit() });
    }
    let start = x.iter().map(|x| *x + 0.01 * dvec3(dice.unit(), dice.unit(), -1.0)).collect();
    System { links, w, start, x }
}

fn chain(particles: usize) -> Vec<(usize, usize)> {
    (1..particles).map(|i| (i - 1, i)).collect()
}

fn grid(columns: usize, rows: usize, diagonals: bool) -> Vec<(usize, usize)> {
    let at = |column, row| row * columns + column;
    let mut pairs = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (right, down) = (column + 1 < columns, row + 1 < rows);
            if right {
                pairs.push((at(column, row), at(column + 1, row)));
            }
            if down {
                pairs.push((at(column, row), at(column, row + 1)));
            }
            if right && down && diagonals {
                pairs.push((at(column, row), at(column + 1, row + 1)));
                pairs.push((at(column + 1, row), at(column, row + 1)));
            }
        }
    }
    pairs
}

/// Links between random particles: no shape at all.
fn tangle(particles: usize, links: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut dice = Dice(seed);
    let mut particle = || dice.below(particles as u64) as usize;
    (0..links).map(|_| (particle(), particle())).collect()
}

fn bits(x: &[DVec3]) -> Vec<[u64; 3]> {
    x.iter().map(|x| x.to_array().map(f64::to_bits)).collect()
}

/// Positions and tensions after two projections: masses may change between them.
fn projected(isa: Isa, solver: ConstraintSolver, system: &System) -> (Vec<[u64; 3]>, Vec<u64>) {
    let System { links, w, start, x } = system;
    let mut constraints = Constraints::on(isa, links.clone(), x.len());
    let (mut w, mut x) = (w.clone(), x.clone());
    solver.project(&mut constraints, &w, start, &mut x, 0.01);
    for w in w.iter_mut().step_by(3) {
        *w = if *w == 0.0 { 1.0 } else { 0.0 };
    }
    solver.project(&mut constraints, &w, start, &mut x, 0.02);
    let tensions = (0..links.len()).map(|i| constraints.tension(i, 0.02).to_bits()).collect();
    (bits(&x), tensions)
}

fn agree(solver: ConstraintSolver, system: &System) {
    let plain = projected(Isa::Scalar, solver, system);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        assert!(projected(isa, solver, system) == plain, "{} {solver:?}", isa.name());
    }
}

fn solvers(iterations: u32, stiffness: f64) -> Vec<ConstraintSolver> {
    let mut solvers = Vec::new();
    for order in SweepOrder::ALL {
        for root in [Root::Exact, Root::RootFree] {
            let relaxation = Relaxation { iterations, order, root, stiffness };
            solvers.push(ConstraintSolver::Relaxation(relaxation));
        }
        for (compliance, damping) in
            [(None, None), (Some(0.0), None), (Some(1e-4), Some(0.0)), (None, Some(10.0))]
        {
            solvers.push(ConstraintSolver::Xpbd(Xpbd { iterations, order, compliance, damping }));
        }
    }
    solvers
}

fn flaws() -> impl Strategy<Value = Flaws> {
    let flaws = |(one_sided, cut, swapped)| Flaws { one_sided, cut, swapped };
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(flaws)
}

fn stiffness() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 0.1..1.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn chains_agree(
        particles in 2_usize..70,
        iterations in 1_u32..45,
        stiffness in stiffness(),
        flaws in flaws(),
        seed: u64,
    ) {
        let system = system(&chain(particles), particles, seed, flaws);
        for solver in solvers(iterations, stiffness) {
            agree(solver, &system);
        }
    }

    #[test]
    fn grids_agree(
        (columns, rows) in prop_oneof![(2_usize..40, 1_usize..24), (70_usize..110, 1_usize..8)],
        diagonals: bool,
        iterations in 1_u32..8,
        stiffness in stiffness(),
        flaws in flaws(),
        seed: u64,
    ) {
        let system = system(&grid(columns, rows, diagonals), columns * rows, seed, flaws);
        for solver in solvers(iterations, stiffness) {
            agree(solver, &system);
        }
    }

    #[test]
    fn tangles_agree(
        (particles, links) in (2_usize..60, 0_usize..150),
        iterations in 1_u32..8,
        stiffness in stiffness(),
        flaws in flaws(),
        seed: u64,
    ) {
        let system = system(&tangle(particles, links, seed), particles, seed, flaws);
        for solver in solvers(iterations, stiffness) {
            agree(solver, &system);
        }
    }

    #[test]
    fn bodies_side_by_side_agree(
        (particles, columns, rows) in (2_usize..30, 2_usize..20, 2_usize..12),
        flaws in flaws(),
        seed: u64,
    ) {
        let mut pairs = chain(particles);
        let mut first = particles;
        let shapes = [
            (grid(columns, rows, true), columns * rows),
            (tangle(12, 20, seed), 12),
            (chain(particles), particles),
        ];
        for (shape, particles) in shapes {
            pairs.extend(shape.into_iter().map(|(a, b)| (first + a, first + b)));
            first += particles;
        }
        let system = system(&pairs, first, seed, flaws);
        for solver in solvers(5, 1.0) {
            agree(solver, &system);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn springs_agree(
        (columns, rows, diagonals) in (2_usize..40, 1_usize..24, any::<bool>()),
        flaws in flaws(),
        seed: u64,
    ) {
        springs_agree_on(&system(&grid(columns, rows, diagonals), columns * rows, seed, flaws));
    }

    #[test]
    fn springs_side_by_side_agree(
        (columns, rows, between) in (2_usize..20, 2_usize..12, 0_usize..5),
        beads in 2_usize..70,
        flaws in flaws(),
        seed: u64,
    ) {
        let mut pairs = Vec::new();
        let mut first = between;
        for (shape, particles) in [
            (grid(columns, rows, true), columns * rows),
            (chain(beads), beads + between),
            (grid(rows, columns, true), columns * rows + between),
        ] {
            pairs.extend(shape.into_iter().map(|(a, b)| (first + a, first + b)));
            first += particles;
        }
        springs_agree_on(&system(&pairs, first, seed, flaws));
    }
}

fn springs_agree_on(system: &System) {
    let plain = spring_sums(Isa::Scalar, system);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let [f, df] = spring_sums(isa, system);
        assert!(f == plain[0], "forces on {}", isa.name());
        assert!(df == plain[1], "Jacobian products on {}", isa.name());
    }
}

/// Forces and Jacobian products of a system's links as springs, added twice to sums with −0 in
/// them.
fn spring_sums(isa: Isa, system: &System) -> [Vec<[u64; 3]>; 2] {
    let System { links, x, start, .. } = system;
    let v: Vec<DVec3> = start.iter().zip(x).map(|(a, b)| (*a - *b) * 100.0).collect();
    let dx: Vec<DVec3> = v.iter().rev().map(|v| *v * 0.3).collect();
    let masses = vec![1.0; x.len()];
    let at = Kinematics {
        t: 0.0,
        x,
        v: &v,
        masses: &masses,
        faces: &Faces::default(),
        targets: Targets::new(&[], x.len()),
    };
    let (mut f, mut df) = (x.clone(), x.clone());
    let springs = Springs::on(isa, links);
    for _ in 0..2 {
        springs.add(&at, &mut f);
        springs.add_jvp(&at, &dx, &v, &mut df);
    }
    [bits(&f), bits(&df)]
}

/// The same on so many threads.
fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool").install(work)
}

#[test]
fn springs_on_one_and_more_threads_agree() {
    for (columns, rows) in [(160, 261), (37, 900)] {
        let flaws = Flaws { one_sided: true, cut: true, swapped: true };
        let system = system(&grid(columns, rows, true), columns * rows, 7, flaws);
        let plain = spring_sums(Isa::Scalar, &system);
        for threads in [1, 2, 3, 5] {
            assert!(with_threads(threads, || spring_sums(Isa::best(), &system)) == plain);
        }
    }
}

#[test]
fn one_and_more_threads_agree() {
    for (columns, rows) in [(160, 131), (37, 480)] {
        let flaws = Flaws { one_sided: true, cut: true, swapped: true };
        let system = system(&grid(columns, rows, true), columns * rows, 7, flaws);
        for solver in solvers(9, 1.0) {
            let on = |threads| with_threads(threads, || projected(Isa::best(), solver, &system));
            let one = on(1);
            assert!(one == projected(Isa::Scalar, solver, &system));
            assert!(on(2) == one && on(3) == one && on(5) == one);
        }
    }
}

/// The links of every library scene, shaken out of their rest.
#[test]
fn scenes_agree() {
    for entry in library::list() {
        let scene = entry.load().expect("a scene of the library");
        let mut dice = Dice(7);
        let mut shaken = |x: &DVec3| *x + 0.02 * dvec3(dice.unit(), dice.unit(), dice.unit());
        let start = scene.mesh.positions.clone();
        let x = start.iter().map(&mut shaken).collect();
        let mut w: Vec<f64> = scene.mesh.masses.iter().map(|mass| 1.0 / mass).collect();
        scene.pins.iter().for_each(|pin| w[pin.particle as usize] = 0.0);
        let links = scene.mesh.links.iter().collect();
        let system = System { links, w, start, x };
        for solver in solvers(3, 0.9) {
            agree(solver, &system);
        }
        springs_agree_on(&system);
    }
}
