//! `ropelab torture`: random sessions in which invariants are checked.

use crate::cli::error::Error;
use crate::cli::streams::print;
use clap::Args;
use rayon::prelude::*;
use ropelab::torture::{Case, CaseCounts, Failure, check_case, check_case_until, reduce};
use std::ops::Range;
use std::panic;
use std::time::{Duration, Instant};

/// Maximum number of runs for reducing a failing session.
const MOST_TRIALS: usize = 2000;
/// Interval between two progress messages on standard error.
const BETWEEN_NOTES: Duration = Duration::from_secs(60);

/// Search for faults with random sessions
///
/// Each run takes a random scene, lanes with random settings, and a few dozen random events:
/// frames, drags, cuts, pins, throws, wind, changed settings, values and bodies of the scene,
/// comparisons, seeks, removed and restored edits, branches, saving and loading. The following is
/// checked after every event. Nothing panics. The time and energy accounts add up. Seek, undo and
/// recordings give the bits of an uninterrupted run. Values are finite, or the lane has a verdict.
/// Linked rings stay linked. The history stays within its memory budget.
///
/// Each thread takes one run at a time. The first fault ends the search with exit code 2. Events of
/// the failing run are left out one after another as long as the fault remains, and the remaining
/// events are printed. Run n has the seed SEED + n.
///
/// Examples:
///   ropelab torture
///   ropelab torture --seed 7 --minutes 60
///   ropelab torture --seed 1234 --runs 1
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Torture {
    /// Seed of the first run
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Duration of the search in minutes; a run still going at the end is stopped
    #[arg(long, value_name = "M", default_value_t = 1.0, value_parser = minutes)]
    #[arg(conflicts_with = "runs")]
    minutes: f64,
    /// Number of runs, instead of a duration
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
}

/// Largest value of `--minutes`: a month.
const LONGEST: f64 = 43_200.0;

fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|m| *m > 0.0 && *m <= LONGEST);
    minutes.ok_or_else(|| format!("expected a number of minutes above 0, at most {LONGEST}"))
}

impl Torture {
    pub fn run(self) -> Result<(), Error> {
        let began = Instant::now();
        let longest = Duration::from_secs_f64(self.minutes * 60.0);
        let mut noted = began;
        let mut sum = CaseCounts::default();
        let mut runs = 0;
        // Panics are caught as faults. Their messages are hidden until the reduced session runs at
        // the end.
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let left = |runs: u64| match self.runs {
            Some(most) => most - runs,
            None if began.elapsed() >= longest => 0,
            None => u64::MAX,
        };
        // A run takes 0.05 to 6 s. Several runs per thread keep all threads busy.
        let at_once = 8 * rayon::current_num_threads() as u64;
        while left(runs) > 0 {
            let batch = runs..runs + left(runs).min(at_once);
            let passed = match self.check_runs(batch, |run| left(run) == 0) {
                Ok(passed) => passed,
                Err(fault) => {
                    let (case, failure) = *fault;
                    eprintln!(
                        "A fault with seed {}: {failure}\nIt is reduced to a smaller \
                               session.",
                        case.seed
                    );
                    let reduced = reduce(&case, MOST_TRIALS, |case| fails_alike(case, &failure));
                    panic::set_hook(default_hook);
                    return report_fault(&case, &reduced, failure);
                }
            };
            runs += passed.len() as u64;
            for CaseCounts { events, compared, exploded } in passed {
                sum.events += events;
                sum.compared += compared;
                sum.exploded += exploded;
            }
            if noted.elapsed() >= BETWEEN_NOTES {
                noted = Instant::now();
                eprintln!("{runs} runs, {} events, no fault so far", sum.events);
            }
        }
        panic::set_hook(default_hook);
        let CaseCounts { events, compared, exploded } = sum;
        print(&format!(
            "No fault in {runs} runs from seed {}: {events} events, {compared} comparisons with \
             uninterrupted runs, {exploded} lanes exploded at the end.\n",
            self.seed
        ))
    }

    /// Checks a range of runs on all threads. Returns the fault of the first run that has one.
    fn check_runs(
        &self,
        runs: Range<u64>,
        is_over: impl Fn(u64) -> bool + Sync,
    ) -> Result<Vec<CaseCounts>, Box<(Case, Failure)>> {
        let check = |run| {
            let case = Case::of(self.seed.wrapping_add(run));
            let passed = check_case_until(&case, &|| is_over(run));
            passed.map_err(|failure| Box::new((case, failure)))
        };
        let runs: Vec<u64> = runs.collect();
        let results: Vec<_> = runs.into_par_iter().with_max_len(1).map(check).collect();
        results.into_iter().collect()
    }
}

fn fails_alike(case: &Case, failure: &Failure) -> bool {
    check_case(case).is_err_and(|other| other.invariant == failure.invariant)
}

fn report_fault(case: &Case, reduced: &Case, first: Failure) -> Result<(), Error> {
    // The session runs once more, so a panic prints its location.
    let failure = check_case(reduced).err().unwrap_or(first);
    let (seed, version) = (case.seed, env!("CARGO_PKG_VERSION"));
    print(&format!(
        "fault    {failure}\nprogram  ropelab {version}\nagain    ropelab torture --seed {seed} --runs 1\n\
         events   {} of {} are left\n\n{reduced}",
        reduced.acts.len(),
        case.acts.len()
    ))?;
    Err(Error::Fault { seed })
}
