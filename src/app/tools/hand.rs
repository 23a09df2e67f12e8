//! *Hand*: the mouse in the scene, which hovers over bodies, drags them, and moves the camera.

use super::hand_context::HandContext;
use super::held_pointer::{HeldPointer, PointerState};
use super::scissors::Scissors;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::scene_view::target::{DrawnHand, Target};
use crate::app::view::{Camera, DrawnBall, Projector, nearest_particle, obstacle_at};
use crate::simulation::settings::Command;
use egui_macroquad::egui::{self, CursorIcon, PointerButton};
use glam::{DVec3, Vec2};

const REACH: f32 = 26.0;

/// Largest distance in points between the cursor and a particle at which the particle has priority
/// over a ball or collider under the cursor.
const CLOSE: f32 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hover {
    pub cell: usize,
    pub lane: usize,
    pub target: Target,
    /// Position in metres of the particle, or of the point under the cursor on the collider's
    /// surface.
    pub position: DVec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Grip {
    cell: usize,
    target: Target,
    /// Point in the plane of the drag, which is parallel to the screen.
    through: DVec3,
    at: DVec3,
    has_moved: bool,
}

#[derive(Debug, Default)]
pub struct MouseHand {
    hover: Option<Hover>,
    held: Option<Grip>,
    camera_drag: Option<(PointerButton, usize)>,
    scissors: Scissors,
    /// Connection that reports the mouse position outside the window while a body is held.
    pointer: Option<HeldPointer>,
    /// Position of the mouse in pixels, while it is over the scene.
    pub cursor: Option<Vec2>,
    /// True once the user has dragged a body or cut a link.
    pub has_dragged: bool,
}

impl MouseHand {
    /// Returns the body that a click would grab; `None` while a body is held.
    pub fn hovered(&self) -> Option<Hover> {
        self.hover.filter(|_| self.held.is_none())
    }

    pub fn drawn(&self) -> DrawnHand {
        DrawnHand {
            hovered: self.hovered().map(|hover| (hover.cell, hover.lane, hover.target)),
            held: self.held(),
            cursor: self.cursor,
            stroke: self.scissors.stroke(),
        }
    }

    /// Returns the dragged body, and the position of the mouse in metres.
    pub fn held(&self) -> Option<(Target, DVec3)> {
        self.held.map(|held| (held.target, held.at))
    }

    /// Returns the held particle, if the mouse has moved it.
    pub fn dragged(&self) -> Option<u32> {
        self.held.filter(|held| held.has_moved)?.target.particle()
    }

    /// Releases the held body and cancels the stroke of the scissors, because the scene was
    /// replaced.
    pub fn forget(&mut self) {
        (self.hover, self.held) = (None, None);
        self.scissors.forget();
    }

    /// Returns the command that pins or frees the held particle. If none is held, the command is
    /// for the particle under the mouse.
    pub fn pin_command(&self) -> Option<Command> {
        let held = self.held.map(|held| held.target);
        let target = held.or(self.hover.map(|hover| hover.target));
        target.and_then(Target::particle).map(Command::TogglePin)
    }

    /// Handles the mouse input of this frame. `response` is egui's response for the area of the
    /// scene, without input for panels and windows over it.
    pub fn handle_mouse(
        &mut self,
        response: &egui::Response,
        context: &HandContext,
        camera: &mut Camera,
    ) {
        let ctx = &response.ctx;
        let over = response.contains_pointer();
        let position = ctx.input(|input| input.pointer.latest_pos());
        let pixel = position.map(|p| Vec2::new(p.x, p.y) * context.scale);
        self.cursor = pixel.filter(|_| over);
        self.hover = self.cursor.and_then(|cursor| self.body_at(cursor, context, camera));
        self.move_camera(ctx, context, camera);
        if context.tool_has_mouse {
            self.release(ctx);
            return self.scissors.forget();
        }
        let cutting = self.scissors.handle_mouse(ctx, context, camera, pixel, over);
        self.has_dragged |= cutting;
        let cuts = cutting || (context.cuts() && self.held.is_none());
        if cuts {
            self.hover = None;
            // A slow frame may contain both the release of a particle and the start of a stroke.
            self.release(ctx);
        } else {
            self.grab(ctx, context, camera, pixel);
        }
        if response.double_clicked_by(PointerButton::Primary) {
            let particle = self.hover.and_then(|hover| hover.target.particle());
            ctx.request_all(particle.map(Command::TogglePin).map(Action::SendCommand));
        }
        if over || self.held.is_some() || self.camera_drag.is_some() {
            ctx.set_cursor_icon(if cuts { CursorIcon::Crosshair } else { self.cursor_icon() });
        }
    }

    /// Returns the body that a click at a pixel would grab.
    pub fn body_at(&self, cursor: Vec2, context: &HandContext, camera: &Camera) -> Option<Hover> {
        let cell = context.stage.cell_at(cursor)?;
        let view_cell = &context.stage.cells[cell];
        let project = camera.projector(&view_cell.viewport);
        let close = CLOSE * context.scale;
        let running = view_cell.lanes.iter().filter(|lane| !context.pictures.has_exploded(**lane));
        let found = running.flat_map(|&lane| {
            let obstacles = context.pictures.obstacles(lane);
            let solid = obstacle_at(cursor, obstacles, camera, &view_cell.viewport);
            let forward = camera.axes().forward;
            // Particles on a curved surface may be slightly farther away than the surface point
            // under the cursor.
            let is_before = |position: DVec3| {
                solid.is_none_or(|(_, surface)| {
                    let behind = (position - surface).dot(forward);
                    behind <= f64::from(close) * project.metres_per_pixel(surface)
                })
            };
            let ball = ball_at(cursor, context.pictures.balls(lane), camera, &project);
            let ball = ball.filter(|ball| is_before(ball.front));
            let ball = ball.map(|ball| (ball.distance.min(close), ball.particle));
            let particle = particle_at(cursor, lane, context, &project);
            let particle = particle.filter(|(distance, particle)| {
                *distance <= close
                    || is_before(context.pictures.positions(lane)[*particle as usize])
            });
            let particles = ball.into_iter().chain(particle).map(move |(distance, particle)| {
                let position = context.pictures.positions(lane)[particle as usize];
                (distance, Hover { cell, lane, target: Target::Particle(particle), position })
            });
            let collider = solid.map(|(number, position)| {
                let target = Target::Collider(number as u32);
                (REACH * context.scale, Hover { cell, lane, target, position })
            });
            particles.chain(collider)
        });
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, hover)| hover)
    }

    fn grab(
        &mut self,
        ctx: &egui::Context,
        context: &HandContext,
        camera: &Camera,
        pixel: Option<Vec2>,
    ) {
        let (pressed, down) =
            ctx.input(|i| (i.pointer.primary_pressed(), i.pointer.primary_down()));
        if pressed && let Some(cursor) = self.cursor {
            let cursor = context.pressed_pixel(ctx).unwrap_or(cursor);
            self.grab_body(ctx, cursor, context, camera);
            self.pointer = self.held.and_then(|_| HeldPointer::connect_at(cursor));
        }
        let asked = self.pointer.as_ref().filter(|_| self.held.is_some());
        let (pixel, down) = match asked.and_then(HeldPointer::read) {
            Some(PointerState { at, down }) => (Some(at), down),
            None => (pixel, down),
        };
        if down {
            self.move_held(ctx, context, camera, pixel);
        } else {
            self.release(ctx);
        }
    }

    fn release(&mut self, ctx: &egui::Context) {
        ctx.request_all(self.held.take().map(|_| Action::SendCommand(Command::Release)));
    }

    fn grab_body(
        &mut self,
        ctx: &egui::Context,
        cursor: Vec2,
        context: &HandContext,
        camera: &Camera,
    ) {
        let Some(hover) = self.body_at(cursor, context, camera) else { return };
        let Hover { cell, target, position: through, .. } = hover;
        let viewport = &context.stage.cells[cell].viewport;
        let at = camera.world_from_screen(cursor, through, viewport);
        self.held = Some(Grip { cell, target, through, at, has_moved: false });
        let mode = context.grab_mode();
        ctx.request(Action::SendCommand(match target {
            Target::Particle(particle) => Command::Grab { particle, mode, at },
            Target::Collider(collider) => Command::GrabCollider { collider, at },
        }));
    }

    fn move_held(
        &mut self,
        ctx: &egui::Context,
        context: &HandContext,
        camera: &Camera,
        pixel: Option<Vec2>,
    ) {
        let Some(held) = &mut self.held else { return };
        // If the lane was removed, its viewport no longer exists, so the held body stays where it
        // is.
        let Some((cell, pixel)) = context.stage.cells.get(held.cell).zip(pixel) else { return };
        let at = camera.world_from_screen(pixel, held.through, &cell.viewport);
        if at != held.at {
            held.at = at;
            held.has_moved = true;
            self.has_dragged = true;
            ctx.request(Action::SendCommand(Command::MoveHand(at)));
        }
    }

    fn move_camera(&mut self, ctx: &egui::Context, context: &HandContext, camera: &mut Camera) {
        let cells = &context.stage.cells;
        if let Some(cursor) = self.cursor
            && let Some(cell) = context.stage.cell_at(cursor)
        {
            let notches = context.input.notches;
            if notches != 0.0 {
                camera.zoom_at(cursor, notches, &cells[cell].viewport);
            }
            for button in [PointerButton::Secondary, PointerButton::Middle] {
                if ctx.input(|input| input.pointer.button_pressed(button)) {
                    self.camera_drag = Some((button, cell));
                }
            }
        }
        let Some((button, cell)) = self.camera_drag else { return };
        let (down, delta) =
            ctx.input(|i| (i.pointer.button_down(button), i.pointer.delta() * context.scale));
        let Some(view_cell) = cells.get(cell).filter(|_| down) else {
            self.camera_drag = None;
            return;
        };
        let delta = Vec2::new(delta.x, delta.y);
        if delta == Vec2::ZERO {
        } else if button == PointerButton::Middle && !context.input.shift {
            camera.orbit(delta, &view_cell.viewport);
        } else {
            camera.pan(delta, &view_cell.viewport);
        }
    }

    fn cursor_icon(&self) -> CursorIcon {
        // The window library has no cursors in the shape of an open or a closed hand.
        if self.held.is_some() || self.camera_drag.is_some() {
            CursorIcon::Move
        } else if self.hover.is_some() {
            CursorIcon::PointingHand
        } else {
            CursorIcon::Default
        }
    }
}

/// Returns the distance in pixels and the index of the particle nearest to a pixel, if it is within
/// [`REACH`].
fn particle_at(
    cursor: Vec2,
    lane: usize,
    context: &HandContext,
    project: &Projector,
) -> Option<(f32, u32)> {
    let positions = context.pictures.positions(lane);
    let boxes = context.pictures.boxes(lane)?;
    let particle = nearest_particle(positions, boxes, project, cursor, REACH * context.scale)?;
    let distance = project.pixel(positions[particle])?.distance(cursor);
    Some((distance, particle as u32))
}

struct BallHit {
    /// Distance in pixels to the centre of the ball.
    distance: f32,
    particle: u32,
    /// Point of the ball nearest to the eye, in metres.
    front: DVec3,
}

/// Returns the foremost ball under a pixel.
fn ball_at(
    cursor: Vec2,
    balls: &[DrawnBall],
    camera: &Camera,
    project: &Projector,
) -> Option<BallHit> {
    let forward = camera.axes().forward;
    let hit = balls.iter().filter_map(|&DrawnBall { particle, centre, radius, .. }| {
        let distance = project.pixel(centre)?.distance(cursor);
        let shown = (radius / project.metres_per_pixel(centre)) as f32;
        let front = centre - forward * radius;
        (distance < shown).then(|| (centre.dot(forward), BallHit { distance, particle, front }))
    });
    let foremost = hit.min_by(|a, b| a.0.total_cmp(&b.0));
    foremost.map(|(_, ball)| ball)
}
