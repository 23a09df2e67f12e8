//! Rate at which the energy of a swing changes in a run.
//!
//! Let S be the energy of the swing above its lowest state, without the energy that sweeps leave in
//! links which the solver keeps at their rest lengths. The rate over a span of time is the energy
//! gained in the span divided by the integral of S over the span. For S = S₀ exp(r t), this
//! quotient is r for every span. A span ends when 5 % of S₀ is left, because a smaller rest is lost
//! in the error of S₀. The energies at both ends of a span are means over a third of the span: near
//! its stability limit, an integrator adds energy to a vibration and removes it in every period
//! (see [`crate::measure::KeptGain`]).

use crate::simulation::Simulation;

/// Number of readings per doubling of the number of steps. In the first steps, up to twice this
/// number, the energies are read after every step.
const READINGS_PER_DOUBLING: u64 = 256;
/// Smallest fraction of its initial energy that a swing must still have for its rate to be
/// measured.
const LEAST_LEFT: f64 = 0.05;
/// Fraction of a time span over which energies are averaged at each of its ends.
const AVERAGED: f64 = 1.0 / 3.0;
/// Lower bound of a swing's energy within a span, as a fraction of its initial energy. The
/// logarithm needs an energy above 0.
const NOTHING_LEFT: f64 = 1e-9;

/// Energies of a run in joules, read often at the start and less often later.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct SwingEnergy {
    /// Energy of the motion at the start (see [`Simulation::energy_of_motion`]).
    start: f64,
    /// Energy at the start in links that the solver keeps at their rest lengths.
    kept_in_links: f64,
    /// Time of the start in seconds.
    since: f64,
    steps: u64,
    readings: Vec<Reading>,
}

/// Energies at one time.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// Time in seconds since the start.
    t: f64,
    kinetic: f64,
    /// Energy of the motion, minus the energy of the motion at the start.
    gained: f64,
    /// Energy that the integrator and the solver have created, without the energy left in
    /// constraints. It comes from the energy account. Without an account, it equals `gained`.
    made: f64,
}

/// Change of a swing's energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct SwingChange {
    /// Rate r in 1/s, negative for a loss. The energy changes as exp(r t).
    pub rate: f64,
    /// Duration in seconds over which the rate was measured.
    pub seconds: f64,
    /// True if the swing had ended at the first reading. The true loss is then at least `rate`.
    pub is_bound: bool,
}

impl Reading {
    /// Returns the energy that is left of a swing with `size` joules at the start, as a fraction of
    /// `size`.
    fn left(&self, size: f64) -> f64 {
        1.0 + self.gained / size
    }
}

impl SwingEnergy {
    /// Starts at the current state of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        let energy = simulation.energy_of_motion();
        let first = Reading { t: 0.0, kinetic: energy.kinetic, gained: 0.0, made: 0.0 };
        let (start, since) = (energy.total(), simulation.state().t);
        let kept_in_links = simulation.energy().total() - start;
        Self { start, kept_in_links, since, steps: 0, readings: vec![first] }
    }

    /// Reads the energies. Must be called after every step.
    pub fn observe(&mut self, simulation: &Simulation) {
        self.steps += 1;
        let stride = 1 << (self.steps / READINGS_PER_DOUBLING).max(1).ilog2();
        if !self.steps.is_multiple_of(stride) {
            return;
        }
        let energy = simulation.energy_of_motion();
        let gained = energy.total() - self.start;
        let kept_in_links = simulation.energy().total() - energy.total() - self.kept_in_links;
        let made = simulation.balance().map_or(gained, |it| {
            it.scheme - if kept_in_links == 0.0 { it.left_by_sweeps } else { kept_in_links }
        });
        let t = simulation.state().t - self.since;
        self.readings.push(Reading { t, kinetic: energy.kinetic, gained, made });
    }

    /// Returns a lower bound of the swing's energy at the start, in joules: at any time, this
    /// energy was at least the present kinetic energy plus the energy lost until then.
    pub fn size(&self) -> f64 {
        self.readings.iter().map(|it| it.kinetic - it.gained).fold(0.0, f64::max)
    }

    /// True if at least 5 % of a swing with `size` joules at the start is left at the end of the
    /// run.
    pub fn lasts(&self, size: f64) -> bool {
        self.readings.last().is_some_and(|reading| reading.left(size) >= LEAST_LEFT)
    }

    /// Returns the change of the total energy, for a swing with `size` joules at the start.
    pub fn change(&self, size: f64) -> SwingChange {
        self.change_of(size, |reading| reading.gained)
    }

    /// Returns the energy change that the integrator and the solver cause, for a swing with `size`
    /// joules at the start. The rate is 0 if the created energy only oscillates.
    pub fn change_by_scheme(&self, size: f64) -> SwingChange {
        let change = self.change_of(size, |reading| reading.made);
        let oscillates = !change.is_bound && self.oscillates(change.seconds);
        SwingChange { rate: if oscillates { 0.0 } else { change.rate }, ..change }
    }

    /// True if the energy that the integrator and the solver create in the first `seconds`
    /// oscillates instead of growing: its deviation from a straight line is larger than its change
    /// along the line. The line leads from the mean over the first third ([`AVERAGED`]) to the mean
    /// over the last third. An exponential deviates less, even one that falls to [`LEAST_LEFT`].
    fn oscillates(&self, seconds: f64) -> bool {
        let span = || self.readings.iter().filter(|reading| reading.t <= seconds);
        let mean = |part: &dyn Fn(&Reading) -> bool| {
            let within = || span().filter(|reading| part(reading));
            let count = within().count().max(1) as f64;
            let sum = |value: fn(&Reading) -> f64| within().map(value).sum::<f64>() / count;
            [sum(|reading| reading.t), sum(|reading| reading.made)]
        };
        let [t, made] = mean(&|reading| reading.t <= AVERAGED * seconds);
        let [t_end, made_end] = mean(&|reading| reading.t >= (1.0 - AVERAGED) * seconds);
        let slope = (made_end - made) / (t_end - t);
        let deviation = |reading: &Reading| (reading.made - made - slope * (reading.t - t)).abs();
        span().map(deviation).fold(0.0, f64::max) > (made_end - made).abs()
    }

    fn change_of(&self, size: f64, part: impl Fn(&Reading) -> f64) -> SwingChange {
        let end = self.readings.iter().rposition(|reading| reading.left(size) >= LEAST_LEFT);
        let end = end.filter(|_| size > 0.0).unwrap_or(0);
        let span = &self.readings[..=end];
        let seconds = span[end].t;
        let (mut gained, mut integral) = (0.0, 0.0);
        for pair in span.windows(2) {
            let ([from, to], dt) = ([&pair[0], &pair[1]], pair[1].t - pair[0].t);
            let middle = 0.5 * (from.t + to.t);
            let weight = (middle.min(seconds - middle) / (AVERAGED * seconds)).min(1.0);
            let [before, after] = [from, to].map(|reading| reading.left(size).max(NOTHING_LEFT));
            gained += weight * (part(to) - part(from)) / size;
            integral += weight * logarithmic_mean(before, after) * dt;
        }
        if integral > 0.0 {
            return SwingChange { rate: gained / integral, seconds, is_bound: false };
        }
        let gone = self.readings.get(1).filter(|_| size > 0.0);
        gone.map_or(SwingChange { rate: 0.0, seconds, is_bound: false }, |first| {
            let lost = (part(first) / size).clamp(LEAST_LEFT - 1.0, 0.0);
            SwingChange { rate: lost.ln_1p() / first.t, seconds: first.t, is_bound: true }
        })
    }
}

impl SwingChange {
    /// Returns the change of the amplitude per second as a fraction, negative for a loss. Energy is
    /// proportional to the square of the amplitude.
    pub fn of_amplitude(&self) -> f64 {
        (0.5 * self.rate).exp_m1()
    }

    /// Returns the energy change over the measured span, as a fraction of the swing's energy.
    pub fn over_span(&self) -> f64 {
        self.rate * self.seconds
    }
}

/// Returns the mean over time of an energy that changes exponentially from `a` to `b`.
fn logarithmic_mean(a: f64, b: f64) -> f64 {
    let growth = b / a - 1.0;
    if growth.abs() < 1e-6 { 0.5 * (a + b) } else { a * growth / growth.ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a run in which a swing of 3 J changes as exp(`rate` t) for the given time.
    fn run(rate: f64, dt: f64, seconds: f64) -> SwingEnergy {
        let readings = (0..=(seconds / dt).round() as u32).map(|step| {
            let t = dt * f64::from(step);
            let (left, gained) = (3.0 * (rate * t).exp(), 3.0 * (rate * t).exp_m1());
            let kinetic = left * (20.0 * t).sin().powi(2);
            Reading { t, kinetic, gained, made: gained }
        });
        SwingEnergy {
            start: 5.0,
            kept_in_links: 0.0,
            since: 0.0,
            steps: 0,
            readings: readings.collect(),
        }
    }

    #[test]
    fn the_rate_of_an_exponential_does_not_depend_on_the_duration() {
        for (rate, dt) in [(-7.4, 0.02), (-3.9, 0.01), (-0.5, 0.005), (-0.01, 0.01), (0.3, 0.01)] {
            for seconds in [0.5, 1.0, 2.0, 5.0, 20.0, 200.0_f64] {
                if rate * seconds > 20.0 {
                    continue;
                }
                let run = run(rate, dt, seconds);
                let change = run.change(run.size());
                assert!((change.rate / rate - 1.0).abs() < 0.03, "{rate}, {seconds} s: {change:?}");
                assert!(!change.is_bound, "{change:?}");
            }
        }
    }

    #[test]
    fn the_loss_of_a_swing_that_is_gone_at_once_is_a_bound() {
        let run = run(-1000.0, 0.1, 5.0);
        let change = run.change(run.size());
        assert!(change.is_bound, "{change:?}");
        assert!((change.rate - LEAST_LEFT.ln() / 0.1).abs() < 1e-9, "{change:?}");
    }

    /// Velocity Verlet near its limit: in every period, the energy of the vibration falls to a
    /// fifth of its initial value.
    #[test]
    fn energy_that_comes_back_is_no_change() {
        for seconds in [4.9, 4.95, 5.0, 5.05] {
            let mut run = run(0.0, 0.05, seconds);
            for reading in &mut run.readings {
                reading.gained = -2.4 * (20.0 * reading.t).sin().powi(2);
                reading.kinetic = -0.25 * reading.gained;
            }
            let change = run.change(run.size());
            assert!(change.rate.abs() < 0.02, "{seconds} s: {change:?}");
        }
    }

    #[test]
    fn a_run_at_rest_has_no_rate() {
        let still = Reading { t: 1.0, kinetic: 0.0, gained: 0.0, made: 0.0 };
        let readings = vec![Reading { t: 0.0, ..still }, still];
        let run = SwingEnergy { start: 5.0, kept_in_links: 0.0, since: 0.0, steps: 0, readings };
        assert_eq!(run.change(run.size()).rate, 0.0);
    }
}
