//! Implicit steps whose equations are solved by elimination of blocks, compared with the same steps
//! by conjugate gradients.

use crate::support;
use glam::DVec3;
use ropelab::integrate::Method;
use ropelab::model::Model;
use ropelab::numerics::state::{SolveReport, State, StateRef, Workspace};
use ropelab::numerics::system::System;
use ropelab::simulation::Simulation;

/// A model that does not provide its blocks, so that implicit integrators use conjugate gradients.
struct WithoutBlocks<'a>(&'a Model);

impl System for WithoutBlocks<'_> {
    fn masses(&self) -> &[f64] {
        self.0.masses()
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.0.accelerations(t, x, v, a);
    }

    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]) {
        self.0.acceleration_jvp(at, d, out);
    }
}

fn simulation(body: &str) -> Simulation {
    let text = format!(
        r#"(version: 1, name: "elimination", {body}, settings: (integrator: ImplicitEuler,
            constraints: None, contact: Off, dt: 0.01))"#
    );
    support::simulation(&text)
}

/// A rope of 20 links, from the origin 1 m to the right.
fn rope(material: &str, more: &str) -> Simulation {
    simulation(&format!(
        r#"materials: [Rope(name: "m", mass_per_metre: 1, stiffness: 300, damping: 0.5, {material})],
            ropes: [(name: "r", from: (0, 0, 0), to: (1, 0.3, 0.1), segments: 20, material: "m")], {more}"#
    ))
}

/// Largest distance in metres between the results of 20 steps with elimination and with conjugate
/// gradients, and the reports of the last solves.
fn difference(method: Method, model: &Model, start: &State) -> (f64, [SolveReport; 2]) {
    let mut states = [(); 2].map(|()| start.clone());
    let mut reports = [(); 2].map(|()| SolveReport::default());
    let systems: [&dyn System; 2] = [model, &WithoutBlocks(model)];
    for ((system, state), report) in systems.into_iter().zip(&mut states).zip(&mut reports) {
        let mut work = Workspace::default();
        let mut next = state.clone();
        for _ in 0..20 {
            let scheme = method.as_integrator();
            scheme.step(system, state.view(), next.view_mut(), 0.01, &mut work);
            next.t = state.t + 0.01;
            std::mem::swap(state, &mut next);
            assert!(!work.solve.failed, "{method:?}: {:?}", work.solve);
            report.add(&work.solve);
        }
    }
    let [one, other] = &states;
    let far = one.x.iter().zip(&other.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    (far, reports)
}

fn agree(simulation: &mut Simulation, eliminates: bool) {
    (0..10).for_each(|_| simulation.step(0.01));
    for method in Method::all().filter(|method| method.info().implicit) {
        let (far, [with, without]) = difference(method, simulation.model(), simulation.state());
        assert!(far < 1e-8, "{method:?}: {far} m apart");
        assert!(without.linear > 0, "{method:?}: {without:?}");
        assert_eq!(with.linear == 0, eliminates, "{method:?}: {with:?}");
        // Conjugate gradients solve inexactly, which costs additional Newton iterations.
        // Elimination must not need more iterations.
        assert!(with.newton <= without.newton + 2, "{method:?}: {with:?}, {without:?}");
    }
}

const GRAVITY: &str = "forces: [(law: Gravity())]";

#[test]
fn a_rope_takes_the_same_steps() {
    agree(&mut rope("", &format!(r#"pins: [(of: Start("r"))], {GRAVITY}"#)), true);
}

#[test]
fn a_rope_between_pins_with_drag_and_wind_takes_the_same_steps() {
    let laws = "forces: [(law: Gravity()), (law: LinearDrag(coefficient: 1)), (law: Wind(velocity: (3, 0, 1))),
        (law: QuadraticDrag(coefficient: 0.5))]";
    let pins = r#"pins: [(of: Start("r")), (of: Node("r", 7)), (of: End("r"))]"#;
    agree(&mut rope("", &format!("{pins}, {laws}")), true);
}

#[test]
fn a_rope_that_resists_bending_takes_the_same_steps() {
    let more = format!(r#"pins: [(of: Start("r")), (of: Node("r", 1))], {GRAVITY}"#);
    agree(&mut rope("flexural_rigidity: 0.001", &more), true);
}

#[test]
fn a_cut_makes_two_ropes() {
    for material in ["", "flexural_rigidity: 0.001"] {
        let mut rope = rope(material, &format!(r#"pins: [(of: Start("r"))], {GRAVITY}"#));
        rope.step(0.01);
        rope.cut(&[8]);
        agree(&mut rope, true);
        let far = rope.state().x[9].distance(rope.state().x[8]);
        assert!(far > 0.05, "{far}");
    }
}

#[test]
fn what_is_tied_to_a_rope_makes_a_tree_and_a_ring() {
    for tie in ["to: (0.5, -0.5, 0.1)", r#"tie_to: End("r")"#] {
        agree(
            &mut simulation(&format!(
                r#"materials: [Rope(name: "m", mass_per_metre: 1, stiffness: 300, damping: 0.5)],
                ropes: [(name: "r", from: (0, 0, 0), to: (1, 0, 0), segments: 20, material: "m"),
                    (name: "s", tie_from: Node("r", 10), {tie}, segments: 10, material: "m")],
                pins: [(of: Start("r"))], {GRAVITY}"#
            )),
            true,
        );
    }
}

#[test]
fn a_net_is_left_to_conjugate_gradients() {
    let net = r#"materials: [Rope(name: "m", mass_per_metre: 0.1, stiffness: 300, damping: 0.1)],
        nets: [(name: "n", corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (8, 8),
            material: "m")], pins: [(of: Knot("n", 0, 0))], forces: [(law: Gravity())]"#;
    agree(&mut simulation(net), false);
}
