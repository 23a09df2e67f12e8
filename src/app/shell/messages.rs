//! Messages of the window: errors stay until the user dismisses them, notes disappear by
//! themselves.

use super::bar_sizes::STATUS_BAR;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::theme;
use crate::app::widgets::close_ui;
use crate::app::widgets::marks::Marked;
use egui_macroquad::egui::{self, Align, Layout};

const NOTE_SECONDS: f64 = 6.0;
/// Width in points of the coloured stripe at the left end of a message.
const STRIPE: f32 = 3.0;
/// Assumed height in points of the error strip until its real height has been measured.
const FIRST_HEIGHT: f32 = 40.0;
/// Maximum number of messages. The oldest one is dropped first.
const MOST_MESSAGES: usize = 5;

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    topic: String,
    text: String,
    offer: Option<Offer>,
    disappears_at: Option<f64>,
}

/// Button of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub label: String,
    /// Actions that the button requests.
    pub actions: Vec<Action>,
}

#[derive(Debug, Default)]
pub struct Messages {
    shown: Vec<Message>,
}

impl Messages {
    /// Shows an error until the user dismisses it.
    pub fn error(&mut self, topic: &str, text: impl Into<String>) {
        self.show(topic, text.into(), None, None);
    }

    /// Shows an error with a button.
    pub fn offer(&mut self, topic: &str, text: impl Into<String>, offer: Offer) {
        self.show(topic, text.into(), Some(offer), None);
    }

    /// Shows a note that disappears by itself. `now` is in seconds since the window opened.
    pub fn note(&mut self, topic: &str, text: impl Into<String>, now: f64) {
        self.show(topic, text.into(), None, Some(now + NOTE_SECONDS));
    }

    /// Shows a message in place of an older message on the same topic.
    fn show(
        &mut self,
        topic: &str,
        text: String,
        offer: Option<Offer>,
        disappears_at: Option<f64>,
    ) {
        self.remove(topic);
        self.shown.push(Message { topic: topic.to_owned(), text, offer, disappears_at });
        if self.shown.len() > MOST_MESSAGES {
            self.shown.remove(0);
        }
    }

    pub fn remove(&mut self, topic: &str) {
        self.shown.retain(|message| message.topic != topic);
    }

    /// Dismisses the newest message. Returns false if there was none.
    pub fn dismiss(&mut self) -> bool {
        self.shown.pop().is_some()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().map(|message| message.text.as_str())
    }

    pub fn has_topic(&self, topic: &str) -> bool {
        self.shown.iter().any(|message| message.topic == topic)
    }

    /// Draws the errors in a strip below the scene. The strip reduces the height of the scene.
    pub fn errors_ui(&mut self, ctx: &egui::Context) {
        if self.shown.iter().all(|message| message.disappears_at.is_some()) {
            return;
        }
        let frame = egui::Frame::new().fill(theme::panel());
        egui::TopBottomPanel::bottom("messages")
            .frame(frame)
            .resizable(false)
            .default_height(FIRST_HEIGHT)
            .show_separator_line(false)
            .show(ctx, |ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                self.shown
                    .retain(|message| message.disappears_at.is_some() || !message_ui(ui, message));
            });
    }

    /// Draws the notes over the status line, where they cover neither scene nor controls. `now` is
    /// in seconds since the window opened.
    pub fn notes_ui(&mut self, ctx: &egui::Context, now: f64) {
        self.shown.retain(|message| message.disappears_at.is_none_or(|end| now < end));
        let notes = self.shown.iter().filter(|message| message.disappears_at.is_some());
        let texts: Vec<&str> = notes.map(|message| message.text.as_str()).collect();
        if !texts.is_empty() && strip_ui(ctx, &texts.join("  ·  ")) {
            self.shown.retain(|message| message.disappears_at.is_none());
        }
    }
}

/// Draws a line of text over the status line. If the text does not fit, the tooltip shows all of
/// it. Returns true if the user dismissed the text.
fn strip_ui(ctx: &egui::Context, text: &str) -> bool {
    let window = ctx.screen_rect();
    let strip = window.with_min_y(window.bottom() - STATUS_BAR);
    let area = egui::Area::new(egui::Id::new("notes"))
        .fixed_pos(strip.min)
        // Egui assumes a height of 400 points for an area that is not measured yet, and would move
        // the area up into the window. The area would keep this height and intercept clicks.
        .constrain(false)
        .order(egui::Order::Foreground)
        // `Sense::click()` would make the Tab key stop at the notes.
        .sense(egui::Sense::CLICK);
    let shown = area.show(ctx, |ui| {
        ui.allocate_rect(strip, egui::Sense::hover()).marked("note");
        ui.painter().rect_filled(strip, 0.0, theme::panel());
        let stripe = strip.with_max_x(strip.left() + STRIPE);
        ui.painter().rect_filled(stripe, 2.0, theme::accent());
        let inside = egui::UiBuilder::new()
            .max_rect(strip.shrink2(egui::vec2(12.0, 0.0)))
            .layout(Layout::right_to_left(Align::Center));
        let mut dismissed = false;
        ui.scope_builder(inside, |ui| {
            dismissed = close_ui(ui, "dismiss", "Dismiss (Esc)");
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(text).truncate().selectable(true));
            });
        });
        dismissed
    });
    shown.inner
}

/// Draws an error. Returns true if the user dismissed the error.
fn message_ui(ui: &mut egui::Ui, message: &Message) -> bool {
    let mut dismissed = false;
    let margin = egui::Margin::symmetric(12, 6);
    let frame = egui::Frame::new().fill(theme::panel()).inner_margin(margin);
    let frame = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
            dismissed |= close_ui(ui, "dismiss", "Dismiss (Esc)");
            let line = ui.text_style_height(&egui::TextStyle::Body);
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                // Centres the first line of text vertically on the close button.
                ui.add_space((ui.spacing().interact_size.y - line) / 2.0);
                ui.horizontal_wrapped(|ui| {
                    ui.add(egui::Label::new(&message.text).wrap().selectable(true));
                    if let Some(Offer { label, actions }) = &message.offer
                        && ui.button(label).marked(label).clicked()
                    {
                        ui.request_all(actions.iter().cloned());
                        dismissed = true;
                    }
                });
            });
        });
    });
    let rect = frame.response.rect;
    let stripe = rect.with_max_x(rect.left() + STRIPE);
    ui.painter().rect_filled(stripe, 2.0, theme::warning());
    dismissed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::widgets::marks;

    #[test]
    fn notes_of_every_number_and_length_cover_the_status_line_only() {
        marks::remember_widgets(true);
        let app = |ctx: &egui::Context, messages: &mut Messages| messages.notes_ui(ctx, 0.0);
        let mut harness = egui_kittest::Harness::new_state(app, Messages::default());
        harness.run_steps(2);
        let window = harness.ctx.screen_rect();
        let line = window.with_min_y(window.bottom() - STATUS_BAR);
        let mut seen = 0;
        for (topic, text) in [("a", "Short."), ("b", "Another one."), ("a", "Long. ")] {
            harness.state_mut().note(topic, text.repeat(40), 0.0);
            for frame in 0..3 {
                harness.run_steps(1);
                let widgets = marks::take_widgets(&harness.ctx);
                for (name, place) in &widgets {
                    assert!(line.expand(3.0).contains_rect(*place), "{text} {frame}: {name}");
                }
                let above = egui::pos2(window.center().x, line.top() - 30.0);
                let layer = harness.ctx.layer_id_at(above).map(|layer| layer.order);
                assert_ne!(layer, Some(egui::Order::Foreground), "{text} {frame}: clicks above");
                seen += usize::from(widgets.contains_key("note"));
            }
        }
        assert!(seen >= 6, "notes in {seen} frames of 9");
        assert_eq!(harness.state().texts().count(), 2);
    }

    #[test]
    fn a_note_disappears_by_itself_and_is_replaced_by_one_of_its_topic() {
        let app = |ctx: &egui::Context, (messages, now): &mut (Messages, f64)| {
            messages.notes_ui(ctx, *now);
        };
        let mut harness = egui_kittest::Harness::new_state(app, (Messages::default(), 0.0));
        let (messages, _) = harness.state_mut();
        messages.note("a", "First.", 0.0);
        messages.note("a", "Second.", 1.0);
        messages.error("b", "An error.");
        for (now, texts) in
            [(NOTE_SECONDS, &["Second.", "An error."][..]), (NOTE_SECONDS + 1.5, &["An error."])]
        {
            harness.state_mut().1 = now;
            harness.run_steps(1);
            assert_eq!(harness.state().0.texts().collect::<Vec<_>>(), texts, "{now}");
        }
    }
}
