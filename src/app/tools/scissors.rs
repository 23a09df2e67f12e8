//! Scissors: a mouse stroke over the scene cuts the links that it crosses.

use super::hand_context::HandContext;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::scene_view::stage::ViewCell;
use crate::app::view::{Boxes, Camera, FramePositions, Projector, crossed_links};
use crate::simulation::settings::Command;
use egui_macroquad::egui;
use glam::{DVec3, Vec2};
use itertools::Itertools;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Stroke {
    cell: usize,
    from: Vec2,
    to: Vec2,
}

#[derive(Debug, Default)]
pub struct Scissors {
    stroke: Option<Stroke>,
    /// Lanes in the stroke's viewport as shown in the previous frame.
    before: Vec<ShownLane>,
}

/// Positions of a lane's particles in a frame.
#[derive(Debug)]
struct ShownLane {
    lane: usize,
    positions: Vec<DVec3>,
    boxes: Boxes,
}

impl ShownLane {
    fn frame(&self) -> FramePositions<'_> {
        FramePositions { positions: &self.positions, boxes: &self.boxes }
    }
}

impl Scissors {
    /// Returns the viewport of the current stroke, and both ends of the stroke in pixels.
    pub fn stroke(&self) -> Option<(usize, [Vec2; 2])> {
        self.stroke.map(|Stroke { cell, from, to }| (cell, [from, to]))
    }

    /// Handles the mouse input of this frame at `pixel`. `over` is true if the mouse is over the
    /// scene. Returns true while a stroke is being drawn.
    pub fn handle_mouse(
        &mut self,
        ctx: &egui::Context,
        context: &HandContext,
        camera: &Camera,
        pixel: Option<Vec2>,
        over: bool,
    ) -> bool {
        let pointer = |ask: fn(&egui::PointerState) -> bool| ctx.input(|input| ask(&input.pointer));
        if context.cuts() && over && pointer(egui::PointerState::primary_pressed) {
            let from = context.pressed_pixel(ctx).or(pixel);
            self.stroke = from.and_then(|from| {
                let cell = context.stage.cell_at(from)?;
                Some(Stroke { cell, from, to: from })
            });
            self.before.clear();
        }
        let Some(stroke) = &mut self.stroke else { return false };
        // The viewport no longer exists if its lane was removed.
        if let Some((cell, pixel)) = context.stage.cells.get(stroke.cell).zip(pixel) {
            let now = shown_lanes(context, cell);
            let to = cell.viewport.nearest(pixel);
            let project = camera.projector(&cell.viewport);
            let line = [stroke.to, to];
            ctx.request_all(cut_action(context, &project, [&self.before, &now], line));
            stroke.to = to;
            self.before = now;
        }
        if !pointer(egui::PointerState::primary_down) {
            self.forget();
        }
        true
    }

    /// Removes the stroke, because it has ended or the scene was replaced.
    pub fn forget(&mut self) {
        (self.stroke, self.before) = (None, Vec::new());
    }
}

fn shown_lanes(context: &HandContext, cell: &ViewCell) -> Vec<ShownLane> {
    let show = |&lane: &usize| {
        let boxes = context.pictures.boxes(lane)?.clone();
        Some(ShownLane { lane, positions: context.pictures.positions(lane).to_vec(), boxes })
    };
    cell.lanes.iter().filter_map(show).collect()
}

/// Returns the action that cuts the links crossed by the mouse between two frames. `before` and
/// `now` are the shown lanes in the two frames; `line` contains the mouse pixels in them. A lane
/// that is missing in the first frame is assumed to be at rest.
fn cut_action(
    context: &HandContext,
    project: &Projector,
    [before, now]: [&[ShownLane]; 2],
    line: [Vec2; 2],
) -> Option<Action> {
    let found = now.iter().map(|lane| {
        let same =
            |it: &&ShownLane| it.lane == lane.lane && it.positions.len() == lane.positions.len();
        let frames = [before.iter().find(same).unwrap_or(lane), lane].map(ShownLane::frame);
        crossed_links(context.pictures.shape(), frames, project, line)
    });
    let links = found.flatten().sorted_unstable().dedup().collect_vec();
    (!links.is_empty()).then_some(Action::SendCommand(Command::Cut(links)))
}
