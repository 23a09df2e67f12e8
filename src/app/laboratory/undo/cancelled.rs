//! Tests: cancelling an undo during its recomputation restores the state before the undo.

use super::every_kind::{gestures, laboratory};
use super::tests::{replays, undo};
use super::*;
use crate::app::laboratory::UndoOutcome;
use crate::session::SessionMoment;
use std::time::Duration;

/// Returns a session with three edits that recomputes one event per frame of the window.
fn with_edits() -> Laboratory {
    let mut laboratory = laboratory();
    for (_, commands) in gestures().into_iter().take(3) {
        laboratory.whole_frames(10);
        commands.into_iter().for_each(|command| laboratory.command(command));
        laboratory.end_slider_drag();
    }
    laboratory.whole_frames(30);
    laboratory.slice = Duration::ZERO;
    laboratory
}

/// Returns the state that is visible to a user: hashes, moments and edits.
fn now(laboratory: &Laboratory) -> impl PartialEq + std::fmt::Debug + use<> {
    let history = laboratory.history();
    let moments = [history.shown_moment(), history.start(), history.end()];
    let edits: Vec<_> = laboratory.edits().collect();
    (laboratory.session().hashes(), moments, edits, (laboratory.can_undo(), laboratory.can_redo()))
}

/// Begins an undo, runs `waits` frames, cancels the undo, and continues.
fn check(begin: impl Fn(&mut Laboratory), waits: usize) {
    let mut laboratory = with_edits();
    let before = now(&laboratory);
    begin(&mut laboratory);
    (0..waits).for_each(|_| laboratory.advance(0.0));
    assert!(laboratory.recomputation_left().is_some(), "it is still computed after {waits} frames");
    assert!(laboratory.cancel_recomputation());
    assert!(!laboratory.cancel_recomputation(), "there is nothing left");
    assert_eq!(now(&laboratory), before, "after {waits} frames");
    replays(&laboratory);
    // Later edits give the same bits as in a session without the cancelled undo.
    let mut untouched = with_edits();
    for laboratory in [&mut laboratory, &mut untouched] {
        laboratory.whole_frames(5);
        undo(laboratory, "the pin");
    }
    assert_eq!(now(&laboratory), now(&untouched));
    replays(&laboratory);
}

#[test]
fn the_time_bar_keeps_its_marks_while_an_undo_is_computed() {
    let mut laboratory = with_edits();
    let marks = |laboratory: &Laboratory| laboratory.shown_history().marks().to_vec();
    let end = |laboratory: &Laboratory| laboratory.shown_history().end();
    let (before, newest) = (marks(&laboratory), end(&laboratory));
    assert!(before.len() >= 2, "{before:?}");
    laboratory.undo();
    while laboratory.history().end() == newest {
        assert!(laboratory.recomputation_left().is_some(), "it is computed again");
        laboratory.advance(0.0);
    }
    assert_eq!((marks(&laboratory), end(&laboratory)), (before.clone(), newest));
    laboratory.finish_recomputation();
    assert!(marks(&laboratory).len() < before.len(), "the mark of the edit has gone");
}

#[test]
fn an_undo_that_is_given_up_leaves_everything_as_it_was() {
    for waits in [0, 3, 20] {
        check(|it| assert_eq!(it.undo(), UndoOutcome::Done("the pin")), waits);
        check(
            |it| {
                let first = it.edits().next().map_or(0, |edit| edit.id);
                assert_eq!(it.remove_edit(first), UndoOutcome::Removed("the cut"));
                assert_eq!(it.undo(), UndoOutcome::Waiting, "it is given up, too");
                assert_eq!(it.waiting_undos_and_redos(), [1, 0]);
            },
            waits,
        );
    }
}

#[test]
fn an_undo_from_the_past_that_is_given_up_leads_back_to_that_moment() {
    let mut laboratory = with_edits();
    laboratory.slice = Duration::MAX;
    laboratory.travel(SessionMoment { events: 20, missing_steps: 0 });
    laboratory.slice = Duration::ZERO;
    let before = now(&laboratory);
    assert_eq!(laboratory.undo(), UndoOutcome::Done("the pin"));
    laboratory.advance(0.0);
    assert!(laboratory.cancel_recomputation());
    assert_eq!(now(&laboratory), before);
    assert!(laboratory.history().is_past());
}
