//! Recording files: written, read, incomplete and invalid ones.

use super::FREE;
use super::{SCENE, session};
use glam::{DVec3, dvec3};
use ropelab::model::Throw;
use ropelab::session::Event;
use ropelab::session::recording::{MAGIC_LINE, Record, Recording, Start};
use ropelab::simulation::settings::{Command, GrabMode, Settings};

/// Returns the lines of a recording of 20 frames with a drag, and the hashes at its end.
pub(super) fn record_drag() -> (Vec<String>, Vec<u64>) {
    let mut session = session();
    let start = Start {
        program: "0.1.0".into(),
        file: "scene.ron".into(),
        scene: SCENE.into(),
        lanes: session.scene().lanes.clone(),
        speed: 1.0,
        paused: false,
    };
    let mut lines = vec![MAGIC_LINE.to_owned(), Record::Start(start).line()];
    for frame in 0..20 {
        let at = dvec3(1.0, 0.01 * f64::from(frame), 0.2);
        let command = match frame {
            0 => Command::Grab { particle: FREE, mode: GrabMode::Hard, at },
            _ => Command::MoveHand(at),
        };
        session.command(command.clone());
        lines.push(Record::Event(Event::Command(Box::new(command))).line());
        lines.push(Record::Event(session.advance(1.0 / 60.0, &|| 0.0)).line());
    }
    lines.push(Record::Hashes(session.hashes()).line());
    (lines, session.hashes())
}

pub(super) fn read_recording(lines: &[String]) -> Recording {
    Recording::read(lines.concat().as_bytes(), "x.rec").unwrap_or_else(|e| panic!("{e}"))
}

pub(super) fn error_of(text: &str) -> String {
    Recording::read(text.as_bytes(), "x.rec").expect_err("it is refused").to_string()
}

#[test]
fn a_recording_that_is_written_and_read_replays_to_the_same_hashes() {
    let (lines, hashes) = record_drag();
    let (session, replay) = read_recording(&lines).replay();
    assert_eq!((replay.frames, replay.commands, replay.compared), (20, 20, 1));
    assert_eq!(replay.difference, None);
    assert_eq!(session.hashes(), hashes);
}

#[test]
fn a_replay_says_where_it_differs() {
    let (mut lines, _) = record_drag();
    // The recording lacks one event.
    lines.remove(10);
    let difference = read_recording(&lines).replay().1.difference.expect("other hashes");
    assert_eq!((difference.frame, difference.lane), (20, 0));
}

#[test]
fn a_recording_that_was_cut_off_plays_to_its_last_good_line() {
    let (lines, _) = record_drag();
    let whole = lines.concat();
    for end in [whole.len() - 1, whole.len() - 300, lines[..12].concat().len() + 20] {
        let recording = Recording::read(&whole.as_bytes()[..end], "x.rec").expect("a beginning");
        let reason = recording.truncation().expect("it says that it ends early");
        assert!(reason.ends_with("the line is incomplete"), "{reason}");
        let complete = whole[..end].matches('\n').count() - 1;
        assert_eq!(recording.records().len(), complete);
    }
    let mut damaged = lines.clone();
    damaged[10] = damaged[10].replacen('0', "1", 1);
    let recording = read_recording(&damaged);
    assert_eq!(recording.records().len(), 9, "before line 11, without the first line");
    let reason = recording.truncation().expect("damage");
    assert!(reason.starts_with("line 11: found checksum "), "{reason}");
}

#[test]
fn what_is_no_recording_is_refused_with_place_finding_and_remedy() {
    let (lines, _) = record_drag();
    assert_eq!(
        error_of("(version: 1, name: \"rope\")\n"),
        "x.rec:1: found \"(version: 1, name: \"rope\")\", expected \"ropelab recording 1\": this is \
         not a recording; `ropelab --record FILE` makes one"
    );
    assert_eq!(
        error_of("ropelab recording 7\n"),
        "x.rec:1: found version 7 of recordings, expected 1: another version of ropelab wrote it"
    );
    assert_eq!(
        error_of(MAGIC_LINE),
        "x.rec:2: the file ends here, expected the start of a session"
    );
    assert_eq!(
        error_of(&[&lines[0][..], &lines[3]].concat()),
        "x.rec:2: expected the start of a session as the first record"
    );
    assert!(error_of("").starts_with("x.rec:1: found \"\""));
    let with = |record: Record| error_of(&[&lines[0], &lines[1], &record.line()[..]].concat());
    let event = |seconds| Record::Event(Event::Frame { seconds, lanes: vec![] });
    assert_eq!(
        with(event(-1.0)),
        "x.rec:3: the length of a frame is -1, expected a number of seconds, at least 0"
    );
    let settings = Settings { dt: 7.0, ..Settings::default() };
    assert_eq!(
        with(Record::Event(Event::Command(Box::new(Command::Configure { lane: 0, settings })))),
        "x.rec:3: dt is 7; expected 0.000001 to 1 seconds"
    );
    let at = DVec3::NAN;
    assert!(
        with(Record::Event(Event::Command(Box::new(Command::MoveHand(at))))).contains("finite")
    );
    let ball = Throw { at: DVec3::ZERO, velocity: DVec3::ONE, mass: 0.0, radius: 0.1 };
    let throw = |throw| with(Record::Event(Event::Command(Box::new(Command::Throw(throw)))));
    assert_eq!(
        throw(ball),
        "x.rec:3: the mass of a thrown ball is 0; expected 1e-15 to 1e15 kilograms"
    );
    assert_eq!(
        throw(Throw { mass: 1.0, at, ..ball }),
        "x.rec:3: the place of a thrown ball is [NaN, NaN, NaN]; expected metres from -1e15 to 1e15"
    );
}

#[test]
fn a_scene_in_a_recording_is_checked_like_any_other() {
    let (mut lines, _) = record_drag();
    let start = Start {
        program: String::new(),
        file: "bad.ron".into(),
        scene: "(version: 1, nam: \"x\")".into(),
        lanes: session().scene().lanes.clone(),
        speed: 1.0,
        paused: false,
    };
    lines[1] = Record::Start(start).line();
    let text = error_of(&lines.concat());
    assert!(
        text.starts_with("x.rec:2: the scene in this recording cannot be used: bad.ron:1:"),
        "{text}"
    );
}
