//! Tests: removing an edit from any position in the list gives the session in which the edit never
//! happened.

use super::every_kind::{gesture, laboratory};
use super::tests::replays;
use super::*;
use crate::app::laboratory::edits::EditState;
use crate::app::laboratory::{LostEdits, UndoOutcome};
use crate::integrate::Method;
use crate::numerics::random::Random;
use crate::preset::Preset;
use crate::scene::dials::{DialKind, dials_of};
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::{Command, GrabMode, Settings};
use glam::dvec3;

/// Number of random sessions, unless `ROPELAB_HANDS` sets it.
const SESSIONS: u64 = 16;
const FRAMES_PER_ACTION: usize = 6;

/// Action of a user. It takes effect at once or returns commands for the next frames. It does
/// nothing if the current state does not allow it.
type Act = fn(&mut Laboratory) -> Vec<Command>;

/// Returns the particle with this index in the first rope.
fn of_rope(laboratory: &Laboratory, index: usize) -> u32 {
    laboratory.session().scene().parts.mesh.ropes[0].particles[index]
}

fn link_of_rope(laboratory: &Laboratory) -> Option<u32> {
    let ends = [2, 3].map(|index| of_rope(laboratory, index));
    let links = &laboratory.session().scene().parts.mesh.links;
    links.iter().position(|link| [link.a, link.b] == ends).map(|link| link as u32)
}

fn drag(particle: u32, mode: GrabMode) -> Vec<Command> {
    let at = |i: i32| dvec3(0.8, 0.06 * f64::from(i), 0.1);
    let moves = (1..=4).map(|i| Command::MoveHand(at(i)));
    let grab = Command::Grab { particle, mode, at: at(0) };
    [grab].into_iter().chain(moves).chain([Command::Release]).collect()
}

fn lane(laboratory: &Laboratory, name: &str) -> Option<(usize, Settings)> {
    let lanes = laboratory.session().lanes();
    let index = lanes.iter().position(|lane| lane.name == name)?;
    Some((index, *lanes[index].simulation.settings()))
}

fn set(lane: Option<(usize, Settings)>, set: impl Fn(&mut Settings)) -> Vec<Command> {
    let command = lane.map(|(lane, mut settings)| {
        set(&mut settings);
        Command::Configure { lane, settings }
    });
    command.into_iter().collect()
}

fn turn(laboratory: &Laboratory, kind: DialKind, factor: f64) -> Vec<Command> {
    let dials = dials_of(laboratory.session().scene());
    let dial = dials.iter().flat_map(|group| &group.dials).find(|dial| dial.kind == kind);
    dial.map(|dial| Command::ChangeScene(dial.turned_to(dial.own * factor))).into_iter().collect()
}

/// Actions on bodies, links, obstacles, lanes or values of the scene.
const ACTS: [Act; 20] = [
    |it| turn(it, DialKind::Gravity, 0.3),
    |it| turn(it, DialKind::AxialStiffness, 0.5),
    |_| gesture("the new ball"),
    |it| link_of_rope(it).map(|link| Command::Cut(vec![link])).into_iter().collect(),
    |it| {
        let ends = [RopeEnd::Particle(of_rope(it, 4)), RopeEnd::At(dvec3(1.5, 0.4, 0.0))];
        vec![Command::EditScene(SceneEdit::AddRope { ends, length: 5.0 })]
    },
    |it| {
        let new = it.session().scene().parts.mesh.ropes.get(1);
        new.map_or(Vec::new(), |rope| drag(rope.particles[3], GrabMode::Hard))
    },
    |_| gesture("the new cloth"),
    |it| vec![Command::TogglePin(of_rope(it, 5))],
    |it| drag(of_rope(it, 6), GrabMode::Spring),
    |it| {
        let ball = it.session().scene().parts.contact.balls.first();
        ball.map_or(Vec::new(), |ball| drag(ball.particle, GrabMode::Spring))
    },
    |_| gesture("the throw"),
    |_| gesture("the wind"),
    |it| {
        let any = !it.session().scene().parts.contact.colliders.is_empty();
        any.then_some(Command::EditScene(SceneEdit::DeleteCollider(0))).into_iter().collect()
    },
    |it| set(lane(it, "springs"), |settings| settings.dt = 0.0005),
    |it| set(lane(it, "springs"), |settings| settings.integrator = Method::VelocityVerlet),
    |it| {
        let lane = lane(it, "implicit");
        lane.map(|(lane, _)| Command::DuplicateLane(lane)).into_iter().collect()
    },
    |it| set(lane(it, "implicit copy"), |settings| settings.dt = 0.002),
    |it| {
        let lane = lane(it, "constraints");
        lane.map(|(lane, _)| Command::RemoveLane(lane)).into_iter().collect()
    },
    |it| {
        // A new rope shares the material of the first rope until it gets its own copy.
        let shares = it.session().scene().parts.mesh.ropes.len() > 1;
        let own = Command::EditScene(SceneEdit::OwnMaterial(of_rope(it, 4)));
        shares.then_some(own).into_iter().collect()
    },
    |it| {
        let dials = dials_of(it.session().scene());
        let own = dials.iter().find(|group| group.material.as_deref() == Some("rope 2"));
        let dial = own.and_then(|group| group.dials.first());
        dial.map(|dial| Command::ChangeScene(dial.turned_to(300.0))).into_iter().collect()
    },
];

/// Carries out the actions in order, without the action at index `left_out`. Returns the laboratory
/// and the numbers of the edits.
fn live(acts: &[Act], left_out: Option<usize>) -> (Laboratory, Vec<Option<u64>>) {
    let (mut laboratory, mut ids) = (laboratory(), Vec::new());
    laboratory.whole_frames(3);
    for (number, act) in acts.iter().enumerate() {
        let before = laboratory.edits().last().map(|edit| edit.id);
        let is_done = left_out != Some(number);
        let commands = if is_done { act(&mut laboratory) } else { Vec::new() };
        let mut commands = commands.into_iter();
        for _ in 0..FRAMES_PER_ACTION {
            commands.next().into_iter().for_each(|command| laboratory.command(command));
            laboratory.whole_frames(1);
        }
        laboratory.end_slider_drag();
        ids.push(laboratory.edits().last().map(|edit| edit.id).filter(|id| Some(*id) != before));
    }
    laboratory.whole_frames(4);
    (laboratory, ids)
}

type Listed = (Vec<String>, Vec<u64>, Vec<&'static str>);

/// Returns the names and hashes of the lanes, and the edits in effect.
fn now(laboratory: &Laboratory) -> Listed {
    let lanes = laboratory.session().lanes();
    let done = laboratory.edits().filter(|edit| edit.state == EditState::Done);
    let names = lanes.iter().map(|lane| lane.name.clone()).collect();
    (names, laboratory.session().hashes(), done.map(|edit| edit.name).collect())
}

/// Removes the edit of one action, restores it, and removes it again, with checks after each
/// change.
fn check(acts: &[Act], number: usize) {
    let (mut laboratory, ids) = live(acts, None);
    let Some(id) = ids[number] else { return };
    let (with, without) = (now(&laboratory), now(&live(acts, Some(number)).0));
    let outcome = laboratory.remove_edit(id);
    assert!(matches!(outcome, UndoOutcome::Removed(_)), "{outcome:?}");
    laboratory.finish_recomputation();
    assert_eq!(now(&laboratory), without, "without act {number}, {outcome:?}");
    assert!(matches!(laboratory.undo(), UndoOutcome::Restored(_)));
    laboratory.finish_recomputation();
    assert_eq!(now(&laboratory), with, "act {number} is back");
    assert!(matches!(laboratory.redo(), UndoOutcome::Removed(_)));
    laboratory.finish_recomputation();
    assert_eq!(now(&laboratory), without, "without act {number} once more");
    replays(&laboratory);
}

#[test]
fn each_edit_that_is_taken_out_leaves_the_bits_of_a_session_without_it() {
    (0..ACTS.len()).for_each(|number| check(&ACTS, number));
}

#[test]
fn any_edit_of_a_random_session_is_taken_out_to_the_bits_without_it() {
    let asked = std::env::var("ROPELAB_HANDS").ok().and_then(|count| count.parse().ok());
    for seed in 0..asked.unwrap_or(SESSIONS) {
        let mut random = Random::new(seed);
        let mut left: Vec<usize> = (0..ACTS.len()).collect();
        let order: Vec<usize> = (0..7).map(|_| left.remove(random.below(left.len()))).collect();
        let acts: Vec<Act> = order.iter().map(|number| ACTS[*number]).collect();
        let number = random.below(acts.len());
        eprintln!("seed {seed}: acts {order:?} without number {number}");
        check(&acts, number);
    }
}

#[test]
fn lanes_that_were_exchanged_are_exchanged_back_and_lose_what_was_set_in_them() {
    let sixth = |it: &mut Laboratory| {
        let lane = it.session().lanes().get(5);
        set(lane.map(|lane| (5, *lane.simulation.settings())), |settings| settings.dt = 0.0005)
    };
    let acts: [Act; 6] = [
        |it| set(lane(it, "implicit"), |settings| settings.dt = 0.002),
        |it| {
            it.begin_comparison(Preset::AllExplicit);
            Vec::new()
        },
        sixth,
        |it| vec![Command::TogglePin(of_rope(it, 5))],
        |it| {
            it.restore_lanes();
            Vec::new()
        },
        |it| set(lane(it, "constraints"), |settings| settings.dt = 0.002),
    ];
    (0..acts.len()).for_each(|number| check(&acts, number));
}

#[test]
fn a_change_of_segments_is_taken_out_with_what_names_their_particles() {
    let acts: [Act; 3] = [
        |it| turn(it, DialKind::Segments, 2.0),
        |it| {
            let last = it.session().scene().parts.mesh.ropes[0].particles.get(12);
            last.map_or(Vec::new(), |last| drag(*last, GrabMode::Spring))
        },
        |it| {
            // Index of a corner of the cloth. Balls come before other particles.
            let balls = it.session().scene().parts.contact.balls.len() as u32;
            vec![Command::TogglePin(balls + 12)]
        },
    ];
    (0..acts.len()).for_each(|number| check(&acts, number));
}

#[test]
fn what_goes_with_an_edit_is_named_and_one_that_is_not_kept_stays() {
    let acts = [ACTS[4], ACTS[5], ACTS[7]];
    let (mut laboratory, ids) = live(&acts, None);
    let id = ids[0].expect("a rope came");
    assert_eq!(laboratory.remove_edit(id), UndoOutcome::Removed("the new rope"));
    laboratory.finish_recomputation();
    let lost = LostEdits { removed: "the new rope", later: vec!["the drag"] };
    assert_eq!(laboratory.take_lost_edits(), Some(lost));
    assert_eq!(laboratory.take_lost_edits(), None);
    assert_eq!(laboratory.remove_edit(id), UndoOutcome::Nothing, "it is out");
    let states: Vec<_> = laboratory.edits().map(|edit| (edit.name, edit.state)).collect();
    let [pin, rope] = [("the pin", EditState::Done), ("the new rope", EditState::Removed)];
    assert_eq!(states, [pin, rope]);
}

#[test]
fn an_edit_waits_to_be_taken_out_until_the_session_is_computed_again() {
    let (mut laboratory, ids) = live(&ACTS[..4], None);
    laboratory.slice = std::time::Duration::ZERO;
    let out =
        |laboratory: &mut Laboratory, act: usize| laboratory.remove_edit(ids[act].expect("it"));
    assert!(matches!(out(&mut laboratory, 3), UndoOutcome::Removed(_)));
    assert_eq!(out(&mut laboratory, 0), UndoOutcome::Waiting);
    laboratory.finish_recomputation();
    assert!(laboratory.take_undo_outcome().is_some());
    let acts = [ACTS[1], ACTS[2]];
    let states: Vec<_> = laboratory.edits().filter(|edit| edit.state == EditState::Done).collect();
    assert_eq!(states.len(), acts.len());
    for _ in 0..2 {
        assert!(matches!(laboratory.undo(), UndoOutcome::Restored(_)));
        laboratory.finish_recomputation();
    }
    assert_eq!(now(&laboratory), now(&live(&ACTS[..4], None).0));
    replays(&laboratory);
}
