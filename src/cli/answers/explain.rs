//! `ropelab explain`: the reason why a lane explodes or behaves badly, with remedies. A lane is one
//! of several simulations of the same scene.

use crate::cli::error::Error;
use crate::cli::jobs::{Ended, clock, wait_and_watch};
use crate::cli::named;
use crate::cli::plain_code::first_loop;
use crate::cli::runs::chosen::{self, SettingsArguments};
use crate::cli::runs::frame_times::FrameTimes;
use crate::cli::runs::replay;
use crate::cli::streams::{open_scene, print, print_json, scene_name};
use crate::cli::watchdog::Patience;
use clap::Args;
use ropelab::analysis::explain::{
    self, ExplainQuestion, Explanation, Finding, Outcome, Remedy, price_in_words,
};
use ropelab::analysis::in_words::{
    LEAST_FACTOR, metres_in_words, number_in_words, percent, seconds_in_words,
};
use ropelab::analysis::job::{Cancelled, JobEnd, JobPool};
use ropelab::analysis::{RunPlan, TimeSource};
use ropelab::export::code::Language;
use ropelab::quantity::argument;
use ropelab::scene::Scene;
use ropelab::scene::vary::VariableScene;
use ropelab::session::Inputs;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::frame_source::FrameSource;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default simulated time to examine, in seconds.
const DEFAULT_DURATION: f64 = 5.0;
/// Simulated time after the end of a recording that is also examined, in seconds.
const SECONDS_AFTER: f64 = 1.0;

/// Explain why a lane explodes or behaves badly, and try remedies
///
/// Runs the lane, finds the vibration that grew and compares it with the stability limit of the
/// integrator. To find the cause, further runs leave out damping, contact or frames, one at a time.
/// The cause is printed immediately. Then remedies are tried; some of them change the scene. A
/// remedy counts as stable if it stays stable for 20 s and for ten times as long as the lane did,
/// both from the start and after a push. Costs are measured on a busy machine. Errors are distances
/// from a precise run (a reference run with tiny steps) relative to the size of the motion. A lane
/// that does not explode is checked for rubbery links, jitter, slow motion, loss or gain of
/// amplitude, restlessness and cost. Ctrl-C ends the trials and prints the results so far.
///
/// Examples:
///   ropelab explain frame-coupled-rope
///   ropelab explain hanging-rope --links springs --dt 5ms
///   ropelab explain four-integrators --lane 2 --json
///   ropelab explain my-rope.ron --frame-times 30hz
///   ropelab explain my-rope.ron --code csharp
///   ropelab explain --recording session.rec
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Explain {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    #[arg(required_unless_present = "recording", conflicts_with = "recording")]
    scene: Option<OsString>,
    /// Recorded session (Ctrl+S, `--record`) in place of a scene. Explains one lane, with all
    /// inputs since its last start
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Lane of the scene by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Rate of a display (60hz), or a file with one frame time in seconds per line, for lanes
    /// that take one step per frame [default: the lane's own frames, else 60hz]
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// Simulated time to examine: seconds, or as 500ms, 2min [default: 5, or one second more than
    /// the recording]
    #[arg(long, value_name = "TIME", value_parser = argument::parse_duration)]
    duration: Option<f64>,
    /// Also print, as plain code, the step loop with the cheapest change of settings that cures. If
    /// no remedy can be written as a loop, print the lane's own loop
    #[arg(long, value_name = "LANGUAGE", value_parser = named::language(), conflicts_with = "json")]
    code: Option<Language>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

/// Lane to explain, with the user's inputs from a recording.
struct ExaminedLane {
    scene: Arc<Scene>,
    name: String,
    lane: String,
    settings: Settings,
    frames: FrameSource,
    inputs: Inputs,
    duration: f64,
}

/// Answer of the command as JSON.
#[derive(Debug, Serialize)]
struct ExplainReport<'a> {
    /// Name of a library scene, or path of a scene file.
    scene: String,
    /// Title of the scene.
    title: &'a str,
    /// Name of the lane.
    lane: &'a str,
    /// Settings of the lane.
    settings: Settings,
    #[serde(flatten)]
    explanation: Explanation,
}

impl Explain {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let ExaminedLane { scene, name, lane, settings, frames, inputs, duration } =
            self.find_lane()?;
        let settings = self.settings.applied_to(settings)?;
        let duration = self.duration.unwrap_or(duration);
        RunPlan { duration, feed: TimeSource::Steps }.check(&settings)?;
        let times = self.frame_times.as_ref();
        let start = Simulation::new(scene.parts.clone(), settings);
        let question = ExplainQuestion {
            inputs,
            frames: FrameTimes::frame_lengths(times, &frames, &settings, duration).into(),
            scene: Some(VariableScene::of(&scene)),
            ..ExplainQuestion::of(start, duration)
        };
        let clock = clock();
        let job =
            JobPool::of_all_cores().start(move |work| explain::explain(&question, &clock, work));
        let title = format!("{}, lane {lane}", scene.name);
        let mut watch = |finding: &Finding| match finding {
            _ if self.json => Ok(()),
            Finding::Why(why) => print(&describe_cause(&title, why)),
            Finding::Tried(remedy) => print(&format_remedy(remedy)),
        };
        let explanation = match wait_and_watch(job, &mut watch)? {
            Ended::Result(explanation) => explanation,
            Ended::Interrupted(findings) => {
                eprintln!("Interrupted; these are the results so far.");
                let mut known = None;
                findings.into_iter().for_each(|finding| finding.add_to(&mut known));
                known.ok_or(JobEnd::Cancelled(Cancelled))?
            }
        };
        if self.json {
            let (title, lane) = (&scene.name, &lane);
            print_json(&ExplainReport { scene: name, title, lane, settings, explanation })
        } else {
            print(&describe_best_remedy(&explanation))?;
            let cures = explanation.best_remedies_first().into_iter();
            let cures = cures.filter(|remedy| remedy.holds && remedy.scene.is_empty());
            let good = cures.map(|remedy| &remedy.settings);
            let code = |language| first_loop(&scene.parts, good, &settings, language);
            self.code.map_or(Ok(()), |language| print(&code(language)))
        }
    }

    fn find_lane(&self) -> Result<ExaminedLane, Error> {
        if let Some(file) = &self.recording {
            return self.find_recorded_lane(file);
        }
        let file = self.scene.clone().unwrap_or_default();
        let scene = open_scene(&file)?;
        let lane = chosen::find_lane(&scene, self.lane.as_deref())?.clone();
        Ok(ExaminedLane {
            scene: Arc::new(scene),
            name: scene_name(&file),
            lane: lane.name,
            settings: lane.settings,
            frames: lane.frames,
            inputs: Inputs::default(),
            duration: DEFAULT_DURATION,
        })
    }

    fn find_recorded_lane(&self, file: &Path) -> Result<ExaminedLane, Error> {
        let (session, _) = replay::open_recording(file)?.replay();
        let names = session.lanes().iter().map(|lane| lane.name.as_str());
        let place = chosen::find_lane_index(names, self.lane.as_deref())?;
        let lane = &session.lanes()[place];
        Ok(ExaminedLane {
            scene: session.scene().clone(),
            name: file.display().to_string(),
            lane: lane.name.clone(),
            settings: *lane.simulation.settings(),
            frames: lane.display.source().clone(),
            inputs: lane.inputs.clone(),
            duration: lane.simulation.state().t + SECONDS_AFTER,
        })
    }
}

/// Widths of the columns in the table of remedies, in characters: 100 with the spaces between them.
const COLUMNS: [usize; 4] = [47, 23, 16, 8];
/// Smallest error that the table shows.
const LEAST_ERROR: f64 = 1e-5;

/// Returns the text before the remedies: the cause, the symptoms, and the head of the table.
fn describe_cause(title: &str, why: &Explanation) -> String {
    let Explanation { headline, reason, symptoms, cost_per_frame, .. } = why;
    let mut text = format!("{title}\n\n{headline}\n");
    if !reason.is_empty() {
        text += &format!("{reason}\n");
    }
    for symptom in symptoms {
        text += &format!("{}\n", symptom.sentence);
    }
    if !why.is_well() {
        let own = price_in_words(*cost_per_frame, f64::NAN);
        text += &format!("\n{}", format_row(["tried", "result", "a frame", "error"]));
        text += &format_row(["the lane as it is", "–", &own, "–"]);
    }
    text
}

fn format_remedy(remedy: &Remedy) -> String {
    let Remedy { change, outcome, cost_per_frame, cost_ratio, error, .. } = remedy;
    let price = price_in_words(*cost_per_frame, *cost_ratio);
    let error = match *error {
        error if !error.is_finite() => "–".to_owned(),
        error if error < LEAST_ERROR => format!("<{} %", 100.0 * LEAST_ERROR),
        error if error < LEAST_FACTOR => format!("{} %", number_in_words(100.0 * error)),
        error => percent(error),
    };
    format_row([change, &outcome.in_words(), &price, &error])
}

/// Formats a row of the table. Rows are printed one by one while remedies are tried, so column
/// widths are fixed. A longer text continues on the next line of its cell.
fn format_row(cells: [&str; 4]) -> String {
    let wrapped: Vec<_> = cells.into_iter().zip(COLUMNS).map(|it| wrapped(it.0, it.1)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |n: usize| {
        let padded = wrapped.iter().zip(COLUMNS).map(|(lines, width)| {
            let cell = lines.get(n).map_or("", String::as_str);
            format!("{cell:<width$}")
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    (0..height).map(line).collect()
}

/// Splits a text into lines of at most `width` characters. Lines end between words; a longer word
/// is divided.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                *line += " ";
                *line += word;
            }
            _ => {
                let chars: Vec<char> = word.chars().collect();
                lines.extend(chars.chunks(width).map(|part| part.iter().collect::<String>()));
            }
        }
    }
    lines
}

/// Returns the text after the table of remedies: the units of the columns, and the settings of the
/// cheapest remedy in a form to paste.
fn describe_best_remedy(explanation: &Explanation) -> String {
    if explanation.remedies.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\na frame: computing time of a frame of 1/60 s, and its ratio to that of the unchanged \
         lane\nbefore its explosion\n",
    );
    if let Some(size) = explanation.remedies.iter().find_map(|remedy| remedy.error_size) {
        let size = metres_in_words(size);
        text += &format!(
            "error: greatest distance from a precise run, divided by {size}, the size of the \
             motion\n"
        );
    }
    match (explanation.best_remedy(), explanation.longest_unfinished()) {
        (Some(best), _) => {
            let group = if best.scene.is_empty() { "settings" } else { "the scene" };
            text += &format!("\nThe cheapest change of {group} that cures is {}.", best.change);
            if let Some(cheaper) = explanation.cheaper_scene_change() {
                text += &format!("\nA change of the scene cures at less cost: {}.", cheaper.change);
            }
            text += &format!("\nTo paste:\n\n{}\n", best.to_paste());
        }
        (None, Some((longest, seconds))) => {
            text += &format!(
                "\nThe work for trials ended before a cure was proven; {} was stable for {} until \
                 then.\n",
                longest.change,
                seconds_in_words(seconds)
            );
        }
        (None, None) => text += "\nNo tried change cures the lane.\n",
    }
    let untried = explanation.remedies.iter().filter(|it| it.outcome == Outcome::NotTried);
    let untried: Vec<&str> = untried.map(|remedy| remedy.change.as_str()).collect();
    if !untried.is_empty() {
        text += &format!("Not tried, because the work budget was spent: {}.\n", untried.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropelab::analysis::explain::{Cause, NewNumber, SymptomKind};

    fn remedy(change: &str, outcome: Outcome, error: f64) -> Remedy {
        Remedy {
            change: change.to_owned(),
            settings: Settings::default(),
            scene: Vec::new(),
            outcome,
            holds: false,
            cost_per_frame: 12.3e-6,
            cost_ratio: 0.994,
            error,
            error_size: Some(1.0),
        }
    }

    /// Returns the words of a cell of a row, from all lines of the row.
    fn words_of_cell(row: &str, cell: usize) -> String {
        let start = COLUMNS[..cell].iter().map(|width| width + 2).sum();
        let part = |line: &str| line.chars().skip(start).take(COLUMNS[cell]).collect::<String>();
        let parts: Vec<String> = row.lines().map(part).collect();
        parts.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Explanation of a lane with these remedies.
    fn explanation(remedies: Vec<Remedy>) -> Explanation {
        Explanation {
            cause: Cause::StepTooLong,
            headline: String::new(),
            reason: String::new(),
            explosion: None,
            seconds_until_end: 1.0,
            cost_per_frame: 1e-6,
            mode: None,
            longest_step: None,
            symptoms: Vec::new(),
            remedies,
        }
    }

    /// Remedies that change settings are listed before those that change the scene. The sentence
    /// must not call the cheapest cure of the first group the cheapest of all.
    #[test]
    fn the_cheapest_cure_is_the_cheapest_of_the_group_that_is_named() {
        let cure = |change: &str, cost_per_frame: f64, changes_scene: bool| {
            let number = NewNumber { path: "materials.cord.damping".to_owned(), value: 0.1 };
            let scene = if changes_scene { vec![number] } else { Vec::new() };
            let outcome = Outcome::Cures { seconds: 20.0 };
            Remedy { scene, holds: true, cost_per_frame, ..remedy(change, outcome, 0.1) }
        };
        let text = |remedies| describe_best_remedy(&explanation(remedies));
        let setting = || cure("symplectic Euler", 2e-6, false);
        let both = text(vec![setting(), cure("less damping", 1e-6, true)]);
        let sentences = "\nThe cheapest change of settings that cures is symplectic Euler.\n\
                         A change of the scene cures at less cost: less damping.\nTo paste:\n";
        assert!(both.contains(sentences), "{both}");
        let dearer = text(vec![setting(), cure("less damping", 3e-6, true)]);
        assert!(!dearer.contains("less damping"), "{dearer}");
        let scene = text(vec![cure("less damping", 3e-6, true)]);
        let sentence =
            "\nThe cheapest change of the scene that cures is less damping.\nTo paste:\n";
        assert!(scene.contains(sentence), "{scene}");
    }

    #[test]
    fn changes_for_which_no_work_was_left_are_told_as_not_tried() {
        let explodes = Outcome::Explodes { t: 1.0, pushed: false };
        let remedies = vec![
            remedy("4 times the sweeps", explodes, f64::NAN),
            Remedy { cost_per_frame: f64::NAN, ..remedy("64 times", Outcome::NotTried, f64::NAN) },
        ];
        assert_eq!(format_remedy(&remedies[1]).matches('–').count(), 2, "no cost and no error");
        let text = describe_best_remedy(&explanation(remedies));
        let sentences = "\nNo tried change cures the lane.\nNot tried, because the work budget was \
                         spent: 64 times.\n";
        assert!(text.ends_with(sentences), "{text}");
    }

    /// No label may be shortened, as in "1 substep, with symplectic Eul…".
    #[test]
    fn a_row_contains_whole_texts_within_100_columns() {
        let mut outcomes = vec![
            Outcome::Cures { seconds: 23.4 },
            Outcome::Unfinished { seconds: 1.234e-3 },
            Outcome::NotTried,
            Outcome::StillSick { symptom: SymptomKind::SlowMotion, value: -1.5 },
        ];
        for pushed in [false, true] {
            outcomes.push(Outcome::Explodes { t: 1.234e-3, pushed });
            outcomes.push(Outcome::GainsEnergy { t: 1.234e-3, pushed });
            outcomes.push(Outcome::GainsSlowly { share: 0.123_456, pushed });
        }
        for symptom in [
            SymptomKind::Rubbery,
            SymptomKind::TurningFar,
            SymptomKind::Soft,
            SymptomKind::Restless,
            SymptomKind::SlowMotion,
            SymptomKind::Jittering,
            SymptomKind::LosingSwing,
        ] {
            outcomes.push(Outcome::StillSick { symptom, value: 0.123_456 });
        }
        let changes = [
            "Soft Step, own stiffness, 4 substeps at 1000 Hz",
            "XPBD with 20 sweeps and 4 substeps, 2.08 ms, with symplectic Euler",
        ];
        for (outcome, change) in outcomes.iter().flat_map(|it| changes.map(|change| (it, change))) {
            for error in [f64::NAN, 0.0, 1.234_567e-4, 0.123_456] {
                let row = format_remedy(&remedy(change, *outcome, error));
                assert!(row.lines().all(|line| line.chars().count() <= 100), "{row}");
                assert_eq!(words_of_cell(&row, 0), change, "{row}");
                assert_eq!(words_of_cell(&row, 1), outcome.in_words(), "{row}");
            }
        }
        assert_eq!(wrapped(&"x".repeat(7), 3), ["xxx", "xxx", "x"]);
    }
}
