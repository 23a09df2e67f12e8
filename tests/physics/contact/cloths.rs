//! Ropes and cloths in contact with balls, with colliders and with themselves.

use super::{crossings, played};
use super::{near, run, simulation};
use crate::support::is_long;
use glam::DVec3;
use ropelab::contact::{ContactMethod, InitialOverlaps};
use ropelab::scene::library;
use ropelab::simulation::Simulation;

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
    // Capstan equation of a polygonal rope: the ratio of tensions is Π (1 + μ tan δ/2)/(1 − μ tan
    // δ/2) = 2.581553435 for 12 beads of turn δ, μ = 0.3 and half a turn.
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

/// A free cloth of a few kilograms and a ball that flies towards it, without gravity.
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
            // Velocities are computed from positions with the rounding error ε, which changes the
            // momentum by a random m ε/h in each step.
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

/// Number of intersections of a ray straight down from `at` with the cloth, or with the plane y = 0
/// outside the cloth.
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
fn of_thousands_of_fast_balls_none_passes_a_cloth() {
    let (mut stopped, mut balls) = (0, 0);
    for seed in (0..400).step_by(if is_long() { 1 } else { 4 }) {
        // 25 balls with radii of 1 to 3 cm and speeds of 5 to 200 m/s, i.e. up to 40 cm (four cells
        // of the cloth) per substep. They reach the cloth in the first few substeps.
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
    assert_eq!(balls, if is_long() { 10_000 } else { 2500 });
    assert!(stopped > balls / 5 * 4, "{stopped} balls have met the cloth");
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
    // The guarantee keeps the ball at nine tenths of its radius of 3 cm in front of the cloth.
    let deepest = played("bullet-and-cloth", 0, 0.5).contact().deepest_overlap;
    assert!(deepest < 0.15 * 0.03, "{deepest}");
}

#[test]
fn a_contact_that_does_not_push_makes_no_bend_stiffer() {
    // A clamped rod of rigid links sags beside a table, 1 mm away from its side, and never touches
    // it.
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
fn ropes_and_cloths_that_begin_inside_a_collider_are_told() {
    let told = |parts: &str| {
        let lane = simulation(parts, "dt: 0.01");
        let (contact, mesh) = (&lane.parts().contact, &lane.parts().mesh);
        let methods = [ContactMethod::default()];
        InitialOverlaps::find(contact, mesh, &methods)
            .map(|overlaps| (overlaps.count, overlaps.to_string()))
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

/// Smallest distance in metres from the first collider to any point of the cloth's triangles and
/// the rope's links.
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
    // 12,500 steps of 8 substeps, i.e. 10⁵ substeps.
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
    // A single layer is 8 mm thick.
    assert!(highest(&towel) > 0.02, "it lies in layers: {}", highest(&towel));
    assert!(crossings(&ghost) > 0, "its folds go through each other");
    let fastest = towel.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{fastest} m/s");
}
