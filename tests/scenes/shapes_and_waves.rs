//! Claims of the scenes about equilibria, oscillations, waves and wind, measured.

use super::{assert_near, first_reading, open_session, position_of, run, simulation_of};
use ropelab::integrate::Method;
use ropelab::session::Session;
use ropelab::simulation::settings::{Command, Settings};

#[test]
fn the_hanging_rope_comes_to_rest_in_the_catenary() {
    let mut session = open_session("hanging-rope");
    run(&mut session, 60.0, 25.0);
    let rope = &session.lanes()[0].simulation;
    let lowest = rope.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert_near(2.0 - lowest, 0.503446634340, 2e-4);
    let [measured, predicted] = first_reading(&session);
    assert_near(measured, predicted, 2e-4);
}

/// Implicit Euler reaches the same equilibrium sooner than the scene's integrator.
#[test]
fn rods_in_8_and_in_32_cells_sag_as_the_elastica_does() {
    let mut session = open_session("bending-stiffness");
    let own = *session.lanes()[0].simulation.settings();
    let settings = Settings { integrator: Method::ImplicitEuler, dt: 0.01, ..own };
    session.command(Command::Configure { lane: 0, settings });
    run(&mut session, 60.0, 10.0);
    let rods = &session.lanes()[0].simulation;
    let sags = session.scene().annotations.readings.iter().map(|reading| reading.values(rods));
    let [[coarse, _], [fine, predicted]] = sags.collect::<Vec<_>>()[..] else {
        panic!("two readings")
    };
    assert_near(coarse, predicted, 0.005);
    assert_near(fine, predicted, 0.0005);
}

#[test]
fn the_pendulums_have_their_periods() {
    let mut session = open_session("pendulum");
    let mut quarters = [None; 2];
    let mut before = [f64::NAN; 2];
    for step in 0..1000 {
        let bobs = simulation_of(&session, "velocity Verlet + SHAKE");
        for (i, (hook, bob)) in [(0, 1), (2, 3)].into_iter().enumerate() {
            let offset = position_of(bobs, bob).x - position_of(bobs, hook).x;
            if offset <= 0.0 && quarters[i].is_none() {
                let fraction = before[i] / (before[i] - offset);
                quarters[i] = Some((f64::from(step) - 1.0 + fraction) * 1e-3);
            }
            before[i] = offset;
        }
        session.command(Command::SingleStep);
    }
    // A quarter of the small-angle period, 2.006 s, times 1/AGM(1, cos of half the amplitude).
    assert_near(quarters[0].unwrap(), 2.00606668071065 * 1.00047617248599 / 4.0, 1e-5);
    assert_near(quarters[1].unwrap(), 2.00606668071065 * 1.1803405990161 / 4.0, 1e-5);
}

#[test]
fn the_double_pendulums_part_though_their_energy_stays() {
    let mut session = open_session("double-pendulum");
    let apart = |session: &Session| {
        position_of(&session.lanes()[0].simulation, 2)
            .distance(position_of(&session.lanes()[1].simulation, 2))
    };
    run(&mut session, 60.0, 3.0);
    assert!(apart(&session) < 0.1, "{}", apart(&session));
    let mut farthest = 0.0_f64;
    for _ in 0..40 * 60 {
        run(&mut session, 60.0, 1.0 / 60.0);
        farthest = farthest.max(apart(&session));
    }
    assert!(farthest > 1.0, "{farthest}");
    for lane in session.lanes() {
        assert!(
            lane.simulation.drift().fraction().abs() < 1e-3,
            "{}",
            lane.simulation.drift().fraction()
        );
    }
}

#[test]
fn gusts_swing_the_cloth() {
    let mut session = open_session("cloth-in-wind");
    let grid = session.scene().parts.mesh.cloths[0];
    let bottom = grid.at(grid.columns / 2, grid.rows - 1) as usize;
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..40 {
        run(&mut session, 60.0, 0.2);
        let z = position_of(&session.lanes()[0].simulation, bottom).z;
        (least, most) = (least.min(z), most.max(z));
    }
    assert!(most - least > 0.5, "from {least} to {most}");
    let cloth = &session.lanes()[0].simulation;
    assert!(cloth.explosion().is_none() && cloth.stretch().max < 0.1);
}

#[test]
fn the_flag_flies_and_flutters() {
    let mut session = open_session("flag");
    run(&mut session, 60.0, 3.0);
    let scene = session.scene().clone();
    let grid = scene.parts.mesh.cloths[0];
    let tip = grid.at(grid.columns - 1, grid.rows / 2) as usize;
    let mut restless = 0.0;
    for _ in 0..60 {
        run(&mut session, 60.0, 1.0 / 60.0);
        let flag = &session.lanes()[0].simulation;
        assert!(position_of(flag, tip).x > 0.3, "flies: {}", position_of(flag, tip));
        restless += flag.state().v[tip].z.powi(2) / 60.0;
    }
    assert!(f64::sqrt(restless) > 0.2, "flutters: {} m/s", restless.sqrt());
    assert!(session.lanes()[0].simulation.explosion().is_none());
}

#[test]
fn the_hammock_is_lowest_at_its_load() {
    let mut session = open_session("hammock");
    run(&mut session, 60.0, 10.0);
    let hammock = &session.lanes()[0].simulation;
    let grid = session.scene().parts.mesh.cloths.first();
    assert!(grid.is_none(), "a net has no faces");
    let height = |knot: usize| position_of(hammock, 2 + knot).y;
    let (load, far) = (height(4 * 19 + 5), height(4 * 19 + 14));
    assert!(load < far - 0.05, "load at {load}, other end at {far}");
    assert!(hammock.explosion().is_none() && hammock.stretch().max < 0.06);
}

#[test]
fn the_pulse_runs_at_two_metres_a_second_and_comes_back_upside_down() {
    let mut session = open_session("travelling-wave");
    let (mut up, mut down) = ((0.0, 0.0), (0.0, 0.0));
    for _ in 0..2000 {
        session.command(Command::SingleStep);
        let chain = &session.lanes()[0].simulation;
        let (t, y) = (chain.state().t, position_of(chain, 51).y - 1.0);
        if y > up.1 {
            up = (t, y);
        }
        if y < down.1 {
            down = (t, y);
        }
    }
    // The pulse starts 2 m away, and its crest passes there at 0.3 s.
    assert_near(up.0, 0.3 + 2.0 / 2.0, 0.05);
    assert_near(down.0, 0.3 + 6.0 / 2.0, 0.1);
    // The moving marker passes x = 0 at the same times.
    session.command(Command::Reset);
    for t in [up.0, down.0] {
        while session.lanes()[0].simulation.state().t < t {
            session.command(Command::SingleStep);
        }
        assert_near(position_of(&session.lanes()[0].simulation, 0).x, 0.0, 0.2);
    }
    assert!(up.1 > 0.12 && down.1 < -0.11, "highest (time, height) {up:?}, lowest {down:?}");
}

#[test]
fn the_standing_wave_has_antinodes_and_nodes() {
    let mut session = open_session("standing-wave");
    run(&mut session, 60.0, 40.0);
    let mut widest = [0.0_f64; 101];
    for _ in 0..120 {
        run(&mut session, 60.0, 1.0 / 60.0);
        for (particle, widest) in widest.iter_mut().enumerate() {
            let y = position_of(&session.lanes()[0].simulation, particle).y - 1.0;
            *widest = widest.max(y.abs());
        }
    }
    for antinode in [17, 50, 83] {
        assert!(widest[antinode] > 0.07, "antinode at {antinode}: {}", widest[antinode]);
    }
    for node in [33, 67] {
        assert!(widest[node] < 0.03, "node at {node}: {}", widest[node]);
    }
}
