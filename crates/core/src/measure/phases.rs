//! Durations of the phases in which a particle has a given velocity, and of the phases between,
//! e.g. sticking and slipping on a belt.

use glam::DVec3;

/// Largest difference between a particle's velocity and the given velocity at which both count as
/// equal, as a fraction of the given velocity.
const VELOCITY_TOLERANCE: f64 = 0.005;

/// Timer of a particle's phases, fed with observed velocities. A phase counts once its beginning
/// and its end have been observed.
#[derive(Clone, Debug)]
pub struct Phases {
    velocity: DVec3,
    /// Time of the last observation in seconds, and true if the particle had the given velocity
    /// then.
    last: Option<(f64, bool)>,
    /// Start of the present phase in seconds; `None` before the first change.
    began: Option<f64>,
    kept: Durations,
    between: Durations,
}

/// Durations of all phases of one kind: with the given velocity, or without it.
#[derive(Clone, Copy, Debug, Default)]
struct Durations {
    /// Duration of the first phase in seconds. The motion may not be periodic yet.
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
    /// Creates a timer of the phases in which a particle moves at `velocity` in m/s.
    pub fn of(velocity: DVec3) -> Self {
        let (kept, between) = <(Durations, Durations)>::default();
        Self { velocity, last: None, began: None, kept, between }
    }

    /// Records the velocity `v` in m/s at time `t` in seconds. A phase begins halfway between the
    /// two observations that differ.
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

    /// Returns two mean durations in seconds: of the phases with the given velocity, and of the
    /// phases between. The first phase of a kind is used only until a second one has ended.
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
