//! Blower: while the key W is down, wind blows at the point under the mouse.

use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::view::{Camera, ViewKind, Viewport};
use crate::model::Blow;
use crate::simulation::settings::Command;
use egui_macroquad::egui::{self, Stroke};
use glam::{DVec3, Vec2};

/// Speed of the air in m/s: a fresh breeze.
const SPEED: f64 = 8.0;
/// Radius of the windy region as a fraction of the view's height.
const RADIUS_FRACTION: f64 = 0.12;
/// Time constant in seconds for averaging the mouse velocity.
const AVERAGING_SECONDS: f64 = 0.12;
/// Mouse speed, in view heights per second, at which the wind turns by 45° from the line of sight.
const SWIPE: f64 = 0.4;
/// Relative change of the wind's velocity below which no command is sent. Fewer commands keep
/// recordings small.
const SAME_VELOCITY: f64 = 1e-3;

#[derive(Debug, Default)]
pub struct Blower {
    blow: Option<Blow>,
    /// Last point under the mouse in metres, and the time in seconds when it was there.
    last: Option<(DVec3, f64)>,
    /// Averaged velocity of the mouse in m/s.
    motion: DVec3,
    direction: Option<DVec3>,
}

impl Blower {
    /// Updates the wind at time `now` in seconds. `mouse` is the pixel and the viewport under the
    /// mouse if the mouse is over the scene and the key is down. Returns a command if the wind
    /// changes.
    pub fn handle_mouse(
        &mut self,
        mouse: Option<(Vec2, &Viewport)>,
        camera: &Camera,
        now: f64,
        laboratory: &Laboratory,
    ) -> Option<Command> {
        let wanted = mouse.map(|(cursor, viewport)| self.aim_blow(cursor, viewport, camera, now));
        if wanted.is_none() {
            (self.last, self.motion, self.direction) = (None, DVec3::ZERO, None);
        }
        let same = match (&self.blow, &wanted) {
            (Some(old), Some(new)) => is_same(old, new),
            (old, new) => old.is_none() && new.is_none(),
        };
        // A restart of the scene removes the wind from the model, so the command is sent again.
        let model_has_wind = laboratory.selected().simulation.model().blow.is_some();
        let waits = laboratory.computing().is_some() || laboratory.recomputation_left().is_some();
        let lost = model_has_wind != self.blow.is_some() && !waits;
        if same && !lost {
            return None;
        }
        self.blow = wanted;
        Some(Command::Blow(wanted))
    }

    fn aim_blow(&mut self, cursor: Vec2, viewport: &Viewport, camera: &Camera, now: f64) -> Blow {
        let at = camera.world_from_screen(cursor, camera.centre(), viewport);
        if let Some((from, then)) = self.last.replace((at, now)) {
            let seconds = (now - then).max(1e-3);
            let part = (seconds / AVERAGING_SECONDS).min(1.0);
            self.motion += ((at - from) / seconds - self.motion) * part;
        }
        let swipe = self.motion / (SWIPE * camera.height());
        let (along, direction) = match camera.kind() {
            ViewKind::Orbit => {
                let sight = (at - camera.eye()).normalize_or(camera.axes().forward);
                (sight, (sight + swipe).normalize_or(sight))
            }
            ViewKind::Side => {
                let moved = Some(swipe).filter(|swipe| swipe.length() > 0.5);
                let direction = moved.map(DVec3::normalize).or(self.direction);
                (camera.axes().forward, direction.unwrap_or(camera.axes().right))
            }
        };
        self.direction = Some(direction);
        Blow { at, along, radius: RADIUS_FRACTION * camera.height(), velocity: direction * SPEED }
    }

    /// Draws a circle around the windy region, and an arrow in the wind's direction.
    pub fn draw(&self, painter: &egui::Painter, camera: &Camera, viewport: &Viewport) {
        let Some(blow) = &self.blow else { return };
        let tip = blow.at + blow.velocity.normalize_or_zero() * blow.radius;
        let project = camera.projector(viewport);
        let [Some(from), Some(to)] = [blow.at, tip].map(|p| project.point(p)) else { return };
        let radius = (blow.radius / camera.metres_per_pixel(viewport)) as f32 / viewport.scale;
        let stroke = Stroke::new(1.2, theme::quiet());
        painter.circle_stroke(from, radius, stroke);
        painter.arrow(from, to - from, Stroke::new(2.0, theme::accent()));
    }
}

fn is_same(old: &Blow, new: &Blow) -> bool {
    old.at == new.at
        && old.along == new.along
        && old.radius == new.radius
        && (old.velocity - new.velocity).length() < SAME_VELOCITY * SPEED
}
