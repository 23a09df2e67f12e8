//! Dampers of links brake alike under every solver that represents elastic links, whatever the
//! integrator.

use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

const SOLVERS: [&str; 4] = ["Xpbd()", "Direct()", "Vbd()", "SoftStep(hertz: None)"];
const DT: f64 = 2e-4;

/// Excursion in metres after 0.2 s of a critically damped mass (ω = 20 rad/s) that starts at 0.1 m.
fn excursion(solver: &str, integrator: Method) -> f64 {
    let text = format!(
        "(version: 1, name: \"oscillator\", forces: [],
          particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0), mass: 1)], pins: [(of: Particle(0))],
          links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 400, damping: 40)],
          settings: (constraints: {solver}, contact: Off, dt: {DT}))"
    );
    let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings { integrator, ..scene.lanes[0].settings };
    let mut lane = Simulation::new(scene.parts, settings);
    (0..1000).for_each(|_| lane.step(DT));
    lane.state().x[1].x - 1.0
}

/// Under BDF2 a force displaces a particle by 2/3 a dt². Formerly dampers under solvers used dt
/// times the root of this factor as the step, which made them 22 % too strong at every step.
#[test]
fn a_damper_brakes_alike_as_a_spring_and_under_every_solver_and_integrator() {
    let exact = 0.1 * (-4f64).exp() * 5.0;
    for integrator in Method::all() {
        let name = integrator.info().name;
        let spring = excursion("None", integrator);
        for solver in SOLVERS {
            let found = excursion(solver, integrator);
            assert!((found - spring).abs() < 4e-4, "{name}, {solver}: {found} m, not {spring} m");
        }
        let drags = matches!(integrator, Method::VerletDrag(_) | Method::NumericalDamping(_));
        // Yoshida's method has order 1 under drag, and an error of 1.3e-4 m here.
        assert!(drags || (spring - exact).abs() < 2e-4, "{name}: {spring} m, not {exact} m");
    }
}
