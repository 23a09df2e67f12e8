//! Scale of heights above the floor, at the right edge of a viewport.

use crate::app::scene_view::pen::round_up;
use crate::app::scene_view::sight::Sight;
use crate::app::scene_view::stage::ViewCell;
use crate::app::theme;
use egui_macroquad::egui::{Align2, FontId, Painter, Stroke, pos2};

const LEAST_GAP: f64 = 36.0;
/// Height in points of the lane chips at the upper edge. The scale has no marks at this height.
const CHIPS_HEIGHT: f32 = 64.0;
const NUMBER_WIDTH: f32 = 56.0;
const MOST_MARKS: usize = 100;

/// Draws a mark at every 0.1, 0.2, 0.5, 1, 2, 5, … metres. The shortest of these intervals is used
/// for which marks are at least [`LEAST_GAP`] points apart.
pub fn draw(painter: &Painter, sight: &Sight, cell: &ViewCell) {
    let floor = sight.laboratory.session().scene().floor;
    let centre = sight.camera.centre();
    let project = sight.camera.projector(&cell.viewport);
    let height = |h: f64| {
        let mut place = centre;
        place.y = floor + h;
        project.point(place).map(|point| point.y)
    };
    let (Some(zero), Some(one)) = (height(0.0), height(1.0)) else { return };
    let step = round_up(LEAST_GAP / f64::from(zero - one).max(1e-6)).max(0.1);
    let right = cell.rect.right() - 12.0;
    let font = FontId::monospace(12.0);
    let shown = |y: &f32| *y > cell.rect.top() + CHIPS_HEIGHT;
    let marks = (0..MOST_MARKS).map(|k| k as f64 * step);
    let mut top = zero;
    for (h, y) in marks.filter_map(|h| Some((h, height(h)?))).take_while(|(_, y)| shown(y)) {
        let stroke = Stroke::new(1.0, theme::quiet());
        painter.line_segment([pos2(right - 8.0, y), pos2(right, y)], stroke);
        let at = pos2(right - 12.0, y);
        let text = if step < 1.0 { format!("{h:.1} m") } else { format!("{h:.0} m") };
        painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), theme::quiet());
        top = y;
    }
    painter.line_segment([pos2(right, zero), pos2(right, top)], Stroke::new(1.0, theme::quiet()));
    // The floor line ends to the left of its label.
    let ground = [pos2(cell.rect.left(), zero), pos2(right - NUMBER_WIDTH, zero)];
    painter.line_segment(ground, Stroke::new(1.0, theme::quiet().gamma_multiply(0.5)));
}
