//! Trial run of a changed lane (one simulation of the scene): its end, its symptoms, and its cost.

mod run_cost;

pub(super) use run_cost::{RunCost, RunStart};

use super::explain_job::ExplainJob;
use super::jitter::Jitter;
use super::step_lengths::StepLengths;
use crate::analysis::accuracy::reference::scene_size;
use crate::analysis::job::Cancelled;
use crate::analysis::linear::mass_product::pseudo_random;
use crate::analysis::runs::run_energy::{Ending, EnergyWatch};
use crate::analysis::runs::swing_energy::SwingEnergy;
use crate::measure::{MOST_MADE, Softness, Verdict};
use crate::model::Parts;
use crate::session::{InputReplay, Inputs};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Number of instants at which positions are stored.
const SAMPLES: usize = 60;
/// Largest number of steps between two measurements of strain and speed.
const MOST_STEPS_BETWEEN: u64 = 16;
/// Approximate number of measurements of strain and speed in a run.
const MEASUREMENTS_PER_RUN: u64 = 64;
/// The energy gain of a run is extrapolated to this multiple of its duration.
const EXTRAPOLATION: f64 = 5.0;
/// Energy gained in the second half of a run above which the energy counts as growing, as a
/// fraction of the greatest kinetic + elastic energy of the motion.
const LEAST_LATE_GAIN: f64 = 0.05;
/// Speed of the perturbation as a fraction of √(g L), where g is the acceleration of free fall and
/// L the size of the scene.
const PERTURBATION_FRACTION: f64 = 0.1;
/// Uniform perturbation of all particles, which makes the scene swing. A second perturbation, which
/// differs from particle to particle, makes the scene vibrate.
const COMMON_DIRECTION: DVec3 = DVec3::new(0.4, 0.2, 0.8);
/// Acceleration of free fall in m/s².
const G: f64 = 9.81;

/// Lane with changed parts or settings.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub parts: Arc<Parts>,
    pub settings: Settings,
}

/// Durations of a trial run, in simulated seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Duration for which positions are stored and energies compared: the duration of the explained
    /// run.
    pub compared: f64,
    /// Duration of the whole run.
    pub all: f64,
}

/// Results of a trial run.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// Explosion or energy gain; `None` if the run had neither.
    pub ending: Option<Ending>,
    /// Simulated time of the run in seconds.
    pub seconds: f64,
    /// True if the work budget ended before the run was complete.
    pub unfinished: bool,
    /// Computing seconds per simulated second; NaN if the run has no step.
    pub cost: f64,
    /// Positions in metres at 1/60, 2/60 … of the compared duration, interpolated linearly between
    /// two steps.
    pub samples: Vec<Vec<DVec3>>,
    /// Mean strain of the links, averaged over time.
    pub stretch: f64,
    /// Residual of the worst link as a fraction of its length, averaged over time.
    pub residual: f64,
    /// Error that sweeps leave in the worst link: the residual divided by the square of the number
    /// of substeps, because the next substeps continue the correction (Macklin et al. 2019).
    pub link_error: f64,
    /// Energies during the compared duration.
    pub swing: SwingEnergy,
    /// Softness of the links at the end of the run; `None` if they are not soft.
    pub softness: Option<Softness>,
    /// Largest energy that, at any time, the integrator had added or sweeps had left in
    /// constraints. It is a fraction of the greatest kinetic + elastic energy of the motion; 0
    /// without an energy account.
    pub peak: f64,
    /// Energy that the integrator added by the end of the run, as a fraction of the greatest
    /// kinetic + elastic energy of the motion.
    pub made: f64,
    /// Part of `made` that was added in the second half of the run.
    made_late: f64,
    /// Fraction of the steps that missed a solver's tolerance.
    pub unconverged: f64,
    /// True if any contact occurred during the run.
    pub has_contact: bool,
    /// Jitter of resting bodies in m/s (see [`Jitter`]), in the third and the fourth quarter of the
    /// compared duration.
    pub jitter: [f64; 2],
}

impl Trial {
    /// Runs a candidate from the state in which the explained run starts.
    pub fn of(job: &ExplainJob, candidate: &Candidate, span: Span) -> Result<Self, Cancelled> {
        let simulation = Simulation::new(candidate.parts.clone(), candidate.settings);
        Self::from(job, simulation, job.question.inputs.replay(), span)
    }

    /// Runs a candidate from the start of the explained run with perturbed velocities, without the
    /// recorded inputs.
    pub fn perturbed(
        job: &ExplainJob,
        candidate: &Candidate,
        span: Span,
    ) -> Result<Self, Cancelled> {
        let perturbed = Arc::new(perturbed(&candidate.parts));
        let simulation = Simulation::new(perturbed, candidate.settings);
        Self::from(job, simulation, Inputs::default().replay(), span)
    }

    fn from(
        job: &ExplainJob,
        mut simulation: Simulation,
        mut inputs: InputReplay,
        Span { compared, all }: Span,
    ) -> Result<Self, Cancelled> {
        let question = job.question;
        let settings = *simulation.settings();
        let mut step_lengths = StepLengths::of(question, &settings);
        let is_left_alone = question.inputs.is_empty() && !job.keeps_account;
        let mut watch = EnergyWatch::of(&mut simulation, is_left_alone);
        let has_tolerance = settings.solver().has_tolerance();
        let mut swing = SwingEnergy::of(&simulation);
        let mut sums = RunSums::default();
        let every =
            ((all / question.dt) as u64 / MEASUREMENTS_PER_RUN).clamp(1, MOST_STEPS_BETWEEN);
        let parts = simulation.parts().clone();
        let (own_inputs, own_lengths) = (inputs.clone(), step_lengths.clone());
        let (mut cost, mut seconds, mut steps) = (RunCost::default(), 0.0, 0_u64);
        let mut samples: Vec<Vec<DVec3>> = Vec::new();
        let mut ending = None;
        let mut missed = 0;
        let mut made_early = f64::NAN;
        while ending.is_none() && seconds < all * (1.0 - 1e-9) && !job.is_over() {
            let dt = step_lengths.next_length();
            let (passed, work) = job.step(&mut inputs, &mut simulation, dt);
            cost.add(passed, work);
            job.check()?;
            (steps, seconds) = (steps + 1, seconds + dt);
            ending = watch.ending(&mut simulation);
            missed += u64::from(simulation.solve().failed);
            if made_early.is_nan() && seconds >= 0.5 * all {
                made_early = watch.made(&simulation);
            }
            if seconds <= compared * (1.0 + 1e-9) + dt {
                store_samples(&mut samples, &simulation, seconds, compared);
            }
            if steps.is_multiple_of(every) && ending.is_none() {
                missed += every * u64::from(has_tolerance && !simulation.projection().converged);
                sums.record(&simulation, seconds / compared);
            }
            if ending.is_none() && seconds <= compared * (1.0 + 1e-9) {
                swing.observe(&simulation);
            }
        }
        let made = watch.made(&simulation);
        let balance = simulation.balance();
        let residual = sums.residual / sums.measurements.max(1) as f64;
        let start = || RunStart {
            simulation: Simulation::new(parts, settings),
            inputs: own_inputs,
            step_lengths: own_lengths,
        };
        // The last step of an exploded run is not good.
        let good = steps.saturating_sub(u64::from(ending.is_some()));
        let seconds_per_step = match steps {
            0 => f64::NAN,
            _ => cost.seconds_per_step(job, good, start)?,
        };
        Ok(Self {
            ending,
            made,
            peak: balance.map_or(0.0, |account| account.gain.fraction),
            made_late: made - made_early,
            seconds,
            unfinished: ending.is_none() && seconds < all * (1.0 - 1e-9),
            cost: seconds_per_step * steps as f64 / seconds.max(question.dt),
            samples,
            stretch: sums.stretch / sums.measurements.max(1) as f64,
            residual,
            link_error: residual / f64::from(settings.substeps).powi(2),
            swing,
            softness: softness(&simulation),
            unconverged: missed as f64 / steps.max(1) as f64,
            has_contact: sums.has_contact || simulation.contact().events > 0,
            jitter: sums.jitter.speeds(),
        })
    }
}

impl Trial {
    /// True if the integrator would add too much energy in a run [`EXTRAPOLATION`] times as long,
    /// at the rate of the second half of this run.
    pub fn will_gain(&self) -> bool {
        let more = 2.0 * (EXTRAPOLATION - 1.0) * self.made_late;
        self.made_late > LEAST_LATE_GAIN && self.made + more > MOST_MADE
    }

    /// Returns the softness of the links at the end of the run. If they are not soft then, returns
    /// the largest energy that sweeps left in constraints at any time, if that was too large.
    /// `None` if the links were never soft.
    pub fn was_soft(&self) -> Option<f64> {
        let ends = self.softness.map(|softness| match softness {
            Softness::LongLink(overstretch) => overstretch.link.length,
            Softness::TooCompliant(compliant) => compliant.share,
            Softness::LeftBySweeps(left) => left.fraction,
        });
        ends.or((self.peak > MOST_MADE).then_some(self.peak))
    }
}

/// Sums of measurements, which are taken every few steps of a run.
#[derive(Default)]
struct RunSums {
    measurements: u64,
    stretch: f64,
    residual: f64,
    has_contact: bool,
    jitter: Jitter,
}

impl RunSums {
    fn record(&mut self, simulation: &Simulation, part: f64) {
        self.measurements += 1;
        self.stretch += simulation.stretch().mean;
        self.residual += simulation.projection().residual;
        self.has_contact |= simulation.last_contacts().next().is_some();
        self.jitter.record(simulation, part);
    }
}

/// Returns the softness of the links; `None` if they are not soft.
fn softness(simulation: &Simulation) -> Option<Softness> {
    match simulation.verdict() {
        Verdict::Soft(softness) => Some(softness),
        _ => None,
    }
}

fn store_samples(
    samples: &mut Vec<Vec<DVec3>>,
    simulation: &Simulation,
    seconds: f64,
    compared: f64,
) {
    let (before, now) = (simulation.previous(), simulation.state());
    let step = now.t - before.t;
    while samples.len() < SAMPLES {
        let due = compared * (samples.len() + 1) as f64 / SAMPLES as f64;
        if due > seconds + 1e-9 * compared {
            break;
        }
        let part = if step > 0.0 { (1.0 - (seconds - due) / step).clamp(0.0, 1.0) } else { 1.0 };
        samples.push(before.x.iter().zip(&now.x).map(|(a, b)| a.lerp(*b, part)).collect());
    }
}

/// Returns the largest distance in metres between the positions of the same particle in two runs,
/// over all stored instants.
pub(super) fn largest_distance(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> f64 {
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// True if a candidate neither explodes nor gains energy for `seconds`. False also if the work
/// budget does not suffice.
pub(super) fn survives(
    job: &ExplainJob,
    candidate: &Candidate,
    seconds: f64,
) -> Result<bool, Cancelled> {
    let span = Span { compared: seconds, all: seconds };
    let trial = Trial::of(&job.within(job.left() / 2), candidate, span)?;
    Ok(trial.ending.is_none() && !trial.unfinished)
}

fn perturbed(parts: &Parts) -> Parts {
    let n = parts.mesh.positions.len();
    let speed = PERTURBATION_FRACTION * (G * scene_size(parts)).sqrt();
    let mut perturbed = parts.clone();
    let noise = pseudo_random(n);
    let perturbation = |i: usize| speed * (COMMON_DIRECTION + 0.3 * noise[i]);
    perturbed.velocities = (0..n).map(|i| parts.velocity(i) + perturbation(i)).collect();
    perturbed
}
