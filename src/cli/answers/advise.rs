//! `ropelab advise`: search for settings that meet a goal. A lane is one of several simulations of
//! the same scene.

use crate::cli::error::Error;
use crate::cli::jobs::{Ended, clock, wait_and_watch};
use crate::cli::output::{Output, Overwrite};
use crate::cli::plain_code::first_loop;
use crate::cli::runs::chosen;
use crate::cli::runs::frame_times::FrameTimes;
use crate::cli::streams::{open_scene_with_files, print_json};
use crate::cli::watchdog::Patience;
use crate::cli::{named, typed_rope};
use clap::Args;
use ropelab::analysis::advise::{
    Advice, AdviceInWords, AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal, NotTried, Rejected,
    Trial, advise, in_longest_frame,
};
use ropelab::analysis::in_words::{factor, settings_in_words};
use ropelab::analysis::job::JobPool;
use ropelab::analysis::{RunPlan, TimeSource};
use ropelab::export::advice_chart::draw_advice;
use ropelab::export::code::Language;
use ropelab::names::table::Table;
use ropelab::quantity::reading::read_rate;
use ropelab::quantity::{argument, four_digits};
use ropelab::scene::settings_to_ron;
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;

const STRETCH_OF_A_ROPE: f64 = 0.01;

/// Find the cheapest settings that meet a goal
///
/// Tries integrators, constraint solvers, sweeps and substeps on the scene. Every recommendation
/// was run for the whole duration, and stays stable if its step or its stiffness is 1.5 times as
/// large. With --stretch, it also removes at most a tenth of the swing's amplitude per second. An
/// error is the greatest distance from a precise run (a reference run with tiny steps), divided by
/// the size of the motion. It counts only as long as the motion is predictable. The budget limits
/// the computing time of the most expensive frame. Settings whose trials need too much work are not
/// tried; the answer names them. Ctrl-C ends the search and prints the results so far.
///
/// Examples:
///   ropelab advise four-integrators --error 1e-3
///   ropelab advise bridge --stretch 0.01 --budget 2ms --duration 5
///   ropelab advise my-rope.ron --stretch 0.05 --json
///   ropelab advise --rope 'segments=20 mass=0.5 stiffness=1e5' --frame 60hz --code csharp
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Advise {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    #[arg(required_unless_present = "rope", conflicts_with = "rope", requires = "goal")]
    scene: Option<OsString>,
    /// Rope in place of a scene, hanging from one end and level at the start: segments, mass
    /// (total, in kg), stiffness (N/m of a link); optionally length (default 1 m) and load (kg at
    /// the free end)
    #[arg(long, value_name = "NUMBERS")]
    rope: Option<String>,
    /// Lane of the scene by name, or by number from 1. In the precise run, links keep their rest
    /// lengths or are springs, depending on the lane's solver
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Largest permitted error: the greatest distance from the precise run, divided by the size of
    /// the motion. The size is the largest displacement of a particle, but at most the size of the
    /// moving bodies. The uncertainty of the precise run is added to every distance
    #[arg(long, value_name = "FRACTION", group = "goal")]
    #[arg(value_parser = argument::parse_fraction_of_one)]
    error: Option<f64>,
    /// Largest permitted stretch of a link, divided by its rest length; for --rope, 0.01 by default
    #[arg(long, value_name = "FRACTION", group = "goal")]
    #[arg(value_parser = argument::parse_fraction_of_one)]
    stretch: Option<f64>,
    /// Maximum computing time per frame
    #[arg(long, value_name = "TIME", value_parser = argument::parse_duration)]
    budget: Option<f64>,
    /// Frame rate for the budget and the costs
    #[arg(long, value_name = "RATE", default_value = "60hz", value_parser = parse_frame_rate)]
    frame: f64,
    /// Frames for a lane that takes one step per frame: the rate of a display (30hz), or a file
    /// with one frame time in seconds per line. The longest frame is used [default: the lane's own
    /// frames, else 60hz]
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// Simulated time for which every recommendation is run
    #[arg(long, value_name = "TIME", default_value = "10", value_parser = argument::parse_duration)]
    duration: f64,
    /// Write a chart of cost against the goal (error or stretch) as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write this chart as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Also print the step loop with these settings as plain code
    #[arg(long, value_name = "LANGUAGE", value_parser = named::language(), conflicts_with = "json")]
    code: Option<Language>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

impl Advise {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let (scene, mut files) = match (&self.scene, &self.rope) {
            (Some(scene), _) => open_scene_with_files(scene)?,
            (None, rope) => (typed_rope::scene(rope.as_deref().unwrap_or_default())?, Vec::new()),
        };
        files.extend(FrameTimes::file_of(&self.frame_times));
        let (png, svg) = (self.png.as_deref(), self.svg.as_deref());
        let outputs = [("--png", png), ("--svg", svg)];
        let output = Output::check(files, &outputs, self.json, self.overwrite)?;
        let lane = chosen::find_lane(&scene, self.lane.as_deref())?;
        let times = self.frame_times.as_ref();
        let frames = FrameTimes::frame_lengths(times, &lane.frames, &lane.settings, self.duration);
        let settings = in_longest_frame(lane.settings, &frames);
        let question = self.question()?;
        RunPlan { duration: self.duration, feed: TimeSource::Steps }.check(&settings)?;
        let parts = scene.parts.clone();
        let pool = JobPool::of_all_cores();
        let job = pool.start(move |work| advise(&parts, &settings, &question, &clock(), work));
        let advice = match wait_and_watch(job, &mut |_| Ok(()))? {
            Ended::Result(advice) => advice,
            Ended::Interrupted(trials) => {
                eprintln!("Interrupted after {} trials; these are their results.", trials.len());
                Advice::of(&question, &trials)
            }
        };
        let draw = || draw_advice(&scene.name, &question, &advice);
        output.write_figure(draw, png, svg)?;
        if self.json {
            print_json(&AdviceReport::of(&question, &advice))
        } else {
            output.print(&to_text(&question, &advice, self.frame))?;
            let good = advice.recommended.iter().map(|trial| &trial.settings);
            let code = |language| first_loop(&scene.parts, good, &settings, language);
            self.code.map_or(Ok(()), |language| output.print(&code(language)))
        }
    }

    fn question(&self) -> Result<AdviceQuestion, Error> {
        let goal = match (self.error, self.stretch) {
            (Some(most), _) => Goal::Error(most),
            (None, most) => Goal::Stretch(most.unwrap_or(STRETCH_OF_A_ROPE)),
        };
        let (Goal::Error(most) | Goal::Stretch(most)) = goal;
        if !(most.is_finite() && most > 0.0) {
            let message = format!("asked for {most}; expected a fraction above 0 such as 0.01");
            return Err(Error::Settings(message));
        }
        if let Some(budget) = self.budget
            && budget.is_nan() | (budget <= 0.0)
        {
            return Err(Error::Settings(format!("a budget of {budget} s; expected a time")));
        }
        // [`AdviceQuestion`] takes the budget for a frame of 1/60 s.
        let budget = self.budget.map(|budget| budget / (self.frame * FRAMES_A_SECOND));
        Ok(AdviceQuestion { goal, budget, duration: self.duration })
    }
}

/// Parses a rate such as `60hz`. Returns the seconds per frame.
fn parse_frame_rate(text: &str) -> Result<f64, String> {
    let seconds = read_rate(text).filter(|seconds| (1e-4..=10.0).contains(seconds));
    seconds.ok_or_else(|| format!("found \"{text}\"; expected a rate such as 60hz"))
}

/// Answer of the command as JSON.
#[derive(Debug, Serialize)]
struct AdviceReport {
    #[serde(flatten)]
    in_words: AdviceInWords,
    /// The cheapest settings that meet the goal. Among settings that cost at most 10 % more, those
    /// with the fewest force evaluations and sweeps are chosen.
    best: Option<TrialReport>,
    /// The settings nearest to the goal if none meet it.
    nearest: Option<Rejected>,
    /// Trials for which no cheaper trial has a smaller error (or stretch), the cheapest first.
    front: Vec<TrialReport>,
    /// Settings in common use that were not chosen.
    rejected: Vec<Rejected>,
    /// Number of tried settings.
    tried: usize,
    /// Families of settings that were not tried, or were tried only with too few substeps.
    not_tried: Vec<NotTried>,
    /// Time in seconds up to which errors are meaningful; null if they are meaningful to the end.
    predictable_for: Option<f64>,
    /// Reason why errors are not meaningful to the end; null if they are.
    end_of_errors: Option<EndOfErrors>,
    /// Distance in metres that counts as an error of 1, as in `explain`.
    error_size: Option<f64>,
    /// Uncertainty of the precise run, divided by `error_size`: twice the error implied by the
    /// distance from a coarser run. Null if it is negligible.
    uncertainty: Option<f64>,
}

#[derive(Debug, Serialize)]
struct TrialReport {
    #[serde(flatten)]
    trial: Trial,
    /// Settings as text of a scene file.
    ron: String,
    /// Reason for not recommending the settings; null if they are recommended.
    why: Option<String>,
}

impl AdviceReport {
    fn of(question: &AdviceQuestion, advice: &Advice) -> Self {
        let report = |trial: &Trial| TrialReport {
            trial: *trial,
            ron: settings_to_ron(&trial.settings),
            why: Advice::objection(question, trial),
        };
        Self {
            in_words: advice.in_words(question),
            best: advice.best.as_ref().map(report),
            nearest: advice.nearest.clone(),
            front: advice.front.iter().map(report).collect(),
            rejected: advice.rejected.clone(),
            tried: advice.tried,
            not_tried: advice.not_tried.clone(),
            predictable_for: advice.predictable_for,
            end_of_errors: advice.end_of_errors,
            error_size: advice.error_size,
            uncertainty: advice.uncertainty,
        }
    }
}

fn to_text(question: &AdviceQuestion, advice: &Advice, seconds: f64) -> String {
    let frame = |trial: &Trial| four_digits::format_seconds(trial.cost_per_second * seconds);
    let measure = |trial: &Trial| trial.measure_in_words(question.goal);
    let AdviceInWords { headline, details } = advice.in_words(question);
    let mut text = format!("{headline}\n{details}\n\n");
    if let Some(best) = &advice.best {
        text += &format!("{}\n\n", settings_to_ron(&best.settings));
    }
    // A cheaper trial with a smaller error or stretch may have excluded the recommended one.
    let is_best = |trial: &Trial| advice.best.is_some_and(|best| best.settings == trial.settings);
    let missing = advice.best.filter(|_| !advice.front.iter().any(is_best));
    let mut trials: Vec<Trial> = advice.front.iter().copied().chain(missing).collect();
    trials.sort_by(|a, b| a.cost_per_second.total_cmp(&b.cost_per_second));
    let front = trials.iter().map(|trial| {
        [
            frame(trial),
            measure(trial),
            trial.margin.map_or("–".to_owned(), factor),
            settings_in_words(&trial.settings),
            Advice::objection(question, trial).unwrap_or_default(),
        ]
    });
    let titles = ["Cost a frame", "Error or stretch", "Margin", "Settings", "Not recommended"];
    text += &Table::new(titles, front).to_text();
    text += "\nmargin: greatest factor on step or stiffness that stays stable, in runs and in \
             theory; – not tried\n";
    if seconds != 1.0 / FRAMES_A_SECOND {
        let frame = four_digits::format_seconds(seconds);
        text += &format!("cost per frame: computing time of a frame of {frame}\n");
    }
    if !advice.rejected.is_empty() {
        let rejected = advice.rejected.iter().map(|it| [it.name.clone(), it.why.clone()]);
        text += &format!("\n{}", Table::new(["Not chosen", "Why"], rejected).to_text());
    }
    for NotTried { names, why } in &advice.not_tried {
        text += &format!("\nNot tried, because {why}: {}\n", names.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropelab::simulation::settings::Settings;

    /// Every trial that is cheaper than the recommended one has a reason in its row. The table
    /// contains the recommended trial even if a cheaper one has a smaller stretch.
    #[test]
    fn cheaper_settings_have_a_reason_against_them() {
        let trial = |cost: f64, stretch: f64, swing_taken: Option<f64>, margin| Trial {
            settings: Settings { dt: cost, ..Settings::default() },
            duration: 1.0,
            exploded_at: None,
            error: 0.0,
            error_limit: 0.0,
            stretch,
            cost_per_second: cost,
            worst_frame: cost / 60.0,
            work: 1.0,
            swing_taken,
            made: None,
            margin,
        };
        let question = AdviceQuestion { goal: Goal::Stretch(0.01), budget: None, duration: 1.0 };
        let trials = [
            trial(0.001, 0.03, None, None),
            trial(0.002, 0.002, Some(0.2), None),
            trial(0.003, 0.004, Some(0.01), Some(2.0)),
        ];
        let advice = Advice::of(&question, &trials);
        assert_eq!(advice.best, Some(trials[2]));
        let text = to_text(&question, &advice, 1.0 / 60.0);
        let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("cost")).collect();
        assert!(table[0].ends_with("not recommended"), "{text}");
        assert!(table[1].ends_with("stretch 3 %, the goal is 1 %"), "{text}");
        assert!(
            table[2].ends_with("the scheme removes 20 % of the amplitude per second"),
            "{text}"
        );
        assert!(table[3].ends_with(&settings_in_words(&trials[2].settings)), "{text}");
        assert_eq!(table[4], "");
    }
}
