use super::*;
use crate::contact::bodies::layer::Layer;
use crate::contact::bodies::properties::ContactProperties;
use crate::contact::bodies::surface::Surface;
use crate::contact::shape::Capsule;
use crate::contact::shape::Cuboid;
use crate::contact::shape::Plane;
use crate::contact::shape::Shape;
use glam::dvec3;
use ropelab_mechanics::numerics::random::Random;

fn ball(x: DVec3, displacement: DVec3, radius: f64, surface: Surface) -> Ball {
    let properties = ContactProperties { radius, surface, layer: Layer::default() };
    Ball::new(0, [x, displacement, displacement, DVec3::ZERO], 1.0, properties)
}

fn smooth(restitution: f64) -> Surface {
    Surface { restitution, static_friction: 0.0, friction: 0.0 }
}

/// Parameters of a step of 1 s without colliders.
fn rules(most_events: u32, search: PairSearch) -> Rules<'static> {
    Rules { h: 1.0, most_events, search, resting_speed: 0.0, obstacles: Obstacles::among(&[], &[]) }
}

fn run(balls: Vec<Ball>, rules: &Rules) -> (Vec<Ball>, ContactReport) {
    let mut events = EventLoop {
        half_accelerations: vec![DVec3::ZERO; balls.len()],
        balls,
        ..EventLoop::default()
    };
    let mut report = ContactReport::default();
    assert_eq!(events.run(rules, &Resting::default(), &mut report), Ok(()));
    let end = |ball: &Ball| Ball { x: ball.at(1.0), ..*ball };
    (events.balls.iter().map(end).collect(), report)
}

#[test]
fn equal_balls_that_meet_head_on_change_ways_at_the_time_of_impact() {
    let balls = vec![
        ball(DVec3::ZERO, dvec3(10.0, 0.0, 0.0), 1.0, smooth(1.0)),
        ball(dvec3(10.0, 0.0, 0.0), dvec3(-10.0, 0.0, 0.0), 1.0, smooth(1.0)),
    ];
    // The balls touch at t = 0.4 at x = 4 and 6, and end at 4 − 6 and 6 + 6.
    let (balls, report) = run(balls, &rules(10, PairSearch::Grid));
    assert_eq!([balls[0].x.x, balls[1].x.x], [-2.0, 12.0]);
    assert_eq!([balls[0].v.x, balls[1].v.x], [-10.0, 10.0]);
    assert_eq!(report.events, 1);
}

fn cradle(restitution: f64) -> (Vec<f64>, u64) {
    let radius = 0.5;
    let row = (0..5).map(|i| {
        let x = f64::from(i) * (2.0 * radius + 0.01 * radius);
        let v = if i == 0 { 1.0 } else { 0.0 };
        ball(dvec3(x, 0.0, 0.0), dvec3(v, 0.0, 0.0), radius, smooth(restitution))
    });
    let (balls, report) = run(row.collect(), &rules(100, PairSearch::Grid));
    (balls.iter().map(|ball| ball.v.x).collect(), report.events)
}

#[test]
fn a_cradle_hands_its_speed_from_ball_to_ball() {
    assert_eq!(cradle(1.0), (vec![0.0, 0.0, 0.0, 0.0, 1.0], 4));
    let (v, _) = cradle(0.9);
    // Each of the four collisions passes on the fraction (1 + e)/2 of the speed, so the last ball
    // gets ((1 + e)/2)⁴ of 1 m/s.
    assert!((v[4] - 0.81450625).abs() < 1e-15, "{v:?}");
}

#[test]
fn three_balls_in_a_row_collapse_below_the_published_restitution() {
    let events = |restitution| {
        let row = [(0.0, 1.0), (1.01, 0.0), (2.02, -1.0)];
        let ball = |(x, v)| ball(dvec3(x, 0.0, 0.0), dvec3(v, 0.0, 0.0), 0.5, smooth(restitution));
        run(row.map(ball).to_vec(), &rules(10_000, PairSearch::Grid)).1.events
    };
    assert_eq!(events(0.3), 4);
    let critical = 7.0 - 4.0 * 3f64.sqrt();
    assert!(events(critical + 0.001) < 30, "{}", events(critical + 0.001));
    // Below the critical restitution the collisions would never end, except for rounding.
    assert!(events(critical - 0.001) > 30, "{}", events(critical - 0.001));
}

/// Simulates balls in a box of colliders, on a regular lattice with pseudorandom velocities.
fn gas(
    count: usize,
    search: PairSearch,
    most_events: u32,
    steps: usize,
) -> (Vec<Ball>, ContactReport) {
    let wall = |normal: DVec3| {
        Collider::still(Shape::Plane(Plane { normal }), DVec3::ONE - normal, smooth(1.0))
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let colliders: Vec<Collider> = axes.iter().flat_map(|a| [wall(*a), wall(-*a)]).collect();
    let placed: Vec<Placed> = colliders
        .iter()
        .map(|collider| Placed { start: collider.centre, displacement: DVec3::ZERO })
        .collect();
    let mut random = Random::new(1);
    let side = (count as f64).cbrt().ceil() as usize;
    let balls = (0..count).map(|k| {
        let at = [k % side, k / side % side, k / side / side];
        let x = DVec3::from(at.map(|i| (i as f64 + 0.5) * 2.0 / side as f64));
        ball(x, random.point(0.1), 0.35 / side as f64, smooth(1.0))
    });
    let half_accelerations = vec![DVec3::ZERO; count];
    let mut events =
        EventLoop { balls: balls.collect(), half_accelerations, ..EventLoop::default() };
    let mut report = ContactReport::default();
    let rules =
        Rules { most_events, obstacles: Obstacles::among(&colliders, &placed), ..rules(0, search) };
    let mut walls = DVec3::ZERO;
    let before: DVec3 = events.balls.iter().map(|ball| ball.v).sum();
    for _ in 0..steps {
        events.contact_forces.clear();
        assert_eq!(events.run(&rules, &Resting::default(), &mut report), Ok(()));
        let at_walls = events.contact_forces.iter().filter(|force| force.collider.is_some());
        walls += at_walls.map(|force| force.force).sum::<DVec3>();
        for ball in &mut events.balls {
            *ball = Ball { x: ball.at(1.0), displacement: ball.v, since: 0.0, version: 0, ..*ball };
        }
        report.deepest_overlap = report.deepest_overlap.max(deepest(&events.balls));
    }
    // Steps last 1 s and masses are 1 kg, so forces are changes of momentum. Rounding errors add up
    // to less than 1e-12 of the momentum that was exchanged.
    let after: DVec3 = events.balls.iter().map(|ball| ball.v).sum();
    let handed_over = report.events as f64 + 1.0;
    assert!(
        (after - before - walls).length() < 1e-12 * handed_over,
        "momentum {before} before, {after} after, {walls} by walls"
    );
    (events.balls, report)
}

fn deepest(balls: &[Ball]) -> f64 {
    let overlap =
        |a: &Ball, b: &Ball| a.properties.radius + b.properties.radius - a.x.distance(b.x);
    let pairs = balls.iter().enumerate().flat_map(|(i, a)| balls[..i].iter().map(move |b| (a, b)));
    let between = pairs.map(|(a, b)| overlap(a, b));
    let walls = balls.iter().map(|ball| {
        let inside = (DVec3::ONE - (ball.x - DVec3::ONE).abs()).min_element();
        ball.properties.radius - inside
    });
    between.chain(walls).fold(0.0, f64::max)
}

#[test]
fn a_hundred_thousand_events_keep_the_energy_and_nothing_overlaps() {
    let energy = |balls: &[Ball]| balls.iter().map(|ball| ball.v.length_squared()).sum::<f64>();
    let (start, _) = gas(200, PairSearch::Grid, 100_000, 0);
    let (balls, report) = gas(200, PairSearch::Grid, 100_000, 4000);
    assert!(report.events > 100_000, "{}", report.events);
    assert_eq!(report.left_over, 0);
    assert!(report.deepest_overlap < 1e-9, "{}", report.deepest_overlap);
    let (before, after) = (energy(&start), energy(&balls));
    assert!((after - before).abs() < 1e-12 * before, "energy {before} before, {after} after");
}

#[test]
fn events_keep_the_momentum_of_balls_without_walls() {
    let momentum = |balls: &[Ball]| balls.iter().map(|ball| ball.v).sum::<DVec3>();
    let (mut balls, _) = gas(200, PairSearch::Grid, 0, 0);
    for ball in &mut balls {
        ball.displacement = (DVec3::ONE - ball.x) * 0.9 + ball.v;
        ball.v = ball.displacement;
        ball.properties.surface = Surface { restitution: 0.5, static_friction: 0.4, friction: 0.3 };
    }
    let before = momentum(&balls);
    let (balls, report) = run(balls, &rules(100_000, PairSearch::Grid));
    assert!(report.events > 500, "{}", report.events);
    let scale: f64 = balls.iter().map(|ball| ball.v.length()).sum();
    assert!((momentum(&balls) - before).length() < 1e-12 * scale);
}

#[test]
fn the_grid_and_all_pairs_lead_to_the_same_bits() {
    let bits = |search| {
        let (balls, report) = gas(60, search, 10_000, 50);
        (balls.iter().map(|ball| ball.x.to_array().map(f64::to_bits)).collect::<Vec<_>>(), report)
    };
    let (grid, all) = (bits(PairSearch::Grid), bits(PairSearch::AllPairs));
    assert_eq!(grid.0, all.0);
    assert_eq!(grid.1.events, all.1.events);
    assert!(4 * grid.1.pairs_tested < 3 * all.1.pairs_tested);
}

#[test]
fn what_is_left_after_the_last_event_stops_before_it_touches_and_is_counted() {
    for most_events in [0, 1, 5, 20] {
        let (_, report) = gas(200, PairSearch::Grid, most_events, 100);
        assert!(report.left_over > 0);
        assert!(
            report.deepest_overlap < 1e-9,
            "{most_events} events: overlap {} m",
            report.deepest_overlap
        );
    }
}

#[test]
fn a_ball_on_a_smooth_floor_bounces_to_the_published_height() {
    // There is no gravity: the ball falls 0.5 m at 2 m/s, then rises at e · 2 = 1 m/s for 0.75 s.
    let floor = Shape::Plane(Plane { normal: DVec3::Y });
    let colliders = [Collider::still(floor, DVec3::ZERO, smooth(0.5))];
    let placed = [Placed { start: DVec3::ZERO, displacement: DVec3::ZERO }];
    let rules =
        Rules { obstacles: Obstacles::among(&colliders, &placed), ..rules(9, PairSearch::Grid) };
    let falling = ball(dvec3(0.0, 1.5, 0.0), dvec3(0.25, -2.0, 0.0), 1.0, smooth(0.0));
    let (balls, _) = run(vec![falling], &rules);
    assert_eq!(balls[0].x, dvec3(0.25, 1.0 + 0.75, 0.0));
    assert_eq!(balls[0].v, dvec3(0.25, 1.0, 0.0));
}

#[test]
fn of_ten_thousand_fast_balls_none_is_on_the_far_side_of_a_floor_a_box_or_a_capsule() {
    let shapes = [
        Shape::Plane(Plane { normal: DVec3::Y }),
        Shape::Cuboid(Cuboid::new(dvec3(0.6, 0.02, 0.4), dvec3(10.0, 20.0, 30.0))),
        Shape::Capsule(Capsule { axis: DVec3::X, half: 0.5, radius: 0.05 }),
    ];
    let mut random = Random::new(7);
    let mut hits = 0;
    for k in 0..10_000 {
        let shape = shapes[k % shapes.len()].clone();
        let radius = random.between(0.01, 0.03);
        // The path comes from above, passes `aim` in or near the body, and is up to 200 m long.
        let aim = dvec3(random.between(-0.4, 0.4), 0.0, random.between(-0.02, 0.02));
        let direction = random.point(0.5).with_y(random.between(-1.0, -0.5));
        let displacement = direction * random.between(10.0, 200.0);
        let start = aim - displacement * random.between(0.2, 0.8);
        if shape.distance(start).0 < radius {
            continue;
        }
        let collider = Collider::still(shape.clone(), DVec3::ZERO, smooth(0.5));
        let (colliders, placed) =
            ([collider], [Placed { start: DVec3::ZERO, displacement: DVec3::ZERO }]);
        let rules = Rules {
            obstacles: Obstacles::among(&colliders, &placed),
            ..rules(100, PairSearch::Grid)
        };
        let flying = ball(start, displacement, radius, smooth(0.5));
        let through = shape.distance(aim).0 < radius - 1e-6;
        let (balls, report) = run(vec![flying], &rules);
        let gap = shape.distance(balls[0].x).0 - radius;
        assert!(gap > -1e-9, "{k}: {gap} m inside");
        if through {
            hits += 1;
            assert!(report.events > 0, "{k}: passed unseen");
            // The ball left on the side on which it arrived, so it no longer moves towards the
            // body.
            let turned = balls[0].v.dot(shape.distance(balls[0].x).1);
            assert!(turned > -1e-9, "{k}: {turned} m/s towards the body");
        }
    }
    assert!(hits > 6000, "{hits}");
}
