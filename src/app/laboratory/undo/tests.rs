//! Tests: undo of edits gives the bits of a session without them.

use super::*;
use crate::app::laboratory::UndoOutcome;
use crate::app::laboratory::edits::{CUT, EditState};
use crate::preset::Preset;
use crate::scene::Scene;
use crate::scene::dials::{Dial, DialKind, dials_of};
use crate::scene::vary::VariableScene;
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::{Command, GrabMode, Settings};
use crate::simulation::timing::stepper::Stepping;

pub(super) const ROPE: &str = "(version: 1, name: \"rope\", \
    ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), segments: 6)], \
    colliders: [(shape: Sphere(radius: 0.1), at: (0.5, -0.6, 0))], pins: [(of: Start(\"rope\"))], \
    lanes: [(name: \"one\", settings: (dt: 0.001)), (name: \"two\", settings: (dt: 0.002))])";

pub(super) fn laboratory() -> Laboratory {
    Laboratory::of_text(ROPE)
}

pub(super) fn is_undone(edit: &ListedEdit) -> bool {
    edit.state == EditState::Undone
}

pub(super) fn replays(laboratory: &Laboratory) {
    assert_eq!(laboratory.recorded().replay().0.hashes(), laboratory.session().hashes());
}

pub(super) fn undo(laboratory: &mut Laboratory, kind: &'static str) {
    assert_eq!(laboratory.undo(), UndoOutcome::Done(kind));
    laboratory.finish_recomputation();
}

pub(super) fn redo(laboratory: &mut Laboratory, kind: &'static str) {
    assert_eq!(laboratory.redo(), UndoOutcome::Done(kind));
    laboratory.finish_recomputation();
}

/// Finishes the recomputation and the waiting requests, one slice per frame.
pub(super) fn finish(laboratory: &mut Laboratory) {
    while laboratory.edits.is_busy() || laboratory.history().progress().is_some() {
        laboratory.advance(0.0);
    }
}

fn names(laboratory: &Laboratory) -> Vec<String> {
    laboratory.session().lanes().iter().map(|lane| lane.name.clone()).collect()
}

#[test]
fn a_lane_that_was_removed_comes_back_as_if_it_had_stayed() {
    let (mut laboratory, mut untouched) = (laboratory(), laboratory());
    laboratory.whole_frames(10);
    laboratory.command(Command::RemoveLane(0));
    laboratory.whole_frames(10);
    assert_eq!(names(&laboratory), ["two"]);
    undo(&mut laboratory, "the removal of a lane");
    untouched.whole_frames(20);
    assert_eq!(names(&laboratory), ["one", "two"]);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    replays(&laboratory);
    assert_eq!(laboratory.redo(), UndoOutcome::Done("the removal of a lane"));
    assert_eq!(names(&laboratory), ["two"]);
    laboratory.whole_frames(5);
    laboratory.undo();
    laboratory.finish_recomputation();
    untouched.whole_frames(5);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
}

#[test]
fn lanes_of_a_comparison_keep_their_names_at_every_moment() {
    let mut laboratory = super::every_kind::laboratory();
    laboratory.whole_frames(3);
    let own = names(&laboratory);
    laboratory.begin_comparison(Preset::AllExplicit);
    laboratory.whole_frames(3);
    let (start, end) = (laboratory.history().start(), laboratory.history().end());
    let compared = names(&laboratory);
    for (place, expected) in [(start, &own), (end, &compared), (start, &own)] {
        laboratory.travel(place);
        laboratory.finish_travel();
        assert_eq!(names(&laboratory), *expected);
    }
}

#[test]
fn undo_of_a_comparison_brings_back_the_lanes_before_it() {
    let mut laboratory = laboratory();
    let settings = *laboratory.selected().simulation.settings();
    let stepping = Stepping::Accumulator;
    let lane = Command::Configure { lane: 1, settings: Settings { stepping, ..settings } };
    laboratory.command(lane);
    let before = laboratory.lane_set();
    laboratory.begin_comparison(Preset::AllExplicit);
    assert_eq!(laboratory.session().lanes().len(), 8);
    assert_eq!(laboratory.undo(), UndoOutcome::Done("the exchange of lanes"));
    assert_eq!(laboratory.lane_set(), before);
    assert_eq!(
        laboratory.undo(),
        UndoOutcome::Done("the settings"),
        "none of its commands is an edit"
    );
    assert_eq!(laboratory.session().lanes()[1].simulation.settings().dt, 0.002);
    laboratory.redo();
    assert_eq!(laboratory.redo(), UndoOutcome::Done("the exchange of lanes"));
    assert_eq!(laboratory.session().lanes().len(), 8);
    assert_eq!(laboratory.shown.reference, Some(laboratory.session().lanes()[0].color));
    replays(&laboratory);
}

#[test]
fn a_lane_that_is_added_with_other_settings_is_one_edit() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(10);
    let lane = &laboratory.session().lanes()[0];
    let (color, own) = (lane.color, *lane.simulation.settings());
    let settings = Settings { dt: 0.5 * own.dt, ..own };
    laboratory.branch_off(color, Some(settings));
    laboratory.end_slider_drag();
    laboratory.whole_frames(20);
    let background = laboratory.session().hashes();
    undo(&mut laboratory, "the new lane");
    assert_eq!(laboratory.session().lanes().len(), 2);
    laboratory.redo();
    laboratory.finish_recomputation();
    assert_eq!(laboratory.session().lanes()[2].simulation.settings(), &settings);
    assert_eq!(laboratory.session().hashes(), background);
    // A later change of the lane's settings is a separate edit.
    laboratory.command(Command::Configure { lane: 2, settings: own });
    assert_eq!(laboratory.undo(), UndoOutcome::Done("the change of dt"));
    replays(&laboratory);
}

#[test]
fn a_slider_that_is_dragged_is_one_edit() {
    let mut laboratory = laboratory();
    let gravity = dials_of(laboratory.origin()).swap_remove(0).dials.swap_remove(0);
    assert_eq!(gravity.kind, DialKind::Gravity);
    let turn = |laboratory: &mut Laboratory, dial: &Dial, value: f64| {
        laboratory.change_scene(dial.turned_to(value)).expect("it may be turned");
        laboratory.whole_frames(2);
    };
    for step in 0..10 {
        turn(&mut laboratory, &gravity, f64::from(step));
    }
    laboratory.end_slider_drag();
    turn(&mut laboratory, &gravity, 20.0);
    let now = |laboratory: &Laboratory| {
        gravity.value(&VariableScene::spelled_out(laboratory.session().scene()))
    };
    laboratory.undo();
    assert_eq!(now(&laboratory), 9.0);
    laboratory.undo();
    assert_eq!(now(&laboratory), 9.81);
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing);
    laboratory.redo();
    assert_eq!(now(&laboratory), 9.0);
    replays(&laboratory);
}
fn drag(laboratory: &mut Laboratory) {
    let at = glam::dvec3(1.0, 0.0, 0.0);
    laboratory.command(Command::Grab { particle: 6, mode: GrabMode::Spring, at });
    for step in 1..=10 {
        laboratory.command(Command::MoveHand(at + glam::DVec3::Y * 0.05 * f64::from(step)));
        laboratory.whole_frames(1);
    }
    laboratory.command(Command::Release);
    laboratory.whole_frames(10);
}

#[test]
fn a_drag_is_undone_as_a_whole_and_a_click_is_no_edit() {
    let (mut laboratory, mut untouched) = (laboratory(), laboratory());
    laboratory.whole_frames(5);
    let at = glam::DVec3::ZERO;
    laboratory.command(Command::Grab { particle: 3, mode: GrabMode::Spring, at });
    laboratory.command(Command::Release);
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing);
    let grab = Command::Grab { particle: 3, mode: GrabMode::Spring, at };
    [grab, Command::Release].into_iter().for_each(|it| untouched.command(it));
    untouched.whole_frames(25);
    drag(&mut laboratory);
    let dragged = laboratory.session().hashes();
    assert_ne!(dragged, untouched.session().hashes());
    undo(&mut laboratory, "the drag");
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    redo(&mut laboratory, "the drag");
    assert_eq!(laboratory.session().hashes(), dragged);
    replays(&laboratory);
}

#[test]
fn a_stroke_of_the_scissors_is_undone_as_a_whole() {
    let (mut laboratory, mut untouched) = (laboratory(), laboratory());
    laboratory.whole_frames(5);
    for link in [1, 3] {
        laboratory.command(Command::Cut(vec![link]));
        laboratory.whole_frames(5);
    }
    // The mouse button was released, so the next cut belongs to another stroke.
    laboratory.end_slider_drag();
    let stroke = laboratory.session().hashes();
    laboratory.command(Command::Cut(vec![5]));
    let names: Vec<_> = laboratory.edits().map(|edit| edit.name).collect();
    assert_eq!(names, [CUT, CUT]);
    undo(&mut laboratory, CUT);
    assert_eq!(laboratory.session().hashes(), stroke);
    undo(&mut laboratory, CUT);
    untouched.whole_frames(15);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing);
    redo(&mut laboratory, CUT);
    assert_eq!(laboratory.session().hashes(), stroke);
    replays(&laboratory);
}

#[test]
fn bodies_that_were_added_and_deleted_are_undone_and_saved() {
    let (mut laboratory, mut untouched) = (laboratory(), laboratory());
    let up = glam::DVec3::Y;
    laboratory.whole_frames(5);
    let ends = [RopeEnd::Particle(6), RopeEnd::At(glam::dvec3(1.5, 0.5, 0.0))];
    laboratory.edit_scene(SceneEdit::AddRope { ends, length: 0.8 }).expect("a rope");
    laboratory.whole_frames(5);
    laboratory.edit_scene(SceneEdit::AddBall { at: up, radius: 0.1, mass: 1.0 }).expect("a ball");
    // The new ball is particle 0, so the rope begins at particle 1.
    laboratory.edit_scene(SceneEdit::DeleteBody(1)).expect("the rope goes");
    laboratory.whole_frames(5);
    let after = laboratory.session().hashes();
    let saved = Scene::parse(&laboratory.scene_to_ron(), "saved").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(saved.parts, laboratory.session().scene().parts);
    assert!(laboratory.edit_scene(SceneEdit::DeleteCollider(5)).is_err());
    for kind in ["the deletion", "the new ball", "the new rope"] {
        undo(&mut laboratory, kind);
    }
    untouched.whole_frames(15);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    for _ in 0..3 {
        laboratory.redo();
        laboratory.finish_recomputation();
    }
    assert_eq!(laboratory.session().hashes(), after);
    replays(&laboratory);
}

#[test]
fn what_lies_before_the_stored_moments_stays_and_says_so() {
    let mut laboratory = laboratory();
    laboratory.history = crate::session::History::new(&laboratory.session, 40_000);
    laboratory.command(Command::Cut(vec![2]));
    let settings = *laboratory.selected().simulation.settings();
    laboratory
        .command(Command::Configure { lane: 0, settings: Settings { dt: 0.003, ..settings } });
    laboratory.frames_until(|it| it.history().start().events > 1);
    let cut = laboratory.edits().next().expect("the cut");
    let removed = laboratory.remove_edit(cut.id);
    assert_eq!((cut.moment, removed), (None, UndoOutcome::TooOld("the cut")));
    assert_eq!(laboratory.edits().next(), Some(cut));
    let dt = |laboratory: &Laboratory| laboratory.session().lanes()[0].simulation.settings().dt;
    assert_eq!(laboratory.undo(), UndoOutcome::Done("the change of dt"));
    assert_eq!(dt(&laboratory), 0.001);
    assert_eq!(laboratory.undo(), UndoOutcome::TooOld("the cut"));
    let cuts = laboratory.selected().simulation.model().topology().cut_links().len();
    assert_eq!(cuts, 1, "it is still cut");
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing);
}

#[test]
fn a_drag_in_a_paused_session_is_an_edit_once_a_step_follows() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(10);
    laboratory.command(Command::Pause(true));
    let (before, end) = (laboratory.session().hashes(), 6);
    let drag = |laboratory: &mut Laboratory, particle: u32, mode: GrabMode| {
        let at = laboratory.selected().simulation.state().x[particle as usize];
        laboratory.command(Command::Grab { particle, mode, at });
        laboratory.command(Command::MoveHand(at + glam::DVec3::Y * 0.1));
        laboratory.whole_frames(2);
    };
    for mode in [GrabMode::Spring, GrabMode::Hard] {
        drag(&mut laboratory, end, mode);
        laboratory.command(Command::Release);
        assert_eq!(laboratory.edits().count(), 0, "{mode:?}");
    }
    drag(&mut laboratory, end, GrabMode::Spring);
    laboratory.command(Command::SingleStep);
    laboratory.command(Command::Release);
    assert_ne!(laboratory.session().hashes(), before);
    let names: Vec<&str> = laboratory.edits().map(|edit| edit.name).collect();
    assert_eq!(names, ["the drag"]);
    drag(&mut laboratory, 0, GrabMode::Hard);
    laboratory.command(Command::Release);
    assert_eq!(laboratory.edits().count(), 2, "the release places the pin");
    undo(&mut laboratory, "the drag");
    undo(&mut laboratory, "the drag");
    replays(&laboratory);
}
