//! Microscope of the blend: shows the previous state, the current state, their blend that is drawn,
//! the accumulator as a bar, and the delay of the picture.

use super::sight::Sight;
use crate::app::theme;
use crate::app::view::{Camera, Viewport};
use crate::app::widgets::marks::mark_rect;
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use crate::simulation::timing::stepper::Blend;
use egui_macroquad::egui::{self, Align2, Color32, FontId, Pos2, pos2, vec2};
use glam::DVec3;
use macroquad::math::Vec2;
use macroquad::shapes::{draw_circle, draw_line};

/// Upper limit of links per lane that are drawn in both states.
const MOST_LINKS: usize = 3000;
/// Size in points of the bar that shows the accumulator. A full bar is one step.
const BAR: egui::Vec2 = vec2(180.0, 10.0);
/// Distance in points between the left edge of a viewport and a bar.
const LEFT: f32 = 16.0;
/// Width in points of the text beside a bar if it is not wrapped, and height of a line.
const TEXT_WIDTH: f32 = 330.0;
const LINE: f32 = 16.0;
const ABOVE: f32 = LINE + 4.0;
const GAP: f32 = 2.0;

fn previous() -> Color32 {
    theme::either(0x7fd1ae, 0x1f7a56)
}
fn current() -> Color32 {
    theme::either(0xffd166, 0x8a6400)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Microscope {
    pub on: bool,
    /// True while interpolated lanes are drawn with the interpolation of article C as its code does
    /// it.
    pub as_coded: bool,
}

/// Interpolation of article C (docs/sources.md), as implemented in its code: alpha =
/// accumulator/dt, drawn = previously drawn · alpha + current · (1 − alpha). The weights are
/// swapped, and the drawn state replaces the previous one. (The article itself blends render times,
/// which stay 0, and draws nothing; here states replace these times.)
#[derive(Clone, Debug, Default)]
pub struct ArticleBlend {
    drawn: Vec<DVec3>,
    /// Time of the picture in seconds, blended as the positions are.
    t: f64,
    /// Wall-clock time in seconds of the frame in which `drawn` was blended.
    wall: Option<f64>,
}

impl ArticleBlend {
    /// Replaces the drawn positions of an interpolated lane by the blend of article C.
    pub fn draw(&mut self, lane: &Lane, positions: &mut Vec<DVec3>) {
        let simulation = &lane.simulation;
        let Blend::Between(alpha) = simulation.plan().blend else {
            *self = Self::default();
            return;
        };
        let (current, t) = (&simulation.state().x, simulation.state().t);
        let wall = simulation.time_account().wall;
        let is_new = self.drawn.len() != current.len() || self.wall.is_none_or(|w| wall < w);
        if is_new {
            self.drawn.clone_from(positions);
            self.t = t;
        } else if self.wall != Some(wall) {
            for (drawn, current) in self.drawn.iter_mut().zip(current) {
                *drawn = *drawn * alpha + *current * (1.0 - alpha);
            }
            self.t = self.t * alpha + t * (1.0 - alpha);
        }
        self.wall = Some(wall);
        positions.clone_from(&self.drawn);
    }

    /// Returns the time of the picture in seconds.
    fn t(&self) -> f64 {
        self.t
    }
}

/// Returns the simulated seconds by which the picture is behind the session.
fn delay_of_picture(lane: &Lane, as_coded: Option<&ArticleBlend>) -> f64 {
    let simulation = &lane.simulation;
    let (owed, plan) = (simulation.time_account().owed, simulation.plan());
    match (plan.blend, as_coded) {
        (Blend::Between(_), Some(drawn)) => simulation.state().t + owed - drawn.t(),
        (Blend::Between(alpha), None) => owed + (1.0 - alpha) * plan.dt,
        (Blend::Current, _) => owed,
        (Blend::Ahead(seconds) | Blend::Tick(seconds), _) => owed - seconds,
    }
}

/// Copies of the two states that a picture blends.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    previous: Vec<DVec3>,
    current: Vec<DVec3>,
    ends: Vec<[u32; 2]>,
}

impl Ghosts {
    /// Copies both states and the links of a lane; copies nothing of an exploded lane.
    pub fn copy_states(&mut self, lane: &Lane) {
        let simulation = &lane.simulation;
        self.previous.clone_from(&simulation.previous().x);
        self.current.clone_from(&simulation.state().x);
        let links = simulation.model().topology().links().iter().take(MOST_LINKS);
        self.ends.clear();
        self.ends.extend(links.filter(|link| !link.is_cut()).map(|link| [link.a, link.b]));
        if simulation.explosion().is_some() {
            self.ends.clear();
            self.current.clear();
            self.previous.clear();
        }
    }

    /// Draws both states over the picture.
    pub fn draw(&self, camera: &Camera, viewport: &Viewport) {
        let projector = camera.projector(viewport);
        let scale = macroquad::window::screen_dpi_scale();
        for (x, ink) in [(&self.previous, previous()), (&self.current, current())] {
            let place = |p: &DVec3| projector.pixel(*p).filter(|pixel| viewport.contains(*pixel));
            let places: Vec<Option<Vec2>> = x.iter().map(|p| place(p).map(|p| p / scale)).collect();
            let [r, g, b, a] = ink.to_array();
            let ink = macroquad::color::Color::from_rgba(r, g, b, a);
            let end = |i: u32| places.get(i as usize).copied().flatten();
            for [a, b] in &self.ends {
                if let (Some(a), Some(b)) = (end(*a), end(*b)) {
                    draw_line(a.x, a.y, b.x, b.y, 1.2, ink);
                }
            }
            for at in places.iter().flatten().take(MOST_LINKS) {
                draw_circle(at.x, at.y, 2.0, ink);
            }
        }
    }
}

/// True if the text beside a bar needs two lines in a viewport of this width.
fn is_narrow(width: f32) -> bool {
    width < LEFT + TEXT_WIDTH
}

/// Returns the height in points of a bar with its text and the gap to the next bar, in a viewport
/// of this width.
pub fn bar_height(width: f32) -> f32 {
    let below = if is_narrow(width) { 2.0 * LINE } else { LINE };
    ABOVE + BAR.y + below + 2.0 + GAP
}

/// Draws the bar of every running lane, from top to bottom in the room that is reserved for bars.
/// Draws none in pictures that are too small for bars.
pub fn draw_bars(painter: &egui::Painter, sight: &Sight) {
    if sight.stage.room.bars == 0.0 {
        return;
    }
    for cell in &sight.stage.cells {
        let painter = painter.with_clip_rect(cell.rect);
        let lanes = sight.laboratory.session().lanes();
        let shown = cell.lanes.iter().filter_map(|index| Some((*index, lanes.get(*index)?)));
        let running = shown.filter(|(_, lane)| lane.simulation.explosion().is_none());
        let mut left = cell.rect.left_bottom() + vec2(LEFT, ABOVE - sight.stage.room.bars);
        for (index, lane) in running {
            let back = draw_bar(&painter, left, lane, sight.pictures.as_coded(index));
            mark_rect(painter.ctx(), back, format!("{index}: accumulator"));
            left.y += back.height() + GAP;
        }
    }
}

/// Draws the accumulator as a bar whose full length is one step, with its caption. In a narrow
/// viewport, the caption is shorter, and the kind of blend has a line of its own. Returns the
/// rectangle of bar and caption.
fn draw_bar(
    painter: &egui::Painter,
    left: Pos2,
    lane: &Lane,
    as_coded: Option<&ArticleBlend>,
) -> egui::Rect {
    let simulation = &lane.simulation;
    let (owed, dt) = (simulation.time_account().owed, simulation.settings().dt);
    let ink = theme::lane_color(lane.color);
    let is_narrow = is_narrow(painter.clip_rect().width());
    let width = if is_narrow { BAR.x + 30.0 } else { TEXT_WIDTH };
    let bar = egui::Rect::from_min_size(left, BAR);
    let below = if is_narrow { 2.0 * LINE } else { LINE };
    let back = egui::Rect::from_min_max(
        left - vec2(6.0, ABOVE),
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
    for (text, ink) in [("previous", previous()), ("current", current())] {
        at.x = painter.text(at, Align2::LEFT_TOP, text, font.clone(), ink).right() + 12.0;
    }
    if is_narrow {
        at = pos2(left.x, at.y + LINE);
    }
    painter.text(at, Align2::LEFT_TOP, blend_text(lane, as_coded), font, ink);
    back
}

fn blend_text(lane: &Lane, as_coded: Option<&ArticleBlend>) -> &'static str {
    match (lane.simulation.plan().blend, as_coded) {
        (Blend::Between(_), Some(_)) => "drawn: article C, as coded",
        (Blend::Between(_), None) => "drawn: blended between them",
        (Blend::Current, _) => "drawn: the current",
        (Blend::Ahead(_), _) => "drawn: x + v · owed",
        (Blend::Tick(_), _) => "drawn: a copy stepped by the owed time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::session_of;
    use crate::simulation::settings::Command;

    /// Ball at 1 m/s, in steps of 10 ms.
    const BALL: &str = r#"(version: 1, name: "ball", forces: [],
        particles: [(name: "ball", at: (0, 2, 0), velocity: (1, 0, 0))],
        settings: (dt: 0.01))"#;

    #[test]
    fn interpolation_is_a_step_late_and_the_one_as_coded_jerks() {
        let mut session = session_of(BALL);
        session.command(Command::Speed(1.0));
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        let mut as_coded = ArticleBlend::default();
        for frame in 1..=120 {
            session.advance(1.0 / 60.0, &|| 0.0);
            let mut positions = Vec::new();
            session.picture(0, &mut positions);
            // Before the cost of a step has been measured, the picture is the newest state, so the
            // test chooses the blend itself.
            let lane = &session.lanes()[0];
            let Blend::Between(alpha) = lane.simulation.plan().blend else { panic!("no blend") };
            let before = lane.simulation.previous().x[0];
            good.push(before.lerp(lane.simulation.state().x[0], alpha).x);
            assert!((delay_of_picture(lane, None) - 0.01).abs() < 1e-12, "frame {frame}");
            as_coded.draw(lane, &mut positions);
            // The ball moves at 1 m/s, so its distance in metres equals the displayed delay in
            // seconds.
            let late = f64::from(frame) / 60.0 - positions[0].x;
            if frame > 30 {
                assert!(
                    (late - delay_of_picture(lane, Some(&as_coded))).abs() < 1e-9,
                    "ball late by {late} m"
                );
            }
            bad.push(positions[0].x);
        }
        let jerk = |x: &[f64]| {
            let steps = x[40..].windows(2).map(|p| p[1] - p[0]);
            let (low, high) = steps.fold((f64::MAX, f64::MIN), |(l, h), s| (l.min(s), h.max(s)));
            high - low
        };
        assert!(jerk(&good) < 1e-9, "jerk of the interpolation: {} m", jerk(&good));
        assert!(jerk(&bad) > 5e-3, "jerk of the blend as coded: {} m", jerk(&bad));
    }
}
