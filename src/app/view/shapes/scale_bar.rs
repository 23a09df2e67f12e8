//! Bar that shows a length in metres.

use super::marks::{Drawing, halo};
use crate::app::theme::is_light;
use crate::app::view::projection::camera::Camera;
use crate::app::view::projection::viewport::Viewport;
use glam::Vec2;
use macroquad::color::Color;
use macroquad::text::{Font, TextParams, draw_text_ex, measure_text};

const LONGEST_BAR: f64 = 150.0;
const FONT_SIZE: u16 = 14;

fn ink() -> Color {
    if is_light() { Color::new(0.25, 0.28, 0.33, 1.0) } else { Color::new(0.72, 0.75, 0.80, 1.0) }
}

/// Scale bar near the lower left corner of a viewport: its ends in pixels, and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleBar {
    from: Vec2,
    to: Vec2,
    text: String,
}

impl ScaleBar {
    /// Creates the scale bar, `lift` points above its default position.
    pub fn new(camera: &Camera, viewport: &Viewport, lift: f32) -> ScaleBar {
        let metres_per_pixel = camera.metres_per_pixel(viewport);
        let room = LONGEST_BAR.min(0.3 * f64::from(viewport.rect.w / viewport.scale));
        let (length, text) = round_length(room * f64::from(viewport.scale) * metres_per_pixel);
        let margin = 20.0 * viewport.scale;
        let from = Vec2::new(
            viewport.rect.x + margin,
            (viewport.rect.y + viewport.rect.h - margin - lift * viewport.scale).round() - 0.5,
        );
        let to = from + Vec2::new((length / metres_per_pixel) as f32, 0.0);
        ScaleBar { from, to, text }
    }

    pub fn draw(&self, drawing: &mut Drawing, viewport: &Viewport) {
        let end = Vec2::new(0.0, 4.0 * viewport.scale);
        for (thickness, color) in [(1.6, halo()), (0.7, ink())] {
            let thickness = thickness * viewport.scale;
            drawing.draw_line(self.from, self.to, thickness, color);
            drawing.draw_line(self.from - end, self.from + end, thickness, color);
            drawing.draw_line(self.to - end, self.to + end, thickness, color);
        }
    }

    /// Draws the text above the middle of the bar with macroquad. The text appears at macroquad's
    /// next flush.
    pub fn write(&self, viewport: &Viewport, font: Option<&Font>) {
        let screen_scale = macroquad::window::screen_dpi_scale();
        let at =
            (0.5 * (self.from + self.to) - Vec2::new(0.0, 7.0 * viewport.scale)) / screen_scale;
        let font_scale = viewport.scale / screen_scale;
        let width = measure_text(&self.text, font, FONT_SIZE, font_scale).width;
        let params = TextParams {
            font,
            font_size: FONT_SIZE,
            font_scale,
            color: ink(),
            ..TextParams::default()
        };
        draw_text_ex(&self.text, (at.x - 0.5 * width).round(), at.y.round(), params);
    }
}

/// Returns the largest of 1, 2, 5, 10, … that is at most `longest` metres, and its text.
fn round_length(longest: f64) -> (f64, String) {
    let power = longest.log10().floor();
    let digit = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|digit| digit * 10f64.powf(power) <= longest)
        .unwrap_or(1.0);
    let length = digit * 10f64.powf(power);
    let text = match power as i32 {
        3.. => format!("{:.0} km", length * 1e-3),
        0..3 => format!("{length:.0} m"),
        -2..0 => format!("{:.0} cm", length * 1e2),
        -3 => format!("{:.0} mm", length * 1e3),
        _ => format!("{:.0} µm", length * 1e6),
    };
    (length, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round_and_fit() {
        let cases = [
            (1.9, 1.0, "1 m"),
            (0.73, 0.5, "50 cm"),
            (0.02, 0.02, "2 cm"),
            (0.009, 0.005, "5 mm"),
            (47.0, 20.0, "20 m"),
            (6e3, 5e3, "5 km"),
            (2.5e-4, 2e-4, "200 µm"),
        ];
        for (longest, length, text) in cases {
            let (found, said) = round_length(longest);
            assert!(
                (found - length).abs() < 1e-9 * length,
                "bar of {found} m, expected {length} m"
            );
            assert_eq!(said, text);
        }
    }
}
