//! Tests: undo, redo and travel preserve the state of the displays of lanes. A lane is one of the
//! scene's simulations that run side by side.

use super::every_kind::laboratory;
use super::tests::{redo, replays, undo};
use super::*;
use crate::app::laboratory::UndoOutcome;
use crate::session::SessionMoment;
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::FrameSource;

/// Displays whose frames are longer than those of the window, or differ in length.
fn sources() -> [FrameSource; 4] {
    [
        FrameSource::Constant { rate: 30.0 },
        FrameSource::Jitter { rate: 40.0, jitter: 0.3, seed: 2 },
        FrameSource::Spike { rate: 50.0, every: 3, spike: 0.06 },
        FrameSource::Load { rest: 0.021, step: 1e-4 },
    ]
}

/// Returns two equal laboratories. Two frames after their start, the first lane gets the frame
/// source; `frames` frames follow.
fn pair(source: &FrameSource, frames: u32) -> [Laboratory; 2] {
    [laboratory(), laboratory()].map(|mut it| {
        it.whole_frames(2);
        let color = it.session().lanes()[0].color;
        it.set_frame_source(color, source.clone());
        it.whole_frames(frames);
        it
    })
}

fn assert_equal(laboratory: &Laboratory, untouched: &Laboratory, what: &str) {
    assert_eq!(laboratory.session().hashes(), untouched.session().hashes(), "{what}");
}

/// Runs frames in both laboratories and checks after each frame that both have the same bits.
fn run_both(laboratory: &mut Laboratory, untouched: &mut Laboratory, what: &str) {
    for frame in 0..6 {
        laboratory.whole_frames(1);
        untouched.whole_frames(1);
        assert_equal(laboratory, untouched, &format!("{what}, frame {frame}"));
    }
}

#[test]
fn a_lane_that_comes_back_has_had_the_frames_of_its_own_display() {
    for source in sources() {
        for frames in [7, 10] {
            let what = format!("{source:?} after {frames} frames");
            let [mut laboratory, mut untouched] = pair(&source, frames);
            laboratory.command(Command::RemoveLane(0));
            for laboratory in [&mut laboratory, &mut untouched] {
                laboratory.whole_frames(9);
            }
            undo(&mut laboratory, "the removal of a lane");
            run_both(&mut laboratory, &mut untouched, &what);
            redo(&mut laboratory, "the removal of a lane");
            for laboratory in [&mut laboratory, &mut untouched] {
                laboratory.whole_frames(1);
            }
            undo(&mut laboratory, "the removal of a lane");
            run_both(&mut laboratory, &mut untouched, &what);
            replays(&laboratory);
        }
    }
}

#[test]
fn an_added_lane_that_is_redone_has_had_the_frames_of_its_own_display() {
    for source in sources() {
        let [mut laboratory, mut untouched] = pair(&source, 3);
        for laboratory in [&mut laboratory, &mut untouched] {
            laboratory.command(Command::DuplicateLane(0));
            laboratory.whole_frames(3);
        }
        undo(&mut laboratory, "the new lane");
        for laboratory in [&mut laboratory, &mut untouched] {
            laboratory.whole_frames(3);
        }
        redo(&mut laboratory, "the new lane");
        run_both(&mut laboratory, &mut untouched, &format!("{source:?}"));
        replays(&laboratory);
    }
}

/// The removal of an earlier edit repeats the frames of all displays. A lane that is restored
/// afterwards has the display of the repeated run.
#[test]
fn a_lane_comes_back_with_its_display_after_an_earlier_edit_is_removed() {
    for source in sources() {
        let [mut laboratory, mut untouched] = pair(&source, 3);
        laboratory.command(Command::TogglePin(5));
        laboratory.end_slider_drag();
        [&mut laboratory, &mut untouched].into_iter().for_each(|it| it.whole_frames(4));
        laboratory.command(Command::RemoveLane(0));
        [&mut laboratory, &mut untouched].into_iter().for_each(|it| it.whole_frames(2));
        let edits: Vec<ListedEdit> = laboratory.edits().collect();
        for (edit, name) in edits.iter().zip(["the pin", "the removal of a lane"]) {
            assert_eq!(laboratory.remove_edit(edit.id), UndoOutcome::Removed(name));
            laboratory.finish_recomputation();
        }
        run_both(&mut laboratory, &mut untouched, &format!("{source:?}"));
        replays(&laboratory);
    }
}

#[test]
fn a_session_that_was_in_the_past_continues_with_the_same_frames() {
    for source in sources() {
        for events in 0..6 {
            let [mut laboratory, mut untouched] = pair(&source, 5);
            let newest = laboratory.history().end();
            for place in [SessionMoment { events, missing_steps: 0 }, newest] {
                laboratory.travel(place);
                laboratory.finish_travel();
            }
            assert_eq!(*laboratory.session().lanes()[0].display.source(), source);
            laboratory.command(Command::Pause(false));
            run_both(&mut laboratory, &mut untouched, &format!("{source:?}, event {events}"));
        }
    }
}

/// A session that continues from an earlier moment has the bits of a session that never went beyond
/// that moment.
#[test]
fn a_session_continues_from_the_past_with_the_frames_of_that_moment() {
    for source in sources() {
        for frames in 0..5 {
            let [mut laboratory, _] = pair(&source, 5);
            let [mut untouched, _] = pair(&source, frames);
            let place = SessionMoment { events: 2 + frames as usize, missing_steps: 0 };
            laboratory.travel(place);
            laboratory.finish_travel();
            laboratory.command(Command::Pause(false));
            run_both(&mut laboratory, &mut untouched, &format!("{source:?}, frame {frames}"));
            replays(&laboratory);
        }
    }
}

/// If a display is chosen while the past is shown, the session continues from the shown moment.
#[test]
fn a_display_of_the_past_begins_a_branch() {
    let [slow, fast] = [30.0, 50.0].map(|rate| FrameSource::Constant { rate });
    let [mut laboratory, _] = pair(&slow, 5);
    laboratory.travel(SessionMoment { events: 4, missing_steps: 0 });
    laboratory.finish_travel();
    let color = laboratory.session().lanes()[0].color;
    laboratory.set_frame_source(color, fast.clone());
    assert!(!laboratory.history().is_past());
    laboratory.travel(laboratory.history().start());
    laboratory.finish_travel();
    laboratory.travel(laboratory.history().end());
    laboratory.finish_travel();
    assert_eq!(*laboratory.session().lanes()[0].display.source(), fast);
}
