//! Keys of the window. A single table binds them to actions; the help shows this table.

pub mod actions;
pub mod build_tool;

use crate::app::theme::WHEEL_NOTCH;
use actions::{Action, LaneAction, TimeAction, WindowAction};
use build_tool::BuildTool;
use egui_macroquad::egui;
use macroquad::input::utils::{register_input_subscriber, repeat_all_miniquad_input};
use macroquad::miniquad::{EventHandler, KeyCode, KeyMods, MouseButton};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ModifierKeys {
    Nothing,
    Shift,
    Ctrl,
    CtrlShift,
}

/// Key with its modifier keys, and its name for users.
type Chord = (ModifierKeys, KeyCode, &'static str);

/// Keys with the same effect, and the action that they request.
pub struct Binding {
    chords: &'static [Chord],
    /// Effect of the keys, for the help.
    pub description: &'static str,
    pub action: fn() -> Action,
}

impl Binding {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.chords.iter().map(|(_, _, name)| *name)
    }
}

macro_rules! keys {
    ($($group:literal: { $([$(($with:ident, $code:ident, $name:literal)),+] $description:literal => $action:expr;)+ })+) => {
        &[$(($group, &[$(Binding {
            chords: &[$((ModifierKeys::$with, KeyCode::$code, $name)),+],
            description: $description,
            action: || $action,
        }),+])),+]
    };
}

pub const KEYS: &[(&str, &[Binding])] = keys! {
    "Time": {
        [(Nothing, Space, "Space"), (Nothing, P, "P")] "pause or continue" => Action::Time(TimeAction::TogglePause);
        [(Nothing, Right, "→"), (Nothing, Period, "."), (Nothing, O, "O")] "single step" => Action::Time(TimeAction::SingleStep);
        [(Nothing, Left, "←"), (Nothing, Comma, ",")] "step back" => Action::Time(TimeAction::StepBack);
        [(Shift, Left, "Shift+←")] "a frame back" => Action::Time(TimeAction::StepFrame { forward: false });
        [(Shift, Right, "Shift+→")] "a frame forward" => Action::Time(TimeAction::StepFrame { forward: true });
        [(Shift, Home, "Shift+Home")] "go to the start" => Action::Time(TimeAction::GoToEnd { newest: false });
        [(Shift, End, "Shift+End")] "go to the newest moment" => Action::Time(TimeAction::GoToEnd { newest: true });
        [(Nothing, R, "R")] "restart the scene" => Action::Reset;
        [(Nothing, S, "S")] "start, stop, remove the stopwatch" => Action::Time(TimeAction::PressStopwatch);
        [(Nothing, Minus, "-")] "slower" => Action::Time(TimeAction::ScaleSpeed(0.5));
        [(Nothing, Equal, "=")] "faster" => Action::Time(TimeAction::ScaleSpeed(2.0));
    }
    "Scene": {
        [(Nothing, G, "G")] "all scenes" => Action::Window(WindowAction::ToggleGallery);
        [(Ctrl, O, "Ctrl+O")] "open a file" => Action::ShowFileDialog;
        [(Shift, R, "Shift+R"), (Ctrl, L, "Ctrl+L")] "read the file again" => Action::Reload;
        [(Nothing, Backspace, "Backspace")] "restore lanes and settings" => Action::Lane(LaneAction::RestoreLanes);
        [(Nothing, LeftBracket, "[")] "previous scene" => Action::NextScene { forward: false };
        [(Nothing, RightBracket, "]")] "next scene" => Action::NextScene { forward: true };
    }
    "Selected lane": {
        [(Nothing, Key1, "1")] "explicit Euler" => Action::Lane(LaneAction::FavouriteIntegrator(0));
        [(Nothing, Key2, "2")] "symplectic Euler" => Action::Lane(LaneAction::FavouriteIntegrator(1));
        [(Nothing, Key3, "3")] "position Verlet" => Action::Lane(LaneAction::FavouriteIntegrator(2));
        [(Nothing, Key4, "4")] "velocity Verlet" => Action::Lane(LaneAction::FavouriteIntegrator(3));
        [(Nothing, Key5, "5")] "midpoint" => Action::Lane(LaneAction::FavouriteIntegrator(4));
        [(Nothing, Key6, "6")] "RK4" => Action::Lane(LaneAction::FavouriteIntegrator(5));
        [(Nothing, Key7, "7")] "implicit Euler" => Action::Lane(LaneAction::FavouriteIntegrator(6));
        [(Nothing, Key8, "8")] "Dormand–Prince" => Action::Lane(LaneAction::FavouriteIntegrator(7));
        [(Nothing, D, "D")] "halve the time step" => Action::Lane(LaneAction::ScaleStep(0.5));
        [(Shift, D, "Shift+D")] "double the time step" => Action::Lane(LaneAction::ScaleStep(2.0));
        [(Nothing, K, "K")] "frame clamp on or off" => Action::Lane(LaneAction::ToggleFrameClamp);
        [(Nothing, Key9, "9")] "fewer sweeps" => Action::Lane(LaneAction::ScaleIterations { more: false });
        [(Nothing, Key0, "0")] "more sweeps" => Action::Lane(LaneAction::ScaleIterations { more: true });
    }
    "View": {
        [(Nothing, Home, "Home")] "show the scene's own view" => Action::Window(WindowAction::HomeCamera);
        [(Nothing, F, "F")] "show all bodies" => Action::Window(WindowAction::FrameAll);
        [(Nothing, Tab, "Tab")] "hide or show the panels" => Action::Window(WindowAction::ToggleInterface);
        [(Nothing, F3, "F3")] "plots of frame time and steps" => Action::Window(WindowAction::ToggleTimePlots);
        [(Nothing, F4, "F4")] "plots of energy and stretch" => Action::Window(WindowAction::ToggleEnergyPlots);
        [(Nothing, F5, "F5")] "phase portrait and spectrum of a particle" => Action::Window(WindowAction::ToggleMotionPlots);
        [(Nothing, F6, "F6")] "answers: map, errors, advice" => Action::Window(WindowAction::ToggleStudies);
        [(Nothing, F7, "F7")] "light or dark background" => Action::Window(WindowAction::ToggleTheme);
        [(Ctrl, Equal, "Ctrl+=")] "larger panels" => Action::Window(WindowAction::ScaleInterface(1.1));
        [(Ctrl, Minus, "Ctrl+-")] "smaller panels" => Action::Window(WindowAction::ScaleInterface(1.0 / 1.1));
        [(Ctrl, Key0, "Ctrl+0")] "default size of the panels" => Action::Window(WindowAction::ScaleInterface(0.0));
    }
    "Window": {
        [(Nothing, F1, "F1")] "this help" => Action::Window(WindowAction::ToggleHelp);
        [(Nothing, F11, "F11")] "full screen" => Action::Window(WindowAction::ToggleFullscreen);
        [(Nothing, F12, "F12")] "save a picture" => Action::Window(WindowAction::Screenshot);
        [(Shift, F12, "Shift+F12")] "save an animation" => Action::Window(WindowAction::ToggleFilm);
        [(Ctrl, S, "Ctrl+S")] "save a recording" => Action::Window(WindowAction::SaveRecording);
        [(Nothing, Escape, "Esc")] "close the topmost window" => Action::Window(WindowAction::Close);
        [(Ctrl, Q, "Ctrl+Q")] "quit" => Action::Window(WindowAction::Quit);
    }
    "Hand": {
        [(Ctrl, Z, "Ctrl+Z")] "undo the newest edit" => Action::Undo;
        [(CtrlShift, Z, "Ctrl+Shift+Z"), (Ctrl, Y, "Ctrl+Y")] "redo" => Action::Redo;
        [(Nothing, N, "N")] "add a rope between two clicks" => Action::ToggleTool(BuildTool::Rope);
        [(Nothing, M, "M")] "add a cloth over a rectangle" => Action::ToggleTool(BuildTool::Cloth);
        [(Shift, B, "Shift+B")] "add a ball by a click" => Action::ToggleTool(BuildTool::Ball);
        [(Nothing, T, "T")] "tie two particles" => Action::ToggleTool(BuildTool::Tie);
        [(Nothing, L, "L")] "lay a ruler between two clicks" => Action::ToggleTool(BuildTool::Ruler);
        [(Nothing, Delete, "Delete")] "delete the body under the mouse" => Action::DeleteUnderMouse;
        [(Nothing, B, "B")] "throw a ball; hold for several" => Action::ThrowBall;
        [(Nothing, X, "X")] "pin or free the particle under the mouse" => Action::TogglePinUnderMouse;
    }
};

/// Mouse gestures with their effects, for the help. `hand.rs` implements the gestures.
pub const MOUSE: &[(&str, &str)] = &[
    ("Left drag", "pull a particle, or move an obstacle"),
    ("Shift + left drag", "move it exactly with the mouse"),
    ("C + left drag", "cut every link that the stroke crosses"),
    ("Hold W", "blow along the motion of the mouse"),
    ("Click a link", "its tension and strain in every lane"),
    ("Click a particle", "with F5: its phase portrait, spectrum"),
    ("Right-click a plot", "set its axis and range; save it"),
    ("Double-click", "pin or free a particle"),
    ("Right drag", "move the view"),
    ("Shift + middle drag", "move the view"),
    ("Middle drag", "turn the view"),
    ("Wheel", "zoom at the cursor"),
    ("Drag the bar", "under the scene: go back and forth in time"),
    ("Shift + drag the bar", "play that interval in a loop; Esc ends it"),
    ("Click a diamond", "go to 20 steps before that explosion"),
];

/// True for keys that enter no text, so they work even while the user edits a text field.
fn works_while_typing(with: ModifierKeys, code: KeyCode) -> bool {
    use KeyCode::{F1, F3, F4, F5, F6, F7, F11, F12};
    (with == ModifierKeys::Ctrl && code == KeyCode::Q)
        || matches!(code, F1 | F3 | F4 | F5 | F6 | F7 | F11 | F12)
}

impl ModifierKeys {
    fn from_mods(keys: KeyMods) -> Self {
        if keys.ctrl || keys.logo {
            if keys.shift { Self::CtrlShift } else { Self::Ctrl }
        } else if keys.shift {
            Self::Shift
        } else {
            Self::Nothing
        }
    }
}

/// Keys and wheel of a frame. Each press is stored with its modifier keys, because a slow frame may
/// contain both the press and the release of a key.
#[derive(Debug, Default)]
pub struct Input {
    subscriber: usize,
    pressed: Vec<(ModifierKeys, KeyCode)>,
    /// Notches of the wheel in this frame; positive away from the user.
    pub notches: f32,
    /// Mouse position in pixels of the window.
    pub pointer: [f32; 2],
    /// Number of key presses, mouse-button presses and mouse-button releases since the start.
    pub presses: u64,
    pub shift: bool,
    /// True while the key of the scissors (C) is down.
    pub cut: bool,
    /// True while the key that throws balls (B) is down.
    pub throw: bool,
    /// True while the key that blows (W) is down.
    pub blow: bool,
}

impl Input {
    /// Creates the input and subscribes to the events of the window. The window must exist.
    pub fn new() -> Self {
        Self { subscriber: register_input_subscriber(), ..Self::default() }
    }

    /// Collects the events since the previous frame.
    pub fn listen(&mut self) {
        self.pressed.clear();
        self.notches = 0.0;
        repeat_all_miniquad_input(self, self.subscriber);
    }

    /// Returns the actions of the keys pressed in this frame. `typing` must be true while a text
    /// field has the keyboard focus.
    pub fn actions(&self, typing: bool) -> impl Iterator<Item = Action> {
        self.pressed.iter().filter_map(move |(with, code)| {
            let allowed = !typing || works_while_typing(*with, *code);
            let binds = |chord: &Chord| (chord.0, chord.1) == (*with, *code);
            let mut bindings = KEYS.iter().flat_map(|(_, bindings)| *bindings);
            bindings.find(|b| allowed && b.chords.iter().any(binds)).map(|b| (b.action)())
        })
    }

    /// Removes the keyboard focus that egui sets when the Tab key is pressed. In this program the
    /// Tab key hides the panels, unless a text field has the focus.
    pub fn give_back_focus(&self, ctx: &egui::Context, typing: bool) {
        if !typing && self.pressed.iter().any(|(_, code)| *code == KeyCode::Tab) {
            ctx.memory_mut(|memory| memory.stop_text_input());
        }
    }
}

impl EventHandler for Input {
    fn update(&mut self) {}

    fn draw(&mut self) {}

    fn key_down_event(&mut self, code: KeyCode, keys: KeyMods, repeat: bool) {
        self.presses += u64::from(!repeat);
        self.shift |= matches!(code, KeyCode::LeftShift | KeyCode::RightShift);
        let with = ModifierKeys::from_mods(keys);
        let is_plain = with == ModifierKeys::Nothing;
        self.cut |= code == KeyCode::C && is_plain;
        self.throw |= code == KeyCode::B && is_plain;
        self.blow |= code == KeyCode::W && is_plain;
        // A held key may repeat a step or a change of a value, but not an action that switches
        // something on or off.
        let may_repeat = matches!(
            code,
            KeyCode::Right
                | KeyCode::Period
                | KeyCode::O
                | KeyCode::Left
                | KeyCode::Comma
                | KeyCode::Key9
                | KeyCode::Key0
        );
        if !repeat || may_repeat {
            self.pressed.push((with, code));
        }
    }

    fn key_up_event(&mut self, code: KeyCode, _: KeyMods) {
        self.shift &= !matches!(code, KeyCode::LeftShift | KeyCode::RightShift);
        self.cut &= code != KeyCode::C;
        self.throw &= code != KeyCode::B;
        self.blow &= code != KeyCode::W;
    }

    fn mouse_motion_event(&mut self, x: f32, y: f32) {
        self.pointer = [x, y];
    }

    fn mouse_button_down_event(&mut self, _: MouseButton, x: f32, y: f32) {
        self.pointer = [x, y];
        self.presses += 1;
    }

    fn mouse_button_up_event(&mut self, _: MouseButton, x: f32, y: f32) {
        self.pointer = [x, y];
        self.presses += 1;
    }

    fn mouse_wheel_event(&mut self, _: f32, y: f32) {
        self.notches += y / WHEEL_NOTCH;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use itertools::Itertools;

    #[test]
    fn no_chord_does_two_things() {
        let bindings = KEYS.iter().flat_map(|(_, bindings)| *bindings);
        let chords = bindings.flat_map(|b| b.chords).map(|(with, code, _)| (*with, *code));
        assert_eq!(chords.duplicates().collect_vec(), []);
    }
}
