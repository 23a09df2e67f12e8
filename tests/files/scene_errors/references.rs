//! References to particles, bodies and lanes that do not exist, and names that are taken.

use super::{assert_refused, error_of, scene_with};
use ropelab::scene::Scene;

#[test]
fn cuts_of_what_is_no_link() {
    assert_refused(
        "cuts: [(0, 1)]",
        "test.ron:5:12: no link joins the particles 0 and 1, expected the ends of a link",
    );
    assert_refused(
        "ropes: [(from: (0, 1, 0), to: (1, 1, 0), segments: 3)], cuts: [(4, 3), (3, 5)]",
        "test.ron:5:76: no link joins the particles 3 and 5, expected the ends of a link; particle \
         3 has links to 2 and 4",
    );
    assert_refused(
        "ropes: [(from: (0, 1, 0), to: (1, 1, 0), segments: 3)], cuts: [(4, 3, 0), (3, 4, 1)]",
        "test.ron:5:79: found link 1 between the particles 3 and 4, expected 0, as there is only \
         one",
    );
}

#[test]
fn ways_of_ropes_that_lead_nowhere() {
    let drum = "colliders: [(shape: Cylinder(radius: 0.2, length: 1, along: (0, 0, 1))), \
                (shape: Plane(), at: (0, -9, 0))],";
    let rope = |more: &str| scene_with(&format!("{drum} ropes: [(from: (-1, 0, 0), {more})]"));
    let wrong = |more: &str, expected: &str| {
        let found = error_of(&rope(more));
        assert!(found.starts_with("test.ron:5:") && found.ends_with(expected), "{found}");
    };
    Scene::parse(&rope("to: (1, 0, 0), through: [Round(collider: 0, about: (0, 0, -1))]"), "x")
        .unwrap();
    wrong(
        "to: (1, 0, 0), through: [Round(collider: 7, about: (0, 0, 1))]",
        "found collider 7, but the scene has 2, which are numbered from 0",
    );
    wrong(
        "to: (1, 0, 0), through: [Round(collider: 1, about: (0, 0, 1))]",
        "collider 1 is not round, expected a sphere, capsule or cylinder",
    );
    wrong(
        "to: (0.1, 0, 0), through: [Round(collider: 0, about: (0, 0, 1))]",
        "the rope begins or ends inside a collider that it goes round, expected a position outside",
    );
    wrong(
        "to: (1, 0, 0), segments: 1, through: [Point(0, 1, 0)]",
        "found 1 segments, expected at least 2 for this route",
    );
    wrong("closed: true", "a closed rope has no route, expected `through`");
    wrong(
        "closed: true, to: (1, 0, 0), through: [Point(0, 1, 0)]",
        "found `to`, but the rope is closed",
    );
    wrong(
        "to: (1, 0, 0), through: [Arc(centre: (0, 0, 0), about: (0, 0, 0), degrees: 90)]",
        "found `about` [0, 0, 0], expected a direction",
    );
}

#[test]
fn references_to_what_is_not_there() {
    assert_refused(
        "links: [(a: Particle(0), b: Particle(2))],",
        "test.ron:5:33: found particle 2, expected 0 to 1",
    );
    assert_refused(
        "links: [(a: Particle(1), b: Particle(1))],",
        "test.ron:5:33: found a link from particle 1 to itself, expected two different particles",
    );
    assert_refused(
        "links: [(a: Particle(0), b: All)],",
        "test.ron:5:33: found 2 particles, expected one",
    );
    assert_refused("faces: [(0, 1, 2)],", "test.ron:5:13: found particle 2, expected 0 to 1");
    assert_refused(
        "annotations: (labels: [(of: Particle(5), text: \"5 m\")]),",
        "test.ron:5:33: found particle 5, expected 0 to 1",
    );
    assert_refused(
        "annotations: (periods: [(of: All, text: \"swing\")]),",
        "test.ron:5:34: found 2 particles, expected one",
    );
    assert_refused(
        "annotations: (phases: [(of: All, velocity: (1, 0, 0), kept: \"a\", between: \"b\")]),",
        "test.ron:5:33: found 2 particles, expected one",
    );
    assert_refused(
        "annotations: (patterns: [(of: All, pattern: Plain)]),",
        "test.ron:5:35: found 2 particles that are not exactly one cloth, expected one cloth",
    );
    assert_refused(
        "annotations: (readings: [(of: All, name: \"x\", measure: Way(along: (0, 1, 0)), unit: \"m\",
            formula: \"0\", value: Constant(0))]),",
        "test.ron:5:35: found 2 particles, expected one",
    );
    assert_refused(
        "lanes: [(name: \"x\", display: 0)],",
        "test.ron:5:34: found 0, expected 1 to 1000 frames per second",
    );
    assert_refused(
        "lanes: [(name: \"x\", frames: Spike(rate: 60, every: 0, spike: 0.1))],",
        "test.ron:5:33: every is 0; expected at least 1 frame",
    );
    assert_refused(
        "lanes: [(name: \"x\", display: 60, frames: Constant(rate: 60))],",
        "test.ron:5:46: found both `display` and `frames`, expected one",
    );
    assert_refused(
        "thrown: [(at: (0, 0, 0), velocity: (0, 0, 0), mass: 1, radius: 0)],",
        "test.ron:5:68: `radius`: found 0, expected a finite number above 0",
    );
    assert_refused(
        "annotations: (restart: 0),",
        "test.ron:5:28: `restart`: found 0, expected a finite number above 0",
    );
    assert_refused(
        "annotations: (lesson: [(say: \" \", done: Cut)]),",
        "test.ron:5:28: found no text, expected an instruction",
    );
    let step = "(say: \"Press 1.\", done: Integrator(ExplicitEuler)), ";
    assert_refused(
        &format!("annotations: (lesson: [{}]),", step.repeat(4)),
        "test.ron:5:184: found a lesson of 4 steps, expected at most 3",
    );
    let many = "ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), segments: 300)],\n    ";
    assert_refused(
        &format!("{many}annotations: (trails: [(of: Body(\"rope\"))]),"),
        "test.ron:6:33: found too many labels, trails, periods, phases and readings, expected at most 256",
    );
    assert_refused(
        "drawn_ropes: [(particles: [0, 7])],",
        "test.ron:5:31: found particle 7, expected 0 to 1",
    );
    assert_refused(
        "drawn_cloths: [(first: 0, columns: 4000000000, rows: 4000000000)],",
        "test.ron:5:20: found 4000000000 × 4000000000 particles from number 0, expected at least 2 × 2 and none beyond 1",
    );
    let rope = "ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0))],\n    ";
    assert_refused(
        &format!("{rope}pins: [(of: Node(\"rope\", 21))],"),
        "test.ron:6:17: found node 21 of \"rope\", expected 0 to 20: it has 21 particles",
    );
    assert_refused(
        &format!("{rope}pins: [(of: Edge(\"rope\", Top))],"),
        "test.ron:6:17: \"rope\" is a rope, expected a net or cloth",
    );
    assert_refused(
        &format!("{rope}pins: [(of: Start(\"rpoe\"))],"),
        "test.ron:6:17: no rope, net, cloth or particle is named \"rpoe\", did you mean \"rope\"?",
    );
    assert_refused(
        &format!("{rope}pins: [(of: Start(\"rope\")), (of: Body(\"rope\"))],"),
        "test.ron:6:38: particle 2 is pinned a second time, expected at most one pin per particle",
    );
}

#[test]
fn names_that_are_taken() {
    assert_refused(
        "materials: [Rope(name: \"x\"), Cloth(name: \"x\")],",
        "test.ron:5:46: found a second material named \"x\", expected a new name",
    );
    assert_refused(
        "ropes: [(name: \"x\", from: (0, 0, 0), to: (1, 0, 0)), (name: \"x\", from: (0, 1, 0), to: (1, 1, 0))],",
        "test.ron:5:65: \"x\" is already the name of a rope, expected a new name",
    );
}

#[test]
fn balls_and_colliders_that_are_none() {
    #[track_caller]
    fn answered(more: &str, problem: &str) {
        let found = error_of(&scene_with(more));
        assert!(found.starts_with("test.ron:5:") && found.ends_with(problem), "{found}");
    }
    answered(
        "balls: [(at: (0, 0, 0), radius: 0)]",
        "`radius`: found 0, expected a finite number above 0",
    );
    answered(
        "colliders: [(shape: Box(size: (1, 0, 1)))]",
        "found a box of size [1, 0, 1], expected three lengths above 0",
    );
    answered(
        "colliders: [(shape: Plane(normal: (0, 0, 0)))]",
        "found `normal` [0, 0, 0], expected a direction",
    );
    answered(
        "balls: [(at: (0, 0, 0), surface: (friction: -1))]",
        "`friction`: found -1, expected a finite number of at least 0",
    );
    answered(
        "balls: [(at: (0, 0, 0), surface: (restitution: 2))]",
        "found restitution 2, expected 0 to 1",
    );
    answered(
        "colliders: [(shape: Plane(), surface: (friction: 0.4, static_friction: 0.1))]",
        "found static_friction 0.1, expected at least the friction 0.4",
    );
    answered(
        "balls: [(at: (0, 0, 0), count: (1000, 1000, 1000))]",
        "this makes 1000000002 particles, expected at most 1000000",
    );
    answered(
        "balls: [(name: \"b\", at: (0, 0, 0))], surfaces: [(of: Body(\"b\"))]",
        "particle 2 is a ball, which has a surface of its own; expected other \
         particles",
    );
    answered(
        "colliders: [(shape: Plane(), layer: \"drum\")], no_contact: [(\"drum\", \"durm\")]",
        "no layer is named \"durm\", did you mean \"drum\"?",
    );
    answered(
        "annotations: (readings: [(name: \"x\", measure: Torque(collider: 2, about: (0, 0, 1)), \
         unit: \"N·m\", formula: \"0\", value: Constant(0))])",
        "found collider 2, but the scene has 0, which are numbered from 0",
    );
    let layers: Vec<String> = (0..64).map(|k| format!("(at: (0, 0, 0), layer: \"{k}\")")).collect();
    answered(&format!("balls: [{}]", layers.join(", ")), "this is layer 64, expected at most 63");
}

#[test]
fn lanes_that_share_a_name() {
    assert_refused(
        "lanes: [(name: \"a\"), (name: \"b\"), (name: \"a\")]",
        "test.ron:5:39: lane 3 has the name \"a\" of lane 1, expected a name of its own: `--lane a` \
         could mean either lane",
    );
}
