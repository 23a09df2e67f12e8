//! Arrows and labels over the scene.

use crate::app::theme;
use crate::app::view::Projector;
use egui_macroquad::egui::{self, Align2, Color32, FontId, Stroke, vec2};
use glam::DVec3;

/// Length in points of an arrow whose force or velocity equals [`Pen::reference`].
pub(super) const LONGEST_ARROW: f32 = 70.0;
/// Length in points below which an arrow is left out.
const SHORTEST_ARROW: f32 = 2.0;

/// Pen for arrows and labels in one viewport.
pub(super) struct Pen<'a> {
    pub painter: &'a egui::Painter,
    pub project: Projector,
    /// Force in newtons, or velocity in m/s, that is drawn as an arrow of length [`LONGEST_ARROW`].
    pub reference: f64,
}

impl Pen<'_> {
    /// Returns the end of an arrow on the screen. An arrow perpendicular to the line of sight is
    /// `length` points long; other arrows look shorter.
    fn end(&self, from: DVec3, direction: DVec3, length: f32) -> Option<egui::Pos2> {
        let metres = self.project.metres_per_point(from) * f64::from(length);
        self.project.point(from + direction * metres)
    }

    pub fn line(&self, at: DVec3, direction: DVec3, length: f32, color: Color32) {
        if let (Some(from), Some(to)) = (self.project.point(at), self.end(at, direction, length)) {
            self.painter.line_segment([from, to], Stroke::new(1.0, color));
            self.painter.circle_filled(from, 1.8, color);
        }
    }

    pub fn arrow(&self, at: DVec3, force: DVec3, color: Color32) {
        let length = LONGEST_ARROW * (force.length() / self.reference) as f32;
        let Some(direction) = force.try_normalize().filter(|_| length > SHORTEST_ARROW) else {
            return;
        };
        let length = length.min(1.5 * LONGEST_ARROW);
        if let (Some(from), Some(to)) = (self.project.point(at), self.end(at, direction, length)) {
            let along = to - from;
            self.painter.line_segment([from, to], Stroke::new(1.8, color));
            let back = along.normalized() * -6.0;
            for turned in [back.rot90(), -back.rot90()] {
                let barb = back + 0.5 * turned;
                self.painter.line_segment([to, to + barb], Stroke::new(1.8, color));
            }
        }
    }

    pub fn label(&self, place: egui::Pos2, text: &str, color: Color32) {
        let font = FontId::monospace(12.0);
        let galley = self.painter.layout_no_wrap(text.to_owned(), font, color);
        let rect = Align2::CENTER_CENTER.anchor_size(place, galley.size());
        self.painter.rect_filled(rect.expand2(vec2(4.0, 1.0)), 3.0, theme::panel());
        self.painter.galley(rect.min, galley, color);
    }
}

/// Sets the force or speed of the longest arrow to a round value of at least `largest`. The value
/// changes only when the arrows no longer fit, so their lengths do not keep changing.
pub fn fit_reference(reference: &mut f64, largest: f64) {
    if largest > *reference || largest < 0.3 * *reference {
        *reference = round_up(largest);
    }
}

/// Returns the smallest of 1, 2, 5, 10, 20, … that is not less than `value`.
pub fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10.0_f64.powf(value.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= value);
    power * digit.unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_a_round_number_not_below() {
        let found = [0.9, 1.0, 1.01, 4.9, 5.1, 0.0, f64::NAN].map(round_up);
        assert_eq!(found, [1.0, 1.0, 2.0, 5.0, 10.0, 1.0, 1.0]);
    }
}
