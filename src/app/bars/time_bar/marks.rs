//! Marks of events on the time bar.

use super::Scale;
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::mark_rect;
use crate::session::{History, Mark, MarkKind, SessionMoment};
use egui_macroquad::egui::{Color32, Painter, Rect, Shape, Stroke, pos2, vec2};

const REACH: f32 = 5.0;

fn x_of(history: &History, scale: Scale, it: &Mark) -> f32 {
    scale.x(history.time_of(SessionMoment { events: it.events, missing_steps: 0 }))
}

/// Returns the index of the mark at the horizontal position `x`. Explosions take precedence.
pub fn mark_at(history: &History, scale: Scale, x: f32) -> Option<usize> {
    let near = history.marks().iter().enumerate().filter_map(|(index, it)| {
        let away = (x_of(history, scale, it) - x).abs();
        (away <= REACH).then_some((index, !is_explosion(it), away))
    });
    let nearest = near.min_by(|a, b| a.1.cmp(&b.1).then(a.2.total_cmp(&b.2)));
    nearest.map(|(index, ..)| index)
}

fn is_explosion(it: &Mark) -> bool {
    matches!(it.kind, MarkKind::Explosion { .. })
}

/// Draws all marks, with explosions on top.
pub fn draw_marks(painter: &Painter, history: &History, scale: Scale, hovered: Option<usize>) {
    let marks = || history.marks().iter().enumerate();
    let middle = scale.rect.center().y;
    let mut last = f32::NEG_INFINITY;
    for (index, it) in marks().filter(|(_, it)| !is_explosion(it)) {
        let x = x_of(history, scale, it).round();
        // Marks at the same position are drawn once.
        if x == last && hovered != Some(index) {
            continue;
        }
        last = x;
        let half = if hovered == Some(index) { 8.0 } else { 6.0 };
        let stroke = Stroke::new(2.0, ink(it.kind));
        painter.vline(x, middle - half..=middle + half, stroke);
    }
    for (index, it) in marks().filter(|(_, it)| is_explosion(it)) {
        let at = pos2(x_of(history, scale, it), middle);
        let r = if hovered == Some(index) { 8.0 } else { 6.5 };
        let diamond = [(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)];
        let points = diamond.map(|(x, y)| at + vec2(x, y)).to_vec();
        let stroke = Stroke::new(1.5, theme::panel());
        painter.add(Shape::convex_polygon(points, ink(it.kind), stroke));
        let rect = Rect::from_center_size(at, vec2(8.0, 8.0));
        mark_rect(painter.ctx(), rect, format_args!("explosion mark {index}"));
    }
}

fn ink(kind: MarkKind) -> Color32 {
    match kind {
        MarkKind::Explosion { color, .. } => theme::lane_color(color),
        MarkKind::Cut => theme::warning(),
        MarkKind::Restart => theme::text(),
        MarkKind::Throw | MarkKind::Pin | MarkKind::Drag => theme::quiet(),
        MarkKind::Settings | MarkKind::Lanes | MarkKind::Scene | MarkKind::Body => theme::accent(),
    }
}

pub fn mark_text(it: &Mark, laboratory: &Laboratory) -> String {
    let lane = |color| {
        let mut lanes = laboratory.session().lanes().iter();
        lanes.find(|lane| lane.color == color).map_or("A lane", |lane| lane.name.as_str())
    };
    match it.kind {
        MarkKind::Explosion { color, .. } => {
            format!("{} exploded. A click goes back to 20 steps before the explosion.", lane(color))
        }
        MarkKind::Cut => "Links were cut.".to_owned(),
        MarkKind::Throw => "A ball was thrown.".to_owned(),
        MarkKind::Pin => "A particle was pinned or freed.".to_owned(),
        MarkKind::Drag => "The mouse grabbed a body.".to_owned(),
        MarkKind::Settings => "The settings of a lane changed.".to_owned(),
        MarkKind::Lanes => "A lane was added or removed.".to_owned(),
        MarkKind::Scene => "Gravity, wind or a material changed.".to_owned(),
        MarkKind::Body => "A body was added or deleted.".to_owned(),
        MarkKind::Restart => "The scene was restarted.".to_owned(),
    }
}
