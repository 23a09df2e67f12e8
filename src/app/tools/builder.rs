//! Mouse input of the tools that add bodies to the scene, delete bodies or measure.

use super::hand::{Hover, MouseHand};
use super::hand_context::HandContext;
use super::ruler::Ruler;
use super::thrower::ThrowSettings;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::input::build_tool::{BuildTool, ToolDescription};
use crate::app::scene_view::target::Target;
use crate::app::theme;
use crate::app::view::Camera;
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use egui_macroquad::egui::{self, Align2, Color32, Stroke, pos2};
use glam::{DVec3, Vec2};

/// Distance in points between press and release above which they count as a drag instead of a
/// click.
const SHORTEST_DRAG: f32 = 10.0;
/// Length of a new rope divided by the distance between its ends. Above 1, the rope sags.
const SLACK: f64 = 1.1;
const SHORTEST_BODY: f64 = 1e-3;

/// Clicked point in the scene: viewport, pixel, position in metres, and particle if there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ClickedPoint {
    cell: usize,
    pixel: Vec2,
    position: DVec3,
    particle: Option<u32>,
}

/// Clicked point and the body under it.
struct Click {
    point: ClickedPoint,
    hover: Option<Hover>,
}

impl ClickedPoint {
    fn end(&self) -> RopeEnd {
        self.particle.map_or(RopeEnd::At(self.position), RopeEnd::Particle)
    }
}

#[derive(Debug, Default)]
pub struct Builder {
    pub tool: Option<BuildTool>,
    first: Option<ClickedPoint>,
    /// True while the mouse button of the first click is down.
    pressed: bool,
    /// True from a press for a tool until one frame after its release, even if the tool is
    /// deselected meanwhile. Without this, the press would also grab a body.
    has_press: bool,
    /// Reason why the last click had no effect.
    refusal: Option<&'static str>,
    ruler: Option<Ruler>,
}

impl Builder {
    /// True if clicks and drags belong to a tool instead of grabbing bodies.
    pub fn has_mouse(&self) -> bool {
        self.tool.is_some() || self.has_press
    }

    /// Selects a tool, or deselects it if it is selected.
    pub fn toggle(&mut self, tool: BuildTool) {
        let is_new = self.tool != Some(tool);
        (self.tool, self.first, self.pressed) = (is_new.then_some(tool), None, false);
        self.refusal = None;
        if tool == BuildTool::Ruler {
            self.ruler = None;
        }
    }

    /// Removes the first of these that exists: the first click, the selected tool, the ruler.
    /// Returns false if there was nothing to remove.
    pub fn cancel(&mut self) -> bool {
        self.refusal = None;
        if self.first.take().is_some() {
            return true;
        }
        self.tool.take().is_some() || self.ruler.take().is_some()
    }

    /// Removes clicked points and the ruler, because the scene was replaced.
    pub fn forget(&mut self) {
        (self.first, self.ruler, self.refusal) = (None, None, None);
    }

    /// Returns the ruler. If the number of particles has changed since a ruler was attached to
    /// particles, removes the ruler.
    pub fn ruler(&mut self, particles: usize) -> Option<&mut Ruler> {
        self.ruler.take_if(|ruler| !ruler.fits(particles));
        self.ruler.as_mut()
    }

    /// Handles the mouse input of this frame. `response` is egui's response for the area of the
    /// scene.
    pub fn handle_mouse(
        &mut self,
        response: &egui::Response,
        hand: &MouseHand,
        context: &HandContext,
        camera: &Camera,
        ball: &ThrowSettings,
    ) {
        let ctx = &response.ctx;
        let (pressed, released, down) = ctx.input(|i| {
            let pointer = &i.pointer;
            (pointer.primary_pressed(), pointer.primary_released(), pointer.primary_down())
        });
        self.has_press &= down || released;
        let Some(tool) = self.tool else { return };
        self.has_press |= pressed && response.contains_pointer();
        if response.contains_pointer() {
            ctx.set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        if pressed && response.contains_pointer() {
            let pixel = context.pressed_pixel(ctx).or(hand.cursor);
            let click = pixel.and_then(|pixel| self.clicked_point(pixel, hand, context, camera));
            if let Some(click) = click {
                self.handle_press(ctx, tool, click, ball, context, camera);
            }
        }
        if released && std::mem::take(&mut self.pressed) {
            let first = self.first;
            let second = hand.cursor.and_then(|at| self.clicked_point(at, hand, context, camera));
            if let Some((first, Click { point: second, .. })) = first.zip(second)
                && (second.pixel.distance(first.pixel) > SHORTEST_DRAG * context.scale)
            {
                self.first = None;
                self.make_between(ctx, tool, [first, second], context, camera);
            } else if tool == BuildTool::Cloth {
                self.first = None;
            }
        }
    }

    /// Returns the point under a pixel: a particle, or a point at the depth of the first click.
    fn clicked_point(
        &self,
        pixel: Vec2,
        hand: &MouseHand,
        context: &HandContext,
        camera: &Camera,
    ) -> Option<Click> {
        let cell = context.stage.cell_at(pixel)?;
        let viewport = &context.stage.cells[cell].viewport;
        let hover = hand.body_at(pixel, context, camera);
        let particle = hover.and_then(|hover| Some((hover.target.particle()?, hover.position)));
        let through = self.first.map_or(camera.centre(), |first| first.position);
        let in_the_air = || camera.world_from_screen(pixel, through, viewport);
        let position = particle.map_or_else(in_the_air, |(_, position)| position);
        let particle = particle.map(|(particle, _)| particle);
        Some(Click { point: ClickedPoint { cell, pixel, position, particle }, hover })
    }

    fn handle_press(
        &mut self,
        ctx: &egui::Context,
        tool: BuildTool,
        Click { point, hover }: Click,
        ball: &ThrowSettings,
        context: &HandContext,
        camera: &Camera,
    ) {
        self.refusal = reason_for_refusal(tool, self.first.as_ref(), &point, hover.is_some());
        match tool {
            _ if self.refusal.is_some() => {}
            BuildTool::Ball => {
                let ThrowSettings { radius, mass, .. } = *ball;
                let edit = SceneEdit::AddBall { at: point.position, radius, mass };
                ctx.request(Action::EditScene(edit));
            }
            BuildTool::Delete => ctx.request_all(hover.map(|hover| delete(hover.target))),
            BuildTool::Rope | BuildTool::Cloth | BuildTool::Tie | BuildTool::Ruler => {
                match self.first.take() {
                    Some(first) => self.make_between(ctx, tool, [first, point], context, camera),
                    None => (self.first, self.pressed) = (Some(point), true),
                }
            }
        }
    }

    fn make_between(
        &mut self,
        ctx: &egui::Context,
        tool: BuildTool,
        spots: [ClickedPoint; 2],
        context: &HandContext,
        camera: &Camera,
    ) {
        if tool == BuildTool::Ruler {
            let particles = context.pictures.shape().particles;
            self.ruler = Some(Ruler::new(spots.map(|spot| spot.end()), particles));
            self.tool = None;
        } else {
            ctx.request_all(edit_between(tool, spots, camera).map(Action::EditScene));
        }
    }

    /// Draws the instructions, and a preview of the body that a second click would add.
    pub fn draw(
        &self,
        painter: &egui::Painter,
        scene: egui::Rect,
        hand: &MouseHand,
        context: &HandContext,
        camera: &Camera,
    ) {
        let Some(tool) = self.tool else { return };
        draw_hint(painter, scene, tool, self.first.is_some(), self.refusal);
        let scale = context.scale;
        let point = |p: Vec2| pos2(p.x / scale, p.y / scale);
        let stroke = Stroke::new(2.0, theme::accent());
        let Some(cursor) = hand.cursor else { return };
        if tool == BuildTool::Delete && hand.hovered().is_some() {
            let at = point(cursor);
            for arm in [egui::vec2(7.0, 7.0), egui::vec2(7.0, -7.0)] {
                let stroke = Stroke::new(2.5, theme::warning());
                painter.line_segment([at + arm, at - arm], stroke);
            }
        }
        let Some(first) = self.first else { return };
        let Some(cell) = context.stage.cells.get(first.cell) else { return };
        // The particle of the first click may have moved meanwhile.
        let now = first.particle.and_then(|particle| {
            let lane = *cell.lanes.first()?;
            context.pictures.positions(lane).get(particle as usize).copied()
        });
        let from = camera.screen_from_world(now.unwrap_or(first.position), &cell.viewport);
        let from = point(from.unwrap_or(first.pixel));
        painter.circle_stroke(from, 5.0, stroke);
        if tool == BuildTool::Cloth {
            let rect = egui::Rect::from_two_pos(from, point(cursor));
            painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Middle);
        } else {
            painter.line_segment([from, point(cursor)], stroke);
        }
    }
}

/// Returns the reason why a click has no effect; `None` if the click has an effect.
fn reason_for_refusal(
    tool: BuildTool,
    first: Option<&ClickedPoint>,
    point: &ClickedPoint,
    hovers: bool,
) -> Option<&'static str> {
    let is_same = first.is_some_and(|first| first.particle == point.particle);
    match tool {
        BuildTool::Tie if point.particle.is_none() => Some(
            "Tie: there is no particle under the click. Click a particle; a ring marks the \
                one nearest to the mouse.",
        ),
        BuildTool::Tie if is_same => {
            Some("Tie: this is the first particle again. Click another one.")
        }
        BuildTool::Rope if is_same && point.particle.is_some() => Some(
            "Rope: the rope begins at this particle. Click another particle, or an empty place.",
        ),
        BuildTool::Delete if !hovers => Some("Delete: there is no body under the click."),
        BuildTool::Tie
        | BuildTool::Rope
        | BuildTool::Delete
        | BuildTool::Cloth
        | BuildTool::Ball
        | BuildTool::Ruler => None,
    }
}

/// Returns the edit that adds a body between two clicks; `None` for tools that need only one click,
/// and for clicks too close to each other.
fn edit_between(
    tool: BuildTool,
    [first, second]: [ClickedPoint; 2],
    camera: &Camera,
) -> Option<SceneEdit> {
    let distance = first.position.distance(second.position);
    match tool {
        BuildTool::Rope if first.particle.is_none() || first.particle != second.particle => {
            let length = SLACK * distance;
            let ends = [first.end(), second.end()];
            (length > SHORTEST_BODY).then_some(SceneEdit::AddRope { ends, length })
        }
        BuildTool::Tie => {
            let ends = [first.particle?, second.particle?];
            let length = distance.max(SHORTEST_BODY);
            (ends[0] != ends[1]).then_some(SceneEdit::Tie { ends, length })
        }
        BuildTool::Cloth => cloth_edit([first.position, second.position], camera),
        BuildTool::Rope | BuildTool::Ball | BuildTool::Delete | BuildTool::Ruler => None,
    }
}

/// Returns the edit that adds a cloth. The two corners are opposite corners of its rectangle on the
/// screen.
fn cloth_edit([one, other]: [DVec3; 2], camera: &Camera) -> Option<SceneEdit> {
    let axes = camera.axes();
    let diagonal = other - one;
    let (right, up) = (diagonal.dot(axes.right), diagonal.dot(axes.up));
    let corner = one + axes.right * right.min(0.0) + axes.up * up.max(0.0);
    let (across, down) = (axes.right * right.abs(), axes.up * -up.abs());
    let is_sheet = right.abs().min(up.abs()) > SHORTEST_BODY;
    is_sheet.then_some(SceneEdit::AddCloth { corner, across, down })
}

pub fn delete(target: Target) -> Action {
    Action::EditScene(match target {
        Target::Particle(particle) => SceneEdit::DeleteBody(particle),
        Target::Collider(collider) => SceneEdit::DeleteCollider(collider),
    })
}

/// Draws the tool's instructions at the lower edge of the scene, or the reason why the last click
/// had no effect.
fn draw_hint(
    painter: &egui::Painter,
    scene: egui::Rect,
    tool: BuildTool,
    has_first: bool,
    refusal: Option<&str>,
) {
    let ToolDescription { name, instructions, .. } = tool.description();
    let text = match (tool, has_first) {
        _ if refusal.is_some() => refusal.unwrap_or_default().to_owned(),
        (BuildTool::Rope, true) => "Rope: click where the rope ends. Esc removes the first \
            point."
            .to_owned(),
        (BuildTool::Ruler, true) => "Ruler: click where the ruler ends. Esc removes the first \
            point."
            .to_owned(),
        (BuildTool::Tie, true) => {
            "Tie: click the other particle. Esc removes the first point.".to_owned()
        }
        _ => format!("{name}: {instructions} Esc deselects the tool."),
    };
    let font = egui::FontId::proportional(14.0);
    let width = scene.width() - 40.0;
    let ink = if refusal.is_some() { theme::warning() } else { theme::text() };
    let galley = painter.layout(text, font, ink, width);
    let at = scene.center_bottom();
    let rect = Align2::CENTER_BOTTOM.anchor_size(at, galley.size());
    painter.rect_filled(
        rect.expand2(egui::vec2(10.0, 5.0)),
        6.0,
        theme::panel().gamma_multiply(0.92),
    );
    painter.galley(rect.min, galley, Color32::WHITE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_in_vain_says_what_is_missing() {
        let (cell, pixel, position) = (0, Vec2::ZERO, DVec3::ZERO);
        let point = |particle| ClickedPoint { cell, pixel, position, particle };
        let said = |tool, first: Option<u32>, second: Option<u32>| {
            let first = first.map(|it| point(Some(it)));
            reason_for_refusal(tool, first.as_ref(), &point(second), second.is_some())
        };
        let tie = |first, second| said(BuildTool::Tie, first, second).unwrap_or_default();
        assert!(tie(None, None).contains("no particle"));
        assert!(tie(Some(3), None).contains("no particle"));
        assert!(tie(Some(3), Some(3)).contains("Click another one"));
        assert_eq!(tie(Some(3), Some(4)), "");
        assert!(said(BuildTool::Delete, None, None).is_some());
        assert_eq!(said(BuildTool::Delete, None, Some(1)), None);
        assert!(said(BuildTool::Rope, Some(3), Some(3)).is_some());
        assert_eq!(said(BuildTool::Rope, Some(3), None), None);
    }
}
