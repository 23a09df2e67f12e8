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
const RUN_AT: f64 = 0.95;
/// Step of a second run for erratic lanes whose links go slack, as a fraction of the longest stable
/// step. In such a lane, one run without a gain says little about a run with another step.
const ALSO_RUN_AT: f64 = 0.85;
/// Damping ratio of the fastest vibration below which impacts and slack links make a lane erratic:
/// it gains energy suddenly, at an unpredictable time.
const HARDLY_DAMPED: f64 = 0.01;
/// Simulated seconds over which the energy gain is judged.
const SECONDS: f64 = 60.0;
/// Simulated seconds after which a run ends early if it has added little energy.
const LOOKS: [f64; 3] = [10.0, 20.0, 40.0];
/// Energy that counts as little, as a fraction of the largest permitted gain.
const LITTLE: f64 = 0.5;
/// Largest energy that a confirmed run may add, as a fraction of the largest permitted gain. The
/// reserve is for slightly shorter steps and other starts, which may add more.
const MOST_KEPT: f64 = 0.75;
/// Largest multiple of its planned duration for which a run continues, if it adds energy so fast
/// that it would gain too much within a minute.
const MOST_CONTINUED: f64 = 7.0;
/// Largest ratio of the gain with the shortest tried step to the gain with the longest, at which
/// the step counts as the cause of the gain.
const NOTABLY_LESS: f64 = 0.5;
/// Shorter steps that are tried one after the other, as fractions of the longest stable step by
/// theory.
const SHORTER: [f64; 8] = [0.97, 0.94, 0.9, 0.85, 0.75, 0.6, 0.4, 0.2];
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
const STEPS_BETWEEN: usize = 256;
/// Work of the energy ledger in a step, in force evaluations.
const EVALUATIONS_OF_BOOKS: f64 = 4.0;
/// Gain that no run gives back: 25 times the permitted one.
const WILD: f64 = 25.0 * MOST_MADE;

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
pub(super) fn confirm<E>(
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
        run(lane, is_erratic, check)
    };
    let mut lane = |dt: f64| {
        let first = run_at(RUN_AT * dt)?;
        if first.gains() || !is_erratic || !goes_slack(simulation) {
            return Ok(first);
        }
        let also = run_at(ALSO_RUN_AT * dt)?;
        let longer = if also.gains() { also } else { first };
        Ok(Outcome { seconds: first.seconds.min(also.seconds), ..longer })
    };
    let first = lane(longest)?;
    let mut last = first;
    let mut shorter = SHORTER.into_iter();
    let mut dt = None;
    while last.gains() {
        let Some(share) = shorter.next() else {
            let dt = dt.filter(|_| last.made < NOTABLY_LESS * first.made);
            return Ok(TrialRun { seconds: last.seconds, dt });
        };
        dt = Some(share * longest);
        last = lane(share * longest)?;
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

/// Outcome of a trial run.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Simulated seconds of the run.
    seconds: f64,
    /// Energy that the integrator would add and not take back by the planned end of the run, as a
    /// fraction of the largest kinetic and elastic energy that the scene can have; infinite after
    /// an explosion.
    made: f64,
    /// True if the lane has gained energy by the verdict that all commands use.
    gained: bool,
}

impl Outcome {
    /// True if the run gains energy by its verdict, and the gain is not only borrowed.
    fn gains(self) -> bool {
        self.gained && exceeds(self.made)
    }
}

/// True if the added energy exceeds that of a confirmed run.
fn exceeds(made: f64) -> bool {
    made > MOST_KEPT * MOST_MADE
}

/// Runs a lane with its own step. The run is short if the lane is large. If a short run would show
/// a gain within a minute at its present rate, it continues until it does, or for
/// [`MOST_CONTINUED`] times its duration.
fn run<E>(
    mut lane: Simulation,
    is_erratic: bool,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Outcome, E> {
    lane.open_books();
    let begin = lane.state().t;
    let dt = lane.settings().dt;
    let minute = (SECONDS / dt).ceil();
    let most_work = if is_erratic { MOST_WORK_OF_ERRATIC } else { MOST_WORK };
    let short = minute.min(most_work / work_of_a_step(&lane)).max(1.0);
    let longest = minute.min(MOST_CONTINUED * short);
    let looks = LOOKS.map(|look| (look / dt) as usize);
    let may_end = |step| !is_erratic && looks.contains(&step);
    let mut shares = Vec::with_capacity(short as usize);
    for step in 1..=longest as usize {
        lane.step(dt);
        check()?;
        lane.enter_in_books();
        let share = lane.books().map_or(0.0, EnergyBooks::scheme_share);
        // At the start of a fall, the fraction has a tiny divisor, so a gain by the verdict is also
        // required.
        let gained = lane.books().and_then(EnergyBooks::gained).is_some();
        let seconds = lane.state().t - begin;
        if lane.explosion().is_some() || gained && share > WILD {
            return Ok(Outcome { seconds, made: f64::INFINITY, gained: true });
        }
        shares.push(share);
        if may_end(step) && kept(&shares, minute) < LITTLE * MOST_MADE {
            break;
        }
        // Energy that a solver's sweeps leave in constraints is not a gain.
        let may_gain = gained || lane.settings().solver().is_none();
        let is_due =
            step >= short as usize && (step - short as usize).is_multiple_of(STEPS_BETWEEN);
        if is_due && (gained || !may_gain || !exceeds(kept(&shares, longest))) {
            break;
        }
    }
    let gained = lane.books().and_then(EnergyBooks::gained).is_some();
    let made = kept(&shares, longest);
    Ok(Outcome { seconds: lane.state().t - begin, made, gained })
}

/// Returns the energy that the integrator adds and does not take back in `steps` steps,
/// extrapolated from the recorded fractions. Borrowed energy is excluded: the result is the minimum
/// of the second half of the record, plus the increase since the minimum of the second quarter.
fn kept(shares: &[f64], steps: f64) -> f64 {
    let n = shares.len();
    let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    let [half, quarter] = [n / 2, n / 4];
    if quarter == 0 {
        return least(shares);
    }
    let [before, now] = [least(&shares[quarter..half]), least(&shares[half..])];
    let per_step = (now - before) / (half - quarter) as f64;
    now + per_step.max(0.0) * (steps - half as f64)
}

/// Returns the work of a step, in force evaluations × particles.
fn work_of_a_step(lane: &Simulation) -> f64 {
    let info = lane.settings().integrator.info();
    let solves = if info.implicit { WORK_OF_EQUATIONS } else { 1.0 };
    let contact = if lane.model().geometry().is_empty() { 0.0 } else { WORK_OF_CONTACT };
    let substep = f64::from(info.evaluations) * solves + contact;
    let step = substep * f64::from(lane.settings().substeps) + EVALUATIONS_OF_BOOKS;
    step * lane.state().len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn energy_that_is_returned_is_not_kept() {
        let borrowed: Vec<f64> =
            (0..400).map(|k| 30.0 * (0.3 * f64::from(k)).sin().powi(2)).collect();
        assert!(kept(&borrowed, 2400.0) < 0.5, "{}", kept(&borrowed, 2400.0));
        let made: Vec<f64> = (0..400).map(|k| 0.001 * f64::from(k)).collect();
        assert!((kept(&made, 2400.0) - 2.4).abs() < 0.01, "{}", kept(&made, 2400.0));
    }
}
