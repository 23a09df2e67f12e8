//! Tests: a branch keeps the edits that were made in it. A branch is another continuation of the
//! session from the same moment.

use super::tests::{is_undone, laboratory, redo, replays, undo};
use super::undo_in_the_past::show_moment;
use super::*;
use crate::app::laboratory::edits::CUT;
use crate::simulation::settings::{Command, Settings};

fn continue_from_event(laboratory: &mut Laboratory, events: usize) {
    show_moment(laboratory, events);
    laboratory.command(Command::Pause(false));
    assert!(!laboratory.history().is_past());
}

fn switch_to_next_branch(laboratory: &mut Laboratory) {
    laboratory.switch_branch();
    laboratory.finish_travel();
    assert!(!laboratory.history().is_past() && laboratory.session().paused());
}

fn listed(laboratory: &Laboratory) -> Vec<(&'static str, bool)> {
    laboratory.edits().map(|edit| (edit.name, is_undone(&edit))).collect()
}

fn untouched(count: u32) -> Vec<u64> {
    let mut laboratory = laboratory();
    laboratory.whole_frames(count);
    laboratory.session().hashes()
}

#[test]
fn edits_within_a_branch_are_undone_after_it_was_taken_up() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(30);
    laboratory.command(Command::Cut(vec![2]));
    laboratory.whole_frames(40);
    continue_from_event(&mut laboratory, 20);
    assert_eq!(listed(&laboratory), []);
    laboratory.whole_frames(10);
    laboratory.command(Command::TogglePin(5));
    laboratory.whole_frames(20);
    let pinned = laboratory.session().hashes();
    switch_to_next_branch(&mut laboratory);
    assert_eq!(listed(&laboratory), [(CUT, false)]);
    undo(&mut laboratory, CUT);
    assert_eq!(laboratory.session().hashes(), untouched(70));
    replays(&laboratory);
    switch_to_next_branch(&mut laboratory);
    assert_eq!(laboratory.session().hashes(), pinned);
    assert_eq!(listed(&laboratory), [("the pin", false)]);
    undo(&mut laboratory, "the pin");
    assert_eq!(laboratory.session().hashes(), untouched(50));
    switch_to_next_branch(&mut laboratory);
    assert_eq!(listed(&laboratory), [(CUT, true)], "what was undone travels with it");
    redo(&mut laboratory, CUT);
    assert_ne!(laboratory.session().hashes(), untouched(70));
    replays(&laboratory);
}

#[test]
fn what_was_undone_before_the_moment_one_goes_on_from_can_be_done_again() {
    let cut = |laboratory: &mut Laboratory| {
        laboratory.whole_frames(10);
        laboratory.command(Command::Cut(vec![2]));
        laboratory.whole_frames(20);
    };
    let mut laboratory = laboratory();
    cut(&mut laboratory);
    laboratory.command(Command::TogglePin(5));
    laboratory.whole_frames(20);
    undo(&mut laboratory, "the pin");
    undo(&mut laboratory, CUT);
    continue_from_event(&mut laboratory, 25);
    laboratory.whole_frames(5);
    assert_eq!(listed(&laboratory), [(CUT, true)], "the pin would come later");
    redo(&mut laboratory, CUT);
    let mut straight = super::tests::laboratory();
    cut(&mut straight);
    assert_eq!(laboratory.session().hashes(), straight.session().hashes());
    replays(&laboratory);
}

#[test]
fn settings_that_were_not_undone_yet_can_be_undone_where_one_goes_on() {
    let mut laboratory = laboratory();
    let old = *laboratory.selected().simulation.settings();
    let settings = Settings { dt: 0.003, ..old };
    laboratory.whole_frames(10);
    laboratory.command(Command::Configure { lane: 0, settings });
    laboratory.whole_frames(30);
    undo(&mut laboratory, "the change of dt");
    laboratory.whole_frames(30);
    continue_from_event(&mut laboratory, 25);
    assert_eq!(listed(&laboratory), [("the change of dt", false)]);
    assert_eq!(*laboratory.selected().simulation.settings(), settings);
    undo(&mut laboratory, "the change of dt");
    assert_eq!(*laboratory.selected().simulation.settings(), old);
    switch_to_next_branch(&mut laboratory);
    assert_eq!(listed(&laboratory), [("the change of dt", true)]);
    replays(&laboratory);
}

#[test]
fn undo_of_an_edit_before_a_branch_leaves_the_branch() {
    let mut laboratory = laboratory();
    laboratory.whole_frames(10);
    laboratory.command(Command::Cut(vec![2]));
    laboratory.whole_frames(50);
    let with = laboratory.session().hashes();
    continue_from_event(&mut laboratory, 40);
    laboratory.whole_frames(10);
    undo(&mut laboratory, CUT);
    let without = laboratory.session().hashes();
    switch_to_next_branch(&mut laboratory);
    assert_eq!(laboratory.session().hashes(), with, "it has the cut still");
    replays(&laboratory);
    switch_to_next_branch(&mut laboratory);
    assert_eq!(laboratory.session().hashes(), without);
    switch_to_next_branch(&mut laboratory);
    undo(&mut laboratory, CUT);
    assert_eq!(laboratory.session().hashes(), untouched(60));
    replays(&laboratory);
}

#[test]
fn each_of_several_branches_takes_its_turn_with_its_edits() {
    let mut laboratory = laboratory();
    let mut ends = Vec::new();
    for (number, from) in [30, 45, 15].into_iter().enumerate() {
        laboratory.whole_frames(30);
        laboratory.command(Command::TogglePin(2 + number as u32));
        laboratory.whole_frames(30);
        ends.push((laboratory.session().hashes(), listed(&laboratory)));
        continue_from_event(&mut laboratory, from);
    }
    laboratory.whole_frames(30);
    ends.push((laboratory.session().hashes(), listed(&laboratory)));
    let mut seen = Vec::new();
    for _ in 0..8 {
        switch_to_next_branch(&mut laboratory);
        seen.push((laboratory.session().hashes(), listed(&laboratory)));
        replays(&laboratory);
    }
    for (number, end) in ends.iter().enumerate() {
        assert!(seen.contains(end), "course {number} is taken up in its turn");
    }
    assert!(seen.iter().all(|end| ends.contains(end)));
}
