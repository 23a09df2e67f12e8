//! Tests: undo and redo while the past is shown, and while an earlier undo is being recomputed.

use super::tests::{ROPE, finish, is_undone, laboratory, redo, replays, undo};
use super::*;
use crate::app::laboratory::edits::CUT;
use crate::app::laboratory::{Direction, UndoOutcome};
use crate::session::SessionMoment;
use crate::simulation::settings::{Command, Settings};

pub(super) fn show_moment(laboratory: &mut Laboratory, events: usize) {
    laboratory.travel(SessionMoment { events, missing_steps: 0 });
    laboratory.finish_travel();
    assert!(laboratory.history().is_past());
}

#[test]
fn nothing_to_undo_or_to_do_again_leaves_the_past_as_it_is() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(60);
    let end = laboratory.history().end();
    show_moment(&mut laboratory, 30);
    laboratory.play_past();
    let shown = laboratory.session().hashes();
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing);
    assert_eq!(laboratory.redo(), UndoOutcome::Nothing);
    assert_eq!(laboratory.history().end(), end, "the future is still there");
    assert_eq!(laboratory.history().shown_moment().events, 30);
    assert_eq!(laboratory.history().branch(), None);
    assert_eq!(laboratory.session().hashes(), shown);
    assert!(laboratory.plays_past());
}

#[test]
fn what_was_undone_is_done_again_while_the_past_is_shown() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(30);
    laboratory.command(Command::Cut(vec![2]));
    laboratory.whole_frames(30);
    let (end, with) = (laboratory.history().end(), laboratory.session().hashes());
    laboratory.undo();
    laboratory.finish_recomputation();
    for shown in [10, 50] {
        show_moment(&mut laboratory, shown);
        redo(&mut laboratory, CUT);
        assert!(!laboratory.history().is_past() && laboratory.session().paused());
        assert_eq!(laboratory.session().hashes(), with);
        assert!(laboratory.history().end().events > end.events, "and the pause");
        replays(&laboratory);
        show_moment(&mut laboratory, shown);
        undo(&mut laboratory, CUT);
    }
    let mut untouched = super::tests::laboratory();
    untouched.whole_frames(60);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    assert_eq!(laboratory.history().branch(), None, "nothing was cut off");
    replays(&laboratory);
}

#[test]
fn settings_are_undone_at_the_newest_moment_while_the_past_is_shown() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(30);
    let old = *laboratory.selected().simulation.settings();
    let new = Settings { dt: 0.003, ..old };
    laboratory.command(Command::Configure { lane: 0, settings: new });
    laboratory.whole_frames(30);
    let (end, hashes) = (laboratory.history().end(), laboratory.session().hashes());
    show_moment(&mut laboratory, 10);
    undo(&mut laboratory, "the change of dt");
    assert!(!laboratory.history().is_past() && laboratory.session().paused());
    assert_eq!(*laboratory.session().lanes()[0].simulation.settings(), old);
    assert_eq!(laboratory.session().hashes(), hashes, "no step was lost");
    assert!(laboratory.history().end().events > end.events);
    show_moment(&mut laboratory, 40);
    redo(&mut laboratory, "the change of dt");
    assert_eq!(*laboratory.session().lanes()[0].simulation.settings(), new);
    replays(&laboratory);
}

/// Returns a laboratory with cuts in a rope. Recomputing its one second takes many slices.
fn long_laboratory(cuts: &[u32]) -> Laboratory {
    let mut laboratory = Laboratory::of_text(&ROPE.replace("dt: 0.001", "dt: 0.00001"));
    laboratory.whole_frames(5);
    for cut in cuts {
        laboratory.command(Command::Cut(vec![*cut]));
        laboratory.end_slider_drag();
        laboratory.whole_frames(2);
    }
    laboratory.whole_frames(60);
    laboratory
}

#[test]
fn a_second_undo_waits_for_the_first_one_without_blocking_the_window() {
    let mut laboratory = long_laboratory(&[1, 3]);
    assert_eq!(laboratory.undo(), UndoOutcome::Done(CUT));
    assert_eq!(laboratory.undo(), UndoOutcome::Waiting);
    assert!(laboratory.recomputation_left().is_some(), "the first one is still being computed");
    assert_eq!(laboratory.undo(), UndoOutcome::Nothing, "no third one would find an edit");
    assert_eq!(laboratory.take_undo_outcome(), None);
    finish(&mut laboratory);
    assert_eq!(laboratory.take_undo_outcome(), Some((Direction::Undo, UndoOutcome::Done(CUT))));
    let mut untouched = long_laboratory(&[]);
    untouched.whole_frames(4);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    replays(&laboratory);
}

#[test]
fn undo_redo_and_commands_that_wait_are_carried_out_in_their_order() {
    let mut laboratory = long_laboratory(&[1, 3]);
    let with = laboratory.session().hashes();
    assert_eq!(laboratory.undo(), UndoOutcome::Done(CUT));
    assert_eq!(laboratory.redo(), UndoOutcome::Waiting);
    assert_eq!(laboratory.redo(), UndoOutcome::Nothing);
    assert_eq!(laboratory.undo(), UndoOutcome::Waiting);
    assert_eq!(laboratory.redo(), UndoOutcome::Waiting);
    laboratory.command(Command::Pause(true));
    assert!(laboratory.recomputation_left().is_some(), "the window did not wait for them");
    finish(&mut laboratory);
    assert!(laboratory.session().paused());
    assert_eq!(laboratory.session().hashes(), with);
    let list: Vec<_> = laboratory.edits().map(|edit| is_undone(&edit)).collect();
    assert_eq!(list, [false, false]);
    replays(&laboratory);
}

#[test]
fn hands_and_settings_wait_for_an_undo_without_blocking_the_window() {
    let mut laboratory = long_laboratory(&[1]);
    let settings = *laboratory.selected().simulation.settings();
    let dt = |laboratory: &Laboratory| laboratory.session().lanes()[0].simulation.settings().dt;
    let cuts = |laboratory: &Laboratory| {
        laboratory.selected().simulation.model().topology().cut_links().to_vec()
    };
    laboratory.undo();
    let at = glam::dvec3(1.0, 0.0, 0.0);
    laboratory.command(Command::Grab { particle: 6, mode: Default::default(), at });
    for step in 0..100 {
        laboratory.command(Command::MoveHand(at + glam::DVec3::Y * 0.01 * f64::from(step)));
    }
    laboratory.command(Command::Release);
    laboratory
        .command(Command::Configure { lane: 0, settings: Settings { dt: 0.002, ..settings } });
    assert_eq!(laboratory.undo(), UndoOutcome::Waiting, "the settings are an edit");
    laboratory.command(Command::Cut(vec![4]));
    assert!(laboratory.recomputation_left().is_some(), "the window did not wait");
    let events = laboratory.history().end().events;
    finish(&mut laboratory);
    let listed: Vec<_> = laboratory.edits().map(|edit| (edit.name, is_undone(&edit))).collect();
    assert_eq!(listed, [("the drag", false), (CUT, false)]);
    assert_eq!((dt(&laboratory), cuts(&laboratory).len()), (settings.dt, 1));
    assert!(laboratory.history().end().events < events + 90, "one move of the hand is kept");
    replays(&laboratory);
}

#[test]
fn a_comparison_begins_once_the_undo_before_it_is_done() {
    let mut laboratory = long_laboratory(&[1]);
    let names = [CUT, "the exchange of lanes"];
    laboratory.undo();
    laboratory.redo();
    laboratory.begin_comparison(crate::preset::Preset::AllExplicit);
    assert!(laboratory.recomputation_left().is_some(), "the window did not wait");
    finish(&mut laboratory);
    assert_eq!(laboratory.edits().map(|edit| edit.name).collect::<Vec<_>>(), names);
    assert_eq!(laboratory.session().lanes().len(), 8);
    replays(&laboratory);
}

#[test]
fn other_moments_and_lanes_wait_for_an_undo_without_blocking_the_window() {
    let mut laboratory = long_laboratory(&[1]);
    laboratory.undo();
    laboratory.command(Command::DuplicateLane(0));
    laboratory.travel(SessionMoment { events: 20, missing_steps: 0 });
    assert!(laboratory.travel_by(crate::session::History::frame_before));
    assert!(laboratory.recomputation_left().is_some(), "the window did not wait");
    assert_eq!(laboratory.session().lanes().len(), 2);
    finish(&mut laboratory);
    assert_eq!(laboratory.history().shown_moment().events, 19);
    let mut laboratory = long_laboratory(&[1]);
    laboratory.undo();
    laboratory.branch_off(laboratory.selected().color, None);
    laboratory.restore_lanes();
    assert!(laboratory.recomputation_left().is_some(), "the window did not wait");
    finish(&mut laboratory);
    assert_eq!(laboratory.session().lanes().len(), 2);
    let names: Vec<_> = laboratory.edits().map(|edit| edit.name).collect();
    assert_eq!(names, ["the new lane", "the exchange of lanes"]);
    replays(&laboratory);
}

#[test]
fn undo_waits_for_a_recording_that_happens_again_and_loses_none_of_it() {
    let recording = long_laboratory(&[1]).recorded();
    let mut laboratory = long_laboratory(&[]);
    let (loaded, source) = crate::app::laboratory::recorded_scene(&recording);
    laboratory.replace(loaded, source);
    laboratory.replay(&recording);
    laboratory.advance(0.0);
    assert!(laboratory.is_replaying());
    assert_eq!(laboratory.undo(), UndoOutcome::Waiting);
    assert!(laboratory.is_replaying(), "the window did not wait for it");
    while laboratory.is_replaying() || laboratory.edits.is_busy() {
        laboratory.advance(0.0);
    }
    assert_eq!(laboratory.take_undo_outcome(), Some((Direction::Undo, UndoOutcome::Done(CUT))));
    let mut untouched = long_laboratory(&[]);
    untouched.whole_frames(2);
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes());
    assert!(laboratory.session().paused() && !laboratory.history().is_past());
}
