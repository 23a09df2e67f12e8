//! Contact in whole scenes, against closed forms.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use glam::{DVec3, dvec3};
use ropelab::contact::swept::spheres;
use ropelab::contact::{ContactMethod, Discrete, InitialOverlaps, Swept};
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

const G: f64 = 9.81;

/// The first lane of a scene of which only the parts differ.
pub fn simulation(parts: &str, settings: &str) -> Simulation {
    let text = format!("(version: 1, name: \"x\", {parts}, settings: ({settings}))");
    let scene = Scene::parse(&text, "x").unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
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

/// A plane that rises at `slope` = tan α along x, and a ball that touches it at the origin.
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
    // It slides while tan α > 7/2 μ: a = g (sin α − μ cos α).
    let mut sliding = simulation(&incline(0.75, 0.1), "integrator: SymplecticEuler, dt: 0.001");
    run(&mut sliding, 1.0);
    near(sliding.state().v[0].length(), G * (0.6 - 0.1 * 0.8), 1e-9);
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_the_published_time() {
    // √(2 h/g) (1 + e)/(1 − e) = 1.354571 s for h = 1 m, e = 0.5.
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

/// Walls of a box of the given width round the origin, with a floor at 0.
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
        // Twice as far as balls may approach in a step without bouncing.
        let contact = heap.contact();
        assert!(contact.deepest_overlap < 4.0 * G * dt * dt, "{integrator}: {contact:?}");
        // What gravity makes of rest in one step.
        assert!(fastest < G * dt, "{integrator}: {fastest} m/s");
        for x in &heap.state().x {
            let inside = x.x.abs().max(x.z.abs()) < 0.4 + 1e-9 && x.y > 0.1 - 1e-9;
            assert!(inside, "{integrator}: {x}");
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
        assert!((after / before - 1.0).abs() < 0.005, "{integrator}: {before} {after}");
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
fn the_grid_and_all_pairs_come_to_the_same_bits() {
    let parts =
        "balls: [(at: (-1, 0.2, -1), count: (5, 3, 5), spacing: (0.4, 0.4, 0.4), jitter: 0.05,
        speed: 2)], colliders: [(shape: Plane())]";
    let hash = |search: &str| {
        let settings = format!("dt: 0.004, contact: Swept(pairs: {search})");
        let mut balls = simulation(parts, &settings);
        run(&mut balls, 1.0);
        balls.hash()
    };
    assert_eq!(hash("Grid"), hash("AllPairs"));
}

fn head_on(from: f64) -> [DVec3; 2] {
    // Radii 1 and 1, both move 10 towards each other.
    [dvec3(-from, 0.0, 0.0), dvec3(20.0, 0.0, 0.0)]
}

#[test]
fn spheres_that_meet_head_on_touch_at_the_published_time() {
    // n = 400, m = −200, p = 96, D = 1600: roots 0.4 and 0.6.
    let [apart, way] = head_on(10.0);
    assert_eq!(spheres(apart, way, 2.0), Some(0.4));
}

#[test]
fn a_graze_touches_and_a_miss_by_a_thousandth_does_not() {
    let way = dvec3(20.0, 0.0, 0.0);
    assert_eq!(spheres(dvec3(-10.0, 2.0, 0.0), way, 2.0), Some(0.5));
    assert_eq!(spheres(dvec3(-10.0, 2.001, 0.0), way, 2.0), None);
}

#[test]
fn overlap_at_the_start_is_a_collision_at_once_unless_it_separates() {
    let way = dvec3(1.0, 0.0, 0.0);
    assert_eq!(spheres(dvec3(-1.0, 0.0, 0.0), way, 2.0), Some(0.0));
    assert_eq!(spheres(dvec3(1.0, 0.0, 0.0), way, 2.0), None);
    assert_eq!(spheres(dvec3(-2.0, 0.0, 0.0), way, 2.0), Some(0.0), "touching at the start");
    assert_eq!(spheres(dvec3(2.0, 0.0, 0.0), way, 2.0), None, "touching and leaving");
}

#[test]
fn equal_displacements_never_meet_whether_both_move_or_both_rest() {
    assert_eq!(spheres(dvec3(3.0, 0.0, 0.0), DVec3::ZERO, 2.0), None);
    assert_eq!(spheres(dvec3(1.0, 0.0, 0.0), DVec3::ZERO, 2.0), None);
}

#[test]
fn what_would_touch_after_the_step_does_not_touch_in_it() {
    let way = dvec3(1.0, 0.0, 0.0);
    assert_eq!(spheres(dvec3(-3.0, 0.0, 0.0), way, 2.0), Some(1.0));
    assert_eq!(spheres(dvec3(-3.5, 0.0, 0.0), way, 2.0), None);
}

#[test]
fn a_moving_sphere_meets_a_resting_one_as_if_both_had_moved() {
    let both = spheres(dvec3(-5.0, 1.0, 0.0), dvec3(8.0, 0.0, 0.0), 2.0);
    let shifted = dvec3(3.0, 1.0, -2.0);
    let way = (dvec3(8.0, 0.0, 0.0) + shifted) - shifted;
    assert_eq!(both, spheres(dvec3(-5.0, 1.0, 0.0), way, 2.0));
}

#[test]
fn at_the_time_of_impact_the_centres_are_the_radii_apart() {
    // Article E: AE/AB = CF/CD = t, and |EF| = R₁ + R₂.
    let (a, b, c, d) = (
        dvec3(-3.0, 0.2, 0.1),
        dvec3(4.0, 1.0, -0.5),
        dvec3(2.0, 1.0, 0.3),
        dvec3(-5.0, -0.4, 0.0),
    );
    let t = spheres(a - c, (b - a) - (d - c), 1.1).unwrap();
    near(a.lerp(b, t).distance(c.lerp(d, t)), 1.1, 1e-14);
    assert!(t > 0.0 && t < 1.0);
}

#[test]
fn under_common_gravity_the_straight_paths_are_exact() {
    // Two parabolas under one gravity: ΔS + ΔV t = R₁ + R₂ has no t². One step is as good as many.
    let meet = |dt: f64| {
        let parts = "balls: [
            (at: (0, 0, 0), radius: 0.25, velocity: (2, 5, 0), surface: (restitution: 1, friction: 0)),
            (at: (3, 0, 0), radius: 0.25, velocity: (-2, 5, 0), surface: (restitution: 1, friction: 0))]";
        let settings = format!("dt: {dt}, contact: Swept(rest: false)");
        let mut balls = simulation(parts, &settings);
        run(&mut balls, 1.0);
        balls.state().clone()
    };
    let (one, many) = (meet(1.0), meet(1e-3));
    // They touch at 2.5/4 s and are back where they were after twice that time.
    near(one.x[0].x, 2.0 * 0.625 - 2.0 * 0.375, 1e-14);
    near(one.x[0].x, many.x[0].x, 1e-12);
    near(one.x[1].y, many.x[1].y, 1e-12);
}

#[test]
fn unequal_accelerations_miss_the_time_of_impact_by_no_more_than_the_chord() {
    // S₀ + V₀ t − g t²/2 = r, t = (V₀ + √(V₀² + 2 g (S₀ − r)))/g; the chord of the parabola is
    // off by at most g T²/8 of height.
    let step = 0.1_f64;
    let (height, speed) = (1.2, -2.0);
    let fall = G * step * step / 2.0;
    let mut worst = 0.0_f64;
    let (mut y, mut v) = (height, speed);
    while y > 0.1 {
        let next = y + v * step - fall;
        if next <= 0.1 {
            let chord = step * (y - 0.1) / (y - next);
            worst = (y + v * chord - G * chord * chord / 2.0 - 0.1).abs();
            let exact = (v + (v * v + 2.0 * G * (y - 0.1)).sqrt()) / G;
            assert!(exact >= chord, "the parabola lies above its chord");
        }
        (y, v) = (next, v - G * step);
    }
    assert!(worst > 0.0 && worst <= G * step * step / 8.0);
    // The simulation turns the ball round where the chord says.
    let parts = "balls: [(at: (0, 1.2, 0), radius: 0.1, velocity: (0, -2, 0),
        surface: (restitution: 1, friction: 0))], colliders: [(shape: Plane())]";
    let mut ball = simulation(parts, "integrator: VelocityVerlet, dt: 0.1");
    run(&mut ball, 0.4);
    let mut expected = (height, speed);
    for _ in 0..4 {
        let (y, v) = expected;
        let way = v * step - fall;
        let (mut next, mut w) = (y + way, v - G * step);
        if next < 0.1 {
            next = 0.1 + (0.1 - next);
            w -= 2.0 * way / step;
        }
        expected = (next, w);
    }
    near(ball.state().x[0].y, expected.0, 1e-12);
    near(ball.state().v[0].y, expected.1, 1e-12);
}

#[test]
fn balls_leave_a_collision_with_the_speeds_of_impulse_and_restitution() {
    let after = |masses: [f64; 2], speeds: [f64; 2], restitution: f64| {
        let ball = |x: f64, k: usize| {
            format!(
                "(at: ({x}, 0, 0), mass: {}, velocity: ({}, 0, 0),
                  surface: (restitution: {restitution}, friction: 0))",
                masses[k], speeds[k]
            )
        };
        let parts = format!("balls: [{}, {}], forces: []", ball(-0.5, 0), ball(0.5, 1));
        let mut balls = simulation(&parts, "dt: 0.01");
        run(&mut balls, 2.0);
        [balls.state().v[0].x, balls.state().v[1].x]
    };
    for (found, expected) in [
        (after([1.0, 3.0], [1.0, 0.0], 1.0), [-0.5, 0.5]),
        (after([2.0, 1.0], [3.0, -1.0], 0.5), [1.0, 3.0]),
    ] {
        near(found[0], expected[0], 1e-14);
        near(found[1], expected[1], 1e-14);
    }
}

#[test]
fn what_is_left_after_the_last_event_stops_before_it_touches_and_is_counted() {
    let parts =
        "balls: [(at: (-1, 0.2, -1), count: (5, 3, 5), spacing: (0.4, 0.4, 0.4), jitter: 0.05,
        speed: 5)], colliders: [(shape: Plane())]";
    let left = |most: u32| {
        let settings = format!("dt: 0.01, contact: Swept(most_events: {most})");
        let mut balls = simulation(parts, &settings);
        run(&mut balls, 1.0);
        assert!(balls.contact().deepest_overlap < 1e-9, "{:?}", balls.contact());
        balls.contact().left_over
    };
    assert!(left(0) > left(1) && left(1) > 0);
    assert_eq!(left(1000), 0);
}

#[test]
fn all_pairs_are_n_times_n_minus_1_halves() {
    let parts = "balls: [(at: (0, 0, 0), count: (4, 4, 4), spacing: (1, 1, 1))], forces: []";
    let tested = |search: &str| {
        let settings = format!("dt: 0.01, contact: Swept(pairs: {search})");
        let mut balls = simulation(parts, &settings);
        balls.step(0.01);
        balls.contact().pairs_tested
    };
    assert_eq!(tested("AllPairs"), 64 * 63 / 2);
    assert_eq!(tested("Grid"), 0);
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
fn a_rope_falls_on_a_drum_and_a_cloth_on_a_ball_and_neither_goes_through() {
    let things = [
        "ropes: [(from: (-1, 1, 0), to: (1, 1.2, 0))],
         colliders: [(shape: Cylinder(radius: 0.3, length: 1, along: (0, 0, 1)))]",
        "cloths: [(corner: (-0.5, 0.8, -0.5), across: (1, 0, 0), down: (0, 0, 1), cells: (8, 8))],
         colliders: [(shape: Sphere(radius: 0.3)), (shape: Plane(), at: (0, -0.5, 0))]",
    ];
    let settings = [
        "integrator: SymplecticEuler, dt: 0.001",
        "constraints: Relaxation(iterations: 5), dt: 0.005",
        "constraints: Xpbd(iterations: 5), dt: 0.005",
        "constraints: Shake(max_iterations: 50), dt: 0.005",
    ];
    for (parts, settings) in things.iter().flat_map(|p| settings.iter().map(move |s| (p, s))) {
        let mut lane = simulation(parts, settings);
        run(&mut lane, 1.0);
        let contact = lane.contact();
        assert!(contact.deepest_overlap < 1e-9, "{settings}: {contact:?}");
        let lowest = lane.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.3, "{settings}: it has fallen to {lowest}");
    }
}

#[test]
fn of_two_ropes_round_a_drum_the_one_below_the_capstan_limit_holds_and_the_other_slips() {
    // Π (1 + μ tan δ/2)/(1 − μ tan δ/2) = 2.581553435 for 12 beads, μ = 0.3, half a turn.
    let scene = library::find("capstan").unwrap().load().unwrap();
    let mut drum = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    run(&mut drum, 1.0);
    let before = drum.state().x.clone();
    run(&mut drum, 0.5);
    let moved = |beads: std::ops::Range<usize>| {
        beads.map(|i| drum.state().x[i].distance(before[i])).fold(0.0, f64::max)
    };
    assert!(moved(10..23) < 1e-9, "below the limit: {}", moved(10..23));
    assert!(moved(36..49) > 1e-3, "beyond the limit: {}", moved(36..49));
}

#[test]
fn a_cloth_that_falls_on_a_ball_stays_outside() {
    let scene = library::find("cloth-on-a-ball").unwrap().load().unwrap();
    let mut cloth = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    run(&mut cloth, 1.5);
    assert!(cloth.contact().deepest_overlap < 1e-9, "{:?}", cloth.contact());
    let highest = cloth.state().x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    near(highest, 0.618, 0.01);
}

/// A free cloth of some kilograms and a ball that flies at it, without gravity.
fn ball_at_cloth(ball: &str, density: f64, settings: &str) -> Simulation {
    let parts = format!(
        "balls: [({ball})],
         materials: [Cloth(name: \"c\", areal_density: {density}, rigid: true)],
         cloths: [(corner: (-0.5, 0, -0.5), across: (1, 0, 0), down: (0, 0, 1), cells: (10, 10),
                   material: \"c\")],
         forces: []"
    );
    simulation(&parts, settings)
}

fn momentum(simulation: &Simulation) -> DVec3 {
    let masses = &simulation.parts().mesh.masses;
    masses.iter().zip(&simulation.state().v).map(|(m, v)| *m * *v).sum()
}

#[test]
fn a_ball_and_a_cloth_push_each_other_and_keep_their_momentum() {
    let settings = [
        "integrator: SymplecticEuler, dt: 0.0005",
        "constraints: Xpbd(iterations: 1), dt: 0.002",
        "constraints: Relaxation(iterations: 5), dt: 0.002",
        "constraints: Shake(max_iterations: 20), dt: 0.002",
    ];
    for settings in settings {
        for (mass, density) in [(1.0, 1.0), (1000.0, 1.0), (1.0, 1000.0)] {
            let ball = format!("at: (0.03, 0.3, 0.02), mass: {mass}, velocity: (0.2, -2, 0.1)");
            let mut lane = ball_at_cloth(&ball, density, settings);
            let before = momentum(&lane);
            run(&mut lane, 0.2);
            let change = (momentum(&lane) - before).length();
            // Velocities follow from positions, which are known to ε: m ε/h, at random each step.
            let total: f64 = lane.parts().mesh.masses.iter().sum();
            let (h, steps) = (lane.settings().dt, 0.2 / lane.settings().dt);
            let rounding = total * f64::EPSILON / h * steps.sqrt();
            assert!(
                change < 1e-12 * before.length() + rounding,
                "{settings}, {mass} kg: {change:e} {rounding:e}"
            );
            let slower = lane.state().v[0].y;
            assert!(slower > -2.0 + 1e-5, "{settings}, {mass} kg: the cloth pushes back, {slower}");
            let fastest = lane.state().v[1..].iter().map(|v| v.length()).fold(0.0, f64::max);
            assert!(fastest > 1e-4, "{settings}, {mass} kg: the ball pushes the cloth");
        }
    }
}

/// How often a ray straight down from a place meets the cloth, or the plane y = 0 around it.
fn sheets_below(at: DVec3, lane: &Simulation) -> usize {
    let x = &lane.state().x;
    let mut count = 0;
    lane.model().topology().faces().for_each(|triangle| {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        let side = |p: DVec3, q: DVec3| (q.x - p.x) * (at.z - p.z) - (q.z - p.z) * (at.x - p.x);
        let sides = [side(b, c), side(c, a), side(a, b)];
        if sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0) {
            let total: f64 = sides.iter().sum();
            let height = (a.y * sides[0] + b.y * sides[1] + c.y * sides[2]) / total;
            count += usize::from(height < at.y);
        }
    });
    let is_outside = at.x.abs() > 0.5 || at.z.abs() > 0.5;
    count + usize::from(is_outside && at.y > 0.0)
}

#[test]
fn of_ten_thousand_fast_balls_none_passes_a_cloth() {
    let (mut stopped, mut balls) = (0, 0);
    for seed in 0..400 {
        // 25 balls of 1 to 3 cm, 5 to 200 m/s: up to 40 cm, four cells, in a substep. They meet the
        // cloth in the first few.
        let (radius, speed) = (0.01 + 5e-5 * f64::from(seed), 5.0 + 0.49 * f64::from(seed));
        let height = 0.04 + radius + 0.006 * speed;
        let parts = format!(
            "balls: [(at: (-0.32, {height}, -0.32), radius: {radius}, mass: 0.002, count: (5, 1, 5),
                      spacing: (0.16, 0.1, 0.16), jitter: 0.03, velocity: (0, -{speed}, 0),
                      speed: {}, seed: {seed}, surface: (restitution: 0))],
             cloths: [(name: \"c\", corner: (-0.5, 0, -0.5), across: (1, 0, 0), down: (0, 0, 1),
                       cells: (10, 10), material: \"c\")],
             materials: [Cloth(name: \"c\", areal_density: 0.3, rigid: true)],
             pins: [(of: Any([Edge(\"c\", Top), Edge(\"c\", Bottom), Edge(\"c\", Left),
                              Edge(\"c\", Right)]))]",
            0.3 * speed
        );
        let settings = "constraints: Xpbd(iterations: 1), dt: 0.002";
        let mut lane = simulation(&parts, settings);
        let mut around = [false; 25];
        for step in 0..12 {
            lane.step(0.002);
            for (i, around) in around.iter_mut().enumerate() {
                let at = lane.state().x[i];
                let is_above = sheets_below(at, &lane) % 2 == 1;
                if !is_above && (at.x.abs() > 0.45 || at.z.abs() > 0.45) {
                    *around = true;
                }
                assert!(is_above || *around, "ball {i} of {seed} at {at} after step {step}");
            }
        }
        let met = |i: &usize| lane.state().v[*i].y > -0.5 * speed && !around[*i];
        stopped += (0..25).filter(met).count();
        balls += 25;
    }
    assert_eq!(balls, 10_000);
    assert!(stopped > 8000, "{stopped} balls have met the cloth");
}

/// The first lane of a scene of the library under its settings, after some seconds.
pub fn played(scene: &str, lane: usize, seconds: f64) -> Simulation {
    let scene = library::find(scene).unwrap().load().unwrap();
    let mut simulation = Simulation::new(scene.parts.clone(), scene.lanes[lane].settings);
    run(&mut simulation, seconds);
    simulation
}

#[test]
fn a_net_catches_balls_which_gather_in_its_hollow_and_rest() {
    let net = played("balls-in-a-net", 0, 6.0);
    for (x, v) in net.state().x[..3].iter().zip(&net.state().v) {
        assert!(x.x.hypot(x.z) < 0.25 && x.y > 1.0 && x.y < 1.4, "{x}");
        assert!(v.length() < 0.05, "{v}");
    }
}

#[test]
fn a_curtain_stops_the_balls_that_fly_at_it() {
    let curtain = played("curtain", 0, 1.0);
    for ball in 0..3 {
        let [at, v] = [curtain.state().x[ball], curtain.state().v[ball]];
        assert!(at.z > -0.8 && v.z > -2.0, "ball {ball} at {at}, {v}");
    }
    assert!(curtain.contact().deepest_overlap < 0.02, "{:?}", curtain.contact());
}

#[test]
fn a_bullet_is_caught_swept_and_passes_discrete() {
    let z = |lane: usize| played("bullet-and-cloth", lane, 0.2).state().x[0].z;
    assert!(z(0) > 0.0, "swept: {}", z(0));
    assert!(z(1) < -5.0, "discrete: {}", z(1));
    // The guarantee keeps nine tenths of the ball's 3 cm before the cloth.
    let deepest = played("bullet-and-cloth", 0, 0.5).contact().deepest_overlap;
    assert!(deepest < 0.15 * 0.03, "{deepest}");
}

#[test]
fn a_contact_that_does_not_push_makes_no_bend_stiffer() {
    // A clamped rod of rigid links sinks from 1 mm above a table's side that it never reaches.
    let sunk = |contact: &str| {
        let parts = r#"materials: [Rope(name: "rod", mass_per_metre: 0.1, stiffness: 1e5,
                rigid: true, flexural_rigidity: 0.05, radius: 0.01)],
            ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 10, material: "rod")],
            pins: [(of: Particle(0)), (of: Particle(1))],
            colliders: [(shape: Plane(normal: (0, 0, 1)), at: (0, 0, -0.011))]"#;
        let settings = format!(
            "integrator: SymplecticEuler, links: Constraints, constraints: Xpbd(iterations: 20),
                dt: 0.005, contact: {contact}"
        );
        let mut rod = simulation(parts, &settings);
        (0..40).for_each(|_| rod.step(0.005));
        rod.state().x[10].y
    };
    let (free, beside) = (sunk("Off"), sunk("Swept()"));
    assert!(free < -0.1, "{free}");
    near(beside, free, 1e-12);
}

#[test]
fn overlaps_at_the_start_are_told_and_go_slowly_without_a_bang() {
    let parts = "balls: [(at: (0, 0, 0), radius: 0.1), (at: (0.15, 0, 0), radius: 0.1),
        (at: (3, 0.07, 0), radius: 0.1)], colliders: [(shape: Plane(), at: (0, -0.1, 0)),
        (shape: Box(size: (0.4, 0.2, 0.4)), at: (3, -0.1, 0))]";
    for forces in ["", ", forces: []"] {
        let mut balls =
            simulation(&format!("{parts}{forces}"), "integrator: SymplecticEuler, dt: 0.01");
        let start = balls.parts().clone();
        let overlaps = InitialOverlaps::find(&start.contact, &start.mesh.positions).unwrap();
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

#[test]
fn ropes_and_cloths_that_begin_inside_a_collider_are_told() {
    let told = |parts: &str| {
        let lane = simulation(parts, "dt: 0.01");
        let (contact, x) = (&lane.parts().contact, &lane.parts().mesh.positions);
        InitialOverlaps::find(contact, x).map(|overlaps| (overlaps.count, overlaps.to_string()))
    };
    let rope = "ropes: [(from: (-1, 0.05, 0), to: (1, 0.05, 0), segments: 10)]";
    let (count, text) =
        told(&format!("{rope}, colliders: [(shape: Sphere(radius: 0.3))]")).unwrap();
    assert_eq!(count, 3);
    assert!(text.contains("particle 5 and collider 0"), "{text}");
    let cloth = "cloths: [(corner: (-0.5, -0.02, -0.5), across: (1, 0, 0), down: (0, 0, 1),
        cells: (4, 4))]";
    let (count, _) = told(&format!("{cloth}, colliders: [(shape: Plane())]")).unwrap();
    assert_eq!(count, 25);
    let above = cloth.replace("-0.02", "0.3");
    assert_eq!(told(&format!("{above}, colliders: [(shape: Plane())]")), None);
}

/// The least distance of any place on the cloth's triangles and the rope's links from the first
/// collider, in metres.
fn nearest_to_collider(lane: &Simulation) -> f64 {
    let (x, collider) = (&lane.state().x, &lane.parts().contact.colliders[0]);
    let mut least = f64::INFINITY;
    let mut see = |p: DVec3| {
        least = least.min(collider.shape.distance(p - collider.at(lane.state().t)).0);
    };
    let parts = 12;
    lane.model().topology().faces().for_each(|triangle| {
        let [a, b, c] = triangle.map(|i| x[i as usize]);
        for (i, j) in (0..=parts).flat_map(|i| (0..=parts - i).map(move |j| (i, j))) {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(parts));
            see(a + (b - a) * u + (c - a) * v);
        }
    });
    for rope in &lane.parts().mesh.ropes {
        for link in rope.particles.windows(2) {
            let [a, b] = [link[0], link[1]].map(|i| x[i as usize]);
            (0..=40).for_each(|k| see(a.lerp(b, f64::from(k) / 40.0)));
        }
    }
    least
}

#[test]
fn nothing_pokes_through_between_the_particles_of_ropes_and_cloths() {
    let cloth = "cloths: [(corner: (-0.55, 0.45, -0.6), across: (1.2, 0, 0), down: (0, 0, 1.2),
        cells: (4, 4))]";
    let rope = "ropes: [(from: (-0.6, 0.45, 0.01), to: (0.7, 0.45, 0.02), segments: 4)],
        surfaces: [(of: All, radius: 0)]";
    let shapes = [
        "Sphere(radius: 0.04)",
        "Box(size: (0.3, 0.3, 0.3), turned: (10, 20, 45))",
        "Capsule(radius: 0.03, length: 0.3, along: (0, 1, 0.3))",
        "Cylinder(radius: 0.1, length: 0.3, along: (0.2, 1, 0))",
        "Cylinder(radius: 0.03, length: 2, along: (0.1, 0, 1))",
    ];
    let settings = [
        "integrator: SymplecticEuler, dt: 0.001",
        "constraints: Xpbd(iterations: 3), dt: 0.005",
        "constraints: Shake(max_iterations: 50), dt: 0.005",
    ];
    for (body, shape) in [cloth, rope].iter().flat_map(|b| shapes.map(|s| (*b, s))) {
        for settings in settings {
            let parts = format!("{body}, colliders: [(shape: {shape}, surface: (friction: 1))]");
            let mut lane = simulation(&parts, settings);
            let dt = lane.settings().dt;
            let mut touched = f64::INFINITY;
            for step in 0..(0.5 / dt) as u32 {
                lane.step(dt);
                if step % 10 > 0 {
                    continue;
                }
                let gap = nearest_to_collider(&lane);
                touched = touched.min(gap);
                assert!(gap > -1e-9, "{shape} pokes {gap:e} m through {body}, {settings}, {step}");
            }
            assert!(touched < 5e-3, "{shape} was not touched by {body}: {touched}");
            assert_eq!(lane.explosion(), None);
        }
    }
}

#[test]
fn linked_rings_stay_linked_and_come_apart_without_contact() {
    let scene = library::find("linked-rings").unwrap().load().unwrap();
    let number = |lane: &Simulation| {
        let (one, other) = lane.state().x[..40].split_at(20);
        ropelab::measure::linking_number(one, other).abs()
    };
    let lane = |k: usize| Simulation::new(scene.parts.clone(), scene.lanes[k].settings);
    let [mut held, mut free] = [lane(0), lane(1)];
    near(number(&held), 1.0, 1e-9);
    let mut came_apart = false;
    // 10⁵ substeps.
    for step in 0..12_500 {
        held.step(1.0 / 120.0);
        if !came_apart {
            free.step(1.0 / 120.0);
        }
        assert!((number(&held) - 1.0).abs() < 1e-9, "{} after step {step}", number(&held));
        came_apart |= number(&free) < 0.5;
    }
    assert_eq!(held.explosion(), None);
    assert!(came_apart);
}

/// Whether a segment goes through a triangle: where it meets the plane lies within. Of what lies in one
/// plane rounding says on which side an end is, but not that it is within.
pub fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let normal = (b - a).cross(c - a);
    let [above, below] = [p, q].map(|end| (end - a).dot(normal));
    if above * below >= 0.0 {
        return false;
    }
    let at = p + (q - p) * (above / (above - below));
    [[a, b], [b, c], [c, a]].iter().all(|[a, b]| (*b - *a).cross(at - *a).dot(normal) > 0.0)
}

/// How many sides of triangles cross a triangle that does not hang together with them: whose
/// particles were more than 12 cm, three cells, away at the start.
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

#[test]
fn a_towel_that_folds_does_not_pass_itself_and_lies_still() {
    let scene = library::find("folded-towel").unwrap().load().unwrap();
    let lane = |k: usize| Simulation::new(scene.parts.clone(), scene.lanes[k].settings);
    let [mut towel, mut ghost] = [lane(0), lane(1)];
    for _ in 0..15 {
        run(&mut towel, 0.2);
        assert_eq!(crossings(&towel), 0, "after {} s", towel.state().t);
    }
    run(&mut ghost, 3.0);
    let highest =
        |lane: &Simulation| lane.state().x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    // The radius of one layer is 8 mm.
    assert!(highest(&towel) > 0.02, "it lies in layers: {}", highest(&towel));
    assert!(crossings(&ghost) > 0, "its folds go through each other");
    let fastest = towel.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{fastest} m/s");
}
