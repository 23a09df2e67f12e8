//! Test that no readings cover a simulated body in any scene of the library.

use crate::app::bars::{lesson, time_bar};
use crate::app::disk::scene_source::entries;
use crate::app::laboratory::Laboratory;
use crate::app::preferences;
use crate::app::preferences::Preferences;
use crate::app::scene_view::room::Arrangement;
use crate::app::scene_view::stage::{Stage, ViewCell};
use crate::app::shell::bar_sizes::{NARROW, STATUS_BAR, TOP_BAR};
use crate::app::view::Camera;
use crate::session::{Lane, Session};
use crate::simulation::settings::{Command, MOST_LANES};
use egui_macroquad::egui::{Rect, Vec2, pos2, vec2};
use glam::DVec3;

/// Number of frames of 1/60 s between two checks; also the number of checks.
const FRAMES: usize = 15;
const CHECKS: usize = 16;
/// Lanes in which the load stretches the rope beyond the viewport, as the scene intends.
const LEAVE: [&str; 2] = ["20 sweeps", "Soft Step, 60 Hz"];
const SIZES: [Vec2; 2] = [vec2(800.0, 600.0), vec2(1280.0, 800.0)];
/// Smallest window in which readings are checked.
const SMALLEST: Vec2 = vec2(640.0, 480.0);

/// Returns the area of a window in which lanes are drawn. A lesson is shown below it and, in a wide
/// window, plots to its right.
fn lanes_in(size: Vec2) -> Rect {
    let bars = STATUS_BAR + time_bar::HEIGHT + lesson::HEIGHT;
    let plots = if size.x < NARROW { 0.0 } else { Preferences::default().widths[1] };
    let low = pos2(size.x - plots, size.y - bars);
    Rect::from_min_max(pos2(preferences::PANEL_WIDTH + 21.0, TOP_BAR), low)
}

struct WindowView {
    stage: Stage,
    camera: Camera,
}

impl WindowView {
    fn open(laboratory: &Laboratory, size: Vec2) -> Self {
        let scene = laboratory.session().scene();
        let microscope = scene.annotations.microscope;
        let wanted = Arrangement { overlay: false, readings: true, microscope };
        let stage = Stage::arrange(lanes_in(size), 1.0, laboratory, wanted);
        let camera = Camera::from_setup(&scene.camera, stage.fit());
        Self { stage, camera }
    }

    fn readings_cover_a_body(&self, session: &Session) -> bool {
        let lane = |cell: &ViewCell| &session.lanes()[cell.lanes[0]];
        // The bodies of exploded lanes may be anywhere, so these lanes are skipped.
        let is_checked = |cell: &&ViewCell| {
            let lane = lane(cell);
            lane.simulation.explosion().is_none() && !LEAVE.contains(&lane.name.as_str())
        };
        let mut cells = self.stage.cells.iter().filter(is_checked);
        cells.any(|cell| body_points(lane(cell)).any(|point| self.is_under_words(cell, point)))
    }

    /// True if the readings of a viewport or the bars of the microscope cover a point.
    fn is_under_words(&self, cell: &ViewCell, point: DVec3) -> bool {
        let room = self.stage.room;
        let half = if room.bars > 0.0 { 0.5 * cell.rect.width() } else { 0.5 * room.width };
        let low = cell.rect.center_bottom() - vec2(room.shift, 0.0);
        let up = room.readings.max(room.bars);
        let words = Rect::from_min_max(low - vec2(half, up), low + vec2(half, 0.0));
        let pixel = self.camera.projector(&cell.viewport).pixel(point);
        pixel.is_some_and(|pixel| words.contains(pos2(pixel.x, pixel.y)))
    }
}

/// Returns the positions of the particles, the middles of links and the lowest points of balls.
fn body_points(lane: &Lane) -> impl Iterator<Item = DVec3> {
    let model = lane.simulation.model();
    let x = &lane.simulation.state().x;
    let links = model.topology().links().iter().filter(|link| !link.is_cut());
    let middles = links.map(|link| 0.5 * (x[link.a as usize] + x[link.b as usize]));
    let balls = model.geometry().balls.iter();
    let lowest = balls.map(|ball| x[ball.particle as usize] - ball.properties.radius * DVec3::Y);
    x.iter().copied().chain(middles).chain(lowest)
}

#[test]
fn readings_lie_on_nothing_that_is_simulated() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for (index, entry) in entries().iter().enumerate() {
        let laboratory = Laboratory::listed(index);
        let [small, large] = SIZES;
        let windows = [small, large, SMALLEST].map(|size| WindowView::open(&laboratory, size));
        if windows[0].stage.room.height() == 0.0 {
            continue;
        }
        seen += 1;
        let scene = laboratory.session().scene().clone();
        let end = scene.annotations.restart.unwrap_or(f64::INFINITY);
        let mut session = Session::new(scene);
        let mut hidden = [0; 3];
        for _ in (0..CHECKS).take_while(|check| (check * FRAMES) as f64 / 60.0 < end) {
            (0..FRAMES).for_each(|_| drop(session.advance(1.0 / 60.0, &|| 0.0)));
            for (window, hidden) in windows.iter().zip(&mut hidden) {
                *hidden += usize::from(window.readings_cover_a_body(&session));
            }
        }
        if hidden != [0; 3] {
            wrong.push(format!(
                "{}: a body is covered in {hidden:?} of {CHECKS} checks",
                entry.name
            ));
        }
    }
    assert!(seen > 20, "{seen} scenes with readings");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Largest accepted increase in the fraction of particles outside the viewport when the window
/// shows several lanes instead of one.
const MOST_ADDITIONAL_OUTSIDE: f64 = 0.04;

impl WindowView {
    fn is_in_picture(&self, cell: &ViewCell, point: DVec3) -> bool {
        let pixel = self.camera.projector(&cell.viewport).pixel(point);
        pixel.is_some_and(|pixel| cell.rect.contains(pos2(pixel.x, pixel.y)))
    }

    /// Returns the fraction of the first lane's particles that are outside its viewport.
    fn outside(&self, laboratory: &Laboratory) -> f64 {
        let cell = &self.stage.cells[0];
        let x = &laboratory.session().lanes()[cell.lanes[0]].simulation.state().x;
        let out = x.iter().filter(|point| !self.is_in_picture(cell, **point)).count();
        out as f64 / x.len().max(1) as f64
    }
}

#[test]
fn scenes_begin_in_their_picture_with_any_number_of_lanes() {
    let mut wrong = Vec::new();
    for (index, entry) in entries().iter().enumerate() {
        let mut laboratory = Laboratory::listed(index);
        while laboratory.session().lanes().len() > 1 {
            laboratory.command(Command::RemoveLane(1));
        }
        let alone = SIZES.map(|size| WindowView::open(&laboratory, size).outside(&laboratory));
        for count in 2..=MOST_LANES {
            laboratory.command(Command::DuplicateLane(0));
            for (size, alone) in SIZES.into_iter().zip(alone) {
                let outside = WindowView::open(&laboratory, size).outside(&laboratory);
                if outside > alone + MOST_ADDITIONAL_OUTSIDE {
                    wrong.push(format!(
                        "{} {count} at {size}: {outside:.2}, {alone:.2}",
                        entry.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
