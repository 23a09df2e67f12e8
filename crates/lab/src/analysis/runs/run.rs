//! Runs of simulations from their start to the end of a plan.

use super::median_cost::MedianCost;
use crate::contact;
use crate::measure::{Balance, Drift, Explosion, Overstretch, Stretch, Unconverged, Verdict};
use crate::scene::Scene;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{Frame, FrameSubsteps, Stepping, TimeAccount};
use rayon::prelude::*;
use std::convert::Infallible;
use std::sync::Arc;
use thiserror::Error;

/// Maximum number of steps of a plan: a day of computing time for a small rope.
pub const MOST_STEPS: f64 = 1e9;

/// Source of the step lengths in a run without a display.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeSource {
    /// Steps of length dt, one after the other. The stepping scheme is not used.
    Steps,
    /// Frames of these lengths in seconds, repeated cyclically. The stepping scheme and its guards
    /// (e.g. a limit on the frame time) turn them into steps. The cost of a step counts as zero:
    /// guards with a time budget then have no effect, and the result is reproducible bit for bit.
    Frames(Vec<f64>),
}

/// Duration of a run and its source of time.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Duration in seconds: simulated time for steps, wall-clock time for frames.
    pub duration: f64,
    /// Source of the step lengths.
    pub feed: TimeSource,
}

/// Reason why a plan is refused, as a clause.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct RunPlanError(String);

/// Returns a number as text, with an exponent from 1e15 upwards.
fn short_or_exponential(number: f64) -> String {
    if number < 1e15 { number.to_string() } else { format!("{number:e}") }
}

impl RunPlan {
    /// Returns an error if the plan is invalid or needs too many steps.
    pub fn check(&self, settings: &Settings) -> Result<(), RunPlanError> {
        let Self { duration, feed } = self;
        let check_seconds = |name: &str, seconds: f64| match seconds.is_finite() && seconds > 0.0 {
            true => Ok(()),
            false => Err(format!("{name} is {seconds}; expected a positive number of seconds")),
        };
        let check = || {
            check_seconds("duration", *duration)?;
            if let TimeSource::Frames(frames) = feed {
                for (number, seconds) in (1..).zip(frames) {
                    check_seconds(&format!("frame time {number}"), *seconds)?;
                }
                if frames.is_empty() {
                    return Err("no frame times; expected at least one".to_owned());
                }
            }
            let steps = self.expected_steps(settings) * f64::from(settings.substeps);
            if steps > MOST_STEPS {
                return Err(format!(
                    "{} s would take {steps:.1e} steps; at most {MOST_STEPS:.0e} are \
                     accepted: use a longer dt or a shorter duration",
                    short_or_exponential(*duration)
                ));
            }
            Ok(())
        };
        check().map_err(RunPlanError)
    }

    /// Returns the number of steps of the run, provided that no limit on steps per frame drops any.
    pub fn expected_steps(&self, settings: &Settings) -> f64 {
        match &self.feed {
            TimeSource::Steps => (self.duration / settings.dt).round(),
            TimeSource::Frames(frames) => {
                let cycle: f64 = frames.iter().sum();
                let count = (self.duration / cycle).ceil() * frames.len() as f64;
                match settings.stepping {
                    Stepping::FrameCoupled | Stepping::FixedPerFrame => count,
                    Stepping::FrameSubsteps(FrameSubsteps { n }) => count * f64::from(n),
                    Stepping::DiscardRemainder
                    | Stepping::Accumulator
                    | Stepping::Interpolated
                    | Stepping::RenderTick
                    | Stepping::Extrapolated => count.max(self.duration.max(cycle) / settings.dt),
                }
            }
        }
    }
}

/// Outcome of a run. After an explosion, the values describe the last state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Number of steps up to the final state.
    pub steps: u64,
    /// Simulated time in seconds.
    pub t: f64,
    /// Verdict on the run: stable, exploded, soft, or with an energy gain.
    pub verdict: Verdict,
    /// Explosion; `None` if the run did not explode.
    pub explosion: Option<Explosion>,
    /// First link that became too long in a run that did not explode, with the time; `None` if
    /// there was none.
    pub overstretch: Option<Overstretch>,
    /// Energy balance; `None` if the simulation kept no energy account.
    pub balance: Option<Balance>,
    /// Energy drift at the end of the run as a fraction (see [`Drift`]), computed from the energies
    /// after every step.
    pub energy_drift: f64,
    /// Largest strain of any link during the run, including the start.
    pub stretch_max: f64,
    /// Smallest strain of any link during the run, including the start; negative if a link was
    /// shorter than its rest length.
    pub stretch_min: f64,
    /// Median computing time of a step in seconds, over batches of at least 20 µs; NaN if no step
    /// was taken.
    pub cost_per_step: f64,
    /// Number of steps whose implicit solve or projection missed its tolerance.
    pub unconverged: Unconverged,
    /// Clause that names an internal limit of the solver that reduces its parameters; `None` if no
    /// such limit applies.
    pub solver_limit: Option<String>,
    /// Residual of the worst link's equation after the last step, as a fraction of the link's rest
    /// length; `None` if no solver constrains links.
    pub residual: Option<f64>,
    /// Clause about the force of tethers; `None` without tethers.
    pub tethers: Option<String>,
    /// Counts and extremes of contact.
    pub contact: contact::ContactReport,
    /// Number of links that tore.
    pub torn: u64,
    /// Hash of the bits of the final state.
    pub hash: u64,
    /// Sums of simulated, owed, dropped and wall-clock time in seconds; `None` if the run had no
    /// frames.
    pub time_account: Option<TimeAccount>,
}

/// Event that a run reports to its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// Start of the run, before the first step.
    Nothing,
    /// End of a step.
    Step,
    /// End of a frame. The steps of the frame have already been reported.
    Frame,
}

/// Runs a simulation with a checked plan. `watch` is called at the start, and after every step and
/// frame in which the simulation does not explode. If it returns an error, the run ends. `clock`
/// returns seconds and is read around every step.
pub fn run<E>(
    simulation: &mut Simulation,
    plan: &RunPlan,
    clock: &dyn Fn() -> f64,
    mut watch: impl FnMut(&Simulation, RunEvent) -> Result<(), E>,
) -> Result<Outcome, E> {
    watch(simulation, RunEvent::Nothing)?;
    let mut meter = Meter::new(simulation);
    match &plan.feed {
        TimeSource::Steps => {
            let dt = simulation.settings().dt;
            for _ in 0..plan.expected_steps(simulation.settings()) as u64 {
                let started = clock();
                simulation.step(dt);
                if simulation.explosion().is_some() {
                    break;
                }
                let seconds = clock() - started;
                simulation.add_to_energy_account();
                meter.observe(simulation, seconds);
                watch(simulation, RunEvent::Step)?;
            }
        }
        TimeSource::Frames(frames) => {
            for seconds in frames_within(frames, plan.duration) {
                let mut result = Ok(());
                let mut started = clock();
                simulation.advance_watched(Frame::of(seconds), &mut |simulation| {
                    if result.is_ok() {
                        meter.observe(simulation, clock() - started);
                        result = watch(simulation, RunEvent::Step);
                        started = clock();
                    }
                });
                result?;
                if simulation.explosion().is_some() {
                    break;
                }
                watch(simulation, RunEvent::Frame)?;
            }
        }
    }
    let time_account =
        matches!(plan.feed, TimeSource::Frames(_)).then(|| simulation.time_account());
    Ok(meter.outcome(simulation, time_account))
}

/// Settings of a lane (one simulation of the scene), and a plan that was checked with them.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Settings of the lane.
    pub settings: Settings,
    /// Plan of the run.
    pub plan: RunPlan,
}

/// Runs the scene once with each of these settings, in parallel, each with its own checked plan.
/// Returns the outcomes in the order of `runs`. `clock` returns seconds. `step_taken` is called
/// after every step of every run.
pub fn compare(
    scene: &Arc<Scene>,
    runs: &[PlannedRun],
    clock: &(dyn Fn() -> f64 + Sync),
    step_taken: &(dyn Fn() + Sync),
) -> Vec<Outcome> {
    let one = |PlannedRun { settings, plan }: &PlannedRun| {
        let mut simulation = Simulation::new(scene.parts.clone(), *settings);
        simulation.start_energy_account();
        let Ok(outcome) = run(&mut simulation, plan, clock, |_, _| {
            step_taken();
            Ok::<(), Infallible>(())
        });
        outcome
    };
    runs.par_iter().map(one).collect()
}

/// Returns the lengths of the frames that begin before `duration`, repeated cyclically. The start
/// of each frame is a product plus a short sum. If all lengths were added up, rounding could put 61
/// frames of 1/60 s into one second.
fn frames_within(frames: &[f64], duration: f64) -> impl Iterator<Item = f64> {
    let cycle: f64 = frames.iter().sum();
    let starts = frames.iter().scan(0.0, |start, seconds| {
        let frame = (*start, *seconds);
        *start += seconds;
        Some(frame)
    });
    let starts: Vec<(f64, f64)> = starts.collect();
    let end = duration * (1.0 - 1e-12);
    (0u64..)
        .flat_map(move |round| {
            starts.clone().into_iter().map(move |(start, s)| (round as f64 * cycle + start, s))
        })
        .take_while(move |(start, _)| *start < end)
        .map(|(_, seconds)| seconds)
}

struct Meter {
    steps: u64,
    cost: MedianCost,
    stretch: [f64; 2],
    drift: Drift,
}

impl Meter {
    fn new(simulation: &Simulation) -> Self {
        let mut drift = Drift::default();
        drift.observe(&simulation.energy());
        let Stretch { max, min, .. } = simulation.stretch();
        Self { steps: 0, cost: MedianCost::default(), stretch: [min, max], drift }
    }

    fn observe(&mut self, simulation: &Simulation, seconds: f64) {
        self.steps += 1;
        self.cost.add(seconds);
        let Stretch { max, min, .. } = simulation.stretch();
        self.stretch = [self.stretch[0].min(min), self.stretch[1].max(max)];
        self.drift.observe(&simulation.energy());
    }

    fn outcome(self, simulation: &Simulation, time_account: Option<TimeAccount>) -> Outcome {
        let Self { steps, cost, stretch: [stretch_min, stretch_max], drift } = self;
        Outcome {
            steps,
            t: simulation.state().t,
            verdict: simulation.verdict(),
            explosion: simulation.explosion(),
            overstretch: simulation.overstretch(),
            balance: simulation.balance(),
            energy_drift: drift.fraction(),
            stretch_max,
            stretch_min,
            cost_per_step: cost.seconds(),
            unconverged: simulation.unconverged(),
            solver_limit: simulation.solver_limit(),
            residual: (!simulation.settings().solver().is_none())
                .then(|| simulation.projection().residual),
            tethers: simulation.tethers_in_words(),
            contact: simulation.contact(),
            torn: simulation.torn(),
            hash: simulation.hash(),
            time_account,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_frames_of_a_sixtieth_are_one_second() {
        for hertz in [30.0, 60.0, 75.0, 144.0, 1000.0] {
            let frames = [1.0 / hertz];
            assert_eq!(frames_within(&frames, 1.0).count(), hertz as usize);
            assert_eq!(frames_within(&frames, 10.0).count(), 10 * hertz as usize);
        }
    }

    #[test]
    fn frame_times_start_over_when_they_run_out() {
        let frames = [0.25, 0.5];
        let fed: Vec<f64> = frames_within(&frames, 1.6).collect();
        assert_eq!(fed, [0.25, 0.5, 0.25, 0.5, 0.25]);
    }

    #[test]
    fn a_course_of_a_million_years_is_refused() {
        let plan = RunPlan { duration: 3e13, feed: TimeSource::Steps };
        let error = plan.check(&Settings::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "30000000000000 s would take 3.0e16 steps; at most 1e9 are accepted: \
             use a longer dt or a shorter duration"
        );
    }

    #[test]
    fn one_endless_frame_is_refused_however_short_the_run() {
        let plan = RunPlan { duration: 1.0, feed: TimeSource::Frames(vec![1e9]) };
        let error = plan.check(&Settings::default()).unwrap_err().to_string();
        assert!(error.contains(" steps; at most 1e9 are accepted"), "{error}");
    }

    #[test]
    fn durations_and_frames_that_are_no_time_are_refused() {
        let refuse = |duration, feed| {
            let plan = RunPlan { duration, feed };
            plan.check(&Settings::default()).unwrap_err().to_string()
        };
        assert!(refuse(f64::NAN, TimeSource::Steps).starts_with("duration is NaN; expected"));
        assert!(refuse(0.0, TimeSource::Steps).starts_with("duration is 0; expected"));
        assert!(refuse(1.0, TimeSource::Frames(vec![])).starts_with("no frame times"));
        let frames = TimeSource::Frames(vec![0.01, -0.01]);
        assert!(refuse(1.0, frames).starts_with("frame time 2 is -0.01; expected"));
    }
}
