//! `ropelab bench`: how fast a step is on this machine.

use super::{Error, print_json_line};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ropelab::bench::{Instruments, Workload, measure};
use std::fs::{read_to_string, write};
use std::time::Instant;
use strum::IntoEnumIterator;

/// Measure the speed of a step against a naive loop
///
/// Prints one JSON line a measurement. Naive loop and measured path take turns in rounds of some
/// 10 ms; `ratio` is the median over the rounds, and smaller is faster. `ns_per_unit` is the time
/// of one projection of one link with its share of the integration, or of one spring's force.
///
/// Examples:
///   ropelab bench
///   ropelab bench W2 W3 --threads 2 --seconds 10
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Bench {
    /// Which workloads [default: all]
    #[arg(value_parser = workload())]
    workloads: Vec<Workload>,
    /// Threads that a step may use [default: one, and for W7 one a core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
    /// Seconds for each workload
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true, value_parser = seconds)]
    seconds: f64,
}

/// Most threads that are started.
const MOST_THREADS: i64 = 1024;
/// Longest measurement of a workload in seconds: an hour.
const LONGEST: f64 = 3600.0;

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= LONGEST);
    seconds.ok_or_else(|| format!("expected seconds above 0, at most {LONGEST}"))
}

fn workload() -> impl TypedValueParser<Value = Workload> {
    let names = PossibleValuesParser::new(Workload::iter().map(<&str>::from));
    names.try_map(|name| name.parse::<Workload>())
}

impl Bench {
    pub fn run(self) -> Result<(), Error> {
        let Self { workloads, threads, seconds } = self;
        let workloads = if workloads.is_empty() { Workload::iter().collect() } else { workloads };
        let start = Instant::now();
        let instruments = Instruments {
            clock: &|| start.elapsed().as_secs_f64(),
            processor: &processor_seconds,
            peak_mb: &peak_mb,
        };
        for workload in workloads {
            let default = if workload == Workload::W7 { 0 } else { 1 };
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(default, usize::from));
            let pool = pool.build().map_err(Error::Threads)?;
            forget_peak();
            for measurement in pool.install(|| measure(workload, seconds, &instruments)) {
                print_json_line(&measurement)?;
            }
        }
        Ok(())
    }
}

/// From the kernel's books, in ticks of 10 ms; not a number where there are none.
fn processor_seconds() -> f64 {
    let ticks = || -> Option<f64> {
        let stat = read_to_string("/proc/self/stat").ok()?;
        let fields = stat.rsplit_once(')')?.1;
        let number = |n: usize| fields.split_whitespace().nth(n)?.parse::<f64>().ok();
        Some(number(11)? + number(12)?)
    };
    ticks().map_or(f64::NAN, |ticks| ticks / 100.0)
}

/// From the kernel's books; not a number where there are none.
fn peak_mb() -> f64 {
    let kilobytes = || -> Option<f64> {
        let status = read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    kilobytes().map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
}

/// Lets the kernel's book of peak memory start anew, so that each workload has its own.
fn forget_peak() {
    // Where there is no such book the peak is not a number anyway.
    let _ = write("/proc/self/clear_refs", "5");
}
