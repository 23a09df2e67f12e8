//! Tool of a drag, and the window state that the tools need.

use crate::app::input::Input;
use crate::app::scene_view::pictures::Pictures;
use crate::app::scene_view::stage::Stage;
use crate::simulation::settings::GrabMode;
use egui_macroquad::egui;
use glam::Vec2;
use serde::{Deserialize, Serialize};

pub struct HandContext<'a> {
    /// Keys and wheel of the frame.
    pub input: &'a Input,
    pub stage: &'a Stage,
    /// Drawn positions of all particles.
    pub pictures: &'a Pictures,
    /// Pixels per point.
    pub scale: f32,
    pub tool: Tool,
    /// True if clicks and drags belong to a build tool instead of grabbing bodies.
    pub tool_has_mouse: bool,
}

impl HandContext<'_> {
    pub fn grab_mode(&self) -> GrabMode {
        self.tool.grab_mode(self.input.shift)
    }

    pub fn cuts(&self) -> bool {
        self.input.cut || (self.tool == Tool::Scissors && !self.input.shift)
    }

    /// Returns the pixel at which the mouse button was pressed. The mouse may have moved since then
    /// within the same slow frame.
    pub fn pressed_pixel(&self, ctx: &egui::Context) -> Option<Vec2> {
        let origin = ctx.input(|input| input.pointer.press_origin())?;
        Some(Vec2::new(origin.x, origin.y) * self.scale)
    }
}

/// Tool of a left drag without modifier keys. With Shift, `Spring` and `Hard` are swapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tool {
    /// Pulls by a spring.
    #[default]
    Spring,
    /// Moves the body exactly with the mouse.
    Hard,
    Scissors,
}

impl Tool {
    /// Returns the mode of a grab, with or without Shift.
    pub fn grab_mode(self, shift: bool) -> GrabMode {
        if (self == Self::Hard) != shift { GrabMode::Hard } else { GrabMode::Spring }
    }
}
