//! Actions that keys, buttons and menus request. An action that changes a simulation becomes a
//! [`Command`] in `Laboratory::command`; other actions change only the window.

use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Continuation;
use crate::export::drawing::Drawing;
use crate::preset::Preset;
use crate::session::SessionMoment;
use crate::simulation::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use egui_macroquad::egui;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Png,
    Svg,
}

/// Settings for which one step is shown as code.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeSubject {
    /// Current settings of the lane with this colour number.
    Lane(usize),
    /// Name and settings of a recommendation or a remedy.
    Advised(String, Box<Settings>),
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist at a time")]
pub enum Action {
    /// Passes a command to the session.
    SendCommand(Command),
    /// Undoes the last edit of bodies, settings, scene or lanes.
    Undo,
    /// Redoes the most recently undone edit.
    Redo,
    /// Removes the edit with this number from any position in the list of edits.
    RemoveEdit(u64),
    /// Cancels an undo during its recomputation.
    CancelUndo,
    /// Replaces values of the scene, which all lanes share.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body to the scene, or deletes one.
    EditScene(SceneEdit),
    ToggleTool(BuildTool),
    DeleteUnderMouse,
    Reset,
    Reload,
    Open(PathBuf),
    /// Carries out an action that replaces or ends the session, without asking about unsaved edits.
    DropEdits(Box<Action>),
    /// Opens the scene with this index in the list.
    OpenListed(usize),
    /// Opens the next scene of the list, or the previous one if `forward` is false.
    NextScene {
        forward: bool,
    },
    /// Opens the first scene with a lesson.
    BeginTour,
    ShowFileDialog,
    ThrowBall,
    TogglePinUnderMouse,
    /// Shows the file dialog for saving the scene in its current state.
    ShowSaveDialog,
    SaveScene(PathBuf),
    Time(TimeAction),
    Lane(LaneAction),
    Window(WindowAction),
}

/// Requests about time: pause, steps, and moments of the past.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeAction {
    TogglePause,
    /// Takes one step in every lane. Pauses a running session first.
    SingleStep,
    /// Goes one step back in every lane. Pauses a running session first.
    StepBack,
    GoTo(SessionMoment),
    PlayPast,
    /// Plays the past in a loop between two session times in seconds.
    LoopPast([f64; 2]),
    /// Goes to the end of the next frame, or of the previous one if `forward` is false.
    StepFrame {
        forward: bool,
    },
    /// Shows the newest moment, or the oldest stored one if `newest` is false.
    GoToEnd {
        newest: bool,
    },
    /// Switches to the next branch (another continuation of the session) at the shown moment. The
    /// current continuation becomes a branch.
    SwitchBranch,
    /// Starts, stops or removes the stopwatch, in this order.
    PressStopwatch,
    /// Multiplies the speed of simulated time by a factor.
    ScaleSpeed(f64),
}

/// Requests about lanes and their settings. Lanes are identified by their colour numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAction {
    /// Adds a copy of a lane that continues from the shown moment.
    BranchOff {
        color: usize,
        /// Settings of the copy; `None` for those of the lane.
        settings: Option<Box<Settings>>,
    },
    /// Continues an exploded lane from a moment before its explosion, with a remedy.
    ContinueBeforeExplosion {
        color: usize,
        /// Remedy: settings for a copy of the lane, or values of the scene.
        continuation: Continuation,
    },
    /// Gives the selected lane the integrator of a digit key; 0 stands for key 1.
    FavouriteIntegrator(usize),
    ScaleStep(f64),
    ToggleFrameClamp,
    /// Gives the selected lane's solver more sweeps, or fewer if `more` is false.
    ScaleIterations {
        more: bool,
    },
    Select(usize),
    ToggleHidden(usize),
    /// Shows only the lane with this colour number, or all lanes again.
    ToggleSolo(usize),
    /// Adds a lane with the settings of the selected lane and the initial state of the scene.
    AddLane,
    DuplicateLane,
    RemoveLane,
    SetFrameSource {
        color: usize,
        source: FrameSource,
    },
    /// Uses the last frame times of this window, repeated, as the frame times of the selected lane.
    RecordTrace,
    Rename(usize, String),
    /// Replaces an empty or duplicate lane name after the user has left the name's field.
    CompleteName(usize),
    Explain(usize),
    /// Starts or stops measuring the distances of all lanes from the lane with this colour number.
    ToggleReference(usize),
    /// Replaces the lanes with those of a prepared comparison.
    Compare(Preset),
    /// Replaces the lanes and their settings with those of the scene's file.
    RestoreLanes,
    CopySettings,
    PasteSettings,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WindowAction {
    ToggleGallery,
    ShowCode(CodeSubject),
    /// Switches between colouring links by strain and by lane.
    ToggleStrainColors,
    /// Switches the tool of a left drag between scissors and grabbing by a spring.
    ToggleScissors,
    ToggleTheme,
    /// Switches between one viewport for all lanes and viewports side by side.
    ToggleOverlay,
    /// Hides or shows the whole interface around the scene.
    ToggleInterface,
    ToggleHelp,
    /// Shows or hides the window of answers: map, errors, advice.
    ToggleStudies,
    /// Shows or hides the plots of frame time, steps per frame, blend, and owed and dropped time.
    ToggleTimePlots,
    ToggleEnergyPlots,
    ToggleMotionPlots,
    ExportCsv,
    /// Writes a plot to an image file.
    SavePlot {
        name: String,
        drawing: Drawing,
        format: PictureFormat,
    },
    /// Saves the recording of the session, for `ropelab replay`.
    SaveRecording,
    ToggleFullscreen,
    Screenshot,
    /// Shows or hides the window for the settings of an animation.
    ToggleFilm,
    BeginFilm,
    /// Moves the camera to the view that the scene file sets.
    HomeCamera,
    FrameAll,
    /// Multiplies the scale of the user interface by a factor; 0 restores the default scale.
    ScaleInterface(f32),
    /// Closes the topmost window, strip or card inside the program window.
    Close,
    Quit,
}

impl WindowAction {
    /// True if the action opens or closes a window over the scene. The file dialog would cover such
    /// a window.
    pub fn opens_window(&self) -> bool {
        matches!(
            self,
            Self::ToggleGallery
                | Self::ShowCode(_)
                | Self::ToggleHelp
                | Self::ToggleStudies
                | Self::ToggleFilm
        )
    }
}

/// Actions requested in this frame, in order.
#[derive(Clone, Default)]
struct RequestedActions(Vec<Action>);

/// Requests actions while the interface is drawn. The window carries them out afterwards.
pub trait RequestActions {
    fn request(&self, action: Action) {
        self.request_all([action]);
    }

    /// Requests actions, to be carried out in this order.
    fn request_all(&self, actions: impl IntoIterator<Item = Action>);
}

impl RequestActions for egui::Context {
    fn request_all(&self, actions: impl IntoIterator<Item = Action>) {
        // The iterator may use the context and therefore runs before the context is locked.
        let actions: Vec<Action> = actions.into_iter().collect();
        self.data_mut(|data| {
            data.get_temp_mut_or_default::<RequestedActions>(egui::Id::NULL).0.extend(actions);
        });
    }
}

impl RequestActions for egui::Ui {
    fn request_all(&self, actions: impl IntoIterator<Item = Action>) {
        self.ctx().request_all(actions);
    }
}

pub fn take_requested_actions(ctx: &egui::Context) -> Vec<Action> {
    ctx.data_mut(|data| {
        std::mem::take(&mut data.get_temp_mut_or_default::<RequestedActions>(egui::Id::NULL).0)
    })
}

pub fn count_requested_actions(ctx: &egui::Context) -> usize {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<RequestedActions>(egui::Id::NULL).0.len())
}
