//! `ropelab choose`: comparison of solvers at equal cost.

use crate::cli::error::Error;
use crate::cli::jobs::{clock, wait};
use crate::cli::runs::chosen;
use crate::cli::streams::{open_scene, print, print_json, scene_name};
use crate::cli::watchdog::Patience;
use clap::Args;
use ropelab::analysis::advise::{BudgetTrial, EqualBudgets, SolverTrials, equal_budgets};
use ropelab::analysis::in_words::{metres_in_words, percent, percent_to};
use ropelab::analysis::job::JobPool;
use ropelab::names::table::Table;
use ropelab::quantity::{argument, four_digits};
use serde::Serialize;
use std::ffi::OsString;

/// Compare solvers at equal cost: their errors for the same computing time per frame
///
/// Every solver takes as many substeps in a frame of 1/60 s as the budget pays for. The table shows
/// the error and the greatest stretch of a link for each solver. The error is the greatest distance
/// from a precise run (a reference run with tiny steps), divided by the size of the motion. To find
/// settings that meet a goal, use `advise`.
///
/// Examples:
///   ropelab choose heavy-load
///   ropelab choose my-rope.ron --budgets 0.05ms,0.5ms --duration 5
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Choose {
    /// Names of scenes (`ropelab list scenes`) or scene files
    #[arg(required = true)]
    scenes: Vec<OsString>,
    /// Lane of the scenes by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Computing times per frame at which solvers are compared
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "0.1ms,1ms,10ms",
        value_parser = argument::parse_positive_duration)]
    budgets: Vec<f64>,
    /// Simulated time for which every solver is run
    #[arg(long, value_name = "TIME", default_value = "2", value_parser = argument::parse_duration)]
    duration: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Debug, Serialize)]
struct ChooseReport {
    /// Name of a library scene, or path of a scene file.
    scene: String,
    /// Title of the scene.
    title: String,
    #[serde(flatten)]
    budgets: EqualBudgets,
}

#[derive(Debug, Serialize)]
struct ChooseReports {
    /// Simulated time of each run in seconds.
    duration: f64,
    /// Trials per scene.
    scenes: Vec<ChooseReport>,
}

impl Choose {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let mut scenes = Vec::new();
        for scene in &self.scenes {
            scenes.push(self.compare_solvers(scene)?);
        }
        let reports = ChooseReports { duration: self.duration, scenes };
        if self.json { print_json(&reports) } else { print(&reports.to_text(&self.budgets)) }
    }

    fn compare_solvers(&self, name: &OsString) -> Result<ChooseReport, Error> {
        let scene = open_scene(name)?;
        let settings = chosen::find_lane(&scene, self.lane.as_deref())?.settings;
        let (parts, asked) = (scene.parts.clone(), (self.budgets.clone(), self.duration));
        let job = JobPool::of_all_cores().start(move |work| {
            let (budgets, duration) = &asked;
            equal_budgets(&parts, &settings, budgets, *duration, &clock(), work)
        });
        let budgets = wait(job)?;
        Ok(ChooseReport { scene: scene_name(name), title: scene.name.clone(), budgets })
    }
}

impl ChooseReports {
    fn to_text(&self, asked: &[f64]) -> String {
        let duration = four_digits::format_seconds(self.duration);
        let mut text = String::new();
        for ChooseReport { title, budgets, .. } in &self.scenes {
            let EqualBudgets {
                solvers,
                predictable_for,
                end_of_errors,
                error_size,
                uncertainty,
                rigid_reference,
            } = budgets;
            text += &format!("{title}, {duration}\n");
            if let (Some(seconds), Some(end)) = (predictable_for, end_of_errors) {
                text += &format!("{}\n", end.in_words(*seconds).trim_start());
            }
            if let Some(uncertainty) = uncertainty {
                let uncertainty = percent(*uncertainty);
                text += &format!("The precise run itself is uncertain by {uncertainty}.\n");
            }
            if let Some(sentence) = rigid_reference {
                text += &format!("{sentence}\n");
            }
            let size = metres_in_words(*error_size);
            text += &format!("Errors are fractions of {size}, the size of the motion.\n");
            for (place, budget) in asked.iter().enumerate() {
                text += &format!("\n{} a frame\n", four_digits::format_seconds(*budget));
                let row = |SolverTrials { solver, least, spent }: &SolverTrials| {
                    let cells = spent.get(place).map(|spent| format_cells(spent, *least));
                    let [substeps, error, stretch] = cells.unwrap_or_default();
                    [(*solver).to_owned(), substeps, error, stretch]
                };
                let head = ["Solver", "Substeps", "Error", "Greatest stretch"];
                text += &Table::new(head, solvers.iter().map(row)).to_text();
            }
            text += "\n";
        }
        text += "error: greatest distance from a precise run, divided by the size of the motion; \
                 runs are stopped at 40 %\n";
        text
    }
}

/// Returns the substeps, error and stretch of a solver as text, or the reason why it has no result.
fn format_cells(spent: &BudgetTrial, least: f64) -> [String; 3] {
    let none = || "–".to_owned();
    let Some(trial) = &spent.trial else {
        return [none(), format!("a step takes {}", four_digits::format_seconds(least)), none()];
    };
    let substeps = trial.settings.substeps.to_string();
    match trial.exploded_at {
        Some(at) => [substeps, format!("explodes at {}", four_digits::format_seconds(at)), none()],
        None => {
            let error = match trial.has_uncertain_error() {
                true => format!("at most {}", percent_to(trial.error_limit, 2)),
                false => percent_to(trial.error, 2),
            };
            [substeps, error, percent_to(trial.stretch, 2)]
        }
    }
}
