//! Constraint solvers compared with theory, published numbers and conservation laws.

mod colours;
mod convergence;
mod hard_cases;
mod names;
mod swings_and_chains;
mod xpbd;

use glam::{DVec3, dvec3};
use ropelab::constraint::{
    ConstraintSolver, Constraints, Particles, Projection, Relaxation, Root, Shake, SweepOrder, Xpbd,
};
use ropelab::integrate::Integrator;
use ropelab::integrate::VelocityVerlet;
use ropelab::mesh::{ClothMaterial, Link, Links, RopeMaterial};
use ropelab::numerics::random::Random;
use ropelab::numerics::state::{State, StateRef, Workspace};
use ropelab::numerics::system::System;
use ropelab::simulation::update_velocities;

/// Particles under gravity only, for the free motion between projections.
struct Falling(Vec<f64>);

impl System for Falling {
    fn masses(&self) -> &[f64] {
        &self.0
    }

    fn accelerations(&self, _: f64, _: &[DVec3], _: &[DVec3], a: &mut [DVec3]) {
        for (a, m) in a.iter_mut().zip(&self.0) {
            *a = if *m > 0.0 { G } else { DVec3::ZERO };
        }
    }

    fn acceleration_jvp(&self, _: StateRef, _: [&[DVec3]; 2], out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
    }
}

/// A body under gravity whose links are constraints, stepped as in the simulation.
struct Body {
    system: Falling,
    w: Vec<f64>,
    links: Constraints,
    state: State,
    work: Workspace,
    solver: ConstraintSolver,
}

impl Body {
    fn new(
        solver: ConstraintSolver,
        links: impl Into<Links>,
        x: Vec<DVec3>,
        pins: &[usize],
    ) -> Self {
        let mut masses = vec![1.0; x.len()];
        for &pin in pins {
            masses[pin] = 0.0;
        }
        let w = masses.iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
        let links = Constraints::new(links, x.len());
        let (state, work) = (State::at_rest(x), Workspace::default());
        Self { system: Falling(masses), w, links, state, work, solver }
    }

    fn step(&mut self, dt: f64) -> Projection {
        let start = self.state.clone();
        let work = &mut self.work;
        VelocityVerlet.step(&self.system, start.view(), self.state.view_mut(), dt, work);
        let before = self.state.x.clone();
        let x = &mut self.state.x;
        let done = self
            .solver
            .project_and_measure(&mut self.links, &mut Particles::new(&self.w, &start.x, x, dt));
        update_velocities(&before, &self.state.x, &mut self.state.v, dt);
        done
    }
}

const CLOTH: ClothMaterial = ClothMaterial {
    areal_density: 0.2,
    stretch_stiffness: 1e4,
    shear_stiffness: 1e3,
    bend_stiffness: 0.0,
    flexural_rigidity: 0.0,
    damping: 0.0,
    rigid: true,
    one_sided: false,
};

const ROPE: RopeMaterial = RopeMaterial {
    mass_per_metre: 0.1,
    stiffness: 1e4,
    damping: 0.0,
    bend_stiffness: 0.0,
    flexural_rigidity: 0.0,
    rigid: true,
    one_sided: false,
    radius: 0.01,
};

const G: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn link(a: usize, b: usize, rest: f64) -> Link {
    Link { a: a as u32, b: b as u32, rest, stiffness: 1e3, ..Link::UNIT }
}

fn chain(segments: usize, rest: f64) -> Constraints {
    let links: Links = (0..segments).map(|i| link(i, i + 1, rest)).collect();
    Constraints::new(links, segments + 1)
}

fn relaxation(iterations: u32, order: SweepOrder) -> Relaxation {
    Relaxation { iterations, order, ..Relaxation::default() }
}

/// All solvers, and all sweep orders of the solvers that have several.
fn solvers() -> Vec<ConstraintSolver> {
    let mut solvers: Vec<_> = ConstraintSolver::all().filter(|solver| !solver.is_none()).collect();
    for order in SweepOrder::ALL {
        for root in [Root::Exact, Root::RootFree] {
            let relaxation = Relaxation { root, ..relaxation(20, order) };
            solvers.push(ConstraintSolver::Relaxation(relaxation));
        }
        solvers.push(ConstraintSolver::Xpbd(Xpbd { order, ..Xpbd::default() }));
    }
    solvers
}

/// Solvers that bring a link to its rest length, whatever the step. Soft Step is excluded, because
/// its links are springs in hertz that also remember the impulses of the previous substep. VBD is
/// excluded, because its links are the springs of their material. `soft_step.rs` and `vbd.rs`
/// compare these two with their own closed forms.
fn exact_solvers() -> impl Iterator<Item = ConstraintSolver> {
    solvers().into_iter().filter(|solver| {
        !matches!(solver, ConstraintSolver::SoftStep(_) | ConstraintSolver::Vbd(_))
    })
}

/// Projects two particles of equal mass, joined by a link of rest length 1 along x, at the distance
/// `apart`. Returns the distance afterwards.
fn pair(solver: ConstraintSolver, apart: f64) -> f64 {
    let mut x = [DVec3::ZERO, dvec3(apart, 0.0, 0.0)];
    let start = [DVec3::ZERO, DVec3::X];
    solver.project(&mut chain(1, 1.0), &mut Particles::new(&[1.0; 2], &start, &mut x, 0.01));
    assert!((x[0] + x[1] - dvec3(apart, 0.0, 0.0)).length() < 1e-15, "the centre stays");
    x[0].distance(x[1])
}

#[test]
fn one_exact_visit_puts_a_pair_to_its_length() {
    for apart in [0.8, 1.2, 5.0] {
        let solver = ConstraintSolver::Relaxation(relaxation(1, SweepOrder::EndToEnd));
        assert!((pair(solver, apart) - 1.0).abs() < 4.0 * f64::EPSILON);
    }
}

#[test]
fn the_misprinted_sign_would_drive_a_stretched_pair_apart() {
    let solver = ConstraintSolver::Relaxation(relaxation(1, SweepOrder::EndToEnd));
    let corrected = pair(solver, 1.2) - 1.2;
    assert!(corrected < 0.0, "a stretched pair comes together");
    assert!((1.2 - corrected - 1.4).abs() < 1e-15, "the other sign leads to 1.4 L");
}

#[test]
fn the_form_without_a_root_lands_where_jakobsen_says() {
    let one = Relaxation { root: Root::RootFree, ..relaxation(1, SweepOrder::EndToEnd) };
    for (apart, printed) in [(1.2, 0.9836), (0.8, 0.9756)] {
        let lands = pair(ConstraintSolver::Relaxation(one), apart);
        let f = 1.0 / (apart * apart + 1.0) - 0.5;
        assert!((lands - apart * (1.0 + 2.0 * f)).abs() < 1e-15);
        assert!((lands - printed).abs() < 0.5e-4, "{lands}");
    }
}

#[test]
fn the_heavier_end_moves_less() {
    for solver in exact_solvers() {
        let mut x = [DVec3::ZERO, dvec3(1.5, 0.0, 0.0)];
        let start = [DVec3::ZERO, DVec3::X];
        solver.project(&mut chain(1, 1.0), &mut Particles::new(&[1.0, 3.0], &start, &mut x, 0.01));
        // The error of 0.5 m is divided 1 : 3 in proportion to the inverse masses. Without the
        // square root, 20 sweeps are 20 Newton steps and converge quadratically.
        assert!((x[0].x - 0.125).abs() < 1e-10, "{solver:?}: position {}", x[0]);
        assert!((x[1].x - 1.125).abs() < 1e-10, "{solver:?}: position {}", x[1]);
    }
}

#[test]
fn pinned_particles_stay_where_they_are() {
    for solver in solvers() {
        let start = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, 3.0 * DVec3::X];
        let mut x = start.map(|x| 1.3 * x);
        let before = x;
        solver.project(
            &mut chain(3, 1.0),
            &mut Particles::new(&[0.0, 0.0, 1.0, 0.0], &start, &mut x, 0.01),
        );
        assert_eq!([x[0], x[1], x[3]], [before[0], before[1], before[3]], "{solver:?}");
    }
}

#[test]
fn the_stiffness_of_relaxation_depends_on_the_number_of_sweeps() {
    for (k, n) in [(0.1, 1), (0.1, 20), (0.5, 3)] {
        let soft = Relaxation { stiffness: k, ..relaxation(n, SweepOrder::EndToEnd) };
        let left = pair(ConstraintSolver::Relaxation(soft), 1.2) - 1.0;
        assert!((left - 0.2 * (1.0 - k).powi(n as i32)).abs() < 1e-14, "{left}");
    }
}

/// A net of unequal masses: links, inverse masses, positions at rest and shaken positions.
struct Net {
    links: Vec<Link>,
    w: Vec<f64>,
    start: Vec<DVec3>,
    x: Vec<DVec3>,
}

fn net(shake: f64) -> Net {
    let mut random = Random::new(11);
    let mut start = Vec::new();
    let mut links = Vec::new();
    for row in 0..6_usize {
        for column in 0..6_usize {
            let here = row * 6 + column;
            start.push(dvec3(column as f64, row as f64, 0.0) + 0.1 * random.point(1.0));
            if column > 0 {
                links.push(link(here - 1, here, 1.0));
            }
            if row > 0 {
                links.push(link(here - 6, here, 1.0));
            }
        }
    }
    for link in &mut links {
        link.rest = start[link.a as usize].distance(start[link.b as usize]);
    }
    let w = start.iter().map(|_| random.between(0.5, 2.5)).collect();
    let x = start.iter().map(|x| *x + shake * random.point(1.0)).collect();
    Net { links, w, start, x }
}

#[test]
fn every_second_sweep_back_and_forth_is_in_reverse() {
    let sweeps = |links: &[Link], x: &mut [DVec3], number, order| {
        let Net { w, start, .. } = net(0.2);
        let solver = ConstraintSolver::Relaxation(relaxation(number, order));
        solver.project(
            &mut Constraints::new(links.to_vec(), x.len()),
            &mut Particles::new(&w, &start, x, 0.01),
        );
    };
    let Net { mut links, x, .. } = net(0.2);
    let (mut together, mut apart) = (x.clone(), x);
    sweeps(&links, &mut together, 3, SweepOrder::BackAndForth);
    for _ in 0..3 {
        sweeps(&links, &mut apart, 1, SweepOrder::EndToEnd);
        links.reverse();
    }
    assert_eq!(together, apart);
}

#[test]
fn xpbd_without_compliance_is_relaxation_to_the_bit() {
    for order in SweepOrder::ALL {
        let Net { links, w, start, x } = net(0.2);
        let mut constraints = Constraints::new(links, x.len());
        let (mut relaxed, mut extended) = (x.clone(), x);
        let solver = ConstraintSolver::Relaxation(relaxation(20, order));
        solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut relaxed, 0.01));
        let solver = ConstraintSolver::Xpbd(Xpbd { order, ..Xpbd::default() });
        solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut extended, 0.01));
        assert_eq!(relaxed, extended, "{order:?}");
    }
}

#[test]
fn every_solver_conserves_momentum_and_the_centre_of_mass() {
    // VBD sweeps over particles instead of links, so it conserves momentum only at convergence: see
    // `vbd.rs`.
    let by_links = solvers().into_iter().filter(|it| !matches!(it, ConstraintSolver::Vbd(_)));
    for solver in by_links {
        let Net { links, w, start, mut x } = net(0.2);
        let before = x.clone();
        solver.project(
            &mut Constraints::new(links, x.len()),
            &mut Particles::new(&w, &start, &mut x, 0.01),
        );
        let impulse = |i: usize| (x[i] - before[i]) / w[i];
        let total: DVec3 = (0..x.len()).map(impulse).sum();
        let moved: f64 = (0..x.len()).map(|i| impulse(i).length()).sum();
        assert!(moved > 1.0, "{solver:?} moves the net");
        // Rounding error of positions of size 6 over up to 1000 sweeps of 60 links.
        assert!(total.length() < 1e-11, "{solver:?}: momentum {total}");
    }
}

#[test]
fn corrections_carry_no_angular_momentum() {
    // Each correction is parallel to its link, so Σ lever × Δx/w = 0 if the lever arms are the
    // positions that define the link's direction: those before the sweep for a single Jacobi sweep,
    // those at the start of the step for SHAKE.
    let order = SweepOrder::Jacobi { damping: 1.0 };
    let solvers = [
        ConstraintSolver::Relaxation(relaxation(1, order)),
        ConstraintSolver::Relaxation(Relaxation { root: Root::RootFree, ..relaxation(1, order) }),
        ConstraintSolver::Xpbd(Xpbd { iterations: 1, order, ..Xpbd::default() }),
        ConstraintSolver::Shake(Shake::default()),
    ];
    for solver in solvers {
        let Net { links, w, start, mut x } = net(0.2);
        let before = x.clone();
        solver.project(
            &mut Constraints::new(links, x.len()),
            &mut Particles::new(&w, &start, &mut x, 0.01),
        );
        let lever =
            if matches!(solver, ConstraintSolver::Shake(_)) { start } else { before.clone() };
        let torque = |i: usize| lever[i].cross(x[i] - before[i]) / w[i];
        let total: DVec3 = (0..x.len()).map(torque).sum();
        assert!(total.length() < 1e-11, "{solver:?}: angular momentum {total}");
    }
}

#[test]
fn every_solver_settles_a_shaken_net() {
    for solver in exact_solvers() {
        let Net { links, w, start, mut x } = net(0.05);
        let mut constraints = Constraints::new(links, x.len());
        let before = constraints.residual(&w, &x);
        let after = solver
            .project_and_measure(&mut constraints, &mut Particles::new(&w, &start, &mut x, 0.01));
        assert!(
            after.converged && after.residual < 0.25 * before,
            "{solver:?}: residual {before} before, {after:?}"
        );
        assert_eq!(after.residual, constraints.residual(&w, &x), "{solver:?}");
    }
}
