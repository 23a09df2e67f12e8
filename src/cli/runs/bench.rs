//! `ropelab bench`: the speed of a step on this machine.

use crate::cli::error::Error;
use crate::cli::streams::print_json_line;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ropelab::bench::{Instruments, Occasion, Workload, measure};
use std::fs::{read_to_string, write};
use std::time::Instant;
use strum::IntoEnumIterator;

/// Measure the speed of a step relative to a naive loop
///
/// Prints one JSON line per measurement. The naive loop and the measured code alternate in rounds
/// of about 10 ms. `ratio` is the time of the measured code divided by the time of the naive loop,
/// as a median over the rounds; smaller is faster. `ns_per_unit` is the time of one unit in
/// nanoseconds: the projection of one link with its share of the integration, the force of one
/// spring, or one ball.
///
/// `ready` is the time to prepare a large scene, `cut` the time to cut a large cloth (`value` in
/// ms). `busy` is the time of steps on two threads divided by their time on one thread, while the
/// machine does other work. `aim` is the greatest accepted value of a line. Further measurements
/// are `W5p` (balls fall into a heap), `W8` (a cloth falls on a sphere), `far` (steps with contact
/// while nothing is near, divided by steps without contact) and `W9` (swept queries). Their lines
/// explain `value`.
///
/// Examples:
///   ropelab bench
///   ropelab bench ready cut
///   ropelab bench W2 W3 --threads 2 --seconds 10
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Bench {
    /// Workloads and events to measure [default: all]
    #[arg(value_name = "WORKLOAD", value_parser = subject_parser())]
    subjects: Vec<BenchSubject>,
    /// Threads that a step may use [default: one; for the 1 000 ropes of W7, one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
    /// Time per workload in seconds
    #[arg(long, default_value_t = 5.0, value_parser = parse_seconds)]
    seconds: f64,
}

const MOST_THREADS: i64 = 1024;
/// Largest value of `--seconds`: an hour.
const LONGEST: f64 = 3600.0;

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= LONGEST);
    seconds.ok_or_else(|| format!("expected a time in seconds above 0, at most {LONGEST}"))
}

#[derive(Clone, Copy, Debug)]
enum BenchSubject {
    Steps(Workload),
    Once(Occasion),
}

impl BenchSubject {
    fn all() -> impl Iterator<Item = Self> {
        Workload::iter().map(Self::Steps).chain(Occasion::iter().map(Self::Once))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Steps(workload) => workload.into(),
            Self::Once(occasion) => occasion.into(),
        }
    }
}

fn subject_parser() -> impl TypedValueParser<Value = BenchSubject> {
    let names = PossibleValuesParser::new(BenchSubject::all().map(BenchSubject::name));
    names.try_map(|name| {
        let mut all = BenchSubject::all();
        all.find(|subject| subject.name() == name).ok_or("no workload of this name")
    })
}

impl Bench {
    pub fn run(self) -> Result<(), Error> {
        let Self { subjects, threads, seconds } = self;
        let subjects = if subjects.is_empty() { BenchSubject::all().collect() } else { subjects };
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        let instruments =
            Instruments { clock: &clock, processor: &processor_seconds, peak_mb: &peak_mb };
        for subject in subjects {
            match subject {
                BenchSubject::Once(occasion) => {
                    occasion.measure(&clock).iter().try_for_each(print_json_line)?;
                }
                BenchSubject::Steps(workload) => {
                    let default = if workload == Workload::W7 { 0 } else { 1 };
                    let threads = threads.map_or(default, usize::from);
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let pool = pool.build().map_err(Error::Threads)?;
                    reset_peak_memory();
                    let lines = pool.install(|| measure(workload, seconds, &instruments));
                    lines.iter().try_for_each(print_json_line)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the processor time of this process in seconds. `/proc/self/stat` counts it in ticks of
/// 10 ms. NaN on systems without this file.
fn processor_seconds() -> f64 {
    let ticks = || -> Option<f64> {
        let stat = read_to_string("/proc/self/stat").ok()?;
        let fields = stat.rsplit_once(')')?.1;
        let number = |n: usize| fields.split_whitespace().nth(n)?.parse::<f64>().ok();
        Some(number(11)? + number(12)?)
    };
    ticks().map_or(f64::NAN, |ticks| ticks / 100.0)
}

/// Returns the peak memory of this process in units of 1024 KiB, from `/proc/self/status`. NaN on
/// systems without this file.
fn peak_mb() -> f64 {
    let kilobytes = || -> Option<f64> {
        let status = read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    kilobytes().map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Resets the kernel's record of peak memory, so each workload has its own peak.
fn reset_peak_memory() {
    // Systems without this file report no peak memory anyway.
    let _ = write("/proc/self/clear_refs", "5");
}
