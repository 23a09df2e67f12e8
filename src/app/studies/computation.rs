//! Background computation of a study (its button, progress and result), and texts that several
//! studies share.

use crate::analysis::job::Job;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::integrate::Method;
use crate::quantity::in_words::percent_to;
use egui_macroquad::egui::{self, RichText, Ui};

pub struct Computation<P, R> {
    job: Option<Job<P, R>>,
    failed: bool,
}

impl<P, R> Default for Computation<P, R> {
    fn default() -> Self {
        Self { job: None, failed: false }
    }
}

impl<P, R> Computation<P, R> {
    /// Draws the button that begins the computation or, while it runs, its progress. Returns true
    /// if the user pressed the button.
    pub fn begin_ui(&mut self, ui: &mut Ui, study: &str) -> bool {
        let mut begins = false;
        if let Some(job) = &self.job {
            if progress_ui(ui, job) {
                self.job = None;
            }
        } else {
            let button = ui.button("Measure").marked(format_args!("{study}: measure"));
            begins = button.clicked();
        }
        if self.failed {
            ui.colored_label(
                theme::warning(),
                "The computation failed. The terminal (standard error) shows the details.",
            );
        }
        begins
    }

    pub fn begin(&mut self, job: Job<P, R>) {
        *self = Self { job: Some(job), failed: false };
    }

    pub fn take_result(&mut self) -> Option<R> {
        let result = self.job.as_mut()?.result()?;
        self.job = None;
        self.failed = result.is_err();
        result.ok()
    }
}

/// Draws the progress of a job with a cancel button. Returns true if the user pressed the button.
pub fn progress_ui<P, R>(ui: &mut Ui, job: &Job<P, R>) -> bool {
    let mut cancel = false;
    ui.horizontal(|ui| {
        let button = ui.button("Cancel").marked("cancel");
        cancel = button.clicked();
        let fraction = job.progress();
        ui.add(egui::ProgressBar::new(fraction as f32).text(percent_to(fraction, 0)));
    });
    // The next frame is requested immediately, so results appear without a mouse movement.
    ui.ctx().request_repaint();
    cancel
}

/// Returns the title of the integrator with this name in scene files.
pub fn title_of(name: &'static str) -> &'static str {
    Method::all().find(|method| method.info().name == name).map_or(name, |m| m.info().title)
}

pub fn quiet_text_ui(ui: &mut Ui, text: &str) -> egui::Response {
    ui.add(egui::Label::new(RichText::new(text).color(theme::quiet())).wrap())
}
