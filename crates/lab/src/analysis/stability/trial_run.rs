//! Trial runs that confirm the longest stable step. A step counts as too long only after a run with
//! it has gained energy, by the same verdict as in all commands.
//!
//! Near its stability limit, a symplectic integrator lets the energy of a vibration oscillate. The
//! energy that it adds temporarily is called borrowed energy; it is no gain.

use crate::measure::{EnergyBooks, MOST_MADE};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;

/// Step of a trial run, as a fraction of the longest stable step. At the limit itself, borrowed
/// energy is unlimited.
const RUN_FRACTION: f64 = 0.95;
/// Step of a second run for erratic lanes whose links go slack, as a fraction of the longest stable
/// step. In such a lane, one run without a gain says little about a run with another step.
const SECOND_RUN_FRACTION: f64 = 0.85;
/// Damping ratio of the fastest vibration below which impacts and slack links make a lane erratic:
/// it gains energy suddenly, at an unpredictable time.
const HARDLY_DAMPED: f64 = 0.01;
/// Simulated seconds over which the energy gain is judged.
const JUDGED_SECONDS: f64 = 60.0;
/// Simulated seconds after which a run ends early if it has added little energy.
const EARLY_ENDS: [f64; 3] = [10.0, 20.0, 40.0];
/// Energy that counts as little, as a fraction of the largest permitted gain.
const LITTLE_GAIN: f64 = 0.5;
/// Largest energy that a confirmed run may add, as a fraction of the largest permitted gain. The
/// reserve is for slightly shorter steps and other starts, which may add more.
const MOST_CONFIRMED_GAIN: f64 = 0.75;
/// Largest multiple of its planned duration for which a run continues, if it adds energy so fast
/// that it would gain too much within a minute.
const MOST_CONTINUED: f64 = 7.0;
/// Largest ratio of the gain with the shortest tried step to the gain with the longest, at which
/// the step counts as the cause of the gain.
const CAUSAL_RATIO: f64 = 0.5;
/// Shorter steps that are tried one after the other, as fractions of the longest stable step by
/// theory.
const SHORTER_STEPS: [f64; 8] = [0.97, 0.94, 0.9, 0.85, 0.75, 0.6, 0.4, 0.2];
/// Upper limit of the work of a run, in force evaluations × particles.
const MOST_WORK: f64 = 4e6;
/// Upper limit of the work of a run of an erratic lane, in force evaluations × particles.
const MOST_WORK_OF_ERRATIC: f64 = 1.6e7;
/// Work of contact in a substep, in force evaluations.
const WORK_OF_CONTACT: f64 = 30.0;
/// Work of a force evaluation of an implicit integrator, in plain force evaluations: it solves
/// equations.
const WORK_OF_EQUATIONS: f64 = 100.0;
/// Steps from one check to the next in a run that continues.
const STEPS_BETWEEN_CHECKS: usize = 256;
/// Work of the energy ledger in a step, in force evaluations.
const WORK_OF_LEDGER: f64 = 4.0;
/// Gain that no run gives back: 25 times the permitted one.
const LASTING_GAIN: f64 = 25.0 * MOST_MADE;

/// Result of the runs that confirm or shorten a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrialRun {
    /// Simulated seconds of the last run.
    pub seconds: f64,
    /// Longest step in seconds that a run has confirmed. `None` if the predicted limit was
    /// confirmed, or if the step is not the cause of the gain.
    pub dt: Option<f64>,
}

/// Runs a lane with its longest stable step by theory, in seconds, and shortens the step until no
/// run gains energy. If all steps gain energy, the shortest tried step becomes the limit, provided
/// that it gains at most half as much as the longest; otherwise the step is not the cause.
/// `damping_ratio` is that of the fastest vibration. `check` is called after every step.
pub(super) fn confirm_limit<E>(
    simulation: &Simulation,
    settings: &Settings,
    longest: f64,
    damping_ratio: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<TrialRun, E> {
    let is_erratic = is_erratic(simulation, damping_ratio);
    let mut run_at = |dt: f64| {
        let mut lane = simulation.clone();
        lane.release();
        lane.configure(Settings { dt, ..*settings });
        run_lane(lane, is_erratic, check)
    };
    let mut lane = |dt: f64| {
        let first = run_at(RUN_FRACTION * dt)?;
        if first.gains() || !is_erratic || !goes_slack(simulation) {
            return Ok(first);
        }
        let also = run_at(SECOND_RUN_FRACTION * dt)?;
        let longer = if also.gains() { also } else { first };
        Ok(RunOutcome { seconds: first.seconds.min(also.seconds), ..longer })
    };
    let first = lane(longest)?;
    let mut last = first;
    let mut shorter = SHORTER_STEPS.into_iter();
    let mut dt = None;
    while last.gains() {
        let Some(fraction) = shorter.next() else {
            let dt = dt.filter(|_| last.kept < CAUSAL_RATIO * first.kept);
            return Ok(TrialRun { seconds: last.seconds, dt });
        };
        dt = Some(fraction * longest);
        last = lane(fraction * longest)?;
    }
    Ok(TrialRun { seconds: last.seconds, dt })
}

/// True if a lane is erratic: its fastest vibration is hardly damped, and links go slack or balls
/// collide. Such a lane gains energy suddenly, at an unpredictable time.
fn is_erratic(simulation: &Simulation, damping_ratio: f64) -> bool {
    let is_hit = || !simulation.model().geometry().balls.is_empty();
    damping_ratio < HARDLY_DAMPED && (goes_slack(simulation) || is_hit())
}

fn goes_slack(simulation: &Simulation) -> bool {
    simulation.parts().mesh.links.iter().any(|link| link.one_sided)
}

#[derive(Clone, Copy, Debug)]
struct RunOutcome {
    /// Simulated seconds of the run.
    seconds: f64,
    /// Energy that the integrator would add and not take back by the planned end of the run, as a
    /// fraction of the largest kinetic and elastic energy that the scene can have; infinite after
    /// an explosion.
    kept: f64,
    /// True if the lane has gained energy by the verdict that all commands use.
    has_gained: bool,
}

impl RunOutcome {
    /// True if the run gains energy by its verdict, and the gain is not only borrowed.
    fn gains(self) -> bool {
        self.has_gained && exceeds(self.kept)
    }
}

/// True if the added energy exceeds that of a confirmed run.
fn exceeds(kept: f64) -> bool {
    kept > MOST_CONFIRMED_GAIN * MOST_MADE
}

/// Runs a lane with its own step. The run is short if the lane is large. If a short run would show
/// a gain within a minute at its present rate, it continues until it does, or for
/// [`MOST_CONTINUED`] times its duration.
fn run_lane<E>(
    mut lane: Simulation,
    is_erratic: bool,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<RunOutcome, E> {
    lane.open_books();
    let start_time = lane.state().t;
    let dt = lane.settings().dt;
    let minute = (JUDGED_SECONDS / dt).ceil();
    let most_work = if is_erratic { MOST_WORK_OF_ERRATIC } else { MOST_WORK };
    let short = minute.min(most_work / work_of_a_step(&lane)).max(1.0);
    let longest = minute.min(MOST_CONTINUED * short);
    let early_ends = EARLY_ENDS.map(|end| (end / dt) as usize);
    let may_end = |step| !is_erratic && early_ends.contains(&step);
    let mut fractions = Vec::with_capacity(short as usize);
    for step in 1..=longest as usize {
        lane.step(dt);
        check()?;
        lane.enter_in_books();
        let fraction = lane.books().map_or(0.0, EnergyBooks::energy_made_fraction);
        // At the start of a fall, the fraction has a tiny divisor, so a gain by the verdict is also
        // required.
        let has_gained = lane.books().and_then(EnergyBooks::energy_gain).is_some();
        let seconds = lane.state().t - start_time;
        if lane.explosion().is_some() || has_gained && fraction > LASTING_GAIN {
            return Ok(RunOutcome { seconds, kept: f64::INFINITY, has_gained: true });
        }
        fractions.push(fraction);
        if may_end(step) && kept_energy(&fractions, minute) < LITTLE_GAIN * MOST_MADE {
            break;
        }
        // Energy that a solver's sweeps leave in constraints is not a gain.
        let may_gain = has_gained || lane.settings().solver().is_none();
        let is_due =
            step >= short as usize && (step - short as usize).is_multiple_of(STEPS_BETWEEN_CHECKS);
        if is_due && (has_gained || !may_gain || !exceeds(kept_energy(&fractions, longest))) {
            break;
        }
    }
    let has_gained = lane.books().and_then(EnergyBooks::energy_gain).is_some();
    let kept = kept_energy(&fractions, longest);
    Ok(RunOutcome { seconds: lane.state().t - start_time, kept, has_gained })
}

/// Returns the energy that the integrator adds and does not take back in `steps` steps,
/// extrapolated from the recorded fractions. Borrowed energy is excluded: the result is the minimum
/// of the second half of the record, plus the increase since the minimum of the second quarter.
fn kept_energy(fractions: &[f64], steps: f64) -> f64 {
    let n = fractions.len();
    let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    let [half, quarter] = [n / 2, n / 4];
    if quarter == 0 {
        return least(fractions);
    }
    let [before, now] = [least(&fractions[quarter..half]), least(&fractions[half..])];
    let per_step = (now - before) / (half - quarter) as f64;
    now + per_step.max(0.0) * (steps - half as f64)
}

/// Returns the work of a step, in force evaluations × particles.
fn work_of_a_step(lane: &Simulation) -> f64 {
    let info = lane.settings().integrator.info();
    let solves = if info.implicit { WORK_OF_EQUATIONS } else { 1.0 };
    let contact = if lane.model().geometry().is_empty() { 0.0 } else { WORK_OF_CONTACT };
    let substep = f64::from(info.evaluations) * solves + contact;
    let step = substep * f64::from(lane.settings().substeps) + WORK_OF_LEDGER;
    step * lane.state().len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::kept_energy;

    #[test]
    fn energy_that_is_returned_is_not_kept() {
        let borrowed: Vec<f64> =
            (0..400).map(|k| 30.0 * (0.3 * f64::from(k)).sin().powi(2)).collect();
        assert!(kept_energy(&borrowed, 2400.0) < 0.5, "{}", kept_energy(&borrowed, 2400.0));
        let kept: Vec<f64> = (0..400).map(|k| 0.001 * f64::from(k)).collect();
        assert!((kept_energy(&kept, 2400.0) - 2.4).abs() < 0.01, "{}", kept_energy(&kept, 2400.0));
    }
}
