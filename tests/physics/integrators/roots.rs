//! Roots that implicit solves find, energy that a swinging rope gains under implicit integrators,
//! and reports of steps that missed their tolerance.

use super::systems::{Chain, Oscillator, Run, one};
use glam::dvec3;
use ropelab::integrate::{DormandPrince, GeneralizedAlpha, Method};
use ropelab::numerics::state::State;

/// Time step of all tests in seconds.
const DT: f64 = 1.0 / 60.0;

fn implicit_methods() -> impl Iterator<Item = Method> {
    let undamped = Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf: 1.0 });
    Method::all().filter(|method| method.info().implicit).chain([undamped])
}

/// A spring of 1e6 N/m and length 1 m between the origin and a mass of 1 kg, without gravity: ωh =
/// 16.7.
fn spring() -> Chain {
    let mut spring = Chain::new(2, 1e6);
    spring.masses[1] = 1.0;
    (spring.rest, spring.drag, spring.gravity, spring.definite) = (1.0, 0.0, 0.0, true);
    spring
}

fn energy(chain: &Chain, state: &State) -> f64 {
    let moving = chain.masses.iter().zip(&state.v).map(|(m, v)| 0.5 * m * v.length_squared());
    let high = chain.masses.iter().zip(&state.x).map(|(m, x)| m * chain.gravity * x.y);
    let links = state.x.windows(2).map(|ends| ends[0].distance(ends[1]) - chain.rest);
    moving.chain(high).sum::<f64>() + links.map(|l| 0.5 * chain.stiffness * l * l).sum::<f64>()
}

#[test]
fn a_stiff_spring_is_not_turned_inside_out() {
    let spring = spring();
    for method in implicit_methods() {
        for stretch in [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] {
            for across in [0.0, 1e-6] {
                let x = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0 + stretch, across, 0.0)];
                let mut run = Run::new(method, &spring, State::at_rest(x), DT);
                let start = energy(&spring, &run.state);
                for step in 0..600 {
                    run.step();
                    let (solve, now) = (run.work.solve, energy(&spring, &run.state));
                    let what = format!("{method:?}, {stretch}, {across}, step {step}: {now} J");
                    assert!(now < (1.0 + 1e-5) * start, "{what}");
                    assert!(!solve.failed, "{what}, {solve:?}");
                    assert!(across > 0.0 || run.state.x[1].x > 0.0, "{what}");
                }
            }
        }
    }
}

/// Ten links of 0.1 m and 0.1 kg/m that fall from the horizontal. `wh` is the product ωh for the
/// fastest longitudinal vibration of the links.
fn rope(wh: f64) -> (Chain, State) {
    let mut rope = Chain::new(11, 0.01 * (wh / (2.0 * DT)) * (wh / (2.0 * DT)));
    rope.masses = (0..11).map(|i| [0.0, 0.005][usize::from(i == 10)]).collect();
    rope.masses[1..10].fill(0.01);
    (rope.drag, rope.definite) = (0.0, true);
    let x = (0..11).map(|i| dvec3(0.1 * f64::from(i), 0.0, 0.0));
    (rope, State::at_rest(x.collect()))
}

/// Greatest excess of the energy over its initial value in joules within `seconds` seconds, and
/// number of steps that did not converge. The swing has 0.47 J.
fn gain(method: Method, wh: f64, seconds: u32) -> (f64, u32) {
    let (rope, start) = rope(wh);
    let mut run = Run::new(method, &rope, start, DT);
    let (mut most, mut failed) = (0.0, 0);
    for _ in 0..60 * seconds {
        run.step();
        most = energy(&rope, &run.state).max(most);
        failed += u32::from(run.work.solve.failed);
        if most > 100.0 {
            break;
        }
    }
    (most, failed)
}

#[test]
fn a_swinging_rope_never_gains_energy_under_implicit_euler_and_bdf2() {
    for method in [Method::ImplicitEuler, Method::Bdf2] {
        for wh in [1.0, 10.0, 100.0, 333.0] {
            assert_eq!(gain(method, wh, 10), (0.0, 0), "{method:?}, ωh = {wh}");
        }
    }
}

/// Measures the limits of ωh in the list of integrators: see "Integrators" in docs/catalogue.md.
#[test]
fn a_swinging_rope_gains_energy_above_a_limit_where_nothing_is_damped() {
    let alpha = |rho_inf| Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf });
    for (method, held, lost) in [
        (Method::ImplicitMidpoint, 1.0, 10.5),
        (Method::Trapezoid, 1.0, 10.5),
        (alpha(1.0), 1.0, 10.5),
        (alpha(0.8), 5.8, 10.5),
    ] {
        let (most, failed) = gain(method, held, 5);
        assert!(most < 0.1 && failed == 0, "{method:?}, ωh = {held}: {most} J, {failed}");
        let (most, failed) = gain(method, lost, 10);
        assert!(most > 100.0 && failed == 0, "{method:?}, ωh = {lost}: {most} J, {failed}");
    }
}

/// A chain that is crumpled so fast that the solve of a whole step does not converge.
#[test]
fn a_step_that_does_not_converge_is_taken_in_parts() {
    let mut chain = Chain::new(20, 1e5);
    chain.definite = true;
    for method in implicit_methods() {
        let mut run = Run::new(method, &chain, chain.start(), DT);
        let (mut cut, mut failed) = (0, 0);
        for _ in 0..300 {
            run.step();
            let solve = run.work.solve;
            assert!(solve.parts >= 1 && solve.parts <= 64, "{method:?}: {solve:?}");
            cut += u32::from(solve.parts > 1);
            failed += u32::from(solve.failed);
        }
        println!("{method:?}: {cut} steps in parts, {failed} failed");
        assert_eq!(failed, 0, "{method:?}");
        assert!(cut > 0 || method != Method::ImplicitEuler, "{method:?}");
    }
}

#[test]
fn dormand_prince_says_when_its_inner_steps_run_out() {
    let system = Oscillator::unit();
    let method = Method::DormandPrince(DormandPrince::default());
    let mut run = Run::new(method, &system, one(1.0, 0.0), 900.0);
    run.step();
    let solve = run.work.solve;
    assert!(solve.failed && solve.residual > 1.0 && solve.parts >= 1000, "{solve:?}");
    let mut run = Run::new(method, &system, one(1.0, 0.0), 1.0);
    run.step();
    let solve = run.work.solve;
    assert!(!solve.failed && solve.residual <= 1.0 && solve.parts > 1, "{solve:?}");
}
