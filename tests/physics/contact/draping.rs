//! Cloths that drape over convex bodies, sheets that collide, and ropes that hit pegs: contact
//! makes no energy, and removes no more than the impacts do.

use crate::contact::{run, simulation};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::{ContactMethod, SelfContact, Swept};
use ropelab::integrate::Method;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings};

/// Convex bodies below a small cloth: long and compact, upright, lying and oblique.
const BODIES: [&str; 9] = [
    "Capsule(radius: 0.1, length: 0.8, along: (0, 1, 0)), at: (0, 0, 0)",
    "Capsule(radius: 0.02, length: 2, along: (1, 0, 0.1)), at: (0, 0.4, 0)",
    "Cylinder(radius: 0.05, length: 1, along: (0.05, 1, 0)), at: (0, 0, 0)",
    "Cylinder(radius: 0.1, length: 0.05, along: (0.3, 1, 0)), at: (0, 0.4, 0)",
    "Box(size: (0.08, 0.9, 0.08), turned: (5, 10, 0)), at: (0, 0, 0)",
    "Box(size: (2, 0.1, 0.1), turned: (10, 0, 0)), at: (0, 0.4, 0)",
    "Mesh(points: [(-0.1, -1, -0.1), (0.1, -1, -0.1), (0, -1, 0.1), (0, 0.5, 0)],
        triangles: [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]), at: (0, 0, 0)",
    "Sphere(radius: 0.08), at: (0, 0.4, 0)",
    "Plane(), at: (0, 0.4, 0)",
];

/// A cloth of 62 g with sides of 25 cm that falls onto a body.
fn drape(body: &str, settings: &str) -> Simulation {
    let parts = format!(
        "cloths: [(corner: (-0.105, 0.75, -0.085), across: (0.25, 0, 0), down: (0, 0, 0.25),
            cells: (2, 2))],
        colliders: [(shape: {body})]"
    );
    simulation(&parts, settings)
}

/// Greatest excess of the energy over its initial value within `seconds` seconds, in joules.
fn greatest_gain(lane: &mut Simulation, seconds: f64) -> f64 {
    let dt = lane.settings().dt;
    let start = lane.energy().total();
    let mut gain = 0.0_f64;
    for _ in 0..(seconds / dt).round() as u64 {
        lane.step(dt);
        gain = gain.max(lane.energy().total() - start);
    }
    assert_eq!(lane.explosion(), None);
    gain
}

/// Energy released by the fall: m g · 0.25 m, in joules.
const FALL: f64 = 0.15;

#[test]
fn no_cloth_that_drapes_over_a_convex_body_gains_energy_under_any_solver_and_contact() {
    let settings = [
        "dt: 0.001",
        "dt: 0.0002",
        "dt: 0.001, contact: Discrete()",
        "constraints: Xpbd(), dt: 0.004",
        "constraints: Xpbd(iterations: 3), dt: 0.005",
        "constraints: Relaxation(), dt: 0.005",
    ];
    for (body, settings) in BODIES.iter().flat_map(|body| settings.map(|s| (body, s))) {
        let gain = greatest_gain(&mut drape(body, settings), 1.2);
        assert!(gain < 0.01 * FALL, "{gain} J over {body} with {settings}");
    }
}

#[test]
fn no_integrator_gains_energy_from_a_post() {
    for integrator in Method::all() {
        for body in [BODIES[0], BODIES[2], BODIES[6]] {
            let name = integrator.info().name;
            let lane = drape(body, "dt: 0.0005");
            let mut settings = *lane.settings();
            settings.integrator = integrator;
            let mut seconds = 0.8;
            if name == "explicit-euler" {
                // Under explicit Euler, the springs of the cloth explode at longer steps.
                (settings.dt, seconds) = (2e-5, 0.5);
            }
            let mut lane = Simulation::new(lane.parts().clone(), settings);
            let gain = greatest_gain(&mut lane, seconds);
            assert!(gain < 0.01 * FALL, "{gain} J over {body} with {name}");
        }
    }
}

#[test]
fn the_deepest_overlap_is_that_of_triangles_and_links_too() {
    // A sheet and a rope whose few particles are far from a body. The body penetrates the sheet (or
    // the rope) by 1 cm at the start.
    let sheet = "cloths: [(corner: (-0.5, 0.49, -0.5), across: (1, 0, 0), down: (0, 0, 1),
        cells: (1, 1))]";
    let rope = "ropes: [(from: (-1, 0.49, 0), to: (1, 0.49, 0), segments: 1)]";
    let body = "colliders: [(shape: Box(size: (0.2, 1, 0.1)), at: (0.05, 0, 0))],
        surfaces: [(of: All, radius: 0.002)], forces: []";
    for (mesh, settings) in [sheet, rope].iter().flat_map(|mesh| {
        ["dt: 0.001", "constraints: Xpbd(), dt: 0.001"].map(|settings| (mesh, settings))
    }) {
        let mut lane = simulation(&format!("{mesh}, {body}"), settings);
        run(&mut lane, 0.001);
        let deepest = lane.contact().deepest_overlap;
        assert!((0.008..0.013).contains(&deepest), "{deepest} m of {mesh} with {settings}");
    }
}

/// Two free sheets with a total mass of 0.1 kg that fly towards each other, each at `speed` m/s.
fn sheets(speed: f64, itself: SelfContact, settings: &str) -> Simulation {
    let parts = format!(
        "forces: [],
        materials: [Cloth(name: \"t\", areal_density: 0.3, stretch_stiffness: 500,
            shear_stiffness: 30, bend_stiffness: 2, damping: 0.05)],
        cloths: [(name: \"A\", corner: (-0.3, 0, -0.3), across: (0.6, 0.1, 0), down: (0, 0, 0.6),
                cells: (6, 6), material: \"t\"),
            (name: \"B\", corner: (-0.267, 0.25, -0.259), across: (0.6, 0, 0.07),
                down: (0.05, 0.1, 0.6), cells: (6, 6), material: \"t\")],
        surfaces: [(of: All, radius: 0.005, itself: true)],
        velocities: [(of: Body(\"A\"), velocity: (0, {speed}, 0)),
            (of: Body(\"B\"), velocity: (0, -{speed}, 0))]"
    );
    let lane = simulation(&parts, settings);
    let mut settings = *lane.settings();
    settings.contact = ContactMethod::Swept(Swept { itself, ..Swept::default() });
    Simulation::new(lane.parts().clone(), settings)
}

#[test]
fn two_sheets_that_meet_make_no_energy_however_coarse_the_step() {
    let settings = [
        "integrator: SymplecticEuler, constraints: Xpbd(), dt: 0.016666666666666666",
        "constraints: Xpbd(), dt: 0.016666666666666666",
        "constraints: Xpbd(), dt: 0.016666666666666666, substeps: 4",
        "constraints: Relaxation(), dt: 0.016666666666666666",
        "integrator: Bdf2, constraints: Xpbd(), dt: 0.008",
        "integrator: ImplicitEuler, dt: 0.016666666666666666",
    ];
    for (speed, settings) in [1.5, 15.0].iter().flat_map(|speed| settings.map(|s| (*speed, s))) {
        for itself in [SelfContact::Guarantee, SelfContact::Swept, SelfContact::Repulsion] {
            let mut lane = sheets(speed, itself, settings);
            let start = lane.energy().total();
            let gain = greatest_gain(&mut lane, 0.6);
            assert!(
                gain < 1e-6 * start,
                "{gain} J of {start} J at {speed} m/s with {itself:?}, {settings}"
            );
        }
    }
}

/// Two sheets collide in one step of 1/60 s under XPBD. Contact stretches their links for a substep
/// with energy of the motion. The account must not attribute this energy to the integrator.
#[test]
fn energy_that_contact_pushes_into_links_is_not_made_by_the_scheme() {
    let mut wrong = Vec::new();
    for integrator in ["SymplecticEuler", "ImplicitEuler", "PositionVerlet", "VelocityVerlet"] {
        for speed in [1.5, 5.0, 15.0] {
            let settings =
                format!("integrator: {integrator}, constraints: Xpbd(), dt: 0.016666666666666666");
            let mut lane = sheets(speed, SelfContact::Guarantee, &settings);
            lane.start_energy_account();
            let start = lane.energy().total();
            let mut least_heat = 0.0_f64;
            for _ in 0..36 {
                lane.step(1.0 / 60.0);
                lane.add_to_energy_account();
                let balance = lane.balance().expect("it has an energy account");
                least_heat = least_heat.min(balance.taken_out.get("contact").map_or(0.0, |j| *j));
            }
            let balance = lane.balance().expect("it has an energy account");
            let gain = balance.gain.joules / start;
            if gain > 0.05 || least_heat < 0.0 {
                wrong.push(format!("{integrator}, {speed} m/s: gain {gain}, {balance:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A pendulum of 1 m whose rope hits a frictionless peg below its pin.
fn interrupted_pendulum(settings: &str) -> Simulation {
    simulation(
        r#"materials: [Rope(name: "cord", mass_per_metre: 0.03, stiffness: 2000, damping: 0.5,
            radius: 0.005)],
        ropes: [(name: "cord", from: (0, 2, 0), to: (1, 2, 0), segments: 10, material: "cord")],
        masses: [(of: End("cord"), mass: 0.4)], pins: [(of: Start("cord"))],
        colliders: [(shape: Cylinder(radius: 0.05, length: 0.5, along: (0, 0, 1)),
            at: (-0.055, 1.52, 0), surface: (friction: 0))]"#,
        settings,
    )
}

/// Only the links that hit the peg lose energy, some millijoules each time. The bob, half a metre
/// below the peg, keeps its 4 J.
#[test]
fn a_pendulum_keeps_its_energy_when_its_rope_meets_a_peg() {
    let springs = Method::all().map(|method| {
        let settings = Settings { integrator: method, dt: 1.25e-4, ..Settings::default() };
        (method.info().name.to_owned(), settings)
    });
    let solvers = ConstraintSolver::all().filter(|solver| !solver.is_none()).map(|solver| {
        let settings =
            Settings { links: LinkMode::Constraints, constraints: solver, ..Settings::default() };
        (solver.info().name.to_owned(), Settings { dt: 5e-4, ..settings })
    });
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (name, settings) in springs.chain(solvers) {
        let mut lane = interrupted_pendulum("contact: Swept()");
        let contact = lane.settings().contact;
        lane.configure(Settings { contact, ..settings });
        lane.start_energy_account();
        for _ in 0..(0.75 / settings.dt) as u32 {
            lane.step(settings.dt);
            lane.add_to_energy_account();
        }
        let balance = lane.balance().expect("it has an energy account");
        let heat = balance.taken_out.get("contact").copied().unwrap_or_default();
        if balance.gain.joules < 1.0 {
            compared += 1;
            if heat > 0.06 {
                wrong.push(format!("{name}: {heat} J"));
            }
        }
    }
    assert!(compared > 24, "{compared} of 29 lanes make no energy of their own");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
