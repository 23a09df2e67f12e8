//! Legend of the strain colours.

use crate::app::theme;
use crate::app::view::strain_color;
use crate::quantity::in_words::without_zeros;
use egui_macroquad::egui::{self, Align2, Color32, FontId, Rect, pos2, vec2};

const SIZE: egui::Vec2 = vec2(150.0, 8.0);

/// Draws the scale of the strain colours in the lower right corner of the scene, `up` points above
/// the lower edge. `range` is the strain at the end of the scale.
pub fn legend(painter: &egui::Painter, scene: Rect, up: f32, range: f64) {
    let corner = scene.right_bottom() - vec2(22.0, up) - SIZE;
    let bar = Rect::from_min_size(corner, SIZE);
    let columns = SIZE.x as usize;
    for column in 0..columns {
        let part = column as f32 / columns as f32;
        let color = strain_color(f64::from(part) * range, range);
        let byte = |channel: f32| (channel * 255.0).round() as u8;
        let ink = Color32::from_rgb(byte(color.r), byte(color.g), byte(color.b));
        let x = bar.left() + part * SIZE.x;
        let stripe = Rect::from_min_max(pos2(x, bar.top()), pos2(x + 1.0, bar.bottom()));
        painter.rect_filled(stripe, 0.0, ink);
    }
    let write = |at, align: Align2, text: String| {
        painter.text(at, align, text, FontId::monospace(12.0), theme::quiet());
    };
    let percent = |strain: f64| format!("{} %", without_zeros(format!("{:.2}", strain * 100.0)));
    let above = vec2(0.0, -4.0);
    write(bar.left_top() + above, Align2::LEFT_BOTTOM, "0 %".to_owned());
    write(bar.center_top() + above, Align2::CENTER_BOTTOM, "strain".to_owned());
    // Links with a strain above `range` also have the last colour, hence the sign ≥.
    write(bar.right_top() + above, Align2::RIGHT_BOTTOM, format!("≥ {}", percent(range)));
}
