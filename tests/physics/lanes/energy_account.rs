//! Energy account of a simulation compared with closed forms: its terms add up, dampers take out
//! what theory predicts, and energy made by an integrator is distinguished from energy put in.

#![allow(clippy::unwrap_used)]

use crate::support;
use ropelab::constraint::{ConstraintSolver, SoftStep};
use ropelab::integrate::Method;
use ropelab::measure::{Balance, Verdict};
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// Returns a simulation at the start of a scene, with an energy account.
fn with_energy_account(text: &str) -> Simulation {
    let scene = support::parse(text);
    support::with_energy_account(&scene, scene.lanes[0].settings)
}

/// Takes up to `steps` steps, until an explosion. Returns the balance of the energy account.
fn balance_after(simulation: &mut Simulation, steps: u32) -> Balance {
    let dt = simulation.settings().dt;
    for _ in 0..steps {
        simulation.step(dt);
        if simulation.explosion().is_some() {
            break;
        }
        simulation.add_to_energy_account();
    }
    simulation.balance().unwrap()
}

fn sum(balance: &Balance) -> f64 {
    let Balance { start, taken_out, put_in, scheme, .. } = balance;
    start + put_in.values().sum::<f64>() - taken_out.values().sum::<f64>() + scheme
}

/// 1 kg on a spring of 100 N/m (ω = 10/s), stretched by 0.1 m and released: 0.5 J. No gravity.
fn oscillator(integrator: &str, dt: f64, damping: f64, forces: &str) -> String {
    format!(
        "(version: 1, name: \"oscillator\",
          particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0))],
          links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 100, damping: {damping})],
          pins: [(of: Particle(0))], forces: [{forces}],
          settings: (integrator: {integrator}, dt: {dt}))"
    )
}

#[test]
fn the_account_is_complete() {
    let forces = "(law: Gravity()), (law: LinearDrag(coefficient: 0.7)), (law: QuadraticDrag()), \
                  (law: Wind())";
    for integrator in ["SymplecticEuler", "Rk4", "ExplicitEuler", "ImplicitEuler"] {
        let mut simulation = with_energy_account(&oscillator(integrator, 0.01, 0.3, forces));
        let balance = balance_after(&mut simulation, 300);
        let Balance { kinetic, potential, elastic, .. } = balance;
        let now = simulation.energy();
        assert_eq!([now.kinetic, now.potential, now.elastic], [kinetic, potential, elastic]);
        let error = sum(&balance) - now.total();
        assert!(error.abs() < 1e-12, "{integrator}: {error:e} of {balance:?}");
        for name in ["linear-drag", "quadratic-drag", "link-damping"] {
            assert!(balance.taken_out[name] > 0.0, "{integrator}: {balance:?}");
        }
        assert!(balance.put_in.contains_key("wind"), "{integrator}: {balance:?}");
    }
}

/// Exact energy of x″ = −ω²x − 2γx′ released at x₀ = 0.1: E(t) = ½ x₀² (ω²/ω_d²) e^(−2γt) (ω² − γ²
/// cos 2ω_d t + γ ω_d sin 2ω_d t), with ω_d² = ω² − γ².
fn exact_energy(gamma: f64, t: f64) -> f64 {
    let (w2, x0) = (100.0, 0.1);
    let wd = (w2 - gamma * gamma).sqrt();
    let (sin, cos) = (2.0 * wd * t).sin_cos();
    0.5 * x0 * x0 * w2 / (wd * wd)
        * (-2.0 * gamma * t).exp()
        * (w2 - gamma * gamma * cos + gamma * wd * sin)
}

#[test]
fn a_damper_takes_out_what_theory_says() {
    assert!((exact_energy(0.5, 0.0) - 0.5).abs() < 1e-15);
    // Drag with the coefficient c = 2γ per mass. A damper of 2γ N·s/m in the link has the same
    // effect on 1 kg.
    let drag = "(law: LinearDrag(coefficient: 1.0))";
    for (damping, forces, name) in [(0.0, drag, "linear-drag"), (1.0, "", "link-damping")] {
        for (dt, steps, tolerance) in [(0.01, 100, 1e-5), (0.001, 1000, 1e-9)] {
            let mut simulation = with_energy_account(&oscillator("Rk4", dt, damping, forces));
            let balance = balance_after(&mut simulation, steps);
            let lost = 0.5 - exact_energy(0.5, 1.0);
            let error = balance.taken_out[name] - lost;
            assert!(error.abs() < tolerance, "{name}, step {dt} s: error {error:e}");
            assert!(balance.scheme.abs() < tolerance, "{name}, step {dt} s: {balance:?}");
            assert_eq!(balance.taken_out.len(), 1);
        }
    }
}

#[test]
fn explicit_euler_makes_energy_and_symplectic_euler_borrows_it() {
    // Explicit Euler multiplies the energy by 1 + (ωh)² in each step.
    let mut simulation = with_energy_account(&oscillator("ExplicitEuler", 0.001, 0.0, ""));
    let balance = balance_after(&mut simulation, 1000);
    let made = 0.5 * (f64::powi(1.0001, 1000) - 1.0);
    assert!((balance.scheme - made).abs() < 1e-9, "{balance:?}, not {made}");
    assert!((balance.gain.joules - made).abs() < 1e-9 && balance.loss.joules == 0.0);
    assert!((balance.gain.t - 1.0).abs() < 1e-12);
    // The gain is a fraction of the initial 0.5 J. Energy that the integrator has made does not
    // count in this reference.
    assert!((balance.gain.fraction - made / 0.5).abs() < 1e-6, "{balance:?}");

    // Symplectic Euler conserves ½v² + ½ω²x² − ½ω²h xv, where |½ω²h xv| ≤ ½ωh E. Its energy starts
    // at E and oscillates between about E/(1 ± ½ωh).
    let mut simulation = with_energy_account(&oscillator("SymplecticEuler", 0.001, 0.0, ""));
    let balance = balance_after(&mut simulation, 10_000);
    for extreme in [balance.gain, balance.loss] {
        assert!((0.004..0.006).contains(&extreme.fraction), "{balance:?}");
    }
    assert!(balance.scheme.abs() <= balance.gain.joules.max(balance.loss.joules));
}

#[test]
fn a_gain_is_compared_with_what_was_there_and_not_with_itself() {
    let mut simulation = with_energy_account(&oscillator("ExplicitEuler", 0.01, 0.0, ""));
    let balance = balance_after(&mut simulation, 300);
    // The energy grows to 1.01^300 = 20 times 0.5 J. Relative to the largest energy instead of the
    // initial one, the gain would be only 95 %.
    let times = f64::powi(1.01, 300) - 1.0;
    assert!((balance.gain.fraction / times - 1.0).abs() < 1e-3, "{balance:?}, not {times}");
}

#[test]
fn a_pin_that_moves_puts_in_what_its_spring_gets() {
    // A rising pin pulls 1 kg up against gravity and drag. RK4 makes no energy.
    let text = "(version: 1, name: \"lift\",
          particles: [(at: (0, 0, 0)), (at: (0, -1.0981, 0))],
          links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 100)],
          pins: [(of: Particle(0), path: Swing(amplitude: (0, 0.2, 0), frequency: 0.5))],
          settings: (integrator: Rk4, dt: 0.001))";
    let mut simulation = with_energy_account(text);
    let balance = balance_after(&mut simulation, 500);
    let put_in = balance.put_in["pins"];
    assert!(put_in > 0.5, "{balance:?}");
    assert!(balance.scheme.abs() < 1e-4 * put_in, "{balance:?}");
}

#[test]
fn cuts_and_pins_between_steps_are_no_work_of_the_scheme() {
    let mut simulation = with_energy_account(&oscillator("Rk4", 0.001, 0.0, ""));
    balance_after(&mut simulation, 10);
    simulation.cut(&[0]);
    let balance = balance_after(&mut simulation, 10);
    assert!(balance.put_in["changes"] < -0.4, "{balance:?}");
    assert!(balance.scheme.abs() < 1e-9, "{balance:?}");
}

#[test]
fn what_rests_gains_and_loses_nothing() {
    let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0)), (at: (0, -1, 0))],
        links: [(a: Particle(0), b: Particle(1), rigid: true)], pins: [(of: Particle(0))],
        forces: [(law: Gravity())], settings: (constraints: Xpbd(), dt: 0.01))";
    let balance = balance_after(&mut with_energy_account(text), 100);
    // Rounding errors of 1e-13 J (of 9.81 J) do not count, although the kinetic and elastic energy
    // of 1e-25 J is much smaller.
    assert_eq!([balance.gain.fraction, balance.loss.fraction], [0.0; 2], "{balance:?}");
}

/// Returns a simulation of a scene under another integrator, with an energy account.
fn with_method(text: &str, integrator: Method) -> Simulation {
    let scene = Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings { integrator, ..scene.lanes[0].settings };
    let mut simulation = Simulation::new(scene.parts.clone(), settings);
    simulation.start_energy_account();
    simulation
}

#[test]
fn the_energy_account_is_complete_in_every_scene_under_every_integrator() {
    for entry in library::list() {
        let scene = entry.load().unwrap();
        for (lane, method) in scene.lanes.iter().cycle().zip(Method::all()) {
            // For a large cloth, a few steps are as conclusive as many.
            let steps = (4_000 / scene.parts.mesh.positions.len().max(1)).clamp(3, 40) as u32;
            let settings = Settings { integrator: method, ..lane.settings };
            let mut simulation = Simulation::new(scene.parts.clone(), settings);
            simulation.start_energy_account();
            let balance = balance_after(&mut simulation, steps);
            let total = simulation.energy().total();
            let scale =
                balance.kinetic + balance.elastic + balance.potential.abs() + balance.start.abs();
            let error = sum(&balance) - balance.kinetic - balance.potential - balance.elastic;
            let place = format!("{}, {}, {}", scene.name, lane.name, method.info().name);
            assert!(error.abs() <= 1e-9 * scale, "{place}: {error:e} of {balance:?}");
            if simulation.explosion().is_none() {
                let now = balance.kinetic + balance.potential + balance.elastic;
                assert!((total - now).abs() <= 1e-9 * scale, "{place}: {total} and {now}");
            }
        }
    }
}

#[test]
fn the_spin_of_balls_is_in_the_energy_account() {
    // An elastic bounce with friction: the ball's lost energy is the heat of friction, and the
    // integrator makes no energy in free flight.
    let text = "(version: 1, name: \"spin\", forces: [],
        balls: [(at: (-1, 0, 0), velocity: (2, 1, 0), surface: (restitution: 1, friction: 0.4))],
        colliders: [(shape: Plane(normal: (-1, 0, 0)), at: (1, 0, 0),
                     surface: (friction: 0.4, restitution: 1))])";
    // Integrators of order 0 lose energy in free flight, too, so they are left out.
    for method in Method::all().filter(|method| method.info().order > 0) {
        let mut ball = with_method(text, method);
        let start = ball.energy().total();
        let balance = balance_after(&mut ball, 1500);
        let now = ball.energy().total();
        assert!(now < start, "{}: friction takes energy", method.info().name);
        let heat = balance.taken_out["contact"];
        assert!((heat - (start - now)).abs() < 1e-9 * start, "{}: {balance:?}", method.info().name);
        assert!(balance.scheme.abs() < 1e-9 * start, "{}: {balance:?}", method.info().name);
    }
}

/// Integrators of order 1 or more. Those of order 0 lose energy in every motion, which would be
/// mistaken for the heat of friction.
fn schemes_of_an_order() -> impl Iterator<Item = Method> {
    Method::all().filter(|method| method.info().order > 0)
}

#[test]
fn heat_of_friction_is_an_entry_of_its_own() {
    // A mass of 1 kg slides at 2 m/s with μ = 0.5 until it stops: 2 J of heat under every
    // integrator.
    let text = "(version: 1, name: \"brake\",
        particles: [(at: (0, 0, 0), velocity: (2, 0, 0))],
        colliders: [(shape: Plane(), surface: (friction: 0.5))],
        surfaces: [(of: All, radius: 0, surface: (friction: 0.5))])";
    for method in schemes_of_an_order() {
        let mut block = with_method(text, method);
        let balance = balance_after(&mut block, 1500);
        let lost = 2.0 - balance.kinetic;
        let heat = balance.taken_out["contact"];
        assert!((heat - lost).abs() < 1e-3 * lost, "{}: {balance:?}", method.info().name);
    }
}

/// A particle slides down an incline of 30° with μ = 0.3. The heat equals the lost potential energy
/// minus the gained kinetic energy. The energy made by the integrator is at most its first-order
/// error: the work over the distance of half a step.
#[test]
fn heat_of_friction_on_an_incline_is_no_loss_of_the_scheme() {
    let text = "(version: 1, name: \"incline\",
        particles: [(at: (0, 0, 0))],
        colliders: [(shape: Plane(normal: (-0.5, 0.8660254037844386, 0)),
                     surface: (friction: 0.3))],
        surfaces: [(of: All, radius: 0, surface: (friction: 0.3))])";
    for method in schemes_of_an_order() {
        let mut block = with_method(text, method);
        let balance = balance_after(&mut block, 1500);
        let heat = balance.taken_out["contact"];
        let lost = balance.start - balance.kinetic - balance.potential;
        let name = method.info().name;
        assert!((heat - lost).abs() < 2e-3 * lost, "{name}: {heat} of {lost}, {balance:?}");
    }
}

#[test]
fn an_inelastic_impact_is_heat() {
    // A ball of 1 kg falls 1 m and does not bounce: the heat is m g · 1 m, up to the small error of
    // the integrator.
    let text = "(version: 1, name: \"drop\",
        balls: [(at: (0, 1.1, 0), radius: 0.1, mass: 1, surface: (restitution: 0))],
        colliders: [(shape: Plane())])";
    for method in schemes_of_an_order() {
        let mut ball = with_method(text, method);
        let balance = balance_after(&mut ball, 1000);
        let heat = balance.taken_out["contact"];
        assert!((heat - 9.81).abs() < 0.03 * 9.81, "{}: {balance:?}", method.info().name);
    }
}

/// A ball of 1 kg at 1 m/s pushes a ball of 10 g on a spring; the two collide in every substep.
/// Only the first impact makes heat: ½ μ v² = 4.95 mJ of 0.5 J, with the reduced mass μ.
#[test]
fn a_light_ball_between_a_spring_and_a_heavy_ball_makes_little_heat() {
    let text = "(version: 1, name: \"two\", forces: [],
        particles: [(name: \"hook\", at: (0, -1, 0))],
        balls: [(name: \"light\", at: (0, 0, 0), radius: 0.1, mass: 0.01,
                 surface: (restitution: 0)),
                (name: \"heavy\", at: (0, 0.21, 0), radius: 0.1, mass: 1, velocity: (0, -1, 0),
                 surface: (restitution: 0))],
        links: [(a: Body(\"hook\"), b: Body(\"light\"), rest: 1, stiffness: 1000)],
        pins: [(of: Body(\"hook\"))],
        settings: (dt: 0.0005))";
    for method in schemes_of_an_order() {
        let mut balls = with_method(text, method);
        let balance = balance_after(&mut balls, 100);
        let heat = balance.taken_out["contact"];
        assert!((heat - 0.00495).abs() < 0.005, "{}: {balance:?}", method.info().name);
    }
}

/// A ball of 30 kg slides on a mat of 0.6 kg, which vibrates below it. Friction makes 7 J of heat
/// in half a second, whether an integrator applies forces in the same step or later.
#[test]
fn a_heavy_ball_on_light_links_makes_the_heat_of_its_friction() {
    let text = "(version: 1, name: \"mat\",
        materials: [Cloth(name: \"m\", areal_density: 0.3, stretch_stiffness: 3000,
                          shear_stiffness: 100, bend_stiffness: 0, damping: 0.3)],
        cloths: [(name: \"mat\", corner: (0, 1, 0), across: (2, 0, 0), down: (0, 0, 1),
                  cells: (10, 5), material: \"m\")],
        balls: [(at: (0.5, 1.11, 0.5), radius: 0.1, mass: 30, velocity: (1, 0, 0),
                 surface: (friction: 0.2, restitution: 0))],
        surfaces: [(of: Body(\"mat\"), radius: 0.005, surface: (friction: 0.2, restitution: 0))],
        pins: [(of: Edge(\"mat\", Left)), (of: Edge(\"mat\", Right))],
        settings: (dt: 0.0005))";
    // Integrators that are unstable at this step, or whose springs respond to positions from before
    // contact has moved the particles.
    let makes_energy =
        [Method::ExplicitEuler, Method::AdamsBashforth2, Method::SymplecticEulerPositionFirst];
    for method in schemes_of_an_order().filter(|method| !makes_energy.contains(method)) {
        let mut ball = with_method(text, method);
        let balance = balance_after(&mut ball, 1000);
        let heat = balance.taken_out["contact"];
        let place = format!("{}: {balance:?}", method.info().name);
        assert!((4.5..10.0).contains(&heat), "{place}");
        assert!(balance.scheme.abs() < 6.0, "{place}");
    }
}

/// A ball of 5 kg falls into a net of 0.1 kg. When the account computed the work of all impulses
/// along one mean velocity, contact seemed to put in 60 to 110 J of the available 75 J, and the
/// integrator seemed to lose as much.
#[test]
fn a_net_that_catches_a_ball_puts_in_little() {
    let text = "(version: 1, name: \"net\",
        materials: [Cloth(name: \"n\", areal_density: 0.1, stretch_stiffness: 500,
                          shear_stiffness: 5, bend_stiffness: 0, damping: 0.2)],
        cloths: [(name: \"n\", corner: (-0.5, 1, -0.5), across: (1, 0, 0), down: (0, 0, 1),
                  cells: (8, 8), material: \"n\")],
        balls: [(at: (0, 1.5, 0), radius: 0.15, mass: 5)],
        surfaces: [(of: Body(\"n\"), radius: 0.005)],
        pins: [(of: Edge(\"n\", Top)), (of: Edge(\"n\", Bottom))],
        settings: (dt: 0.00025))";
    for method in [Method::SymplecticEuler, Method::VelocityVerlet, Method::Rk4] {
        let mut net = with_method(text, method);
        let balance = balance_after(&mut net, 3600);
        let heat = balance.taken_out["contact"];
        assert!(heat.abs() < 3.0, "{}: {balance:?}", method.info().name);
        assert!(balance.scheme.abs() < 3.0, "{}: {balance:?}", method.info().name);
    }
}

#[test]
fn a_pin_that_moves_puts_into_bends_what_they_get() {
    let text = "(version: 1, name: \"bend and pin\", forces: [],
        materials: [Rope(name: \"m\", mass_per_metre: 0.1, stiffness: 100, damping: 0.05,
                         flexural_rigidity: 0.02)],
        ropes: [(name: \"r\", from: (0, 1, 0), to: (0.8, 1, 0.1), segments: 12, material: \"m\")],
        pins: [(of: Start(\"r\"),
                path: Swing(amplitude: (0.1, 0.05, 0.03), frequency: 1.4))],
        settings: (integrator: DormandPrince(tolerance: 1e-10), contact: Off))";
    let mut rope = with_energy_account(text);
    let balance = balance_after(&mut rope, 2000);
    let put_in = balance.put_in["pins"];
    assert!(balance.scheme.abs() < 1e-3 * put_in.abs(), "{balance:?}");
}

#[test]
fn a_belt_puts_in_what_it_drives() {
    // A block at rest is put on a belt of 1 m/s with μ = 0.3. Until the block has the belt's speed,
    // the heat equals the kinetic energy that it gains.
    let text = "(version: 1, name: \"belt\",
        particles: [(at: (0, 0, 0))],
        colliders: [(shape: Plane(), belt: (1, 0, 0), surface: (friction: 0.3))],
        surfaces: [(of: All, radius: 0, surface: (friction: 0.3))])";
    let mut block = with_energy_account(text);
    let balance = balance_after(&mut block, 1000);
    let put_in = balance.put_in["colliders"];
    assert!((balance.kinetic - 0.5).abs() < 0.01, "{balance:?}");
    assert!((put_in - 1.0).abs() < 0.03, "{balance:?}");
    assert!((balance.taken_out["contact"] - 0.5).abs() < 0.03, "{balance:?}");
}

/// A swinging pin drags a rope of 8 rigid links (0.8 kg, 0.8 m). The rope starts with the velocity
/// of the pin: amplitude · 2π · 1.1/s.
fn dragged(constraints: &str) -> String {
    format!(
        "(version: 1, name: \"dragged\",
          materials: [Rope(name: \"m\", mass_per_metre: 1, rigid: true)],
          ropes: [(name: \"r\", from: (0, 0, 0), to: (0.2, -0.7745966692414834, 0), segments: 8,
                   material: \"m\")],
          pins: [(of: Start(\"r\"), path: Swing(amplitude: (0.2, 0.1, 0), frequency: 1.1))],
          velocities: [(of: Body(\"r\"), velocity: (1.3823007675795091, 0.6911503837897546, 0))],
          settings: (constraints: {constraints}, dt: 0.0005, contact: Off))"
    )
}

/// The energy of the rope is the work of the pin. SHAKE, RATTLE and Soft Step neither make nor lose
/// energy. The other solvers project along the links' directions at the end of a substep, so they
/// lose energy of a swing and never make any.
#[test]
fn pins_that_move_under_a_solver_put_in_what_they_do() {
    let solvers = [
        ("Shake(tolerance: 1e-10, max_iterations: 2000)", true),
        ("Rattle(tolerance: 1e-10, max_iterations: 2000)", true),
        ("SoftStep(iterations: 200, hertz: 500)", true),
        ("Xpbd(iterations: 200)", false),
        ("Relaxation(iterations: 200)", false),
        ("Direct()", false),
        ("Vbd(iterations: 200)", false),
    ];
    for (solver, conserves) in solvers {
        // Integrators of order 0 lose energy of the swing, and explicit Euler makes energy. BDF2
        // also makes energy with solvers that leave the swing undamped: 1.5 times the energy of the
        // motion in a second, which the account shows.
        let makes = |method: &Method| match method {
            Method::ExplicitEuler => true,
            Method::Bdf2 => conserves,
            // Position-first Euler makes 14 % with RATTLE, because it uses RATTLE's corrected
            // velocities one step later. With Soft Step it explodes, as the catalogue states.
            Method::SymplecticEulerPositionFirst => {
                solver.starts_with("Rattle") || solver.starts_with("Soft")
            }
            _ => false,
        };
        let methods = Method::all().filter(|method| method.info().order > 0);
        for method in methods.filter(|method| !makes(method)) {
            let mut rope = with_method(&dragged(solver), method);
            let balance = balance_after(&mut rope, 1200);
            let place = format!("{solver}, {}: {balance:?}", method.info().name);
            let accounted = balance.gain.joules / balance.gain.fraction;
            assert!(balance.put_in["pins"].abs() > 1.0, "{place}");
            // Soft links store and return 1.1 % of the energy.
            let most = if solver.starts_with("Soft") { 0.02 } else { 0.01 };
            assert!(balance.gain.joules < most * accounted || accounted.is_nan(), "{place}");
            // Measured: the largest loss is 23 % in one second, of symplectic Euler under XPBD.
            let most_lost = if conserves { most } else { 0.3 };
            assert!(balance.loss.fraction < most_lost, "{place}");
        }
    }
}

/// A heavy load on a light rope with Soft Step (the joints of Box2D). The energy taken out by the
/// joints' damping counts as loss of the solver, and no energy is gained. Computed as force times
/// speed, the dampers would have taken out 170,000 J of the available 600 J.
#[test]
fn soft_joints_that_stretch_make_no_energy() {
    let scene = Scene::open("trapeze").expect("the scene is in the library");
    for relax in [0, 1, 4] {
        for substeps in [1, 4, 10] {
            let soft = SoftStep { relax, ..Default::default() };
            let constraints = ConstraintSolver::SoftStep(soft);
            let settings = Settings { constraints, substeps, ..scene.lanes[1].settings };
            let mut lane = Simulation::new(scene.parts.clone(), settings);
            lane.start_energy_account();
            let balance = balance_after(&mut lane, 300);
            let place = format!("{relax} relax passes, {substeps} substeps: {balance:?}");
            // Links store and return up to 0.27 of the energy in motion with at most one relax
            // pass, and up to 1 with four passes. One substep cannot hold the load, so it falls
            // during the whole run.
            let is_usual = substeps > 1 && relax < 2;
            assert!(!is_usual || balance.gain.fraction < 0.5, "{place}");
            assert!(!matches!(lane.verdict(), Verdict::GainedEnergy(_)), "{place}");
            assert!(!balance.taken_out.contains_key("link-damping"), "{place}");
        }
    }
}

/// Library scenes with moving pins. Energy that was formerly attributed to the solver is the work
/// of pins, or is stored in links that one sweep leaves too long.
#[test]
fn energy_accounts_of_the_library_contain_what_its_pins_do() {
    for (name, number) in
        [("tearing", 0), ("tearing", 1), ("linked-rings", 0), ("twisted-sheet", 0)]
    {
        let scene = library::list().into_iter().find(|e| e.name == name).unwrap().load().unwrap();
        let mut lane = Simulation::new(scene.parts.clone(), scene.lanes[number].settings);
        lane.start_energy_account();
        let steps = (3.0 / lane.settings().dt) as u32;
        let balance = balance_after(&mut lane, steps);
        assert!(balance.put_in["pins"].abs() > 0.01, "{name}: {balance:?}");
        let verdict = lane.verdict();
        assert!(!matches!(verdict, Verdict::GainedEnergy(_)), "{name}: {verdict}, {balance:?}");
        if name == "linked-rings" {
            // Formerly the gain was 7 times the energy in motion.
            assert!(balance.gain.fraction < 0.01, "{balance:?}");
        }
    }
}
