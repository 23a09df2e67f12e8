//! Doing what a key, a button or the world asked for.

use super::actions::{Action, PictureFormat};
use crate::app::bars::lesson::tour;
use crate::app::disk::preferences::Preferences;
use crate::app::disk::saving;
use crate::app::disk::scene_source::Source;
use crate::app::laboratory::Way;
use crate::app::quantity::si_tight;
use crate::app::tools::hand::Tool;
use crate::app::tools::{builder, thrower};
use crate::app::{App, NARROW, laboratory, plots, theme};
use crate::export::figure::Figure;
use crate::scene::{Scene, all_settings_to_ron, settings_from_ron};
use crate::session::{History, Place, Preset};
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::{FrameSource, LONGEST_FRAME};
use crate::simulation::timing::stepper::{Guard, LONGEST_DT, SHORTEST_DT};
use macroquad::miniquad;
use std::path::PathBuf;

impl App {
    /// Does what a key, a button or the world asked for.
    pub(in crate::app) fn act(&mut self, action: Action) {
        match action {
            Action::Give(command) => self.laboratory.command(command),
            Action::TogglePause => {
                let paused = self.laboratory.session().paused();
                self.laboratory.command(Command::Pause(!paused));
            }
            Action::SingleStep if self.laboratory.history().is_past() => {
                self.laboratory.travel_by(History::step_after);
            }
            Action::SingleStep => {
                self.laboratory.command(Command::Pause(true));
                self.laboratory.command(Command::SingleStep);
            }
            Action::StepBack => self.travel_back(History::step_before),
            Action::StepFrame { forward: false } => self.travel_back(History::frame_before),
            Action::StepFrame { forward: true } => {
                self.laboratory.travel_by(History::frame_after);
            }
            Action::GoTo(place) => self.laboratory.travel(place),
            Action::PlayPast => {
                if !self.laboratory.stop_past() {
                    self.laboratory.play_past();
                }
            }
            Action::LoopPast(stretch) => self.laboratory.loop_past(stretch),
            Action::GoToEnd { newest } => {
                let history = self.laboratory.history();
                let place = if newest { history.end() } else { history.start() };
                self.laboratory.travel(place);
            }
            Action::Undo => self.turn(Way::Undo),
            Action::Redo => self.turn(Way::Redo),
            Action::TakeOut(id) => self.take_out(id),
            Action::ChangeScene(numbers) => {
                let changed = self.laboratory.change_scene(numbers);
                self.say_whether_it_changed(changed);
            }
            Action::EditScene(edit) => {
                let changed = self.laboratory.edit_scene(edit);
                self.say_whether_it_changed(changed);
            }
            Action::ToggleBuild(tool) => self.builder.toggle(tool),
            Action::PressStopwatch => {
                self.stopwatch = self.stopwatch.pressed(self.laboratory.session().time());
            }
            Action::DeleteUnderMouse => {
                let hovered = self.hand.hovered().map(|hover| builder::delete(hover.target));
                hovered.into_iter().for_each(|delete| self.act(delete));
            }
            Action::TakeUpBranch => self.laboratory.take_up_branch(),
            Action::BranchOff(color) => self.laboratory.branch_off(color, None),
            Action::GoOnBeforeExplosion { color, onward } => {
                self.laboratory.go_on_before_explosion(color, onward);
            }
            Action::Reset => self.laboratory.command(Command::Reset),
            Action::Reload => self.reload(),
            Action::Open(path) if saving::is_recording(&path) => self.open_recording(&path),
            Action::Open(path) => self.open(Source::File(path)),
            Action::OpenListed(place) => self.open(Source::Listed(place)),
            Action::NextScene { forward } => self.open(self.laboratory.source().neighbour(forward)),
            Action::BeginTour => {
                self.preferences.welcomed = false;
                let first = tour().next().unwrap_or(0);
                self.open(Source::Listed(first));
            }
            Action::ShowFileDialog => self.files.show(),
            Action::ShowSaveDialog => {
                self.files.show_saving(&self.laboratory.session().scene().name);
            }
            Action::ScaleSpeed(factor) => {
                let speed = self.laboratory.session().speed() * factor;
                let speed = speed.clamp(*laboratory::SPEEDS.start(), *laboratory::SPEEDS.end());
                self.laboratory.command(Command::Speed(speed));
            }
            Action::FavouriteIntegrator(key) => {
                if let Some(integrator) = laboratory::favourite(key) {
                    self.configure(|settings| settings.integrator = integrator);
                }
            }
            Action::ScaleStep(factor) => self.scale_step(factor),
            Action::ToggleFrameClamp => self.toggle_frame_clamp(),
            Action::ScaleIterations { more } => self.configure(|settings| {
                laboratory::scale_iterations(&mut settings.constraints, more);
            }),
            Action::ThrowBall => self.throw_ball(),
            Action::TogglePinUnderMouse => {
                if let Some(command) = self.hand.pin() {
                    self.laboratory.command(command);
                }
            }
            Action::Select(color) => self.laboratory.select(color),
            Action::ToggleHidden(color) => self.laboratory.toggle_hidden(color),
            Action::ToggleSolo(color) => self.laboratory.toggle_solo(color),
            Action::AddLane => self.add_lane(),
            Action::DuplicateLane => {
                let lane = self.laboratory.selected_index();
                self.laboratory.command(Command::DuplicateLane(lane));
            }
            Action::RemoveLane => {
                let lane = self.laboratory.selected_index();
                self.laboratory.command(Command::RemoveLane(lane));
            }
            Action::ShowOn { color, source } => self.laboratory.show_on(color, source),
            Action::RecordTrace => self.record_trace(),
            Action::Explain(color) => {
                self.laboratory.select(color);
                self.answers.ask(color);
            }
            Action::ToggleReference(color) => self.laboratory.toggle_reference(color),
            Action::Compare(preset) => self.compare(preset),
            Action::RestoreLanes => {
                self.messages.settle("comparison");
                self.laboratory.restore_lanes();
            }
            Action::CopySettings => self.copy_settings(),
            Action::PasteSettings => self.paste_settings(),
            Action::SaveScene(path) => self.save_scene(path),
            Action::Rename(color, name) => self.laboratory.rename(color, name),
            window => self.act_on_window(window),
        }
    }

    /// Actions that no simulation notices.
    fn act_on_window(&mut self, action: Action) {
        let largest_text = self.largest_text();
        let preferences = &mut self.preferences;
        match action {
            Action::ToggleTheme => {
                preferences.light = !preferences.light;
                theme::set_light(preferences.light);
                egui_macroquad::cfg(theme::apply);
            }
            Action::ToggleOverlay => preferences.overlay = !preferences.overlay,
            Action::ToggleStrainColors => preferences.strain_colors = !preferences.strain_colors,
            Action::ToggleScissors => {
                let cuts = preferences.drag == Tool::Scissors;
                preferences.drag = if cuts { Tool::Spring } else { Tool::Scissors };
            }
            Action::ShowCode(code) => self.code.show(code),
            Action::ToggleInterface => self.interface = !self.interface,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleStudies => self.studies.open = !self.studies.open,
            Action::ToggleGallery => self.gallery = !self.gallery,
            Action::ToggleTimePlots => self.toggle_plots(|kinds| &mut kinds.time_plots),
            Action::ToggleEnergyPlots => self.toggle_plots(|kinds| &mut kinds.energy_plots),
            Action::ToggleMotionPlots => self.toggle_plots(|kinds| &mut kinds.motion_plots),
            Action::ExportCsv => self.export_csv(),
            Action::SavePlot { name, figure, format } => self.save_plot(&name, &figure, format),
            Action::SaveRecording => self.save_recording(),
            Action::ToggleFullscreen => {
                self.fullscreen = !self.fullscreen;
                macroquad::window::set_fullscreen(self.fullscreen);
            }
            Action::Screenshot => self.screenshots.want(),
            Action::ToggleFilm => {
                self.film.open = !self.film.open && self.film.progress().is_none()
            }
            Action::Film => {
                if let Err(why) = self.film.begin(&mut self.laboratory) {
                    self.messages.note("animation", why, self.clock.now());
                }
            }
            Action::Home => {
                let home = self.home_camera();
                self.camera.home_to(&home);
            }
            Action::FrameAll => {
                if let (Some(bounds), Some(cell)) =
                    (self.pictures.bounds(&self.stage), self.stage.cells().first())
                {
                    self.camera.frame(bounds, &cell.viewport);
                }
            }
            Action::ScaleInterface(factor) => {
                let scale = if factor == 0.0 { 1.0 } else { preferences.interface_scale * factor };
                preferences.interface_scale = scale.clamp(0.5, largest_text.min(3.0));
            }
            Action::Close => self.close_topmost(),
            Action::Quit => self.quit(),
            _ => {}
        }
    }

    fn say_whether_it_changed(&mut self, changed: Result<(), String>) {
        match changed {
            Ok(()) => self.messages.settle("scene change"),
            Err(e) => self.messages.error("scene change", format!("The scene stays: {e}")),
        }
    }

    fn travel_back(&mut self, find: fn(&History, Place) -> Option<Place>) {
        if !self.laboratory.travel_by(find) {
            let text = "Already at the oldest stored moment";
            self.messages.note("back", text, self.clock.now());
        }
    }

    fn configure(&mut self, change: impl FnOnce(&mut crate::simulation::settings::Settings)) {
        let mut settings = *self.laboratory.selected().simulation.settings();
        change(&mut settings);
        if let Err(e) = self.laboratory.configure_selected(settings) {
            self.messages.error("settings", e);
        }
    }

    fn scale_step(&mut self, factor: f64) {
        let settings = self.laboratory.selected().simulation.settings();
        if !settings.stepping.uses_dt() {
            let text = "The time step is not used: the frame decides the step.";
            return self.messages.note("dt", text, self.clock.now());
        }
        self.configure(|settings| {
            settings.dt = (settings.dt * factor).clamp(SHORTEST_DT, LONGEST_DT);
        });
    }

    fn toggle_frame_clamp(&mut self) {
        self.configure(|settings| {
            let clamp = &mut settings.guards.frame_clamp;
            *clamp = match *clamp {
                Guard::On(seconds) => Guard::Off(seconds),
                Guard::Off(seconds) => Guard::On(seconds),
            };
        });
        let lane = self.laboratory.selected();
        let text = match lane.simulation.settings().guards.frame_clamp {
            Guard::On(seconds) => format!(
                "Frame clamp on in {}: a frame counts for at most {}.",
                lane.name,
                si_tight(seconds, "s")
            ),
            Guard::Off(_) => {
                format!(
                    "Frame clamp off in {}: every frame counts for its whole length.",
                    lane.name
                )
            }
        };
        self.messages.note("clamp", text, self.clock.now());
    }

    fn compare(&mut self, preset: Preset) {
        let dt = self.laboratory.begin_comparison(preset);
        let text = format!("{}: all lanes step by {}.", preset.title(), si_tight(dt, "s"));
        let back = ("The scene's own lanes".to_owned(), vec![Action::RestoreLanes]);
        self.messages.offer("comparison", text, vec![back]);
    }

    fn add_lane(&mut self) {
        let settings = *self.laboratory.selected().simulation.settings();
        let name = settings.integrator.info().title.to_owned();
        self.laboratory.command(Command::AddLane { name, settings });
    }

    fn throw_ball(&mut self) {
        let Some((cell, cursor)) = thrower::target(&self.stage, self.hand.cursor()) else { return };
        let viewport = &self.stage.cells()[cell].viewport;
        let hovered = self.hand.hovered().map(|hover| hover.place);
        let through = hovered.unwrap_or(self.camera.centre());
        let g = self.laboratory.selected().simulation.model().gravity();
        let ball = &self.preferences.ball;
        let throw = ball.aimed(&self.camera, viewport, (cursor, through), g);
        self.laboratory.command(Command::Throw(throw));
    }

    fn copy_settings(&mut self) {
        let settings = self.laboratory.selected().simulation.settings();
        miniquad::window::clipboard_set(&all_settings_to_ron(settings));
        self.messages.note("clipboard", "Settings copied as RON".to_owned(), self.clock.now());
    }

    fn paste_settings(&mut self) {
        let text = miniquad::window::clipboard_get().unwrap_or_default();
        let base = *self.laboratory.selected().simulation.settings();
        let pasted = settings_from_ron(&text, base);
        match pasted.and_then(|settings| self.laboratory.configure_selected(settings)) {
            Ok(()) => self.messages.settle("paste"),
            Err(e) => self.messages.error("paste", format!("The clipboard has no settings: {e}")),
        }
    }

    /// Writes the scene as the lanes have it: settings, names, displays, pins, cuts, thrown balls
    /// and what the file had.
    fn save_scene(&mut self, path: PathBuf) {
        let path = if path.extension().is_none() { path.with_extension("ron") } else { path };
        let name = path.display().to_string();
        let text = self.laboratory.scene_to_ron();
        let written = Scene::parse(&text, &name).map_err(|e| e.to_string()).and_then(|_| {
            saving::save_as(&path, text.as_bytes()).map_err(|e| format!("{name}: {e}"))
        });
        match written {
            Ok(()) => self.note_saved("scene", &path),
            Err(e) => self.messages.error("save", format!("No scene was saved: {e}")),
        }
    }

    /// The selected lane has the frames of the last ten seconds from now on.
    fn record_trace(&mut self) {
        const SECONDS: f64 = 10.0;
        let since = self.clock.now() - SECONDS;
        let frames = self.clock.history().filter(|frame| frame.at > since && frame.frame > 1e-3);
        let trace: Vec<f64> = frames.map(|frame| frame.frame.min(LONGEST_FRAME)).collect();
        if !trace.is_empty() {
            let color = self.laboratory.selected().color;
            self.laboratory.show_on(color, FrameSource::Trace(trace.into()));
        }
    }

    fn toggle_plots(&mut self, kind: fn(&mut Preferences) -> &mut bool) {
        let shown = *kind(&mut self.preferences);
        if self.stage_is_narrow() {
            // There is room for one kind only, in place of the panel.
            self.plots_first = !(self.plots_first && shown);
            if self.plots_first {
                let Preferences { time_plots, energy_plots, motion_plots, .. } =
                    &mut self.preferences;
                (*time_plots, *energy_plots, *motion_plots) = (false, false, false);
            }
            *kind(&mut self.preferences) = true;
        } else {
            *kind(&mut self.preferences) = !shown;
        }
    }

    fn stage_is_narrow(&self) -> bool {
        miniquad::window::screen_size().0 / self.interface_scale() < NARROW
    }

    fn export_csv(&mut self) {
        let session = self.laboratory.session();
        let table = plots::csv(session.lanes());
        match saving::save(&session.scene().name, "csv", table.as_bytes()) {
            Ok(path) => self.note_saved("table", &path),
            Err(e) => self.messages.error("table", format!("No table was saved: {e}")),
        }
    }

    fn save_plot(&mut self, name: &str, figure: &Figure, format: PictureFormat) {
        let name = format!("{} {name}", self.laboratory.session().scene().name);
        let saved = match format {
            PictureFormat::Svg => saving::save(&name, "svg", figure.to_svg().as_bytes()),
            PictureFormat::Png => figure
                .to_png()
                .map_err(std::io::Error::other)
                .and_then(|png| saving::save(&name, "png", &png)),
        };
        match saved {
            Ok(path) => self.note_saved("picture", &path),
            Err(e) => self.messages.error("picture", format!("No picture was saved: {e}")),
        }
    }

    fn save_recording(&mut self) {
        let Some(recording) = self.laboratory.recording() else {
            let text = "No recording was saved: memory had no room for all of this session. \
                        `ropelab --record FILE` records into a file.";
            return self.messages.error("recording", text);
        };
        let name = &self.laboratory.session().scene().name;
        match saving::save(name, "rec", recording.as_bytes()) {
            Ok(path) => self.note_saved("recording", &path),
            Err(e) => self.messages.error("recording", format!("No recording was saved: {e}")),
        }
    }

    /// Windows first, then messages, then the cards of lanes that exploded.
    fn close_topmost(&mut self) {
        if self.film.cancel(&mut self.laboratory) {
            let text = "The animation was given up.";
            self.messages.note("animation", text.to_owned(), self.clock.now());
        } else if self.film.open {
            self.film.open = false;
        } else if self.help {
            self.help = false;
        } else if self.gallery {
            self.gallery = false;
        } else if self.code.close() {
        } else if self.studies.open {
            self.studies.open = false;
        } else if self.builder.cancel() || self.laboratory.end_loop() {
        } else if !self.messages.dismiss() && !self.answers.close_card() && !self.interface {
            self.interface = true;
        }
    }

    fn quit(&mut self) {
        let (width, height) = miniquad::window::screen_size();
        let scale = self.display_scale();
        self.preferences.size = ((width / scale) as u32, (height / scale) as u32);
        self.open = false;
    }
}
