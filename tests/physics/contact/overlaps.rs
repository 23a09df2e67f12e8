//! Overlaps at the start of a scene: which of them are reported, and the effects of their removal.

use crate::contact::{near, simulation};
use ropelab::analysis::explain::{Cause, ExplainQuestion, explain};
use ropelab::analysis::job::Work;
use ropelab::contact::{ContactMethod, InitialOverlaps};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

#[test]
fn overlaps_at_the_start_are_told_and_go_slowly_without_a_bang() {
    let parts = "balls: [(at: (0, 0, 0), radius: 0.1), (at: (0.15, 0, 0), radius: 0.1),
        (at: (3, 0.07, 0), radius: 0.1)], colliders: [(shape: Plane(), at: (0, -0.1, 0)),
        (shape: Box(size: (0.4, 0.2, 0.4)), at: (3, -0.1, 0))]";
    for forces in ["", ", forces: []"] {
        let mut balls =
            simulation(&format!("{parts}{forces}"), "integrator: SymplecticEuler, dt: 0.01");
        let start = balls.parts().clone();
        let overlaps =
            InitialOverlaps::find(&start.contact, &start.mesh, &[ContactMethod::default()])
                .unwrap();
        assert_eq!(overlaps.count, 2);
        near(overlaps.depth, 0.05, 1e-12);
        assert!(overlaps.to_string().contains("balls 0 and 1 by 50 mm"), "{overlaps}");
        let mut fastest = 0.0_f64;
        for _ in 0..200 {
            balls.step(0.01);
            fastest = balls.state().v.iter().map(|v| v.length()).fold(fastest, f64::max);
        }
        near(balls.contact().deepest_overlap, 0.05, 1e-12);
        assert!(fastest < 1e-9, "{fastest} m/s");
        let x = &balls.state().x;
        near(x[0].distance(x[1]), 0.2, 1e-8);
        near(x[2].y, 0.1, 1e-8);
    }
}

/// Integrators that keep earlier positions instead of velocities interpret the removal of an
/// overlap as motion. The warning names them.
#[test]
fn an_overlap_at_the_start_becomes_speed_under_the_integrators_that_the_warning_names() {
    let parts = "balls: [(at: (0, 0, 0), radius: 0.1), (at: (0.15, 0, 0), radius: 0.1)], \
                 forces: []";
    for integrator in Method::all() {
        let mut balls = simulation(parts, "dt: 0.01");
        balls.configure(Settings { integrator, ..*balls.settings() });
        let start = balls.parts().clone();
        let methods = [ContactMethod::default()];
        let told = InitialOverlaps::find(&start.contact, &start.mesh, &methods).unwrap();
        (0..50).for_each(|_| balls.step(0.01));
        let fastest = balls.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        let title = integrator.info().title.to_lowercase();
        let is_named = told.to_string().to_lowercase().contains(&format!(" {title}"));
        assert_eq!(fastest > 1e-3, is_named, "{title}: {fastest} m/s; {told}");
    }
}

#[test]
fn balls_that_overlap_ropes_and_cloths_at_the_start_are_told() {
    let told = |parts: &str, settings: &str| {
        let text = format!("(version: 1, name: \"x\", {parts}, settings: ({settings}))");
        Scene::parse(&text, "x").unwrap_or_else(|error| panic!("{error}")).warnings()
    };
    let rope = "ropes: [(name: \"r\", from: (-1, 1, 0), to: (1, 1, 0), segments: 5)]";
    let ball = |y: f64| format!("balls: [(name: \"b\", at: (0, {y}, 0), radius: 0.1)]");
    let in_rope = format!("{}, {rope}", ball(1.02));
    let said = told(&in_rope, "");
    assert!(said[0].contains("1 pair overlaps at the start, ball 0 and link 3–4 by"), "{said:?}");
    assert!(said[0].contains("move them apart"), "{said:?}");
    // Contact methods without contact between balls and ropes give no warning, but a single lane
    // with contact is enough for a warning.
    for contact in ["Off", "Penalty()"] {
        let settings = format!("contact: {contact}");
        assert_eq!(told(&in_rope, &settings), Vec::<String>::new(), "{contact}");
        let lanes = format!(
            "{in_rope}, lanes: [(name: \"a\"), (name: \"b\", settings: (contact: Discrete()))]"
        );
        assert_eq!(told(&lanes, &settings).len(), 1, "{contact}");
    }
    assert_eq!(told(&format!("{}, {rope}", ball(1.2)), ""), Vec::<String>::new());
    let layers = "no_contact: [(\"a\", \"b\")]";
    let apart = in_rope.replace("radius: 0.1", "radius: 0.1, layer: \"a\"");
    let apart = apart.replace("segments: 5", "segments: 5, layer: \"b\"");
    assert_eq!(told(&format!("{apart}, {layers}"), ""), Vec::<String>::new());
    // In a pendulum the rope ends at the centre of its ball, so this overlap gives no warning.
    let tied = "ropes: [(name: \"r\", from: (0, 2, 0), tie_to: Body(\"b\"), segments: 50)]";
    assert_eq!(told(&format!("{}, {tied}", ball(1.0)), ""), Vec::<String>::new());
    let cloth = "cloths: [(corner: (-1, 1, -1), across: (2, 0, 0), down: (0, 0, 2),
        cells: (3, 3))]";
    let said = told(&format!("{}, {cloth}", ball(1.07)), "");
    assert!(said[0].contains("at the start, ball 0 and triangle"), "{said:?}");
}

/// Returns a rope of inextensible links, half round a drum that it overlaps by 5 mm, with 1 kg at
/// each end.
fn rope_within_a_drum(between: bool, settings: &str) -> Simulation {
    let parts = format!(
        "materials: [Rope(name: \"rope\", mass_per_metre: 0.0255, rigid: true, radius: 0.012)],
        particles: [(name: \"left\", at: (-0.3, -0.6, 0)), (name: \"right\", at: (0.3, -0.6, 0))],
        ropes: [(name: \"r\", tie_from: Body(\"left\"), tie_to: Body(\"right\"), segments: 27,
            through: [Round(collider: 0, about: (0, 0, -1))], material: \"rope\")],
        masses: [(of: Any([Body(\"left\"), Body(\"right\")]), mass: 1)],
        colliders: [(shape: Cylinder(radius: 0.3, length: 0.6, along: (0, 0, 1)))],
        surfaces: [(of: All, radius: 0.005, between: {between}, surface: (friction: 0.3))]"
    );
    simulation(&parts, settings)
}

/// Returns the greatest gain of energy within 0.1 s, in joules.
fn gain(rope: &Simulation, integrator: Method) -> f64 {
    let settings = Settings { integrator, ..*rope.settings() };
    let mut rope = Simulation::new(rope.parts().clone(), settings);
    let start = rope.energy().total();
    let mut most = 0.0_f64;
    for _ in 0..(0.1 / settings.dt).round() as u64 {
        rope.step(settings.dt);
        most = most.max(rope.energy().total() - start);
    }
    assert_eq!(rope.explosion(), None);
    most
}

/// A rope that comes out of the drum hangs down π · 5 mm less, so both weights rise: 0.16 J. The
/// motion may contain as much energy again, but not more with shorter steps.
#[test]
fn a_rope_leaves_a_drum_without_a_bang_whatever_the_integrator_and_the_step() {
    for (between, dt) in [(true, 1e-3), (true, 1e-4), (false, 1e-3), (false, 1e-4)] {
        let settings = format!("constraints: Xpbd(iterations: 50), dt: {dt}");
        let rope = rope_within_a_drum(between, &settings);
        for integrator in Method::all() {
            let gain = gain(&rope, integrator);
            let name = integrator.info().name;
            assert!(gain < 0.35, "{name}, between: {between}, {dt} s: {gain} J");
        }
    }
}

/// The same rope under every solver. docs/design/contact.md tells how much energy its links add
/// where they collide.
#[test]
fn a_rope_leaves_a_drum_without_a_bang_whatever_the_solver() {
    for solver in ["Relaxation(iterations: 50)", "Shake()", "Rattle()", "Direct(iterations: 10)"] {
        for dt in [1e-3, 1e-4] {
            let settings = format!("constraints: {solver}, dt: {dt}");
            let rope = rope_within_a_drum(false, &settings);
            for integrator in [Method::SymplecticEuler, Method::VelocityVerlet] {
                let gain = gain(&rope, integrator);
                let name = integrator.info().name;
                assert!(gain < 0.5, "{solver}, {name}, {dt} s: {gain} J");
            }
        }
    }
}

#[test]
fn a_gain_by_bodies_that_overlap_at_the_start_is_explained_by_their_overlap() {
    for dt in ["0.001", "0.0001"] {
        let settings = format!("constraints: Xpbd(iterations: 50), dt: {dt}");
        let rope = rope_within_a_drum(false, &settings);
        let question = ExplainQuestion::of(rope, 0.1);
        let explanation = explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
        assert_eq!(explanation.cause, Cause::InitialOverlap, "{}", explanation.headline);
        let reason = &explanation.reason;
        assert!(
            reason.contains("collider 0 by 5 mm") && reason.contains("move them apart"),
            "{reason}"
        );
    }
}
