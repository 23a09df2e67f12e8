//! User interface of a frame: bars, panels and windows around the scene, and marks over the scene.

use super::App;
use super::bar_sizes::{NARROW, STATUS_BAR, TOP_BAR};
use crate::app::bars::lesson::UserActions;
use crate::app::bars::top_bar::BarContext;
use crate::app::bars::{gallery, help, status_bar, time_bar, top_bar};
use crate::app::headings;
use crate::app::input::actions::{Action, RequestActions, WindowAction};
use crate::app::preferences::{PANEL_WIDTH, Preferences};
use crate::app::scene_view::arrows::{LINE, ShownArrows};
use crate::app::scene_view::room::Arrangement;
use crate::app::scene_view::sight::Sight;
use crate::app::scene_view::{accumulator_bars, legend};
use crate::app::timing::overhead::seconds_of;
use crate::app::tools::hand_context::{HandContext, Tool};
use crate::app::widgets::has_open_menu;
use crate::app::widgets::marks::Marked;
use crate::app::{annotations, answers, filming, panel, plots, theme};
use crate::simulation::settings::GrabMode;
use egui_macroquad::egui;
use macroquad::miniquad;

/// Width of the window in points below which there is no room for the panel.
const TINY: f32 = 640.0;

/// Returns the largest text scale, at least 1, at which the panel fits in the window. `width` is
/// the width of the window in points at scale 1.
fn largest_text(width: f32) -> f32 {
    // One point more than `TINY`, because egui rounds the width of the window to points.
    (width / (TINY + 1.0)).max(1.0)
}

fn bar_frame(vertical: i8) -> egui::Frame {
    egui::Frame::new().fill(theme::panel()).inner_margin(egui::Margin::symmetric(10, vertical))
}

impl App {
    /// Draws panels, bars and windows, then the scene in the remaining area.
    pub(in crate::app) fn interface_ui(&mut self, ctx: &egui::Context) {
        self.fit_scale(ctx);
        if !ctx.input(|input| input.pointer.any_down() || input.pointer.any_released()) {
            self.laboratory.end_slider_drag();
        }
        let has_modal = self.disk.files.open() || self.question.is_some();
        let typing = ctx.wants_keyboard_input() || has_modal;
        // While a list is open, Esc closes only this list.
        let has_list = ctx.memory(|memory| memory.any_popup_open()) || has_open_menu(ctx);
        self.input.listen();
        let asked = self.input.actions(typing && self.question.is_none());
        // The list of scenes hides the scene, so keys must not act on the scene.
        let stays = |action: &Action| match (&self.question, action) {
            (Some(question), action) => question.admits(action),
            (None, Action::Window(WindowAction::Close)) => !has_list,
            (None, Action::Window(action)) => !self.disk.files.open() || !action.opens_window(),
            (None, _) => !self.windows.gallery,
        };
        let asked: Vec<Action> = asked.filter(stays).collect();
        // A press of the throw key already requests a throw. `Thrower` only adds the repeated
        // throws of a held key, so the frame of the press must not get a second throw.
        let held = self.input.throw && !typing && !self.windows.gallery;
        let now = self.clock.now();
        let pressed = asked.contains(&Action::ThrowBall);
        ctx.request_all(asked);
        if self.tools.thrower.is_due(held, now) && !pressed {
            ctx.request(Action::ThrowBall);
        }
        if self.windows.interface {
            self.panels_ui(ctx);
        }
        if self.windows.interface && !self.preferences.welcomed {
            let user_actions =
                UserActions { dragged: self.tools.has_dragged, gallery: self.windows.gallery };
            let done = self.windows.lesson.follow(&self.laboratory, user_actions);
            let closed = self.windows.lesson.is_shown()
                && self.windows.lesson.lesson_ui(ctx, &self.laboratory);
            self.preferences.welcomed = closed || done;
        }
        self.messages.errors_ui(ctx);
        if self.windows.interface {
            self.time_bar_ui(ctx);
        }
        let scene = egui::CentralPanel::default().frame(egui::Frame::NONE).show(ctx, |ui| {
            // The Tab key skips the scene, because the scene's keys need no focus.
            let sense = egui::Sense::CLICK | egui::Sense::DRAG;
            ui.interact(ui.max_rect(), egui::Id::new("scene"), sense)
        });
        let scene = scene.inner.marked("the scene");
        self.scene_ui(&scene);
        if self.disk.film.progress().is_some() {
            // While an animation is filmed, only parts of the scene may cover the scene.
            return;
        }
        filming::film_ui(ctx, &mut self.disk.film, self.laboratory.looped());
        if self.question.is_some() {
            self.question_ui(ctx);
        } else {
            self.disk.files.files_ui(ctx);
        }
        help::help_ui(ctx, &mut self.windows.help);
        if self.windows.studies.open && !self.answers_are_docked(ctx) {
            let has_room = ctx.screen_rect().width() >= NARROW;
            let docked = has_room.then_some(&mut self.preferences.answers_docked);
            let (laboratory, answers) = (&self.laboratory, &self.answers);
            self.windows.studies.window_ui(ctx, laboratory, answers, &self.pools, docked);
        }
        self.windows.code.code_ui(ctx, &self.laboratory);
        if self.windows.gallery {
            let pictures = &mut self.windows.scene_pictures;
            gallery::gallery_ui(ctx, &mut self.windows.gallery, &self.laboratory, pictures);
        }
        // Notes are delayed while the list of keys or the file dialog is open, because they would
        // cover its rows.
        if !self.windows.help && !self.disk.files.open() {
            self.messages.notes_ui(ctx, self.clock.now());
        }
        self.input.give_back_focus(ctx, typing);
    }

    /// Sets the scale of egui in every frame, because egui-miniquad reports the scale of the
    /// display only on changes.
    fn fit_scale(&self, ctx: &egui::Context) {
        let scale = self.interface_scale();
        if (ctx.pixels_per_point() - scale).abs() > 1e-3 {
            ctx.set_pixels_per_point(scale);
        }
    }

    /// Returns the pixels per point: the scale of the display times the text scale. The text scale
    /// is limited so that the panel has room.
    pub(in crate::app) fn interface_scale(&self) -> f32 {
        let wanted = self.preferences.interface_scale;
        self.display_scale() * wanted.min(self.largest_text())
    }

    pub(in crate::app) fn largest_text(&self) -> f32 {
        largest_text(miniquad::window::screen_size().0 / self.display_scale())
    }

    fn panels_ui(&mut self, ctx: &egui::Context) {
        let Preferences { panel, time_plots, energy_plots, motion_plots, .. } = self.preferences;
        let narrow = ctx.screen_rect().width() < NARROW;
        let room = !narrow || self.windows.plots_first;
        let docked = self.answers_are_docked(ctx);
        let plots = (time_plots || energy_plots || motion_plots) && room && !docked;
        // If plots are shown beside the scene, an explanation opens in their column even
        // unrequested, because this does not change the size of the scene.
        let explained =
            self.answers.shown_explanation(&self.laboratory, plots && !narrow).filter(|_| !docked);
        let right = plots || explained.is_some();
        let has_panel = panel && !(narrow && right) && ctx.screen_rect().width() >= TINY;
        let shown = self.bars_ui(ctx, room, has_panel);
        if has_panel {
            self.left_panel_ui(ctx, !shown.view);
        }
        self.laboratory.keep_energy_accounts(plots && energy_plots);
        let picked = self.plots.picked.particle(self.laboratory.session().scene());
        self.laboratory.record_motion(picked.filter(|_| plots && motion_plots));
        if docked {
            self.docked_answers_ui(ctx);
        }
        if right {
            self.plots_panel_ui(ctx, plots, explained);
        }
    }

    /// Draws the bars above and below the scene. Returns the groups of the top bar that had room.
    /// `plots` is true if the window has room for plots. `has_panel` is true if the panel is shown;
    /// the panel then has the tools that do not fit in the top bar.
    fn bars_ui(
        &mut self,
        ctx: &egui::Context,
        plots: bool,
        has_panel: bool,
    ) -> top_bar::TopBarRoom {
        let top = egui::TopBottomPanel::top("top bar").exact_height(TOP_BAR).frame(bar_frame(4));
        let top = top.show(ctx, |ui| {
            let around = BarContext {
                plots,
                has_panel,
                stopwatch: self.tools.stopwatch,
                build: self.tools.builder.tool,
            };
            top_bar::top_bar_ui(ui, &self.laboratory, &self.preferences, around)
        });
        let status = egui::TopBottomPanel::bottom("status").exact_height(STATUS_BAR);
        status.frame(bar_frame(2)).show(ctx, |ui| {
            let has_clock = !top.inner.clock;
            status_bar::status_bar_ui(ui, &self.clock, &self.laboratory, has_clock);
        });
        top.inner
    }

    /// Draws the panel. If `tools` is true, it begins with the tools that do not fit in the top
    /// bar.
    fn left_panel_ui(&mut self, ctx: &egui::Context, tools: bool) {
        let side = egui::SidePanel::left("panel")
            .default_width(self.preferences.widths[0])
            .width_range(PANEL_WIDTH..=panel::WIDEST)
            .frame(bar_frame(6))
            .show(ctx, |ui| {
                if tools {
                    ui.horizontal(|ui| {
                        top_bar::view_ui(ui, &self.preferences, self.tools.builder.tool);
                    });
                    ui.separator();
                }
                self.panel_ui(ui);
            });
        self.preferences.widths[0] = side.response.rect.width();
    }

    fn docked_answers_ui(&mut self, ctx: &egui::Context) {
        let side = egui::SidePanel::right("answers")
            .default_width(self.preferences.widths[2])
            .width_range(360.0..=760.0)
            .frame(bar_frame(6))
            .show(ctx, |ui| {
                let (laboratory, answers) = (&self.laboratory, &self.answers);
                let docked = Some(&mut self.preferences.answers_docked);
                self.windows.studies.docked_ui(ui, laboratory, answers, &self.pools, docked);
            });
        self.preferences.widths[2] = side.response.rect.width();
    }

    /// Draws a column with the explanation of a lane above the plots. Either may be absent.
    fn plots_panel_ui(&mut self, ctx: &egui::Context, plots: bool, explained: Option<usize>) {
        let side = egui::SidePanel::right("plots")
            .default_width(self.preferences.widths[1])
            .width_range(240.0..=560.0)
            .frame(bar_frame(6))
            .show(ctx, |ui| {
                let has_room = explained.is_none_or(|color| {
                    answers::explanation_ui(ui, plots, |ui| {
                        self.answers.card_ui(ui, color, &self.laboratory);
                    })
                });
                if !plots || !has_room {
                    return;
                }
                let (laboratory, pool) = (&self.laboratory, &self.pools.short_jobs);
                self.plots.plots_ui(ui, &self.preferences, laboratory, &self.clock, pool);
            });
        self.preferences.widths[1] = side.response.rect.width();
    }

    /// Draws the time bar, or the progress of an animation that is being filmed.
    fn time_bar_ui(&self, ctx: &egui::Context) {
        let margin = egui::Margin::symmetric(10, 4);
        let frame = egui::Frame::new().fill(theme::panel()).inner_margin(margin);
        let bar = egui::TopBottomPanel::bottom("time bar").exact_height(time_bar::HEIGHT);
        bar.frame(frame).show(ctx, |ui| match self.disk.film.progress() {
            Some(progress) => filming::film_progress_ui(ui, progress),
            None => {
                time_bar::time_bar_ui(ui, &self.laboratory, self.input.shift);
            }
        });
    }

    fn answers_are_docked(&self, ctx: &egui::Context) -> bool {
        let has_room = ctx.screen_rect().width() >= NARROW;
        self.windows.studies.open
            && self.preferences.answers_docked
            && has_room
            && self.windows.interface
    }

    fn panel_ui(&mut self, ui: &mut egui::Ui) {
        let context = panel::PanelContext {
            preferences: &mut self.preferences,
            microscope: &mut self.scene.microscope,
            opened: &mut self.panel.opened,
            dials: &mut self.panel.dials,
        };
        let settings = panel::panel_ui(ui, &self.laboratory, &self.answers, context);
        match self.laboratory.configure_selected(settings) {
            Ok(()) => self.messages.remove("settings"),
            Err(e) => self.messages.error("settings", e),
        }
    }

    /// Blows wind from the mouse position while the wind key is held and the mouse is over the
    /// scene.
    fn blow_ui(&mut self, painter: &egui::Painter) {
        let has_modal = self.disk.files.open() || self.question.is_some();
        let typing = painter.ctx().wants_keyboard_input() || has_modal;
        let held = self.input.blow && !typing;
        let cursor = self.tools.hand.cursor.filter(|_| held);
        let cell = cursor.and_then(|cursor| self.scene.stage.cell_at(cursor));
        let viewport = cell.map(|cell| &self.scene.stage.cells[cell].viewport);
        let now = self.clock.now();
        let blown = self.tools.blower.handle_mouse(
            cursor.zip(viewport),
            &self.scene.camera,
            now,
            &self.laboratory,
        );
        painter.ctx().request_all(blown.map(Action::SendCommand));
        if let Some(viewport) = viewport {
            self.tools.blower.draw(painter, &self.scene.camera, viewport);
        }
    }

    /// Explains why a drag grabs nothing in a viewport if all its lanes have exploded.
    fn explain_failed_drag(&mut self, scene: &egui::Response) {
        let begins = scene.drag_started_by(egui::PointerButton::Primary);
        if !begins || self.tools.hand.held().is_some() || self.tools.hand.drawn().stroke.is_some() {
            return;
        }
        let cell = self.tools.hand.cursor.and_then(|cursor| self.scene.stage.cell_at(cursor));
        let lanes = cell.map_or(&[][..], |cell| &self.scene.stage.cells[cell].lanes);
        if !lanes.is_empty() && lanes.iter().all(|lane| self.scene.pictures.has_exploded(*lane)) {
            let text = "An exploded lane cannot be dragged. R restarts the scene.";
            self.messages.note("dead", text, self.clock.now());
        }
    }

    /// Explains why a pinned particle does not follow the spring of a mouse drag.
    pub(super) fn explain_fixed_pin(&mut self) {
        let held = self.tools.hand.held().filter(|_| self.tools.hand.has_dragged);
        let tool = self.preferences.drag;
        let soft = tool.grab_mode(self.input.shift) == GrabMode::Spring;
        let pins = self.laboratory.selected().simulation.model().pins();
        let held = held.and_then(|(held, _)| held.particle());
        if soft && held.is_some_and(|held| pins.iter().any(|pin| pin.particle == held)) {
            let drag = if tool == Tool::Hard { "A drag without Shift" } else { "Shift+drag" };
            let text = format!(
                "The spring does not move a pin. {drag} moves it; a double click frees it."
            );
            self.messages.note("pin", text, self.clock.now());
        }
    }

    /// Returns the height of the readings and arrow legends at the lower edge of the scene, in
    /// points.
    fn height_of_keys(&self) -> f32 {
        let Preferences { velocities, net_forces, forces, .. } = self.preferences;
        let lines = [velocities, net_forces, forces].into_iter().filter(|is_shown| *is_shown);
        let is_first = self.scene.stage.cells.len() < 2;
        let lines = if is_first { lines.count() } else { 0 };
        self.scene.stage.room.hints + LINE * lines as f32
    }

    fn scene_ui(&mut self, scene: &egui::Response) {
        let ctx = &scene.ctx;
        let scale = ctx.pixels_per_point();
        let Preferences { overlay, readings, .. } = self.preferences;
        let wanted = Arrangement { overlay, readings, microscope: self.scene.microscope.on };
        self.scene.arrange(scene.rect, scale, &self.laboratory, wanted);
        let around = HandContext {
            input: &self.input,
            stage: &self.scene.stage,
            pictures: &self.scene.pictures,
            scale,
            tool: self.preferences.drag,
            tool_has_mouse: self.tools.builder.has_mouse(),
        };
        self.overhead.hand =
            seconds_of(|| self.tools.hand.handle_mouse(scene, &around, &mut self.scene.camera));
        let (ball, camera) = (&self.preferences.ball, &self.scene.camera);
        self.tools.builder.handle_mouse(scene, &self.tools.hand, &around, camera, ball);
        let painter = ctx.layer_painter(egui::LayerId::background()).with_clip_rect(scene.rect);
        headings::separators(&painter, &self.scene.stage, self.preferences.chips);
        let scene_rect = scene.rect.with_max_y(scene.rect.bottom() - self.scene.stage.room.hints);
        self.tools.builder.draw(&painter, scene_rect, &self.tools.hand, &around, camera);
        let particles = self.scene.pictures.shape().particles;
        let (stage, pictures) = (&self.scene.stage, &self.scene.pictures);
        let ruler = self.tools.builder.ruler(particles);
        self.tools.ruler_text =
            ruler.and_then(|ruler| ruler.draw(&painter, stage, pictures, camera));
        self.explain_failed_drag(scene);
        self.blow_ui(&painter);
        self.draw_over_scene(scene, &painter);
    }

    /// Draws marks over the scene: legend, modes, forces, arrows, readings and chips.
    fn draw_over_scene(&mut self, scene: &egui::Response, painter: &egui::Painter) {
        if self.preferences.strain_colors && scene.rect.width() > 420.0 {
            let up = self.height_of_keys();
            legend::legend(painter, scene.rect, up, self.preferences.strain_range);
        }
        let sight = Sight {
            laboratory: &self.laboratory,
            stage: &self.scene.stage,
            pictures: &self.scene.pictures,
            camera: &self.scene.camera,
        };
        answers::draw_modes(painter, &self.answers, &sight);
        if scene.clicked_by(egui::PointerButton::Primary)
            && !self.tools.builder.has_mouse()
            && let Some(cursor) = self.tools.hand.cursor
        {
            self.scene.forces.select_link(cursor, &sight);
            let hovered = self.tools.hand.hovered().and_then(|hover| hover.target.particle());
            let scene = self.laboratory.session().scene();
            hovered.into_iter().for_each(|particle| self.plots.picked.pick(particle, scene));
        }
        if self.preferences.motion_plots
            && let Some(picked) = self.plots.picked.particle(self.laboratory.session().scene())
        {
            plots::draw_picked(painter, picked, &sight);
        }
        self.scene.forces.draw(painter, self.preferences.forces, &sight);
        let Preferences { velocities, net_forces, forces, .. } = self.preferences;
        let shown = ShownArrows { velocities, net_forces };
        self.scene.arrows.draw(painter, shown, &sight, u8::from(forces));
        if self.scene.microscope.on {
            accumulator_bars::draw_bars(painter, &sight);
        }
        if self.preferences.readings {
            annotations::draw(painter, &self.scene.annotations, &sight);
        }
        if self.preferences.chips {
            headings::chips_ui(&scene.ctx, &self.scene.stage, &self.laboratory, &self.answers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_texts_leave_the_panel_in_sight() {
        for width in [640.0, 800.0, 1280.0, 3840.0] {
            let scale = largest_text(width);
            assert!(
                scale >= 1.0 && (scale == 1.0 || width / scale >= TINY),
                "window of {width} points: text scale {scale}"
            );
        }
        assert!(largest_text(1280.0) > 1.99, "200 % in a window of 1280 points");
        assert_eq!(largest_text(500.0), 1.0);
    }
}
