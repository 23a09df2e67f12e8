//! Actions of keys, buttons and menus. Actions that change a simulation become a [`Command`] in
//! `Laboratory::command`; the others change only the window.

use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Onward;
use crate::export::drawing::Drawing;
use crate::preset::Preset;
use crate::session::SessionMoment;
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use egui_macroquad::egui;
use std::path::PathBuf;

/// Format of a picture of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG, made of pixels.
    Png,
    /// SVG, made of lines.
    Svg,
}

/// Settings whose step is shown as code.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeOf {
    /// The current settings of a lane, given by its colour.
    Lane(usize),
    /// The name and the settings of a recommendation or remedy.
    Advised(String, Box<Settings>),
}

/// Request of the user.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist at a time")]
pub enum Action {
    /// Passes a command to the session.
    Give(Command),
    /// Undoes the last edit of the bodies, the settings, the scene or the lanes.
    Undo,
    /// Redoes the last undone edit.
    Redo,
    /// Removes an edit, given by its number, from any place in the list.
    TakeOut(u64),
    /// Cancels an undo while the session is being recomputed.
    CancelUndo,
    /// Replaces numbers of the scene, which all lanes share.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body to the scene or deletes one.
    EditScene(SceneEdit),
    /// Takes a tool, or puts the tool in use away.
    ToggleBuild(BuildTool),
    /// Deletes the body under the mouse.
    DeleteUnderMouse,
    /// Restarts the scene.
    Reset,
    /// Reads the file of the scene again.
    Reload,
    /// Opens a scene file.
    Open(PathBuf),
    /// Opens a scene of the list, given by its place.
    OpenListed(usize),
    /// Opens the next or the previous scene of the list.
    NextScene {
        /// True for the next scene, false for the previous one.
        forward: bool,
    },
    /// Begins the first tour: opens the first scene with a lesson.
    BeginTour,
    /// Shows the file dialog.
    ShowFileDialog,
    /// Throws a ball towards the point under the mouse.
    ThrowBall,
    /// Pins or frees the particle under the mouse.
    TogglePinUnderMouse,
    /// Shows the file dialog for saving the scene in its present state.
    ShowSaveDialog,
    /// Saves the scene in its present state to a file.
    SaveScene(PathBuf),
    /// Request about pause, steps and the past.
    Time(TimeAction),
    /// Request about lanes and their settings.
    Lane(LaneAction),
    /// Request about the window alone.
    Window(WindowAction),
}

/// Requests about time: pause, steps, and moments of the past.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeAction {
    /// Stops time, or lets it continue.
    TogglePause,
    /// Takes one step in every lane. Running time stops first.
    SingleStep,
    /// Goes one step back in every lane. Running time stops first.
    StepBack,
    /// Goes to a moment of the session and stops time there.
    GoTo(SessionMoment),
    /// Plays the past from the present moment, or stops playing.
    PlayPast,
    /// Plays a stretch of the past in a loop, from one second of the session to another.
    LoopPast([f64; 2]),
    /// Goes to the end of the previous or the next frame.
    StepFrame {
        /// True for the next frame, false for the previous one.
        forward: bool,
    },
    /// Goes to the oldest kept moment or to the newest one.
    GoToEnd {
        /// True for the newest.
        newest: bool,
    },
    /// Continues with the next branch at a moment at which the session was continued differently.
    /// The present course becomes a branch.
    TakeUpBranch,
    /// Starts the stopwatch, stops it, or removes it.
    PressStopwatch,
    /// Multiplies the speed of time.
    ScaleSpeed(f64),
}

/// Requests about lanes and their settings.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAction {
    /// Adds a copy of a lane that continues from the moment on screen.
    BranchOff {
        /// Colour of the lane.
        color: usize,
        /// Settings of the copy; `None` for those of the lane.
        settings: Option<Box<Settings>>,
    },
    /// Continues an exploded lane from before its explosion with a remedy.
    GoOnBeforeExplosion {
        /// Colour of the lane that exploded.
        color: usize,
        /// The remedy.
        onward: Onward,
    },
    /// Gives the selected lane the integrator of a digit key, counted from 0.
    FavouriteIntegrator(usize),
    /// Multiplies the time step of the selected lane.
    ScaleStep(f64),
    /// Switches the frame clamp of the selected lane on or off.
    ToggleFrameClamp,
    /// Changes the number of iterations of the selected lane's solver.
    ScaleIterations {
        /// True for more, false for fewer.
        more: bool,
    },
    /// Selects a lane, given by its colour.
    Select(usize),
    /// Shows or hides a lane, given by its colour.
    ToggleHidden(usize),
    /// Shows one lane alone, given by its colour, or shows all lanes again.
    ToggleSolo(usize),
    /// Adds a lane with the settings of the selected one at the scene's start.
    AddLane,
    /// Adds a copy of the selected lane in its present state.
    DuplicateLane,
    /// Removes the selected lane.
    RemoveLane,
    /// Sets the source of the frames of a lane.
    ShowOn {
        /// Colour of the lane.
        color: usize,
        /// Source of the frames.
        source: FrameSource,
    },
    /// Gives the selected lane the last frame times of this window as a repeating source.
    RecordTrace,
    /// Names a lane, given by its colour.
    Rename(usize, String),
    /// Shows the explanation of a lane's explosion, given by the lane's colour.
    Explain(usize),
    /// Makes a lane, given by its colour, the reference for distances, or ends this.
    ToggleReference(usize),
    /// Replaces the lanes by a comparison.
    Compare(Preset),
    /// Replaces the lanes and settings by those with which the scene begins.
    RestoreLanes,
    /// Copies the settings of the selected lane to the clipboard.
    CopySettings,
    /// Gives the selected lane the settings on the clipboard.
    PasteSettings,
}

/// Request that changes no simulation.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowAction {
    /// Shows or hides the gallery of scenes.
    ToggleGallery,
    /// Shows one step of some settings as code.
    ShowCode(CodeOf),
    /// Colours links by strain or by lane.
    ToggleStrainColors,
    /// Makes a left drag cut, or grab by a spring.
    ToggleScissors,
    /// Switches between dark and light background.
    ToggleTheme,
    /// Switches between viewports side by side and one viewport.
    ToggleOverlay,
    /// Hides or shows everything but the scene.
    ToggleInterface,
    /// Shows or hides the list of keys.
    ToggleHelp,
    /// Shows or hides the window with answers: map, errors, advice.
    ToggleStudies,
    /// Shows or hides the plots of time.
    ToggleTimePlots,
    /// Shows or hides the plots of energy and stretch.
    ToggleEnergyPlots,
    /// Shows or hides phase portrait and spectrum.
    ToggleMotionPlots,
    /// Writes the data of the plots to a file.
    ExportCsv,
    /// Writes the picture of a plot to a file.
    SavePlot {
        /// Name of the plotted quantity.
        name: String,
        /// Picture of the plot.
        drawing: Drawing,
        /// Format of the picture.
        format: PictureFormat,
    },
    /// Saves the recording of the session, for `ropelab replay`.
    SaveRecording,
    /// Switches full screen on or off.
    ToggleFullscreen,
    /// Saves a picture of the window.
    Screenshot,
    /// Shows or hides the window with the settings of an animation.
    ToggleFilm,
    /// Begins an animation with these settings.
    Film,
    /// Moves the camera to the scene's own view.
    Home,
    /// Moves the camera so that it shows all bodies.
    FrameAll,
    /// Multiplies the scale of the user interface; 0 restores the usual scale.
    ScaleInterface(f32),
    /// Closes the topmost window or strip.
    Close,
    /// Closes the window.
    Quit,
}

/// The actions that were asked for in this frame, in their order.
#[derive(Clone, Default)]
struct Asked(Vec<Action>);

/// A part of the interface, through which actions can be asked for. The window carries them out
/// after the interface was shown.
pub trait Ask {
    /// Asks for an action.
    fn ask(&self, action: Action) {
        self.ask_all([action]);
    }

    /// Asks for actions in their order.
    fn ask_all(&self, actions: impl IntoIterator<Item = Action>);
}

impl Ask for egui::Context {
    fn ask_all(&self, actions: impl IntoIterator<Item = Action>) {
        // Before the context is locked: the iterator may use it.
        let actions: Vec<Action> = actions.into_iter().collect();
        self.data_mut(|data| {
            data.get_temp_mut_or_default::<Asked>(egui::Id::NULL).0.extend(actions);
        });
    }
}

impl Ask for egui::Ui {
    fn ask_all(&self, actions: impl IntoIterator<Item = Action>) {
        self.ctx().ask_all(actions);
    }
}

/// Takes the actions that were asked for since the last call.
pub fn take_asked(ctx: &egui::Context) -> Vec<Action> {
    ctx.data_mut(|data| {
        std::mem::take(&mut data.get_temp_mut_or_default::<Asked>(egui::Id::NULL).0)
    })
}

/// Number of the actions that were asked for so far.
pub fn count_asked(ctx: &egui::Context) -> usize {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Asked>(egui::Id::NULL).0.len())
}
