//! Test rig of a case: its session, history and recording, and all events. A run of the same events
//! without interruption (the "straight run") must give the same bits.

use super::act::Act;
use super::case::{Case, Failure};
use super::invariants::{self, CheckResult, Invariant};
use crate::preset::Preset;
use crate::scene::{LaneSetup, Scene};
use crate::session::edit_replay::RemovedCommands;
use crate::session::recording::{MAGIC_LINE, Record, Recording, Start};
use crate::session::{Event, History, LaneFrame, Session, SessionMoment};
use crate::simulation::settings::Command;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Greatest size in bytes of the events after the newest keyframe. The memory budget does not
/// include these events.
const UNBUDGETED_BYTES: usize = 200_000;
/// Cost per step in seconds that is recorded for a frame that the watchdog ended; 0 = unknown.
const STEP_COST: f64 = 0.0;

/// Additional invariant of a test. Returns a sentence if it is violated.
pub(super) type ExtraInvariant<'a> = &'a dyn Fn(&Session, &Act) -> Result<(), String>;

/// Numbers of events, comparisons and explosions in a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseCounts {
    /// Number of frames and commands.
    pub events: usize,
    /// Number of comparisons of bits.
    pub compared: usize,
    /// Number of lanes that had exploded at the end.
    pub exploded: usize,
}

/// Performs all acts of a case. Returns the first violated invariant as an error.
pub fn check_case(case: &Case) -> Result<CaseCounts, Failure> {
    check_case_until(case, &|| false)
}

/// Performs the acts of a case like [`check_case`]. Ends when `is_over` returns true before an act.
pub fn check_case_until(case: &Case, is_over: &dyn Fn() -> bool) -> Result<CaseCounts, Failure> {
    check_with(case, &|_, _| Ok(()), is_over)
}

pub(super) fn check_with(
    case: &Case,
    extra: ExtraInvariant,
    is_over: &dyn Fn() -> bool,
) -> Result<CaseCounts, Failure> {
    let mut acts = 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| -> Result<CaseCounts, (Invariant, String)> {
        let scene = case.scene().map_err(|error| (Invariant::Saved, error.to_string()))?;
        let mut rig = Rig::new(case, scene);
        for act in &case.acts {
            if is_over() {
                return Ok(rig.passed);
            }
            acts += 1;
            rig.perform(act)?;
            rig.check_invariants()?;
            extra(&rig.session, act).map_err(|finding| (Invariant::Extra, finding))?;
        }
        rig.perform(&Act::Reload)?;
        let exploded = |lane: &&crate::session::Lane| lane.simulation.explosion().is_some();
        rig.passed.exploded = rig.session.lanes().iter().filter(exploded).count();
        Ok(rig.passed)
    }));
    let (invariant, finding) = match outcome {
        Ok(Ok(passed)) => return Ok(passed),
        Ok(Err(broken)) => broken,
        Err(panic) => {
            let literal = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
            let said = literal.or_else(|| panic.downcast_ref::<String>().cloned());
            (Invariant::NoPanic, said.unwrap_or_default())
        }
    };
    Err(Failure { invariant, acts, finding })
}

/// Edit that was undone and may be redone.
pub(super) struct Undone {
    /// Number of events before the edit.
    pub place: usize,
    pub removed: RemovedCommands,
    /// Hashes of the lanes before the edit was undone.
    pub before: Vec<u64>,
    /// Numbers of events right after the undo: [events in the rig, events performed in all].
    pub after: [usize; 2],
}

pub(super) struct Rig<'a> {
    pub case: &'a Case,
    scene: Arc<Scene>,
    pub session: Session,
    pub history: History,
    budget: usize,
    /// All events so far, oldest first.
    pub events: Vec<Event>,
    /// Hashes of the lanes before each event and after the last event; empty if unknown.
    states: Vec<Vec<u64>>,
    pub recording: String,
    pub undone: Vec<Undone>,
    /// Ranges of events in which all lanes were replaced.
    pub exchanges: Vec<Range<usize>>,
    /// True if the watchdog has ended a frame. When an undo repeats such a frame, it contains all
    /// planned steps.
    pub was_ended: bool,
    pub passed: CaseCounts,
}

impl<'a> Rig<'a> {
    fn new(case: &'a Case, scene: Arc<Scene>) -> Self {
        let mut session = Session::new(scene.clone());
        session.keep_energy_accounts(case.keeps_account);
        let budget = case.keyframes * session.snapshot().bytes();
        let start = Start {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            file: case.file.clone(),
            scene: case.text.clone(),
            lanes: case.lanes.clone(),
            speed: 1.0,
            paused: false,
        };
        Self {
            case,
            history: History::new(&session, budget),
            states: vec![session.hashes()],
            session,
            scene,
            budget,
            events: Vec::new(),
            recording: MAGIC_LINE.to_owned() + &Record::Start(start).line(),
            undone: Vec::new(),
            exchanges: Vec::new(),
            was_ended: false,
            passed: CaseCounts::default(),
        }
    }

    fn perform(&mut self, act: &Act) -> CheckResult {
        match act {
            Act::Frame { seconds, steps } => self.frame(*seconds, *steps),
            Act::Command(command) => {
                self.continue_from_here()?;
                self.command(Command::clone(command));
                Ok(())
            }
            Act::Compare(preset, lane) => self.compare_lanes(*preset, *lane),
            Act::Seek(fraction) => {
                let first = self.history.start().events;
                let kept = self.history.end().events - first;
                let events = first + (fraction * (kept + 1) as f64) as usize;
                self.history.go_to(&mut self.session, SessionMoment { events, missing_steps: 0 });
                self.compare_with_state(events, "a seek")
            }
            Act::StepBack(steps) => self.step_back(*steps),
            Act::Undo(fraction) => self.undo(*fraction),
            Act::Redo => self.redo(),
            Act::SwitchBranch => self.switch_branch(),
            Act::Reload => self.reload(),
            Act::Save => self.save(),
        }
    }

    fn command(&mut self, command: Command) {
        self.session.command(command.clone());
        self.session.keep_energy_accounts(self.case.keeps_account);
        self.record_event(Event::Command(Box::new(command)));
    }

    /// Replaces all lanes by those of a comparison, as the window does.
    fn compare_lanes(&mut self, preset: Preset, lane: usize) -> CheckResult {
        self.continue_from_here()?;
        let place = lane.min(self.session.lanes().len() - 1);
        let settings = *self.session.lanes()[place].simulation.settings();
        let base = preset.base(&self.session.scene().parts, &settings);
        let start = self.events.len();
        while self.session.lanes().len() > 1 {
            self.command(Command::RemoveLane(1));
        }
        for (place, lane) in preset.lanes(&base).into_iter().enumerate() {
            let LaneSetup { name, settings, frames } = lane;
            if place == 0 {
                self.command(Command::Configure { lane: 0, settings });
                self.command(Command::NameLane { lane: 0, name });
            } else {
                self.command(Command::AddLane { name, settings });
            }
            self.session.set_frame_source(place, frames);
        }
        self.history.keep_moment(&self.session);
        self.command(Command::Reset);
        self.exchanges.push(start..self.events.len());
        Ok(())
    }

    fn frame(&mut self, seconds: f64, steps: Option<u32>) -> CheckResult {
        self.continue_from_here()?;
        let event = match steps {
            None => self.session.advance(seconds, &|| 0.0),
            Some(steps) => {
                self.was_ended = true;
                let lane = LaneFrame { steps, step_cost: STEP_COST, ..LaneFrame::default() };
                let lanes = vec![lane; self.session.lanes().len()];
                let event = Event::Frame { seconds, lanes };
                self.session.apply(&event);
                event
            }
        };
        let took_steps = |lane: usize| match &event {
            Event::Frame { lanes, .. } => {
                steps.is_none() && lanes.get(lane).is_some_and(|it| it.steps > 0)
            }
            Event::Command(_) => false,
        };
        let closed = invariants::check_energy_accounts(&self.session, took_steps);
        self.record_event(event);
        closed
    }

    pub fn record_event(&mut self, event: Event) {
        self.recording += &Record::Event(event.clone()).line();
        self.history.record(event.clone(), &self.session);
        self.events.push(event);
        self.states.push(self.session.hashes());
        self.passed.events += 1;
        if self.events.len().is_multiple_of(16) {
            self.recording += &Record::Hashes(self.session.hashes()).line();
        }
    }

    /// If the session shows an earlier moment, undoes all later events, so that the session
    /// continues from there.
    pub fn continue_from_here(&mut self) -> CheckResult {
        let Some(back) = self.history.continue_from_here(&mut self.session) else { return Ok(()) };
        self.recording += &Record::Back { events: back.events }.line();
        self.drop_last_events(back.events);
        if let Some(instead) = back.replacement {
            self.recording += &Record::Event(instead.clone()).line();
            self.events.push(instead);
            self.states.push(Vec::new());
            return self.compare_with_uninterrupted_run("continuing from within a frame");
        }
        self.compare_with_state(self.events.len(), "going on")
    }

    pub fn drop_last_events(&mut self, events: usize) {
        let left = self.events.len().saturating_sub(events);
        self.events.truncate(left);
        self.states.truncate(left + 1);
        self.undone.retain(|undone| undone.place <= left);
        self.exchanges.retain(|range| range.end <= left);
    }

    fn step_back(&mut self, steps: usize) -> CheckResult {
        for _ in 0..steps {
            if let Some(place) = self.history.step_before(self.history.shown_moment()) {
                self.history.go_to(&mut self.session, place);
            }
        }
        let here = self.history.shown_moment();
        if here.missing_steps == 0 {
            return self.compare_with_state(here.events, "steps back");
        }
        let hashes = self.session.hashes();
        let after = self.history.step_after(here);
        after.into_iter().for_each(|place| self.history.go_to(&mut self.session, place));
        self.history.go_to(&mut self.session, here);
        self.compare(&hashes, "a step forth and back")
    }

    fn switch_branch(&mut self) -> CheckResult {
        let Some((taken_back, events)) = self.history.switch_branch(&mut self.session) else {
            return Ok(());
        };
        self.history.continue_travel(&mut self.session, || false);
        self.recording += &Record::Back { events: taken_back }.line();
        self.drop_last_events(taken_back);
        for event in events {
            self.recording += &Record::Event(event.clone()).line();
            self.events.push(event);
            self.states.push(Vec::new());
        }
        self.compare_with_uninterrupted_run("switching to the branch")
    }

    fn reload(&mut self) -> CheckResult {
        self.continue_from_here()?;
        let end = Record::Digests(self.session.digests()).line()
            + &Record::Hashes(self.session.hashes()).line();
        let bytes = self.recording.clone() + &end;
        let broken = |finding: String| (Invariant::Recording, finding);
        let recording = Recording::read(bytes.as_bytes(), "case.rec")
            .map_err(|error| broken(error.to_string()))?;
        if let Some(reason) = recording.truncation() {
            return Err(broken(reason.to_owned()));
        }
        let (mut session, replay) = recording.verify();
        self.passed.compared += 1;
        if let Some(difference) = replay.difference {
            return Err(broken(format!("{difference:?}")));
        }
        session.keep_energy_accounts(self.case.keeps_account);
        self.session = session;
        // The history is rebuilt from the events, as when the window opens a recording.
        let mut again = Session::new(self.scene.clone());
        self.history = History::new(&again, self.budget);
        for event in &self.events {
            again.apply(event);
            self.history.record(event.clone(), &again);
        }
        self.session = again;
        self.session.keep_energy_accounts(self.case.keeps_account);
        self.compare_with_uninterrupted_run("a reload")
    }

    fn save(&mut self) -> CheckResult {
        let broken = |finding: String| (Invariant::Saved, finding);
        let read = |text: &str| {
            Scene::parse(text, "saved.ron").map_err(|error| broken(format!("{error}\n{text}")))
        };
        let setups = self.session.lanes().iter().map(|lane| LaneSetup {
            name: lane.name.clone(),
            settings: *lane.simulation.settings(),
            frames: lane.display.source().clone(),
        });
        let setups: Vec<_> = setups.collect();
        let Some(first) = self.session.lanes().first() else { return Ok(()) };
        let scene = self.session.scene();
        let saved = read(&scene.to_ron_with(&setups, first.simulation.model()))?;
        let settings =
            |lanes: &[LaneSetup]| lanes.iter().map(|lane| lane.settings).collect::<Vec<_>>();
        if settings(&saved.lanes) != settings(&setups) {
            return Err(broken("its lanes have other settings".to_owned()));
        }
        for (setup, lane) in setups.iter().zip(self.session.lanes()) {
            // A state that cannot be the start of a scene is refused with a message.
            let Ok(text) = scene.to_ron_from(setup, &lane.simulation) else { continue };
            let saved = read(&text)?;
            let (then, now) = (&saved.parts.mesh.positions, &lane.simulation.state().x);
            let count = scene.parts.mesh.positions.len();
            if then[..count] != now[..count] {
                return Err(broken("its particles are elsewhere".to_owned()));
            }
        }
        Ok(())
    }

    /// Compares the bits of the session with the bits that it had after the first `events` events.
    fn compare_with_state(&mut self, events: usize, what: &str) -> CheckResult {
        match self.states.get(events).cloned() {
            Some(hashes) => self.compare(&hashes, what),
            None => Err((
                Invariant::SameBits,
                format!("{what} leads to event {events}, which does not exist"),
            )),
        }
    }

    /// Compares the bits of the session with those of an uninterrupted run of the same events.
    pub fn compare_with_uninterrupted_run(&mut self, what: &str) -> CheckResult {
        let mut straight = Session::new(self.scene.clone());
        for (place, event) in self.events.iter().enumerate() {
            straight.apply(event);
            self.states[place + 1] = straight.hashes();
        }
        let hashes = straight.hashes();
        self.compare(&hashes, what)
    }

    pub fn compare(&mut self, hashes: &[u64], what: &str) -> CheckResult {
        self.passed.compared += 1;
        let now = self.session.hashes();
        if now == hashes {
            return Ok(());
        }
        let lane =
            now.iter().zip(hashes).position(|(a, b)| a != b).unwrap_or(now.len().min(hashes.len()));
        let [here, there] = [now.len(), hashes.len()];
        Err((
            Invariant::SameBits,
            format!(
                "{what}: lane {} is the first to differ; {here} lanes, {there} expected",
                lane + 1
            ),
        ))
    }

    fn check_invariants(&self) -> CheckResult {
        invariants::check_lanes(&self.session, self.case.rings)?;
        let (bytes, newest) = (self.history.bytes(), self.session.snapshot().bytes());
        let most = self.budget + 2 * newest + UNBUDGETED_BYTES;
        if bytes > most {
            return Err((Invariant::Memory, format!("{bytes} bytes, expected at most {most}")));
        }
        if self.history.end().events != self.events.len() {
            let finding =
                format!("{} events, {} expected", self.history.end().events, self.events.len());
            return Err((Invariant::SameBits, finding));
        }
        Ok(())
    }
}
