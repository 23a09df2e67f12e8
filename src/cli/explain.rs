//! `ropelab explain`: why a lane explodes or lives badly, and what helps.

use super::chosen::{self, Chosen, LinkChoice};
use super::jobs::{Ended, finish_until_interrupted};
use super::patience::Patience;
use super::{Error, clock, named, open_scene, print, print_json, quantity, replay, scene_name};
use clap::Args;
use ropelab::analysis::explain::{self, ExplainQuestion, Explanation, GrowingMode};
use ropelab::analysis::job::{Cancelled, JobEnd, JobPool};
use ropelab::analysis::{Feed, RunPlan};
use ropelab::constraint::ConstraintSolver;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::scene::Scene;
use ropelab::session::Inputs;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seconds that are looked at when nothing else is said.
const DEFAULT_DURATION: f64 = 5.0;
/// Seconds that are looked at beyond the end of a recording.
const SECONDS_AFTER: f64 = 1.0;
/// A frame of the display that decides the step of frame-coupled lanes.
const FRAME: f64 = 1.0 / 60.0;

/// Explain why a lane explodes or lives badly, and try what helps
///
/// Runs the lane, finds the vibration that grew and compares it with what the integrator stands.
/// Then tries remedies, each on the whole run: a shorter step, another integrator, damping, substeps,
/// more sweeps. Their costs are those of a busy machine; their errors are distances from a reference
/// run over the size of the scene. A lane that lives is asked whether it is rubbery, jitters, runs
/// slowly, loses or gains swing, or is too expensive. Frame-coupled lanes get frames of 1/60 s.
/// Ctrl-C ends the trials and keeps what is known.
///
/// Examples:
///   ropelab explain frame-coupled-rope
///   ropelab explain hanging-rope --links springs --dt 5ms
///   ropelab explain four-integrators --lane 2 --json
///   ropelab explain --recording session.rec
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Explain {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    #[arg(required_unless_present = "recording", conflicts_with = "recording")]
    scene: Option<OsString>,
    /// No scene but a recorded session (Ctrl+S, `--record`): a lane of it, with all that was done
    /// to it since its last start
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Lane of the scene by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// How to step (`ropelab list integrators`)
    #[arg(long, value_name = "NAME", value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Option<Method>,
    /// What links do [default: constraints when --constraints names a solver]
    #[arg(long, value_enum)]
    links: Option<LinkChoice>,
    /// Subject to what (`ropelab list constraints`)
    #[arg(long, value_name = "NAME", value_parser = named::solver(), hide_possible_values = true)]
    constraints: Option<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// Time step: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME", value_parser = quantity::step, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Equal parts into which a step is cut
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// How long to look: seconds, or as 500ms, 2min [default: 5, or a second more than was recorded]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

/// A lane, and how it came to where it is.
struct AskedLane {
    scene: Arc<Scene>,
    name: String,
    lane: String,
    settings: Settings,
    inputs: Inputs,
    duration: f64,
}

/// The answer with what was asked.
#[derive(Debug, Serialize)]
struct ExplainReport<'a> {
    /// Name in the library, or the file as typed.
    scene: String,
    /// Title of the scene.
    title: &'a str,
    /// Name of the lane.
    lane: &'a str,
    /// Settings in force.
    settings: Settings,
    #[serde(flatten)]
    explanation: Explanation,
}

impl Explain {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let AskedLane { scene, name, lane, settings, inputs, duration } = self.asked_lane()?;
        let settings = self.chosen().applied_to(settings)?;
        let duration = self.duration.unwrap_or(duration);
        RunPlan { duration, feed: Feed::Steps }.check(&settings)?;
        let question = ExplainQuestion {
            start: Simulation::new(scene.parts.clone(), settings),
            inputs,
            dt: if settings.stepping.uses_dt() { settings.dt } else { FRAME },
            duration,
        };
        let clock = clock();
        let job =
            JobPool::of_all_cores()?.start(move |work| explain::explain(&question, &clock, work));
        let explanation = match finish_until_interrupted(job)? {
            Ended::Result(explanation) => explanation,
            Ended::Interrupted(findings) => {
                eprintln!("Interrupted; this is what is known.");
                let mut known = None;
                findings.into_iter().for_each(|finding| finding.add_to(&mut known));
                known.ok_or(JobEnd::Cancelled(Cancelled))?
            }
        };
        if self.json {
            let (title, lane) = (&scene.name, &lane);
            print_json(&ExplainReport { scene: name, title, lane, settings, explanation })
        } else {
            print(&text(&scene.name, &lane, &explanation))
        }
    }

    fn asked_lane(&self) -> Result<AskedLane, Error> {
        if let Some(file) = &self.recording {
            return self.recorded(file);
        }
        let file = self.scene.clone().unwrap_or_default();
        let scene = open_scene(&file)?;
        let lane = chosen::lane(&scene, self.lane.as_deref())?.clone();
        Ok(AskedLane {
            scene: Arc::new(scene),
            name: scene_name(&file),
            lane: lane.name,
            settings: lane.settings,
            inputs: Inputs::default(),
            duration: DEFAULT_DURATION,
        })
    }

    fn recorded(&self, file: &Path) -> Result<AskedLane, Error> {
        let (session, _) = replay::open(file)?.replay();
        let names = session.lanes().iter().map(|lane| lane.name.as_str());
        let place = chosen::place(names, self.lane.as_deref())?;
        let lane = &session.lanes()[place];
        Ok(AskedLane {
            scene: session.scene().clone(),
            name: file.display().to_string(),
            lane: lane.name.clone(),
            settings: *lane.simulation.settings(),
            inputs: lane.inputs.clone(),
            duration: lane.simulation.state().t + SECONDS_AFTER,
        })
    }

    fn chosen(&self) -> Chosen {
        Chosen {
            contact: None,
            integrator: self.integrator,
            links: self.links,
            constraints: self.constraints,
            iterations: self.iterations,
            dt: self.dt,
            substeps: self.substeps,
            stepping: None,
        }
    }
}

fn text(scene: &str, lane: &str, explanation: &Explanation) -> String {
    let Explanation { sentence, mode, symptoms, remedies, .. } = explanation;
    let mut text = format!("{scene}, lane {lane}\n\n{sentence}\n");
    if let Some(GrowingMode { t, .. }) = mode {
        text += &format!("Until {} it was too small to be seen.\n", quantity::seconds(*t));
    }
    for symptom in symptoms {
        text += &format!("{}\n", symptom.sentence);
    }
    if remedies.is_empty() {
        return text;
    }
    text += "\n";
    let mut table = Table::new(&["Tried", "Result", "Cost", "Error"]);
    for remedy in remedies {
        table.push([
            remedy.change.clone(),
            if remedy.holds { "holds".to_owned() } else { "explodes".to_owned() },
            format!("× {:.2}", remedy.cost_ratio),
            quantity::percent(remedy.error).trim_start_matches('+').to_owned(),
        ]);
    }
    text + &table.to_text()
        + "\ncost: computing time of a simulated second over this lane's; error: greatest distance from a precise run, \
           over the scene's size\n"
}
