//! Trial runs that confirm the longest stable step. A step counts as too long only after a run with
//! this step has gained energy, by the same criterion as in all commands.
//!
//! Near its stability limit, a symplectic integrator lets the energy of a vibration oscillate. The
//! energy that it adds temporarily is called borrowed energy and does not count as a gain.

pub(super) mod bounces;
mod kept_energy;
mod motion;
mod work;

pub(in crate::analysis) use work::{sweeps_of_substep, work_of_a_step, work_with_sweeps};

use crate::analysis::runs::work::work_of_last_step;
use crate::analysis::vibration::step_matrix::is_linear;
use crate::measure::{EnergyAccount, MOST_MADE};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use kept_energy::{LASTING_STEPS, kept_energy, lasting_gain};
use motion::{Motion, attracts, changes_vibrations, goes_slack, is_driven, is_erratic};
use work::{MOST_COUNTED, most_work};

/// Step of a trial run, as a fraction of the longest stable step. At the limit itself, borrowed
/// energy is unlimited.
const RUN_FRACTION: f64 = 0.95;
/// Step of a second run of lanes whose links go slack, as a fraction of the longest stable step.
/// Such lanes gain energy at unpredictable times, so a single run without a gain proves little.
const SECOND_RUN_FRACTION: f64 = 0.85;
/// Steps of further runs of weakly damped lanes whose particles move far, as fractions of the
/// longest stable step. Lanes whose links turn slowly use only the first [`SLOW_RUNS`] of them.
/// Turning links and resonances of the motion can make a lane gain energy with a step below the
/// stability limit of small vibrations, although it gains none with a longer step.
const MOVING_RUN_FRACTIONS: [f64; 10] =
    [SECOND_RUN_FRACTION, 0.99, 0.92, 0.89, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
/// Number of further runs of a lane whose particles move far, but whose links turn slowly.
const SLOW_RUNS: usize = 3;
/// Number of further runs, after [`MOVING_RUN_FRACTIONS`], of a lane in an attractor. They are
/// spread evenly from the limit down to the fraction [`LEAST_ORBIT_FRACTION`] of it. Orbits are
/// chaotic: steps that gain energy lie in windows as narrow as a hundredth of the limit.
const ORBIT_RUNS: u32 = 140;
/// Shortest step of the [`ORBIT_RUNS`], as a fraction of the stability limit.
const LEAST_ORBIT_FRACTION: f64 = 0.3;
/// Most further runs, after [`MOVING_RUN_FRACTIONS`], of a lane whose pins move periodically. They
/// are spread evenly from the limit down to the fraction [`LEAST_DRIVEN_FRACTION`] of it. Driven
/// vibrations gain energy in windows as narrow as a fiftieth of the limit.
const DRIVEN_RUNS: u32 = 60;
/// Shortest step of the [`DRIVEN_RUNS`], as a fraction of the stability limit.
const LEAST_DRIVEN_FRACTION: f64 = 0.7;
/// Maximum work of all [`DRIVEN_RUNS`] for one limit, as a fraction of the work of one run.
const DRIVEN_WORK: f64 = 0.5;
/// Largest gain on an orbit that may last for [`LASTING_STEPS`] steps, as a fraction of the largest
/// permitted gain. The reserve of 15 % widens the unstable windows enough for runs to find them.
const MOST_ORBIT_GAIN: f64 = 0.85;
/// Smallest angle in radians per longest stable substep at which a link counts as turning fast. If
/// a link turns at Ω rad/s, the frequency of the fastest vibration rises from ω to √(ω² + 3Ω²). At
/// ωh = 2, this angle raises the frequency by 2.3 %, which the reserve of [`RUN_FRACTION`] covers.
const FAST_TURN: f64 = 0.25;
/// Smallest displacement that counts as far, as a fraction of the mean rest length.
const FAR_DISPLACEMENT: f64 = 0.5;
/// Damping ratio of the fastest vibration below which impacts and slack links make a lane
/// *erratic*: the lane gains energy suddenly, at an unpredictable time.
const HARDLY_DAMPED: f64 = 0.01;
/// Simulated seconds over which the energy gain is judged.
const JUDGED_SECONDS: f64 = 60.0;
/// Simulated seconds after which a run may end early if it has added little energy.
const EARLY_ENDS: [f64; 3] = [10.0, 20.0, 40.0];
/// Minimum number of steps before a run may end early: a few long steps do not show a slow gain.
const LEAST_EARLY_STEPS: usize = 256;
/// Fraction of the largest permitted gain below which added energy counts as little.
const LITTLE_GAIN: f64 = 0.5;
/// Largest energy that a confirming run may add, as a fraction of the largest permitted gain. The
/// reserve is for slightly shorter steps and other initial states, which may add more.
const MOST_CONFIRMED_GAIN: f64 = 0.75;
/// Largest factor by which the planned duration of a run is extended, if the run adds energy so
/// fast that it would gain too much within a minute.
const MOST_CONTINUED: f64 = 7.0;
/// Largest ratio of the gain with the shortest tried step to the gain with the longest at which the
/// step counts as the cause of the gain.
const CAUSAL_RATIO: f64 = 0.5;
/// Shorter steps, tried in this order, as fractions of the theoretical longest stable step.
const SHORTER_STEPS: [f64; 8] = [0.97, 0.94, 0.9, 0.85, 0.75, 0.6, 0.4, 0.2];
/// Longest step of a run in seconds, for a lane whose small vibrations allow any step. Games rarely
/// use longer steps.
const LONGEST_UNLIMITED: f64 = 0.05;
/// Shorter steps of such a lane, as fractions of [`LONGEST_UNLIMITED`].
const SHORTER_UNLIMITED: [f64; 9] = [0.8, 0.6, 0.45, 0.33, 0.2, 0.1, 0.05, 0.03, 0.02];
/// Minimum number of steps of a run if a solver constrains the links.
const LEAST_CONSTRAINED_STEPS: f64 = 200.0;
/// Maximum work of all further runs and of all continuations together, as a multiple of the work of
/// one run. The first run of each tried limit has its own bound.
const FURTHER_WORK: f64 = MOST_CONTINUED - 1.0;
/// Smallest and largest number of runs with steps below a measured limit. Their total work equals
/// the work of the smallest number of runs of an erratic lane.
const RUNS_BELOW: [u32; 2] = [16, 240];
/// Typical step of the runs below a measured limit ([`RUNS_BELOW`]), as a fraction of this limit.
const TYPICAL_BELOW: f64 = 0.5;
/// Shortest useful duration of a further run, as a fraction of the first run's duration.
const WORTHWHILE: f64 = 0.25;
/// Steps from one check to the next in a run that continues.
const STEPS_BETWEEN_CHECKS: usize = 256;
/// Steps between two checks of how far particles have moved and how fast links turn.
const STEPS_BETWEEN_MOTION_CHECKS: usize = 16;
/// Energy gain that counts as permanent: 25 times the permitted gain.
const LASTING_GAIN: f64 = 25.0 * MOST_MADE;

/// Result of the runs that confirm or shorten a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrialRun {
    /// Simulated time of the last run in seconds.
    pub seconds: f64,
    /// Longest step in seconds that a run has confirmed; `None` if the predicted limit was
    /// confirmed, or if the step is not the cause of the gain.
    pub dt: Option<f64>,
    /// Longest step of the runs of a lane without a predicted limit, in seconds.
    pub tried: Option<f64>,
    /// Shortest step of the runs of a lane whose bodies only bounce, in seconds.
    pub tried_down_to: Option<f64>,
    /// True if a run gained energy although a run with a longer step did not. There is then no
    /// sharp limit.
    pub is_mixed: bool,
    /// Shortest step in seconds at which a run gained energy, if no tried limit was confirmed.
    pub gains_down_to: Option<f64>,
    /// Fraction of the steps of the last run that did not converge.
    pub unconverged: f64,
}

/// Limit that runs must confirm.
#[derive(Clone, Copy, Debug)]
pub(super) struct PredictedLimit {
    /// Theoretical longest stable step in seconds; ∞ = every step.
    pub longest: f64,
    /// Damping ratio of the fastest vibration; 0 if nothing vibrates.
    pub damping_ratio: f64,
    /// True if nothing vibrates because a solver constrains the links.
    pub is_constrained: bool,
}

/// Runs a lane (one simulation of the scene with its own settings) with its theoretical longest
/// stable step. Shortens the step until a run gains no energy.
///
/// If every step is stable in theory, the first run has steps of 50 ms: implicit integrators may
/// still gain energy where links turn or bodies collide, and solvers where sweeps do not converge.
/// If every tried step gains energy, the shortest of them becomes the limit, provided that its run
/// gains less than half as much energy as the run with the longest step. Otherwise the step does
/// not cause the gain, and no limit is returned. An integrator that chooses inner steps is not run
/// if the permitted work suffices for fewer than [`LASTING_STEPS`] steps. `check` is called after
/// every step.
pub(super) fn confirm_limit<E>(
    simulation: &Simulation,
    settings: &Settings,
    PredictedLimit { longest, damping_ratio, is_constrained }: PredictedLimit,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<TrialRun, E> {
    let hardly_damped = damping_ratio < HARDLY_DAMPED;
    let is_erratic = hardly_damped && is_erratic(simulation);
    let tried = longest.is_infinite().then_some(LONGEST_UNLIMITED);
    let has_inner_steps = !is_linear(&settings.integrator) && tried.is_none();
    let inner_steps_per_second =
        if has_inner_steps { settings.integrator.info().stability_limit / longest } else { 0.0 };
    let longest = tried.map_or(longest, |dt| dt / RUN_FRACTION);
    let shorter: &[f64] = if tried.is_some() { &SHORTER_UNLIMITED } else { &SHORTER_STEPS };
    let most_work = most_work(is_erratic || has_inner_steps);
    let mut trials = Trials {
        simulation,
        settings,
        longest,
        hardly_damped,
        is_erratic,
        is_constrained,
        has_attractor: attracts(simulation),
        inner_steps_per_second,
        least_steps: if is_constrained { LEAST_CONSTRAINED_STEPS } else { 1.0 },
        most_work,
        work_left: FURTHER_WORK * most_work,
        longest_stable: 0.0,
        shortest_gaining: f64::INFINITY,
    };
    let lane = trials.lane(RUN_FRACTION * longest);
    if has_inner_steps && most_work < LASTING_STEPS as f64 * trials.work(&lane) {
        return Ok(TrialRun::default());
    }
    let first = trials.judge(longest, check)?;
    let mut last = first;
    let mut shorter = shorter.iter().map(|fraction| fraction * longest);
    let (mut dt, mut gains_down_to) = (None, None);
    while last.gains() {
        // A limit is never longer than a step that has gained energy.
        let Some(next) = shorter.find(|next| *next < last.dt) else {
            dt = dt.filter(|_| last.made < CAUSAL_RATIO * first.made);
            gains_down_to = Some(trials.shortest_gaining);
            break;
        };
        dt = Some(next);
        last = trials.judge(next, check)?;
    }
    let RunOutcome { seconds, unconverged, .. } = last;
    let is_mixed = trials.is_mixed();
    Ok(TrialRun { seconds, dt, tried, is_mixed, gains_down_to, unconverged, ..TrialRun::default() })
}

/// True if a run from the current state with steps of `dt` seconds gains energy by the verdict of
/// all commands. The run lasts at most a minute. Its work is at most that of an erratic lane (which
/// gains energy suddenly), but it takes at least `least_steps` steps. In a chaotic lane, even a
/// long-lasting gain may disappear by chance.
pub(super) fn gains<E>(
    simulation: &Simulation,
    dt: f64,
    least_steps: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let mut trials = Trials {
        simulation,
        settings: simulation.settings(),
        longest: f64::INFINITY,
        hardly_damped: false,
        is_erratic: true,
        is_constrained: false,
        has_attractor: attracts(simulation),
        inner_steps_per_second: 0.0,
        least_steps,
        most_work: most_work(true),
        work_left: 0.0,
        longest_stable: 0.0,
        shortest_gaining: f64::INFINITY,
    };
    Ok(trials.first_run(dt, check)?.gained)
}

/// Returns how many runs like those of [`gains`] the permitted work allows below a measured limit
/// of `dt` seconds.
pub(super) fn affordable_runs(simulation: &Simulation, dt: f64, least_steps: f64) -> u32 {
    let [fewest, most] = RUNS_BELOW;
    let work = work_of_a_step(simulation);
    let steps = (JUDGED_SECONDS / (TYPICAL_BELOW * dt)).min(most_work(true) / work);
    let runs = f64::from(fewest) * most_work(true) / (work * steps.max(least_steps));
    (runs as u32).clamp(fewest, most)
}

#[derive(Clone, Copy, Debug)]
struct RunOutcome {
    /// Step in seconds.
    dt: f64,
    /// Simulated time of the run in seconds.
    seconds: f64,
    /// Predicted energy that the integrator and the solver would add for good if the run continued,
    /// as a fraction of the largest kinetic + elastic energy; infinite after an explosion.
    made: f64,
    /// True if the lane has gained energy by the verdict of all commands.
    gained: bool,
    /// Fraction of the steps that did not converge.
    unconverged: f64,
    motion: Motion,
}

impl RunOutcome {
    /// True if the run gains energy by its verdict, and the gain is not only borrowed.
    fn gains(self) -> bool {
        self.gained && exceeds(self.made)
    }
}

/// True if the added energy exceeds the largest energy that a confirming run may add.
fn exceeds(made: f64) -> bool {
    made > MOST_CONFIRMED_GAIN * MOST_MADE
}

struct Trials<'a> {
    simulation: &'a Simulation,
    settings: &'a Settings,
    /// Theoretical longest stable step in seconds.
    longest: f64,
    /// True if the fastest vibration is weakly damped.
    hardly_damped: bool,
    is_erratic: bool,
    /// True if nothing vibrates because a solver constrains the links. A sudden rise of energy then
    /// counts as a gain even if the solver removes the energy later.
    is_constrained: bool,
    /// True if an attractor acts on the scene. Particles then orbit.
    has_attractor: bool,
    /// Inner steps per simulated second; 0 if the integrator does not choose inner steps.
    inner_steps_per_second: f64,
    /// Minimum number of steps of a run.
    least_steps: f64,
    /// Maximum work of a run.
    most_work: f64,
    /// Work that is left for further runs and continuations.
    work_left: f64,
    /// Longest step of a run that gained no energy, in seconds; initially 0.
    longest_stable: f64,
    /// Shortest step of a run that gained energy, in seconds; initially infinite.
    shortest_gaining: f64,
}

impl Trials<'_> {
    /// Tests a limit in seconds by runs with shorter steps. Returns the first run that gains
    /// energy. If none does, returns the run at [`RUN_FRACTION`] of the limit, and shortens its
    /// `seconds` to those of the run that ended earliest.
    fn judge<E>(
        &mut self,
        limit: f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<RunOutcome, E> {
        let mut outcome = self.first_run(RUN_FRACTION * limit, check)?;
        let further: &[f64] = if outcome.gains() || !self.hardly_damped {
            &[]
        } else {
            match outcome.motion {
                Motion::Fast => &MOVING_RUN_FRACTIONS,
                Motion::Slow if self.is_erratic => &MOVING_RUN_FRACTIONS,
                Motion::Slow => &MOVING_RUN_FRACTIONS[..SLOW_RUNS],
                Motion::Near if goes_slack(self.simulation) => &[SECOND_RUN_FRACTION],
                Motion::Near => &[],
            }
        };
        let is_orbit = self.has_attractor && outcome.motion == Motion::Fast && !further.is_empty();
        let is_judged = !outcome.gains() && self.hardly_damped;
        let (runs, least) = if is_orbit {
            (ORBIT_RUNS, LEAST_ORBIT_FRACTION)
        } else if is_judged && is_driven(self.simulation) {
            (self.affordable_driven_runs(limit), LEAST_DRIVEN_FRACTION)
        } else {
            (0, 1.0)
        };
        let ladder = (1..=runs).map(|run| 1.0 - (1.0 - least) * f64::from(run) / f64::from(runs));
        for fraction in further.iter().copied().chain(ladder) {
            // Close to the predicted limit, the integrator may add any amount of energy to a
            // vibration and remove it later, so a run with such a step is inconclusive.
            if fraction > RUN_FRACTION && limit == self.longest && !is_orbit {
                continue;
            }
            let Some(also) = self.further_run(fraction * limit, check)? else { break };
            if also.gains() {
                return Ok(also);
            }
            outcome.seconds = outcome.seconds.min(also.seconds);
        }
        Ok(outcome)
    }

    /// Returns the number of further runs of a lane with driven pins that [`DRIVEN_WORK`] allows.
    fn affordable_driven_runs(&self, limit: f64) -> u32 {
        let lane = self.lane(limit);
        let runs = DRIVEN_WORK * self.most_work / (self.work(&lane) * self.planned_steps(&lane));
        (runs as u32).min(DRIVEN_RUNS)
    }

    /// Runs the lane with steps of `dt` seconds. Only the steps of a continuation reduce
    /// `work_left`.
    fn first_run<E>(
        &mut self,
        dt: f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<RunOutcome, E> {
        let lane = self.lane(dt);
        let short = self.planned_steps(&lane);
        let affordable = (self.work_left / self.work(&lane)).floor();
        self.run_lane(lane, short, short + affordable, check).map(|run| self.record(run))
    }

    /// Runs the lane like [`Trials::first_run`], but every step reduces `work_left`. `None` if too
    /// little work is left.
    fn further_run<E>(
        &mut self,
        dt: f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Option<RunOutcome>, E> {
        let lane = self.lane(dt);
        let work = self.work(&lane);
        let (short, affordable) = (self.planned_steps(&lane), (self.work_left / work).floor());
        if affordable < WORTHWHILE * short {
            return Ok(None);
        }
        self.work_left -= work * short.min(affordable);
        self.run_lane(lane, short.min(affordable), affordable, check)
            .map(|run| Some(self.record(run)))
    }

    fn lane(&self, dt: f64) -> Simulation {
        let mut lane = self.simulation.clone();
        lane.release();
        lane.configure(Settings { dt, ..*self.settings });
        lane
    }

    fn work(&self, lane: &Simulation) -> f64 {
        let inner = (self.inner_steps_per_second * lane.settings().dt).max(1.0);
        inner * if self.is_constrained { work_with_sweeps(lane) } else { work_of_a_step(lane) }
    }

    /// Returns the number of steps of a run that is not continued.
    fn planned_steps(&self, lane: &Simulation) -> f64 {
        let most_steps = self.most_work / self.work(lane);
        steps_in_a_minute(lane).min(most_steps.max(self.least_steps)).max(1.0)
    }

    /// Takes `short` steps of a lane with its own step. The run continues as long as the
    /// extrapolated energy exceeds the permitted gain, but no gain is confirmed. It lasts at most a
    /// minute, and at most [`MOST_CONTINUED`] × `short` and `most` steps.
    fn run_lane<E>(
        &mut self,
        mut lane: Simulation,
        short: f64,
        most: f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<RunOutcome, E> {
        lane.start_energy_account();
        let (begin, missed) = (lane.state().clone(), lane.unconverged().steps);
        let far = FAR_DISPLACEMENT * lane.model().topology().links().mean_rest_length();
        let (dt, work) = (lane.settings().dt, self.work(&lane));
        let minute = steps_in_a_minute(&lane);
        let longest = minute.min(MOST_CONTINUED * short).min(most);
        let early_ends = EARLY_ENDS.map(|end| ((end / dt) as usize).max(LEAST_EARLY_STEPS));
        let is_slow_to_gain = self.is_erratic || self.hardly_damped && is_driven(&lane);
        let (mut motion, mut counted_work) = (Motion::Near, 0.0);
        let mut fractions = Vec::with_capacity(short as usize);
        for step in 1..=longest as usize {
            lane.step(dt);
            check()?;
            counted_work += work_of_last_step(&lane) as f64;
            if step > short as usize {
                self.work_left -= work;
            }
            lane.add_to_energy_account();
            let fraction = lane.energy_account().map_or(0.0, EnergyAccount::energy_made_fraction);
            // At the start of a fall, the kinetic + elastic energy by which the fraction is divided
            // is tiny, so a large fraction alone is not yet a gain.
            let gained = lane.energy_account().and_then(EnergyAccount::energy_gain).is_some();
            let seconds = lane.state().t - begin.t;
            if lane.explosion().is_some() || gained && fraction > LASTING_GAIN {
                let (made, gained, unconverged) = (f64::INFINITY, true, 0.0);
                return Ok(RunOutcome { dt, seconds, made, gained, unconverged, motion });
            }
            fractions.push(fraction);
            if counted_work > MOST_COUNTED * self.most_work {
                break;
            }
            if motion == Motion::Near && step.is_multiple_of(STEPS_BETWEEN_MOTION_CHECKS) {
                let moved = |(x, from): (&DVec3, &DVec3)| x.distance(*from) > far;
                if lane.state().x.iter().zip(&begin.x).any(moved) {
                    motion = Motion::Slow;
                }
            }
            if motion == Motion::Slow && step.is_multiple_of(STEPS_BETWEEN_MOTION_CHECKS) {
                let longest_substep = self.longest / f64::from(lane.settings().substeps);
                if changes_vibrations(&lane, FAST_TURN / longest_substep) {
                    motion = Motion::Fast;
                }
            }
            let is_patient = is_slow_to_gain || self.hardly_damped && motion == Motion::Fast;
            if !is_patient
                && early_ends.contains(&step)
                && kept_energy(&fractions, minute) < LITTLE_GAIN * MOST_MADE
            {
                break;
            }
            // Energy that a solver's sweeps leave in its constraints is not a gain.
            let may_gain = gained || lane.settings().solver().is_none();
            let is_due = step >= short as usize
                && (step - short as usize).is_multiple_of(STEPS_BETWEEN_CHECKS);
            if is_due && (gained || !may_gain || !exceeds(kept_energy(&fractions, longest))) {
                break;
            }
        }
        let gain = lane.energy_account().and_then(EnergyAccount::energy_gain);
        let (mut gained, mut made) = (gain.is_some(), kept_energy(&fractions, longest));
        if self.is_constrained || lane.energy_account().is_some_and(EnergyAccount::is_gain_final) {
            made = gain.map_or(made, |gain| made.max(gain.fraction));
        }
        let lasting = lasting_gain(&fractions);
        if self.has_attractor && lasting > MOST_ORBIT_GAIN * MOST_MADE {
            (gained, made) = (true, made.max(lasting));
        }
        let missed = lane.unconverged().steps - missed;
        let unconverged = missed as f64 / fractions.len().max(1) as f64;
        let seconds = lane.state().t - begin.t;
        Ok(RunOutcome { dt, seconds, made, gained, unconverged, motion })
    }

    fn record(&mut self, run: RunOutcome) -> RunOutcome {
        if run.gains() {
            self.shortest_gaining = self.shortest_gaining.min(run.dt);
        } else {
            self.longest_stable = self.longest_stable.max(run.dt);
        }
        run
    }

    /// True if a run gained energy although a run with a longer step did not.
    fn is_mixed(&self) -> bool {
        self.shortest_gaining < self.longest_stable
    }
}

fn steps_in_a_minute(lane: &Simulation) -> f64 {
    (JUDGED_SECONDS / lane.settings().dt).ceil()
}

#[cfg(test)]
mod tests;
