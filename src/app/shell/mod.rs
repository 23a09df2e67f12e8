//! The frame loop: opens the window, advances the session, reads keys and panels, carries out their
//! actions and draws. In a large scene, one thread draws the pictures of the previous frame while
//! another thread steps the session.

mod act;
pub mod bar_sizes;
pub mod display;
#[cfg(target_os = "linux")]
mod driver;
pub mod files;
pub mod interface;
mod leaving;
pub mod messages;
pub mod opening;
pub mod overload_warnings;
pub mod report;
mod scenes;
mod state;
mod undoing;

use crate::app::answers::Answers;
use crate::app::disk::recorder::Recorder;
use crate::app::disk::scene_source::Source;
use crate::app::input::Input;
use crate::app::input::actions::{Action, WindowAction, take_requested_actions};
use crate::app::laboratory::{self, Laboratory};
use crate::app::panel::PanelMemory;
use crate::app::plots::Plots;
use crate::app::preferences::Preferences;
use crate::app::theme;
use crate::app::timing::clock::FrameClock;
use crate::app::timing::job_pools::JobPools;
use crate::app::timing::overhead::{Overhead, seconds_of};
use crate::app::tools::Tools;
use crate::app::view::View;
use crate::scene::SceneArgument;
use crate::session::recording::Recording;
use crate::simulation::settings::Command;
use anyhow::Context as _;
use display::Screen;
use egui_macroquad::egui;
use macroquad::miniquad;
use messages::Messages;
use overload_warnings::OverloadWarnings;
use state::{DiskAccess, LeaveQuestion, ShownScene, UndoRequest, Windows};
use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

/// Smallest total number of particles in all lanes for which another thread steps the session while
/// this thread draws the previous pictures. These pictures are one frame late, so smaller scenes
/// are stepped before they are drawn.
const WORTH_A_THREAD: usize = 20_000;

/// Opens the window with a scene or a recording, and returns when the window is closed. `record`
/// names the file for a recording of the session. If no window can be opened, the error is a
/// [`display::NoDisplay`].
pub fn run(opened: Opened, record: Option<PathBuf>, process_start: Instant) -> anyhow::Result<()> {
    let screen = display::detect_screen()?;
    let recorder = Recorder::new(record.as_deref())?;
    // `use_current_thread` makes the drawing thread a member of the pool, so it works on its own
    // parallel loops. Otherwise it would wait for a pool thread while all pool threads are
    // stepping.
    let threads = rayon::ThreadPoolBuilder::new().use_current_thread();
    threads.build_global().context("no threads to compute with")?;
    let (preferences, preferences_error) = Preferences::load();
    let first = Source::Listed(0);
    // The window opens even if the scene file has a mistake: the default scene runs until the file
    // is corrected.
    let read = |source: Source| match source.load() {
        Ok(loaded) => Ok((loaded, source, None)),
        Err(e) => {
            let default = first.load().context("the default scene does not load");
            default.map(|loaded| (loaded, source, Some(e.to_string())))
        }
    };
    let (loaded, source, scene_error) = match &opened {
        Opened::Default => read(first.clone())?,
        Opened::Scene(scene) => read(Source::from_argument(scene.clone()))?,
        Opened::Recording(recording) => {
            let (loaded, source) = laboratory::recorded_scene(recording);
            (loaded, source, None)
        }
    };
    let start = Start { preferences_error, scene_error, screen, process_start };
    let conf = window_conf(&preferences, screen);
    let outcome = Rc::new(RefCell::new(Ok(())));
    let result = outcome.clone();
    opening::open(conf, async move {
        let mut laboratory = Laboratory::new(loaded, source, recorder);
        if let Opened::Recording(recording) = &opened {
            laboratory.replay(recording);
        }
        let app = App::new(laboratory, preferences, start);
        *outcome.borrow_mut() = match app {
            Ok(app) => app.run().await,
            Err(e) => Err(e),
        };
    })?;
    result.replace(Ok(()))
}

/// Scene or recording with which the window opens.
pub enum Opened {
    /// The first scene of the list.
    Default,
    /// A scene that the command line names.
    Scene(SceneArgument),
    /// A recording, which is replayed.
    Recording(Box<Recording>),
}

/// Messages and times that are known before the window opens.
struct Start {
    /// Error message about the preferences file.
    preferences_error: Option<String>,
    /// Reason why the file of the scene does not load.
    scene_error: Option<String>,
    screen: Option<Screen>,
    process_start: Instant,
}

/// Fills the window with the colour of panels. When a panel shrinks, the strip that becomes free
/// shows only this colour for one frame.
fn clear_window() {
    let [r, g, b, _] = theme::panel().to_array();
    macroquad::window::clear_background(macroquad::color::Color::from_rgba(r, g, b, 255));
}

fn window_conf(preferences: &Preferences, screen: Option<Screen>) -> macroquad::conf::Conf {
    let (width, height) = screen.map_or(preferences.size, |it| it.fit(preferences.size));
    macroquad::conf::Conf {
        miniquad_conf: miniquad::conf::Conf {
            window_title: "ropelab".to_owned(),
            window_width: width as i32,
            window_height: height as i32,
            high_dpi: true,
            // The view anti-aliases on its own canvas, so the window needs one sample per pixel.
            sample_count: 1,
            window_resizable: true,
            platform: miniquad::conf::Platform { linux_wm_class: "ropelab", ..Default::default() },
            ..Default::default()
        },
        ..Default::default()
    }
}

struct App {
    laboratory: Laboratory,
    preferences: Preferences,
    clock: FrameClock,
    /// Overhead of the current frame so far, in seconds.
    overhead: Overhead,
    input: Input,
    tools: Tools,
    scene: ShownScene,
    plots: Plots,
    answers: Answers,
    panel: PanelMemory,
    windows: Windows,
    messages: Messages,
    overload_warnings: OverloadWarnings,
    /// Undo whose result is not reported yet, and the time of its request in seconds.
    undo_request: Option<(UndoRequest, f64)>,
    /// Question before unsaved edits are dropped.
    question: Option<LeaveQuestion>,
    disk: DiskAccess,
    pools: JobPools,
    screen: Option<Screen>,
    open: bool,
}

impl App {
    fn new(
        laboratory: Laboratory,
        preferences: Preferences,
        Start { preferences_error, scene_error, screen, process_start }: Start,
    ) -> anyhow::Result<Self> {
        macroquad::input::prevent_quit();
        theme::set_light(preferences.light);
        egui_macroquad::cfg(theme::apply);
        let fonts = egui::FontDefinitions::default();
        let font = fonts.font_data.get("Hack").map(|data| data.font.to_vec());
        let view = View::new(font.as_deref())
            .map_err(|e| anyhow::anyhow!("the graphics driver refused a shader: {e}"))?;
        let mut messages = Messages::default();
        if let Some(text) = preferences_error {
            messages.error("preferences", text);
        }
        let waits_for_file = scene_error.is_some();
        if let Some(text) = scene_error {
            let text = format!("{text}\nThe default scene runs until the file is corrected.");
            messages.error("scene", text);
        }
        let mut app = Self {
            scene: ShownScene::new(view, laboratory.session().scene()),
            laboratory,
            preferences,
            clock: FrameClock::new(process_start),
            overhead: Overhead::default(),
            input: Input::new(),
            tools: Tools::default(),
            plots: Plots::default(),
            answers: Answers::default(),
            panel: PanelMemory::default(),
            windows: Windows::default(),
            messages,
            overload_warnings: OverloadWarnings::default(),
            undo_request: None,
            question: None,
            disk: DiskAccess::new(waits_for_file),
            pools: JobPools::default(),
            screen,
            open: true,
        };
        app.follow_file();
        if !app.laboratory.is_replaying() {
            app.apply_scene_annotations();
        }
        app.report_warnings();
        app.scene.update_pictures(&mut app.laboratory);
        Ok(app)
    }

    async fn run(mut self) -> anyhow::Result<()> {
        self.enlarge_to_scale();
        while self.open {
            let seconds = self.clock.begin_frame();
            self.disk.report.begin_frame(self.clock.now());
            clear_window();
            self.act_on_outside_events();
            let is_large = self.scene.pictures.particles() >= WORTH_A_THREAD;
            if !is_large {
                self.laboratory.advance(seconds);
                self.read_results();
            }
            self.scene.camera.ease(seconds);
            // The positions of marks over the scene depend on `pictures`, so `pictures` must not
            // change before `draw`.
            self.interact();
            self.draw(is_large.then_some(seconds));
            self.overhead.view = self.scene.view.seconds();
            self.disk.screenshots.take(&self.laboratory.session().scene().name);
            self.disk.film.take_frame(&mut self.laboratory, &self.scene.stage);
            self.write_report();
            self.clock.end_work(self.preferences.frame_limit, self.overhead);
            macroquad::window::next_frame().await;
        }
        let recorded = self.laboratory.finish();
        self.preferences.save().context("the window's settings could not be saved")?;
        Ok(recorded?)
    }

    /// Draws the interface and carries out the actions of this frame.
    fn interact(&mut self) {
        let mut actions = Vec::new();
        let interface = seconds_of(|| {
            egui_macroquad::ui(|ctx| {
                self.windows.tooltip_pause.begin_frame(ctx);
                self.interface_ui(ctx);
                self.windows.tooltip_pause.end_frame(ctx);
                actions.extend(take_requested_actions(ctx));
            });
        });
        let acting = seconds_of(|| self.carry_out(actions));
        self.overhead.actions += acting;
        self.overhead.interface = interface - self.overhead.hand;
    }

    /// Carries out the actions that come from outside the interface.
    fn act_on_outside_events(&mut self) {
        self.overhead.actions = seconds_of(|| {
            let mut actions = Vec::new();
            self.collect_outside_actions(&mut actions);
            self.carry_out(actions);
        });
    }

    fn carry_out(&mut self, mut actions: Vec<Action>) {
        if self.disk.film.progress().is_some() {
            // While a session is filmed, other actions must not change it.
            actions.retain(|action| {
                matches!(
                    action,
                    Action::Window(WindowAction::Close) | Action::Window(WindowAction::Quit)
                )
            });
        }
        let before = self.open_windows();
        actions.into_iter().for_each(|action| self.act(action));
        if self.open_windows().iter().zip(before).any(|(is_open, was_open)| *is_open && !was_open) {
            self.windows.tooltip_pause.begin();
        }
    }

    /// Enlarges the window by the scale of the display, because X11 takes its size in points for
    /// pixels.
    fn enlarge_to_scale(&self) {
        let scale = self.display_scale();
        let (width, height) = self.preferences.size;
        let wanted = ((width as f32 * scale) as u32, (height as f32 * scale) as u32);
        let wanted = self.screen.map_or(wanted, |screen| screen.fit(wanted));
        if cfg!(target_os = "linux") && miniquad::window::screen_size().0 + 1.0 < wanted.0 as f32 {
            miniquad::window::set_window_size(wanted.0, wanted.1);
        }
    }

    /// Returns the pixels per point of the display. A 4K screen without a scale gets a default
    /// scale.
    fn display_scale(&self) -> f32 {
        let own = miniquad::window::dpi_scale();
        self.screen.map_or(own, |screen| screen.scale(own))
    }

    /// Adds the actions that come from outside the interface: the window was closed, a file
    /// changed, or a picture is finished.
    fn collect_outside_actions(&mut self, actions: &mut Vec<Action>) {
        if macroquad::input::is_quit_requested() {
            actions.push(Action::Window(WindowAction::Quit));
        }
        let now = self.clock.now();
        if self.disk.watch.has_changed(now) {
            actions.push(Action::Reload);
        }
        if let Some(saved) = self.disk.screenshots.finished() {
            self.report_saved("picture", saved);
        }
        match self.disk.film.finished(&mut self.laboratory) {
            Some(Ok(path)) => self.note_saved("animation", &path),
            Some(Err(e)) => self.messages.error("animation", format!("Nothing was saved: {e}")),
            None => {}
        }
        self.disk.film.go_to_next_moment(&mut self.laboratory);
    }

    /// Reports a saved file, or why no file was saved.
    fn report_saved(&mut self, what: &str, saved: Result<PathBuf, impl Display>) {
        match saved {
            Ok(path) => self.note_saved(what, &path),
            Err(e) => self.messages.error(what, format!("No {what} was saved: {e}")),
        }
    }

    fn note_saved(&mut self, what: &str, path: &std::path::Path) {
        let text = format!("Saved {}", path.display());
        self.messages.note(what, text, self.clock.now());
    }

    /// Draws the scene and the interface. If `seconds` is given, another thread advances the
    /// session by a frame of this length at the same time.
    fn draw(&mut self, seconds: Option<f64>) {
        let options = self.preferences.view_options();
        let hand = self.tools.hand.drawn();
        let mut draw = || {
            self.scene.draw(&options, &hand);
            egui_macroquad::draw();
        };
        let Some(seconds) = seconds else { return draw() };
        self.laboratory.advance_while(seconds, draw);
        self.read_results();
    }

    fn read_results(&mut self) {
        let commands = self.laboratory.take_commands();
        self.disk.report.count(commands);
        if let Some(error) = self.laboratory.recorder().take_failure() {
            self.messages.error("recording", format!("The recording stopped: {error}"));
        }
        self.report_finished_replay();
        self.report_finished_undo();
        self.overload_warnings.warn(&self.laboratory, &mut self.messages);
        self.answers.refresh(&self.laboratory, &self.pools);
        self.laboratory.compare();
        let session = self.laboratory.session();
        let samples = session.lanes().iter().map(|lane| lane.record_cost);
        self.overhead.record = if session.paused() { 0.0 } else { samples.sum() };
        self.overhead.pictures = seconds_of(|| self.scene.update_pictures(&mut self.laboratory));
        self.tools.note_drag(self.laboratory.selected().simulation.model().pins());
        self.explain_fixed_pin();
        self.report_replaced_numbers();
        self.restart_if_due();
    }

    /// Sets the speed and the microscope to the scene's values. If the scene has no speed, the
    /// current speed stays.
    fn apply_scene_annotations(&mut self) {
        let annotations = &self.laboratory.session().scene().annotations;
        self.scene.microscope.on = annotations.microscope;
        if let Some(speed) = annotations.speed {
            self.laboratory.command(Command::Speed(speed));
        }
    }

    /// Restarts the scene at its `restart` time if it has one, unless the mouse holds something.
    fn restart_if_due(&mut self) {
        let session = self.laboratory.session();
        let restart = session.scene().annotations.restart;
        let due = restart.is_some_and(|t| session.time() >= t) && !session.paused();
        let is_now = !self.laboratory.history().is_past() && !self.laboratory.is_replaying();
        if due && is_now && self.tools.hand.held().is_none() {
            self.act(Action::Reset);
        }
    }
}
