//! History of a session within a memory budget: after a jump to any moment, the state has the bits
//! of an uninterrupted run.

use super::recording::arbitrary::any_event;
use super::recording::{apply_and_note, drifts, full_state, session, session_among_obstacles};
use glam::DVec3;
use proptest::prelude::*;
use ropelab::constraint::ConstraintSolver;
use ropelab::integrate::Method;
use ropelab::model::Throw;
use ropelab::scene::library;
use ropelab::session::{
    Event, History, LaneFrame, MarkKind, Session, SessionMoment, SessionSnapshot,
};
use ropelab::simulation::settings::{Command, LinkMode, SceneNumber, Settings};
use std::sync::Arc;

/// State of a session after an event.
struct Moment {
    hashes: Vec<u64>,
    drifts: Vec<f64>,
    snapshot: SessionSnapshot,
}

impl Moment {
    fn of(session: &Session) -> Self {
        Self { hashes: session.hashes(), drifts: drifts(session), snapshot: session.snapshot() }
    }

    /// Returns the same text as `full_state` did at this moment.
    fn text(&self) -> String {
        let Self { hashes, drifts, snapshot } = self;
        format!("{hashes:?} {drifts:?} {snapshot:?}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_moment_and_what_follows_have_the_bits_of_the_straight_run(
        events in prop::collection::vec(any_event(), 1..160),
        other in prop::collection::vec(any_event(), 0..20),
        places in prop::collection::vec(0.0..1.0f64, 1..6),
        keyframes in 3..40usize,
        keeps_accounts in any::<bool>(),
    ) {
        let mut session = session_among_obstacles();
        session.keep_energy_accounts(keeps_accounts);
        let mut history = History::new(&session, keyframes * session.snapshot().bytes());
        let mut states = vec![Moment::of(&session)];
        for event in &events {
            apply_and_note(&mut history, &mut session, std::slice::from_ref(event));
            states.push(Moment::of(&session));
        }
        let kept = history.start().events;
        let place = |fraction: f64| kept + (fraction * (events.len() - kept) as f64) as usize;
        for fraction in &places {
            let place = SessionMoment { events: place(*fraction), missing_steps: 0 };
            history.go_to(&mut session, place);
            prop_assert_eq!(&session.hashes(), &states[place.events].hashes);
            // A step backwards and forwards, which may be within a frame.
            if let Some(before) = history.step_before(place) {
                history.go_to(&mut session, before);
                history.go_to(&mut session, place);
                prop_assert_eq!(&session.hashes(), &states[place.events].hashes);
            }
        }
        let from = place(places[0]);
        history.go_to(&mut session, SessionMoment { events: from, missing_steps: 0 });
        history.continue_from_here(&mut session);
        prop_assert_eq!(&full_state(&session), &states[from].text(), "going on");
        apply_and_note(&mut history, &mut session, &events[from..]);
        prop_assert_eq!(&full_state(&session), &states[events.len()].text(), "the same again");
        history.go_to(&mut session, SessionMoment { events: from.max(history.start().events), missing_steps: 0 });
        history.continue_from_here(&mut session);
        apply_and_note(&mut history, &mut session, &other);
        if events.len() - from >= 20 && history.branch().is_some() {
            let there = full_state(&session);
            history.switch_branch(&mut session);
            while !history.continue_travel(&mut session, || true) {}
            prop_assert_eq!(&full_state(&session), &states[events.len()].text(), "the branch");
            // Switching to every branch once returns to the first branch.
            let count = history.branches().len();
            for _ in 0..count {
                history.switch_branch(&mut session);
                while !history.continue_travel(&mut session, || true) {}
            }
            prop_assert_eq!(&full_state(&session), &there, "and to the first one again");
        }
    }
}

fn frame_event(seconds: f64, steps: u32, lanes: usize) -> Event {
    // A step cost of 2 µs makes keyframes as far apart as in the window.
    let lane = LaneFrame { steps, step_cost: 2e-6, ..LaneFrame::default() };
    Event::Frame { seconds, lanes: vec![lane; lanes] }
}

#[test]
fn ten_minutes_stay_reachable_within_the_budget() {
    let mut session = session();
    let budget = 60 * session.snapshot().bytes() + (1 << 23);
    let mut history = History::new(&session, budget);
    for minute in 0..10 {
        for _ in 0..3600 {
            apply_and_note(&mut history, &mut session, &[frame_event(1.0 / 60.0, 2, 2)]);
            assert!(history.bytes() <= budget, "minute {minute}: {}", history.bytes());
        }
    }
    assert_eq!(history.start().events, 0, "the first moment is kept");
    let far = history.events_to_repeat(SessionMoment { events: 3000, missing_steps: 0 });
    let near = history.events_to_repeat(SessionMoment { events: 35_950, missing_steps: 0 });
    assert!(near <= 60 && far <= 3600, "{near} and {far} frames to compute again");
}

#[test]
fn going_anywhere_in_the_default_scene_computes_a_second_of_it_at_most() {
    let scene = library::default_scene().load().unwrap_or_else(|e| panic!("{e}"));
    let mut session = Session::new(Arc::new(scene));
    let mut history = History::new(&session, 256 << 20);
    let lanes = session.lanes().len();
    for _ in 0..600 {
        let event = session.advance(1.0 / 60.0, &|| 0.0);
        assert!(matches!(&event, Event::Frame { lanes: done, .. } if done.len() == lanes));
        history.record(event, &session);
    }
    assert!(history.most_events_to_repeat() <= 60);
    // The history of ten seconds is so small that six minutes fit into the budget without thinning.
    assert!(history.bytes() < (256 << 20) / 36, "{} bytes", history.bytes());
}

#[test]
fn a_mark_leads_to_twenty_steps_before_an_explosion() {
    let mut session = session();
    let mut history = History::new(&session, 1 << 30);
    let mut settings = *session.lanes()[1].simulation.settings();
    settings.dt = 0.05;
    let wild = Event::Command(Box::new(Command::Configure { lane: 1, settings }));
    apply_and_note(&mut history, &mut session, &[wild]);
    for _ in 0..2000 {
        let event = session.advance(0.12, &|| 0.0);
        history.record(event, &session);
        if session.lanes()[1].simulation.explosion().is_some() {
            break;
        }
    }
    let explosion = session.lanes()[1].simulation.explosion().expect("explicit Euler explodes");
    let marks = history.marks();
    let is_explosion = |kind| matches!(kind, MarkKind::Explosion { lane: 1, .. });
    let mark = *marks.iter().find(|mark| is_explosion(mark.kind)).expect("a mark");
    assert_eq!(marks[0].kind, MarkKind::Settings);
    history.go_to(&mut session, history.before_explosion(&mark, 20));
    let steps = session.lanes()[1].simulation.steps();
    assert_eq!(steps, explosion.step.saturating_sub(20));
    assert!(history.is_past() && session.paused());
    history.continue_from_here(&mut session);
    assert!(history.marks().iter().all(|mark| !is_explosion(mark.kind)));
}

#[test]
fn what_is_undone_and_done_again_has_the_bits_of_a_session_with_and_without_it() {
    let give = |command| Event::Command(Box::new(command));
    let edits = [Command::Cut(vec![3, 40]), Command::TogglePin(35), Command::Reset];
    for edit in edits {
        // Simulates 200 frames of uneven length, with the edit at frame 70 (if there is one) and a
        // cut at frame 90.
        let run = |edit: Option<&Command>| {
            let mut session = session();
            let mut history = History::new(&session, 1 << 30);
            for frame in 0..200 {
                if frame == 70 {
                    edit.into_iter().for_each(|edit| {
                        apply_and_note(&mut history, &mut session, &[give(edit.clone())]);
                    });
                }
                if frame == 90 {
                    apply_and_note(&mut history, &mut session, &[give(Command::Cut(vec![7]))]);
                }
                let event = session.advance([0.016, 0.021, 0.009][frame % 3], &|| 0.0);
                history.record(event, &session);
            }
            (session, history)
        };
        let (mut session, mut history) = run(Some(&edit));
        let with = full_state(&session);
        let (without, _) = run(None);
        history.go_to(&mut session, SessionMoment { events: 70, missing_steps: 0 });
        let mut tail = history.take_later_events(&mut session);
        let undone = tail.remove(0);
        assert_eq!(undone, give(edit.clone()));
        let again = |session: &mut Session, history: &mut History, events: &[Event]| {
            for event in events {
                let event = session.apply_replanned(event, &[]);
                history.record(event, session);
            }
        };
        again(&mut session, &mut history, &tail);
        assert_eq!(full_state(&session), full_state(&without), "without {edit:?}");
        history.go_to(&mut session, SessionMoment { events: 70, missing_steps: 0 });
        let tail = history.take_later_events(&mut session);
        again(&mut session, &mut history, &[undone]);
        again(&mut session, &mut history, &tail);
        assert_eq!(full_state(&session), with, "with {edit:?}");
    }
}

#[test]
fn branches_keep_within_the_budget_and_the_one_left_last_stays_longest() {
    let mut session = session();
    let budget = 40 * session.snapshot().bytes();
    let mut history = History::new(&session, budget);
    let mut most = 0;
    for round in 0..200 {
        for _ in 0..120 {
            apply_and_note(&mut history, &mut session, &[frame_event(1.0 / 60.0, 2, 2)]);
            assert!(history.bytes() <= budget, "round {round}: {}", history.bytes());
        }
        let newest = history.branches().map(|branch| branch.number).max();
        assert_eq!(history.branch().map(|branch| branch.number), newest, "round {round}");
        most = most.max(history.branches().len());
        let events = history.end().events - 60;
        history.go_to(&mut session, SessionMoment { events, missing_steps: 0 });
        history.continue_from_here(&mut session);
    }
    assert!(most > 5 && history.branches().len() < 200, "{most} branches at most");
}

/// Returns times and total energies of the samples of a session's first lane.
fn samples(session: &Session) -> Vec<[f64; 2]> {
    let samples = session.lanes()[0].simulation.record().iter();
    samples.map(|sample| [sample.t, sample.energy.total()]).collect()
}

/// Returns a command that halves the step of a session's first lane.
fn half_step(session: &Session) -> Event {
    let mut settings = *session.lanes()[0].simulation.settings();
    settings.dt *= 0.5;
    Event::Command(Box::new(Command::Configure { lane: 0, settings }))
}

fn place_after(events: usize) -> SessionMoment {
    SessionMoment { events, missing_steps: 0 }
}

#[test]
fn plots_are_whole_at_every_moment_of_the_last_minute() {
    let mut session = session();
    let mut history = History::new(&session, 1 << 30);
    apply_and_note(&mut history, &mut session, &vec![frame_event(1.0 / 60.0, 8, 2); 600]);
    let whole = samples(&session);
    assert_eq!(whole.len(), 600);
    for events in [100, 600, 450, 130, 599, 3] {
        history.go_to(&mut session, place_after(events));
        assert_eq!(samples(&session), whole[..events], "at {events}");
    }
    // After a reset with another step the lane records other samples.
    history.go_to(&mut session, history.end());
    let configure = half_step(&session);
    apply_and_note(
        &mut history,
        &mut session,
        &[configure, Event::Command(Box::new(Command::Reset))],
    );
    assert!(samples(&session).is_empty());
    apply_and_note(&mut history, &mut session, &vec![frame_event(1.0 / 60.0, 8, 2); 600]);
    let again = samples(&session);
    assert_ne!(again, whole);
    for (events, expected) in [(300, &whole[..300]), (902, &again[..300]), (1202, &again[..])] {
        history.go_to(&mut session, place_after(events));
        assert!(samples(&session) == expected, "at {events}");
    }
}

#[test]
fn plots_of_a_branch_have_no_samples_of_another() {
    let mut session = session();
    let mut history = History::new(&session, 1 << 30);
    apply_and_note(&mut history, &mut session, &vec![frame_event(1.0 / 60.0, 8, 2); 300]);
    let whole = samples(&session);
    history.go_to(&mut session, place_after(100));
    history.continue_from_here(&mut session);
    let configure = half_step(&session);
    apply_and_note(&mut history, &mut session, &[configure]);
    apply_and_note(&mut history, &mut session, &vec![frame_event(1.0 / 60.0, 8, 2); 50]);
    history.go_to(&mut session, place_after(70));
    history.go_to(&mut session, history.end());
    let other = samples(&session);
    assert_eq!((&other[..100], other.len()), (&whole[..100], 150));
    assert!(other[100..].iter().all(|sample| !whole.contains(sample)));
    history.switch_branch(&mut session);
    while !history.continue_travel(&mut session, || true) {}
    let taken_up = samples(&session);
    assert_eq!(taken_up[..60], whole[..60]);
    assert!(taken_up.iter().all(|sample| whole.contains(sample)), "none of the other branch");
}

#[test]
fn a_ball_thrown_before_or_after_a_solver_is_chosen_changes_no_bit() {
    let command = |command| Event::Command(Box::new(command));
    let number = SceneNumber { path: "ropes[0].segments".into(), value: Some(7.0) };
    let at_rope = Throw { at: DVec3::ZERO, velocity: DVec3::ZERO, mass: 0.01, radius: 0.05 };
    for constraints in ConstraintSolver::all() {
        let settings = Settings {
            integrator: Method::ExplicitEuler,
            links: LinkMode::Constraints,
            constraints,
            dt: 0.002,
            ..Settings::default()
        };
        let throw = command(Command::Throw(at_rope));
        let configure = command(Command::Configure { lane: 0, settings });
        let hashes = |orders: [&Event; 2]| {
            let mut session = session_among_obstacles();
            session.apply(&command(Command::ChangeScene(vec![number.clone()])));
            orders.into_iter().for_each(|event| session.apply(event));
            (0..10).for_each(|_| session.apply(&frame_event(1.0 / 60.0, 8, 1)));
            session.hashes()
        };
        let name = constraints.info().name;
        assert_eq!(hashes([&throw, &configure]), hashes([&configure, &throw]), "{name}");
    }
}
