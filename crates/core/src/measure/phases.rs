//! Durations of a particle's phases with a given velocity, and of the phases between, e.g. sticking
//! and slipping on a belt.

use glam::DVec3;

/// Largest deviation from the given velocity, as a fraction of it, at which the particle counts as
/// having that velocity.
const VELOCITY_TOLERANCE: f64 = 0.005;

/// Timer of a particle's phases from observations of its velocity. A phase counts once its
/// beginning and its end were observed.
#[derive(Clone, Debug)]
pub struct Phases {
    velocity: DVec3,
    /// Time of the last observation in seconds, and true if the velocity was kept then.
    last: Option<(f64, bool)>,
    /// Start of the present phase in seconds; `None` before the first change.
    began: Option<f64>,
    kept: Durations,
    between: Durations,
}

/// Durations of all phases of one kind: velocity kept, or not kept.
#[derive(Clone, Copy, Debug, Default)]
struct Durations {
    /// Duration of the first phase in seconds. Its motion may not be periodic yet.
    first: Option<f64>,
    /// Sum of the durations of the later phases, in seconds.
    sum: f64,
    /// Number of the later phases.
    count: u32,
}

impl Durations {
    fn add(&mut self, seconds: f64) {
        if self.first.is_none() {
            self.first = Some(seconds);
        } else {
            self.sum += seconds;
            self.count += 1;
        }
    }

    fn mean(self) -> Option<f64> {
        if self.count > 0 { Some(self.sum / f64::from(self.count)) } else { self.first }
    }
}

impl Phases {
    /// Creates a timer for phases in which a particle has the velocity `velocity` in m/s.
    pub fn of(velocity: DVec3) -> Self {
        let (kept, between) = <(Durations, Durations)>::default();
        Self { velocity, last: None, began: None, kept, between }
    }

    /// Records the velocity `v` in m/s at time `t` in seconds. A phase begins in the middle between
    /// the two observations that differ.
    pub fn observe(&mut self, t: f64, v: DVec3) {
        let keeps = v.distance(self.velocity) < VELOCITY_TOLERANCE * self.velocity.length();
        if let Some((before, kept)) = self.last
            && kept != keeps
        {
            let now = 0.5 * (before + t);
            if let Some(began) = self.began {
                let durations = if kept { &mut self.kept } else { &mut self.between };
                durations.add(now - began);
            }
            self.began = Some(now);
        }
        self.last = Some((t, keeps));
    }

    /// Returns the mean durations of the phases that keep the velocity, and of the phases between,
    /// in seconds. The first phase of a kind is used only until a second one has ended.
    pub fn means(&self) -> [Option<f64>; 2] {
        [self.kept, self.between].map(Durations::mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_phases_are_timed_between_observations() {
        let mut phases = Phases::of(DVec3::X);
        let mut known_means = Vec::new();
        for frame in 0..360 {
            let t = f64::from(frame) / 60.0;
            let keeps = (t + 0.4) % 2.0 < 1.3;
            phases.observe(t, if keeps { DVec3::X } else { DVec3::Y });
            known_means.push(phases.means().map(|mean| mean.is_some()));
        }
        assert_eq!(known_means[100], [false, true], "the first phase began before it was seen");
        let [kept, between] = phases.means().map(Option::unwrap);
        assert!(
            (kept - 1.3).abs() < 0.009 && (between - 0.7).abs() < 0.009,
            "mean durations: {kept} s kept, {between} s between"
        );
    }
}
