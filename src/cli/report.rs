//! How a run ended, as JSON and as lines.

use super::quantity;
use ropelab::analysis::{Course, Feed, Outcome};
use ropelab::diagnostics::Explosion;
use ropelab::scene::{LaneSetup, Scene};
use ropelab::settings::{LinkMode, Settings};
use serde::Serialize;

/// How a run ended, for machines and people. The state that `steps`, `t` and `hash` describe is
/// the last good one.
#[derive(Debug, Serialize)]
pub struct Report {
    scene: String,
    title: String,
    pub lane: String,
    pub integrator: &'static str,
    links: LinkMode,
    constraints: &'static str,
    iterations: Option<u32>,
    substeps: u32,
    stepping: Option<&'static str>,
    dt: f64,
    steps: u64,
    t: f64,
    survived: bool,
    exploded_at: Option<f64>,
    explosion: Option<Explosion>,
    pub energy_drift: f64,
    pub stretch_max: f64,
    pub cost_per_step_s: f64,
    unconverged_steps: u64,
    hash: String,
    wall: Option<f64>,
    simulated: Option<f64>,
    owed: Option<f64>,
    dropped: Option<f64>,
}

impl Report {
    /// The report of one run.
    pub fn new(
        name: &str,
        scene: &Scene,
        lane: &LaneSetup,
        settings: &Settings,
        course: &Course,
        outcome: Outcome,
    ) -> Self {
        let Outcome {
            steps,
            t,
            explosion,
            energy_drift,
            stretch_max,
            cost_per_step,
            unconverged,
            hash,
            ledger,
        } = outcome;
        let fed = matches!(course.feed, Feed::Frames(_));
        let varies = fed && !settings.stepping.uses_dt();
        Self {
            scene: name.to_owned(),
            title: scene.name.clone(),
            lane: lane.name.clone(),
            integrator: settings.integrator.info().name,
            links: settings.links,
            constraints: settings.solver().info().name,
            iterations: settings.solver().iterations(),
            substeps: settings.substeps,
            stepping: fed.then(|| settings.stepping.info().name),
            dt: if varies && steps > 0 { t / steps as f64 } else { settings.dt },
            steps,
            t,
            survived: explosion.is_none(),
            exploded_at: explosion.map(|explosion| explosion.t),
            explosion,
            energy_drift,
            stretch_max,
            cost_per_step_s: cost_per_step,
            unconverged_steps: unconverged,
            hash: format!("{hash:016x}"),
            wall: ledger.map(|ledger| ledger.wall),
            simulated: ledger.map(|ledger| ledger.simulated),
            owed: ledger.map(|ledger| ledger.owed),
            dropped: ledger.map(|ledger| ledger.dropped),
        }
    }

    /// `survived 5 s`, or when and where it exploded.
    pub fn verdict(&self) -> String {
        match self.explosion {
            None => format!("survived {}", quantity::seconds(self.t)),
            Some(explosion) => explosion.to_string(),
        }
    }

    /// The constraint solver in force with its most sweeps a step: `xpbd, sweeps ≤ 20`.
    pub fn solver_text(&self) -> String {
        match self.iterations {
            Some(iterations) => format!("{}, sweeps ≤ {iterations}", self.constraints),
            None => self.constraints.to_owned(),
        }
    }

    /// The step with its substeps: `1 ms / 20`.
    pub fn step_text(&self) -> String {
        match self.substeps {
            1 => quantity::seconds(self.dt),
            n => format!("{} / {n}", quantity::seconds(self.dt)),
        }
    }

    /// One line a value.
    pub fn text(&self) -> String {
        let mut lines = vec![
            ("scene", format!("{}, lane {}", self.title, self.lane)),
            ("integrator", self.integrator.to_owned()),
            ("constraints", self.solver_text()),
            ("step", self.step_text()),
            ("steps", self.steps.to_string()),
            ("result", self.result()),
            ("energy drift", quantity::percent(self.energy_drift)),
            ("greatest stretch", quantity::percent(self.stretch_max)),
            ("cost a step", quantity::seconds(self.cost_per_step_s)),
            ("hash", self.hash.clone()),
        ];
        if let (Some(stepping), Some(wall), Some(simulated), Some(owed), Some(dropped)) =
            (self.stepping, self.wall, self.simulated, self.owed, self.dropped)
        {
            let [wall, simulated, owed, dropped] =
                [wall, simulated, owed, dropped].map(quantity::seconds);
            lines.insert(3, ("stepping", stepping.to_owned()));
            lines.insert(
                6,
                (
                    "time",
                    format!("{simulated} simulated + {owed} owed + {dropped} dropped = {wall}"),
                ),
            );
        }
        if self.unconverged_steps > 0 {
            lines.push(("unconverged", format!("{} steps", self.unconverged_steps)));
        }
        lines.iter().map(|(name, value)| format!("{name:<16}  {value}\n")).collect()
    }

    fn result(&self) -> String {
        match self.explosion {
            None => self.verdict(),
            Some(Explosion { energy, .. }) => {
                format!("{}; the last good state has {energy:.4e} J", self.verdict())
            }
        }
    }
}
