//! Microscope of the blend: shows the previous state, the current state, the blend of both that is
//! drawn, and the delay of the blend.

use crate::app::theme;
use crate::app::view::{Camera, Viewport};
use crate::session::Lane;
use crate::simulation::timing::stepper::Blend;
use egui_macroquad::egui::Color32;
use glam::DVec3;
use macroquad::math::Vec2;
use macroquad::shapes::{draw_circle, draw_line};

/// Largest number of links per lane that are drawn in both states.
const MOST_LINKS: usize = 3000;
pub fn previous_ink() -> Color32 {
    theme::either(0x7fd1ae, 0x1f7a56)
}
pub fn current_ink() -> Color32 {
    theme::either(0xffd166, 0x8a6400)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Microscope {
    pub on: bool,
    /// True while interpolated lanes are drawn with the interpolation from the code of article C.
    pub as_coded: bool,
}

/// Interpolation of article C (docs/sources.md), as implemented in its code: alpha =
/// accumulator/dt, drawn = previously drawn · alpha + current · (1 − alpha). Unlike in the usual
/// blend, the weights are swapped, and the drawn state replaces the previous one. (The article
/// itself blends render times, which stay 0, and draws nothing. Here states replace these times.)
#[derive(Clone, Debug, Default)]
pub struct ArticleBlend {
    drawn: Vec<DVec3>,
    /// Time of the drawn state in seconds, blended with the same weights as the positions.
    t: f64,
    /// Wall-clock time of the frame in which `drawn` was blended, in seconds.
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

    fn t(&self) -> f64 {
        self.t
    }
}

/// Returns the delay in simulated seconds of the drawn state behind the session.
pub fn delay_of_picture(lane: &Lane, as_coded: Option<&ArticleBlend>) -> f64 {
    let simulation = &lane.simulation;
    let (owed, plan) = (simulation.time_account().owed, simulation.plan());
    match (plan.blend, as_coded) {
        (Blend::Between(_), Some(drawn)) => simulation.state().t + owed - drawn.t(),
        (Blend::Between(alpha), None) => owed + (1.0 - alpha) * plan.dt,
        (Blend::Current, _) => owed,
        (Blend::Ahead(seconds) | Blend::Tick(seconds), _) => owed - seconds,
    }
}

/// Copies of the two states that are blended for drawing.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    previous: Vec<DVec3>,
    current: Vec<DVec3>,
    ends: Vec<[u32; 2]>,
}

impl Ghosts {
    /// Copies both states and the links of a lane. The copies of an exploded lane are empty.
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

    /// Draws both states over the lane.
    pub fn draw(&self, camera: &Camera, viewport: &Viewport) {
        let projector = camera.projector(viewport);
        let scale = macroquad::window::screen_dpi_scale();
        for (x, ink) in [(&self.previous, previous_ink()), (&self.current, current_ink())] {
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
            // Until the cost of a step has been measured, the newest state is drawn, so the test
            // chooses the blend itself.
            let lane = &session.lanes()[0];
            let Blend::Between(alpha) = lane.simulation.plan().blend else { panic!("no blend") };
            let before = lane.simulation.previous().x[0];
            good.push(before.lerp(lane.simulation.state().x[0], alpha).x);
            assert!((delay_of_picture(lane, None) - 0.01).abs() < 1e-12, "frame {frame}");
            as_coded.draw(lane, &mut positions);
            // At a speed of 1 m/s, the ball's distance in metres equals the displayed delay in
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
