//! The particle whose motion is plotted.

use super::Plots;
use crate::app::scene_view::forces::Sight;
use crate::app::theme;
use crate::scene::Scene;
use egui_macroquad::egui::{self, Stroke};

/// Radius of the ring around it in points.
const RING: f32 = 8.0;

impl Plots {
    /// A particle was clicked.
    pub fn pick(&mut self, particle: u32) {
        self.picked = Some(particle);
    }

    /// Forgets the particles: another scene has other ones.
    pub fn forget(&mut self) {
        self.picked = None;
    }

    /// The particle that was clicked, else a free one before the middle of the scene, where no
    /// vibration that theory knows of a rope has a knot for long.
    pub fn picked(&self, scene: &Scene) -> Option<u32> {
        let parts = &scene.parts;
        let n = parts.mesh.positions.len();
        let is_free = |i: &usize| parts.pins.iter().all(|pin| pin.particle as usize != *i);
        let first = || (2 * n / 5..n).chain(0..n).find(is_free).map(|i| i as u32);
        self.picked.filter(|picked| (*picked as usize) < n).or_else(first)
    }
}

/// A ring around it in every lane.
pub fn draw_picked(painter: &egui::Painter, particle: u32, sight: &Sight) {
    for cell in &sight.stage.cells {
        let painter = painter.with_clip_rect(cell.rect);
        let project = sight.camera.projector(&cell.viewport);
        for &lane in &cell.lanes {
            let place = sight.pictures.positions(lane).get(particle as usize);
            if let Some(at) = place.and_then(|x| project.point(*x)) {
                painter.circle_stroke(at, RING, Stroke::new(1.5, theme::text()));
            }
        }
    }
}
