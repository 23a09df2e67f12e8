//! Runs of a lane (one simulation of the scene with its own settings) in which nothing vibrates and
//! bodies only bounce. Theory allows every step in such a lane. However, a body that hits an
//! obstacle again and again at the same fraction of a step may gain energy forever. Such steps lie
//! in narrow windows, so the lane is run with the typical steps of games.

use super::work::{most_work, work_with_sweeps};
use super::{TrialRun, WORTHWHILE, steps_in_a_minute};
use crate::measure::EnergyAccount;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;

/// Steps per second of the runs, from the longest step to the shortest.
const USUAL_RATES: [f64; 15] = [
    20.0, 25.0, 30.0, 50.0, 60.0, 75.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0, 300.0, 500.0,
    1000.0,
];

struct BounceRun {
    seconds: f64,
    gains: bool,
    /// Fraction of the steps that did not converge.
    unconverged: f64,
}

/// Runs a lane whose bodies only bounce, with as many typical step lengths as the permitted work
/// allows. The limit is the longest tried step that is shorter than all steps that gained energy.
/// `check` is called after every step.
pub(in crate::analysis::stability) fn confirm_bounces<E>(
    simulation: &Simulation,
    settings: &Settings,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<TrialRun, E> {
    let mut work_left = most_work(true);
    let mut run = TrialRun { seconds: f64::INFINITY, ..TrialRun::default() };
    let mut longest_stable = 0.0_f64;
    for dt in USUAL_RATES.map(|rate| 1.0 / rate) {
        let mut lane = simulation.clone();
        lane.release();
        lane.configure(Settings { dt, ..*settings });
        let (minute, work) = (steps_in_a_minute(&lane), work_with_sweeps(&lane));
        let affordable = (work_left / work).floor();
        if affordable < WORTHWHILE * minute {
            break;
        }
        let steps = minute.min(affordable);
        work_left -= work * steps;
        let BounceRun { seconds, gains, unconverged } = run_bounces(lane, steps as usize, check)?;
        run.seconds = run.seconds.min(seconds);
        run.unconverged = unconverged;
        run.tried = run.tried.or(Some(dt));
        run.tried_down_to = Some(dt);
        longest_stable = if gains { longest_stable } else { longest_stable.max(dt) };
        if gains {
            (run.gains_down_to, run.dt) = (Some(dt), None);
        } else if run.gains_down_to.is_some() {
            run.dt = run.dt.or(Some(dt));
        }
    }
    if run.tried.is_none() {
        return Ok(TrialRun::default());
    }
    run.is_mixed = run.gains_down_to.is_some_and(|gaining| gaining < longest_stable);
    run.gains_down_to = run.gains_down_to.filter(|_| run.dt.is_none());
    Ok(run)
}

/// Runs a lane for the given number of steps. The energy account restarts halfway, so it also
/// detects gains relative to the energy of the second half: a body that hops forever gains little
/// energy per second, but more than the energy that it has at that time.
fn run_bounces<E>(
    mut lane: Simulation,
    steps: usize,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<BounceRun, E> {
    let gained = |lane: &Simulation| {
        let account = lane.energy_account();
        lane.explosion().is_some() || account.and_then(EnergyAccount::energy_gain).is_some()
    };
    let (begin, missed) = (lane.state().t, lane.unconverged().steps);
    let dt = lane.settings().dt;
    lane.start_energy_account();
    let (mut taken, mut gains) = (0, false);
    while taken < steps && !gains {
        lane.step(dt);
        check()?;
        lane.add_to_energy_account();
        taken += 1;
        gains = gained(&lane);
        if taken == steps / 2 && !gains {
            lane.start_energy_account();
        }
    }
    let missed = lane.unconverged().steps - missed;
    let unconverged = missed as f64 / taken.max(1) as f64;
    Ok(BounceRun { seconds: lane.state().t - begin, gains, unconverged })
}
