//! Repeated run of the explained lane (one simulation of the scene) to its end. It also finds the
//! last step at which vibrations were small.

use super::explain_job::ExplainJob;
use super::step_lengths::StepLengths;
use super::trial::{RunCost, RunStart};
use crate::analysis::job::Cancelled;
use crate::analysis::runs::run_energy::{Ending, EnergyWatch};
use crate::measure::EnergyAccount;
use crate::simulation::Simulation;

/// Largest second difference x(t+h) − 2 x(t) + x(t−h) of a particle at which a vibration counts as
/// small, as a fraction of the mean link length.
const LARGEST_SMALL: f64 = 0.1;

/// Largest strain of a link at which a vibration counts as small. If links are already strained at
/// the start, twice that strain is permitted.
const SMALL_STRAIN: f64 = 0.2;
/// Strain of a link at the start above which the link counts as a mistake in the scene.
const ABSURD_STRAIN: f64 = 2.0;
/// Strain of a link at the start above which a solver that contracts the link at once explains an
/// energy gain in the first step.
const CONTRACTED_STRAIN: f64 = 0.02;
/// Number of steps between two measurements of residual, contact and strain.
const STEPS_BETWEEN_MEASUREMENTS: u64 = 16;

/// Results of running the explained lane up to its end.
pub(super) struct LaneRun {
    /// Explosion or energy gain; `None` if the run had neither.
    pub ending: Option<Ending>,
    /// True if the total energy does not show the gain, because damping removes the gain
    /// immediately.
    pub hides_gain: bool,
    /// Lane at the end of the run.
    pub end: Simulation,
    /// Number of the last step with small vibrations.
    pub last_small: u64,
    /// Longest step of the run in seconds.
    pub longest_step: f64,
    /// True if an implicit solve failed while vibrations were small.
    pub solve_failed: bool,
    /// Largest residual of the projection while vibrations were small, as a fraction of a link's
    /// length.
    pub residual: f64,
    /// Largest strain of a link in the run.
    pub stretch: f64,
    /// True if any contact occurred during the run.
    pub has_contact: bool,
    /// Simulated time of the run in seconds.
    pub seconds: f64,
    /// Computing seconds per simulated second, over the steps with small vibrations.
    pub cost: f64,
}

impl LaneRun {
    pub fn of(job: &ExplainJob) -> Result<Self, Cancelled> {
        let question = job.question;
        let mut simulation = question.start.clone();
        let mut step_lengths = StepLengths::of(question, question.start.settings());
        let mut watch = EnergyWatch::of(&mut simulation, question.inputs.is_empty());
        let small = LARGEST_SMALL * simulation.model().topology().links().mean_rest_length();
        let small_strain = SMALL_STRAIN.max(2.0 * simulation.stretch().max);
        let (mut before, mut now) = (simulation.state().x.clone(), simulation.state().x.clone());
        let projects = !simulation.settings().solver().is_none();
        let mut inputs = question.inputs.replay();
        let mut cost = RunCost::default();
        let (mut ending, mut last_small, mut longest_step) = (None, 0_u64, 0.0_f64);
        let (mut solve_failed, mut residual, mut has_contact) = (false, 0.0_f64, false);
        let mut greatest_stretch = 0.0_f64;
        let (mut step, mut seconds, mut mean_step) = (0_u64, 0.0, question.dt);
        while seconds < question.duration * (1.0 - 1e-9) && !job.is_over() {
            let dt = step_lengths.next_length();
            let (passed, work) = job.step(&mut inputs, &mut simulation, dt);
            job.check()?;
            (step, longest_step) = (step + 1, longest_step.max(dt));
            seconds += dt;
            mean_step = seconds / step as f64;
            ending = watch.ending(&mut simulation);
            if ending.is_some() {
                break;
            }
            let next = &simulation.state().x;
            let second = next.iter().zip(&now).zip(&before).map(|((c, b), a)| *c - 2.0 * *b + *a);
            let second_difference = second.map(|d| d.length()).fold(0.0, f64::max);
            let has_small_strain = simulation.stretch().max <= small_strain && !watch.is_above();
            if second_difference <= small && has_small_strain {
                last_small = step;
                cost.add(passed, work);
                solve_failed |= simulation.solve().failed;
                if projects && step.is_multiple_of(STEPS_BETWEEN_MEASUREMENTS) {
                    residual = residual.max(simulation.projection().residual);
                }
            }
            let is_measured = step <= STEPS_BETWEEN_MEASUREMENTS
                || step.is_multiple_of(STEPS_BETWEEN_MEASUREMENTS);
            has_contact |= is_measured && simulation.last_contacts().next().is_some();
            if is_measured {
                greatest_stretch = greatest_stretch.max(simulation.stretch().max);
            }
            std::mem::swap(&mut before, &mut now);
            now.clone_from(next);
        }
        has_contact |= simulation.contact().events > 0;
        let may_hide_gain = ending.is_none() && watch.reads_total_energy();
        if may_hide_gain || matches!(ending, Some(Ending::GainedEnergy { .. })) {
            ending = gain_in_account(job, step)?.or(ending);
        }
        let hides_gain = may_hide_gain && ending.is_some();
        let start = || RunStart {
            simulation: question.start.clone(),
            inputs: question.inputs.replay(),
            step_lengths: StepLengths::of(question, question.start.settings()),
        };
        let cost = cost.seconds_per_step(job, last_small, start)? / mean_step;
        Ok(Self {
            ending,
            hides_gain,
            end: simulation,
            last_small,
            longest_step,
            solve_failed,
            residual,
            stretch: greatest_stretch,
            has_contact,
            seconds,
            cost,
        })
    }

    /// True if links that are too long at the start explain how the run ended: a link is so long
    /// that it counts as a mistake, or a solver contracted links in the first step.
    pub fn is_caused_by_start(&self, start: &Simulation) -> bool {
        let strain = start.stretch().max;
        let ended_at = self.ending.map_or(f64::INFINITY, |ending| ending.t());
        let is_first_step = ended_at - start.state().t < 1.5 * self.longest_step;
        let contracts = is_first_step && !start.settings().solver().is_none();
        strain > ABSURD_STRAIN || contracts && strain > CONTRACTED_STRAIN
    }
}

/// Returns the energy gain within the first `steps` steps, by an energy account that starts at the
/// first step, as in a session. `None` without a gain. The observer of the run may have read only
/// the total energy, and only in some steps. Damping hides a gain from such an observer for some
/// time or forever.
fn gain_in_account(job: &ExplainJob, steps: u64) -> Result<Option<Ending>, Cancelled> {
    let question = job.question;
    let mut simulation = question.start.clone();
    simulation.start_energy_account();
    let mut step_lengths = StepLengths::of(question, question.start.settings());
    let mut inputs = question.inputs.replay();
    for _ in 0..steps {
        inputs.step(&mut simulation, step_lengths.next_length());
        simulation.add_to_energy_account();
        job.check()?;
    }
    let gain = simulation.energy_account().and_then(EnergyAccount::energy_gain);
    Ok(gain.map(|gain| Ending::GainedEnergy { t: gain.t, times: gain.fraction }))
}
