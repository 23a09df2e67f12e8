//! Random settings, commands and events for property tests.

use super::LINKS;
use super::PARTICLES;
use glam::{DVec3, dvec3};
use proptest::prelude::*;
use ropelab::constraint::{ConstraintSolver, Relaxation, Shake, SoftStep, SweepOrder, Vbd, Xpbd};
use ropelab::integrate::Method;
use ropelab::model::{Blow, Throw};
use ropelab::session::{Event, LaneFrame, OwnFrame};
use ropelab::simulation::settings::{Command, GrabMode, LinkMode, SceneNumber, Settings};
use ropelab::simulation::timing::stepper::{FrameSubsteps, Stepping};

pub(super) fn any_settings() -> impl Strategy<Value = Settings> {
    let orders = SweepOrder::ALL.map(Just).to_vec();
    let order = || prop::strategy::Union::new(orders.clone());
    let solver = prop_oneof![
        Just(ConstraintSolver::None),
        order().prop_map(|order| ConstraintSolver::Relaxation(Relaxation {
            order,
            iterations: 3,
            ..Relaxation::default()
        })),
        order().prop_map(|order| ConstraintSolver::Xpbd(Xpbd {
            order,
            iterations: 3,
            ..Xpbd::default()
        })),
        Just(ConstraintSolver::Shake(Shake::default())),
        Just(ConstraintSolver::SoftStep(SoftStep::default())),
        Just(ConstraintSolver::Vbd(Vbd { iterations: 3 })),
    ];
    let mut steppings: Vec<Stepping> = Stepping::all().collect();
    steppings.push(Stepping::FrameSubsteps(FrameSubsteps { n: 3 }));
    let stepping = prop::sample::select(steppings);
    let method = prop::sample::select(Method::all().collect::<Vec<_>>());
    (method, 2e-3..1e-2f64, solver, stepping, 1..3u32).prop_map(
        |(integrator, dt, constraints, stepping, substeps)| Settings {
            integrator,
            dt,
            constraints,
            links: LinkMode::Constraints,
            stepping,
            substeps,
            ..Settings::default()
        },
    )
}

pub(super) fn any_command() -> impl Strategy<Value = Command> {
    let place = || (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| dvec3(x, y, z));
    let mode = prop_oneof![Just(GrabMode::Spring), Just(GrabMode::Hard)];
    prop_oneof![
        (0..PARTICLES + 3, mode, place()).prop_map(|(particle, mode, at)| Command::Grab {
            particle,
            mode,
            at
        }),
        (0..3u32, place()).prop_map(|(collider, at)| Command::GrabCollider { collider, at }),
        place().prop_map(Command::MoveHand),
        place().prop_map(Command::MoveHand),
        Just(Command::Release),
        (0..PARTICLES + 3).prop_map(Command::TogglePin),
        prop::option::of((place(), place()).prop_map(|(at, velocity)| Blow {
            at,
            along: DVec3::Z,
            radius: 0.5,
            velocity
        }))
        .prop_map(Command::Blow),
        (place(), place(), 0.01..1.0f64).prop_map(|(at, velocity, mass)| Command::Throw(Throw {
            at,
            velocity,
            mass,
            radius: 0.05
        })),
        prop::collection::vec(0..LINKS, 0..4).prop_map(Command::Cut),
        Just(Command::SingleStep),
        Just(Command::Reset),
        any::<bool>().prop_map(Command::Pause),
        (0.1..3.0f64).prop_map(Command::Speed),
        (0..4usize, any_settings())
            .prop_map(|(lane, settings)| Command::Configure { lane, settings }),
        any_settings().prop_map(|settings| Command::AddLane { name: "new".into(), settings }),
        (0..4usize).prop_map(Command::DuplicateLane),
        (0..4usize).prop_map(Command::RemoveLane),
        (0..4usize).prop_map(|lane| Command::NameLane { lane, name: "named".into() }),
        any_change(),
    ]
}

/// Returns a strategy for changes of gravity, of a material or of the number of segments; some are
/// invalid.
pub(super) fn any_change() -> impl Strategy<Value = Command> {
    let number = prop_oneof![
        (Just("forces[0].law.g[1]"), -20.0..5.0f64),
        (Just("materials[0].stiffness"), 1.0..1e4f64),
        (Just("materials[0].damping"), 0.0..1.0f64),
        (Just("materials[0].stiffness"), Just(-1.0)),
        (Just("ropes[0].segments"), (3..9u32).prop_map(f64::from)),
        (Just("nothing[7].here"), Just(1.0)),
    ];
    number.prop_map(|(path, value)| {
        Command::ChangeScene(vec![SceneNumber { path: path.into(), value: Some(value) }])
    })
}

/// Returns a strategy for events: commands, and frames that may end before their last step.
pub fn any_event() -> impl Strategy<Value = Event> {
    let own = (0.0..0.02f64, 0.0..1e-3f64, 0..6u32, 0..2u32).prop_map(
        |(seconds, step_cost, steps, left_out)| OwnFrame { seconds, step_cost, steps, left_out },
    );
    let own = prop::option::of(prop::collection::vec(own, 0..3));
    let lane =
        (0.0..1e-3f64, 0..12u32, 0..3u32, own).prop_map(|(step_cost, steps, left_out, own)| {
            LaneFrame { step_cost, steps, left_out, own }
        });
    let frame = (0.0..0.02f64, prop::collection::vec(lane, 0..4))
        .prop_map(|(seconds, lanes)| Event::Frame { seconds, lanes });
    prop_oneof![
        any_command().prop_map(|command| Event::Command(Box::new(command))),
        frame.clone(),
        frame
    ]
}

pub(super) fn any_events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(any_event(), 1..40)
}
