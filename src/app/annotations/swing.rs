//! How long a swing to and fro takes, from what was seen of it.

/// What was seen of a particle's x. A swing goes from one crossing of the middle in the direction
/// of growing x to the next; the middle lies between the extremes of the motion.
#[derive(Clone, Debug, Default)]
pub struct Swing {
    extremes: Option<(f64, f64)>,
    last: Option<(f64, f64)>,
    crossed: Option<f64>,
    period: Option<f64>,
}

impl Swing {
    /// At time `t` (s) it is at `x` (m).
    pub fn see(&mut self, t: f64, x: f64) {
        let (least, most) = self.extremes.unwrap_or((x, x));
        let (least, most) = (least.min(x), most.max(x));
        // Before the first swing is over its far side is not known: the middle moves.
        self.extremes = Some((least, most));
        let middle = 0.5 * (least + most);
        if let Some((before, from)) = self.last
            && from < middle
            && x >= middle
        {
            let now = before + (t - before) * (middle - from) / (x - from);
            self.period = self.crossed.map(|crossed| now - crossed);
            self.crossed = Some(now);
        }
        self.last = Some((t, x));
    }

    /// Seconds of the last whole swing.
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
            swing.see(t, 3.0 + (std::f64::consts::TAU * t / 1.9).cos());
        }
        let period = swing.period().unwrap();
        assert!((period - 1.9).abs() < 1e-3, "{period}");
    }
}
