//! Benchmarks: the time of a step divided by the time of a naive loop. The two alternate in the
//! same process, so other load on the machine affects both alike.

mod contact_runs;
mod distant_contact;
mod naive;
mod naive_balls;
mod occasion;
mod occasion_line;
mod seek;
mod workload;

pub use occasion::{Occasion, OccasionMeasurement};
use workload::HALF_CUBE;
pub use workload::Workload;

use crate::integrate::Method;
use crate::model::Parts;
use crate::numerics::simd::Isa;
use crate::numerics::sums;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use naive::Naive;
use naive_balls::NaiveBalls;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Clocks and memory meter supplied by the caller, because this library reads no clock.
pub struct Instruments<'a> {
    /// Returns the time in seconds since an arbitrary instant.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Returns the processor time of this process so far in seconds, summed over its threads.
    pub processor: &'a (dyn Fn() -> f64 + Sync),
    /// Returns the peak memory of this process so far, in megabytes.
    pub peak_mb: &'a (dyn Fn() -> f64 + Sync),
}

/// Result of a benchmark: one JSON line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// Name of the workload.
    pub workload: Workload,
    /// Path through the code, e.g. `grid`.
    pub path: &'static str,
    /// Instruction set.
    pub isa: &'static str,
    /// Number of computing threads.
    pub threads: usize,
    /// Median time per unit in nanoseconds. A unit is a link's projection with its share of the
    /// integration, a spring's force, or a ball's step.
    pub ns_per_unit: f64,
    /// Time per unit in the fastest round, in nanoseconds.
    pub ns_min: f64,
    /// Time per unit in the slowest round, in nanoseconds.
    pub ns_max: f64,
    /// Whole steps per second.
    pub steps_per_s: f64,
    /// Peak memory in megabytes.
    pub peak_mb: f64,
    /// `ns_per_unit` of the naive loop.
    pub naive_ns: f64,
    /// Median ratio of the time to that of the naive loop.
    pub ratio: f64,
    /// Processor time / (wall-clock time × threads).
    pub busy: f64,
}

/// Timed run, with the number of units per step: link visits, or balls.
struct TimedRun {
    runner: Runner,
    units_per_step: f64,
    /// Steps since the last restart of the workload.
    steps: u32,
}

/// Code under test.
enum Runner {
    One(Box<Simulation>),
    /// Simulations of [`Workload::W7`], many ropes in parallel. A step of this run means all steps
    /// of all simulations.
    Many(Box<Simulation>),
    Naive(Box<Naive>, NaiveStep),
    /// Naive loop over all pairs of balls.
    NaiveBalls(Box<NaiveBalls>),
}

#[derive(Clone, Copy)]
enum NaiveStep {
    /// Relaxation with this number of sweeps.
    Relax(u32),
    SymplecticEuler,
    RungeKutta,
}

impl Runner {
    fn isa(&self) -> Isa {
        match self {
            Self::One(simulation) | Self::Many(simulation) => simulation.isa(),
            Self::Naive(..) | Self::NaiveBalls(_) => Isa::Scalar,
        }
    }

    fn restart(&mut self) {
        match self {
            Self::One(simulation) => simulation.rewind(),
            Self::Many(_) => {}
            Self::Naive(naive, _) => naive.restart(),
            Self::NaiveBalls(naive) => naive.restart(),
        }
    }

    fn step(&mut self, dt: f64) {
        match self {
            Self::One(simulation) => simulation.step(dt),
            Self::Many(simulation) => (0..workload::LANES).into_par_iter().for_each(|_| {
                let mut lane = simulation.clone();
                (0..workload::LANE_STEPS).for_each(|_| lane.step(dt));
            }),
            Self::Naive(naive, NaiveStep::Relax(iterations)) => naive.relax(*iterations, dt),
            Self::Naive(naive, NaiveStep::SymplecticEuler) => naive.symplectic_euler(dt),
            Self::Naive(naive, NaiveStep::RungeKutta) => naive.runge_kutta(dt),
            Self::NaiveBalls(naive) => naive.step(dt),
        }
    }
}

/// Smallest number of steps in a round. The first step of a large cloth is slow, because the
/// alternating run has displaced its data from the caches.
const STEPS_PER_ROUND: u32 = 4;

/// Number of steps after which a run restarts: the first second of a fall. Later, the few sweeps
/// would let the cloth's links stretch.
const STEPS_BETWEEN_RESTARTS: u32 = 60;

impl TimedRun {
    /// Takes steps until at least `least` steps have been taken and `seconds` have passed. Returns
    /// the time per unit in nanoseconds. Restarts are not timed.
    fn time(&mut self, least: u32, seconds: f64, dt: f64, clock: &dyn Fn() -> f64) -> f64 {
        let (mut steps, mut passed) = (0, 0.0);
        while steps < least || passed < seconds {
            if self.steps == STEPS_BETWEEN_RESTARTS {
                self.runner.restart();
                self.steps = 0;
            }
            let start = clock();
            self.runner.step(dt);
            passed += clock() - start;
            steps += 1;
            self.steps += 1;
        }
        passed / (f64::from(steps) * self.units_per_step) * 1e9
    }
}

/// Duration of a round in seconds. It is short, so that other load affects the timed run and the
/// naive loop alike, but long compared with the clock's resolution.
const ROUND: f64 = 0.01;

/// Measures all paths of a workload, for about `seconds` in total. The threads come from the
/// caller's rayon pool.
pub fn measure(workload: Workload, seconds: f64, instruments: &Instruments) -> Vec<Measurement> {
    let parts = Arc::new(workload.parts());
    let paths = workload.paths();
    let each = seconds / paths.len() as f64;
    let measure = |(path, settings): (&'static str, Settings)| {
        let mut run = timed_run(workload, &parts, settings);
        run.runner.step(workload.dt());
        let isa = run.runner.isa();
        let peak_mb = (instruments.peak_mb)();
        let naive = naive_run(workload, &parts, &settings);
        let measurement = compare(workload, path, isa, [naive, run], each, instruments);
        Measurement { peak_mb, ..measurement }
    };
    paths.into_iter().map(measure).collect()
}

fn compare(
    workload: Workload,
    path: &'static str,
    isa: Isa,
    [mut naive, mut run]: [TimedRun; 2],
    seconds: f64,
    instruments: &Instruments,
) -> Measurement {
    let Instruments { clock, processor, peak_mb: _ } = *instruments;
    let dt = workload.dt();
    naive.time(1, 0.0, dt, clock);
    let least = if workload == Workload::W7 { 1 } else { STEPS_PER_ROUND };
    let start = clock();
    let mut rounds = Vec::new();
    let (mut used, mut passed) = (0.0, 0.0);
    while rounds.len() < 3 || clock() - start < seconds {
        let naive_ns = naive.time(least, ROUND, dt, clock);
        let (passed_before, used_before) = (clock(), processor());
        let ns = run.time(least, ROUND, dt, clock);
        used += processor() - used_before;
        passed += clock() - passed_before;
        rounds.push((naive_ns, ns));
    }
    let threads = rayon::current_num_threads();
    let ns = rounds.iter().map(|(_, ns)| *ns);
    let ns_per_unit = median(ns.clone());
    Measurement {
        workload,
        path,
        isa: isa.name(),
        threads,
        ns_per_unit,
        ns_min: ns.clone().fold(f64::INFINITY, f64::min),
        ns_max: ns.fold(0.0, f64::max),
        steps_per_s: 1e9 / (ns_per_unit * run.units_per_step),
        peak_mb: f64::NAN,
        naive_ns: median(rounds.iter().map(|(naive, _)| *naive)),
        ratio: median(rounds.iter().map(|(naive, ns)| ns / naive)),
        busy: used / passed / threads as f64,
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    sums::median(&mut values.collect::<Vec<f64>>())
}

/// Returns the number of units in a step: link visits by sweeps or force evaluations, or balls.
fn units_per_step(workload: Workload, parts: &Parts, settings: &Settings) -> f64 {
    if workload == Workload::W5 {
        return parts.contact.balls.len() as f64;
    }
    let visits = workload.iterations().unwrap_or(settings.integrator.info().evaluations);
    parts.mesh.links.len() as f64 * f64::from(visits)
}

/// Creates the run of a simulation. For [`Workload::W7`], a step of the run contains a thousand
/// steps of each of a thousand simulations.
fn timed_run(workload: Workload, parts: &Arc<Parts>, settings: Settings) -> TimedRun {
    let units_per_step = units_per_step(workload, parts, &settings);
    let simulation = Box::new(Simulation::new(parts.clone(), settings));
    if workload == Workload::W7 {
        let steps = (workload::LANES * workload::LANE_STEPS) as f64;
        let units_per_step = units_per_step * steps;
        return TimedRun { runner: Runner::Many(simulation), units_per_step, steps: 0 };
    }
    TimedRun { runner: Runner::One(simulation), units_per_step, steps: 0 }
}

/// Creates the run of the naive loop for the same workload.
fn naive_run(workload: Workload, parts: &Parts, settings: &Settings) -> TimedRun {
    let units_per_step = units_per_step(workload, parts, settings);
    if workload == Workload::W5 {
        let runner = Runner::NaiveBalls(Box::new(NaiveBalls::new(parts, HALF_CUBE)));
        return TimedRun { runner, units_per_step, steps: 0 };
    }
    let step = match (workload.iterations(), settings.integrator) {
        (Some(iterations), _) => NaiveStep::Relax(iterations),
        (None, Method::Rk4) => NaiveStep::RungeKutta,
        (None, _) => NaiveStep::SymplecticEuler,
    };
    let runner = Runner::Naive(Box::new(Naive::new(parts)), step);
    TimedRun { runner, units_per_step, steps: 0 }
}
