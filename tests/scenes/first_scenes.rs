//! Claims of the introductory scenes and of the scenes about frames and steps, measured.

use super::{assert_near, open_session, position_of, run, simulation_of};
use ropelab::integrate::Method;
use ropelab::scene::library;
use ropelab::session::Session;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Command;
use ropelab::simulation::timing::frame_source::FrameSource;
use std::collections::BTreeMap;

#[test]
fn the_default_scene_moves_at_once_and_holds_together() {
    let mut session = open_session("clothesline");
    run(&mut session, 60.0, 0.5);
    let lane = &session.lanes()[0].simulation;
    let start = &session.scene().parts.mesh.positions;
    let moved = start.iter().zip(&lane.state().x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved > 0.1, "{moved}");
    run(&mut session, 60.0, 8.0);
    let lane = &session.lanes()[0].simulation;
    assert!(lane.explosion().is_none() && lane.stretch().max < 0.05, "{}", lane.stretch().max);
    let fastest = lane.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest > 0.05, "still moving after 8 s: {fastest}");
}

#[test]
fn the_frame_coupled_rope_falls_apart_at_60_hz_and_holds_at_75() {
    // The lanes simulate their own displays, so the real display has no effect.
    for real in [60.0, 75.0] {
        let mut session = open_session("frame-coupled-rope");
        run(&mut session, real, 120.0);
        let explosion = simulation_of(&session, "display of 60 Hz").explosion();
        assert!(explosion.is_some_and(|explosion| explosion.t < 5.0));
        assert!(simulation_of(&session, "display of 75 Hz").explosion().is_none());
    }
}

#[test]
fn the_rope_with_fixed_steps_is_the_same_to_the_last_bit_on_every_display() {
    let hashes = |hz: f64| {
        let mut session = open_session("fixed-step-rope");
        session.set_frame_source(0, FrameSource::Constant { rate: hz });
        let mut hashes = BTreeMap::new();
        for _ in 0..(10.0 * hz) as u32 {
            session.advance(1.0 / hz, &|| 0.0);
            let rope = &session.lanes()[0].simulation;
            assert!(rope.explosion().is_none());
            hashes.insert(rope.steps(), rope.hash());
        }
        hashes
    };
    let at_60 = hashes(60.0);
    for hz in [24.0, 50.0, 75.0, 144.0] {
        let other = hashes(hz);
        let shared: Vec<_> = other.iter().filter(|(step, _)| at_60.contains_key(step)).collect();
        assert!(shared.len() > 50, "{hz} Hz shares {} moments", shared.len());
        assert!(shared.iter().all(|&(step, hash)| at_60[step] == *hash), "{hz} Hz");
    }
}

#[test]
fn numerical_damping_takes_15_per_cent_a_second() {
    let mut session = open_session("numerical-damping");
    let omega = std::f64::consts::TAU;
    let rest = 1.6 - 9.81 / (omega * omega);
    let swing = |session: &Session, name: &str| {
        let lane = simulation_of(session, name);
        f64::hypot(position_of(lane, 1).y - rest, lane.state().v[1].y / omega)
    };
    let start = swing(&session, "numerical damping");
    for _ in 0..5 * 60 {
        session.command(Command::SingleStep);
    }
    assert_near(swing(&session, "numerical damping") / start, 0.848_f64.powi(5), 0.02);
    assert_near(swing(&session, "symplectic Euler") / start, 1.0, 0.06);
}

#[test]
fn the_first_scene_shows_what_the_program_is_for() {
    let scene = library::default_scene().load().unwrap();
    let mut settings = scene.lanes[0].settings;
    let mut explodes = |integrator| {
        settings.integrator = integrator;
        let mut simulation = Simulation::new(scene.parts.clone(), settings);
        for _ in 0..2000 {
            if simulation.explosion().is_none() {
                simulation.step(settings.dt);
            }
        }
        simulation.explosion().is_some()
    };
    assert!(explodes(Method::ExplicitEuler) && !explodes(Method::VelocityVerlet));
}

#[test]
fn in_32_bits_the_body_never_falls() {
    let mut session = open_session("f32-stops-falling");
    run(&mut session, 60.0, 1.0);
    assert_eq!(position_of(simulation_of(&session, "32 bits"), 0).y, 10.0);
    let t = simulation_of(&session, "64 bits").state().t;
    assert_near(
        position_of(simulation_of(&session, "64 bits"), 0).y,
        10.0 - 0.5 * 9.81 * t * t,
        1e-6,
    );
    run(&mut session, 60.0, 5.0);
    assert_eq!(position_of(simulation_of(&session, "32 bits"), 0).y, 10.0);
    let y = position_of(simulation_of(&session, "64 bits"), 0).y;
    assert!((-1e-3..9.0).contains(&y), "the floor stops it: {y}");
}

#[test]
fn of_four_integrators_only_explicit_euler_explodes() {
    let mut session = open_session("four-integrators");
    run(&mut session, 60.0, 10.0);
    for lane in session.lanes() {
        let exploded = lane.simulation.explosion().map(|explosion| explosion.t);
        match lane.name.as_str() {
            "explicit Euler" => assert!(exploded.is_some_and(|t| (0.5..4.0).contains(&t))),
            name => assert_eq!(exploded, None, "{name}"),
        }
    }
}

#[test]
fn only_the_accumulator_keeps_time() {
    let ratios = |hz: f64| {
        let mut session = open_session("lost-remainders");
        (0..3).for_each(|lane| session.set_frame_source(lane, FrameSource::Constant { rate: hz }));
        run(&mut session, hz, 10.0);
        let ratio = |lane: &ropelab::session::Lane| lane.simulation.state().t / 10.0;
        session.lanes().iter().map(ratio).collect::<Vec<_>>()
    };
    for (hz, expected) in [(60.0, [0.42, 0.84, 1.0]), (144.0, [1.008, 0.0, 1.0])] {
        for (found, expected) in ratios(hz).into_iter().zip(expected) {
            assert_near(found, expected, 1e-3);
        }
    }
}

#[test]
fn the_tight_clamp_runs_at_six_tenths_of_real_time() {
    let mut session = open_session("frame-clamp");
    run(&mut session, 60.0, 10.0);
    for (name, ratio) in [("clamp 0.01 s", 0.6), ("clamp 0.25 s", 1.0)] {
        let time_account = simulation_of(&session, name).time_account();
        assert_near(time_account.simulated / time_account.wall, ratio, 1e-3);
        assert_near(
            time_account.simulated + time_account.owed + time_account.dropped,
            time_account.wall,
            1e-9,
        );
    }
}

#[test]
fn interpolation_glides_where_the_newest_state_stutters() {
    let mut session = open_session("interpolation");
    let mut roughest = BTreeMap::new();
    let mut standing = BTreeMap::new();
    let mut tracks: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..240 {
        run(&mut session, 60.0, 1.0 / 60.0);
        for index in 0..session.lanes().len() {
            let mut picture = Vec::new();
            session.picture(index, &mut picture);
            let name = session.lanes()[index].name.clone();
            tracks.entry(name).or_default().push(picture[1].x);
        }
    }
    for (name, track) in &tracks {
        let jerk = track.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max);
        roughest.insert(name.as_str(), jerk);
        standing.insert(name.as_str(), track.windows(2).filter(|w| w[0] == w[1]).count());
    }
    assert!(roughest["newest state"] > 4.0 * roughest["interpolated"], "{roughest:?}");
    assert!(roughest["extrapolated"] > roughest["render tick"], "{roughest:?}");
    assert!(standing["newest state"] > 120 && standing["interpolated"] < 8, "{standing:?}");
}

#[test]
fn drag_by_the_step_is_honey_at_a_thousand_steps_a_second() {
    let mut session = open_session("drag-by-the-step");
    run(&mut session, 60.0, 0.4);
    let start = session.scene().parts.mesh.positions[13].y;
    let drop = |name: &str| start - position_of(simulation_of(&session, name), 13).y;
    let (air, honey) = (drop("60 steps a second"), drop("1000 steps a second"));
    assert!(air > 1.8 * honey, "{air} and {honey}");
    for reading in &session.scene().annotations.readings {
        let [measured, predicted] =
            reading.values(simulation_of(&session, reading.lane.as_deref().unwrap()));
        assert_near(measured, predicted, 0.006 * predicted);
    }
}
