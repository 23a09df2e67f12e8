//! Scissors of the hand: a stroke over the picture cuts the links that it crosses.

use super::hand::HandContext;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::scene_view::stage::ViewCell;
use crate::app::view::{Camera, crossed_links};
use crate::simulation::settings::Command;
use egui_macroquad::egui;
use glam::Vec2;
use itertools::Itertools;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Stroke {
    cell: usize,
    /// Start of the stroke in pixels.
    from: Vec2,
    to: Vec2,
}

#[derive(Debug, Default)]
pub struct Scissors {
    stroke: Option<Stroke>,
}

impl Scissors {
    /// Returns the viewport of the current stroke, and its ends in pixels.
    pub fn stroke(&self) -> Option<(usize, [Vec2; 2])> {
        self.stroke.map(|Stroke { cell, from, to }| (cell, [from, to]))
    }

    /// Handles the mouse of this frame at `pixel`. `over` is true if the mouse is over the scene.
    /// Returns true while a stroke is being drawn.
    pub fn handle_mouse(
        &mut self,
        ctx: &egui::Context,
        context: &HandContext,
        camera: &Camera,
        (pixel, over): (Option<Vec2>, bool),
    ) -> bool {
        let pointer = |ask: fn(&egui::PointerState) -> bool| ctx.input(|input| ask(&input.pointer));
        if context.cuts() && over && pointer(egui::PointerState::primary_pressed) {
            // A slow frame may contain the press and a later move, so the position of the press is
            // used.
            let origin = ctx.input(|input| input.pointer.press_origin());
            let from = origin.map(|p| Vec2::new(p.x, p.y) * context.scale).or(pixel);
            self.stroke = from.and_then(|from| {
                let cell = context.stage.cell_at(from)?;
                Some(Stroke { cell, from, to: from })
            });
        }
        let Some(stroke) = &mut self.stroke else { return false };
        // The viewport disappears if its lane is removed.
        if let Some((cell, pixel)) = context.stage.cells.get(stroke.cell).zip(pixel) {
            let to = cell.viewport.nearest(pixel);
            if to != stroke.to {
                ctx.request_all(cut_action(context, camera, cell, [stroke.to, to]));
                stroke.to = to;
            }
        }
        if !pointer(egui::PointerState::primary_down) {
            self.stroke = None;
        }
        true
    }

    /// Drops the stroke, because the scene was replaced.
    pub fn forget(&mut self) {
        self.stroke = None;
    }
}

/// Returns the action that cuts the links under a line between two pixels in all lanes of a
/// viewport; `None` if the line crosses no link.
fn cut_action(
    context: &HandContext,
    camera: &Camera,
    cell: &ViewCell,
    line: [Vec2; 2],
) -> Option<Action> {
    let project = camera.projector(&cell.viewport);
    let found = cell.lanes.iter().filter_map(|lane| {
        let (positions, boxes) =
            (context.pictures.positions(*lane), context.pictures.boxes(*lane)?);
        Some(crossed_links(context.pictures.shape(), positions, boxes, &project, line))
    });
    let links = found.flatten().sorted_unstable().dedup().collect_vec();
    (!links.is_empty()).then_some(Action::SendCommand(Command::Cut(links)))
}
