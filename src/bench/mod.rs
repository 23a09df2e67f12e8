//! How fast a step is, against a naive loop that runs alternately in the same process.

mod naive;
mod workload;

pub use workload::Workload;

use crate::scene::Scene;
use crate::settings::Settings;
use crate::simd::Isa;
use crate::simulation::Simulation;
use itertools::Itertools;
use naive::Naive;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// What a bench reads off the machine. The library itself has no clock.
pub struct Instruments<'a> {
    /// Seconds since some moment.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Processor seconds that this process has used, over all threads.
    pub processor: &'a (dyn Fn() -> f64 + Sync),
    /// Greatest memory of this process so far, in megabytes.
    pub peak_mb: &'a (dyn Fn() -> f64 + Sync),
}

/// One line of the bench's output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// Which workload.
    pub workload: Workload,
    /// Which way through the code.
    pub path: &'static str,
    /// Instruction set of the path.
    pub isa: &'static str,
    /// Threads that the path may use.
    pub threads: usize,
    /// Nanoseconds a unit, median over the rounds. A unit is one projection of one link, with its
    /// share of the integration; for springs, one evaluation of one link's force.
    pub ns_per_unit: f64,
    /// Of the fastest round.
    pub ns_min: f64,
    /// Of the slowest round.
    pub ns_max: f64,
    /// Whole steps a second.
    pub steps_per_s: f64,
    /// Greatest memory of scene and simulation, before the naive loop has its own, in megabytes.
    pub peak_mb: f64,
    /// Nanoseconds a unit of the naive loop, median over the rounds.
    pub naive_ns: f64,
    /// Time of the path over time of the naive loop, median over the rounds.
    pub ratio: f64,
    /// Processor time over time over threads: 1 = every thread busy all the time.
    pub busy: f64,
}

/// Something whose steps are timed.
struct Course<'a> {
    step: Box<dyn FnMut() + 'a>,
    units_a_step: f64,
}

impl Course<'_> {
    /// Nanoseconds a unit over at least one step and at least `seconds`.
    fn time(&mut self, seconds: f64, clock: &dyn Fn() -> f64) -> f64 {
        let start = clock();
        let mut steps = 0.0;
        loop {
            (self.step)();
            steps += 1.0;
            let passed = clock() - start;
            if passed >= seconds {
                return passed / (steps * self.units_a_step) * 1e9;
            }
        }
    }
}

/// Seconds of one round of one course: short, so that whatever else the machine does falls on
/// both alike, and long against a clock.
const ROUND: f64 = 0.01;

/// Measures a workload for about `seconds`, every path with it. Runs on the rayon pool that it is
/// called from.
pub fn measure(workload: Workload, seconds: f64, instruments: &Instruments) -> Vec<Measurement> {
    let scene = Arc::new(workload.scene());
    let paths = workload.paths();
    let each = seconds / paths.len() as f64;
    let measure = |(path, settings): (&'static str, Settings)| {
        let (isa, mut course) = course(workload, &scene, settings);
        (course.step)();
        let peak_mb = (instruments.peak_mb)();
        let naive = naive_course(workload, &scene);
        let measurement = compare(workload, path, isa, [naive, course], each, instruments);
        Measurement { peak_mb, ..measurement }
    };
    paths.into_iter().map(measure).collect()
}

fn compare(
    workload: Workload,
    path: &'static str,
    isa: Isa,
    [mut naive, mut course]: [Course; 2],
    seconds: f64,
    instruments: &Instruments,
) -> Measurement {
    let Instruments { clock, processor, peak_mb: _ } = *instruments;
    naive.time(0.0, clock);
    let start = clock();
    let mut rounds = Vec::new();
    let (mut used, mut passed) = (0.0, 0.0);
    while rounds.len() < 3 || clock() - start < seconds {
        let naive_ns = naive.time(ROUND, clock);
        let (passed_before, used_before) = (clock(), processor());
        let ns = course.time(ROUND, clock);
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
        steps_per_s: 1e9 / (ns_per_unit * course.units_a_step),
        peak_mb: f64::NAN,
        naive_ns: median(rounds.iter().map(|(naive, _)| *naive)),
        ratio: median(rounds.iter().map(|(naive, ns)| ns / naive)),
        busy: used / passed / threads as f64,
    }
}

/// The middle one, or the mean of the middle two.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let sorted: Vec<f64> = values.sorted_by(f64::total_cmp).collect();
    0.5 * (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2])
}

/// A simulation's steps, or for W7 those of a thousand.
fn course(workload: Workload, scene: &Arc<Scene>, settings: Settings) -> (Isa, Course<'static>) {
    let links = scene.mesh.links.len() as f64;
    let evaluations = f64::from(settings.integrator.info().evaluations);
    let units_a_step = match workload.iterations() {
        Some(iterations) => links * f64::from(iterations),
        None => links * evaluations,
    };
    let simulation = Simulation::new(scene.clone(), settings);
    let isa = simulation.isa();
    if workload != Workload::W7 {
        let mut simulation = simulation;
        let step = Box::new(move || simulation.step(settings.dt));
        return (isa, Course { step, units_a_step });
    }
    let step = move || {
        (0..workload::LANES).into_par_iter().for_each(|_| {
            let mut lane = simulation.clone();
            (0..workload::LANE_STEPS).for_each(|_| lane.step(settings.dt));
        });
    };
    let steps = (workload::LANES * workload::LANE_STEPS) as f64;
    (isa, Course { step: Box::new(step), units_a_step: units_a_step * steps })
}

fn naive_course(workload: Workload, scene: &Scene) -> Course<'static> {
    let links = scene.mesh.links.len() as f64;
    let mut naive = Naive::new(scene);
    let dt = workload.dt();
    match workload.iterations() {
        Some(iterations) => Course {
            step: Box::new(move || naive.relax(iterations, dt)),
            units_a_step: links * f64::from(iterations),
        },
        None => Course { step: Box::new(move || naive.spring_step(dt)), units_a_step: links },
    }
}
