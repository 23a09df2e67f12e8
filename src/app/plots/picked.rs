//! Particle whose motion is plotted.

use super::Plots;
use crate::app::scene_view::forces::Sight;
use crate::app::theme;
use crate::scene::Scene;
use egui_macroquad::egui::{self, Stroke};

/// Radius in points of the ring around the picked particle.
const RING: f32 = 8.0;

impl Plots {
    pub fn pick(&mut self, particle: u32) {
        self.picked = Some(particle);
    }

    /// Forgets the picked particle, because another scene has other particles.
    pub fn forget(&mut self) {
        self.picked = None;
    }

    /// Returns the picked particle. If none is picked, returns the first free particle from two
    /// fifths of the list on: few of the lowest vibrations of a rope have a node there.
    pub fn picked(&self, scene: &Scene) -> Option<u32> {
        let parts = &scene.parts;
        let n = parts.mesh.positions.len();
        let is_free = |i: &usize| parts.pins.iter().all(|pin| pin.particle as usize != *i);
        let first = || (2 * n / 5..n).chain(0..n).find(is_free).map(|i| i as u32);
        self.picked.filter(|picked| (*picked as usize) < n).or_else(first)
    }
}

/// Draws a ring around the picked particle in every lane.
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
