//! Session in the window: the only place that passes commands and frames to it, and the list of its
//! lanes.

mod beside;
mod distance;
mod favourites;
mod replaying;
mod rewrite;
mod selection;
mod stepping;
mod travel;
mod undo;

pub use favourites::{FAVOURITES, favourite, scale_iterations};
pub use replaying::{Replayed, recorded_scene};
pub use travel::Onward;
pub use undo::{EditState, ListedEdit, Undone, Way};

use crate::app::disk::recorder::{Recorder, RecorderError};
use crate::app::disk::scene_source::{LoadedScene, Source};
use crate::app::laboratory::beside::{Beside, BesideWork};
use crate::app::laboratory::distance::Distances;
use crate::measure::Thinning;
use crate::preset::Preset;
use crate::scene::vary::VariableScene;
use crate::scene::{LaneSetup, Scene};
use crate::session::recording::Start;
use crate::session::{Event, History, Lane, Session};
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, MOST_LANES, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use selection::Shown;
use std::sync::Arc;
use std::time::Duration;
use stepping::{Expected, StepPools};

/// Links of a scene whose books of energy are kept while they are shown.
const MOST_BOOKED_LINKS: usize = 50_000;
/// Links of a scene whose books are always kept: some 20 µs a step.
const MOST_JUDGED_LINKS: usize = 5_000;

/// Slowest and fastest speed; 1 = real time.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=10.0;

/// Bytes for the moments that one can go back to.
const HISTORY: usize = 256 << 20;

/// Longest time per frame of the window for computing moments again: during a travel, after an
/// edit, or from a recording.
const SLICE: Duration = Duration::from_millis(25);

/// The session, and the window's data about its lanes. A lane is identified by its colour, which it
/// keeps when others are added and removed.
#[derive(Debug)]
pub struct Laboratory {
    session: Session,
    /// The scene as it was opened.
    origin: Arc<Scene>,
    source: Source,
    /// The lanes as the file lists them, to see whether a reload brings new ones.
    listed: Vec<LaneSetup>,
    recorder: Recorder,
    history: History,
    /// Commands since the last call.
    commands: usize,
    /// Seconds of computing after which a frame ends that was expected to be short.
    longest_frame: f64,
    /// Threads for work beside the window.
    pools: StepPools,
    beside: Option<Beside>,
    /// Longest time per frame that is spent on computing moments again.
    slice: Duration,
    /// Seconds of frames while work was under way.
    passed: f64,
    /// A lane that waits until the session is at another moment.
    onward: Option<travel::Waiting>,
    edits: undo::Edits,
    replaying: replaying::Replaying,
    /// Speed at which the past plays; `None`: its own. The session takes it when it goes on.
    pace: Option<f64>,
    /// Commands that wait for the end of that work.
    waiting: Vec<Command>,
    /// Lanes that the window selects, hides and compares.
    pub shown: Shown,
    distances: Distances,
}

impl Laboratory {
    /// Laboratory for a scene; it records all inputs.
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
        let origin = Arc::new(scene);
        let mut session = Session::new(origin.clone());
        session.command(Command::Speed(speed));
        session.command(Command::Pause(paused));
        Self {
            history: History::new(&session, HISTORY),
            session,
            origin,
            source,
            listed,
            recorder,
            commands: 0,
            longest_frame: stepping::LONG,
            pools: StepPools::default(),
            beside: None,
            slice: SLICE,
            passed: 0.0,
            onward: None,
            edits: undo::Edits::default(),
            replaying: replaying::Replaying::default(),
            pace: None,
            waiting: Vec::new(),
            shown: Shown::default(),
            distances: Distances::default(),
        }
    }

    /// Replaces the scene by another one; speed and pause stay.
    pub fn replace(&mut self, loaded: LoadedScene, source: Source) {
        self.give_up();
        let time = (self.speed(), self.session.paused());
        let recorder = std::mem::take(&mut self.recorder);
        *self = Self::begin(loaded, source, recorder, time);
    }

    /// Replaces the scene by its changed file. Lanes that were changed by hand stay, unless the
    /// file's own lanes changed.
    pub fn reload(&mut self, mut loaded: LoadedScene) {
        self.give_up();
        let fresh = loaded.scene.lanes.clone();
        let keep = fresh == self.listed;
        if keep {
            loaded.scene.lanes = self.session.lanes().iter().map(setup_of).collect();
        }
        let (selected, Shown { hidden, solo, .. }) = (self.selected_index(), self.shown);
        let colors: Vec<usize> = self.session.lanes().iter().map(|lane| lane.color).collect();
        self.replace(loaded, self.source.clone());
        self.listed = fresh;
        if keep {
            // A new session counts its colours from 0.
            self.shown.selected = selected;
            self.shown.hidden = [false; MOST_LANES];
            for (new, old) in colors.iter().enumerate() {
                self.shown.hidden[new] = hidden[*old];
            }
            self.shown.solo = solo.and_then(|old| colors.iter().position(|color| *color == old));
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The scene as it was opened, before its numbers were changed.
    pub fn origin(&self) -> &Arc<Scene> {
        &self.origin
    }

    /// Replaces numbers of the scene.
    ///
    /// # Errors
    /// Returns a sentence if the scene would be invalid: it names the reference that fewer
    /// segments would break.
    pub fn change_scene(&mut self, numbers: Vec<SceneNumber>) -> Result<(), String> {
        let counts = |it: &SceneNumber| it.path.ends_with("segments") || it.path.contains("cells");
        if numbers.iter().any(counts) {
            let changed = VariableScene::spelled_out(self.session.scene()).changed(&numbers);
            changed.map_err(|error| error.to_string())?;
        }
        self.command(Command::ChangeScene(numbers));
        Ok(())
    }

    /// Adds a body to the scene or deletes one.
    ///
    /// # Errors
    /// Returns a sentence with the reason if there is no such scene.
    pub fn edit_scene(&mut self, edit: SceneEdit) -> Result<(), String> {
        let edit = self.session.long_enough(&edit);
        self.session.edited_scene(&edit)?;
        self.command(Command::EditScene(edit));
        Ok(())
    }

    /// The session, to take its pictures.
    pub fn session_to_draw(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Origin of the scene.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Carries out a command and records it. All inputs that change a simulation pass through here.
    /// While a long step is under way, commands of the hand wait for its end, and all others
    /// interrupt it. While the session is recomputed after an edit, commands wait.
    pub fn command(&mut self, command: Command) {
        if self.beside.is_some() && waits_for_steps(&command) {
            self.waiting.push(command);
            return;
        }
        self.give_up();
        if self.edits.must_wait() && !self.edits.is_silent() {
            self.wait_with(command);
            return;
        }
        self.finish_replaying();
        self.perform(command);
    }

    /// Carries out a command at the moment that is shown; the later course becomes a branch. A
    /// speed is that of the past while it is shown.
    fn perform(&mut self, command: Command) {
        if let Command::Speed(speed) = command
            && self.history.is_past()
        {
            self.pace = Some(speed);
            return;
        }
        if self.stop_past() && matches!(command, Command::Pause(_)) {
            return;
        }
        if self.history.is_past() {
            if command == Command::Pause(true) {
                return;
            }
            self.go_on();
        }
        if command == Command::SingleStep && self.steps_are_long(None) {
            self.commands += 1;
            self.do_beside(BesideWork::Command(Box::new(command)), Expected::Long);
        } else {
            self.carry_out(command);
        }
    }

    fn carry_out(&mut self, command: Command) {
        self.commands += 1;
        self.note_edit(&command);
        let lanes = self.session.lanes().len();
        self.session.command(command.clone());
        self.happened(Event::Command(Box::new(command.clone())));
        let now = self.session.lanes();
        if now.len() > lanes {
            self.shown.selected = now[now.len() - 1].color;
            self.shown.hidden[self.shown.selected] = false;
            self.note_new_lane();
        }
        self.forget_lost_lanes();
    }

    /// Pauses a session that runs, at its newest moment.
    fn stand_still(&mut self) {
        if !self.session.paused() {
            self.carry_out(Command::Pause(true));
        }
    }

    /// Clears the selection and the solo mode of removed lanes.
    fn forget_lost_lanes(&mut self) {
        let now = self.session.lanes();
        let is_there = |color: &usize| now.iter().any(|lane| lane.color == *color);
        let shown = &mut self.shown;
        if !is_there(&shown.selected) {
            shown.selected = now.first().map_or(0, |lane| lane.color);
        }
        shown.reference = shown.reference.filter(is_there);
        shown.solo = shown.solo.filter(is_there);
    }

    /// Records an event of the session.
    fn happened(&mut self, event: Event) {
        self.recorder.note(event.clone(), &self.session);
        self.history.note(event, &self.session);
    }

    /// Keeps books of energy, which verdicts need, in all but large scenes: there only while they
    /// are shown, and never where they would take longer than the steps.
    pub fn keep_books(&mut self, are_shown: bool) {
        let links = self.session.scene().parts.mesh.links.len();
        let most = if are_shown { MOST_BOOKED_LINKS } else { MOST_JUDGED_LINKS };
        self.session.keep_books(links <= most);
    }

    /// Records every step of a particle in all lanes; `None` ends the recording.
    pub fn watch(&mut self, particle: Option<u32>) {
        self.session.watch(particle);
    }

    /// Keeps trails of these particles in all lanes.
    pub fn leave_trails(&mut self, wanted: &[(u32, Thinning)]) {
        self.session.leave_trails(wanted);
    }

    /// Sets the source of the frames of the lane of this colour.
    pub fn show_on(&mut self, color: usize, source: FrameSource) {
        self.give_up();
        let lane = self.session.lanes().iter().position(|lane| lane.color == color);
        if let Some(lane) = lane {
            self.session.show_on(lane, source);
        }
    }

    /// Commands since the last call.
    pub fn take_commands(&mut self) -> usize {
        std::mem::take(&mut self.commands)
    }

    /// The recording of the session so far, if there was room for all of it.
    pub fn recording(&self) -> Option<String> {
        self.recorder.so_far(self.unrecorded(), &self.session)
    }

    /// The recorder, to report its errors.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// The session ends, and with it its recording.
    pub fn finish(&mut self) -> Result<(), RecorderError> {
        self.give_up();
        self.finish_replaying();
        self.finish_rewriting();
        self.go_on();
        self.recorder.finish(&self.session)
    }

    /// The scene as the lanes have it now: their settings and displays, and the pins, cuts and
    /// thrown balls of the selected one.
    pub fn scene_to_ron(&self) -> String {
        let lanes: Vec<LaneSetup> = self.session.lanes().iter().map(setup_of).collect();
        self.session.scene().to_ron_with(&lanes, self.selected().simulation.model())
    }

    /// Replaces the lanes by those of a comparison, measures them against its first, and restarts
    /// the scene. Returns the time step of the lanes in seconds.
    pub fn begin_comparison(&mut self, preset: Preset) -> f64 {
        let base = *self.selected().simulation.settings();
        let base = preset.base(&self.session.scene().parts, &base);
        let lanes = preset.lanes(&base);
        let dt = lanes.last().map_or(base.dt, |lane| lane.settings.dt);
        if self.edits.must_wait() {
            self.wait_to(|laboratory| laboratory.exchange_lanes(lanes, Some(0)));
        } else {
            self.exchange_lanes(lanes, Some(0));
        }
        dt
    }

    /// Restores the lanes and settings with which the scene begins, and restarts it.
    pub fn restore_lanes(&mut self) {
        if self.edits.must_wait() {
            return self.wait_to(Self::restore_lanes);
        }
        let lanes = self.session.scene().lanes.iter().take(MOST_LANES).cloned().collect();
        self.exchange_lanes(lanes, None);
    }

    /// Copies the lanes, and the place of the reference lane.
    fn lane_set(&self) -> undo::LaneSet {
        let lanes = self.session.lanes();
        let is_reference = |lane: &Lane| Some(lane.color) == self.shown.reference;
        (lanes.iter().map(setup_of).collect(), lanes.iter().position(is_reference))
    }

    /// True if lanes or settings differ from those with which the scene begins.
    pub fn has_other_lanes(&self) -> bool {
        let own = self.session.scene().lanes.iter().take(MOST_LANES);
        !own.eq(self.session.lanes().iter().map(setup_of).collect::<Vec<_>>().iter())
    }

    fn replace_lanes(&mut self, lanes: Vec<LaneSetup>) {
        while self.session.lanes().len() > 1 {
            self.command(Command::RemoveLane(1));
        }
        for (place, lane) in lanes.into_iter().enumerate() {
            let LaneSetup { name, settings, frames } = lane;
            if place == 0 {
                self.command(Command::Configure { lane: 0, settings });
                self.command(Command::NameLane { lane: 0, name });
            } else {
                self.command(Command::AddLane { name, settings });
            }
            self.session.show_on(place, frames);
        }
        let first = self.session.lanes()[0].color;
        (self.shown.selected, self.shown.solo) = (first, None);
        self.shown.hidden = [false; MOST_LANES];
        self.command(Command::Reset);
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
        if settings != *self.selected().simulation.settings() {
            let lane = self.selected_index();
            self.command(Command::Configure { lane, settings });
        }
        Ok(())
    }
}

#[cfg(test)]
impl Laboratory {
    /// Laboratory for the text of a scene.
    pub(in crate::app) fn of_text(text: &str) -> Self {
        let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        let loaded = LoadedScene { scene, file: "scene".into(), text: text.into() };
        Self::new(loaded, Source::Listed(0), Recorder::default())
    }

    /// Laboratory for a scene of the library, by its place in the list.
    pub(in crate::app) fn listed(place: usize) -> Self {
        let source = Source::Listed(place);
        let loaded = source.load().unwrap_or_else(|e| panic!("{e}"));
        Self::new(loaded, source, Recorder::default())
    }
}

/// True if a command acts on the particles after the steps under way.
fn waits_for_steps(command: &Command) -> bool {
    matches!(
        command,
        Command::Grab { .. }
            | Command::GrabCollider { .. }
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
    LaneSetup {
        name: lane.name.clone(),
        settings: *lane.simulation.settings(),
        frames: lane.display.source().clone(),
    }
}
