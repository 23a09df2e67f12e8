//! Period of an oscillation along x, from observed positions.

/// Timer of an oscillation. A period lasts from one upward crossing of the middle to the next. The
/// middle is halfway between the extremes of x. Both must have been observed before the period
/// begins.
#[derive(Clone, Debug, Default)]
pub struct Swing {
    extremes: Option<Extremes>,
    last: Option<Position>,
    crossed: Option<Crossing>,
    period: Option<f64>,
}

/// Smallest and largest x so far, in metres.
#[derive(Clone, Copy, Debug)]
struct Extremes {
    least: f64,
    most: f64,
}

/// Observed position: x in metres at the time t in seconds.
#[derive(Clone, Copy, Debug)]
struct Position {
    t: f64,
    x: f64,
}

/// Upward crossing of the middle.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// Time in seconds.
    t: f64,
    /// Extremes of x up to this time.
    extremes: Extremes,
}

impl Extremes {
    fn range(self) -> f64 {
        self.most - self.least
    }
}

/// Largest fraction by which a counted period may widen the range between the extremes. If a period
/// widens it further, the true extremes were still unknown.
const EXTREMES_TOLERANCE: f64 = 0.01;

impl Swing {
    /// Records the position `x` in metres at time `t` in seconds.
    pub fn observe(&mut self, t: f64, x: f64) {
        let Extremes { least, most } = self.extremes.unwrap_or(Extremes { least: x, most: x });
        let extremes = Extremes { least: least.min(x), most: most.max(x) };
        self.extremes = Some(extremes);
        let middle = 0.5 * (extremes.least + extremes.most);
        if let Some(Position { t: before, x: from }) = self.last
            && from < middle
            && x >= middle
        {
            let now = before + (t - before) * (middle - from) / (x - from);
            if let Some(crossed) = self.crossed
                && extremes.range() <= (1.0 + EXTREMES_TOLERANCE) * crossed.extremes.range()
            {
                self.period = Some(now - crossed.t);
            }
            self.crossed = Some(Crossing { t: now, extremes });
        }
        self.last = Some(Position { t, x });
    }

    /// Returns the duration of the last whole period in seconds, or `None` before the first.
    pub fn period(&self) -> Option<f64> {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_is_timed_between_frames() {
        let mut swing = Swing::default();
        for frame in 0..600 {
            let t = f64::from(frame) / 60.0;
            assert!(swing.period().is_none() || t > 1.25 * 1.9);
            swing.observe(t, 3.0 + (std::f64::consts::TAU * t / 1.9).cos());
        }
        let period = swing.period().unwrap();
        assert!((period - 1.9).abs() < 1e-3, "{period}");
    }

    /// Saw tooth whose first rise begins below all others, so the first period does not count.
    #[test]
    fn the_way_to_the_first_swing_is_none() {
        let mut swing = Swing::default();
        for frame in 0..600 {
            let t = f64::from(frame) / 60.0;
            let x = if t < 3.0 { t - 2.0 } else { (t - 3.0) % 2.0 - 1.0 };
            swing.observe(t, x);
            assert!(swing.period().is_none_or(|period| (period - 2.0).abs() < 0.02), "{t}");
        }
        assert!(swing.period().is_some());
    }
}
