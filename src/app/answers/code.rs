//! Window with the code of one step, for a lane or for recommended settings.

use crate::app::input::actions::{Action, CodeSubject, RequestActions, WindowAction};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pressed;
use crate::export::code::{Language, loop_of_scene};
use egui_macroquad::egui::{self, RichText, TextStyle, Ui};

/// Window with the code of a step. The window is closed while `shown` is `None`.
#[derive(Debug)]
pub struct CodeWindow {
    shown: Option<CodeSubject>,
    language: Language,
}

impl Default for CodeWindow {
    fn default() -> Self {
        Self { shown: None, language: Language::Rust }
    }
}

impl CodeWindow {
    pub fn show(&mut self, code: CodeSubject) {
        self.shown = Some(code);
    }

    pub fn is_open(&self) -> bool {
        self.shown.is_some()
    }

    /// Closes the window. Returns false if it was not open.
    pub fn close(&mut self) -> bool {
        self.shown.take().is_some()
    }

    /// Draws the window if it is open. The code of a lane changes with the lane's settings.
    pub fn code_ui(&mut self, ctx: &egui::Context, laboratory: &Laboratory) {
        let lanes = laboratory.session().lanes();
        let (title, settings) = match &self.shown {
            None => return,
            Some(CodeSubject::Lane(color)) => {
                match lanes.iter().find(|lane| lane.color == *color) {
                    Some(lane) => (lane.name.clone(), *lane.simulation.settings()),
                    None => return self.shown = None,
                }
            }
            Some(CodeSubject::Advised(title, settings)) => (title.clone(), **settings),
        };
        let parts = &laboratory.session().scene().parts;
        let code = loop_of_scene(parts, &settings, self.language).map_err(|why| why.to_string());
        let mut open = true;
        let room = ctx.screen_rect().size() - egui::vec2(48.0, 110.0);
        egui::Window::new("Code of a step")
            .open(&mut open)
            .collapsible(false)
            .default_size([760.0_f32.min(room.x), 560.0_f32.min(room.y)])
            .max_size(room)
            .show(ctx, |ui| {
                ui.add(egui::Label::new(RichText::new(title).strong()).truncate());
                self.languages_ui(ui, code.as_deref().ok());
                ui.separator();
                text_ui(ui, &code);
            });
        if !open {
            self.shown = None;
        }
    }

    fn languages_ui(&mut self, ui: &mut Ui, code: Option<&str>) {
        ui.horizontal(|ui| {
            for language in Language::all() {
                let title = language.title();
                ui.selectable_value(&mut self.language, language, title)
                    .marked(format_args!("code in {title}"));
            }
            let copy =
                ui.add_enabled(code.is_some(), egui::Button::new("Copy")).marked("copy code");
            let copy = copy.on_hover_text("Copies the whole code to the clipboard");
            if let Some(code) = code.filter(|_| copy.clicked()) {
                ui.ctx().copy_text(code.to_owned());
            }
        });
    }
}

/// Draws the code as selectable text, or the reason why there is none.
fn text_ui(ui: &mut Ui, code: &Result<String, String>) {
    let mut code = match code {
        Ok(code) => code.as_str(),
        Err(why) => {
            let label = ui.add(egui::Label::new(RichText::new(why).color(theme::warning())).wrap());
            label.marked("no code");
            return;
        }
    };
    let area = egui::ScrollArea::both().auto_shrink(false);
    area.show(ui, |ui| {
        // Long lines are not wrapped, so the text scrolls sideways.
        let mut whole_lines = |ui: &Ui, text: &str, _: f32| {
            let font = TextStyle::Monospace.resolve(ui.style());
            ui.fonts(|fonts| fonts.layout_no_wrap(text.to_owned(), font, theme::text()))
        };
        let text = egui::TextEdit::multiline(&mut code).layouter(&mut whole_lines);
        ui.add(text.desired_width(f32::INFINITY).frame(false)).marked("code");
    });
}

/// Draws a button that shows a step with these settings as code. Returns true if the button was
/// clicked. `name` identifies the button in reports.
pub fn code_button(ui: &mut Ui, name: impl std::fmt::Display, code: CodeSubject) -> bool {
    let tip = "Shows one step with these settings as plain code to copy into your own program";
    let is_wanted = pressed(ui.button("Code"), name, tip);
    if is_wanted {
        ui.request(Action::Window(WindowAction::ShowCode(code)));
    }
    is_wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Method;
    use crate::simulation::settings::Settings;
    use egui::{Context, OutputCommand, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    fn harness(code: CodeSubject) -> Harness<'static, (CodeWindow, Laboratory)> {
        let laboratory = Laboratory::listed(0);
        let mut window = CodeWindow::default();
        window.show(code);
        let app = |ctx: &Context, (window, laboratory): &mut (CodeWindow, Laboratory)| {
            theme::apply(ctx);
            window.code_ui(ctx, laboratory);
        };
        let mut harness = Harness::builder()
            .with_size(vec2(1280.0, 800.0))
            .build_state(app, (window, laboratory));
        harness.run_steps(3);
        harness
    }

    /// Clicks a button and returns the text that this copied.
    fn click(harness: &mut Harness<(CodeWindow, Laboratory)>, button: &str) -> Option<String> {
        harness.get_by_label(button).click();
        let mut copied = None;
        for _ in 0..3 {
            harness.run_steps(1);
            let commands = &harness.output().platform_output.commands;
            copied = copied.or_else(|| {
                commands.iter().find_map(|command| match command {
                    OutputCommand::CopyText(text) => Some(text.clone()),
                    _ => None,
                })
            });
        }
        copied
    }

    /// The window and the command line write the same code in each language.
    #[test]
    fn a_lane_is_shown_in_each_language_and_copied() {
        let mut harness = harness(CodeSubject::Lane(0));
        for language in Language::all() {
            click(&mut harness, language.title());
            let (_, laboratory) = harness.state();
            let settings = *laboratory.session().lanes()[0].simulation.settings();
            let parts = &laboratory.session().scene().parts;
            let wanted = loop_of_scene(parts, &settings, language).unwrap();
            let shown = harness.get_by_role(egui::accesskit::Role::MultilineTextInput);
            assert_eq!(shown.value().as_deref(), Some(wanted.as_str()));
            assert_eq!(click(&mut harness, "Copy"), Some(wanted));
        }
    }

    #[test]
    fn the_code_follows_the_settings_of_its_lane() {
        let mut harness = harness(CodeSubject::Lane(0));
        let shown = |harness: &Harness<(CodeWindow, Laboratory)>| {
            harness.get_by_role(egui::accesskit::Role::MultilineTextInput).value().unwrap()
        };
        let before = shown(&harness);
        let laboratory = &mut harness.state_mut().1;
        let settings = *laboratory.selected().simulation.settings();
        let integrator = Method::Heun;
        laboratory.configure_selected(Settings { integrator, ..settings }).unwrap();
        harness.run_steps(2);
        assert_ne!(shown(&harness), before);
        harness.state_mut().0.close();
        harness.run_steps(2);
        let role = egui::accesskit::Role::MultilineTextInput;
        assert!(harness.query_by_role(role).is_none(), "closed");
    }

    #[test]
    fn settings_without_a_plain_loop_say_why() {
        let integrator = Method::ImplicitEuler;
        let settings = Box::new(Settings { integrator, ..Settings::default() });
        let mut harness = harness(CodeSubject::Advised("advice".to_owned(), settings));
        assert!(harness.query_by_role(egui::accesskit::Role::MultilineTextInput).is_none());
        harness.get_by_label_contains("does not fit into a loop of thirty lines");
        assert_eq!(click(&mut harness, "Copy"), None);
    }
}
