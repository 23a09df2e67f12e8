//! Study that searches for recommended settings and shows them with buttons for applying them.

use super::computation::{progress_ui, quiet_text_ui};
use crate::analysis::advise::{
    Advice, AdviceInWords, AdviceQuestion, Goal, Trial, advise, in_longest_frame,
};
use crate::analysis::job::{Job, JobEnd, JobPool};
use crate::app::answers::code_button;
use crate::app::charts::{emptiest_corner, study_chart_ui, to_rgb};
use crate::app::input::actions::{Action, CodeSubject, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::panel::si_ui;
use crate::app::plots::save_ui;
use crate::app::theme;
use crate::app::timing::wall_clock::wall_seconds;
use crate::app::widgets::marks::Marked;
use crate::export::advice_chart::{advice_chart, draw_advice};
use crate::scene::settings_to_ron;
use crate::session::Display;
use crate::simulation::settings::{Command, MOST_LANES};
use egui_macroquad::egui::{self, RichText, Ui};

pub struct AdviceStudy {
    by_stretch: bool,
    error: f64,
    stretch: f64,
    duration: f64,
    job: Option<Job<Trial, Advice>>,
    question: Option<AdviceQuestion>,
    trials: Vec<Trial>,
    advice: Option<Advice>,
    failed: bool,
}

impl Default for AdviceStudy {
    fn default() -> Self {
        Self {
            by_stretch: true,
            error: 0.01,
            stretch: 0.05,
            duration: 3.0,
            job: None,
            question: None,
            trials: Vec::new(),
            advice: None,
            failed: false,
        }
    }
}

impl AdviceStudy {
    pub fn advice_ui(&mut self, ui: &mut Ui, pool: &JobPool, laboratory: &Laboratory) {
        quiet_text_ui(
            ui,
            "Searches integrators, solvers, sweeps and substeps for the cheapest settings that \
            meet your goal. Every recommendation was run for the whole duration, does not damp \
            the swing, and stays stable with 1.5 times the step or the stiffness.",
        );
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.by_stretch, true, "links stretch at most");
            let mut percent = 100.0 * self.stretch;
            let drag = egui::DragValue::new(&mut percent).range(0.01..=1000.0).speed(0.1);
            ui.add_enabled(self.by_stretch, drag.suffix(" %").max_decimals(3));
            self.stretch = percent / 100.0;
        });
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.by_stretch, false, "error at most");
            let mut percent = 100.0 * self.error;
            let drag = egui::DragValue::new(&mut percent).range(0.001..=100.0).speed(0.01);
            ui.add_enabled(!self.by_stretch, drag.suffix(" % of the motion").max_decimals(4));
            self.error = percent / 100.0;
            ui.label("for");
            si_ui(ui, &mut self.duration, 0.5..=60.0, "s");
        });
        match &self.job {
            Some(job) => {
                if progress_ui(ui, job) {
                    job.cancel();
                }
            }
            None => {
                if ui.button("Search").marked("advice: search").clicked() {
                    self.start(pool, laboratory);
                }
            }
        }
        self.collect_results();
        if self.failed {
            ui.colored_label(
                theme::warning(),
                "The search failed. The terminal (standard error) \
                shows the details.",
            );
        }
        let (Some(question), Some(advice)) = (&self.question, &self.advice) else { return };
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if advice.best.is_none() && self.job.is_some() {
                // A search that is still running may yet find settings.
                quiet_text_ui(ui, &format!("{} settings tried so far.", advice.tried));
            } else {
                best_ui(ui, question, advice, laboratory);
            }
            front_ui(ui, question, advice);
            ui.horizontal(|ui| {
                let scene = &laboratory.session().scene().name;
                let drawing = || Some(draw_advice(scene, question, advice));
                save_ui(ui, "advice: ", "advice", drawing);
            });
            rejected_ui(ui, advice);
        });
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory) {
        let goal =
            if self.by_stretch { Goal::Stretch(self.stretch) } else { Goal::Error(self.error) };
        let question = AdviceQuestion { goal, budget: None, duration: self.duration };
        let lane = laboratory.selected();
        let settings = *lane.simulation.settings();
        let frames = Display::frame_times(lane.display.source(), &settings, self.duration);
        let settings = in_longest_frame(settings, &frames);
        let parts = laboratory.session().scene().parts.clone();
        (self.question, self.failed) = (Some(question), false);
        self.trials.clear();
        self.advice = None;
        self.job =
            Some(pool.start(move |work| advise(&parts, &settings, &question, &wall_seconds, work)));
    }

    /// Collects the results found so far. A cancelled search keeps its results.
    fn collect_results(&mut self) {
        let (Some(job), Some(question)) = (&mut self.job, &self.question) else { return };
        let known = self.trials.len();
        self.trials.extend(job.partials());
        if self.trials.len() > known {
            self.advice = Some(Advice::of(question, &self.trials));
        }
        match job.result() {
            None => return,
            Some(Ok(advice)) => self.advice = Some(advice),
            Some(Err(JobEnd::Cancelled(_))) => {}
            Some(Err(JobEnd::Failed | JobEnd::NoThreads(_))) => self.failed = true,
        }
        self.job = None;
    }
}

fn best_ui(ui: &mut Ui, question: &AdviceQuestion, advice: &Advice, laboratory: &Laboratory) {
    let AdviceInWords { headline, details } = advice.in_words(question);
    let Some(best) = &advice.best else {
        ui.colored_label(theme::warning(), headline);
        quiet_text_ui(ui, &details);
        return;
    };
    ui.label(RichText::new(headline).strong());
    quiet_text_ui(ui, &details);
    ui.horizontal(|ui| {
        let room = laboratory.session().lanes().len() < MOST_LANES;
        let button = ui.add_enabled(room, egui::Button::new("Try it in a new lane"));
        let button = button.marked("advice: try it");
        if button.clicked() {
            let (name, settings) = ("advice".to_owned(), best.settings);
            ui.request(Action::SendCommand(Command::AddLane { name, settings }));
            ui.request(Action::Reset);
        }
        if ui.button("Set the selected lane").clicked() {
            let lane = laboratory.selected_index();
            let settings = best.settings;
            ui.request(Action::SendCommand(Command::Configure { lane, settings }));
            ui.request(Action::Reset);
        }
        if ui.button("Copy for a scene file").clicked() {
            ui.ctx().copy_text(settings_to_ron(&best.settings));
        }
        let code = CodeSubject::Advised("What to use".to_owned(), Box::new(best.settings));
        code_button(ui, "advice: code", code);
    });
}

fn front_ui(ui: &mut Ui, question: &AdviceQuestion, advice: &Advice) {
    let colors = [theme::quiet(), theme::accent(), theme::text()];
    let mut chart = advice_chart("front", question, advice);
    for (curve, color) in chart.curves.iter_mut().zip(colors) {
        curve.colour = to_rgb(color);
    }
    study_chart_ui(ui, &chart, 200.0, emptiest_corner(&chart));
}

fn rejected_ui(ui: &mut Ui, advice: &Advice) {
    if advice.rejected.is_empty() {
        return;
    }
    ui.label("Why not …");
    egui::Grid::new("rejected").num_columns(2).spacing([14.0, 3.0]).show(ui, |ui| {
        for rejected in &advice.rejected {
            ui.label(&rejected.name);
            quiet_text_ui(ui, &rejected.why);
            ui.end_row();
        }
    });
}
