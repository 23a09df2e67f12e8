//! The first minute: one line below the scene that offers the next thing to do, until all of them
//! were done.

use crate::app::laboratory::Laboratory;
use crate::app::shell::report::mark;
use crate::app::theme;
use crate::integrate::Method;
use crate::model::Parts;
use egui_macroquad::egui::{self, RichText};

/// Height of the line in points.
const HEIGHT: f32 = 34.0;

/// What the line offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lesson {
    #[default]
    Drag,
    Integrator,
    Step,
    Scenes,
    Done,
}

impl Lesson {
    fn next(self) -> Self {
        match self {
            Self::Drag => Self::Integrator,
            Self::Integrator => Self::Step,
            Self::Step => Self::Scenes,
            Self::Scenes | Self::Done => Self::Done,
        }
    }
}

/// How far a newcomer is.
#[derive(Debug, Default)]
pub struct FirstMinute {
    lesson: Lesson,
    /// Integrator and time step of the selected lane when the lesson began.
    before: Option<(Method, f64)>,
}

impl FirstMinute {
    /// Goes on once what the line offers was done. True after the last lesson.
    pub fn follow(&mut self, laboratory: &Laboratory, has_dragged: bool, gallery: bool) -> bool {
        let settings = laboratory.selected().simulation.settings();
        let (integrator, dt) = *self.before.get_or_insert((settings.integrator, settings.dt));
        let is_done = match self.lesson {
            Lesson::Drag => has_dragged,
            Lesson::Integrator => settings.integrator != integrator,
            Lesson::Step => settings.dt != dt,
            Lesson::Scenes => gallery,
            Lesson::Done => false,
        };
        if is_done {
            *self = Self { lesson: self.lesson.next(), before: None };
        }
        self.lesson == Lesson::Done
    }

    /// The line, in a strip of its own: it covers nothing. True when it was closed.
    pub fn first_minute_ui(&self, ctx: &egui::Context, laboratory: &Laboratory) -> bool {
        let mut closed = false;
        let frame = egui::Frame::new()
            .fill(theme::PANEL)
            .inner_margin(egui::Margin::symmetric(14, 0))
            .stroke(egui::Stroke::new(1.0, theme::SEPARATOR));
        let strip = egui::TopBottomPanel::bottom("first minute").exact_height(HEIGHT).frame(frame);
        strip.show_separator_line(false).show(ctx, |ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let cross = RichText::new("×").size(18.0).color(theme::QUIET);
                let close = ui.add(egui::Button::new(cross).frame(false));
                mark(&close, "close first minute");
                closed = close.on_hover_text("No more of these lines").clicked();
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let text = RichText::new(self.text(laboratory)).size(15.0).color(theme::ACCENT);
                    let line = ui.add(egui::Label::new(text).truncate());
                    mark(&line, "first minute");
                });
            });
        });
        closed
    }

    fn text(&self, laboratory: &Laboratory) -> String {
        match self.lesson {
            Lesson::Drag => {
                let parts = &laboratory.session().scene().parts;
                format!("Drag {}.  Space pauses.  F1 shows all keys.", draggable(parts))
            }
            Lesson::Integrator => "Press 1: explicit Euler takes over. Pull again and watch what \
                                   changes; 4 brings velocity Verlet."
                .to_owned(),
            Lesson::Step => "Drag the slider of the time step to the right, past the red mark if \
                             there is one, and watch the lane explode."
                .to_owned(),
            Lesson::Scenes | Lesson::Done => {
                "R restarts the scene, Backspace brings its own settings back, G shows all scenes."
                    .to_owned()
            }
        }
    }
}

/// What there is to drag.
fn draggable(parts: &Parts) -> &'static str {
    let (ropes, cloths) = (parts.mesh.ropes.len(), parts.mesh.cloths.len());
    match (ropes, cloths, parts.contact.balls.len()) {
        (_, 1, _) => "the cloth",
        (_, 2.., _) => "a cloth",
        (1, 0, _) => "the rope",
        (2.., 0, _) => "a rope",
        (0, 0, 1) => "the ball",
        (0, 0, 2..) => "a ball",
        (0, 0, 0) => "a particle",
    }
}
