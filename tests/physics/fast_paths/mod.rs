//! SIMD kernels compared with the plain loops over links in the same order: both give the same
//! bits.

mod systems;
mod whole_steps;

use glam::{DVec3, dvec3};
use proptest::prelude::*;
use ropelab::constraint::{
    ConstraintSolver, Constraints, Direct, Particles, Rattle, Relaxation, Root, Shake, SoftStep,
    SweepOrder, Vbd, Xpbd,
};
use ropelab::force::ForceLaw;
use ropelab::force::{Kinematics, Springs, Targets};
use ropelab::mesh::Link;
use ropelab::mesh::faces::Faces;
use ropelab::numerics::random::Random;
use ropelab::numerics::simd::Isa;
use ropelab::scene::library;
use std::ops::Range;
use systems::{
    Flaws, Stencil, System, chain, flaws, grid, sheet, stencil, stiffness, system, tangle,
};

fn bits(x: &[DVec3]) -> Vec<[u64; 3]> {
    x.iter().map(|x| x.to_array().map(f64::to_bits)).collect()
}

/// Random links to cut. Some are listed twice, and some may be missing in the system already.
fn cuts(system: &System) -> Vec<usize> {
    let links = system.links.len();
    let mut random = Random::new(links as u64);
    (0..links / 9).map(|_| random.below(links)).collect()
}

/// Bits of the positions and tensions after three projections. Masses and the step change after the
/// first projection, and links are cut after the second.
fn projected(isa: Isa, solver: ConstraintSolver, system: &System) -> (Vec<[u64; 3]>, Vec<u64>) {
    project(Constraints::with_isa(isa, system.links.clone(), system.x.len()), solver, system)
}

fn project(
    mut constraints: Constraints,
    solver: ConstraintSolver,
    system: &System,
) -> (Vec<[u64; 3]>, Vec<u64>) {
    let System { links, w, start, x } = system;
    let (mut w, mut x) = (w.clone(), x.clone());
    solver.project(&mut constraints, &mut Particles::new(&w, start, &mut x, 0.01));
    for w in w.iter_mut().step_by(3) {
        *w = if *w == 0.0 { 1.0 } else { 0.0 };
    }
    solver.project(&mut constraints, &mut Particles::new(&w, start, &mut x, 0.02));
    cuts(system).into_iter().for_each(|link| constraints.cut(link));
    solver.project(&mut constraints, &mut Particles::new(&w, start, &mut x, 0.02));
    let tensions = (0..links.len()).map(|i| constraints.tension(i, 0.02).to_bits()).collect();
    (bits(&x), tensions)
}

fn agree(solver: ConstraintSolver, system: &System) {
    let plain = projected(Isa::Scalar, solver, system);
    // Instruction sets to check. For a solver without kernels the widest set is enough.
    let shows = |isa: &Isa| isa.is_available() && (has_kernels(&solver) || *isa == Isa::best());
    for isa in Isa::ALL.into_iter().filter(shows) {
        assert!(projected(isa, solver, system) == plain, "{} {solver:?}", isa.name());
    }
    // Constraints with the instruction set that the program chooses. For some sizes and numbers of
    // sweeps this is a narrower set.
    let chosen = Constraints::new(system.links.clone(), system.x.len());
    assert!(project(chosen, solver, system) == plain, "{solver:?}");
}

fn has_kernels(solver: &ConstraintSolver) -> bool {
    matches!(solver, ConstraintSolver::Relaxation(_) | ConstraintSolver::Xpbd(_))
}

fn solvers(iterations: u32, stiffness: f64) -> Vec<ConstraintSolver> {
    let mut solvers = Vec::new();
    for order in SweepOrder::ALL {
        for root in [Root::Exact, Root::RootFree] {
            let relaxation = Relaxation { iterations, order, root, stiffness, omega: 1.0 };
            solvers.push(ConstraintSolver::Relaxation(relaxation));
        }
        for (compliance, damping) in
            [(None, None), (Some(0.0), None), (Some(1e-4), Some(0.0)), (None, Some(10.0))]
        {
            let xpbd = Xpbd { iterations, order, compliance, damping, ..Xpbd::default() };
            solvers.push(ConstraintSolver::Xpbd(xpbd));
        }
    }
    solvers
}

/// Solvers without kernels. Their results must not depend on the instruction set or the number of
/// threads.
fn solvers_without_kernels() -> Vec<ConstraintSolver> {
    let (tolerance, max_iterations) = (1e-8, 20);
    vec![
        ConstraintSolver::Shake(Shake { tolerance, max_iterations }),
        ConstraintSolver::Rattle(Rattle { tolerance, max_iterations }),
        ConstraintSolver::Direct(Direct::default()),
        ConstraintSolver::SoftStep(SoftStep { iterations: 2, ..SoftStep::default() }),
        ConstraintSolver::Vbd(Vbd { iterations: 3 }),
    ]
}

fn springs_agree_on(system: &System) {
    let plain = spring_sums(Isa::Scalar, system);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let sums = spring_sums(isa, system);
        for (k, (sums, plain)) in sums.iter().zip(&plain).enumerate() {
            let what = ["forces", "Jacobian products"][k % 2];
            let when = ["before", "after"][k / 2];
            assert!(sums == plain, "{what} on {}, {when} cuts", isa.name());
        }
    }
}

/// Bits of the forces and Jacobian-vector products of a system's links as springs, before and after
/// cuts. Each particle's vector is multiplied by 1 + its index: by the epilogue, or for
/// [`Isa::Scalar`] after the whole sum.
fn spring_sums(isa: Isa, system: &System) -> [Vec<[u64; 3]>; 4] {
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
    // The buffers start with NaN, because `write` must overwrite whatever they contain.
    let sums = |springs: &Springs| {
        let (mut f, mut df) = (vec![DVec3::NAN; x.len()], vec![DVec3::NAN; x.len()]);
        let scale = |particles: Range<usize>, f: &mut [DVec3]| {
            particles.zip(f).for_each(|(i, f)| *f *= 1.0 + i as f64);
        };
        if isa == Isa::Scalar {
            springs.write(&at, &mut f, &|_, _| ());
            springs.write_jvp(&at, &dx, &v, &mut df, &|_, _| ());
            scale(0..x.len(), &mut f);
            scale(0..x.len(), &mut df);
        } else {
            springs.write(&at, &mut f, &scale);
            springs.write_jvp(&at, &dx, &v, &mut df, &scale);
        }
        [bits(&f), bits(&df)]
    };
    let mut springs = Springs::with_isa(isa, links);
    let [f, df] = sums(&springs);
    cuts(system).into_iter().for_each(|spring| springs.cut(spring));
    let [f_cut, df_cut] = sums(&springs);
    [f, df, f_cut, df_cut]
}

/// Runs `work` in a pool of `threads` threads.
fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool").install(work)
}

#[test]
fn springs_on_one_and_more_threads_agree() {
    // Enough particles for five threads: 16,000 each.
    for (columns, rows, stencil) in [
        (160, 501, Stencil::Grid),
        (37, 2163, Stencil::Grid),
        (160, 501, Stencil::Plate),
        (160, 501, Stencil::Bending),
        // Few long rows, so that each thread's strip is a single row.
        (20_000, 6, Stencil::Plate),
    ] {
        let flaws = Flaws { one_sided: true, missing: true, swapped: true };
        let system = system(&grid(columns, rows, stencil), columns * rows, 7, flaws);
        let plain = spring_sums(Isa::Scalar, &system);
        for threads in [1, 2, 3, 5] {
            assert!(with_threads(threads, || spring_sums(Isa::best(), &system)) == plain);
        }
    }
}

/// In small plates most SIMD elements are idle: they are before the first column or after the last.
#[test]
fn small_plates_agree() {
    for (columns, rows) in (4..10).flat_map(|columns| (2..19).map(move |rows| (columns, rows))) {
        for stencil in [Stencil::Plate, Stencil::BendingThreads, Stencil::Bending] {
            let flaws = Flaws { one_sided: true, missing: false, swapped: true };
            let system = system(&grid(columns, rows, stencil), columns * rows, 3, flaws);
            for iterations in 1..4 {
                for damping in [Some(0.0), None] {
                    let xpbd = Xpbd { iterations, damping, ..Xpbd::default() };
                    agree(ConstraintSolver::Xpbd(xpbd), &system);
                }
            }
            springs_agree_on(&system);
        }
    }
}

#[test]
fn one_and_more_threads_agree() {
    for (columns, rows) in [(160, 131), (37, 480)] {
        let flaws = Flaws { one_sided: true, missing: true, swapped: true };
        let system = system(&grid(columns, rows, Stencil::Grid), columns * rows, 7, flaws);
        // Solvers without kernels use threads only in conjugate gradients, which do not depend on
        // the shape of the mesh. One shape is enough for them.
        let others = solvers_without_kernels().into_iter().filter(|_| columns == 160);
        for solver in solvers(3, 1.0).into_iter().chain(others) {
            let on = |threads| with_threads(threads, || projected(Isa::best(), solver, &system));
            let one = on(1);
            assert!(one == projected(Isa::Scalar, solver, &system));
            let threads: &[usize] = if has_kernels(&solver) { &[2, 3, 5] } else { &[3] };
            assert!(threads.iter().all(|&threads| on(threads) == one), "{solver:?}");
        }
    }
}

/// Links of every library scene, with all particles displaced at random.
#[test]
fn scenes_agree() {
    for entry in library::list() {
        let scene = entry.load().expect("a scene of the library");
        let mut random = Random::new(7);
        let mut shaken = |x: &DVec3| *x + random.point(0.01);
        let start = scene.parts.mesh.positions.clone();
        let x = start.iter().map(&mut shaken).collect();
        let mut w: Vec<f64> = scene.parts.mesh.masses.iter().map(|mass| 1.0 / mass).collect();
        scene.parts.pins.iter().for_each(|pin| w[pin.particle as usize] = 0.0);
        let links = scene.parts.mesh.links.iter().collect();
        let system = System { links, w, start, x };
        for solver in solvers(3, 0.9).into_iter().chain(solvers_without_kernels()) {
            agree(solver, &system);
        }
        springs_agree_on(&system);
    }
}

/// Links of a system in which the cut links are missing from the start (their rest length is NaN).
fn with_gaps(system: &System) -> Vec<Link> {
    let mut links = system.links.clone();
    cuts(system).into_iter().for_each(|link| links[link].rest = f64::NAN);
    links
}

#[test]
fn cut_in_place_is_as_if_built_with_gaps() {
    let flaws = Flaws { one_sided: true, missing: false, swapped: true };
    for (pairs, particles) in [
        (chain(60), 60),
        (grid(31, 9, Stencil::Grid), 279),
        (grid(31, 9, Stencil::Plate), 279),
        (grid(31, 9, Stencil::Bending), 279),
        (grid(90, 3, Stencil::Grid), 270),
        (tangle(40, 99, 3), 40),
    ] {
        let system = system(&pairs, particles, 5, flaws);
        let System { links, w, start, x } = &system;
        let gaps = with_gaps(&system);
        assert!(gaps.iter().any(Link::is_cut));
        for solver in solvers(6, 0.8) {
            let project = |links: &[Link], cuts: &[usize]| {
                let mut constraints = Constraints::new(links.to_vec(), x.len());
                solver.prepare(&mut constraints);
                cuts.iter().for_each(|link| constraints.cut(*link));
                let mut x = x.clone();
                let projection = solver.project_and_measure(
                    &mut constraints,
                    &mut Particles::new(w, start, &mut x, 0.01),
                );
                (bits(&x), projection)
            };
            let found = project(links, &cuts(&system));
            assert!(found == project(&gaps, &[]), "{solver:?}");
            assert!(found != project(links, &[]), "{solver:?}");
            assert!(found.1.residual.is_finite());
        }
    }
}

/// Data that a solver prepared for one sweep order, step length or material must not be used for
/// another.
#[test]
fn projections_of_all_kinds_take_turns() {
    let flaws = Flaws { one_sided: true, missing: true, swapped: true };
    for (pairs, particles) in [
        (chain(60), 60),
        (grid(31, 9, Stencil::Grid), 279),
        (grid(31, 9, Stencil::Plate), 279),
        (grid(31, 9, Stencil::Bending), 279),
        (tangle(40, 99, 3), 40),
    ] {
        let System { links, w, start, x } = system(&pairs, particles, 5, flaws);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let mut lasting = Constraints::with_isa(isa, links.clone(), x.len());
            let mut random = Random::new(1);
            let mut kinds = solvers(4, 0.9);
            // Soft Step is left out, because it starts from the impulses of the projection before,
            // which differ.
            let forgets = |it: &ConstraintSolver| !matches!(it, ConstraintSolver::SoftStep(_));
            kinds.extend(solvers_without_kernels().into_iter().filter(forgets));
            for _ in 0..100 {
                let solver = random.pick(&kinds);
                let dt = random.pick(&[0.01, 0.02]);
                let project = |constraints: &mut Constraints| {
                    let mut x = x.clone();
                    let left = solver.project_and_measure(
                        constraints,
                        &mut Particles::new(&w, &start, &mut x, dt),
                    );
                    (bits(&x), left)
                };
                let mut fresh = Constraints::with_isa(isa, links.clone(), x.len());
                let found = project(&mut lasting);
                assert!(found == project(&mut fresh), "{} {solver:?}", isa.name());
                if matches!(solver, ConstraintSolver::Xpbd(_)) {
                    let tensions = |c: &Constraints| -> Vec<u64> {
                        (0..links.len()).map(|i| c.tension(i, dt).to_bits()).collect()
                    };
                    assert_eq!(tensions(&lasting), tensions(&fresh), "{} {solver:?}", isa.name());
                }
            }
        }
    }
}

#[test]
fn a_cut_link_pulls_no_more_and_the_others_as_before() {
    let links = |n: u32| -> Vec<Link> {
        let link = Link { stiffness: 7.0, ..Link::UNIT };
        (0..n).map(|a| Link { a, b: a + 1, ..link }).collect()
    };
    // Two links that share no particle: cutting one must not affect the other.
    let start = [0.0, 1.5, 10.0, 11.5].map(|x| dvec3(x, 0.0, 0.0));
    let mut pair = links(1);
    pair.push(Link { a: 2, b: 3, ..pair[0] });
    for solver in solvers(8, 1.0) {
        let mut constraints = Constraints::new(pair.clone(), 4);
        constraints.cut(1);
        let mut x = start;
        let left = solver.project_and_measure(
            &mut constraints,
            &mut Particles::new(&[1.0; 4], &start, &mut x, 0.01),
        );
        assert!((x[0].distance(x[1]) - 1.0).abs() < 1e-2, "{solver:?}: positions {x:?}");
        assert_eq!(x[2..], start[2..], "{solver:?}");
        assert!(left.residual < 1e-2, "{solver:?}: {left:?}");
    }
    // A rope of springs whose fifth spring is cut.
    let v = vec![DVec3::ZERO; 31];
    let x: Vec<DVec3> = (0..31).map(|i| dvec3(1.1 * f64::from(i), 0.0, 0.0)).collect();
    let masses = vec![1.0; 31];
    let targets = Targets::new(&[], x.len());
    let at =
        Kinematics { t: 0.0, x: &x, v: &v, masses: &masses, faces: &Faces::default(), targets };
    let mut springs = Springs::new(links(30));
    let whole = springs.potential(&at).expect("a potential");
    springs.cut(4);
    let mut f = v.clone();
    springs.add(&at, &mut f);
    for (i, f) in f.iter().enumerate() {
        let expected = match i {
            0 | 5 => 0.7,
            4 | 30 => -0.7,
            _ => 0.0,
        };
        assert!((f.x - expected).abs() < 1e-12, "particle {i}: {f}");
    }
    let left = springs.potential(&at).expect("a potential");
    assert!((left - whole * 29.0 / 30.0).abs() < 1e-12);
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
        for solver in solvers(iterations, stiffness).into_iter().chain(solvers_without_kernels()) {
            agree(solver, &system);
        }
    }

    #[test]
    fn grids_agree(
        (pairs, particles) in sheet(),
        iterations in 1_u32..8,
        stiffness in stiffness(),
        flaws in flaws(),
        seed: u64,
    ) {
        let system = system(&pairs, particles, seed, flaws);
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
        // Scenes refuse a link from a particle to itself, which has no direction to solve for.
        let mut pairs = tangle(particles, links, seed);
        pairs.retain(|(a, b)| a != b);
        let system = self::system(&pairs, particles, seed, flaws);
        for solver in solvers_without_kernels() {
            agree(solver, &system);
        }
    }

    #[test]
    fn bodies_side_by_side_agree(
        (particles, columns, rows) in (2_usize..30, 2_usize..20, 2_usize..12),
        stencil in stencil(),
        flaws in flaws(),
        seed: u64,
    ) {
        let mut pairs = chain(particles);
        let mut first = particles;
        let shapes = [
            (grid(columns, rows, stencil), columns * rows),
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
        (pairs, particles) in sheet(),
        flaws in flaws(),
        seed: u64,
    ) {
        springs_agree_on(&system(&pairs, particles, seed, flaws));
    }

    #[test]
    fn springs_side_by_side_agree(
        (columns, rows, between) in (2_usize..20, 2_usize..12, 0_usize..5),
        beads in 2_usize..70,
        stencils in (stencil(), stencil()),
        flaws in flaws(),
        seed: u64,
    ) {
        let mut pairs = Vec::new();
        let mut first = between;
        for (shape, particles) in [
            (grid(columns, rows, stencils.0), columns * rows),
            (chain(beads), beads + between),
            (grid(rows, columns, stencils.1), columns * rows + between),
        ] {
            pairs.extend(shape.into_iter().map(|(a, b)| (first + a, first + b)));
            first += particles;
        }
        springs_agree_on(&system(&pairs, first, seed, flaws));
    }
}
