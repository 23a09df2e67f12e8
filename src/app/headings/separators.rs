//! Lines between the viewports, and the hint in an empty part of the window.

use crate::app::scene_view::stage::Stage;
use crate::app::theme;
use crate::simulation::settings::MOST_LANES;
use egui_macroquad::egui::{self, Stroke};

/// Smallest distance in points between a hint and the left and right edges of its rectangle.
const HINT_MARGIN: f32 = 10.0;

/// Draws the lines between the viewports. If `with_names` is true or no lane is shown, an empty
/// part of the window shows a hint about lanes.
pub fn separators(painter: &egui::Painter, stage: &Stage, with_names: bool) {
    for &empty in &stage.empty {
        painter.rect_filled(empty, 0.0, theme::panel());
        let text = match stage.cells.len() {
            0 => "All lanes are hidden. Click the eye of a lane in the panel to show it again.",
            MOST_LANES.. => continue,
            _ if !with_names => continue,
            _ => "Room for one more lane: press +\u{a0}lane",
        };
        let font = egui::FontId::proportional(14.0);
        let room = (empty.width() - 2.0 * HINT_MARGIN).max(1.0);
        let mut hint = egui::text::LayoutJob::simple(text.to_owned(), font, theme::quiet(), room);
        hint.halign = egui::Align::Center;
        let hint = painter.layout_job(hint);
        let top = empty.center() - egui::vec2(0.0, 0.5 * hint.size().y);
        painter.galley(top, hint, theme::quiet());
    }
    for cell in &stage.cells {
        let stroke = Stroke::new(1.0, theme::separator());
        painter.rect_stroke(cell.rect.expand(0.5), 0.0, stroke, egui::StrokeKind::Middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene_view::stage::ViewCell;

    #[test]
    fn a_hint_in_an_empty_part_of_the_window_touches_no_edge() {
        let empty = egui::Rect::from_min_size(egui::pos2(20.0, 20.0), egui::vec2(163.0, 114.0));
        let app = |ctx: &egui::Context| {
            let stage = Stage {
                cells: vec![ViewCell {
                    rect: empty.translate(egui::vec2(0.0, 120.0)),
                    viewport: crate::app::view::Viewport::default(),
                    lanes: vec![0],
                    colors: vec![0],
                }],
                empty: vec![empty],
                ..Stage::default()
            };
            separators(&ctx.layer_painter(egui::LayerId::background()), &stage, true);
        };
        let mut harness = egui_kittest::Harness::new(app);
        harness.run_steps(2);
        let texts = harness.output().shapes.iter().filter_map(|it| match &it.shape {
            egui::Shape::Text(text) => Some(text.visual_bounding_rect()),
            _ => None,
        });
        let texts: Vec<egui::Rect> = texts.collect();
        assert_eq!(texts.len(), 1);
        let inside = empty.shrink(HINT_MARGIN - 2.0);
        assert!(inside.contains_rect(texts[0]), "{} in {inside}", texts[0]);
    }
}
