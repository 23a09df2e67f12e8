//! Annotations of a scene and its lanes (simulations that run side by side): labels, readings,
//! periods, heights, clocks.

mod dial;
mod heights;
#[cfg(test)]
mod scenes_test;
mod text_box;

use crate::app::laboratory::Laboratory;
use crate::app::scene_view::room::{MEASURED, ReadingDetail, SAMPLED};
use crate::app::scene_view::sight::Sight;
use crate::app::scene_view::stage::ViewCell;
use crate::app::widgets::marks::mark_rect;
use crate::measure::{Phases, Swing};
use crate::numerics::state::State;
use crate::scene::Scene;
use crate::scene::typed::annotation::Annotations;
use crate::scene::typed::reading::{Measure, Reading, Validity};
use crate::session::Lane;
use crate::simulation::settings::Command;
use egui_macroquad::egui::{self, Align2, FontId, Painter, Rect, vec2};
use std::sync::Arc;
use text_box::{TextLayout, draw_text_box};

const LABEL_FONT: FontId = FontId::proportional(14.0);

/// Readings, pendulum swings and phases of motion of each lane since its start, indexed by the
/// lanes' colour numbers.
#[derive(Debug, Default)]
pub struct AnnotationMemory {
    scene: Option<Arc<Scene>>,
    /// Values of the scene that the user has replaced, as text.
    replaced: Option<String>,
    lanes: Vec<LaneMemory>,
}

#[derive(Clone, Debug, Default)]
struct LaneMemory {
    t: f64,
    swings: Vec<Swing>,
    phases: Vec<Phases>,
    /// Readings from the last frame in which all of them were known.
    lines: Vec<String>,
}

impl AnnotationMemory {
    /// Takes a sample of every lane. `replaced` names the scene values that the user has replaced.
    /// Returns true if `replaced` has changed.
    pub fn update(
        &mut self,
        laboratory: &Laboratory,
        replaced: Option<String>,
        valid: Validity,
    ) -> bool {
        let has_changed = self.replaced != replaced;
        let scene = laboratory.session().scene();
        if !self.scene.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene)) {
            *self = Self { scene: Some(scene.clone()), ..Self::default() };
        }
        self.replaced = replaced;
        let paused = laboratory.session().paused();
        for lane in laboratory.session().lanes() {
            if self.lanes.len() <= lane.color {
                self.lanes.resize_with(lane.color + 1, LaneMemory::default);
            }
            self.lanes[lane.color].follow(scene, lane, valid, paused);
        }
        has_changed
    }
}

impl LaneMemory {
    /// Takes a sample of a lane. Some readings are unknown at t = 0, so a running session keeps the
    /// previous lines until t > 0. Otherwise the readings would flicker at a restart.
    fn follow(&mut self, scene: &Scene, lane: &Lane, valid: Validity, paused: bool) {
        let State { t, x, v } = lane.simulation.state();
        let wanted = &scene.annotations;
        let readings = wanted.readings.iter();
        let readings = readings.filter(|reading| reading.is_shown_in(&lane.first_name));
        // A lane may have many inputs, so they are searched only once for all readings.
        let has_own_bodies = !has_other_bodies(scene, lane);
        let lines = readings.map(|reading| {
            let is_known = has_own_bodies && predicts(reading, scene, lane);
            let is_valid = valid != Validity::Full || is_known;
            reading_text(reading, lane, if is_valid { valid } else { Validity::OtherNumbers })
        });
        let lines: Vec<String> = lines.collect();
        if self.lines.len() != lines.len() || *t > 0.0 || paused {
            self.lines = lines;
        }
        if *t < self.t {
            (self.swings, self.phases) = (Vec::new(), Vec::new());
        }
        self.t = *t;
        if self.phases.len() != wanted.phases.len() {
            self.phases = wanted.phases.iter().map(|it| Phases::of(it.velocity)).collect();
        }
        for (phases, wanted) in self.phases.iter_mut().zip(&wanted.phases) {
            if let Some(velocity) = v.get(wanted.of as usize) {
                phases.observe(*t, *velocity);
            }
        }
        self.swings.resize_with(wanted.periods.len(), Swing::default);
        for (swing, (particle, _)) in self.swings.iter_mut().zip(&wanted.periods) {
            if let Some(place) = x.get(*particle as usize) {
                swing.observe(*t, place.x);
            }
        }
    }
}

/// True if the user has cut links, pinned or freed particles, or moved a pin or a collider. The
/// scene's predictions then do not apply to the lane.
fn has_other_bodies(scene: &Scene, lane: &Lane) -> bool {
    let is_pinned = |particle| scene.parts.pins.iter().any(|pin| pin.particle == particle);
    lane.inputs.commands().any(|command| match command {
        Command::Grab { particle, .. } => is_pinned(*particle),
        command => {
            matches!(
                command,
                Command::Cut(_) | Command::TogglePin(_) | Command::GrabCollider { .. }
            )
        }
    })
}

/// True if a reading's prediction applies to the lane's settings and motion. A reading for one lane
/// assumes the settings that the scene gives this lane. A reading for all lanes is a law that does
/// not depend on settings.
fn predicts(reading: &Reading, scene: &Scene, lane: &Lane) -> bool {
    let own = scene.lanes.iter().find(|own| own.name == lane.first_name);
    let has_other_settings = own.is_some_and(|own| own.settings != *lane.simulation.settings());
    let is_disturbed = reading.is_of_motion() && !lane.inputs.is_empty();
    !(reading.lane.is_some() && has_other_settings || is_disturbed)
}

/// Returns the lines of a reading. The reading of a stretch says [`SAMPLED`] instead of
/// [`MEASURED`], because one sample per frame misses higher peaks between frames.
fn reading_text(reading: &Reading, lane: &Lane, valid: Validity) -> String {
    let text = reading.lines(&lane.simulation, valid);
    let is_sampled = matches!(reading.measure, Measure::PeakStretch);
    if is_sampled { text.replacen(MEASURED, SAMPLED, 1) } else { text }
}

/// Returns a short form of the first line of a reading.
fn shortened(reading: &str) -> String {
    reading.lines().next().unwrap_or_default().replacen(MEASURED, "", 1)
}

pub fn draw(painter: &Painter, memory: &AnnotationMemory, sight: &Sight) {
    let wanted = annotations(sight);
    if *wanted == Annotations::default() {
        return;
    }
    for cell in &sight.stage.cells {
        let painter = painter.with_clip_rect(cell.rect);
        let taken = draw_readings(&painter, memory, sight, cell);
        draw_labels(&painter, sight, cell, taken);
        if wanted.height_scale {
            heights::draw(&painter, sight, cell);
        }
        if wanted.clock {
            dial::draw(&painter, sight, cell);
        }
    }
}

fn annotations<'a>(sight: &Sight<'a>) -> &'a Annotations {
    &sight.laboratory.session().scene().annotations
}

/// Draws the labels at particles. A label that would cover readings or other labels is moved up.
fn draw_labels(painter: &Painter, sight: &Sight, cell: &ViewCell, readings: Option<Rect>) {
    let Some(&lane) = cell.lanes.first() else { return };
    let positions = sight.pictures.positions(lane);
    let project = sight.camera.projector(&cell.viewport);
    let mut placed = Vec::new();
    for (index, (particle, text)) in annotations(sight).labels.iter().enumerate() {
        let place = positions.get(*particle as usize);
        let Some(at) = place.and_then(|place| project.point(*place)) else { continue };
        let shift = vec2(10.0, 6.0).max(ball_radius_in_points(sight, cell, *particle));
        placed.push((at + shift, index, text));
    }
    // The lowest label is placed first; the others move up only as far as needed.
    placed.sort_by(|a, b| b.0.y.total_cmp(&a.0.y));
    let mut taken = Vec::from_iter(readings);
    for (at, index, text) in placed {
        let layout = TextLayout::of_line(LABEL_FONT);
        let rect = draw_text_box(painter, at, Align2::LEFT_TOP, text, layout, &taken);
        mark_rect(painter.ctx(), rect, format!("{lane}: label {index}"));
        taken.push(rect);
    }
}

/// Returns the horizontal and vertical distance in points from a particle to the rim of its ball.
fn ball_radius_in_points(sight: &Sight, cell: &ViewCell, particle: u32) -> egui::Vec2 {
    let balls = cell.lanes.first().map_or(&[][..], |lane| sight.pictures.balls(*lane));
    let metres_per_pixel = sight.camera.metres_per_pixel(&cell.viewport) as f32;
    let ball = balls.iter().find(|ball| ball.particle == particle);
    let points =
        ball.map_or(0.0, |ball| ball.radius as f32) / metres_per_pixel / cell.viewport.scale;
    egui::Vec2::splat(points)
}

/// Draws periods, durations of phases and measured values below the middle of a viewport, and the
/// time of a clock whose face does not fit. Returns the rectangle around the text.
fn draw_readings(
    painter: &Painter,
    memory: &AnnotationMemory,
    sight: &Sight,
    cell: &ViewCell,
) -> Option<Rect> {
    let room = sight.stage.room;
    let memory = cell.colors.first().and_then(|color| memory.lanes.get(*color));
    let mut lines =
        memory.map_or(Vec::new(), |lane| reading_lines(lane, annotations(sight), room.detail));
    if annotations(sight).clock && !room.has_face {
        lines.extend(dial::time_texts(sight, cell));
    }
    let lane = cell.lanes.first().filter(|_| !lines.is_empty())?;
    let layout = TextLayout { font: FontId::monospace(room.size), width: room.most_width };
    let at = cell.rect.center_bottom() - vec2(room.shift, room.edge);
    let align = Align2::CENTER_BOTTOM;
    let rect = draw_text_box(painter, at, align, &lines.join("\n"), layout, &[]);
    mark_rect(painter.ctx(), rect, format!("{lane}: readings"));
    Some(rect)
}

/// Returns the lines of periods, durations of phases and measured values.
fn reading_lines(lane: &LaneMemory, wanted: &Annotations, detail: ReadingDetail) -> Vec<String> {
    let mut lines = period_lines(lane, wanted, detail);
    lines.extend(phase_lines(lane, wanted));
    match detail {
        ReadingDetail::Full => lines.extend_from_slice(&lane.lines),
        ReadingDetail::Brief | ReadingDetail::First => {
            lines.extend(lane.lines.iter().map(|reading| shortened(reading)));
        }
    }
    detail.truncate(&mut lines);
    lines
}

/// Returns a line with the mean duration of each phase of a motion.
fn phase_lines(lane: &LaneMemory, wanted: &Annotations) -> Vec<String> {
    let timed = wanted.phases.iter().zip(&lane.phases);
    let line = |(words, mean): (&String, Option<f64>)| match mean {
        None => format!("{words} …"),
        Some(mean) => format!("{words} {mean:.2} s"),
    };
    timed.flat_map(|(wanted, phases)| wanted.words.iter().zip(phases.means()).map(line)).collect()
}

fn period_lines(lane: &LaneMemory, wanted: &Annotations, detail: ReadingDetail) -> Vec<String> {
    let first = lane.swings.first().and_then(Swing::period);
    let line = |((index, (_, name)), swing): ((usize, &(u32, String)), &Swing)| {
        let Some(period) = swing.period() else { return format!("{name} …") };
        let has_ratio = index > 0 && detail.is_full();
        let ratio = first.filter(|_| has_ratio).map(|first| period / first);
        let ratio = ratio.map_or(String::new(), |ratio| format!(" = {ratio:.3} × the first"));
        format!("{name} {period:.3} s{ratio}")
    };
    wanted.periods.iter().enumerate().zip(&lane.swings).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::session_of;
    use crate::app::scene_view::room::{Arrangement, Room, RoomLimits};
    use crate::simulation::settings::Settings;

    fn fall(reading: &str) -> crate::session::Session {
        let text = format!(
            "(version: 1, name: \"x\", particles: [(at: (0, 2, 0))], forces: [(law: Gravity())], \
             annotations: (readings: [({reading})]), settings: (dt: 0.01))"
        );
        session_of(&text)
    }

    #[test]
    fn a_closed_form_is_not_claimed_of_other_numbers() {
        let mut session = fall(
            "name: \"v\", measure: Speed, unit: \"m/s\", formula: \"g t\", value: Constant(0.981)",
        );
        session.advance(0.1, &|| 0.0);
        let lines = |valid: Validity| {
            let mut memory = LaneMemory::default();
            memory.follow(session.scene(), &session.lanes()[0], valid, false);
            memory.lines
        };
        assert_eq!(lines(Validity::Full), ["v: measured 0.981 m/s\ng t = 0.981 m/s"]);
        assert_eq!(lines(Validity::OtherNumbers), ["v: measured 0.981 m/s"]);
        assert_eq!(lines(Validity::OtherParticles), ["v: measured – m/s"]);
    }

    #[test]
    fn a_prediction_for_one_lane_is_not_claimed_of_its_other_settings_or_other_bodies() {
        let formulas = |session: &crate::session::Session| -> usize {
            let lines = session.lanes().iter().flat_map(|lane| {
                let mut memory = LaneMemory::default();
                memory.follow(session.scene(), lane, Validity::Full, true);
                memory.lines
            });
            lines.filter(|line| line.contains('\n')).count()
        };
        let mut claimed = 0;
        for entry in crate::scene::library::list() {
            let scene = entry.load().expect("a scene of the library");
            let readings = &scene.annotations.readings;
            let name = scene.name.clone();
            let of_one = |reading: &&Reading| reading.value.is_some() && reading.lane.is_some();
            let own = readings.iter().filter(of_one).count();
            let all = readings.iter().filter(|it| it.value.is_some() && it.lane.is_none()).count();
            let all = all * scene.lanes.len();
            let mut session = crate::session::Session::new(Arc::new(scene));
            assert_eq!(formulas(&session), own + all, "{name}");
            for lane in 0..session.lanes().len() {
                let settings = *session.lanes()[lane].simulation.settings();
                let settings = Settings { dt: settings.dt / 2.0, ..settings };
                session.command(Command::Configure { lane, settings });
            }
            session.advance(0.0, &|| 0.0);
            assert_eq!(formulas(&session), all, "{name} with other steps");
            session.command(Command::TogglePin(0));
            session.advance(0.0, &|| 0.0);
            assert_eq!(formulas(&session), 0, "{name} with another pin");
            claimed += own;
        }
        assert!(claimed > 10, "{claimed}");
    }

    #[test]
    fn a_reading_stays_in_its_lane_when_a_change_of_settings_renames_the_lane() {
        let mut laboratory = Laboratory::of_text(
            "(version: 1, name: \"x\", particles: [(at: (0, 2, 0))], \
             lanes: [(name: \"1 ms\"), (name: \"2 ms\", settings: (dt: 0.002))], \
             annotations: (readings: [(name: \"v\", measure: Speed, lane: \"2 ms\")]))",
        );
        let settings = *laboratory.session().lanes()[1].simulation.settings();
        let settings = Settings { dt: 0.004, ..settings };
        laboratory.command(Command::Configure { lane: 1, settings });
        assert_eq!(laboratory.session().lanes()[1].name, "4 ms");
        let mut memory = AnnotationMemory::default();
        memory.update(&laboratory, None, Validity::Full);
        let lines = memory.lanes.iter().map(|lane| lane.lines.len());
        assert_eq!(Vec::from_iter(lines), [0, 1]);
        let limits = RoomLimits { width: 400.0, readings: 150.0, bars: 0.0 };
        let wanted = Arrangement { overlay: false, readings: true, microscope: false };
        let cells = [&[0][..], &[1]].into_iter();
        assert!(Room::new(&laboratory, cells, limits, wanted).readings > 0.0);
    }

    #[test]
    fn positions_and_closed_forms_are_known_at_the_start() {
        let session = fall(
            "name: \"y\", measure: Place(from: (0, 0, 0), along: (0, 1, 0)), unit: \"m\", \
             formula: \"h\", value: Constant(2.5)",
        );
        let lane = &session.lanes()[0];
        let mut memory = LaneMemory::default();
        memory.follow(session.scene(), lane, Validity::Full, true);
        assert_eq!(memory.lines, ["y: measured 2.000 m\nh = 2.500 m"]);
        let brief = reading_lines(&memory, &session.scene().annotations, ReadingDetail::Brief);
        assert_eq!(brief, ["y 2.000 m"]);
    }

    #[test]
    fn readings_do_not_flicker_when_a_scene_starts_again() {
        let mut session =
            fall("name: \"a\", measure: Acceleration(along: (0, -1, 0)), unit: \"m/s²\"");
        let mut memory = LaneMemory::default();
        let mut follow = |session: &crate::session::Session| {
            let lane = &session.lanes()[0];
            memory.follow(session.scene(), lane, Validity::Full, session.paused());
            memory.lines.clone()
        };
        assert_eq!(follow(&session), ["a: measured – m/s²"], "nothing moved yet");
        session.advance(0.1, &|| 0.0);
        assert_eq!(follow(&session), ["a: measured 9.810 m/s²"]);
        session.command(crate::simulation::settings::Command::Reset);
        session.advance(0.0, &|| 0.0);
        assert_eq!(session.lanes()[0].simulation.state().t, 0.0);
        assert_eq!(follow(&session), ["a: measured 9.810 m/s²"]);
        session.command(crate::simulation::settings::Command::Pause(true));
        assert_eq!(follow(&session), ["a: measured – m/s²"], "nothing moves");
    }
}
