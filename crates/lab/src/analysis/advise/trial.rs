//! Trial of settings, frame by frame. It measures cost and error, and the energy that the
//! integrator removes or adds.

use super::error_measure::ErrorMeasure;
use super::question::{AdviceQuestion, FRAMES_A_SECOND, Goal, MARGIN};
use crate::analysis::in_words::percent;
use crate::analysis::job::{Cancelled, Work};
use crate::analysis::runs::run_energy::EnergyWatch;
use crate::analysis::runs::swing_energy::SwingEnergy;
use crate::analysis::runs::work::work_of_last_step;
use crate::analysis::stability::{SceneSamples, predict_limit};
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use crate::measure::MOST_MADE;
use crate::model::Parts;
use crate::numerics::sums::median;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::Arc;

/// Factors above [`MARGIN`] for step and stiffness. They are tried only with the recommended
/// settings, for the report.
const LARGER_MARGINS: [f64; 2] = [2.0, 3.0];
/// Multiple of the goal at which a run stops.
const STOPPING_FACTOR: f64 = 4.0;
/// Largest ratio of an error's upper limit to the measured error at which the error counts as
/// certain.
const UNCERTAIN_RATIO: f64 = 1.1;
/// Number of neighbouring frames in the running median from which the most expensive frame is
/// chosen. The median removes short interruptions by other programs.
const NEIGHBOURS: usize = 5;
/// Duration of a pilot run, in seconds.
const PILOT_SECONDS: f64 = 0.25;
/// Number of steps that are timed to measure the cost of a step. The cheapest one counts.
const MEASURED_STEPS: u32 = 3;

/// Result of one trial of settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// Tried settings.
    pub settings: Settings,
    /// Simulated time in seconds.
    pub duration: f64,
    /// Time of the explosion in seconds; null if there was none.
    pub exploded_at: Option<f64>,
    /// Largest distance of a particle from its position in the precise run (a reference run with
    /// tiny steps) while errors are meaningful, divided by `error_size`; null without a precise
    /// run.
    pub error: f64,
    /// Upper limit of the error, which the goal limits: the largest sum of the distance and the
    /// uncertainty of the precise run, divided by `error_size`; null without a precise run.
    pub error_limit: f64,
    /// Largest strain of a link.
    pub stretch: f64,
    /// 60 × the median computing time of a frame of 1/60 s, in seconds.
    pub cost_per_second: f64,
    /// Longest computing time of a frame of 1/60 s, in seconds.
    pub worst_frame: f64,
    /// Work of a simulated second: force evaluations × particles plus sweeps × links.
    #[serde(skip)]
    pub work: f64,
    /// Fraction of the amplitude that the integrator removes per second.
    pub swing_taken: Option<f64>,
    /// Energy that the integrator added, as a fraction of the largest energy in the energy account.
    pub made: Option<f64>,
    /// Factor by which the step and the stiffness may be multiplied, each alone: 1.5, 2 or 3. A
    /// value below 1.5 is the longest stable step divided by the step (0 = no stable step).
    pub margin: Option<f64>,
}

impl Trial {
    /// Returns the upper limit of the error or the stretch, depending on the goal. Infinite if the
    /// run exploded.
    pub fn measure(&self, goal: Goal) -> f64 {
        let measured = match goal {
            Goal::Error(_) => self.error_limit,
            Goal::Stretch(_) => self.stretch,
        };
        if self.exploded_at.is_some() || measured.is_nan() { f64::INFINITY } else { measured }
    }

    /// Returns [`Self::measure`] as text: `0.2 %`, or `at most 0.2 %` if a large part of it is the
    /// uncertainty of the precise run.
    pub fn measure_in_words(&self, goal: Goal) -> String {
        let is_uncertain = matches!(goal, Goal::Error(_)) && self.has_uncertain_error();
        let prefix = if is_uncertain { "at most " } else { "" };
        format!("{prefix}{}", percent(self.measure(goal)))
    }

    /// True if the uncertainty of the precise run is a large part of the error.
    pub fn has_uncertain_error(&self) -> bool {
        self.error_limit > UNCERTAIN_RATIO * self.error
    }

    /// Compares two equally cheap trials: first by fewer force evaluations and sweeps, then by
    /// smaller error or stretch, then by the order of integrators and solvers in the catalogue.
    pub fn compare_work(&self, other: &Self, goal: Goal) -> Ordering {
        let place = |trial: &Self| {
            let (method, solver) = (trial.settings.integrator.info().name, trial.settings.solver());
            let methods = Method::all().position(|other| other.info().name == method);
            let solvers =
                ConstraintSolver::all().position(|other| other.info().name == solver.info().name);
            (methods, solvers, solver.iterations(), trial.settings.substeps)
        };
        let by_work = self.work.total_cmp(&other.work);
        let by_measure = || self.measure(goal).total_cmp(&other.measure(goal));
        by_work.then_with(by_measure).then_with(|| place(self).cmp(&place(other)))
    }

    /// True if the trial ran to the end and met the goal. Cost, margin and damping are not checked.
    pub fn meets_goal(&self, question: &AdviceQuestion) -> bool {
        self.is_whole(question) && self.measure(question.goal) <= question.goal.most()
    }

    /// True if the trial ran for the whole duration.
    pub fn is_whole(&self, question: &AdviceQuestion) -> bool {
        self.exploded_at.is_none() && self.duration >= question.duration * (1.0 - 1e-9)
    }

    /// True if the most expensive frame is within the budget.
    pub fn is_affordable(&self, question: &AdviceQuestion) -> bool {
        question.budget.is_none_or(|most| self.worst_frame <= most)
    }

    /// True if the integrator preserves the motion: it damps no more than is permitted, and adds no
    /// energy.
    pub fn keeps_motion(&self, question: &AdviceQuestion) -> bool {
        let takes = self.swing_taken.is_some_and(|taken| taken > question.most_amplitude_loss());
        !takes && self.made.is_none_or(|made| made <= MOST_MADE)
    }

    /// True if the trial fulfils all requirements: goal, budget, preserved motion and margin.
    pub fn is_recommended(&self, question: &AdviceQuestion) -> bool {
        let with_margin = self.margin.is_some_and(|margin| margin >= MARGIN);
        let achieves = self.meets_goal(question) && self.is_affordable(question);
        achieves && self.keeps_motion(question) && with_margin
    }
}

/// Inputs that all trials of one search share.
pub(super) struct Tester<'a> {
    pub parts: &'a Arc<Parts>,
    pub question: &'a AdviceQuestion,
    pub measure: &'a ErrorMeasure,
    /// Samples of the scene's first seconds with all links as springs; `None` if no margin is
    /// needed.
    pub samples: Option<&'a SceneSamples>,
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Clock reading at the beginning of the search, in seconds.
    pub started: f64,
    pub work: &'a Work<Trial>,
}

impl Tester<'_> {
    /// Runs a trial for the whole duration, or until it clearly misses the goal. If the goal is
    /// met, the margin is determined. For a stretch goal, a second run measures the energy balance.
    pub fn judge(&self, settings: &Settings) -> Result<Trial, Cancelled> {
        let question = self.question;
        let (mut trial, costs) = self.run(self.parts, settings, question.duration)?;
        if !trial.meets_goal(question) {
            // The run was stopped early, so only theory can tell if it would have exploded.
            if trial.exploded_at.is_none() && !trial.is_whole(question) {
                trial.margin = Some(self.margin_by_theory(settings)).filter(|margin| *margin < 1.0);
            }
            return Ok(trial);
        }
        let theory = self.margin_by_theory(settings);
        if theory < MARGIN {
            trial.margin = Some(theory);
            return Ok(trial);
        }
        if matches!(question.goal, Goal::Stretch(_)) {
            self.run_with_energy_account(&mut trial, costs)?;
        }
        if !trial.is_affordable(question) || !trial.keeps_motion(question) {
            return Ok(trial);
        }
        trial.margin = Some(match self.is_stable_with(settings, MARGIN)? {
            true => self.margin_by_run(settings)?.min(MARGIN),
            false => 1.0,
        });
        Ok(trial)
    }

    /// Raises the margin of the recommended settings to 2 or 3 if they are stable with this factor.
    pub fn widen_margin(&self, trial: &mut Trial) -> Result<(), Cancelled> {
        let known = self.margin_by_run(&trial.settings)?;
        for factor in LARGER_MARGINS {
            if known < factor || !self.is_stable_with(&trial.settings, factor)? {
                break;
            }
            trial.margin = Some(factor);
        }
        Ok(())
    }

    /// Returns the theoretical longest stable step, divided by the step. The theoretical step is
    /// the limit that the panel shows. A limit that a run has shortened is not used: runs of other
    /// threads would then decide which settings are tried.
    fn margin_by_theory(&self, settings: &Settings) -> f64 {
        let longest = match self.samples.filter(|_| settings.solver().is_none()) {
            Some(samples) => samples.limit(settings).predicted(),
            None => predict_limit(&Simulation::new(self.parts.clone(), *settings)).longest(),
        };
        longest / settings.dt
    }

    /// Returns the measured longest stable step, confirmed by a run and divided by the step.
    /// Infinite if a solver constrains the links.
    fn margin_by_run(&self, settings: &Settings) -> Result<f64, Cancelled> {
        let Some(samples) = self.samples.filter(|_| settings.solver().is_none()) else {
            return Ok(f64::INFINITY);
        };
        let limit = samples.confirmed_limit(settings, || self.work.check())?;
        Ok(limit.longest() / settings.dt)
    }

    /// True if the settings are stable for the whole duration with the step multiplied by `factor`,
    /// and also with the stiffness multiplied by `factor`.
    fn is_stable_with(&self, settings: &Settings, factor: f64) -> Result<bool, Cancelled> {
        let longer = Settings { dt: factor * settings.dt, ..*settings };
        if longer.check().is_err() {
            return Ok(false);
        }
        let mut stiffer = Parts::clone(self.parts);
        let links = stiffer.mesh.links.iter().map(|mut link| {
            link.stiffness *= factor;
            link
        });
        stiffer.mesh.links = links.collect();
        Ok(self.is_stable(self.parts, &longer)? && self.is_stable(&Arc::new(stiffer), settings)?)
    }

    fn is_stable(&self, parts: &Arc<Parts>, settings: &Settings) -> Result<bool, Cancelled> {
        let mut simulation = Simulation::new(parts.clone(), *settings);
        let mut watch = EnergyWatch::of(&mut simulation, true);
        let steps = (self.question.duration / settings.dt).round().max(1.0) as u64;
        for _ in 0..steps {
            self.work.check()?;
            simulation.step(settings.dt);
            if watch.ending(&mut simulation).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Repeats the run with an account of the energy that forces, dampers and the integrator add or
    /// remove. The cost of each frame becomes the smaller one of the two runs.
    fn run_with_energy_account(
        &self,
        trial: &mut Trial,
        mut costs: Vec<f64>,
    ) -> Result<(), Cancelled> {
        let settings = trial.settings;
        let mut simulation = Simulation::new(self.parts.clone(), settings);
        simulation.start_energy_account();
        let (mut kinetic, mut swing) = (0.0_f64, SwingEnergy::of(&simulation));
        for (frame, cost) in costs.iter_mut().enumerate() {
            let mut seconds = 0.0;
            while !is_past(&simulation, frame as u64 + 1) {
                self.work.check()?;
                let started = (self.clock)();
                simulation.step(settings.dt);
                seconds += (self.clock)() - started;
                simulation.add_to_energy_account();
                swing.observe(&simulation);
            }
            kinetic = kinetic.max(simulation.energy().kinetic);
            *cost = cost.min(seconds);
        }
        trial.worst_frame = most_expensive_frame(&costs);
        trial.cost_per_second = cost_per_second(&costs);
        if let Some(balance) = simulation.balance() {
            trial.made = Some(balance.gain.fraction);
            // Impacts and friction also remove energy, and the energy account cannot separate this
            // loss from the integrator's. No loss is therefore reported after contact.
            let touches =
                simulation.contact().events > 0 || simulation.last_contacts().next().is_some();
            let moves = kinetic > self.measure.rest_energy && !touches;
            trial.swing_taken = moves.then(|| {
                let change = swing.change_by_scheme(swing.size());
                (-change.of_amplitude()).max(0.0)
            });
        }
        Ok(())
    }

    /// Runs frame by frame, with as many steps as fit in each frame. Returns the trial and the cost
    /// of each frame in seconds.
    pub fn run(
        &self,
        parts: &Arc<Parts>,
        settings: &Settings,
        duration: f64,
    ) -> Result<(Trial, Vec<f64>), Cancelled> {
        let mut simulation = Simulation::new(parts.clone(), *settings);
        let frames = (duration * FRAMES_A_SECOND).round().max(1.0) as u64;
        let (mut error, mut error_limit) = (0.0_f64, 0.0_f64);
        let mut stretch = simulation.stretch().max;
        let mut costs = Vec::with_capacity(frames as usize);
        let mut work = 0;
        let hopeless = STOPPING_FACTOR * self.question.goal.most();
        let mut is_hopeless = false;
        while (costs.len() as u64) < frames && !is_hopeless {
            let (mut seconds, frame) = (0.0, costs.len() as u64 + 1);
            while !is_past(&simulation, frame) && simulation.explosion().is_none() {
                self.work.check()?;
                let started = (self.clock)();
                simulation.step(settings.dt);
                seconds += (self.clock)() - started;
                work += work_of_last_step(&simulation);
            }
            costs.push(seconds);
            if simulation.explosion().is_some() {
                break;
            }
            stretch = stretch.max(simulation.stretch().max);
            let [distance, most] = self.measure.error(frame, &simulation);
            (error, error_limit) = (error.max(distance), error_limit.max(most));
            is_hopeless = match self.question.goal {
                Goal::Error(_) => error > hopeless,
                Goal::Stretch(_) => stretch > hopeless,
            };
        }
        let passed = costs.len() as f64 / FRAMES_A_SECOND;
        let exploded_at = simulation.explosion().map(|explosion| explosion.t);
        let ended = costs.len() as u64 >= frames;
        let trial = Trial {
            settings: *settings,
            duration: exploded_at.unwrap_or(if ended { duration } else { passed }),
            exploded_at,
            error: if self.measure.measures() { error } else { f64::NAN },
            error_limit: if self.measure.measures() { error_limit } else { f64::NAN },
            stretch,
            cost_per_second: cost_per_second(&costs),
            worst_frame: most_expensive_frame(&costs),
            work: work as f64 / passed,
            swing_taken: None,
            made: None,
            margin: None,
        };
        Ok((trial, costs))
    }

    /// Runs the first 0.25 s with these settings, for a preview before the reference run is
    /// complete.
    pub fn pilot(
        parts: &Arc<Parts>,
        settings: &Settings,
        clock: &(dyn Fn() -> f64 + Sync),
        work: &Work<Trial>,
    ) -> Result<Trial, Cancelled> {
        let question =
            AdviceQuestion { goal: Goal::Stretch(f64::MAX), budget: None, duration: PILOT_SECONDS };
        let measure =
            &ErrorMeasure::of(parts, settings, &question, f64::INFINITY, &|| work.check())?;
        let (question, started) = (&question, 0.0);
        let tester = Tester { parts, question, measure, samples: None, clock, started, work };
        tester.run(parts, settings, PILOT_SECONDS).map(|(trial, _)| trial)
    }

    /// Returns the computing time of one step with these settings, in seconds: the minimum of three
    /// steps.
    pub fn measure_step_cost(&self, settings: &Settings) -> Result<f64, Cancelled> {
        let mut simulation = Simulation::new(self.parts.clone(), *settings);
        let mut least = f64::INFINITY;
        for _ in 0..MEASURED_STEPS {
            self.work.check()?;
            let started = (self.clock)();
            simulation.step(settings.dt);
            least = least.min((self.clock)() - started);
        }
        Ok(least)
    }
}

/// True if the simulation has reached the end of a frame, counted from 1.
fn is_past(simulation: &Simulation, frame: u64) -> bool {
    let dt = simulation.settings().dt;
    simulation.state().t >= frame as f64 / FRAMES_A_SECOND - 1e-6 * dt
}

/// Returns the computing time per simulated second: 60 × the median cost of the frames in which
/// steps end × the fraction of such frames. `costs` contains the cost of each frame in seconds.
/// Interruptions by other programs barely change a median. If steps are longer than a frame, some
/// frames cost nothing.
fn cost_per_second(costs: &[f64]) -> f64 {
    let mut busy: Vec<f64> = costs.iter().copied().filter(|cost| *cost > 0.0).collect();
    let fraction = busy.len() as f64 / costs.len().max(1) as f64;
    if busy.is_empty() { 0.0 } else { median(&mut busy) * fraction * FRAMES_A_SECOND }
}

/// Returns the cost of the most expensive frame in seconds, after a running median over
/// neighbouring frames.
fn most_expensive_frame(costs: &[f64]) -> f64 {
    let busy: Vec<f64> = costs.iter().copied().filter(|cost| *cost > 0.0).collect();
    let windows = busy.windows(NEIGHBOURS.min(busy.len().max(1)));
    windows.map(|window| median(&mut window.to_vec())).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_frame_is_no_hiccup_of_the_machine() {
        let mut costs = vec![1.0; 60];
        costs[17] = 50.0;
        assert_eq!(most_expensive_frame(&costs), 1.0);
        costs[30..40].fill(3.0);
        assert_eq!(most_expensive_frame(&costs), 3.0);
        assert_eq!(most_expensive_frame(&[2.0]), 2.0);
        assert_eq!(most_expensive_frame(&[]), 0.0);
    }

    /// A step of three frames has a cost, although nothing is computed in two of the three frames.
    #[test]
    fn steps_longer_than_a_frame_are_not_free() {
        let costs = [0.0, 0.0, 3.0, 0.0, 0.0, 3.0];
        assert_eq!(cost_per_second(&costs), 60.0);
        assert_eq!(most_expensive_frame(&costs), 3.0);
    }
}
