//! Claims of the scenes about contact and friction, measured.

use super::{assert_near, first_reading, open_session, position_of, run, simulation_of};
use glam::DVec3;
use ropelab::measure::Phases;
use ropelab::session::Session;

#[test]
fn a_block_on_a_belt_sticks_and_slips_with_the_period_of_the_formula() {
    let mut session = open_session("stick-slip");
    let timed = session.scene().annotations.phases[0].clone();
    let mut phases = Phases::of(timed.velocity);
    let (mut before, mut crossed) = (0.0, Vec::new());
    // The spring balances kinetic friction at a stretch of 0.3 m g/k. At the start it is stretched
    // by 0.1 m g/k.
    let middle = (0.3 - 0.1) * 9.81 / 10.0;
    for step in 1..=7_000 {
        run(&mut session, 1000.0, 0.001);
        let now = position_of(&session.lanes()[0].simulation, 0).x;
        if before < middle && now >= middle {
            crossed.push(f64::from(step) * 0.001 - (now - middle) / 0.3);
        }
        before = now;
        // A window of 60 Hz observes the phases about every 17 ms.
        if step % 17 == 0 {
            let state = session.lanes()[0].simulation.state();
            phases.observe(state.t, state.v[timed.of as usize]);
        }
    }
    let (delta, omega, v) = ((0.5 - 0.3) * 9.81 / 10.0, 10f64.sqrt(), 0.3);
    let slip = 2.0 / omega * (std::f64::consts::PI - (delta * omega / v).atan());
    let [_, one, two] = crossed[..] else { panic!("crossed at {crossed:?}") };
    assert_near(two - one, 2.0 * delta / v + slip, 2e-3);
    let [stuck, slipping] = phases.means().map(Option::unwrap);
    assert_near(stuck, 2.0 * delta / v, 0.017);
    assert_near(slipping, slip, 0.017);
}

/// Returns the acceleration in m/s² of the scene's weights m₁ = 1 kg and m₂ = 3 kg, after they have
/// fallen `fallen` metres and have the speed `v`. The formula includes the inertia of the 49 rope
/// particles of 2 g, 24 of which lie on the drum, and the centripetal force:
/// ((m₂ − m₁ R) g + (R − 1) λ v²)/(m₂ + right + R (m₁ + left) + Σ m ρᵏ), with the mass λ per metre
/// and the friction ratio R = ρ²⁴ of the drum.
fn atwood_with_beads(fallen: f64, v: f64) -> f64 {
    let (beads, bead, half) = (24, 0.002, std::f64::consts::PI / 48.0);
    let along = 0.3 * half.tan();
    let rho: f64 = (1.0 + along) / (1.0 - along);
    let (ratio, spacing) = (rho.powi(beads), 0.6 * half.sin());
    let passed = fallen / spacing;
    let (left, right) = (24.0 - passed, 2.0 + passed);
    let drum: f64 = (0..beads).map(|k| bead * rho.powi(k)).sum();
    let force = 9.81 * (3.0 - ratio) + (ratio - 1.0) * bead / spacing * v * v;
    force / (3.0 + bead * right + ratio * (1.0 + bead * left) + drum)
}

#[test]
fn atwoods_machine_accelerates_as_friction_on_its_drum_lets_it() {
    let mut session = open_session("atwood-machine");
    let fall = |session: &Session| {
        let state = session.lanes()[0].simulation.state();
        (-state.x[1].y, -state.v[1].y)
    };
    let start = fall(&session).0;
    run(&mut session, 60.0, 0.4);
    let (early, early_reading) = (fall(&session), first_reading(&session));
    run(&mut session, 60.0, 1.0);
    let late = fall(&session);
    let expected = atwood_with_beads(0.5 * (early.0 + late.0) - start, 0.5 * (early.1 + late.1));
    assert_near(late.1 - early.1, expected, 0.01 * expected);
    // The reading is right from the start, because the rope starts with its length under the load.
    for [measured, predicted] in [early_reading, first_reading(&session)] {
        assert_near(predicted, expected, 0.01 * expected);
        assert_near(measured, predicted, 0.01 * predicted);
    }
}

/// Two ropes over a drum carry 1 kg each on the left. The rope with 2.5 kg on the right does not
/// slip, the rope with 2.7 kg does.
#[test]
fn the_capstan_holds_below_its_limit_and_accelerates_beyond_as_the_formula_says() {
    let mut session = open_session("capstan");
    let readings = session.scene().annotations.readings.clone();
    let values = |session: &Session| {
        let lane = &session.lanes()[0].simulation;
        [readings[0].values(lane), readings[1].values(lane)]
    };
    run(&mut session, 60.0, 0.6);
    for _ in 0..4 {
        run(&mut session, 60.0, 0.4);
        let [[sank, still], [measured, predicted]] = values(&session);
        assert_near(sank, still, 2e-4);
        assert_near(measured, predicted, 0.03 * predicted);
    }
    // The tolerance is small, because a load that slowly sinks is not held.
    let before = values(&session)[0][0];
    run(&mut session, 60.0, 0.2);
    assert_near(values(&session)[0][0], before, 1e-8);
    // Twelve particles of the rope touch the drum; each turns the rope by π/12.
    let along = 0.3 * (std::f64::consts::PI / 24.0).tan();
    let ratio = ((1.0 + along) / (1.0 - along)).powi(12);
    assert!((2.5..2.7).contains(&ratio), "{ratio}");
}

#[test]
fn a_ball_that_was_struck_rolls_at_five_sevenths_of_its_speed() {
    let mut session = open_session("billiard-break");
    run(&mut session, 60.0, 0.05);
    assert!(
        first_reading(&session)[0] > 0.85,
        "it slides first: {} m/s",
        first_reading(&session)[0]
    );
    for _ in 0..13 {
        run(&mut session, 60.0, 0.2);
        let [measured, predicted] = first_reading(&session);
        assert_near(predicted, 5.0 / 7.0, 1e-6);
        assert_near(measured, predicted, 1e-3);
    }
}

#[test]
fn a_ball_sinks_into_penalty_springs_by_its_weight_over_their_stiffness() {
    let mut session = open_session("penalty-or-projection");
    run(&mut session, 60.0, 4.0);
    for reading in &session.scene().annotations.readings {
        let name = reading.lane.as_deref().unwrap();
        let simulation = simulation_of(&session, name);
        if simulation.explosion().is_none() {
            let [measured, predicted] = reading.values(simulation);
            assert_near(measured, predicted, 2e-3);
        }
    }
    assert!(simulation_of(&session, "penalty, 2 ms").explosion().is_some());
}

#[test]
fn without_a_cloth_the_bullet_flies_as_its_formula_says() {
    let mut session = open_session("bullet-and-cloth");
    run(&mut session, 120.0, 0.1);
    let reading = &session.scene().annotations.readings[0];
    let [caught, free] = reading.values(simulation_of(&session, "swept"));
    assert!(caught < 2.4 && free > 5.0, "caught after {caught} m, free for {free} m");
    let [measured, predicted] = reading.values(simulation_of(&session, "discrete"));
    assert_near(measured, predicted, 0.02);
}

#[test]
fn what_lies_on_a_ball_or_in_a_net_is_where_its_reading_says() {
    for (scene, seconds, tolerance) in
        [("cloth-on-a-ball", 8.0, 2e-3), ("balls-in-a-net", 10.0, 0.01)]
    {
        let mut session = open_session(scene);
        run(&mut session, 60.0, seconds);
        let [measured, predicted] = first_reading(&session);
        assert_near(measured, predicted, tolerance);
    }
}

#[test]
fn the_rope_off_the_table_grows_as_the_hyperbolic_cosine() {
    let mut session = open_session("rope-off-a-table");
    for _ in 0..7 {
        run(&mut session, 60.0, 0.2);
        let [measured, predicted] = first_reading(&session);
        assert_near(measured, predicted, 0.004);
    }
    assert!(first_reading(&session)[1] > 1.0);
}

#[test]
fn the_winch_multiplies_the_weight_by_e_to_the_friction_times_the_angle() {
    let mut session = open_session("winch");
    run(&mut session, 60.0, 5.0);
    let [measured, predicted] = first_reading(&session);
    assert_near(predicted, 25.175_72, 1e-5);
    assert_near(measured, predicted, 0.01 * predicted);
}

/// Two belts around one driving drum with friction 0.3. The front belt also runs around a brake
/// with friction 0.2, the rear belt around a brake with friction 0.6.
#[test]
fn a_belt_transmits_what_the_smaller_friction_lets_it() {
    let mut session = open_session("belt-drive");
    run(&mut session, 60.0, 1.0);
    let readings = session.scene().annotations.readings.clone();
    let (mut sums, frames) = ([[0.0; 2]; 3], 30);
    for _ in 0..frames {
        run(&mut session, 60.0, 1.0 / 60.0);
        for (sum, reading) in sums.iter_mut().zip(&readings) {
            let values = reading.values(&session.lanes()[0].simulation);
            *sum = [sum[0] + values[0] / f64::from(frames), sum[1] + values[1] / f64::from(frames)];
        }
    }
    let [front, rear, torque] = sums;
    assert_near(front[1], (0.2 * std::f64::consts::PI).exp(), 1e-4);
    assert_near(rear[1], (0.3 * std::f64::consts::PI).exp(), 1e-4);
    for [measured, predicted] in [front, rear, torque] {
        assert_near(measured, predicted, 0.01 * predicted);
    }
    // The front belt moves with the drum. The drum slips under the rear belt.
    let state = session.lanes()[0].simulation.state();
    let (front, rear) = state.v.split_at(state.len() / 2);
    let mean = |belt: &[DVec3]| belt.iter().map(|v| v.length()).sum::<f64>() / belt.len() as f64;
    assert_near(mean(front), 3.0 * 0.2, 0.02);
    assert_near(mean(rear), 0.0, 0.02);
}
