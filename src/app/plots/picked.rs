//! Particle whose motion is plotted.

use crate::app::scene_view::sight::Sight;
use crate::app::theme;
use crate::scene::Scene;
use egui_macroquad::egui::{self, Stroke};

/// Radius in points of the ring around the picked particle.
const RING: f32 = 8.0;

/// Picked particle with the number of particles in its scene; `None` if none is picked.
#[derive(Default)]
pub struct Picked(Option<(u32, usize)>);

impl Picked {
    /// Picks a clicked particle.
    pub fn pick(&mut self, particle: u32, scene: &Scene) {
        self.0 = Some((particle, scene.parts.mesh.positions.len()));
    }

    /// Clears the picked particle, because the scene was replaced.
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// Returns the picked particle. If none is picked, or if the number of particles has changed
    /// since (so indices may differ), returns the first unpinned particle after two fifths of the
    /// list. Few of a rope's lowest vibrations have a node there.
    pub fn particle(&self, scene: &Scene) -> Option<u32> {
        let parts = &scene.parts;
        let n = parts.mesh.positions.len();
        let is_free = |i: &usize| parts.pins.iter().all(|pin| pin.particle as usize != *i);
        let first = || (2 * n / 5..n).chain(0..n).find(is_free).map(|i| i as u32);
        let picked = self.0.filter(|(_, particles)| *particles == n);
        picked.map(|(particle, _)| particle).or_else(first)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::Laboratory;
    use crate::simulation::scene_edit::SceneEdit;
    use glam::DVec3;

    #[test]
    fn a_picked_particle_is_forgotten_when_bodies_change() {
        let rope = "(version: 1, name: \"rope\", ropes: [(name: \"rope\", from: (0, 0, 0), \
                    to: (1, 0, 0))], pins: [(of: Start(\"rope\"))])";
        let mut laboratory = Laboratory::of_text(rope);
        let mut picked = Picked::default();
        picked.pick(3, laboratory.session().scene());
        assert_eq!(picked.particle(laboratory.session().scene()), Some(3));
        let ball = SceneEdit::AddBall { at: DVec3::Y, radius: 0.1, mass: 1.0 };
        laboratory.edit_scene(ball).expect("a ball");
        let scene = laboratory.session().scene();
        assert_eq!(picked.particle(scene), Picked::default().particle(scene));
    }
}
