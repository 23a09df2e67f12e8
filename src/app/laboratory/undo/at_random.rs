//! Random sessions of the window. After any sequence of actions, the recording replays to the same
//! bits. Undoing and redoing an edit gives the bits that the session had before the undo.

use super::every_kind::{gestures, laboratory};
use super::tests::{finish, replays};
use super::*;
use crate::app::laboratory::UndoOutcome;
use crate::app::laboratory::edits::{Edit, EditState};
use crate::numerics::random::Random;
use crate::preset::Preset;
use crate::scene::dials::dials_of;
use crate::session::SessionMoment;
use crate::simulation::settings::{Command, Settings};
use std::time::Duration;

/// Number of random sessions, unless `ROPELAB_HANDS` sets it.
const SESSIONS: u64 = 32;
const ACTS: usize = 40;

/// Returns the index of a random lane, or occasionally the index after the last lane.
fn some_lane(laboratory: &Laboratory, random: &mut Random) -> usize {
    random.below(laboratory.session().lanes().len() + 1)
}

fn other_step(laboratory: &mut Laboratory, random: &mut Random) -> String {
    let lane = some_lane(laboratory, random);
    let settings = *laboratory.selected().simulation.settings();
    let dt = random.pick(&[0.001, 0.002, 0.004]);
    laboratory.command(Command::Configure { lane, settings: Settings { dt, ..settings } });
    laboratory.end_slider_drag();
    format!("settings of lane {lane}")
}

fn other_number(laboratory: &mut Laboratory, random: &mut Random) -> String {
    let dials = dials_of(laboratory.session().scene());
    let dial = random.pick(&dials.iter().flat_map(|of| of.dials.clone()).collect::<Vec<_>>());
    let factor = random.pick(&[0.5, 2.0]);
    let refused = laboratory.change_scene(dial.turned_to(dial.own * factor));
    laboratory.end_slider_drag();
    format!("{:?} × {factor}: {refused:?}", dial.kind)
}

fn other_lanes(laboratory: &mut Laboratory, random: &mut Random) -> &'static str {
    match random.below(4) {
        0 => {
            laboratory.command(Command::RemoveLane(some_lane(laboratory, random)));
            "a lane goes"
        }
        1 => {
            laboratory.command(Command::DuplicateLane(some_lane(laboratory, random)));
            "a lane comes"
        }
        2 => {
            laboratory.begin_comparison(random.pick(&Preset::ALL));
            "comparison"
        }
        _ => {
            laboratory.restore_lanes();
            "own lanes"
        }
    }
}

fn act(laboratory: &mut Laboratory, random: &mut Random) -> String {
    match random.below(24) {
        0..6 => {
            laboratory.whole_frames(1 + random.below(6) as u32);
            "frames".into()
        }
        6..9 => {
            let (name, commands) = random.pick(&gestures());
            for command in commands {
                laboratory.command(command);
                if random.chance(0.5) {
                    laboratory.advance(1.0 / 60.0);
                }
            }
            laboratory.end_slider_drag();
            name.into()
        }
        9 => other_step(laboratory, random),
        10 => other_number(laboratory, random),
        11 => other_lanes(laboratory, random).into(),
        12..15 => format!("{:?}", laboratory.undo()),
        15..17 => format!("{:?}", laboratory.redo()),
        17 => {
            let (start, end) =
                (laboratory.history().start().events, laboratory.history().end().events);
            let events = start + random.below(end - start + 1);
            laboratory.travel(SessionMoment { events, missing_steps: 0 });
            format!("to {events} of {end}")
        }
        18 => {
            laboratory.travel_by(crate::session::History::step_before);
            "a step back".into()
        }
        19 => {
            laboratory.command(Command::Pause(random.chance(0.3)));
            "pause or play".into()
        }
        20 | 21 => match some_edit(laboratory, random) {
            Some(edit) => format!("out with {}: {:?}", edit.name, laboratory.remove_edit(edit.id)),
            None => "nothing to take out".into(),
        },
        22 => {
            laboratory.switch_branch();
            "branch".into()
        }
        _ => {
            laboratory.command(Command::Reset);
            "restart".into()
        }
    }
}

/// Undoes and redoes the newest `Hand` edit, and checks that the session has the same bits as
/// before.
fn undo_and_redo(laboratory: &mut Laboratory) {
    let before = laboratory.session().hashes();
    let Some(Edit { kind: EditKind::Hand { .. }, .. }) = laboratory.edits.lists.done.last() else {
        return;
    };
    let UndoOutcome::Done(name) = laboratory.undo() else { return };
    finish(laboratory);
    assert_eq!(laboratory.redo(), UndoOutcome::Done(name));
    finish(laboratory);
    assert_eq!(laboratory.session().hashes(), before, "{name} was undone and done again");
}

fn some_edit(laboratory: &Laboratory, random: &mut Random) -> Option<ListedEdit> {
    let done: Vec<_> = laboratory.edits().filter(|edit| edit.state == EditState::Done).collect();
    (!done.is_empty()).then(|| random.pick(&done))
}

/// Removes an edit from any position in the list, restores it, and checks that the session has the
/// same bits as before.
fn take_out_and_put_back(laboratory: &mut Laboratory, random: &mut Random) {
    let before = laboratory.session().hashes();
    let Some(edit) = some_edit(laboratory, random) else { return };
    let UndoOutcome::Removed(name) = laboratory.remove_edit(edit.id) else { return };
    finish(laboratory);
    replays(laboratory);
    assert_eq!(laboratory.undo(), UndoOutcome::Restored(name));
    finish(laboratory);
    assert_eq!(laboratory.session().hashes(), before, "{name} was taken out and put back");
}

fn session(seed: u64) {
    let mut random = Random::new(seed);
    let mut laboratory = laboratory();
    // With one event per frame most actions arrive while the previous one is still being computed.
    laboratory.slice = Duration::ZERO;
    let mut done = Vec::new();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for _ in 0..ACTS {
            let done_now = act(&mut laboratory, &mut random);
            done.push(done_now);
            if random.chance(0.6) {
                finish(&mut laboratory);
            }
            if random.chance(0.15) {
                finish(&mut laboratory);
                if !laboratory.history().is_past() {
                    undo_and_redo(&mut laboratory);
                    take_out_and_put_back(&mut laboratory, &mut random);
                    replays(&laboratory);
                }
            }
        }
        finish(&mut laboratory);
        laboratory.command(Command::Pause(false));
        laboratory.whole_frames(3);
        replays(&laboratory);
    }));
    if let Err(panic) = outcome {
        eprintln!("seed {seed}: {done:#?}");
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn whatever_is_done_in_whatever_order_the_recording_has_the_bits_of_the_session() {
    let asked = std::env::var("ROPELAB_HANDS").ok().and_then(|count| count.parse().ok());
    (0..asked.unwrap_or(SESSIONS)).for_each(session);
}
