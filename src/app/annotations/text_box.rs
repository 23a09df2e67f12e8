//! Text with a background, kept inside a viewport and apart from other texts.

use crate::app::theme;
use egui_macroquad::egui::{Align2, FontId, Painter, Pos2, Rect, Vec2, vec2};

/// Margin in points of the background around a text.
const TEXT_MARGIN: Vec2 = vec2(4.0, 1.0);

/// Font of a text, and the width in points at which it is wrapped.
pub struct TextLayout {
    pub font: FontId,
    pub width: f32,
}

impl TextLayout {
    /// Returns the layout of a text that is not wrapped.
    pub fn of_line(font: FontId) -> Self {
        Self { font, width: f32::INFINITY }
    }
}

/// Draws a text with a background at a point. Wraps the text at a width and moves it into the
/// viewport. If rectangles in `taken` would cover the text, draws it above them. Returns the
/// rectangle of the background.
pub fn draw_text_box(
    painter: &Painter,
    at: Pos2,
    align: Align2,
    text: &str,
    TextLayout { font, width }: TextLayout,
    taken: &[Rect],
) -> Rect {
    let galley = painter.layout(text.to_owned(), font, theme::text(), width);
    let rect = moved_within(align.anchor_size(at, galley.size()), painter.clip_rect());
    let rect = moved_above(rect, taken).expand2(TEXT_MARGIN);
    painter.rect_filled(rect, 3.0, theme::text_background());
    painter.galley(rect.min + TEXT_MARGIN, galley, theme::text());
    rect
}

/// Moves a rectangle up until it overlaps, with its margin, none of the rectangles in `taken`.
fn moved_above(mut rect: Rect, taken: &[Rect]) -> Rect {
    // Each move puts the rectangle above at least one more taken rectangle, so there are at most as
    // many moves as taken rectangles.
    for _ in taken {
        let lies_on = |taken: &&Rect| taken.expand(1.0).intersects(rect.expand2(TEXT_MARGIN));
        let Some(taken) = taken.iter().find(lies_on) else { break };
        rect = rect.translate(vec2(0.0, taken.top() - 2.0 - TEXT_MARGIN.y - rect.bottom()));
    }
    rect
}

/// Moves a rectangle sideways until it is between the left and the right side of `around`.
fn moved_within(rect: Rect, around: Rect) -> Rect {
    let beyond = (rect.right() + 6.0 - around.right()).max(0.0);
    rect.translate(vec2((around.left() + 6.0 - rect.left() + beyond).max(0.0) - beyond, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_macroquad::egui::pos2;

    #[test]
    fn words_at_the_edge_of_a_picture_stay_in_it() {
        let picture = Rect::from_min_max(pos2(300.0, 0.0), pos2(700.0, 400.0));
        let words = |left: f32| Rect::from_min_size(pos2(left, 50.0), vec2(60.0, 16.0));
        assert_eq!(moved_within(words(400.0), picture), words(400.0));
        assert_eq!(moved_within(words(680.0), picture), words(634.0));
        assert_eq!(moved_within(words(290.0), picture), words(306.0));
    }

    #[test]
    fn labels_make_room_for_readings() {
        let label = |top: f32| Rect::from_min_size(pos2(310.0, top), vec2(60.0, 16.0));
        let readings = Rect::from_min_max(pos2(300.0, 100.0), pos2(700.0, 140.0));
        assert_eq!(moved_above(label(10.0), &[readings]), label(10.0));
        let moved = moved_above(label(120.0), &[readings]);
        assert!(moved.bottom() < readings.top() && moved.bottom() > readings.top() - 5.0);
    }

    #[test]
    fn labels_do_not_lie_on_each_other() {
        let label = |left: f32, top: f32| Rect::from_min_size(pos2(left, top), vec2(60.0, 16.0));
        let mut taken = vec![Rect::from_min_max(pos2(300.0, 100.0), pos2(700.0, 140.0))];
        for at in [label(310.0, 105.0), label(330.0, 95.0), label(320.0, 90.0), label(500.0, 60.0)]
        {
            taken.push(moved_above(at, &taken).expand2(TEXT_MARGIN));
        }
        for (i, one) in taken.iter().enumerate() {
            assert!(taken[..i].iter().all(|other| !other.intersects(*one)), "{taken:?}");
        }
        assert_eq!(taken[4], label(500.0, 60.0).expand2(TEXT_MARGIN), "one that is free stays");
        assert!(taken[3].bottom() > 40.0, "by no more than two labels: {taken:?}");
    }
}
