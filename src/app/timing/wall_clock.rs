//! Wall clock of the program.

use std::sync::LazyLock;
use std::time::Instant;

/// Returns the time in seconds of a clock that never goes back. Only differences are meaningful.
pub fn wall_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
