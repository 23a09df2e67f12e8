//! Sessions: all lanes get the same frames and the same hand, and do not influence each other.

use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Relaxation, Xpbd};
use ropelab::contact::Geometry;
use ropelab::force::{FaceWind, Force, Gravity};
use ropelab::integrate::Method;
use ropelab::mesh::{ClothMaterial, Mesh, RopeMaterial};
use ropelab::model::{Parts, Pin, TargetedForce};
use ropelab::numerics::trajectory::Trajectory;
use ropelab::scene::{CameraSetup, Group, LaneSetup, Scene, library};
use ropelab::session::{Inputs, Session};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{Command, GrabMode, LinkMode, Settings};
use ropelab::simulation::timing::frame_source::FrameSource;
use ropelab::simulation::timing::stepper::{Guards, Stepping};
use std::sync::Arc;

const ROPE: RopeMaterial = RopeMaterial {
    mass_per_metre: 0.2,
    stiffness: 50.0,
    damping: 0.01,
    bend_stiffness: 0.0,
    flexural_rigidity: 0.0,
    rigid: false,
    one_sided: false,
    radius: 0.01,
};

/// A horizontal rope of ten links, pinned at its first particle.
fn scene(lanes: &[Settings]) -> Arc<Scene> {
    let mut mesh = Mesh::default();
    mesh.rope(DVec3::ZERO, dvec3(1.0, 0.0, 0.0), 1.0, 10, &ROPE);
    let n = mesh.positions.len();
    Arc::new(Scene {
        name: "rope".into(),
        look_for: String::new(),
        group: Group::default(),
        parts: Arc::new(Parts {
            mesh,
            velocities: vec![DVec3::ZERO; n],
            cuts: Vec::new(),
            pins: vec![Pin { particle: 0, path: Trajectory::Still }],
            contact: Geometry::default(),
            throws: Vec::new(),
            strengths: Vec::new(),
            forces: vec![TargetedForce {
                law: Force::Gravity(Gravity::default()),
                targets: (0..n as u32).collect(),
            }],
        }),
        camera: CameraSetup::side(DVec3::ZERO, 2.0),
        floor: -2.0,
        lanes: lanes
            .iter()
            .enumerate()
            .map(|(i, settings)| LaneSetup {
                name: format!("lane {i}"),
                settings: *settings,
                frames: FrameSource::Measured,
            })
            .collect(),
        ..library::default_scene().load().expect("the default scene is good")
    })
}

fn with(integrator: Method, dt: f64) -> Settings {
    Settings { integrator, dt, ..Settings::default() }
}

fn hashes(session: &Session) -> Vec<u64> {
    session.lanes().iter().map(|lane| lane.simulation.hash()).collect()
}

fn frame(session: &mut Session, seconds: f64) {
    session.advance(seconds, &|| 0.0);
}

#[test]
fn two_lanes_with_the_same_settings_have_the_same_bits() {
    let settings = with(Method::VelocityVerlet, 1e-3);
    let mut session = Session::new(scene(&[settings, settings]));
    let tip = Command::Grab { particle: 10, mode: GrabMode::Spring, at: dvec3(1.0, 0.0, 0.0) };
    session.command(tip);
    for k in 0..60 {
        session.command(Command::MoveHand(dvec3(1.0, 0.01 * f64::from(k), 0.0)));
        frame(&mut session, 1.0 / 60.0);
    }
    let found = hashes(&session);
    assert_eq!(found[0], found[1]);
    assert!(session.lanes()[0].simulation.state().x[10].y > 0.2, "the tip followed the hand");
}

#[test]
fn lanes_in_parallel_have_the_bits_of_each_alone() {
    let settings: Vec<Settings> = Method::all().map(|method| with(method, 2e-3)).take(8).collect();
    let mut together = Session::new(scene(&settings));
    for _ in 0..30 {
        frame(&mut together, 1.0 / 60.0);
    }
    for (i, settings) in settings.iter().enumerate() {
        let mut alone = Session::new(scene(&[*settings]));
        for _ in 0..30 {
            frame(&mut alone, 1.0 / 60.0);
        }
        assert_eq!(hashes(&alone)[0], hashes(&together)[i], "{:?}", settings.integrator);
    }
}

#[test]
fn a_lane_that_explodes_freezes_alone() {
    let settings = [with(Method::ExplicitEuler, 1e-2), with(Method::VelocityVerlet, 1e-3)];
    let mut session = Session::new(scene(&settings));
    for _ in 0..600 {
        frame(&mut session, 1.0 / 60.0);
    }
    let [euler, verlet] = [&session.lanes()[0].simulation, &session.lanes()[1].simulation];
    let explosion = euler.explosion().expect("explicit Euler gains energy");
    assert!(explosion.to_string().starts_with("exploded at "), "{explosion}");
    assert!(euler.state().x.iter().all(|x| x.is_finite()), "the last good state stays");
    assert!(euler.state().t < explosion.t);
    assert_eq!(verlet.explosion(), None);
    assert!((verlet.state().t - 10.0).abs() < 2e-3, "the other went on to {}", verlet.state().t);
}

#[test]
fn the_hand_moves_over_the_steps_of_a_frame() {
    // One frame of many steps. A particle in a hard grip moves at constant speed with the hand
    // during the frame and does not jump at its end.
    let settings = with(Method::VelocityVerlet, 1e-3);
    let mut session = Session::new(scene(&[settings]));
    let at = dvec3(1.0, 0.0, 0.0);
    session.command(Command::Grab { particle: 10, mode: GrabMode::Hard, at });
    session.command(Command::MoveHand(at + dvec3(0.0, 0.1, 0.0)));
    frame(&mut session, 0.1 + 1e-9);
    let state = session.lanes()[0].simulation.state();
    assert!((state.x[10].y - 0.1).abs() < 1e-12);
    assert!((state.v[10].y - 1.0).abs() < 1e-9, "0.1 m in 0.1 s, not {} m/s", state.v[10].y);
}

#[test]
fn a_hard_grab_lets_go_with_the_velocity_of_the_hand() {
    let mut session = Session::new(scene(&[with(Method::VelocityVerlet, 1e-3)]));
    let at = dvec3(1.0, 0.0, 0.0);
    session.command(Command::Grab { particle: 10, mode: GrabMode::Hard, at });
    session.command(Command::MoveHand(at + dvec3(0.0, 0.1, 0.0)));
    frame(&mut session, 0.1 + 1e-9);
    session.command(Command::Release);
    session.command(Command::SingleStep);
    let simulation = &session.lanes()[0].simulation;
    assert!(!simulation.model().is_pinned(10));
    // The released tip moves on at nearly 1 m/s for one step of 1 ms, although the rope pulls it
    // back.
    assert!(simulation.state().x[10].y > 0.1008, "{}", simulation.state().x[10].y);
}

#[test]
fn the_spring_of_the_hand_stands_long_steps() {
    // At dt = 1/20 s a spring with ω = 60 rad/s would explode, so the hand's spring must be
    // softened.
    let mut settings = with(Method::SymplecticEuler, 0.05);
    settings.links = LinkMode::Constraints;
    settings.constraints = ConstraintSolver::Relaxation(Relaxation::default());
    let mut session = Session::new(scene(&[settings]));
    let at = dvec3(0.9, -0.3, 0.0);
    session.command(Command::Grab { particle: 10, mode: GrabMode::Spring, at });
    for _ in 0..400 {
        frame(&mut session, 0.05);
    }
    let simulation = &session.lanes()[0].simulation;
    assert_eq!(simulation.explosion(), None);
    assert!(simulation.state().v[10].length() < 0.5, "{} m/s", simulation.state().v[10].length());
}

#[test]
fn a_pin_can_be_set_and_taken_away() {
    let mut session = Session::new(scene(&[Settings::default()]));
    session.command(Command::TogglePin(10));
    for _ in 0..30 {
        frame(&mut session, 1.0 / 60.0);
    }
    assert_eq!(session.lanes()[0].simulation.state().x[10], dvec3(1.0, 0.0, 0.0));
    session.command(Command::TogglePin(0));
    session.command(Command::TogglePin(10));
    for _ in 0..30 {
        frame(&mut session, 1.0 / 60.0);
    }
    assert!(session.lanes()[0].simulation.state().x[0].y < -0.5, "it falls");
}

/// Settings of three lanes: all links are springs, some are springs, and none is.
fn springs_and_constraints() -> [Settings; 3] {
    let relaxation = ConstraintSolver::Relaxation(Relaxation::default());
    let held = |constraints| Settings {
        links: LinkMode::Constraints,
        constraints,
        ..with(Method::SymplecticEuler, 2e-3)
    };
    let xpbd = ConstraintSolver::Xpbd(Xpbd::default());
    [with(Method::VelocityVerlet, 1e-3), held(relaxation), held(xpbd)]
}

#[test]
fn many_sweeps_leave_nothing_of_damped_links_in_the_last_substep() {
    let xpbd = Xpbd { iterations: 500, damping: Some(2.0), ..Xpbd::default() };
    let settings = Settings {
        links: LinkMode::Constraints,
        constraints: ConstraintSolver::Xpbd(xpbd),
        substeps: 2,
        ..with(Method::SymplecticEuler, 1e-2)
    };
    let mut session = Session::new(scene(&[settings]));
    (0..10).for_each(|_| frame(&mut session, 1.0 / 60.0));
    let residual = session.lanes()[0].simulation.projection().residual;
    assert!(residual < 1e-9, "{residual:e}");
}

#[test]
fn a_rope_that_is_cut_falls_below_the_cut() {
    let mut session = Session::new(scene(&springs_and_constraints()));
    session.command(Command::Cut(vec![6, 6, 1000]));
    for _ in 0..30 {
        frame(&mut session, 1.0 / 60.0);
    }
    for lane in session.lanes() {
        let simulation = &lane.simulation;
        let x = &simulation.state().x;
        // The particle at the end of the cut rope falls freely, without moving sideways: ½ g t².
        let fallen = 0.5 * 9.81 * simulation.state().t.powi(2);
        for (i, x) in x.iter().enumerate().skip(7) {
            let free = dvec3(0.1 * i as f64, -fallen, 0.0);
            assert!(x.distance(free) < 0.05, "{}: particle {i} at {x}", lane.name);
        }
        assert!(x[6].distance(x[0]) < 1.3, "{}: position {}", lane.name, x[6]);
        assert!(simulation.stretch().max < 0.6, "a cut link is not a long one");
        let whole = x.windows(2).enumerate().filter(|(i, _)| *i != 6);
        let stretched = whole.map(|(_, ends)| ends[0].distance(ends[1]) / 0.1 - 1.0);
        let mean = stretched.sum::<f64>() / 9.0;
        assert!((simulation.stretch().mean - mean).abs() < 1e-12, "{mean}");
        assert!(simulation.projection().residual < 0.6);
        assert_eq!(simulation.explosion(), None);
        assert_eq!(simulation.model().topology().cut_links(), [6]);
    }
}

#[test]
fn a_scheme_with_a_memory_forgets_it_at_a_cut() {
    let settings = with(Method::AdamsBashforth2, 1e-3);
    let mut session = Session::new(scene(&[settings, settings]));
    (0..3).for_each(|_| frame(&mut session, 1.0 / 60.0));
    // A change to another integrator and back also clears the integrator's memory.
    for settings in [with(Method::VelocityVerlet, 1e-3), settings] {
        session.command(Command::Configure { lane: 1, settings });
    }
    session.command(Command::Cut(vec![4]));
    frame(&mut session, 1.0 / 60.0);
    let hashes = hashes(&session);
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_cut_stays_when_the_lane_is_set_again_and_a_new_start_heals_it() {
    let settings = springs_and_constraints();
    let mut session = Session::new(scene(&settings));
    let mut cut_before = Session::new(scene(&[settings[1], settings[2], settings[0]]));
    session.command(Command::Cut(vec![3]));
    for lane in 0..3 {
        session.command(Command::Configure { lane, settings: settings[(lane + 1) % 3] });
    }
    cut_before.command(Command::Cut(vec![3]));
    for session in [&mut session, &mut cut_before] {
        (0..20).for_each(|_| frame(session, 1.0 / 60.0));
    }
    assert_eq!(hashes(&session), hashes(&cut_before));
    let whole = Session::new(scene(&settings[1..]));
    session.command(Command::Reset);
    assert_eq!(hashes(&session)[..2], hashes(&whole));
    assert!(session.lanes()[0].simulation.model().topology().cut_links().is_empty());
}

#[test]
fn the_wind_does_not_feel_triangles_that_were_cut() {
    let mut mesh = Mesh::default();
    mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [4, 4], &ClothMaterial::default());
    let links = mesh.links.len() as u32;
    let mut scene = Arc::unwrap_or_clone(scene(&[Settings::default()]));
    let targets = (0..mesh.positions.len() as u32).collect();
    let wind = FaceWind { velocity: dvec3(0.0, 0.0, 3.0), ..FaceWind::default() };
    let forces = vec![TargetedForce { law: Force::FaceWind(wind), targets }];
    scene.parts = Arc::new(Parts { mesh, forces, ..Parts::default() });
    let mut session = Session::new(Arc::new(scene));
    session.command(Command::Cut((0..links).collect()));
    (0..10).for_each(|_| frame(&mut session, 1.0 / 60.0));
    let simulation = &session.lanes()[0].simulation;
    assert!(simulation.state().v.iter().all(|v| *v == DVec3::ZERO));
    session.command(Command::Reset);
    (0..10).for_each(|_| frame(&mut session, 1.0 / 60.0));
    assert!(session.lanes()[0].simulation.state().v.iter().all(|v| v.z > 0.0));
}

#[test]
fn reset_gives_the_first_run_again() {
    let mut session = Session::new(scene(&[with(Method::VelocityVerlet, 1e-3)]));
    let run = |session: &mut Session| {
        for _ in 0..20 {
            frame(session, 1.0 / 60.0);
        }
        hashes(session)
    };
    let first = run(&mut session);
    session.command(Command::Reset);
    assert_eq!(run(&mut session), first);
}

#[test]
fn a_snapshot_resumes_bit_for_bit_with_every_integrator() {
    for method in Method::all() {
        let mut simulation = Simulation::new(scene(&[]).parts.clone(), with(method, 2e-3));
        (0..20).for_each(|_| simulation.step(2e-3));
        let kept = simulation.snapshot();
        (0..20).for_each(|_| simulation.step(2e-3));
        let straight = simulation.hash();
        simulation.restore(&kept);
        (0..20).for_each(|_| simulation.step(2e-3));
        assert_eq!(simulation.hash(), straight, "{method:?}");
        let mut other = Simulation::new(scene(&[]).parts.clone(), with(method, 2e-3));
        other.restore(&kept);
        (0..20).for_each(|_| other.step(2e-3));
        assert_eq!(other.hash(), straight, "{method:?} in another simulation");
    }
}

#[test]
fn a_render_tick_leaves_no_trace() {
    let tick = Settings { stepping: Stepping::RenderTick, dt: 5e-3, ..Settings::default() };
    let plain = Settings { stepping: Stepping::Accumulator, ..tick };
    let mut session = Session::new(scene(&[tick, plain]));
    let mut picture = Vec::new();
    for _ in 0..60 {
        frame(&mut session, 1.0 / 144.0);
        session.picture(0, &mut picture);
    }
    let found = hashes(&session);
    assert_eq!(found[0], found[1]);
    assert_ne!(picture, session.lanes()[0].simulation.state().x, "the picture is ahead");
}

#[test]
fn the_way_frames_are_cut_does_not_change_the_bits() {
    let settings =
        Settings { guards: Guards::none(), ..with(Method::VelocityVerlet, 1.0 / 1024.0) };
    let run = |frames: &[f64]| {
        let mut session = Session::new(scene(&[settings]));
        frames.iter().for_each(|&seconds| frame(&mut session, seconds));
        (hashes(&session), session.lanes()[0].simulation.steps())
    };
    // Binary numbers represent these frame times exactly, so both sequences have a sum of exactly
    // 3/4 s.
    let even = run(&[1.0 / 64.0; 48]);
    let uneven = run(&[0.5, 3.0 / 16.0, 1.0 / 32.0, 1.0 / 4096.0, 127.0 / 4096.0]);
    assert_eq!(even.1, 768);
    assert_eq!(even, uneven);
}

#[test]
fn time_is_a_step_count_times_dt() {
    let mut session = Session::new(scene(&[with(Method::VelocityVerlet, 1e-3)]));
    for _ in 0..600 {
        frame(&mut session, 1.0 / 60.0);
    }
    let simulation = &session.lanes()[0].simulation;
    assert_eq!(simulation.state().t, simulation.steps() as f64 * 1e-3);
}

#[test]
fn what_was_done_to_a_lane_is_done_again_to_a_fresh_one() {
    let settings = with(Method::VelocityVerlet, 1e-3);
    let mut session = Session::new(scene(&[settings]));
    let frames = |session: &mut Session, n: u32| (0..n).for_each(|_| frame(session, 0.02));
    frames(&mut session, 10);
    let at = session.lanes()[0].simulation.state().x[10];
    session.command(Command::Grab { particle: 10, mode: GrabMode::Spring, at });
    frames(&mut session, 15);
    for k in 1..=20 {
        session.command(Command::MoveHand(at + dvec3(0.0, 0.02 * f64::from(k), 0.0)));
        frames(&mut session, 1);
    }
    frames(&mut session, 5);
    session.command(Command::Release);
    session.command(Command::Cut(vec![7]));
    session.command(Command::TogglePin(9));
    frames(&mut session, 10);

    let lane = &session.lanes()[0];
    let again = |settings: Settings, inputs: &Inputs| {
        let mut fresh = Simulation::new(session.scene().parts.clone(), settings);
        let mut inputs = inputs.replay();
        while fresh.state().t < lane.simulation.state().t - settings.dt / 2.0 {
            inputs.step(&mut fresh, settings.dt);
        }
        let pairs = fresh.state().x.iter().zip(&lane.simulation.state().x);
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    // The recorded positions of the hand have other rounding errors.
    assert!(again(settings, &lane.inputs) < 1e-9, "{}", again(settings, &lane.inputs));
    let shorter = again(with(Method::VelocityVerlet, 5e-4), &lane.inputs);
    assert!(shorter < 0.02, "{shorter}");
    assert!(again(settings, &Inputs::default()) > 0.1, "the hand made a difference");
    session.command(Command::Reset);
    assert!(session.lanes()[0].inputs.is_empty());
}

/// The residual of a lane can be read before its first projection.
#[test]
fn a_lane_that_has_not_moved_has_a_residual() {
    for solver in ConstraintSolver::all() {
        for substeps in [1, 8] {
            let scene = Scene::open("flag").expect("the scene is in the library");
            let settings = scene.lanes[0].settings;
            let settings = Settings { constraints: solver, substeps, ..settings };
            let lane = Simulation::new(scene.parts.clone(), settings);
            let residual = lane.projection().residual;
            assert_eq!(residual, 0.0, "{}, {substeps} substeps", solver.info().name);
        }
    }
}

#[test]
fn many_lanes_share_the_time_of_a_frame() {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    // Steps of 1 µs that take 0.01 s each, measured by a clock that advances with each reading.
    let lanes = [with(Method::SymplecticEuler, 1e-6); 8];
    let reads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut session = Session::new(scene(&lanes));
        let count = AtomicU32::new(0);
        let clock = || 0.01 * f64::from(count.fetch_add(1, Relaxed));
        pool.install(|| drop(session.advance(0.25, &clock)));
        let steps = session.lanes().iter().map(|lane| lane.simulation.steps());
        assert!(steps.min() > Some(0), "every lane goes on");
        count.into_inner()
    };
    // The lanes share 0.25 s of computing time. (Formerly each lane had 0.25 s.) The clock is also
    // read at the start, at the sample and in the time slice of each lane.
    for threads in [1, 2] {
        let reads = reads(threads);
        assert!(reads < 25 + 5 * 8, "the clock was read {reads} times by {threads} threads");
    }
}
