//! Growing mode of an exploded lane, drawn over the scene. A line through each particle shows its
//! displacement in both directions.

use super::lane_answers::Answers;
use crate::app::scene_view::sight::Sight;
use crate::app::theme;
use egui_macroquad::egui::{self, Stroke};

const LONGEST_LINE: f32 = 26.0;
/// Smallest displacement that gets a line, as a fraction of the largest displacement.
const SHORTEST_FRACTION: f64 = 0.03;
const MOST_LINES: usize = 3000;

pub fn draw_modes(painter: &egui::Painter, answers: &Answers, sight: &Sight) {
    let session = sight.laboratory.session();
    for (index, lane) in session.lanes().iter().enumerate() {
        let Some(answer) = &answers.lanes[lane.color].answer else { continue };
        let mode = answer.explanation.as_ref().and_then(|explanation| explanation.mode.as_ref());
        let (Some(mode), false) = (mode, answer.closed) else { continue };
        let start = &session.scene().parts.mesh.positions;
        let Some(cell) = sight.stage.cell_of(lane.color) else { continue };
        let painter = painter.with_clip_rect(cell.rect);
        // If the number of particles has changed since the start, the mode is drawn at the start
        // positions.
        let now = sight.pictures.positions(index);
        let x = if now.len() == start.len() { now } else { start };
        let projector = sight.camera.projector(&cell.viewport);
        let strong =
            mode.displacements.iter().enumerate().filter(|(_, d)| d.length() > SHORTEST_FRACTION);
        for (i, direction) in strong.take(MOST_LINES) {
            let Some(p) = x.get(i) else { continue };
            let step = projector.metres_per_point(*p) * f64::from(LONGEST_LINE);
            let ends = [*p, *p + step * *direction].map(|p| projector.point(p));
            let [Some(from), Some(to)] = ends else { continue };
            let along = to - from;
            let stroke = Stroke::new(1.6, theme::warning());
            painter.line_segment([from - along, from + along], stroke);
        }
        let at = x.get(mode.particle as usize).and_then(|p| projector.point(*p));
        if let Some(at) = at {
            painter.circle_stroke(at, 9.0, Stroke::new(1.6, theme::warning()));
        }
    }
}
