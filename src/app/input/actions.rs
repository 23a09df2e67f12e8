//! Actions of keys, buttons and menus. Those that change a simulation become a [`Command`] in
//! `Laboratory::command`; the others change only the window.

use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Onward;
use crate::export::figure::Figure;
use crate::preset::Preset;
use crate::session::Place;
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use egui_macroquad::egui;
use std::path::PathBuf;

/// Format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels.
    Png,
    /// Lines.
    Svg,
}

/// Settings whose step is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeOf {
    /// The current settings of a lane, given by its colour.
    Lane(usize),
    /// The name and the settings of a recommendation or remedy.
    Advised(String, Box<Settings>),
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist at a time")]
pub enum Action {
    /// Unchanged command for the session.
    Give(Command),
    /// Undoes the last edit of the bodies, the settings, the scene or the lanes.
    Undo,
    /// Redoes the last undone edit.
    Redo,
    /// Takes an edit, named by its number, out from among the others.
    TakeOut(u64),
    /// Cancels an undo while the session is being recomputed.
    CancelUndo,
    /// Replaces numbers of the scene, which all lanes share.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body to the scene or deletes one.
    EditScene(SceneEdit),
    /// Takes a tool that adds bodies, or puts it back.
    ToggleBuild(BuildTool),
    /// Deletes the body under the mouse.
    DeleteUnderMouse,
    /// The scene from its start.
    Reset,
    /// The scene's file is read again.
    Reload,
    /// Opens a scene file.
    Open(PathBuf),
    /// Opens a scene of the list by its place.
    OpenListed(usize),
    /// The next scene of the list, or the previous one.
    NextScene {
        /// Towards the end of the list.
        forward: bool,
    },
    /// Begins the first tour: the scenes that have a lesson.
    BeginTour,
    /// Shows the file dialog.
    ShowFileDialog,
    /// Throws a ball towards the point under the mouse.
    ThrowBall,
    /// Pins or frees the particle under the mouse.
    TogglePinUnderMouse,
    /// Shows the file dialog, to save the scene with the lanes as they are.
    ShowSaveDialog,
    /// Writes the scene with the lanes as they are to a file.
    SaveScene(PathBuf),
    /// Pause, steps and the past.
    Time(TimeAction),
    /// Lanes and their settings.
    Lane(LaneAction),
    /// The window alone.
    Window(WindowAction),
}

/// Requests about time: pause, steps, and moments of the past.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeAction {
    /// Stops or continues time.
    TogglePause,
    /// One step in every lane; running time stops first.
    SingleStep,
    /// One step back in every lane; running time stops first.
    StepBack,
    /// Goes to a moment of the session and stops time there.
    GoTo(Place),
    /// Plays the past from the present moment of the time bar, or stops it.
    PlayPast,
    /// A stretch of the past plays over and over, from one time of the session to another.
    LoopPast([f64; 2]),
    /// Goes to the end of the previous or the next frame.
    StepFrame {
        /// Towards the newest moment.
        forward: bool,
    },
    /// Goes to the oldest kept moment, or to the newest.
    GoToEnd {
        /// True for the newest.
        newest: bool,
    },
    /// Switches to the branch of a moment at which the session was continued differently. The
    /// present course becomes the branch.
    TakeUpBranch,
    /// Starts the stopwatch, stops it or takes it away.
    PressStopwatch,
    /// Multiplies the speed.
    ScaleSpeed(f64),
}

/// Requests about lanes and their settings.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAction {
    /// Adds a copy of a lane that continues from this moment.
    BranchOff {
        /// Colour of the lane.
        color: usize,
        /// Settings of the copy, if they are others.
        settings: Option<Box<Settings>>,
    },
    /// Continues an exploded lane from before its explosion.
    GoOnBeforeExplosion {
        /// Colour of the lane that exploded.
        color: usize,
        /// The remedy.
        onward: Onward,
    },
    /// The selected lane takes one of the integrators that have a key, counted from 0.
    FavouriteIntegrator(usize),
    /// Multiplies the selected lane's time step.
    ScaleStep(f64),
    /// Switches the selected lane's frame clamp.
    ToggleFrameClamp,
    /// The selected lane's solver makes more or fewer iterations.
    ScaleIterations {
        /// True for more, false for fewer.
        more: bool,
    },
    /// Selects a lane, named by its colour.
    Select(usize),
    /// Shows or hides a lane, named by its colour.
    ToggleHidden(usize),
    /// Shows one lane alone, or all again.
    ToggleSolo(usize),
    /// A new lane with the settings of the selected one.
    AddLane,
    /// A copy of the selected lane in its present state.
    DuplicateLane,
    /// Removes the selected lane.
    RemoveLane,
    /// A lane, named by its colour, has frames from this source from now on.
    ShowOn {
        /// The lane.
        color: usize,
        /// Source of its frames.
        source: FrameSource,
    },
    /// The selected lane has the last frames of this window, over and over.
    RecordTrace,
    /// Names a lane, given by its colour.
    Rename(usize, String),
    /// Shows why a lane exploded, named by its colour.
    Explain(usize),
    /// Measures the other lanes against this one, named by its colour, or not any more.
    ToggleReference(usize),
    /// Replaces the lanes by a comparison.
    Compare(Preset),
    /// Replaces the lanes and settings by those with which the scene begins.
    RestoreLanes,
    /// Copies the settings of the selected lane to the clipboard.
    CopySettings,
    /// The selected lane takes the settings that are on the clipboard.
    PasteSettings,
}

/// Requests that no simulation notices.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowAction {
    /// Shows or hides the gallery of scenes.
    ToggleGallery,
    /// Shows one step of some settings as code.
    ShowCode(CodeOf),
    /// Colours by strain, or by lane.
    ToggleStrainColors,
    /// A left drag cuts, or grabs by a spring.
    ToggleScissors,
    /// Switches between a dark and a light ground.
    ToggleTheme,
    /// Switches from side by side to overlay and back.
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
        /// Name of the plot's quantity.
        name: String,
        /// The picture.
        figure: Figure,
        /// Format of the picture.
        format: PictureFormat,
    },
    /// Writes the session since the scene was opened to a file, for `ropelab replay`.
    SaveRecording,
    /// Switches full screen.
    ToggleFullscreen,
    /// Writes a picture of the window to a file.
    Screenshot,
    /// Shows or hides the window in which an animation is described.
    ToggleFilm,
    /// Begins the animation that is described there.
    Film,
    /// Camera of the scene.
    Home,
    /// Fits the camera to all bodies.
    FrameAll,
    /// Scales the user interface; 0 = back to its natural size.
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
