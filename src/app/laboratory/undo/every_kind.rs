//! Tests: undoing an edit of any kind gives the bits of a session without the edit. Redoing it
//! gives the bits that the session had with the edit.

use super::tests::replays;
use super::*;
use crate::app::laboratory::UndoOutcome;
use crate::app::laboratory::edits::CUT;
use crate::model::{Blow, Throw};
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::Command;
use crate::simulation::settings::GrabMode;
use glam::{DVec3, dvec3};

/// Scene with a ball (particle 0), a cloth (particles 1 to 16, of which 7 and 10 are pinned), a
/// rope (particles 17 to 23, of which 17 is pinned) and an obstacle. Its lanes (simulations) use
/// springs, an implicit integrator, and constraints.
const ROOM: &str = "(version: 1, name: \"room\", \
    balls: [(at: (0.3, 0.6, 0.05), mass: 0.2, radius: 0.05)], \
    ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), segments: 6)], \
    cloths: [(name: \"cloth\", corner: (0, 1, -1), across: (0.6, 0, 0), down: (0, -0.6, 0), \
        cells: (3, 3))], \
    colliders: [(shape: Sphere(radius: 0.1), at: (0.5, -0.3, 0))], \
    pins: [(of: Start(\"rope\")), (of: Particle(7)), (of: Particle(10))], \
    lanes: [(name: \"springs\", settings: (dt: 0.001)), \
        (name: \"implicit\", settings: (integrator: ImplicitEuler(), dt: 0.004)), \
        (name: \"constraints\", settings: (links: Constraints, constraints: Xpbd(), dt: 0.004))])";

pub(super) fn laboratory() -> Laboratory {
    Laboratory::of_text(ROOM)
}

/// Returns edits: their names, and their commands, one per frame.
pub(super) fn gestures() -> Vec<(&'static str, Vec<Command>)> {
    let hand = dvec3(1.0, 0.0, 0.0);
    let moves = |from: DVec3| (1..=8).map(move |i| from + DVec3::Y * 0.04 * f64::from(i));
    let gesture = |first: Command, from: DVec3| {
        let moves = moves(from).map(Command::MoveHand);
        [first].into_iter().chain(moves).chain([Command::Release]).collect::<Vec<_>>()
    };
    let edit = |edit: SceneEdit| vec![Command::EditScene(edit)];
    let (across, down) = (DVec3::X * 0.4, DVec3::NEG_Y * 0.4);
    let ends = [RopeEnd::Particle(6), RopeEnd::At(dvec3(1.5, 0.4, 0.0))];
    let obstacle = Command::GrabCollider { collider: 0, at: dvec3(0.5, -0.3, 0.0) };
    let throw = Throw {
        at: dvec3(0.3, 0.3, 1.0),
        velocity: dvec3(0.0, 1.0, -4.0),
        mass: 0.3,
        radius: 0.06,
    };
    let blow = Blow { at: DVec3::Y * 0.7, along: DVec3::Z, radius: 0.5, velocity: DVec3::Z * -6.0 };
    let grab = |mode| gesture(Command::Grab { particle: 6, mode, at: hand }, hand);
    vec![
        (CUT, vec![Command::Cut(vec![2])]),
        ("the pin", vec![Command::TogglePin(5)]),
        ("the pin", vec![Command::TogglePin(0)]),
        ("the throw", vec![Command::Throw(throw)]),
        ("the drag", grab(GrabMode::Spring)),
        ("the drag", grab(GrabMode::Hard)),
        ("the move of the obstacle", gesture(obstacle, dvec3(0.5, -0.3, 0.0))),
        ("the wind", vec![Command::Blow(Some(blow)), Command::Blow(None)]),
        ("the new rope", edit(SceneEdit::AddRope { ends, length: 0.8 })),
        ("the new cloth", edit(SceneEdit::AddCloth { corner: dvec3(0.2, 0.5, 0.3), across, down })),
        ("the new ball", edit(SceneEdit::AddBall { at: DVec3::Y, radius: 0.1, mass: 1.0 })),
        ("the tie", edit(SceneEdit::Tie { ends: [6, 19], length: 0.5 })),
        ("the deletion", edit(SceneEdit::DeleteBody(8))),
        ("the deletion", edit(SceneEdit::DeleteBody(23))),
        ("the deletion", edit(SceneEdit::DeleteCollider(0))),
    ]
}

/// Returns the commands of the first edit with this name.
pub(super) fn gesture(name: &str) -> Vec<Command> {
    let found = gestures().into_iter().find(|(known, _)| *known == name);
    found.expect("a known gesture").1
}

#[test]
fn each_gesture_is_undone_to_the_bits_without_it_and_done_again_to_its_own() {
    for (number, (name, commands)) in gestures().into_iter().enumerate() {
        let (mut laboratory, mut untouched) = (laboratory(), laboratory());
        let before = 5 + number as u32;
        laboratory.whole_frames(before);
        let count = commands.len() as u32;
        for command in commands {
            laboratory.command(command);
            laboratory.whole_frames(1);
        }
        laboratory.whole_frames(12);
        let with = laboratory.session().hashes();
        assert_eq!(laboratory.undo(), UndoOutcome::Done(name), "gesture {number}");
        laboratory.finish_recomputation();
        untouched.whole_frames(before + count + 12);
        let without = untouched.session().hashes();
        assert_ne!(with, without, "gesture {number}, {name}, does something");
        assert_eq!(laboratory.session().hashes(), without, "gesture {number}, {name}, undone");
        replays(&laboratory);
        assert_eq!(laboratory.redo(), UndoOutcome::Done(name), "gesture {number}");
        laboratory.finish_recomputation();
        assert_eq!(laboratory.session().hashes(), with, "gesture {number}, {name}, done again");
        replays(&laboratory);
    }
}
