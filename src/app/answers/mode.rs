//! The growing mode of an exploded lane, drawn on the scene: each particle's displacement as a line
//! in both directions.

use super::Answers;
use crate::app::laboratory::Laboratory;
use crate::app::scene_view::pictures::Pictures;
use crate::app::scene_view::stage::Stage;
use crate::app::theme;
use crate::app::view::Camera;
use egui_macroquad::egui::{self, Stroke, pos2, vec2};

/// Longest displacement, in points.
const LONGEST: f32 = 26.0;
/// Shorter displacements, over the longest, are left out.
const SHORTEST: f64 = 0.03;
/// Lines at most.
const MOST: usize = 3000;

/// Draws the growing mode of every lane that exploded and is explained. `scale` is pixels a point.
pub fn draw_modes(
    painter: &egui::Painter,
    answers: &Answers,
    (laboratory, stage, pictures, camera): (&Laboratory, &Stage, &Pictures, &Camera),
    scale: f32,
) {
    for (index, lane) in laboratory.session().lanes().iter().enumerate() {
        let Some(answer) = &answers.lanes[lane.color].answer else { continue };
        let mode = answer.explanation.as_ref().and_then(|explanation| explanation.mode.as_ref());
        let (Some(mode), false) = (mode, answer.closed) else { continue };
        let Some(viewport) = stage.viewport_of(lane.color) else { continue };
        let start = &laboratory.session().scene().parts.mesh.positions;
        let Some(cell) = stage.cells().iter().find(|cell| cell.colors.contains(&lane.color)) else {
            continue;
        };
        let painter = painter.with_clip_rect(cell.rect);
        // The last good state may be torn far apart; then the mode is drawn where the scene began.
        let now = pictures.positions(index);
        let x = if now.len() == start.len() { now } else { start };
        let projector = camera.projector(viewport);
        let strong = mode.shape.iter().enumerate().filter(|(_, d)| d.length() > SHORTEST);
        for (i, direction) in strong.take(MOST) {
            let Some(p) = x.get(i) else { continue };
            let step = projector.metres_per_pixel(*p) * f64::from(LONGEST * scale);
            let ends = [*p, *p + step * *direction].map(|p| projector.pixel(p));
            let [Some(from), Some(to)] = ends else { continue };
            let from = pos2(from.x / scale, from.y / scale);
            let along = vec2(to.x / scale, to.y / scale) - from.to_vec2();
            let stroke = Stroke::new(1.6, theme::warning());
            painter.line_segment([from - along, from + along], stroke);
        }
        let at = x.get(mode.particle as usize).and_then(|p| projector.pixel(*p));
        if let Some(at) = at {
            let at = pos2(at.x / scale, at.y / scale);
            painter.circle_stroke(at, 9.0, Stroke::new(1.6, theme::warning()));
        }
    }
}
