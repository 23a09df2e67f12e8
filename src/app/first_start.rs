//! One line for newcomers.

use super::theme;
use crate::model::Parts;
use egui_macroquad::egui::{self, Align2, FontId};

/// Says what to do first, over the lower edge of the scene. It goes away with the first drag.
pub fn first_start_ui(painter: &egui::Painter, scene: egui::Rect, parts: &Parts) {
    let text = format!("Drag {}.  Space pauses.  F1 shows all keys.", what(parts));
    let galley = painter.layout_no_wrap(text, FontId::proportional(15.0), theme::TEXT);
    let place = scene.center_bottom() - egui::vec2(0.0, 54.0);
    let rect = Align2::CENTER_BOTTOM.anchor_size(place, galley.size());
    let ground = rect.expand2(egui::vec2(14.0, 7.0));
    painter.rect_filled(ground, ground.height() / 2.0, theme::PANEL.gamma_multiply(0.9));
    painter.galley(rect.min, galley, theme::TEXT);
}

/// What there is to take.
fn what(parts: &Parts) -> &'static str {
    let (ropes, cloths) = (parts.mesh.ropes.len(), parts.mesh.cloths.len());
    match (ropes, cloths, parts.contact.balls.len()) {
        (_, 1, _) => "the cloth",
        (_, 2.., _) => "a cloth",
        (1, 0, _) => "the rope",
        (2.., 0, _) => "a rope",
        (0, 0, 1) => "the ball",
        (0, 0, 2..) => "a ball",
        (0, 0, 0) => "a particle",
    }
}
