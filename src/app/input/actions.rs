//! Everything that a key, a button or a menu can ask of the window. What changes a simulation
//! becomes a [`Command`] in `Laboratory::command`; the rest changes only the window.

use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Onward;
use crate::export::figure::Figure;
use crate::preset::Preset;
use crate::session::Place;
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
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
    /// Something for the session, as it is.
    Give(Command),
    /// Takes back what was done last to the bodies, the settings, the scene or the lanes.
    Undo,
    /// Does again what was undone last.
    Redo,
    /// Takes an edit, named by its number, out from among the others.
    TakeOut(u64),
    /// Gives up an undo while the session is still computed again.
    CancelUndo,
    /// Puts numbers in the place of others in the scene, which all lanes share.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body to the scene or deletes one.
    EditScene(SceneEdit),
    /// Takes a tool that makes something, or puts it back.
    ToggleBuild(BuildTool),
    /// Deletes what lies under the mouse.
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
    /// Throws a ball at what the mouse points at.
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
    /// One step in every lane; time stops if it did not stand still.
    SingleStep,
    /// One step back in every lane; time stops if it did not stand still.
    StepBack,
    /// Goes to a moment of the session; time stands still there.
    GoTo(Place),
    /// The past plays from the moment that the session is at, or stands still.
    PlayPast,
    /// A stretch of the past plays over and over, from one time of the session to another.
    LoopPast([f64; 2]),
    /// Goes to the end of the frame before, or of the one after.
    StepFrame {
        /// Towards the newest moment.
        forward: bool,
    },
    /// Goes to the oldest moment that is kept, or to the newest.
    GoToEnd {
        /// True for the newest.
        newest: bool,
    },
    /// Takes up the branch: what came after a moment from which the session went on in another way.
    /// The present course becomes the branch.
    TakeUpBranch,
    /// Starts the stopwatch, stops it or takes it away.
    PressStopwatch,
    /// Multiplies the speed.
    ScaleSpeed(f64),
}

/// Requests about lanes and their settings.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAction {
    /// A copy of a lane goes on from this moment as a new lane.
    BranchOff {
        /// Colour of the lane.
        color: usize,
        /// Settings of the copy, if they are others.
        settings: Option<Box<Settings>>,
    },
    /// A lane that exploded goes on from before it did.
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
        /// More, not fewer.
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
    /// A whole comparison takes the place of the lanes.
    Compare(Preset),
    /// The lanes and settings that the scene begins with take the place of those that are there.
    RestoreLanes,
    /// Puts the settings of the selected lane on the clipboard.
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
    /// Writes what the plots know to a file.
    ExportCsv,
    /// Writes the picture of a plot to a file.
    SavePlot {
        /// Name of what the plot shows.
        name: String,
        /// The picture.
        figure: Figure,
        /// Format of the picture.
        format: PictureFormat,
    },
    /// Writes what happened since the scene was opened to a file, for `ropelab replay`.
    SaveRecording,
    /// Switches full screen.
    ToggleFullscreen,
    /// Writes a picture of the window to a file.
    Screenshot,
    /// Shows or hides the window in which an animation is described.
    ToggleFilm,
    /// Begins the animation that is described there.
    Film,
    /// The camera as the scene wants it.
    Home,
    /// The camera on everything that there is.
    FrameAll,
    /// Scales the user interface; 0 = back to its natural size.
    ScaleInterface(f32),
    /// Closes what lies on top.
    Close,
    /// Closes the window.
    Quit,
}
