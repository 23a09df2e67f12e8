//! Report on the state of the window in words and numbers, for tests and for users who cannot see
//! the window: positions of widgets and particles on the screen, and the settings of the lanes.
//!
//! If the environment contains `ROPELAB_REPORT=FILE`, FILE always contains the newest state as one
//! JSON object. The file is replaced as a whole, some forty times per second. The report is
//! read-only.

use super::App;
use crate::app::timing::overhead::Overhead;
use crate::app::widgets::marks;
use egui_macroquad::egui;
use glam::DVec3;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of reported particles per lane. Writing all 250,000 particles of a large cloth
/// would take longer than drawing them.
const MOST_PARTICLES: usize = 2500;

#[derive(Serialize)]
struct WindowReport<'a> {
    seconds: f64,
    /// Time in seconds from the start of the process to the first frame on the screen.
    first_frame: Option<f64>,
    /// Duration of the last frame in seconds, including the wait for the display.
    frame: f64,
    /// Computing time of the last frame in seconds, without stepping and the graphics driver.
    overhead: f64,
    overhead_by_part: &'a Overhead,
    scene: &'a str,
    paused: bool,
    /// True while a moment before the newest one is shown.
    past: bool,
    /// Session time in seconds. A lane's own time is shorter if limits on frames have dropped time.
    lived: f64,
    /// Start and end of the looped interval of the past, in seconds of session time.
    looped: Option<[f64; 2]>,
    light: bool,
    /// Pixels per point.
    scale: f32,
    /// True if the file dialog receives the keys.
    file_dialog: bool,
    /// Rectangle of the widget with the keyboard focus, in the same form as in `widgets`.
    focus: Option<[f32; 4]>,
    speed: f64,
    /// Elapsed time in seconds since the background work began; null if there is none.
    computing: Option<f64>,
    commands: u64,
    /// Position of the mouse in pixels of the window.
    pointer: [f32; 2],
    /// Number of key presses, mouse-button presses and mouse-button releases since the start.
    presses: u64,
    messages: Vec<&'a str>,
    /// Text of the ruler in the first viewport.
    ruler: Option<&'a str>,
    /// Reading of the stopwatch in seconds.
    stopwatch: Option<f64>,
    selected: usize,
    lanes: Vec<LaneState<'a>>,
    /// Rectangle of each widget by its name: [left, top, right, bottom] in pixels of the window.
    widgets: BTreeMap<String, [f32; 4]>,
}

#[derive(Serialize)]
struct LaneState<'a> {
    name: &'a str,
    color: usize,
    shown: bool,
    settings: &'a crate::simulation::settings::Settings,
    t: f64,
    /// Uniform acceleration by gravity, in m/s².
    gravity: f64,
    steps: u64,
    /// Hash of the state, as in a recording; absent while time runs.
    hash: Option<String>,
    exploded: Option<String>,
    /// Number of links that were cut or torn.
    cut: usize,
    /// Positions of the particles in metres.
    positions: Vec<[f64; 3]>,
    /// Positions of the particles in pixels of the window; null outside the picture.
    pixels: Vec<Option<[f32; 2]>>,
    /// Centres of the colliders in metres.
    colliders: Vec<[f64; 3]>,
    /// Centres of the colliders in pixels of the window; null outside the picture.
    collider_pixels: Vec<Option<[f32; 2]>>,
}

impl App {
    /// Writes the report on this frame if one is due.
    pub(super) fn write_report(&mut self) {
        if !self.disk.report.is_due() {
            return;
        }
        let now = self.clock.now();
        let mut json = None;
        egui_macroquad::cfg(|ctx| json = serde_json::to_vec(&self.window_report(ctx, now)).ok());
        let inputs = self.laboratory.input_files();
        json.into_iter().for_each(|json| self.disk.report.write(json, &inputs, now));
    }

    fn window_report(&self, ctx: &egui::Context, now: f64) -> WindowReport<'_> {
        let scale = ctx.pixels_per_point();
        let pixels = |r: egui::Rect| [r.min.x, r.min.y, r.max.x, r.max.y].map(|x| x * scale);
        let widgets =
            marks::take_widgets(ctx).into_iter().map(|(name, rect)| (name, pixels(rect))).collect();
        let focus = ctx.memory(|memory| memory.focused()).and_then(|id| ctx.read_response(id));
        let session = self.laboratory.session();
        WindowReport {
            seconds: now,
            first_frame: self.clock.first_frame,
            frame: self.clock.frame,
            overhead: self.clock.overhead.total(),
            overhead_by_part: &self.clock.overhead,
            scene: &session.scene().name,
            paused: session.paused(),
            past: self.laboratory.history().is_past(),
            looped: self.laboratory.looped(),
            lived: self.laboratory.history().time_of(self.laboratory.history().shown_moment()),
            light: self.preferences.light,
            scale,
            file_dialog: self.disk.files.open(),
            focus: focus.map(|widget| pixels(widget.rect)),
            speed: self.laboratory.speed(),
            computing: self.laboratory.computing(),
            commands: self.disk.report.commands,
            pointer: self.input.pointer,
            presses: self.input.presses,
            messages: self.messages.texts().collect(),
            ruler: self.tools.ruler_text.as_deref(),
            stopwatch: self.tools.stopwatch.reading(session.time()),
            selected: self.laboratory.selected_index(),
            lanes: (0..session.lanes().len()).map(|i| lane_snapshot(self, i)).collect(),
            widgets,
        }
    }
}

fn lane_snapshot(app: &App, index: usize) -> LaneState<'_> {
    let lane = &app.laboratory.session().lanes()[index];
    let positions = app.scene.pictures.positions(index);
    let positions = &positions[..positions.len().min(MOST_PARTICLES)];
    let obstacles = app.scene.pictures.obstacles(index);
    let viewport = app.scene.stage.cell_of(lane.color).map(|cell| &cell.viewport);
    let pixel = |&p: &DVec3| {
        let viewport = viewport?;
        app.scene.camera.screen_from_world(p, viewport).map(|v| [v.x, v.y])
    };
    LaneState {
        name: &lane.name,
        color: lane.color,
        shown: viewport.is_some(),
        settings: lane.simulation.settings(),
        t: lane.simulation.state().t,
        gravity: lane.simulation.model().gravity().length(),
        steps: lane.simulation.steps(),
        hash: app.laboratory.session().paused().then(|| format!("{:016x}", lane.simulation.hash())),
        exploded: lane.simulation.explosion().map(|e| e.to_string()),
        cut: lane.simulation.model().topology().cut_links().len(),
        positions: positions.iter().map(|p| p.to_array()).collect(),
        pixels: positions.iter().map(pixel).collect(),
        colliders: obstacles.iter().map(|obstacle| obstacle.centre.to_array()).collect(),
        collider_pixels: obstacles.iter().map(|obstacle| pixel(&obstacle.centre)).collect(),
    }
}
