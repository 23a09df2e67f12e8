//! Laboratory: the session of the window with its recorder, history and lanes. All commands and
//! frames reach the session through the laboratory. A lane is one of several simulations of the
//! same scene that run side by side with different settings.

mod comparison;
mod edits;
mod favourites;
mod recomputation;
mod replaying;
mod selection;
mod state;
mod stepping;
mod travel;
mod undo;

pub use edits::{Direction, EditState, ListedEdit, LostEdits, UndoOutcome};
pub use favourites::{FAVOURITES, favourite, scale_iterations};
pub use state::{Continuation, DistanceChart, Replayed, recorded_scene};

use crate::app::disk::recorder::{Recorder, RecorderError};
use crate::app::disk::scene_source::{LoadedScene, Source};
use crate::measure::Thinning;
use crate::scene::vary::VariableScene;
use crate::scene::{LaneSetup, Scene};
#[cfg(test)]
use crate::session::recording::Recording;
use crate::session::recording::Start;
use crate::session::{Event, History, Session};
use crate::simulation::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, MOST_LANES, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use edits::{Edits, LaboratoryAction};
use state::{BackgroundTask, BackgroundWork, Distances, Expected, Replaying, Shown, StepPools};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Largest number of links for which the energy account is kept while the window shows it. The
/// energy account sums the energy that is put in, taken out, and made by integration errors.
const MOST_LINKS_WITH_SHOWN_ACCOUNT: usize = 50_000;
/// Largest number of links for which the energy account is always kept. It then adds at most some
/// 20 µs to a step.
const MOST_LINKS_WITH_ACCOUNT: usize = 5_000;

/// Range of speeds of simulated time; 1 = real time.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=10.0;

/// Bytes of memory for past moments to which the user can return.
const HISTORY_BYTES: usize = 256 << 20;

/// Longest computing time in one frame of the window for travel to another moment, a recomputation
/// after an edit, or the replay of a recording.
const SLICE: Duration = Duration::from_millis(25);

/// Session, and the window's data about its lanes. A lane is identified by its colour: its index
/// changes when other lanes are added or removed.
pub struct Laboratory {
    session: Session,
    /// Scene as it was opened.
    origin: Arc<Scene>,
    source: Source,
    /// Paths of the mesh files of the scene.
    meshes: Vec<PathBuf>,
    /// Lanes of the opened file. A reload compares them with the lanes of the changed file.
    listed: Vec<LaneSetup>,
    recorder: Recorder,
    history: History,
    /// Number of commands since the last call of `take_commands`.
    commands: usize,
    /// Upper limit in seconds on the computing time of a frame that was expected to be short.
    longest_frame: f64,
    pools: StepPools,
    background: Option<BackgroundWork>,
    /// Time limit per frame of the window; [`SLICE`] except in tests.
    slice: Duration,
    /// Total length in seconds of the frames that became due during background work.
    pending_seconds: f64,
    /// Colour of a lane, and the remedy with which this lane continues once the current travel
    /// ends.
    waiting_continuation: Option<(usize, Continuation)>,
    edits: Edits,
    replaying: Replaying,
    /// Playback speed of the past; 1 = real time. It becomes the session's speed when the session
    /// continues. `None` means the session's speed.
    past_speed: Option<f64>,
    /// Commands that wait for the end of the background work.
    waiting: Vec<Command>,
    pub shown: Shown,
    distances: Distances,
}

impl Laboratory {
    /// Creates the laboratory of a scene. All its inputs are recorded.
    pub fn new(loaded: LoadedScene, source: Source, recorder: Recorder) -> Self {
        Self::begin(loaded, source, recorder, 1.0, false)
    }

    fn begin(
        loaded: LoadedScene,
        source: Source,
        mut recorder: Recorder,
        speed: f64,
        paused: bool,
    ) -> Self {
        let LoadedScene { scene, file, text, meshes } = loaded;
        let listed = scene.lanes.clone();
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let lanes = scene.lanes.iter().take(MOST_LANES).cloned().collect();
        recorder.start(Start { program, file, scene: text, lanes, speed, paused });
        let origin = Arc::new(scene);
        let mut session = Session::new(origin.clone());
        session.command(Command::Speed(speed));
        session.command(Command::Pause(paused));
        Self {
            history: History::new(&session, HISTORY_BYTES),
            session,
            origin,
            source,
            meshes,
            listed,
            recorder,
            commands: 0,
            longest_frame: state::LONG,
            pools: StepPools::default(),
            background: None,
            slice: SLICE,
            pending_seconds: 0.0,
            waiting_continuation: None,
            edits: Edits::default(),
            replaying: Replaying::default(),
            past_speed: None,
            waiting: Vec::new(),
            shown: Shown::default(),
            distances: Distances::default(),
        }
    }

    /// Replaces the scene. The playback speed stays, and a paused session stays paused.
    pub fn replace(&mut self, loaded: LoadedScene, source: Source) {
        self.cancel_background_work();
        let (speed, paused) = (self.speed(), self.session.paused());
        let recorder = std::mem::take(&mut self.recorder);
        *self = Self::begin(loaded, source, recorder, speed, paused);
    }

    /// Replaces the scene with the changed version of its file. The current lanes stay, unless the
    /// lanes in the file have changed.
    pub fn reload(&mut self, mut loaded: LoadedScene) {
        self.cancel_background_work();
        let keep = self.keeps_lanes_of(&loaded);
        let fresh = loaded.scene.lanes.clone();
        if keep {
            loaded.scene.lanes = self.lane_set().lanes;
        }
        let (selected, Shown { hidden, solo, .. }) = (self.selected_index(), self.shown);
        let colors: Vec<usize> = self.session.lanes().iter().map(|lane| lane.color).collect();
        self.replace(loaded, self.source.clone());
        self.listed = fresh;
        if keep {
            // Colours of the new session's lanes begin at 0.
            self.shown.selected = selected;
            self.shown.hidden = [false; MOST_LANES];
            for (new, old) in colors.iter().enumerate() {
                self.shown.hidden[new] = hidden[*old];
            }
            self.shown.solo = solo.and_then(|old| colors.iter().position(|color| *color == old));
        }
    }

    /// True if the current lanes stay when the changed scene file is loaded.
    fn keeps_lanes_of(&self, loaded: &LoadedScene) -> bool {
        loaded.scene.lanes == self.listed
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the scene as it was opened.
    pub fn origin(&self) -> &Arc<Scene> {
        &self.origin
    }

    /// Replaces values of the scene. If another number of segments or cells would make the scene
    /// invalid, the error is a message with the reason, e.g. a reference to a missing particle.
    pub fn change_scene(&mut self, numbers: Vec<SceneNumber>) -> Result<(), String> {
        let counts = |it: &SceneNumber| it.path.ends_with("segments") || it.path.contains("cells");
        if numbers.iter().any(counts) {
            let changed = VariableScene::spelled_out(self.session.scene()).changed(&numbers);
            changed.map_err(|error| error.to_string())?;
        }
        self.command(Command::ChangeScene(numbers));
        Ok(())
    }

    /// Adds a body to the scene or deletes one. The error is a message with the reason why the edit
    /// is impossible.
    pub fn edit_scene(&mut self, edit: SceneEdit) -> Result<(), String> {
        let edit = self.session.long_enough(&edit);
        self.session.edited_scene(&edit)?;
        self.command(Command::EditScene(edit));
        Ok(())
    }

    /// Returns the session for drawing. Mutable, because the session stores the pictures of its
    /// lanes.
    pub fn session_to_draw(&mut self) -> &mut Session {
        &mut self.session
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the paths of the scene's mesh files, which no output may replace.
    pub fn mesh_files(&self) -> &[PathBuf] {
        &self.meshes
    }

    /// Returns the paths of all files from which the scene was read: scene file and mesh files.
    pub fn input_files(&self) -> Vec<PathBuf> {
        self.source.file().into_iter().chain(self.meshes.iter().cloned()).collect()
    }

    /// Carries out a command and records it. All inputs that change a simulation pass through here.
    /// During background work, commands that act on particles wait; all other commands cancel the
    /// work. During a recomputation after an edit, all commands wait.
    pub fn command(&mut self, command: Command) {
        if self.background.is_some() && waits_for_steps(&command) {
            self.waiting.push(command);
            return;
        }
        self.cancel_background_work();
        if self.edits.must_wait() {
            self.queue_command(command);
            return;
        }
        self.finish_replaying();
        self.perform(command);
    }

    /// Carries out a command at the shown moment. The events after that moment become a branch.
    /// While the past is shown, a command that sets the speed sets the playback speed of the past.
    fn perform(&mut self, command: Command) {
        if let Command::Speed(speed) = command
            && self.history.is_past()
        {
            self.past_speed = Some(speed);
            return;
        }
        if self.stop_past() && matches!(command, Command::Pause(_)) {
            return;
        }
        if self.history.is_past() {
            if command == Command::Pause(true) {
                return;
            }
            self.continue_from_here();
        }
        if command == Command::SingleStep && self.steps_are_long(None) {
            self.commands += 1;
            self.record_edit(&command);
            self.run_in_background(BackgroundTask::Command(Box::new(command)), Expected::Long);
        } else {
            self.carry_out(command);
        }
    }

    fn carry_out(&mut self, command: Command) {
        self.commands += 1;
        self.record_edit(&command);
        let lanes = self.session.lanes().len();
        self.session.command(command.clone());
        self.record_event(Event::Command(Box::new(command.clone())));
        let now = self.session.lanes();
        if now.len() > lanes {
            self.shown.selected = now[now.len() - 1].color;
            self.shown.hidden[self.shown.selected] = false;
            self.record_new_lane();
        }
        self.deselect_removed_lanes();
    }

    fn pause_at_newest(&mut self) {
        if !self.session.paused() {
            self.carry_out(Command::Pause(true));
        }
    }

    fn deselect_removed_lanes(&mut self) {
        self.shown.deselect_absent(self.session.lanes());
    }

    fn record_event(&mut self, event: Event) {
        self.recorder.record(event.clone(), &self.session);
        self.history.record(event, &self.session);
    }

    /// Turns the energy account on or off. Verdicts need the account. Scenes of more than 5,000
    /// links keep it only while the window shows it (`are_shown`). Scenes of more than 50,000 links
    /// never keep it, because the account would take longer than their steps.
    pub fn keep_energy_accounts(&mut self, are_shown: bool) {
        let links = self.session.scene().parts.mesh.links.len();
        let most = if are_shown { MOST_LINKS_WITH_SHOWN_ACCOUNT } else { MOST_LINKS_WITH_ACCOUNT };
        self.session.keep_energy_accounts(links <= most);
    }

    /// Starts the energy accounts of new lanes before their first step, in scenes of at most 5,000
    /// links.
    fn start_energy_accounts(&mut self) {
        if self.session.scene().parts.mesh.links.len() <= MOST_LINKS_WITH_ACCOUNT {
            self.session.keep_energy_accounts(true);
        }
    }

    /// Records the motion of a particle step by step in all lanes. `None` ends the recording.
    pub fn record_motion(&mut self, particle: Option<u32>) {
        self.session.watch(particle);
    }

    pub fn record_trails(&mut self, wanted: &[(u32, Thinning)]) {
        self.session.set_trails(wanted);
    }

    /// Sets the source of a lane's frames at the shown moment. The events after that moment become
    /// a branch.
    pub fn set_frame_source(&mut self, color: usize, source: FrameSource) {
        self.cancel_background_work();
        if self.edits.must_wait() {
            return self.queue_request(LaboratoryAction::SetFrameSource { color, source });
        }
        self.finish_replaying();
        self.stop_past();
        self.continue_from_here();
        if let Some(lane) = self.index_of_lane(color) {
            self.session.set_frame_source(lane, source);
            self.history.keep_moment(&self.session);
        }
    }

    pub fn take_commands(&mut self) -> usize {
        std::mem::take(&mut self.commands)
    }

    /// Returns the recording of the session so far; `None` if the recording exceeded its memory.
    pub fn recording(&self) -> Option<String> {
        self.recorder.recording_so_far(self.history.pending_undo(), &self.session)
    }

    /// True if the session is recorded into a file.
    pub fn is_recorded_to_file(&self) -> bool {
        self.recorder.writes_file()
    }

    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    pub fn finish(&mut self) -> Result<(), RecorderError> {
        self.cancel_background_work();
        self.finish_replaying();
        self.finish_recomputation();
        self.continue_from_here();
        self.recorder.finish(&self.session)
    }

    /// Returns the text of a scene file with the current settings and displays of all lanes, and
    /// with the pins, cuts and thrown balls of the selected lane.
    pub fn scene_to_ron(&self) -> String {
        let lanes = self.lane_set().lanes;
        self.session.scene().to_ron_with(&lanes, self.selected().simulation.model())
    }

    pub fn rename(&mut self, color: usize, name: String) {
        if let Some(index) = self.index_of_lane(color) {
            self.session.rename(index, name);
        }
    }

    /// Completes the name of a lane when the user has finished typing it.
    pub fn complete_name(&mut self, color: usize) {
        if let Some(index) = self.index_of_lane(color) {
            self.session.complete_name(index);
        }
    }

    /// Applies settings to the selected lane, or returns the mistake in them.
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
    pub(in crate::app) fn of_text(text: &str) -> Self {
        let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        let (file, text, meshes) = ("scene".into(), text.into(), Vec::new());
        let loaded = LoadedScene { scene, file, text, meshes };
        Self::new(loaded, Source::Listed(0), Recorder::default())
    }

    /// Creates the laboratory of the scene with this index in the library.
    pub(in crate::app) fn listed(index: usize) -> Self {
        let source = Source::Listed(index);
        let loaded = source.load().unwrap_or_else(|e| panic!("{e}"));
        Self::new(loaded, source, Recorder::default())
    }

    /// Returns the recording of the session so far, read from its text.
    pub(in crate::app) fn recorded(&self) -> Recording {
        let text = self.recording().expect("there is room");
        Recording::read(text.as_bytes(), "test.rec").unwrap_or_else(|e| panic!("{e}"))
    }

    /// Waits until the session has reached the moment to which it travels.
    pub(in crate::app) fn finish_travel(&mut self) {
        while self.history.progress().is_some() {
            self.advance(0.0);
        }
    }
}

#[cfg(test)]
pub fn session_of(text: &str) -> Session {
    Session::new(Arc::new(Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"))))
}

/// True for commands that act on particles. They wait for the end of background work.
fn waits_for_steps(command: &Command) -> bool {
    command.acts_on_bodies() || *command == Command::SingleStep
}
