//! Rectangles of named widgets on the screen, for reports of the window and for tests.

use egui_macroquad::egui;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rectangles in points of the widgets drawn since the last report, by name.
#[derive(Clone, Debug, Default)]
struct WidgetPlaces(BTreeMap<String, egui::Rect>);

/// True while the rectangles of widgets are stored. This is the case in reported frames of a window
/// that writes reports.
static WANTED: AtomicBool = AtomicBool::new(false);

pub trait Marked {
    /// Stores the rectangle of the widget under this name if the frame is reported.
    fn marked(self, name: impl Display) -> Self;
}

impl Marked for egui::Response {
    fn marked(self, name: impl Display) -> Self {
        mark_rect(&self.ctx, self.rect, name);
        self
    }
}

/// Stores the rectangle of a drawn shape that is not a widget, if the frame is reported.
pub fn mark_rect(ctx: &egui::Context, rect: egui::Rect, name: impl Display) {
    if WANTED.load(Ordering::Relaxed) {
        ctx.data_mut(|data| {
            let marks: &mut WidgetPlaces = data.get_temp_mut_or_default(egui::Id::NULL);
            marks.0.insert(name.to_string(), rect);
        });
    }
}

pub fn remember_widgets(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

pub fn are_remembered() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Returns the rectangles of the widgets shown since the last call, by name.
pub fn take_widgets(ctx: &egui::Context) -> BTreeMap<String, egui::Rect> {
    ctx.data_mut(|data| {
        std::mem::take(data.get_temp_mut_or_default::<WidgetPlaces>(egui::Id::NULL)).0
    })
}
