//! One line for newcomers.

use super::theme;
use egui_macroquad::egui::{self, Align2, FontId};

/// Says what to do first, over the lower edge of the scene. It goes away with the first drag.
pub fn first_start_ui(painter: &egui::Painter, scene: egui::Rect) {
    let text = "Drag the rope.  Space pauses.  F1 shows all keys.";
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(15.0), theme::TEXT);
    let place = scene.center_bottom() - egui::vec2(0.0, 54.0);
    let rect = Align2::CENTER_BOTTOM.anchor_size(place, galley.size());
    let ground = rect.expand2(egui::vec2(14.0, 7.0));
    painter.rect_filled(ground, ground.height() / 2.0, theme::PANEL.gamma_multiply(0.9));
    painter.galley(rect.min, galley, theme::TEXT);
}
