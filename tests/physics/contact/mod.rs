//! Contact in whole scenes, compared with closed forms.

#![allow(clippy::unwrap_used)] // helpers of tests, too

mod carried_colliders;
mod cloths;
mod draping;
mod friction;
mod impacts;
mod layers;
mod meshes;
mod overlaps;
mod parabolas;
mod penalty;
mod self_contact;
mod throwing;

use crate::support;
use glam::DVec3;
use ropelab::contact::{ContactMethod, Discrete, Swept};
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// Returns a lane of a library scene after `seconds` seconds.
pub fn played(scene: &str, lane: usize, seconds: f64) -> Simulation {
    let scene = library::find(scene).unwrap().load().unwrap();
    let mut simulation = Simulation::new(scene.parts.clone(), scene.lanes[lane].settings);
    run(&mut simulation, seconds);
    simulation
}

/// True if a segment goes through a triangle, i.e. meets the triangle's plane at a point within the
/// triangle. If segment and triangle lie in one plane, rounding may put the ends on different sides
/// of the plane, but does not put the point within the triangle.
pub fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let [above, below] = [p, q].map(|end| (end - a).dot(normal));
    if above * below >= 0.0 {
        return false;
    }
    let at = p + (q - p) * (above / (above - below));
    [[a, b], [b, c], [c, a]].iter().all(|[a, b]| (*b - *a).cross(at - *a).dot(normal) > 0.0)
}

/// Number of sides of triangles that cross another triangle. Near triangles are not checked: those
/// with particles within 12 cm (three cells) of an end of the side at the start of the scene.
pub fn crossings(lane: &Simulation) -> usize {
    let x = &lane.state().x;
    let triangles: Vec<[u32; 3]> = lane.model().topology().faces().iter().collect();
    let crosses = |[p, q]: [u32; 2], triangle: &[u32; 3]| {
        let start = |i: u32| lane.parts().mesh.positions[i as usize];
        let is_near = |i: u32| triangle.iter().any(|&j| start(i).distance(start(j)) < 0.12);
        if is_near(p) || is_near(q) {
            return false;
        }
        pierces([p, q].map(|i| x[i as usize]), triangle.map(|i| x[i as usize]))
    };
    let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    let of = |triangle: &[u32; 3]| {
        sides(*triangle)
            .into_iter()
            .map(|side| triangles.iter().filter(|t| crosses(side, t)).count())
            .sum::<usize>()
    };
    triangles.iter().map(of).sum()
}

const G: f64 = 9.81;

/// Returns the first lane of a scene with these parts and settings.
pub fn simulation(parts: &str, settings: &str) -> Simulation {
    let text = format!("(version: 1, name: \"x\", {parts}, settings: ({settings}))");
    support::simulation(&text)
}

pub fn run(simulation: &mut Simulation, seconds: f64) {
    let dt = simulation.settings().dt;
    for _ in 0..(seconds / dt).round() as u64 {
        simulation.step(dt);
    }
    assert_eq!(simulation.explosion(), None);
}

#[track_caller]
pub fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
}

/// An incline that rises by `slope` = tan α along x, and a ball that touches it at the origin.
fn incline(slope: f64, friction: f64) -> String {
    let length = (1.0 + slope * slope).sqrt();
    let normal = DVec3::new(-slope, 1.0, 0.0) / length;
    let at = normal * 0.1;
    format!(
        "balls: [(at: ({}, {}, 0), radius: 0.1, surface: (restitution: 0, friction: {friction}))],
         colliders: [(shape: Plane(normal: ({}, {}, 0)), surface: (friction: {friction}))]",
        at.x, at.y, normal.x, normal.y
    )
}

#[test]
fn a_ball_rolls_down_an_incline_with_five_sevenths_of_g_sin_alpha() {
    let slope = 0.75; // sin α = 0.6
    for integrator in ["SymplecticEuler", "VelocityVerlet"] {
        let settings = format!("integrator: {integrator}, dt: 0.001");
        let mut rolling = simulation(&incline(slope, 0.5), &settings);
        run(&mut rolling, 1.0);
        let speed = rolling.state().v[0].length();
        near(speed, 5.0 / 7.0 * G * 0.6, 6e-3);
        near(rolling.contact().deepest_overlap, 0.0, 1e-9);
    }
}

#[test]
fn a_ball_on_a_slippery_incline_slides_with_what_friction_leaves() {
    // A ball slides if tan α > 7/2 μ, with the acceleration a = g (sin α − μ cos α).
    let mut sliding = simulation(&incline(0.75, 0.1), "integrator: SymplecticEuler, dt: 0.001");
    run(&mut sliding, 1.0);
    near(sliding.state().v[0].length(), G * (0.6 - 0.1 * 0.8), 1e-9);
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_the_published_time() {
    // Time until a bouncing ball is at rest: √(2 h/g) (1 + e)/(1 − e) = 1.354571 s for h = 1 m, e =
    // 0.5.
    let parts = "balls: [(at: (0, 1.1, 0), radius: 0.1)], colliders: [(shape: Plane())]";
    let mut ball = simulation(parts, "integrator: VelocityVerlet, dt: 0.0001");
    let mut touched_last = 0.0;
    for _ in 0..20_000 {
        ball.step(1e-4);
        if ball.state().x[0].y > 0.1 + 1e-6 {
            touched_last = ball.state().t;
        }
    }
    near(touched_last, 1.354571, 5e-3);
    near(ball.state().x[0].y, 0.1, 1e-9);
}

#[test]
fn a_ball_that_slides_on_a_floor_rolls_with_five_sevenths_of_its_speed() {
    let parts = "balls: [(at: (0, 0.1, 0), radius: 0.1, velocity: (7, 0, 0))],
        colliders: [(shape: Plane())]";
    let mut ball = simulation(parts, "integrator: SymplecticEuler, dt: 0.001");
    run(&mut ball, 2.0);
    near(ball.state().v[0].x, 5.0, 1e-9);
}

/// Walls of a box of width `width` around the origin, with a floor at height 0.
fn tub(width: f64, surface: &str) -> String {
    let wall = |x: f64, z: f64| {
        let half = 0.5 * width;
        format!(
            "(shape: Plane(normal: ({x}, 0, {z})), at: ({}, 0, {}), surface: ({surface}))",
            -half * x,
            -half * z
        )
    };
    let walls = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(x, z)| wall(x, z));
    format!("colliders: [(shape: Plane(), surface: ({surface})), {}]", walls.join(", "))
}

#[test]
fn a_heap_of_balls_comes_to_rest_inside_its_walls() {
    let surface = "restitution: 0.5, friction: 0.3";
    let parts = format!(
        "balls: [(at: (-0.375, 0.3, -0.375), count: (4, 5, 4), spacing: (0.25, 0.3, 0.25),
            radius: 0.1, jitter: 0.02, speed: 1, surface: ({surface}))], {}",
        tub(1.0, surface)
    );
    for (integrator, dt) in [("SymplecticEuler", 1.0 / 60.0), ("VelocityVerlet", 0.005)] {
        let mut heap = simulation(&parts, &format!("integrator: {integrator}, dt: {dt}"));
        run(&mut heap, 6.0);
        let fastest = heap.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        // The bound is twice the distance by which balls may approach in a step without bouncing.
        let contact = heap.contact();
        assert!(contact.deepest_overlap < 4.0 * G * dt * dt, "{integrator}: {contact:?}");
        // A ball at rest gains at most the speed g · dt in a step.
        assert!(fastest < G * dt, "{integrator}: fastest ball {fastest} m/s");
        for x in &heap.state().x {
            let inside = x.x.abs().max(x.z.abs()) < 0.4 + 1e-9 && x.y > 0.1 - 1e-9;
            assert!(inside, "{integrator}: ball at {x}");
        }
    }
}

#[test]
fn a_ball_and_a_stack_of_three_rest_exactly() {
    for settings in
        ["integrator: SymplecticEuler, dt: 0.01", "integrator: VelocityVerlet, dt: 0.01"]
    {
        let parts = "balls: [(at: (0, 0.1, 0), count: (1, 3, 1), spacing: (0, 0.2, 0),
            radius: 0.1), (at: (1, 0.1, 0), radius: 0.1)], colliders: [(shape: Plane())]";
        let mut stack = simulation(parts, settings);
        run(&mut stack, 1.0);
        let settled = stack.state().x.clone();
        run(&mut stack, 60.0);
        let starts = &stack.parts().mesh.positions;
        for ((x, before), start) in stack.state().x.iter().zip(&settled).zip(starts) {
            near(x.distance(*before), 0.0, 1e-12);
            near(x.distance(*start), 0.0, 1e-8);
        }
    }
}

#[test]
fn a_ball_on_a_belt_takes_its_speed_and_stays_on_a_drum_that_turns() {
    let parts = "balls: [(at: (0, 0.1, 0), radius: 0.1)],
        colliders: [(shape: Plane(), belt: (3, 0, 0))]";
    let mut ball = simulation(parts, "integrator: SymplecticEuler, dt: 0.001");
    run(&mut ball, 2.0);
    // A sphere on a belt rolls: its centre has 2/7 of the belt's speed.
    near(ball.state().v[0].x, 3.0 * 2.0 / 7.0, 1e-9);
}

#[test]
fn position_and_velocity_schemes_bounce_alike() {
    let parts = "balls: [(at: (0, 1, 0), radius: 0.1, surface: (restitution: 1, friction: 0))],
        colliders: [(shape: Plane())]";
    for integrator in
        ["SymplecticEuler", "VelocityVerlet", "PositionVerlet()", "AdamsBashforth2", "Bdf2", "Rk4"]
    {
        let settings = format!("integrator: {integrator}, dt: 0.001");
        let mut ball = simulation(parts, &settings);
        let before = ball.energy().total();
        run(&mut ball, 20.0);
        let after = ball.energy().total();
        assert!(
            (after / before - 1.0).abs() < 0.005,
            "{integrator}: energy {before} J before, {after} J after"
        );
    }
}

#[test]
fn two_balls_bounce_swept_pass_discrete_and_leave_the_room_without_contact() {
    let scene = library::find("two-balls").unwrap().load().unwrap();
    let run_lane = |contact: ContactMethod| {
        let settings = Settings { contact, ..scene.lanes[0].settings };
        let mut lane = Simulation::new(scene.parts.clone(), settings);
        let energy = lane.energy().total();
        run(&mut lane, 0.1);
        let first = lane.state().x[0].x < lane.state().x[1].x;
        run(&mut lane, 20.0);
        near(lane.energy().total(), energy, 1e-9);
        (first, lane)
    };
    let (bounced, swept) = run_lane(ContactMethod::Swept(Swept::default()));
    assert!(bounced && swept.contact().events > 100);
    assert!(swept.contact().deepest_overlap < 1e-9);
    let (bounced, _) = run_lane(ContactMethod::Discrete(Discrete::default()));
    assert!(!bounced, "looked at after the step only, the balls have passed each other");
    let (_, off) = run_lane(ContactMethod::Off);
    assert!(off.state().x[0].x > 100.0);
    assert_eq!(off.contact().pairs_tested, 0);
}

#[test]
fn the_cradle_hands_the_fall_from_one_end_to_the_other() {
    let scene = library::find("cradle").unwrap().load().unwrap();
    let mut cradle = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    let start = cradle.state().x[5].y;
    let mut highest = f64::NEG_INFINITY;
    for _ in 0..1500 {
        cradle.step(1e-3);
        highest = highest.max(cradle.state().x[9].y);
    }
    near(highest, start, 0.01);
}

#[test]
fn no_ball_of_the_break_passes_a_cushion_or_another_ball() {
    let scene = library::find("billiard-break").unwrap().load().unwrap();
    let mut table = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    run(&mut table, 5.0);
    let contact = table.contact();
    assert!(contact.deepest_overlap < 1e-9, "{contact:?}");
    assert_eq!(contact.left_over, 0);
    for x in &table.state().x {
        assert!(x.x.abs() < 1.25 && x.z.abs() < 0.64, "{x}");
    }
}

#[test]
fn a_particle_on_an_incline_holds_up_to_its_friction_and_slides_beyond() {
    let slope = 0.75;
    let moved = |friction: f64| {
        let parts = format!(
            "particles: [(at: (0, 0, 0))], surfaces: [(of: All, surface: (friction: {friction}))],
             colliders: [(shape: Plane(normal: (-0.6, 0.8, 0)), surface: (friction: {friction}))]"
        );
        let mut particle = simulation(&parts, "integrator: SymplecticEuler, dt: 0.01");
        run(&mut particle, 3600.0);
        particle.state().x[0].length()
    };
    assert!(moved(slope * (1.0 + 1e-6)) < 1e-12);
    assert!(moved(slope * (1.0 - 1e-6)) > 1e-3);
}

#[test]
fn links_that_start_inside_a_collider_are_told_and_chords_of_a_drum_are_not() {
    let warnings = |parts: &str| {
        let text = format!("(version: 1, name: \"x\", {parts})");
        Scene::parse(&text, "x").unwrap_or_else(|error| panic!("{error}")).warnings()
    };
    let rope = "ropes: [(name: \"r\", from: (-1, 0.5, 0), to: (1, 0.5, 0), segments: 3)]";
    let through = |size: f64, y: f64| {
        warnings(&format!(
            "{rope}, colliders: [(shape: Box(size: ({size}, {size}, {size})), at: (0, {y}, 0))]"
        ))
    };
    let said = through(0.2, 0.5);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("1 pair overlaps at the start, link 1–2 and collider 0 by"),
        "{said:?}"
    );
    assert_eq!(through(0.2, 0.3), Vec::<String>::new());
    // Overlapping ends are reported as particles, and their links are not reported again.
    let said = through(0.8, 0.5);
    assert!(said[0].contains("2 pairs overlap at the start, particle"), "{said:?}");
    let drum = "ropes: [(name: \"r\", from: (-0.21, 1, 0), to: (0.21, 1, 0), segments: 60,
                  through: [Round(collider: 0, about: (0, 0, -1), gap: 0)])],
        colliders: [(shape: Cylinder(radius: 0.2, length: 1, along: (0, 0, 1)), at: (0, 2, 0))],
        surfaces: [(of: All, radius: 0)]";
    assert_eq!(warnings(drum), Vec::<String>::new());
}
