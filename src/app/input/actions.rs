//! Actions of keys, buttons and menus. An action that changes a simulation becomes a [`Command`] in
//! `Laboratory::command`; other actions change only the window. A lane is one of the scene's
//! simulations that run side by side.

use crate::app::input::build_tool::BuildTool;
use crate::app::laboratory::Continuation;
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

/// Settings for which one step is shown as code.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeSubject {
    /// The current settings of a lane, given by its colour.
    Lane(usize),
    /// The name and the settings of a recommendation or remedy.
    Advised(String, Box<Settings>),
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only a few exist at a time")]
pub enum Action {
    /// Passes a command to the session.
    SendCommand(Command),
    /// Undoes the last edit of the bodies, the settings, the scene or the lanes.
    Undo,
    /// Redoes the edit that was undone last.
    Redo,
    /// Removes an edit, given by its number, from any position in the list of edits.
    RemoveEdit(u64),
    /// Cancels an undo while the session is being recomputed.
    CancelUndo,
    /// Replaces numbers of the scene, which all lanes share.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body to the scene or deletes one.
    EditScene(SceneEdit),
    /// Selects a build tool, or deselects it if it is selected.
    ToggleTool(BuildTool),
    /// Deletes the body under the mouse.
    DeleteUnderMouse,
    /// Restarts the scene.
    Reset,
    /// Reads the scene's file again.
    Reload,
    /// Opens a scene file.
    Open(PathBuf),
    /// Opens a scene of the list, given by its index.
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
    /// Pauses or continues the session.
    TogglePause,
    /// Takes one step in every lane. A running session is paused first.
    SingleStep,
    /// Goes one step back in every lane. A running session is paused first.
    StepBack,
    /// Shows a moment of the session and pauses there.
    GoTo(SessionMoment),
    /// Plays the past from the shown moment, or stops playing.
    PlayPast,
    /// Plays a part of the past in a loop: from the first to the second time, in seconds of the
    /// session.
    LoopPast([f64; 2]),
    /// Goes to the end of the previous or the next frame.
    StepFrame {
        /// True for the next frame, false for the previous one.
        forward: bool,
    },
    /// Shows the oldest stored moment or the newest one.
    GoToEnd {
        /// True for the newest moment.
        newest: bool,
    },
    /// Switches to the next branch at the shown moment. A branch is another continuation of the
    /// session from that moment. The present continuation becomes a branch.
    SwitchBranch,
    /// Starts, stops or hides the stopwatch: each press takes the next of these states.
    PressStopwatch,
    /// Multiplies the speed, in simulated seconds per second of wall-clock time.
    ScaleSpeed(f64),
}

/// Requests about lanes and their settings.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAction {
    /// Adds a copy of a lane that continues from the shown moment.
    BranchOff {
        /// Colour of the lane.
        color: usize,
        /// Settings of the copy; `None` for those of the lane.
        settings: Option<Box<Settings>>,
    },
    /// Continues an exploded lane, with a remedy, from a moment before its explosion.
    ContinueBeforeExplosion {
        /// Colour of the exploded lane.
        color: usize,
        /// Remedy: other settings for a copy of the lane, or other numbers of the scene.
        continuation: Continuation,
    },
    /// Sets the integrator of the selected lane to that of a digit key; key 1 is 0.
    FavouriteIntegrator(usize),
    /// Multiplies the time step of the selected lane.
    ScaleStep(f64),
    /// Switches the frame clamp of the selected lane on or off.
    ToggleFrameClamp,
    /// Changes the number of iterations of the selected lane's solver.
    ScaleIterations { more: bool },
    /// Selects a lane, given by its colour.
    Select(usize),
    /// Shows or hides a lane, given by its colour.
    ToggleHidden(usize),
    /// Shows the lane with this colour alone, or shows all lanes again.
    ToggleSolo(usize),
    /// Adds a lane with the settings of the selected lane and the initial state of the scene.
    AddLane,
    /// Adds a copy of the selected lane in its present state.
    DuplicateLane,
    /// Removes the selected lane.
    RemoveLane,
    /// Sets the source of a lane's frame times.
    SetFrameSource {
        /// Colour of the lane.
        color: usize,
        source: FrameSource,
    },
    /// Sets the frame source of the selected lane to the last frame times of this window, which
    /// repeat.
    RecordTrace,
    /// Renames the lane with this colour.
    Rename(usize, String),
    /// Shows the explanation of a lane's explosion, given by the lane's colour.
    Explain(usize),
    /// Makes the lane with this colour the reference for distances, or removes the reference.
    ToggleReference(usize),
    /// Replaces the lanes by the lanes of a preset comparison.
    Compare(Preset),
    /// Replaces the lanes and their settings by those of the scene's file.
    RestoreLanes,
    /// Copies the settings of the selected lane to the clipboard.
    CopySettings,
    /// Applies the settings on the clipboard to the selected lane.
    PasteSettings,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WindowAction {
    /// Shows or hides the gallery of scenes.
    ToggleGallery,
    /// Shows one step as code.
    ShowCode(CodeSubject),
    /// Colours links by strain or by lane.
    ToggleStrainColors,
    /// Makes a left drag cut links, or grab by a spring.
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
    /// Shows or hides the plots of frame time, steps, blend, time still to simulate and dropped
    /// time.
    ToggleTimePlots,
    /// Shows or hides the plots of energy and stretch.
    ToggleEnergyPlots,
    /// Shows or hides the phase portrait and the spectrum.
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
    /// Saves a picture of the window as PNG.
    Screenshot,
    /// Shows or hides the window with the settings of an animation.
    ToggleFilm,
    /// Begins an animation with the settings of its window.
    BeginFilm,
    /// Moves the camera to the scene's own view.
    HomeCamera,
    /// Moves the camera so that it shows all bodies.
    FrameAll,
    /// Multiplies the scale of the user interface; 0 restores the usual scale.
    ScaleInterface(f32),
    /// Closes the topmost open window, strip or card.
    Close,
    /// Closes the window.
    Quit,
}

/// Actions requested in this frame, in order.
#[derive(Clone, Default)]
struct RequestedActions(Vec<Action>);

/// Part of the interface through which actions are requested. The window carries the actions out
/// after the interface has been drawn.
pub trait RequestActions {
    /// Requests one action.
    fn request(&self, action: Action) {
        self.request_all([action]);
    }

    /// Requests actions, which are carried out in this order.
    fn request_all(&self, actions: impl IntoIterator<Item = Action>);
}

impl RequestActions for egui::Context {
    fn request_all(&self, actions: impl IntoIterator<Item = Action>) {
        // The iterator may use the context, so it runs before the context is locked.
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

/// Removes and returns the actions requested since the last call.
pub fn take_requested_actions(ctx: &egui::Context) -> Vec<Action> {
    ctx.data_mut(|data| {
        std::mem::take(&mut data.get_temp_mut_or_default::<RequestedActions>(egui::Id::NULL).0)
    })
}

/// Returns the number of actions requested so far in this frame.
pub fn count_requested_actions(ctx: &egui::Context) -> usize {
    ctx.data_mut(|data| data.get_temp_mut_or_default::<RequestedActions>(egui::Id::NULL).0.len())
}
