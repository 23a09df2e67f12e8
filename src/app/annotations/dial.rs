//! Clock of a lane: the coloured hand shows the lane's time, the faint hand the session's time.

use super::text_box::{TextLayout, draw_text_box};
use crate::app::scene_view::room::{BETWEEN_FACES, FACE_TOP};
use crate::app::scene_view::sight::Sight;
use crate::app::scene_view::stage::ViewCell;
use crate::app::theme;
use crate::app::widgets::marks::mark_rect;
use crate::session::Lane;
use egui_macroquad::egui::{Align2, FontId, Painter, Pos2, Rect, Stroke, vec2};
use std::f64::consts::TAU;

const FACE_RADIUS: f32 = 30.0;
const SECONDS_PER_TURN: f64 = 10.0;
/// Largest difference in seconds between a lane's time and the session's at which the lane counts
/// as on time: 3 frames at 60 Hz.
const ON_TIME: f64 = 0.05;

/// Draws the clocks of the lanes in a viewport from right to left, if their faces fit.
pub fn draw(painter: &Painter, sight: &Sight, cell: &ViewCell) {
    if !sight.stage.room.has_face {
        return;
    }
    let session = sight.laboratory.session();
    let lanes = cell.lanes.iter().filter_map(|&lane| Some((lane, session.lanes().get(lane)?)));
    for (k, (number, lane)) in lanes.enumerate() {
        let from_right = 58.0 + BETWEEN_FACES * k as f32;
        let centre = cell.rect.right_bottom() - vec2(from_right, FACE_TOP - FACE_RADIUS);
        let t = lane.simulation.state().t;
        let place = Rect::from_center_size(centre, vec2(2.0 * FACE_RADIUS, 2.0 * FACE_RADIUS));
        mark_rect(painter.ctx(), place, format!("{number}: face of the clock"));
        draw_face(painter, centre);
        let faint = theme::quiet().gamma_multiply(0.6);
        draw_hand(painter, centre, session.time(), Stroke::new(2.0, faint));
        draw_hand(painter, centre, t, Stroke::new(3.0, theme::lane_color(lane.color)));
        let text = format!("{t:>6.2} s\n{}", verdict(lane, session.time()));
        let at = centre + vec2(0.0, FACE_RADIUS + 6.0);
        let layout = TextLayout::of_line(FontId::monospace(13.0));
        let rect = draw_text_box(painter, at, Align2::CENTER_TOP, &text, layout, &[]);
        mark_rect(painter.ctx(), rect, format!("{number}: time"));
    }
}

/// Returns the times of the clocks in a viewport as text, with the names of overlaid lanes.
pub fn time_texts(sight: &Sight, cell: &ViewCell) -> impl Iterator<Item = String> {
    let session = sight.laboratory.session();
    let is_alone = cell.lanes.len() == 1;
    cell.lanes.iter().filter_map(move |&lane| {
        let lane = session.lanes().get(lane)?;
        let (t, verdict) = (lane.simulation.state().t, verdict(lane, session.time()));
        Some(match is_alone {
            true => format!("{t:>6.2} s, {verdict}"),
            false => format!("{}: {t:.2} s, {verdict}", lane.name),
        })
    })
}

fn verdict(lane: &Lane, now: f64) -> String {
    let late = now - lane.simulation.state().t;
    if lane.simulation.explosion().is_some() {
        "stopped".to_owned()
    } else if late.abs() < ON_TIME {
        "on time".to_owned()
    } else if late > 0.0 {
        format!("{late:.2} s late")
    } else {
        format!("{:.2} s early", -late)
    }
}

fn draw_face(painter: &Painter, centre: Pos2) {
    painter.circle(
        centre,
        FACE_RADIUS,
        theme::text_background(),
        Stroke::new(1.5, theme::separator()),
    );
    for second in 0..10 {
        let out = direction(f64::from(second));
        let ends = [centre + 0.86 * FACE_RADIUS * out, centre + 0.96 * FACE_RADIUS * out];
        painter.line_segment(ends, Stroke::new(1.0, theme::quiet()));
    }
}

fn draw_hand(painter: &Painter, centre: Pos2, t: f64, stroke: Stroke) {
    painter.line_segment([centre, centre + 0.8 * FACE_RADIUS * direction(t)], stroke);
}

/// Returns the direction of a clock hand at time t in seconds: upwards at 0 s, then clockwise.
fn direction(t: f64) -> egui_macroquad::egui::Vec2 {
    let (sin, cos) = (TAU * t / SECONDS_PER_TURN).sin_cos();
    vec2(sin as f32, -cos as f32)
}
