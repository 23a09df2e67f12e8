//! The Verlet family and the articles' own integrators: first steps, free fall, drag, projection,
//! f32.

use super::systems::{Constant, Oscillator, Run, one};
use glam::dvec3;
use ropelab::integrate::{
    DampingStart, Method, NumericalDamping, PositionVerlet, VerletDrag, VerletStart,
};
use ropelab::numerics::state::{State, Workspace};
use ropelab::simulation::update_velocities;

const G: f64 = 9.81;

fn exact_in_free_fall(method: &Method) -> bool {
    !matches!(
        method,
        Method::ExplicitEuler
            | Method::SymplecticEuler
            | Method::SymplecticEulerPositionFirst
            | Method::VerletDrag(_)
            | Method::NumericalDamping(_)
            | Method::ImplicitEuler
            | Method::Bdf2
    )
}

#[test]
fn free_fall_is_exact_for_second_order_schemes() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    for method in Method::all().filter(exact_in_free_fall) {
        let mut run = Run::new(method, &system, one(2.0, 3.0), 0.01);
        run.steps(100);
        // Rounding errors of 100 steps, a few units in the last place each. Position Verlet sums
        // them twice.
        assert!(
            (run.x() - (2.0 + 3.0 - G / 2.0)).abs() < 1e-12,
            "{method:?}: position {} m",
            run.x()
        );
        assert!((run.v() - (3.0 - G)).abs() < 5e-11, "{method:?}: velocity {} m/s", run.v());
    }
}

#[test]
fn euler_misses_free_fall_by_half_a_h_t() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    for (method, error) in [
        (Method::ExplicitEuler, 0.5 * G * 0.01),
        (Method::SymplecticEuler, -0.5 * G * 0.01),
        (Method::SymplecticEulerPositionFirst, 0.5 * G * 0.01),
        (Method::ImplicitEuler, -0.5 * G * 0.01),
    ] {
        let mut run = Run::new(method, &system, one(0.0, 0.0), 0.01);
        let fallen = run.steps(100).x();
        assert!((fallen + G / 2.0 - error).abs() < 1e-12, "{method:?}: fallen {fallen} m");
    }
}

#[test]
fn the_articles_start_falls_by_triangular_numbers() {
    let article = PositionVerlet { start: VerletStart::Article, single: false };
    let system = Constant(dvec3(1.0, 0.0, 0.0));
    let mut run = Run::new(Method::PositionVerlet(article), &system, one(0.0, 0.0), 1.0);
    for fallen in [1.0, 3.0, 6.0, 10.0, 15.0] {
        run.step();
        assert_eq!(run.x(), fallen);
    }
    let proper = Method::PositionVerlet(PositionVerlet::default());
    let mut run = Run::new(proper, &system, one(0.0, 0.0), 1.0);
    for n in 1..6 {
        run.step();
        assert_eq!(run.x(), f64::from(n * n) / 2.0);
        assert_eq!(run.v(), f64::from(n));
    }
}

#[test]
fn verlet_drag_ends_at_a_hundred_g_h() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    for (rate, speed) in [(60.0, 16.35), (1000.0, 0.981)] {
        let method = Method::VerletDrag(VerletDrag::default());
        let mut run = Run::new(method, &system, one(0.0, 0.0), 1.0 / rate);
        let before = run.steps(4000).x();
        let fallen = run.steps(1).x() - before;
        assert!((fallen * rate + speed).abs() < 1e-9, "{rate} Hz: {}", fallen * rate);
        assert!((run.v() + speed).abs() < 1e-9, "{rate} Hz reports {}", run.v());
    }
}

#[test]
fn verlet_drag_halves_a_velocity_in_69_steps_whatever_dt_is() {
    let half_life = -(2f64.ln()) / 0.99f64.ln();
    assert!((half_life - 68.97).abs() < 0.005);
    assert!((half_life / 60.0 - 1.149).abs() < 0.0006 && (half_life / 1e3 - 0.069).abs() < 5e-5);
    let coasting = Constant(dvec3(0.0, 0.0, 0.0));
    for dt in [1.0 / 60.0, 1e-3] {
        let method = Method::VerletDrag(VerletDrag::default());
        let mut run = Run::new(method, &coasting, one(0.0, 1.0), dt);
        run.step();
        let start = run.v();
        assert!(run.steps(68).v() > start / 2.0);
        assert!(run.steps(1).v() < start / 2.0);
    }
}

#[test]
fn an_uninitialised_acceleration_gives_the_german_article_a_wrong_velocity_for_good() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    let after_a_second = |start| {
        let method = Method::NumericalDamping(NumericalDamping { start });
        Run::new(method, &system, one(0.0, 0.0), 0.01).steps(100).v()
    };
    assert!((after_a_second(DampingStart::Article) + 9.85905).abs() < 1e-12);
    assert!((after_a_second(DampingStart::Proper) + 9.81).abs() < 1e-12);
}

/// Formulas B2 to B6 of the article, line by line.
#[test]
fn numerical_damping_is_what_the_article_computes() {
    let (dt, mut x, mut v, mut a_old) = (0.1, 1.0, 0.3, -1.0);
    let system = Oscillator::unit();
    let method = Method::NumericalDamping(NumericalDamping::default());
    let mut run = Run::new(method, &system, one(x, v), dt);
    for _ in 0..200 {
        let a = -x;
        let provisional = a * dt + v;
        let recomputed = provisional - a_old * dt;
        let mean = 0.5 * (v + recomputed);
        v = a * dt + mean;
        x += v * dt;
        a_old = a;
        run.step();
        assert!((run.x() - x).abs() < 1e-13 && (run.v() - v).abs() < 1e-13);
    }
}

#[test]
fn in_32_bits_a_body_10_metres_up_never_falls() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    let fallen = |from: f64, single| {
        let method = Method::PositionVerlet(PositionVerlet { single, ..Default::default() });
        from - Run::new(method, &system, one(from, 0.0), 1e-4).steps(10_000).x()
    };
    assert_eq!(fallen(10.0, true), 0.0);
    assert!((fallen(2.0, true) - 5.632).abs() < 0.0006, "{}", fallen(2.0, true));
    assert!((fallen(10.0, false) - 4.905).abs() < 1e-6);
}

#[test]
fn jitter_strengthens_gravity_in_plain_position_verlet_only() {
    let system = Constant(dvec3(-G, 0.0, 0.0));
    let fallen = |method: Method| {
        let (mut state, mut work, mut t) = (one(0.0, 0.0), Workspace::default(), 0.0);
        for dt in [0.01, 0.02].into_iter().cycle().take(100) {
            let now = State { t, ..state.clone() };
            method.as_integrator().step(&system, now.view(), state.view_mut(), dt, &mut work);
            t += dt;
        }
        (-state.x[0].x / (G / 2.0 * t * t), -state.v[0].x / (G * t))
    };
    let (distance, speed) = fallen(Method::TimeCorrectedVerlet);
    assert!((distance - 1.0).abs() < 1e-12 && (speed - 1.0).abs() < 1e-12);
    let (distance, _) = fallen(Method::PositionVerlet(PositionVerlet::default()));
    assert!((distance - 1.0).abs() > 0.05, "{distance}");
}

/// Simulates a bob on a rigid rod of 1 m that is released and projected after each step along the
/// new direction of the rod.
fn rod(method: Method, steps: u32) -> State {
    let system = Constant(dvec3(0.0, -G, 0.0));
    let mut run = Run::new(method, &system, one(1.0, 0.0), 0.01);
    for _ in 0..steps {
        run.step();
        let before = run.state.x.clone();
        run.state.x[0] = run.state.x[0].normalize();
        update_velocities(&before, &run.state.x, &mut run.state.v, run.dt);
    }
    run.state
}

#[test]
fn projection_makes_every_scheme_that_falls_exactly_the_same_verlet() {
    let reference = rod(Method::VelocityVerlet, 300);
    for method in Method::all().filter(exact_in_free_fall) {
        // Adams–Bashforth 2 uses velocities from before the last projection, so its result differs.
        // The other methods do not.
        if method == Method::AdamsBashforth2 {
            continue;
        }
        let state = rod(method, 300);
        let (dx, dv) = (state.x[0] - reference.x[0], state.v[0] - reference.v[0]);
        assert!(dx.length() < 1e-10, "{method:?}: difference of positions {dx}");
        assert!(dv.length() < 1e-8, "{method:?}: difference of velocities {dv}");
    }
}

#[test]
fn a_restart_takes_up_an_edited_velocity() {
    let system = Constant(dvec3(0.0, 0.0, 0.0));
    for method in Method::all() {
        let mut run = Run::new(method, &system, one(0.0, 1.0), 0.01);
        run.steps(10);
        let bounce = run.x();
        run.state.v[0] = dvec3(-2.0, 0.0, 0.0);
        run.work.restart();
        run.steps(10);
        let kept = if matches!(method, Method::VerletDrag(_)) { 0.9 } else { 1.0 - 1e-12 };
        let moved = (bounce - run.x()) / 0.2;
        assert!(
            moved >= kept && moved < 1.0 + 1e-12,
            "{method:?}: moved {moved} of the expected distance"
        );
    }
}
