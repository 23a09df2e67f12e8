//! Watchdog that ends an analysis without progress.

use crate::cli::error::Error;
use clap::Args;
use ropelab::quantity::{argument, four_digits};
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Finished fraction of the work, 0 to 1, as the bits of an f64.
static PROGRESS: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, Debug, Args)]
pub struct Patience {
    /// Give up if no part of the work ends within this time: seconds, or as 500ms, 2min
    #[arg(long, value_name = "TIME", default_value = "5min")]
    #[arg(value_parser = argument::parse_duration)]
    give_up: f64,
}

impl Patience {
    /// Starts a thread that ends the process with a message when the analysis makes no progress,
    /// even during a single endless step.
    pub fn watch(&self) -> Result<(), Error> {
        let limit = Duration::try_from_secs_f64(self.give_up).ok().filter(|limit| !limit.is_zero());
        let Some(limit) = limit else {
            let message = format!("--give-up is {}; expected a time above 0", self.give_up);
            return Err(Error::Settings(message));
        };
        std::thread::spawn(move || {
            let (mut seen, mut since) = (PROGRESS.load(Ordering::Relaxed), Instant::now());
            loop {
                std::thread::sleep(POLL_INTERVAL.min(limit));
                let now = PROGRESS.load(Ordering::Relaxed);
                if now != seen {
                    (seen, since) = (now, Instant::now());
                } else if since.elapsed() > limit {
                    give_up(limit);
                }
            }
        });
        Ok(())
    }
}

/// Stores the finished fraction of the work, 0 to 1, for the watchdog.
pub fn note_progress(fraction: f64) {
    PROGRESS.store(fraction.to_bits(), Ordering::Relaxed);
}

fn give_up(limit: Duration) -> ! {
    let time = four_digits::format_seconds(limit.as_secs_f64());
    eprintln!(
        "error: gave up: no part of the work has finished within {time}. A step of this scene \
         takes too long, or there are too many of them; a longer dt, a shorter --duration or fewer \
         sweeps help, and --give-up 60min waits longer"
    );
    ropelab::export::remove_unfinished();
    exit(1)
}
