//! Execution of actions requested by keys, buttons, the file watcher and finished pictures.

use super::App;
use super::bar_sizes::NARROW;
use super::messages::Offer;
use crate::app::disk::saving;
use crate::app::input::actions::{Action, LaneAction, PictureFormat, TimeAction, WindowAction};
use crate::app::laboratory::Direction;
use crate::app::preferences::Preferences;
use crate::app::scene_view::target::Target;
use crate::app::tools::hand_context::Tool;
use crate::app::tools::{builder, thrower};
use crate::app::{laboratory, plots, theme};
use crate::export::drawing::Drawing;
use crate::preset::Preset;
use crate::quantity::on_screen::si_tight;
use crate::scene::{Scene, all_settings_to_ron, settings_from_ron};
use crate::session::{History, SessionMoment};
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::{FrameSource, LONGEST_FRAME};
use crate::simulation::timing::stepper::{Guard, LONGEST_DT, SHORTEST_DT};
use macroquad::miniquad;
use std::path::PathBuf;

impl App {
    pub(in crate::app) fn act(&mut self, action: Action) {
        match action {
            Action::SendCommand(command) => {
                let moves_hand = matches!(command, Command::MoveHand(_));
                self.laboratory.command(command);
                if moves_hand {
                    self.report_paused_hand();
                }
            }
            Action::Undo => self.undo_or_redo(Direction::Undo),
            Action::Redo => self.undo_or_redo(Direction::Redo),
            Action::RemoveEdit(id) => self.remove_edit(id),
            Action::CancelUndo => {
                self.cancel_undo();
            }
            Action::ChangeScene(numbers) => {
                let changed = self.laboratory.change_scene(numbers);
                self.report_scene_change(changed);
            }
            Action::EditScene(edit) => {
                let changed = self.laboratory.edit_scene(edit);
                self.report_scene_change(changed);
            }
            Action::ToggleTool(tool) => self.tools.builder.toggle(tool),
            Action::DeleteUnderMouse => {
                let hovered = self.tools.hand.hovered().map(|hover| builder::delete(hover.target));
                hovered.into_iter().for_each(|delete| self.act(delete));
            }
            Action::Reset => self.laboratory.command(Command::Reset),
            Action::Reload => self.reload(),
            Action::DropEdits(action) => self.leave_session(*action),
            Action::Open(_)
            | Action::OpenListed(_)
            | Action::NextScene { .. }
            | Action::BeginTour => self.leave_or_ask(action),
            Action::ShowFileDialog => self.disk.files.show(),
            Action::ShowSaveDialog => {
                self.disk.files.show_saving(&self.laboratory.session().scene().name);
            }
            Action::ThrowBall => self.throw_ball(),
            Action::TogglePinUnderMouse => {
                if let Some(command) = self.tools.hand.pin_command() {
                    self.laboratory.command(command);
                }
            }
            Action::SaveScene(path) => self.save_scene(path),
            Action::Time(action) => self.act_on_time(action),
            Action::Lane(action) => self.act_on_lanes(action),
            Action::Window(action) => self.act_on_window(action),
        }
    }

    fn act_on_time(&mut self, action: TimeAction) {
        match action {
            TimeAction::TogglePause => {
                let paused = self.laboratory.session().paused();
                self.laboratory.command(Command::Pause(!paused));
                self.messages.remove("hand");
            }
            TimeAction::SingleStep if self.laboratory.history().is_past() => {
                self.laboratory.travel_by(History::step_after);
            }
            TimeAction::SingleStep => {
                self.laboratory.command(Command::Pause(true));
                self.laboratory.command(Command::SingleStep);
                self.messages.remove("hand");
            }
            TimeAction::StepBack => self.travel_back(History::step_before),
            TimeAction::StepFrame { forward: false } => self.travel_back(History::frame_before),
            TimeAction::StepFrame { forward: true } => {
                self.laboratory.travel_by(History::frame_after);
            }
            TimeAction::GoTo(place) => self.laboratory.travel(place),
            TimeAction::PlayPast => {
                if !self.laboratory.stop_past() {
                    self.laboratory.play_past();
                }
            }
            TimeAction::LoopPast(interval) => self.laboratory.loop_past(interval),
            TimeAction::GoToEnd { newest } => {
                let history = self.laboratory.history();
                let place = if newest { history.end() } else { history.start() };
                self.laboratory.travel(place);
            }
            TimeAction::PressStopwatch => {
                self.tools.stopwatch =
                    self.tools.stopwatch.pressed(self.laboratory.session().time());
            }
            TimeAction::SwitchBranch => self.laboratory.switch_branch(),
            TimeAction::ScaleSpeed(factor) => {
                let speed = self.laboratory.speed() * factor;
                let speed = speed.clamp(*laboratory::SPEEDS.start(), *laboratory::SPEEDS.end());
                self.laboratory.command(Command::Speed(speed));
            }
        }
    }

    fn act_on_lanes(&mut self, action: LaneAction) {
        match action {
            LaneAction::BranchOff { color, settings } => {
                self.laboratory.branch_off(color, settings.map(|settings| *settings));
            }
            LaneAction::ContinueBeforeExplosion { color, continuation } => {
                self.laboratory.continue_before_explosion(color, continuation);
            }
            LaneAction::FavouriteIntegrator(key) => {
                if let Some(integrator) = laboratory::favourite(key) {
                    self.configure(|settings| settings.integrator = integrator);
                }
            }
            LaneAction::ScaleStep(factor) => self.scale_step(factor),
            LaneAction::ToggleFrameClamp => self.toggle_frame_clamp(),
            LaneAction::ScaleIterations { more } => self.configure(|settings| {
                laboratory::scale_iterations(&mut settings.constraints, more);
            }),
            LaneAction::Select(color) => self.laboratory.shown.selected = color,
            LaneAction::ToggleHidden(color) => self.laboratory.toggle_hidden(color),
            LaneAction::ToggleSolo(color) => self.laboratory.toggle_solo(color),
            LaneAction::AddLane => self.add_lane(),
            LaneAction::DuplicateLane => {
                let lane = self.laboratory.selected_index();
                self.laboratory.command(Command::DuplicateLane(lane));
            }
            LaneAction::RemoveLane => {
                let lane = self.laboratory.selected_index();
                self.laboratory.command(Command::RemoveLane(lane));
            }
            LaneAction::SetFrameSource { color, source } => {
                self.laboratory.set_frame_source(color, source)
            }
            LaneAction::RecordTrace => self.record_trace(),
            LaneAction::Explain(color) => {
                self.laboratory.shown.selected = color;
                self.answers.show_explanation(color);
            }
            LaneAction::ToggleReference(color) => self.laboratory.toggle_reference(color),
            LaneAction::Compare(preset) => self.compare(preset),
            LaneAction::RestoreLanes => {
                self.messages.remove("comparison");
                self.laboratory.restore_lanes();
            }
            LaneAction::CopySettings => self.copy_settings(),
            LaneAction::PasteSettings => self.paste_settings(),
            LaneAction::Rename(color, name) => self.laboratory.rename(color, name),
            LaneAction::CompleteName(color) => self.laboratory.complete_name(color),
        }
    }

    fn act_on_window(&mut self, action: WindowAction) {
        let largest_text = self.largest_text();
        let preferences = &mut self.preferences;
        match action {
            WindowAction::ToggleTheme => {
                preferences.light = !preferences.light;
                theme::set_light(preferences.light);
                egui_macroquad::cfg(theme::apply);
            }
            WindowAction::ToggleOverlay => preferences.overlay = !preferences.overlay,
            WindowAction::ToggleStrainColors => {
                preferences.strain_colors = !preferences.strain_colors
            }
            WindowAction::ToggleScissors => {
                let cuts = preferences.drag == Tool::Scissors;
                preferences.drag = if cuts { Tool::Spring } else { Tool::Scissors };
            }
            WindowAction::ShowCode(code) => self.windows.code.show(code),
            WindowAction::ToggleInterface => self.windows.interface = !self.windows.interface,
            WindowAction::ToggleHelp => self.windows.help = !self.windows.help,
            WindowAction::ToggleStudies => self.windows.studies.open = !self.windows.studies.open,
            WindowAction::ToggleGallery => self.windows.gallery = !self.windows.gallery,
            WindowAction::ToggleTimePlots => self.toggle_plots(|kinds| &mut kinds.time_plots),
            WindowAction::ToggleEnergyPlots => self.toggle_plots(|kinds| &mut kinds.energy_plots),
            WindowAction::ToggleMotionPlots => self.toggle_plots(|kinds| &mut kinds.motion_plots),
            WindowAction::ExportCsv => self.export_csv(),
            WindowAction::SavePlot { name, drawing, format } => {
                self.save_plot(&name, &drawing, format)
            }
            WindowAction::SaveRecording => self.save_recording(),
            WindowAction::ToggleFullscreen => self.windows.toggle_fullscreen(),
            WindowAction::Screenshot => self.disk.screenshots.request(),
            WindowAction::ToggleFilm => {
                self.disk.film.open = !self.disk.film.open && self.disk.film.progress().is_none()
            }
            WindowAction::BeginFilm => {
                if let Err(why) = self.disk.film.begin(&mut self.laboratory) {
                    self.messages.note("animation", why, self.clock.now());
                }
            }
            WindowAction::HomeCamera => {
                let home = self.scene.home_camera(self.laboratory.session().scene());
                self.scene.camera.home_to(&home);
            }
            WindowAction::FrameAll => self.scene.frame_all(),
            WindowAction::ScaleInterface(factor) => {
                let scale = if factor == 0.0 { 1.0 } else { preferences.interface_scale * factor };
                preferences.interface_scale = scale.clamp(0.5, largest_text.min(3.0));
            }
            WindowAction::Close => self.close_topmost(),
            WindowAction::Quit => self.leave_or_ask(Action::Window(WindowAction::Quit)),
        }
    }

    fn report_scene_change(&mut self, changed: Result<(), String>) {
        match changed {
            Ok(()) => self.messages.remove("scene change"),
            Err(e) => {
                self.messages.error("scene change", format!("The scene stays as it was: {e}"))
            }
        }
    }

    /// Shows a message if the mouse drags while the session is paused, because no body then follows
    /// it.
    fn report_paused_hand(&mut self) {
        let held = self.tools.hand.held().filter(|_| self.laboratory.session().paused());
        let text = match held {
            None => return self.messages.remove("hand"),
            Some((Target::Particle(_), _)) => {
                "The body does not follow: time is paused. Keep holding it and press Space to \
                 continue or O for a single step."
            }
            Some((Target::Collider(_), _)) => {
                "The obstacle moves with the next step: time is paused. Press Space to continue or \
                 O for a single step."
            }
        };
        self.messages.note("hand", text, self.clock.now());
    }

    fn travel_back(&mut self, find: fn(&History, SessionMoment) -> Option<SessionMoment>) {
        if !self.laboratory.travel_by(find) {
            let text = "This is the oldest stored moment.";
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
            let text = "The time step has no effect: the stepping scheme derives its steps from \
                        the frame.";
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
            Guard::Off(_) => format!(
                "Frame clamp off in {}: every frame counts for its whole length.",
                lane.name
            ),
        };
        self.messages.note("clamp", text, self.clock.now());
    }

    fn compare(&mut self, preset: Preset) {
        let dt = self.laboratory.begin_comparison(preset);
        let text =
            format!("{}: all lanes use the time step {}.", preset.title(), si_tight(dt, "s"));
        let actions = vec![Action::Lane(LaneAction::RestoreLanes)];
        let offer = Offer { label: "The scene's own lanes".to_owned(), actions };
        self.messages.offer("comparison", text, offer);
    }

    fn add_lane(&mut self) {
        let settings = *self.laboratory.selected().simulation.settings();
        let name = settings.integrator.info().title.to_owned();
        self.laboratory.command(Command::AddLane { name, settings });
    }

    fn throw_ball(&mut self) {
        let Some((cell, cursor)) = thrower::aim_point(&self.scene.stage, self.tools.hand.cursor)
        else {
            return;
        };
        let viewport = &self.scene.stage.cells[cell].viewport;
        let hovered = self.tools.hand.hovered().map(|hover| hover.position);
        let through = hovered.unwrap_or(self.scene.camera.centre());
        let g = self.laboratory.selected().simulation.model().gravity();
        let ball = &self.preferences.ball;
        let throw = ball.throw_at(&self.scene.camera, viewport, cursor, through, g);
        self.laboratory.command(Command::Throw(throw));
    }

    fn copy_settings(&mut self) {
        let settings = self.laboratory.selected().simulation.settings();
        miniquad::window::clipboard_set(&all_settings_to_ron(settings));
        self.messages.note("clipboard", "Settings copied as RON", self.clock.now());
    }

    fn paste_settings(&mut self) {
        let text = miniquad::window::clipboard_get().unwrap_or_default();
        let base = *self.laboratory.selected().simulation.settings();
        let pasted = settings_from_ron(&text, base);
        match pasted.and_then(|settings| self.laboratory.configure_selected(settings)) {
            Ok(()) => self.messages.remove("paste"),
            Err(e) => self.messages.error("paste", format!("The clipboard has no settings: {e}")),
        }
    }

    /// Saves the scene as RON with the lanes' current settings, names and displays, and with pins,
    /// cuts and thrown balls. The other fields keep the values of the scene's file.
    fn save_scene(&mut self, path: PathBuf) {
        let path = if path.extension().is_none() { path.with_extension("ron") } else { path };
        let name = path.display().to_string();
        let text = self.laboratory.scene_to_ron();
        let checked = Scene::parse(&text, &name).map_err(|e| e.to_string());
        let written =
            checked.and_then(|_| saving::save_scene(&path, &text, self.laboratory.mesh_files()));
        match written {
            Ok(()) => {
                self.disk.watch.accept_own_write(&path);
                self.laboratory.mark_edits_saved();
                self.note_saved("scene", &path);
            }
            Err(e) => self.messages.error("save", format!("No scene was saved: {e}")),
        }
    }

    /// Makes the window's frame times of the last 10 s the frame source of the selected lane, which
    /// repeats them.
    fn record_trace(&mut self) {
        const SECONDS: f64 = 10.0;
        let since = self.clock.now() - SECONDS;
        let frames = self.clock.history().filter(|frame| frame.at > since && frame.frame > 1e-3);
        let trace: Vec<f64> = frames.map(|frame| frame.frame.min(LONGEST_FRAME)).collect();
        if !trace.is_empty() {
            let color = self.laboratory.selected().color;
            self.laboratory.set_frame_source(color, FrameSource::Trace(trace.into()));
        }
    }

    fn toggle_plots(&mut self, kind: fn(&mut Preferences) -> &mut bool) {
        let shown = *kind(&mut self.preferences);
        if self.stage_is_narrow() {
            // A narrow window has room for either the panel or one kind of plot.
            self.windows.plots_first = !(self.windows.plots_first && shown);
            if self.windows.plots_first {
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
        let saved = saving::save(&session.scene().name, "csv", table.as_bytes());
        self.report_saved("table", saved);
    }

    fn save_plot(&mut self, name: &str, drawing: &Drawing, format: PictureFormat) {
        let name = format!("{} {name}", self.laboratory.session().scene().name);
        let saved = match format {
            PictureFormat::Svg => saving::save(&name, "svg", drawing.to_svg().as_bytes()),
            PictureFormat::Png => drawing
                .to_png()
                .map_err(std::io::Error::other)
                .and_then(|png| saving::save(&name, "png", &png)),
        };
        self.report_saved("picture", saved);
    }

    fn save_recording(&mut self) {
        let Some(recording) = self.laboratory.recording() else {
            let text = "No recording was saved: the session exceeds the memory for recordings. \
                        Start with `ropelab --record FILE` to record into a file.";
            return self.messages.error("recording", text);
        };
        let name = &self.laboratory.session().scene().name;
        let saved = saving::save(name, "rec", recording.as_bytes());
        if saved.is_ok() {
            self.laboratory.mark_edits_saved();
        }
        self.report_saved("recording", saved);
    }

    /// Returns for each window over the scene whether it is open.
    pub(in crate::app) fn open_windows(&self) -> [bool; 6] {
        let [help, gallery, studies, code] = self.windows.open();
        [help, gallery, studies, code, self.disk.files.open(), self.disk.film.open]
    }

    /// Closes the first of these that is open or running: a question, an undo, an animation, a
    /// window, an unfinished build tool, a loop of the past, a message, the card of an exploded
    /// lane. If none is open, shows the hidden interface again.
    fn close_topmost(&mut self) {
        if self.question.take().is_some() || self.cancel_undo() {
        } else if self.disk.film.cancel(&mut self.laboratory) {
            self.messages.note("animation", "The animation was cancelled.", self.clock.now());
        } else if self.disk.film.open {
            self.disk.film.open = false;
        } else if self.windows.close_topmost()
            || self.tools.builder.cancel()
            || self.laboratory.end_loop()
        {
        } else if !self.messages.dismiss() && !self.answers.close_card() && !self.windows.interface
        {
            self.windows.interface = true;
        }
    }

    pub(super) fn quit(&mut self) {
        let (width, height) = miniquad::window::screen_size();
        let scale = self.display_scale();
        self.preferences.size = ((width / scale) as u32, (height / scale) as u32);
        self.open = false;
    }
}
