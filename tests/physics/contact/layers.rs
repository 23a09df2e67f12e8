//! Layers whose bodies do not collide with each other, in every kind of contact.

use crate::support;
use ropelab::contact::{ContactMethod, InitialOverlaps};
use ropelab::simulation::Simulation;

fn simulation(parts: &str, no_contact: &str, contact: &str) -> Simulation {
    let text = format!(
        "(version: 1, name: \"x\", {parts}, no_contact: [{no_contact}], \
         settings: (dt: 0.002, integrator: SymplecticEuler, contact: {contact}))"
    );
    support::simulation(&text)
}

/// Simulates bodies of the layers "a" and "b" that meet within a second. Checks that they pass
/// through each other exactly if the scene excludes contact between "a" and "b".
fn meet(parts: &str, contacts: &[&str], has_passed: impl Fn(&Simulation) -> bool) {
    for contact in contacts {
        for (no_contact, passes) in [
            ("", false),
            ("(\"a\", \"b\")", true),
            ("(\"b\", \"a\")", true),
            ("(\"a\", \"a\"), (\"b\", \"b\")", false),
        ] {
            let mut both = simulation(parts, no_contact, contact);
            (0..500).for_each(|_| both.step(0.002));
            assert_eq!(both.explosion(), None);
            assert_eq!(has_passed(&both), passes, "{contact}, no contact of [{no_contact}]");
            if passes {
                assert_eq!(both.contact().deepest_overlap, 0.0, "{contact}: {:?}", both.contact());
            }
        }
    }
}

const LOOKED_FOR: [&str; 3] = ["Swept()", "Swept(pairs: AllPairs)", "Discrete()"];

#[test]
fn balls_pass_balls() {
    let parts = "balls: [(at: (-0.5, 0, 0), velocity: (1, 0, 0), layer: \"a\"),
        (at: (0.5, 0, 0), velocity: (-1, 0, 0), layer: \"b\")], forces: []";
    meet(parts, &LOOKED_FOR, |both| both.state().x[0].x > both.state().x[1].x);
}

#[test]
fn a_ball_that_rests_on_another_sinks_into_it() {
    let parts = "balls: [(at: (0, 0.1, 0), layer: \"a\"), (at: (0, 0.3, 0), layer: \"b\")],
        colliders: [(shape: Plane())]";
    meet(parts, &["Swept()"], |both| both.state().x[1].y < 0.11);
}

#[test]
fn balls_particles_links_and_triangles_pass_colliders() {
    let floor = "colliders: [(shape: Box(size: (1, 0.2, 1)), layer: \"b\")]";
    let below = |both: &Simulation| both.state().x.iter().all(|x| x.y < -1.0);
    let ball = "balls: [(at: (0, 0.3, 0), layer: \"a\")]";
    meet(&format!("{ball}, {floor}"), &LOOKED_FOR, below);
    let ball = "particles: [(at: (0, 0.3, 0), ball: (radius: 0.1), layer: \"a\")]";
    meet(&format!("{ball}, {floor}"), &LOOKED_FOR, below);
    let particle = "particles: [(at: (0, 0.2, 0), layer: \"a\")]";
    meet(&format!("{particle}, {floor}"), &["Swept()", "Discrete()"], below);
    // A rope of one link, whose two ends are beside the box, so that only the link itself is in
    // contact.
    let rope = "ropes: [(from: (-0.6, 0.3, 0), to: (0.6, 0.3, 0), segments: 1, layer: \"a\")]";
    meet(&format!("{rope}, {floor}"), &["Swept()", "Discrete()"], below);
    let cloth = "cloths: [(corner: (-2, 0.3, -2), across: (4, 0, 0), down: (0, 0, 4),
        cells: (1, 1), layer: \"a\")]";
    meet(&format!("{cloth}, {floor}"), &["Swept()"], below);
}

#[test]
fn balls_pass_cloths_and_ropes() {
    let ball = "balls: [(at: (0.05, 0.3, 0.03), layer: \"a\")]";
    let sheet = "cloths: [(name: \"s\", corner: (-0.5, 0, -0.5), across: (1, 0, 0),
        down: (0, 0, 1), cells: (2, 2), layer: \"b\")], pins: [(of: Body(\"s\"))]";
    let below = |both: &Simulation| both.state().x[0].y < -1.0;
    meet(&format!("{ball}, {sheet}"), &["Swept()"], below);
    let rope = "ropes: [(name: \"r\", from: (0.05, 0, -0.5), to: (0.05, 0, 0.5), segments: 3,
        layer: \"b\")], pins: [(of: Body(\"r\"))]";
    meet(&format!("{ball}, {rope}"), &["Swept()"], below);
}

#[test]
fn cloths_pass_cloths() {
    let sheet = |y: f64, name: &str| {
        format!(
            "(name: \"{name}\", corner: (-0.5, {y}, -0.5), across: (1, 0, 0), down: (0, 0, 1),
              cells: (2, 2), layer: \"{name}\")"
        )
    };
    let parts = format!(
        "cloths: [{}, {}], surfaces: [(of: All, radius: 0.02, itself: true)],
         pins: [(of: Body(\"b\"))]",
        sheet(0.3, "a"),
        sheet(0.0, "b")
    );
    meet(&parts, &["Swept()"], |both| both.state().x[4].y < -1.0);
}

#[test]
fn a_layer_that_does_not_touch_itself_touches_all_else() {
    let parts = "balls: [(at: (0, 0.5, 0), layer: \"shot\"), (at: (0.05, 0.8, 0), layer: \"shot\"),
        (at: (3, 0.1, 0))], colliders: [(shape: Plane())]";
    let mut shot = simulation(parts, "(\"shot\", \"shot\")", "Swept()");
    (0..1500).for_each(|_| shot.step(0.002));
    for x in &shot.state().x {
        assert!((x.y - 0.1).abs() < 1e-3, "on the floor, in each other: {x}");
    }
    assert_eq!(shot.contact().left_over, 0, "{:?}", shot.contact());
}

#[test]
fn what_does_not_touch_does_not_overlap_at_the_start() {
    let parts = "balls: [(at: (0, 0, 0), layer: \"a\"), (at: (0.05, 0, 0), layer: \"b\")],
        colliders: [(shape: Sphere(radius: 0.2), layer: \"c\")]";
    let count = |no_contact: &str| {
        let both = simulation(parts, no_contact, "Swept()");
        let (contact, mesh) = (&both.parts().contact, &both.parts().mesh);
        let overlaps = InitialOverlaps::find(contact, mesh, &[ContactMethod::default()]);
        overlaps.map_or(0, |overlaps| overlaps.count)
    };
    assert_eq!(count(""), 3);
    assert_eq!(count("(\"a\", \"b\")"), 2);
    assert_eq!(count("(\"a\", \"b\"), (\"c\", \"a\"), (\"b\", \"c\")"), 0);
}

#[test]
fn a_thrown_ball_is_in_no_layer_and_touches_everything() {
    let parts = "balls: [(at: (0, 5, 0), layer: \"a\")],
        colliders: [(shape: Plane(), layer: \"b\")]";
    let mut both = simulation(parts, "(\"a\", \"b\")", "Swept()");
    both.throw(ropelab::model::Throw {
        at: glam::dvec3(1.0, 0.5, 0.0),
        velocity: glam::DVec3::ZERO,
        mass: 1.0,
        radius: 0.1,
    });
    (0..1000).for_each(|_| both.step(0.002));
    assert!(both.state().x[0].y < 0.0 && both.state().x[1].y > 0.09, "{:?}", both.state().x);
}
