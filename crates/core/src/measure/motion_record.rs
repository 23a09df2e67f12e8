//! Record of one particle's motion, step by step.

use glam::DVec3;
use std::collections::VecDeque;

/// State of a particle at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Simulated time in seconds.
    pub t: f64,
    /// Position in metres.
    pub x: DVec3,
    /// Velocity in m/s.
    pub v: DVec3,
}

/// Recent states of one particle, oldest first.
#[derive(Clone, Debug)]
pub struct MotionRecord {
    particle: u32,
    thinning: Thinning,
    moments: VecDeque<Moment>,
}

/// Rule that selects the steps that a [`MotionRecord`] keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thinning {
    /// Shortest time between two recorded states, in seconds; 0 keeps every step.
    pub spacing: f64,
    /// Largest number of recorded states. A further state replaces the oldest one.
    pub capacity: usize,
}

impl MotionRecord {
    /// Capacity of a record of every step: 16 s at steps of 1 ms.
    pub(crate) const CAPACITY: usize = 1 << 14;

    /// Creates an empty record that keeps every step of a particle.
    pub fn of(particle: u32) -> Self {
        Self::thinned(particle, Thinning { spacing: 0.0, capacity: Self::CAPACITY })
    }

    /// Creates an empty record that keeps the steps that `thinning` selects.
    pub fn thinned(particle: u32, thinning: Thinning) -> Self {
        Self { particle, thinning, moments: VecDeque::new() }
    }

    /// Returns the particle whose motion is recorded.
    pub fn particle(&self) -> u32 {
        self.particle
    }

    /// Returns the rule that selects the steps to keep.
    pub fn thinning(&self) -> Thinning {
        self.thinning
    }

    /// Removes the states after `t` seconds. If the simulation jumped forward past unrecorded
    /// steps, removes all states.
    pub(crate) fn jump_to(&mut self, t: f64) {
        if self.moments.back().is_some_and(|last| last.t + self.thinning.spacing < t) {
            self.moments.clear();
        }
        self.moments.truncate(self.moments.partition_point(|known| known.t <= t));
    }

    /// Appends a state. If the simulation has returned to an earlier time, first removes the states
    /// at this time or later.
    pub fn push(&mut self, moment: Moment) {
        if self.moments.back().is_some_and(|last| last.t >= moment.t) {
            self.moments.truncate(self.moments.partition_point(|known| known.t < moment.t));
        }
        let Thinning { spacing, capacity } = self.thinning;
        // The factor 1 − 1e-6 keeps rounding of times from dropping every second step.
        let soon = |last: &Moment| moment.t - last.t < (1.0 - 1e-6) * spacing;
        if self.moments.back().is_some_and(soon) {
            return;
        }
        if self.moments.len() == capacity {
            self.moments.pop_front();
        }
        self.moments.push_back(moment);
    }

    /// Yields the recorded states, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Moment> + ExactSizeIterator + Clone {
        self.moments.iter()
    }

    /// Returns the first recorded state at or after a time in seconds.
    pub fn at(&self, t: f64) -> Option<&Moment> {
        self.moments.get(self.moments.partition_point(|moment| moment.t < t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_that_goes_back_forgets_what_came_after() {
        let moment = |t: f64| Moment { t, x: DVec3::splat(t), v: DVec3::ZERO };
        let mut record = MotionRecord::of(3);
        (0..100).for_each(|i| record.push(moment(f64::from(i))));
        record.push(moment(10.0));
        assert_eq!(record.iter().len(), 11);
        assert_eq!(record.at(9.5), Some(&moment(10.0)));
        assert_eq!(record.at(10.5), None);
        (11..20_000).for_each(|i| record.push(moment(f64::from(i))));
        assert_eq!(record.iter().len(), MotionRecord::CAPACITY);
    }

    #[test]
    fn a_thinned_record_keeps_whole_steps_and_no_more_than_it_may() {
        let thinning = Thinning { spacing: 0.3, capacity: 5 };
        let mut record = MotionRecord::thinned(3, thinning);
        let moment = |i: u32| Moment { t: 0.1 * f64::from(i), x: DVec3::ZERO, v: DVec3::ZERO };
        (0..=30).for_each(|i| record.push(moment(i)));
        let kept: Vec<f64> = record.iter().map(|moment| moment.t).collect();
        assert_eq!(kept, [18, 21, 24, 27, 30].map(|i| moment(i).t));
        record.jump_to(2.5);
        assert_eq!(record.iter().len(), 3, "back");
        record.jump_to(4.0);
        assert_eq!(record.iter().len(), 0, "forward over what is not known");
    }
}
