//! Arrows for the velocity and the net force of every particle. Each kind of arrow has its own
//! scale, which a key in a corner shows.

use super::pen::{Pen, fit_reference};
use super::sight::Sight;
use crate::app::theme;
use crate::numerics::system::System as _;
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use egui_macroquad::egui::{self, Align2, Color32, FontId, vec2};
use glam::DVec3;

/// Largest number of arrows in a lane. If a lane has n times as many particles, only every n-th
/// particle has an arrow.
const MOST_ARROWS: usize = 2000;
/// Line height in points of the key of arrows.
pub const LINE: f32 = 14.0;

fn velocity() -> Color32 {
    theme::either(0x7cc4f0, 0x14699c)
}
fn force() -> Color32 {
    theme::either(0xe88fc0, 0xa03472)
}

/// Returns one vector per particle of a lane, or an empty list.
type VectorsOfLane = fn(&Lane) -> Vec<DVec3>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownArrows {
    pub velocities: bool,
    pub net_forces: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Arrows {
    /// Speed in m/s and force in newtons that are drawn as arrows of full length.
    references: [f64; 2],
}

impl Default for Arrows {
    fn default() -> Self {
        Self { references: [1.0; 2] }
    }
}

impl Arrows {
    /// Draws the chosen arrows in every viewport, and a key for each kind. `lines_below` is the
    /// number of text lines below the keys.
    pub fn draw(
        &mut self,
        painter: &egui::Painter,
        shown: ShownArrows,
        sight: &Sight,
        lines_below: u8,
    ) {
        let kinds = [
            (shown.velocities, velocity(), "velocity", "m/s", velocities as VectorsOfLane),
            (shown.net_forces, force(), "net force", "N", net_forces as VectorsOfLane),
        ];
        let mut lines = lines_below;
        for (kind, (wanted, color, name, unit, vectors)) in kinds.into_iter().enumerate() {
            if !wanted {
                continue;
            }
            let largest = self.draw_kind(painter, kind, color, vectors, sight);
            let reference = &mut self.references[kind];
            fit_reference(reference, largest);
            let text = format!("{name}: longest arrow {}", si_tight(*reference, unit));
            draw_key(painter, sight, lines, text, color);
            lines += 1;
        }
    }

    /// Draws the arrows of one kind, e.g. velocities. Returns the length of the longest vector.
    fn draw_kind(
        &self,
        painter: &egui::Painter,
        kind: usize,
        color: Color32,
        vectors: VectorsOfLane,
        sight: &Sight,
    ) -> f64 {
        let lanes = sight.laboratory.session().lanes();
        let mut largest = 0.0_f64;
        for cell in &sight.stage.cells {
            let painter = painter.with_clip_rect(cell.rect);
            let project = sight.camera.projector(&cell.viewport);
            let pen = Pen { painter: &painter, project, reference: self.references[kind] };
            for &index in &cell.lanes {
                // Arrows of an exploded lane would make all other arrows invisibly short.
                let runs = |lane: &&Lane| lane.simulation.explosion().is_none();
                let Some(lane) = lanes.get(index).filter(runs) else { continue };
                let arrows = vectors(lane);
                let positions = sight.pictures.positions(index);
                let stride = arrows.len().div_ceil(MOST_ARROWS).max(1);
                for (at, arrow) in positions.iter().zip(&arrows).step_by(stride) {
                    pen.arrow(*at, *arrow, color);
                }
                let finite = arrows.iter().map(|arrow| arrow.length()).filter(|it| it.is_finite());
                largest = finite.fold(largest, f64::max);
            }
        }
        largest
    }
}

/// Draws the key of an arrow in the first viewport, above the scale bar, the readings and the
/// clocks. `lines` is the number of text lines of other keys below this key.
pub fn draw_key(painter: &egui::Painter, sight: &Sight, lines: u8, text: String, color: Color32) {
    if let Some(cell) = sight.stage.cells.first() {
        let up = sight.stage.room.hints + LINE * f32::from(lines);
        let (place, font) = (cell.rect.right_bottom() - vec2(12.0, up), FontId::monospace(11.0));
        painter.text(place, Align2::RIGHT_BOTTOM, text, font, color);
    }
}

fn velocities(lane: &Lane) -> Vec<DVec3> {
    lane.simulation.state().v.clone()
}

/// Returns mass times the change of velocity over the last step, divided by the length of the step.
/// Constraints and contact are included.
fn net_forces(lane: &Lane) -> Vec<DVec3> {
    let (before, now) = (lane.simulation.previous(), lane.simulation.state());
    let seconds = now.t - before.t;
    if seconds <= 0.0 {
        return Vec::new();
    }
    let masses = lane.simulation.model().masses();
    let changes = now.v.iter().zip(&before.v).zip(masses);
    changes.map(|((now, before), mass)| (*now - *before) * (mass / seconds)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::session_of;

    #[test]
    fn the_net_force_on_what_falls_is_its_weight() {
        let text = r#"(version: 1, name: "fall", particles: [(at: (0, 10, 0), mass: 2)],
                       forces: [(law: Gravity())])"#;
        let mut session = session_of(text);
        assert_eq!(net_forces(&session.lanes()[0]), Vec::new());
        session.advance(0.5, &|| 0.0);
        let lane = &session.lanes()[0];
        assert!((net_forces(lane)[0] + DVec3::Y * 2.0 * 9.81).length() < 1e-6);
        assert!(velocities(lane)[0].y < -1.0);
    }
}
