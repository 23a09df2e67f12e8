//! Map of the selected lane: its stability, stretch or error for all pairs of values of two
//! quantities.

mod axis_picker;
mod cell_chart;
mod choices;

use crate::analysis::job::{Job, JobPool};
use crate::analysis::map::{Cell, MapLine, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity};
use crate::app::answers::{Answers, longest_steps_ui};
use crate::app::laboratory::Laboratory;
use crate::app::plots::save_ui;
use crate::app::studies::computation::{progress_ui, quiet_text_ui};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::export::cells::CellFile;
use crate::export::chart::{Curve, CurveStyle};
use crate::export::drawing::{Drawing, INK};
use crate::export::map_charts::draw_map;
use crate::simulation::settings::Settings;
use axis_picker::present_value;
use cell_chart::CellChart;
use choices::MapChoices;
use egui_macroquad::egui::{Label, RichText, Ui};

/// Settings and plan of a map. A change of either starts another map.
#[derive(Clone, Debug, PartialEq)]
struct MapRequest {
    settings: Settings,
    plan: Result<MapPlan, String>,
}

#[derive(Default)]
pub struct MapStudy {
    choices: Option<MapChoices>,
    request: Option<MapRequest>,
    map: Option<Map>,
    job: Option<Job<MapLine, Vec<MapLine>>>,
    problem: Option<String>,
    chart: CellChart,
}

struct Map {
    plan: MapPlan,
    lines: Vec<Option<MapLine>>,
}

impl Map {
    /// Returns the line of cells with this index, or the nearest lower line that is finished.
    fn line(&self, number: usize) -> Option<&MapLine> {
        self.lines[..=number].iter().rev().flatten().next()
    }

    /// Returns a cell. Row 0 is the lowest.
    fn cell(&self, column: usize, row: usize) -> Option<Cell> {
        let (line, cell) = if self.plan.by_columns() { (column, row) } else { (row, column) };
        self.line(line).map(|line| line.cells[cell])
    }

    /// Returns the map as a drawing with a mark at the lane's own values; `None` until the first
    /// line of cells is finished.
    fn drawing(&self, laboratory: &Laboratory) -> Option<Drawing> {
        let line = |number| self.line(number).map(|line| MapLine { number, ..line.clone() });
        let lines = (0..self.lines.len()).map(line).collect::<Option<_>>()?;
        let here =
            [&self.plan.x, &self.plan.y].map(|axis| present_value(&axis.quantity, laboratory));
        let mark = match here {
            [Some(x), Some(y)] => {
                let name = format!("lane {}", laboratory.selected().name);
                vec![Curve::new(name, vec![[x, y]], CurveStyle::Dots, INK)]
            }
            _ => Vec::new(),
        };
        let scene = laboratory.session().scene().name.clone();
        Some(draw_map(&CellFile { scene, plan: self.plan.clone(), lines }, &mark))
    }
}

impl MapStudy {
    pub fn map_ui(
        &mut self,
        ui: &mut Ui,
        pool: &JobPool,
        laboratory: &Laboratory,
        answers: &Answers,
    ) {
        let settings = *laboratory.selected().simulation.settings();
        let choices = self.choices.get_or_insert_with(|| MapChoices::new(laboratory));
        choices.choices_ui(ui, laboratory, &settings);
        let request = MapRequest::of(choices, settings);
        if self.request.as_ref() != Some(&request) {
            self.start(pool, laboratory, request);
        }
        self.collect_results();
        if let Some(problem) = &self.problem {
            let problem = RichText::new(problem).color(theme::warning());
            ui.add(Label::new(problem).wrap()).marked("map: problem");
            return;
        }
        let Some(map) = &self.map else { return };
        quiet_text_ui(ui, shown_text(map.plan.shown));
        let (name, title) = (&laboratory.selected().name, settings.integrator.info().title);
        let integrator = if name.contains(title) { String::new() } else { format!(", {title}") };
        let mut text = format!(
            "Lane {name}{integrator}. Click a cell to give the lane the settings of the \
                cell."
        );
        if !settings.stepping.uses_dt() {
            text += " The dt of the cell is ignored: the lane's frames determine the step.";
        }
        quiet_text_ui(ui, &text);
        longest_steps_ui(ui, answers, laboratory);
        let known = answers.limit(laboratory.selected().color);
        let longest = known.map(|known| known.limit.longest());
        self.chart.cell_chart_ui(ui, map, laboratory, longest);
        ui.horizontal(|ui| self.buttons_ui(ui, laboratory));
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory, request: MapRequest) {
        // Dropping the job cancels its computation, which checks for this between slices.
        (self.job, self.map, self.problem) = (None, None, None);
        self.chart.is_stale = true;
        let file = self.choices.as_ref().and_then(|choices| choices.file.clone());
        let mapped_scene = MappedScene {
            parts: laboratory.session().scene().parts.clone(),
            settings: request.settings,
            file,
            lane: laboratory.selected_index(),
        };
        let checked = request.plan.clone().and_then(|plan| {
            plan.check(&mapped_scene).map(|()| plan).map_err(|error| error.to_string())
        });
        self.request = Some(request);
        match checked {
            Err(problem) => self.problem = Some(problem),
            Ok(plan) => {
                self.map = Some(Map { plan: plan.clone(), lines: vec![None; plan.lines()] });
                self.job =
                    Some(pool.start(move |work| plan.compute(&mapped_scene, MapPart::WHOLE, work)));
            }
        }
    }

    fn collect_results(&mut self) {
        let (Some(job), Some(map)) = (&mut self.job, &mut self.map) else { return };
        for line in job.partials() {
            let number = line.number;
            map.lines[number] = Some(line);
            self.chart.is_stale = true;
        }
        match job.result() {
            None => return,
            Some(Ok(_)) => {}
            Some(Err(error)) => self.problem = Some(error.to_string()),
        }
        self.job = None;
    }

    /// Draws the progress of the computation, or the buttons of a finished map.
    fn buttons_ui(&mut self, ui: &mut Ui, laboratory: &Laboratory) {
        if let Some(job) = &self.job {
            if progress_ui(ui, job) {
                self.job = None;
            }
            return;
        }
        if ui.button("Compute again").marked("map: again").clicked() {
            self.request = None;
        }
        let drawing = || self.map.as_ref()?.drawing(laboratory);
        save_ui(ui, "map: ", "map", drawing);
    }
}

impl MapRequest {
    /// Creates a request. Settings that vary along an axis get fixed values; otherwise changing
    /// them in the lane would start another map.
    fn of(choices: &MapChoices, mut settings: Settings) -> Self {
        let plan = choices.plan(&settings).map_err(|error| error.to_string());
        for axis in plan.iter().flat_map(|plan| [&plan.x, &plan.y]) {
            match axis.quantity {
                Quantity::Dt => settings.dt = Settings::default().dt,
                Quantity::Substeps => settings.substeps = 1,
                Quantity::Iterations => settings.constraints.set_iterations(1),
                _ => {}
            }
        }
        Self { settings, plan }
    }
}

fn shown_text(shown: ShownQuantity) -> &'static str {
    match shown {
        ShownQuantity::Growth => "Colour: growth of a tiny push per step, from the scene at rest.",
        ShownQuantity::Stretch { .. } => {
            "Colour: largest stretch of a link in a run from the start."
        }
        ShownQuantity::Error { .. } => {
            "Colour: largest distance of a particle from its position in a precise run, divided \
            by the size of the motion."
        }
    }
}
