//! `ropelab limit`: the longest stable step of a scene with the settings of a lane. A lane is one
//! of several simulations of the same scene.

mod row;

use crate::cli::error::Error;
use crate::cli::jobs::wait_with_message;
use crate::cli::named;
use crate::cli::runs::chosen::{self, SharedArguments};
use crate::cli::runs::frame_times::FrameTimes;
use crate::cli::streams::{open_scene, print, print_json, scene_name};
use crate::cli::watchdog::Patience;
use clap::Args;
use rayon::prelude::*;
use ropelab::analysis::in_words::{factor, number_in_words, percent_to, quantity_in_words};
use ropelab::analysis::job::{Cancelled, JobPool, Work};
use ropelab::analysis::stability::growth::{Growth, confirmed_growth};
use ropelab::analysis::stability::{self, GrowthUnder, Limit, MOST_STEPS, SceneSamples};
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::quantity::{argument, four_digits};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::stepper::{Frame, Plan, SHORTEST_DT, Stepper};
use row::Row;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Find the longest time step at which a scene does not explode
///
/// Follows the scene by velocity Verlet with short steps for five seconds, or for --duration.
/// Computes the longest stable step at three moments: at the start, when the springs vibrate
/// fastest, and when the springs are stretched most. The limit is the shortest of these steps. Each
/// follows from the spectral radius of the integrator's step matrix on the linearised scene,
/// damping and drag included. If no step is stable, a run with the lane's own step shows how fast
/// vibrations grow. Without --integrator, all integrators are examined.
///
/// With --measure, the lane itself is also run, constraint solver included, from a slightly
/// perturbed start with each step length. Integrators with inner steps run for three seconds.
/// Lanes that move, lanes with penalty contact, and lanes whose solver constrains all links run for
/// a minute, or until the work budget of a run is spent. In the last case, the steps are a
/// sixteenth to eight times the lane's own.
///
/// To confirm a limit, the lane runs with 0.95 of it for up to a minute, as far as the work allows.
/// If that run gains energy, the limit is shortened until a run gains none, and marked ¶. Theory
/// predicts nothing if a solver constrains all links or if bodies only bounce; runs with steps of
/// at most 50 ms then determine the limit. Weakly damped lanes that move far also run with up to
/// ten shorter steps, and with more if pins repeat a motion. For longer runs with turning links and
/// impacts, choose a step that is a tenth shorter. If a lane takes one step per frame, frames of
/// different lengths can make a vibration grow although every single length is stable; the column
/// "Its frames" shows this.
///
/// Examples:
///   ropelab limit travelling-wave
///   ropelab limit travelling-wave --integrator symplectic-euler,rk4 --measure
///   ropelab limit frame-coupled-rope --frame-times 20hz
///   ropelab limit hanging-rope --links springs --json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct LimitArguments {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Lane of the scene by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Integrator (`ropelab list integrators`) [default: all of them]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    #[command(flatten)]
    shared: SharedArguments,
    /// Time step of the lane: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME", value_parser = argument::parse_step)]
    dt: Option<f64>,
    /// Rate of a display (60hz), or a file with one frame time in seconds per line, for lanes
    /// that take one step per frame [default: the lane's own frames, else 60hz]
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// Simulated time for which the scene is followed: seconds, or as 500ms, 2min. A large scene
    /// may be followed for a shorter time to limit the work
    #[arg(long, value_name = "TIME", default_value = "5")]
    #[arg(value_parser = argument::parse_duration)]
    duration: f64,
    /// Also run the lane to measure each limit
    #[arg(long)]
    measure: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

/// Answer of the command as JSON.
#[derive(Debug, Serialize)]
struct LimitReport {
    /// Name of a library scene, or path of a scene file.
    scene: String,
    /// Title of the scene.
    title: String,
    /// Name of the lane.
    lane: String,
    /// Name of the integrator.
    integrator: &'static str,
    /// Time step in seconds; the longest frame if steps are as long as frames.
    dt: f64,
    /// True if steps are as long as frames.
    steps_by_frame: bool,
    /// True if frames differ in length.
    frames_differ: bool,
    /// Substeps per step.
    substeps: u32,
    /// Angular frequency of the fastest vibration in rad/s; null if no spring acts.
    omega_max: Option<f64>,
    /// Upper estimate of `omega_max` in rad/s.
    omega_max_cautious: Option<f64>,
    /// Damping ratio of the fastest vibration.
    damping_ratio: Option<f64>,
    /// Index of the particle that moves most in the fastest vibration.
    particle: Option<u32>,
    /// Growth factor of a perturbation per step; 1 unless a run of 3 s gains energy.
    growth: f64,
    /// Simulated time in seconds for which the scene was followed.
    followed: f64,
    /// Limits per integrator.
    limits: Vec<Row>,
}

impl LimitArguments {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let scene = open_scene(&self.scene)?;
        let lane = chosen::find_lane(&scene, self.lane.as_deref())?;
        let (settings, listed) =
            self.shared.applied_with_list(lane.settings, &self.integrator, self.dt)?;
        let times = self.frame_times.as_ref();
        let frames = FrameTimes::frame_lengths(times, &lane.frames, &settings, self.duration);
        let plans = plan_steps(&settings, &frames);
        let longest = plans.iter().map(|plan| plan.dt).fold(0.0, f64::max);
        let settings = Settings { dt: longest, ..settings };
        let frames_differ = steps_differ(&plans);
        let steps = plans.iter().flat_map(|plan| (0..plan.steps).map(|_| plan.dt));
        let uneven: Vec<f64> = steps.take(if frames_differ { MOST_STEPS } else { 0 }).collect();
        let simulation = Simulation::new(scene.parts.clone(), settings);
        let methods = match listed.is_empty() {
            true => chosen::with_own_parameters(Method::all(), settings.integrator),
            false => listed,
        };
        let measure = self.measure;
        let steps = Arc::new(AtomicU64::new(0));
        let counted = steps.clone();
        let job = JobPool::of_all_cores().start(move |work: &Work<()>| {
            let parts_of_a_row = if measure { 2 } else { 1 };
            work.expect(parts_of_a_row * methods.len() as u64);
            let samples = stability::sample_scene(&simulation, self.duration, || work.check())?;
            let growth = confirmed_growth(&simulation, || work.check())?;
            let finder = LimitFinder { simulation, samples, uneven, measure, steps: counted };
            let row = |method: &Method| finder.row(*method, work);
            let limits = methods.par_iter().map(row).collect::<Result<Vec<_>, _>>()?;
            let own = finder.samples.confirmed_limit(&settings, || work.check())?;
            Ok((finder.samples, own, growth, limits))
        });
        let message = || steps_in_words(steps.load(Ordering::Relaxed));
        let (samples, own, growth, limits) = wait_with_message(job, &message)?;
        let mode = own.mode.as_ref().or(samples.first_mode());
        let steps_by_frame = !settings.stepping.uses_dt();
        let report = LimitReport {
            scene: scene_name(&self.scene),
            title: scene.name.clone(),
            lane: lane.name.clone(),
            integrator: settings.integrator.info().name,
            dt: settings.dt,
            steps_by_frame,
            frames_differ,
            substeps: settings.substeps,
            omega_max: mode.map(|mode| mode.omega),
            omega_max_cautious: mode.map(|mode| mode.omega_cautious),
            damping_ratio: mode.map(|mode| mode.damping_ratio),
            particle: mode.map(|mode| mode.particle()),
            growth: growth.as_ref().map_or(1.0, |Growth { per_step, .. }| *per_step),
            followed: own.sampled_seconds,
            limits,
        };
        let held = !settings.solver().is_none();
        if self.json { print_json(&report) } else { print(&report.to_text(held, &own, measure)) }
    }
}

/// Returns the steps that a lane takes in these frames; without frames, in one frame of 1/60 s.
fn plan_steps(settings: &Settings, frames: &[f64]) -> Vec<Plan> {
    if settings.stepping.uses_dt() {
        return vec![Plan { dt: settings.dt, steps: 1, ..Plan::default() }];
    }
    let mut stepper = Stepper::default();
    let plan = |&seconds: &f64| {
        stepper.plan(settings.stepping, &settings.guards, settings.dt, Frame::of(seconds))
    };
    let sixty = [1.0 / 60.0];
    let frames = if frames.is_empty() { &sixty } else { frames };
    frames.iter().map(plan).collect()
}

/// True if the lengths of the steps differ by more than rounding errors.
fn steps_differ(plans: &[Plan]) -> bool {
    let first = plans.first().map_or(0.0, |plan| plan.dt);
    plans.iter().any(|plan| (plan.dt / first - 1.0).abs() > 1e-9)
}

/// Lane for which the longest stable step of each integrator is determined.
struct LimitFinder {
    simulation: Simulation,
    samples: SceneSamples,
    /// Lengths of the lane's steps in seconds; empty if all steps have the same length.
    uneven: Vec<f64>,
    /// True if limits are also measured by runs.
    measure: bool,
    /// Number of steps taken in all runs so far, for the progress bar.
    steps: Arc<AtomicU64>,
}

/// Returns the number of steps in all runs so far as a text for the progress bar. The number keeps
/// changing while a single limit is measured, which takes up to two minutes.
fn steps_in_words(steps: u64) -> String {
    format!("{:.1} million steps ", steps as f64 / 1e6)
}

impl LimitFinder {
    fn row(&self, integrator: Method, work: &Work<()>) -> Result<Row, Cancelled> {
        let check = || {
            self.steps.fetch_add(1, Ordering::Relaxed);
            work.check()
        };
        work.check()?;
        let settings = Settings { integrator, ..*self.simulation.settings() };
        let limit = self.samples.confirmed_limit(&settings, check)?;
        work.done(1)?;
        let (measured_dt, measured_doubling) = if self.measure {
            let mut simulation = self.simulation.clone();
            simulation.configure(settings);
            let measured = stability::measure_limit(&simulation, &limit, check)?;
            let doubling = stability::measure_doubling(&simulation, &limit, check)?;
            work.done(1)?;
            (Some(measured), doubling)
        } else {
            (None, None)
        };
        let is_uneven = !self.uneven.is_empty() && settings.solver().is_none();
        let under_frames = match is_uneven {
            true => self.samples.growth_under(&settings, &self.uneven, || work.check())?,
            false => None,
        };
        let frames_doubling = under_frames.and_then(|growth| growth.doubling);
        let row = Row::of(integrator.info().name, &limit, measured_dt);
        Ok(Row { frames_doubling, under_frames, measured_doubling, ..row })
    }
}

impl LimitReport {
    /// Returns the verdict on the lane's step: whether it is stable, and its ratio to the longest
    /// stable step.
    fn verdict(&self, own: &Limit) -> String {
        let longest = own.longest();
        let doubles = own.doubling.map_or_else(String::new, |seconds| {
            format!(", doubles every {}", four_digits::format_seconds(seconds))
        });
        let own_row = self.limits.iter().find(|row| row.integrator == self.integrator);
        if let Some(seconds) =
            own_row.and_then(|row| row.frames_doubling).filter(|_| self.dt <= longest)
        {
            let seconds = four_digits::format_seconds(seconds);
            return format!(
                "unstable: its frames differ in length, and their sequence doubles a vibration in \
                 {seconds}, though each length alone is stable"
            );
        }
        let excess = factor(self.dt / longest);
        match longest {
            0.0 => format!("unstable at every step{doubles}"),
            _ if own.gains_down_to().is_some() => "no stable step found by runs".to_owned(),
            _ if longest.is_infinite() => "stable at every step".to_owned(),
            _ if self.dt > longest && self.dt <= own.predicted() => {
                format!("gains energy in a run, {excess} times the longest step that gains none")
            }
            _ if self.dt > longest && self.dt <= own.dt => {
                format!(
                    "gains energy where links swing, {excess} times the longest step that gains \
                     none"
                )
            }
            _ if self.dt > longest => format!("unstable, {excess} times the longest step{doubles}"),
            _ => format!("stable, {excess} of the longest step"),
        }
    }

    fn to_text(&self, held: bool, own: &Limit, measured: bool) -> String {
        let mut text = format!("{:<16}  {}, lane {}\n", "scene", self.title, self.lane);
        for (name, value) in self.facts(held, own) {
            text += &format!("{name:<16}  {value}\n");
        }
        text += "\n";
        text += &self.table(held, measured).to_text();
        for why in self.misfits() {
            text += &format!("\nnone: no step is safe, because {why}\n");
        }
        for note in self.notes() {
            text += &format!("\n{note}\n");
        }
        text
    }

    /// Returns the lines above the table, each as a name and a value.
    fn facts(&self, held: bool, own: &Limit) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        match (self.omega_max, self.damping_ratio, self.particle) {
            (Some(omega), Some(xi), Some(particle)) => {
                facts.push((
                    "fastest mode",
                    format!(
                        "ω = {} ({}), damping ratio {}, greatest at particle {particle}",
                        quantity_in_words(omega, "rad/s"),
                        quantity_in_words(omega / std::f64::consts::TAU, "Hz"),
                        number_in_words(xi),
                    ),
                ));
                let z = number_in_words(omega * self.dt / f64::from(self.substeps));
                let dt = four_digits::format_seconds(self.dt);
                let dt = if self.steps_by_frame { format!("longest frame {dt}") } else { dt };
                let verdict = if held { String::new() } else { format!(": {}", self.verdict(own)) };
                facts.push(("lane", format!("{}, {dt}, ωh = {z}{verdict}", self.integrator)));
            }
            _ if own.has_springs => {
                facts.push(("fastest mode", "none: the springs are slack".to_owned()));
            }
            _ => facts.push(("fastest mode", "none: no link acts as a spring".to_owned())),
        }
        let grows = match self.growth {
            growth if growth.is_infinite() => "explodes at once".to_owned(),
            growth if growth > 1.0 => {
                let growth = percent_to(growth - 1.0, 2);
                format!("grows by {growth} per step, and gains energy in a run of 3 s")
            }
            _ => "does not grow".to_owned(),
        };
        facts.push(("whole step", grows));
        let judged = match self.followed {
            0.0 => "at the start only".to_owned(),
            followed => {
                let [followed, at] = [followed, own.at].map(four_digits::format_seconds);
                format!("over the first {followed}; decided at {at}")
            }
        };
        facts.push(("judged", judged));
        if held {
            let note = "a constraint solver constrains the links, so only runs tell their limits; \
                        --links springs treats them as springs";
            facts.push(("note", note.to_owned()));
        }
        facts
    }

    /// Returns the table with one row per integrator. Columns that have no values for the lane are
    /// left out.
    fn table(&self, held: bool, measured: bool) -> Table {
        let cells = |row: &Row| {
            [
                row.integrator.to_owned(),
                row.longest_text(held && self.omega_max.is_none()),
                match row.omega_h {
                    _ if self.omega_max.is_none() => "–".to_owned(),
                    _ if row.swinging_dt.or(row.run_dt).is_some() => {
                        number_in_words(self.longest_omega_h(row))
                    }
                    Some(z) => number_in_words(z),
                    None => "∞".to_owned(),
                },
                match row.under_frames {
                    None => "–".to_owned(),
                    Some(GrowthUnder { doubling: None }) => "stable".to_owned(),
                    Some(GrowthUnder { doubling: Some(seconds) }) => {
                        format!("doubles in {}", four_digits::format_seconds(seconds))
                    }
                },
                if measured { row.measured_text() } else { String::new() },
            ]
        };
        let head = ["Integrator", "Longest step", "ωh", "Its frames", "Measured"];
        let table = Table::new(head, self.limits.iter().map(cells));
        let table = if measured { table } else { table.without("Measured") };
        if self.frames_differ && !held { table } else { table.without("Its frames") }
    }

    /// Returns the reasons why some integrators have no safe step with the lane's solver.
    fn misfits(&self) -> BTreeSet<&'static str> {
        self.limits.iter().filter_map(|row| row.misfit).collect()
    }

    /// Returns the explanations of the marks (*, §, ‡, ¶, ◊, †, ≈) that the table contains.
    fn notes(&self) -> impl Iterator<Item = &'static str> {
        let swings = |row: &Row| {
            row.swinging_dt.is_some() && !row.is_shorter_at_impacts() && row.run_dt.is_none()
        };
        let notes = [
            (
                self.limits.iter().any(Row::needs_damping),
                "* unstable without damping at every step; the scene's damping makes these stable",
            ),
            (
                self.limits.iter().filter_map(Row::longest).any(|dt| dt > 0.0 && dt < SHORTEST_DT),
                "the shortest dt is 1 µs; for shorter steps, use substeps",
            ),
            (
                self.limits.iter().any(Row::is_shorter_at_impacts),
                "§ where contact begins and ends; while it lasts, longer steps are stable",
            ),
            (
                self.limits.iter().any(swings),
                "‡ where links swing or hit colliders; any step where they only vibrate",
            ),
            (
                self.limits.iter().any(Row::is_any_by_run),
                match self.omega_max {
                    Some(_) => {
                        "any: for small vibrations; a run with steps of up to 50 ms gained no energy"
                    }
                    None => "any: a run with steps of up to 50 ms gained no energy",
                },
            ),
            (
                self.limits.iter().any(|row| row.run_dt.is_some()),
                match self.omega_max {
                    Some(_) => {
                        "¶ found by runs of the lane: with longer steps they gained energy, though \
                         small vibrations allow such steps"
                    }
                    None => "¶ found by runs of the lane: with longer steps they gained energy",
                },
            ),
            (
                self.limits.iter().any(|row| row.unconverged.is_some()),
                "◊ many steps of the run did not converge, so its motion is inexact; the run has \
                 steps of the longest stable length, but at most 50 ms",
            ),
            (
                self.limits.iter().any(|row| row.is_mixed),
                "the limit is not sharp: with some integrators, runs with a longer step gained \
                 no energy where a shorter one did",
            ),
            (
                self.limits.iter().any(|row| row.gains_down_to.is_some()),
                "† runs gained energy below every tried limit",
            ),
            (
                self.limits.iter().any(Row::is_measured_beyond),
                "≈ longer than the longest step: no tried step up to this one gained energy, but \
                 steps between the tried ones may",
            ),
        ];
        notes.into_iter().filter_map(|(applies, note)| applies.then_some(note))
    }

    fn longest_omega_h(&self, row: &Row) -> f64 {
        let rate = self.omega_max.unwrap_or(0.0) / f64::from(self.substeps);
        row.longest().unwrap_or(0.0) * rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropelab::scene::Scene;

    #[test]
    fn the_progress_of_a_single_measurement_counts_its_steps() {
        let scene = Scene::open("travelling-wave").expect("the scene is in the library");
        let simulation = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
        let samples = SceneSamples::of_current_state(&simulation);
        let steps = Arc::new(AtomicU64::new(0));
        let counted = steps.clone();
        let finder =
            LimitFinder { simulation, samples, uneven: Vec::new(), measure: true, steps: counted };
        let row = finder.row(Method::SymplecticEuler, &Work::unwatched());
        assert!(row.is_ok());
        assert!(steps.load(Ordering::Relaxed) > 1000, "{steps:?}");
        assert_eq!(steps_in_words(12_345_678), "12.3 million steps ");
    }
}
