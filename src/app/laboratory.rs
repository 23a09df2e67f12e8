//! The session in the window: the one place through which commands and frames go, and which
//! lanes are selected and shown.

use super::beside::{Beside, BesideWork};
use super::distance::Distances;
use super::recorder::{Recorder, RecorderError};
use super::scene_source::{LoadedScene, Source};
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use crate::scene::LaneSetup;
use crate::session::recording::Start;
use crate::session::{Event, FrameSource, History, Lane, Preset, PresetLane, Session};
use crate::simulation::settings::{Command, MOST_LANES, Settings};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Links of a scene whose books of energy are kept while they are shown.
const MOST_BOOKED_LINKS: usize = 50_000;

/// Integrators that the keys 1 to 8 choose, by name: the ones that people compare.
pub const FAVOURITES: [&str; 8] = [
    "explicit-euler",
    "symplectic-euler",
    "position-verlet",
    "velocity-verlet",
    "midpoint",
    "rk4",
    "implicit-euler",
    "dormand-prince",
];

/// Slowest and fastest speed; 1 = real time.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=10.0;

/// What the session puts after the name of a lane that is a copy.
const COPY: &str = " copy";

/// Work that may take longer than this many seconds is done beside the window, on a copy of the
/// session.
const LONG: f64 = 0.1;
/// Bytes for the moments that one can go back to.
const HISTORY: usize = 256 << 20;
/// How long the window waits for work beside it before it goes on with the session as it was: work
/// of unknown length is mostly short.
const PATIENCE: Duration = Duration::from_millis(12);

/// The session and what the window knows of its lanes. A lane is named by its colour, which it
/// keeps when others come and go.
#[derive(Debug)]
pub struct Laboratory {
    session: Session,
    source: Source,
    /// The lanes as the file lists them, to see whether a reload brings new ones.
    listed: Vec<LaneSetup>,
    recorder: Recorder,
    history: History,
    /// Commands given, since this was last asked.
    commands: usize,
    clock: Instant,
    /// Threads for work beside the window.
    pool: Option<ThreadPool>,
    beside: Option<Beside>,
    /// Seconds of frames that passed while work was under way.
    passed: f64,
    /// Commands that wait for the end of that work.
    waiting: Vec<Command>,
    selected: usize,
    hidden: [bool; MOST_LANES],
    solo: Option<usize>,
    /// The lane that the others are measured against, by colour.
    reference: Option<usize>,
    distances: Distances,
}

impl Laboratory {
    /// A laboratory for a scene, which records what happens.
    pub fn new(loaded: LoadedScene, source: Source, recorder: Recorder) -> Self {
        Self::begin(loaded, source, recorder, (1.0, false))
    }

    fn begin(
        loaded: LoadedScene,
        source: Source,
        mut recorder: Recorder,
        (speed, paused): (f64, bool),
    ) -> Self {
        let LoadedScene { scene, file, text } = loaded;
        let listed = scene.lanes.clone();
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let lanes = scene.lanes.iter().take(MOST_LANES).cloned().collect();
        recorder.start(Start { program, file, scene: text, lanes, speed, paused });
        let mut session = Session::new(Arc::new(scene));
        session.command(Command::Speed(speed));
        session.command(Command::Pause(paused));
        Self {
            history: History::new(&session, HISTORY),
            session,
            source,
            listed,
            recorder,
            commands: 0,
            clock: Instant::now(),
            pool: None,
            beside: None,
            passed: 0.0,
            waiting: Vec::new(),
            selected: 0,
            hidden: [false; MOST_LANES],
            solo: None,
            reference: None,
            distances: Distances::default(),
        }
    }

    /// Another scene takes the place of this one; speed and pause stay.
    pub fn replace(&mut self, loaded: LoadedScene, source: Source) {
        self.give_up();
        let time = (self.session.speed(), self.session.paused());
        let recorder = std::mem::take(&mut self.recorder);
        *self = Self::begin(loaded, source, recorder, time);
    }

    /// The same scene, changed in its file. Lanes that were changed by hand stay, unless the
    /// file's own lanes changed.
    pub fn reload(&mut self, mut loaded: LoadedScene) {
        self.give_up();
        let fresh = loaded.scene.lanes.clone();
        let keep = fresh == self.listed;
        if keep {
            loaded.scene.lanes = self.session.lanes().iter().map(setup_of).collect();
        }
        let (selected, hidden, solo) = (self.selected_index(), self.hidden, self.solo);
        let colors: Vec<usize> = self.session.lanes().iter().map(|lane| lane.color).collect();
        self.replace(loaded, self.source.clone());
        self.listed = fresh;
        if keep {
            // A new session counts its colours from 0.
            self.selected = selected;
            self.hidden = [false; MOST_LANES];
            for (new, old) in colors.iter().enumerate() {
                self.hidden[new] = hidden[*old];
            }
            self.solo = solo.and_then(|old| colors.iter().position(|color| *color == old));
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to take its pictures.
    pub fn session_to_draw(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Where the scene came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Carries out a command and records it. Every input that changes a simulation comes here.
    /// While a long step is under way, what the hand does waits for its end, and everything else
    /// gives it up.
    pub fn command(&mut self, command: Command) {
        if self.beside.is_some() && waits_for_steps(&command) {
            self.waiting.push(command);
            return;
        }
        self.give_up();
        if command == Command::SingleStep && self.steps_are_long() {
            self.commands += 1;
            self.do_beside(BesideWork::Command(command));
        } else {
            self.carry_out(command);
        }
    }

    fn carry_out(&mut self, command: Command) {
        self.commands += 1;
        let lanes = self.session.lanes().len();
        self.session.command(command.clone());
        self.happened(Event::Command(command.clone()));
        let now = self.session.lanes();
        if now.len() > lanes {
            self.selected = now[now.len() - 1].color;
            self.hidden[self.selected] = false;
            if let Command::DuplicateLane(original) = command {
                self.name_copy(original);
            }
        }
        self.forget_lost_lanes();
    }

    /// Nothing is selected or alone that is not there.
    fn forget_lost_lanes(&mut self) {
        let now = self.session.lanes();
        if !now.iter().any(|lane| lane.color == self.selected) {
            self.selected = now.first().map_or(0, |lane| lane.color);
        }
        if self.reference.is_some_and(|color| !now.iter().any(|lane| lane.color == color)) {
            self.reference = None;
        }
        if self.solo.is_some_and(|solo| !now.iter().any(|lane| lane.color == solo)) {
            self.solo = None;
        }
    }

    /// Something has happened to the session.
    fn happened(&mut self, event: Event) {
        self.recorder.note(event.clone(), &self.session);
        self.history.note(event, &self.session);
    }

    /// Goes back in time by a step in every lane, and stops there. False at the oldest moment that
    /// is kept.
    pub fn step_back(&mut self) -> bool {
        self.give_up();
        let Some(back) = self.history.back(&mut self.session) else { return false };
        self.recorder.back(back, &self.session);
        self.forget_lost_lanes();
        self.passed = 0.0;
        self.command(Command::Pause(true));
        true
    }

    /// The copy of a lane that is named after its integrator is so, too.
    fn name_copy(&mut self, original: usize) {
        let lane = &self.session.lanes()[original];
        let title = lane.simulation.settings().integrator.info().title;
        if lane.name == title {
            self.session.rename(self.session.lanes().len() - 1, title.to_owned());
        }
    }

    /// Keeps books of energy while they are shown, in all but very large scenes, where they
    /// would take longer than the steps.
    pub fn keep_books(&mut self, are_shown: bool) {
        let links = self.session.scene().parts.mesh.links.len();
        self.session.keep_books(are_shown && links <= MOST_BOOKED_LINKS);
    }

    /// Keeps every step of a particle in all lanes, or of none.
    pub fn watch(&mut self, particle: Option<u32>) {
        self.session.watch(particle);
    }

    /// Lets a frame pass and records it. Steps that take long are taken beside the window: until
    /// they are done the session stays as it is, and time adds up.
    pub fn advance(&mut self, seconds: f64) {
        self.take_over(Duration::ZERO);
        self.passed += if self.session.paused() { 0.0 } else { seconds };
        if self.session.paused() || self.beside.is_some() {
            return;
        }
        let frame = BesideWork::Frame(std::mem::take(&mut self.passed));
        if self.steps_are_long() {
            self.do_beside(frame);
        } else {
            let event = frame.on(&mut self.session, self.clock);
            self.happened(event);
        }
    }

    /// Seconds since work beside the window began, if some is under way.
    pub fn computing(&self) -> Option<f64> {
        self.beside.as_ref().map(Beside::seconds)
    }

    /// Whether some lane's steps of a frame may take long.
    fn steps_are_long(&self) -> bool {
        let moving = |lane: &&Lane| lane.simulation.explosion().is_none();
        self.session.lanes().iter().filter(moving).any(|lane| {
            let steps = f64::from(lane.simulation.plan().steps.max(1));
            lane.step_cost.estimate().is_none_or(|cost| cost * steps > LONG)
        })
    }

    fn do_beside(&mut self, work: BesideWork) {
        let pool = match self.pool.take() {
            Some(pool) => pool,
            None => match ThreadPoolBuilder::new().num_threads(threads_beside()).build() {
                Ok(pool) => pool,
                // The system has no threads left: the window has to wait.
                Err(_) => {
                    let event = work.on(&mut self.session, self.clock);
                    return self.happened(event);
                }
            },
        };
        self.beside = Some(Beside::start(&pool, &self.session, work, self.clock));
        self.pool = Some(pool);
        self.take_over(PATIENCE);
    }

    /// Puts the session that work beside the window has led to in the place of this one, if the
    /// work is done or becomes so within `patience`, and lets happen what waited for it.
    fn take_over(&mut self, patience: Duration) {
        let done = self.beside.as_ref().and_then(|beside| beside.finished(patience));
        let Some((mut session, event)) = done else { return };
        self.beside = None;
        for (index, lane) in self.session.lanes().iter().enumerate() {
            session.rename(index, lane.name.clone());
        }
        self.session = session;
        self.happened(event);
        for command in std::mem::take(&mut self.waiting) {
            self.command(command);
        }
    }

    /// Gives up work beside the window, and lets happen what waited for its end.
    fn give_up(&mut self) {
        if self.beside.take().is_some() {
            // Its threads end when they notice; the next work has others.
            self.pool = None;
        }
        for command in std::mem::take(&mut self.waiting) {
            self.carry_out(command);
        }
    }

    /// As [`Laboratory::advance`], on another thread where one is free, while this one does
    /// something else. Returns when both are done. The simulation does not notice.
    pub fn advance_while(&mut self, seconds: f64, act: impl FnOnce()) {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| self.advance(seconds));
            act();
        });
    }

    /// From now on the lane of this colour has frames from this source.
    pub fn show_on(&mut self, color: usize, source: FrameSource) {
        self.give_up();
        let lane = self.session.lanes().iter().position(|lane| lane.color == color);
        if let Some(lane) = lane {
            self.session.show_on(lane, source);
        }
    }

    /// Commands that were given since this was last asked.
    pub fn take_commands(&mut self) -> usize {
        std::mem::take(&mut self.commands)
    }

    /// The recording of the session so far, if there was room for all of it.
    pub fn recording(&self) -> Option<String> {
        self.recorder.so_far(&self.session)
    }

    /// The recorder, to ask for its troubles.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// The session ends, and with it its recording.
    pub fn finish(&mut self) -> Result<(), RecorderError> {
        self.give_up();
        self.recorder.finish(&self.session)
    }

    /// Place of the selected lane.
    pub fn selected_index(&self) -> usize {
        self.session.lanes().iter().position(|lane| lane.color == self.selected).unwrap_or(0)
    }

    /// The selected lane.
    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    /// Selects a lane by its colour.
    pub fn select(&mut self, color: usize) {
        self.selected = color;
    }

    /// Whether a lane is in the picture.
    pub fn shows(&self, color: usize) -> bool {
        self.solo.map_or(!self.hidden[color], |solo| solo == color)
    }

    /// The lane that the others are measured against, by colour, if there is one.
    pub fn reference(&self) -> Option<usize> {
        self.reference
    }

    /// Measures the other lanes against this one from now on, or not any more.
    pub fn toggle_reference(&mut self, color: usize) {
        self.reference = if self.reference == Some(color) { None } else { Some(color) };
    }

    /// Looks how far the lanes are from the one that they are measured against.
    pub fn compare(&mut self) {
        let mut distances = std::mem::take(&mut self.distances);
        distances.observe(self);
        self.distances = distances;
    }

    /// The scene as the lanes have it now: their settings, and the pins and cuts of the selected
    /// one.
    pub fn scene_to_ron(&self) -> String {
        let lanes: Vec<LaneSetup> = self.session.lanes().iter().map(setup_of).collect();
        let model = self.selected().simulation.model();
        let cut_links = model.topology().cut_links();
        self.session.scene().to_ron_with(&lanes, model.pins(), cut_links)
    }

    /// How far the lanes are from the one that they are measured against.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// Puts the lanes of a comparison in the place of those that are there, measures them against
    /// its first, and starts the scene anew.
    pub fn begin_comparison(&mut self, preset: Preset) {
        let base = *self.selected().simulation.settings();
        while self.session.lanes().len() > 1 {
            self.command(Command::RemoveLane(1));
        }
        for (place, lane) in preset.lanes(&base).into_iter().enumerate() {
            let PresetLane { setup: LaneSetup { name, settings, .. }, frames } = lane;
            if place == 0 {
                self.command(Command::Configure { lane: 0, settings });
                self.session.rename(0, name);
            } else {
                self.command(Command::AddLane { name, settings });
            }
            self.session.show_on(place, frames);
        }
        let first = self.session.lanes()[0].color;
        (self.selected, self.reference, self.solo) = (first, Some(first), None);
        self.hidden = [false; MOST_LANES];
        self.command(Command::Reset);
    }

    /// Whether a lane is hidden by its own switch.
    pub fn hidden(&self, color: usize) -> bool {
        self.hidden[color]
    }

    /// The lane that is shown alone, if one is.
    pub fn solo(&self) -> Option<usize> {
        self.solo
    }

    /// Hides or shows a lane.
    pub fn toggle_hidden(&mut self, color: usize) {
        self.hidden[color] = !self.hidden[color];
    }

    /// Shows one lane alone, or all again.
    pub fn toggle_solo(&mut self, color: usize) {
        self.solo = if self.solo == Some(color) { None } else { Some(color) };
    }

    /// Names a lane, which changes nothing in a simulation.
    pub fn rename(&mut self, color: usize, name: String) {
        let index = self.session.lanes().iter().position(|lane| lane.color == color);
        if let Some(index) = index {
            self.session.rename(index, name);
        }
    }

    /// Sets the selected lane, if the settings make sense.
    pub fn configure_selected(&mut self, settings: Settings) -> Result<(), String> {
        settings.check()?;
        let lane = self.selected();
        let old = *lane.simulation.settings();
        if settings != old {
            // A lane that bears the name of its integrator goes on doing so.
            let name = lane.name.strip_suffix(COPY).unwrap_or(&lane.name).to_owned();
            let named_after = name == old.integrator.info().title;
            let lane = self.selected_index();
            self.command(Command::Configure { lane, settings });
            // What it does differently says more than that it is a copy.
            let new = settings.integrator.info().title;
            self.session.rename(lane, if named_after { new.to_owned() } else { name });
        }
        Ok(())
    }
}

/// All cores but one, which draws: without a graphics card that takes a whole core.
fn threads_beside() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.saturating_sub(1).max(1)
}

/// Whether a command goes to the particles as they are after the steps under way.
fn waits_for_steps(command: &Command) -> bool {
    matches!(
        command,
        Command::Grab { .. }
            | Command::MoveHand(_)
            | Command::Release
            | Command::Throw(_)
            | Command::Blow(_)
            | Command::TogglePin(_)
            | Command::Cut(_)
            | Command::SingleStep
    )
}

fn setup_of(lane: &Lane) -> LaneSetup {
    let display = match lane.display.source() {
        FrameSource::Constant { rate } => Some(*rate),
        _ => None,
    };
    LaneSetup { name: lane.name.clone(), settings: *lane.simulation.settings(), display }
}

/// The integrator of a digit key, counted from 0.
pub fn favourite(key: usize) -> Option<Method> {
    Method::all().find(|method| FAVOURITES.get(key) == Some(&method.info().name))
}

/// More or fewer iterations: one at a time up to ten, then in tenths.
pub fn scale_iterations(solver: &mut ConstraintSolver, more: bool) {
    let Some(iterations) = solver.iterations() else { return };
    let stride = (iterations / 10).max(1);
    let changed =
        if more { iterations.saturating_add(stride) } else { iterations.saturating_sub(stride) };
    solver.set_iterations(changed.clamp(1, 100_000));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::session::recording::Recording;
    use crate::simulation::settings::GrabMode;
    use glam::DVec3;
    use rayon::prelude::*;

    /// Two lanes of a cloth that is worth several threads.
    const CLOTH: &str = r#"(
        version: 1,
        name: "cloth",
        materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 100,
                          bend_stiffness: 0, rigid: true)],
        cloths: [(name: "cloth", corner: (0, 0, 0), across: (2, 0, 0), down: (0, 0, 2),
                  cells: (119, 119), material: "linen")],
        pins: [(of: Edge("cloth", Top))],
        forces: [(law: Gravity(g: (0, -1, 0)))],
        settings: (constraints: Relaxation(iterations: 4, order: Coloured), dt: 0.004),
        lanes: [(name: "Verlet"), (name: "leapfrog", settings: (integrator: Leapfrog))],
    )"#;

    fn laboratory(text: &str) -> Laboratory {
        let scene = Scene::parse(text, "scene.ron").unwrap_or_else(|e| panic!("{e}"));
        let loaded = LoadedScene { scene, file: "scene.ron".into(), text: text.into() };
        Laboratory::new(loaded, Source::Listed(0), Recorder::default())
    }

    /// Hashes after frames of uneven length with a hand in them.
    fn hashes(advance: impl Fn(&mut Laboratory, f64)) -> Vec<u64> {
        let mut laboratory = laboratory(CLOTH);
        for frame in 0..12 {
            let at = DVec3::new(1.0, 0.02 * f64::from(frame), 1.0);
            laboratory.command(match frame {
                0 => Command::Grab { particle: 7000, mode: GrabMode::Spring, at },
                9 => Command::Release,
                _ => Command::MoveHand(at),
            });
            advance(&mut laboratory, [0.016, 0.021, 0.009][frame as usize % 3]);
            // The first frame, whose cost is unknown, is computed beside the window.
            while laboratory.computing().is_some() {
                laboratory.take_over(PATIENCE);
            }
        }
        let lanes = laboratory.session().lanes();
        assert!(lanes.iter().all(|lane| lane.simulation.explosion().is_none()));
        lanes.iter().map(|lane| lane.simulation.hash()).collect()
    }

    /// A step of this scene takes minutes: 10⁸ sweeps over 50 × 50 cells.
    const ENDLESS: &str = r#"(
        version: 1,
        name: "endless",
        materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 100,
                          bend_stiffness: 0, rigid: true)],
        cloths: [(name: "cloth", corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1),
                  cells: (50, 50), material: "linen")],
        pins: [(of: Edge("cloth", Top))],
        forces: [(law: Gravity())],
        settings: (links: Constraints, constraints: Relaxation(iterations: 100000),
                   substeps: 1000, dt: 0.001),
    )"#;

    #[test]
    fn the_window_answers_whatever_a_step_costs() {
        let mut laboratory = laboratory(ENDLESS);
        let began = Instant::now();
        // Usually 15 ms an answer; a busy machine may take its time, but not the minutes of a step.
        let answers = |laboratory: &mut Laboratory| {
            let asked = Instant::now();
            laboratory.advance(0.016);
            assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        };
        (0..5).for_each(|_| answers(&mut laboratory));
        assert!(laboratory.computing().is_some());
        laboratory.command(Command::Pause(true));
        assert!(laboratory.session().paused() && laboratory.computing().is_none());
        laboratory.command(Command::SingleStep);
        assert!(laboratory.computing().is_some(), "a single step does not block either");
        let mut settings = *laboratory.selected().simulation.settings();
        (settings.substeps, settings.dt) = (1, 1e-3);
        settings.constraints.set_iterations(4);
        laboratory.configure_selected(settings).unwrap();
        laboratory.command(Command::Pause(false));
        let steps = |laboratory: &Laboratory| laboratory.selected().simulation.steps();
        while steps(&laboratory) < 10 && began.elapsed() < Duration::from_secs(60) {
            answers(&mut laboratory);
        }
        assert!(steps(&laboratory) >= 10, "other settings let it go on");
        laboratory.finish().unwrap();
    }

    #[test]
    fn a_copy_is_called_one_until_its_settings_say_more() {
        let mut laboratory = laboratory(CLOTH);
        laboratory.command(Command::DuplicateLane(0));
        let names = |laboratory: &Laboratory| laboratory.selected().name.clone();
        assert_eq!(names(&laboratory), "Verlet copy");
        let mut settings = *laboratory.selected().simulation.settings();
        settings.dt = 0.002;
        laboratory.configure_selected(settings).unwrap();
        assert_eq!(names(&laboratory), "Verlet");
    }

    #[test]
    fn what_happened_beside_the_window_is_recorded() {
        let mut laboratory = laboratory(CLOTH);
        for frame in 0..30 {
            let at = DVec3::new(1.0, 0.02 * f64::from(frame), 1.0);
            laboratory.command(match frame {
                0 => Command::Grab { particle: 7000, mode: GrabMode::Spring, at },
                _ => Command::MoveHand(at),
            });
            // Every second frame is done beside.
            let frame_work = BesideWork::Frame(0.016);
            if frame % 2 == 0 {
                laboratory.do_beside(frame_work);
                while laboratory.computing().is_some() {
                    laboratory.take_over(PATIENCE);
                }
            } else {
                laboratory.advance(0.016);
                while laboratory.computing().is_some() {
                    laboratory.take_over(PATIENCE);
                }
            }
        }
        let text = laboratory.recording().expect("it fits");
        let recording = Recording::read(text.as_bytes(), "window.rec").unwrap();
        let (session, replay) = recording.replay();
        assert_eq!(replay.difference, None);
        assert_eq!((replay.frames, replay.commands, replay.compared), (30, 30, 1));
        assert_eq!(session.hashes(), laboratory.session().hashes());
    }

    #[test]
    fn stepping_beside_the_drawing_has_the_same_bits() {
        let alone = hashes(Laboratory::advance);
        let beside = hashes(|laboratory, seconds| {
            let mut drawn = vec![1.0; 100_000];
            laboratory.advance_while(seconds, || {
                drawn.par_iter_mut().for_each(|x: &mut f64| *x = x.sqrt());
            });
        });
        assert_eq!(alone, beside);
    }
}
