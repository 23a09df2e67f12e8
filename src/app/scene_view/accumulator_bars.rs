//! Bars of the microscope: each lane's accumulator, and the delay of its drawn state.

use super::microscope::{ArticleBlend, current_ink, delay_of_picture, previous_ink};
use super::room::{ABOVE_BAR, BAR, BAR_GAP, BAR_LEFT, BAR_LINE, BAR_TEXT_WIDTH, is_bar_narrow};
use super::sight::Sight;
use crate::app::theme;
use crate::app::widgets::marks::mark_rect;
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use crate::simulation::timing::stepper::Blend;
use egui_macroquad::egui::{self, Align2, FontId, Pos2, pos2, vec2};

/// Draws a bar for every running lane, from top to bottom in the area reserved for bars. Viewports
/// that are too small have no bars.
pub fn draw_bars(painter: &egui::Painter, sight: &Sight) {
    if sight.stage.room.bars == 0.0 {
        return;
    }
    for cell in &sight.stage.cells {
        let painter = painter.with_clip_rect(cell.rect);
        let lanes = sight.laboratory.session().lanes();
        let shown = cell.lanes.iter().filter_map(|index| Some((*index, lanes.get(*index)?)));
        let running = shown.filter(|(_, lane)| lane.simulation.explosion().is_none());
        let mut left = cell.rect.left_bottom() + vec2(BAR_LEFT, ABOVE_BAR - sight.stage.room.bars);
        for (index, lane) in running {
            let back = draw_bar(&painter, left, lane, sight.pictures.as_coded(index));
            mark_rect(painter.ctx(), back, format!("{index}: accumulator"));
            left.y += back.height() + BAR_GAP;
        }
    }
}

/// Draws the accumulator as a bar with a caption; the full length is one step. In a narrow
/// viewport, the caption is shorter, and the kind of blend has its own line. Returns the rectangle
/// of the bar with its caption.
fn draw_bar(
    painter: &egui::Painter,
    left: Pos2,
    lane: &Lane,
    as_coded: Option<&ArticleBlend>,
) -> egui::Rect {
    let simulation = &lane.simulation;
    let (owed, dt) = (simulation.time_account().owed, simulation.settings().dt);
    let ink = theme::lane_color(lane.color);
    let is_narrow = is_bar_narrow(painter.clip_rect().width());
    let width = if is_narrow { BAR.x + 30.0 } else { BAR_TEXT_WIDTH };
    let bar = egui::Rect::from_min_size(left, BAR);
    let below = if is_narrow { 2.0 * BAR_LINE } else { BAR_LINE };
    let back = egui::Rect::from_min_max(
        left - vec2(6.0, ABOVE_BAR),
        pos2(left.x + width, bar.max.y + below + 2.0),
    );
    painter.rect_filled(back, 4.0, theme::panel().gamma_multiply(0.86));
    painter.rect_filled(bar, 2.0, theme::separator());
    let part = (owed / dt).clamp(0.0, 1.0) as f32;
    let full = egui::Rect::from_min_size(left, vec2(BAR.x * part, BAR.y));
    painter.rect_filled(full, 2.0, ink);
    let font = FontId::proportional(12.0);
    let (steps, late) = (owed / dt, si_tight(delay_of_picture(lane, as_coded), "s"));
    let text = if is_narrow {
        format!("owed {steps:.2} dt, drawn {late} late")
    } else {
        format!("accumulator {} = {steps:.2} dt, drawn {late} late", si_tight(owed, "s"))
    };
    painter.text(left - vec2(0.0, 4.0), Align2::LEFT_BOTTOM, text, font.clone(), theme::text());
    let mut at = pos2(left.x, bar.max.y + 2.0);
    for (text, ink) in [("previous", previous_ink()), ("current", current_ink())] {
        at.x = painter.text(at, Align2::LEFT_TOP, text, font.clone(), ink).right() + 12.0;
    }
    if is_narrow {
        at = pos2(left.x, at.y + BAR_LINE);
    }
    painter.text(at, Align2::LEFT_TOP, blend_text(lane, as_coded), font, ink);
    back
}

fn blend_text(lane: &Lane, as_coded: Option<&ArticleBlend>) -> &'static str {
    match (lane.simulation.plan().blend, as_coded) {
        (Blend::Between(_), Some(_)) => "drawn: blended by the code of article C",
        (Blend::Between(_), None) => "drawn: a blend of both states",
        (Blend::Current, _) => "drawn: the current state",
        (Blend::Ahead(_), _) => "drawn: x + v · owed",
        (Blend::Tick(_), _) => "drawn: a copy, stepped by the owed time",
    }
}
