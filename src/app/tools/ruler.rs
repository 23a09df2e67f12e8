//! Ruler between two particles or points, and stopwatch for session time.

use crate::app::scene_view::pictures::Pictures;
use crate::app::scene_view::stage::Stage;
use crate::app::theme;
use crate::app::view::Camera;
use crate::quantity::in_words::percent_to;
use crate::quantity::on_screen::si_tight;
use crate::simulation::scene_edit::RopeEnd;
use egui_macroquad::egui::{self, Align2, FontId, Stroke, vec2};
use glam::DVec3;

const TICK: f32 = 6.0;
const GAP: f32 = 16.0;

/// Ruler in the scene. In every lane, its ends follow the particles to which they are attached.
#[derive(Clone, Debug)]
pub struct Ruler {
    ends: [RopeEnd; 2],
    /// Number of particles in the scene when the ruler was laid. If the number has changed, the
    /// particles have other indices.
    particles: usize,
    /// First reading of each lane: colour number of the lane, distance in metres, and simulated
    /// time in seconds.
    first: Vec<(usize, f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    pub distance: f64,
    /// Change of the distance in metres since the first reading of the lane.
    pub change: f64,
    pub strain: f64,
    pub seconds: f64,
    /// Angle in degrees from the horizontal to the line from the first to the second end. It is
    /// positive if the second end is higher.
    pub angle: f64,
}

impl Ruler {
    pub fn new(ends: [RopeEnd; 2], particles: usize) -> Self {
        Self { ends, particles, first: Vec::new() }
    }

    /// True if the ruler's particles have the same indices in a scene of this many particles.
    pub fn fits(&self, particles: usize) -> bool {
        let is_place = |end: &RopeEnd| matches!(end, RopeEnd::At(_));
        self.particles == particles || self.ends.iter().all(is_place)
    }

    fn end_points(&self, x: &[DVec3]) -> Option<[DVec3; 2]> {
        let place = |end: RopeEnd| match end {
            RopeEnd::At(at) => Some(at),
            RopeEnd::Particle(particle) => x.get(particle as usize).copied(),
        };
        Some([place(self.ends[0])?, place(self.ends[1])?])
    }

    /// Reads the ruler in the lane with this colour number. The particles are at `x` at time `t` in
    /// seconds. Returns `None` if a particle does not exist.
    pub fn read(&mut self, color: usize, t: f64, x: &[DVec3]) -> Option<Reading> {
        let [from, to] = self.end_points(x)?;
        let displacement = to - from;
        let distance = displacement.length();
        let known = self.first.iter().find(|(lane, ..)| *lane == color).copied();
        let (_, then, since) = known.unwrap_or_else(|| {
            let first = (color, distance, t);
            self.first.push(first);
            first
        });
        let level = displacement.x.hypot(displacement.z);
        Some(Reading {
            distance,
            change: distance - then,
            strain: if then > 0.0 { distance / then - 1.0 } else { 0.0 },
            seconds: t - since,
            angle: displacement.y.atan2(level).to_degrees(),
        })
    }

    /// Draws the ruler in every viewport. Returns its text in the first viewport.
    pub fn draw(
        &mut self,
        painter: &egui::Painter,
        stage: &Stage,
        pictures: &Pictures,
        camera: &Camera,
    ) -> Option<String> {
        let mut first = None;
        for cell in &stage.cells {
            let (Some(&lane), Some(&color)) = (cell.lanes.first(), cell.colors.first()) else {
                continue;
            };
            let x = pictures.positions(lane);
            let Some(reading) = self.read(color, pictures.time(lane), x) else { continue };
            let text = reading.text();
            let project = camera.projector(&cell.viewport);
            let ends = self.end_points(x).map(|ends| ends.map(|end| project.point(end)));
            if let Some([Some(from), Some(to)]) = ends {
                draw_line(&painter.with_clip_rect(cell.rect), [from, to], &text);
            }
            first.get_or_insert(text);
        }
        first
    }
}

impl Reading {
    /// Returns two lines: distance between the ends and angle of the ruler; then change of the
    /// distance and time since the lane's first reading.
    pub fn text(&self) -> String {
        let Self { distance, change, strain, seconds, angle } = *self;
        let sign = if change < 0.0 { "−" } else { "+" };
        format!(
            "{} at {angle:.1}°\n{sign}{} ({sign}{}) in {}",
            si_tight(distance, "m"),
            si_tight(change.abs(), "m"),
            percent_to(strain.abs(), 1),
            si_tight(seconds, "s"),
        )
    }
}

fn draw_line(painter: &egui::Painter, [from, to]: [egui::Pos2; 2], text: &str) {
    let stroke = Stroke::new(1.5, theme::text());
    painter.line_segment([from, to], stroke);
    let along = (to - from).normalized();
    let across = vec2(-along.y, along.x);
    for end in [from, to] {
        painter.line_segment([end - across * TICK, end + across * TICK], stroke);
    }
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::monospace(12.5), theme::text());
    // The text is below a horizontal ruler and beside a vertical one.
    let down = if across.y < 0.0 { -across } else { across };
    let middle = from.lerp(to, 0.5) + down * (GAP + 0.5 * galley.size().x * down.x.abs());
    let rect = Align2::CENTER_CENTER.anchor_size(middle + vec2(0.0, 10.0 * down.y), galley.size());
    let rect = rect.translate(kept_inside(rect, painter.clip_rect().shrink(8.0)));
    painter.rect_filled(rect.expand2(vec2(6.0, 3.0)), 4.0, theme::panel().gamma_multiply(0.9));
    painter.galley(rect.min, galley, theme::text());
}

/// Returns the shift that moves a rectangle into the rectangle `room`.
fn kept_inside(rect: egui::Rect, room: egui::Rect) -> egui::Vec2 {
    let along =
        |least: f32, most: f32, from: f32, to: f32| (from - least).max(0.0) - (most - to).max(0.0);
    vec2(
        along(rect.min.x, rect.max.x, room.min.x, room.max.x),
        along(rect.min.y, rect.max.y, room.min.y, room.max.y),
    )
}

/// Stopwatch for session time. The first press starts it, the second stops it, the third removes
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stopwatch {
    #[default]
    Off,
    /// Running since this session time in seconds.
    Running(f64),
    /// Stopped with this reading in seconds.
    Stopped(f64),
}

impl Stopwatch {
    /// Returns the state after a press at session time `now` in seconds.
    pub fn pressed(self, now: f64) -> Self {
        match self {
            Self::Off => Self::Running(now),
            Self::Running(since) => Self::Stopped(now - since),
            Self::Stopped(_) => Self::Off,
        }
    }

    /// Returns the displayed time in seconds at session time `now`. It is negative if the session
    /// has gone back to a time before the stopwatch was started.
    pub fn reading(self, now: f64) -> Option<f64> {
        match self {
            Self::Off => None,
            Self::Running(since) => Some(now - since),
            Self::Stopped(seconds) => Some(seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_ruler_reads_distance_change_and_angle_in_each_lane() {
        let mut ruler = Ruler::new([RopeEnd::At(DVec3::ZERO), RopeEnd::Particle(1)], 2);
        let read = |ruler: &mut Ruler, color, t, end: DVec3| ruler.read(color, t, &[end, end]);
        let first = read(&mut ruler, 0, 1.0, dvec3(3.0, 0.0, 4.0)).expect("a reading");
        assert_eq!((first.distance, first.change, first.angle), (5.0, 0.0, 0.0));
        let second = read(&mut ruler, 0, 1.5, dvec3(3.0, 5.0, 4.0)).expect("a reading");
        assert!((second.angle - 45.0).abs() < 1e-12 && second.seconds == 0.5);
        assert!((second.strain - (2f64.sqrt() - 1.0)).abs() < 1e-12);
        assert_eq!(second.text(), "7.07 m at 45.0°\n+2.07 m (+41.4 %) in 500 ms");
        let other = read(&mut ruler, 3, 1.5, dvec3(0.0, -2.0, 0.0)).expect("another lane");
        assert_eq!((other.change, other.angle), (0.0, -90.0));
        assert!(ruler.fits(2) && !ruler.fits(3));
        assert_eq!(Ruler::new([RopeEnd::Particle(9); 2], 2).read(0, 0.0, &[]), None);
    }

    #[test]
    fn a_stopwatch_starts_stops_and_goes() {
        let watch = Stopwatch::default().pressed(2.0);
        assert_eq!(watch.reading(5.0), Some(3.0));
        let watch = watch.pressed(6.0);
        assert_eq!(watch.reading(9.0), Some(4.0));
        assert_eq!(watch.pressed(9.0).reading(9.0), None);
    }
}
