//! Where one particle has been, step by step.

use glam::DVec3;
use std::collections::VecDeque;

/// A particle at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Simulated time in seconds.
    pub t: f64,
    /// Position in metres.
    pub x: DVec3,
    /// Velocity in m/s.
    pub v: DVec3,
}

/// The last moments of a particle, oldest first.
#[derive(Clone, Debug)]
pub struct MotionRecord {
    particle: u32,
    moments: VecDeque<Moment>,
}

impl MotionRecord {
    /// Moments that are kept: 16 s at 1 ms a step.
    pub const CAPACITY: usize = 1 << 14;

    /// Nothing yet of a particle.
    pub fn of(particle: u32) -> Self {
        Self { particle, moments: VecDeque::new() }
    }

    /// Whose moments these are.
    pub fn particle(&self) -> u32 {
        self.particle
    }

    /// Appends a moment. What is known of that time or later is forgotten: the lane went back.
    pub fn push(&mut self, moment: Moment) {
        if self.moments.back().is_some_and(|last| last.t >= moment.t) {
            self.moments.truncate(self.moments.partition_point(|known| known.t < moment.t));
        }
        if self.moments.len() == Self::CAPACITY {
            self.moments.pop_front();
        }
        self.moments.push_back(moment);
    }

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Moment> + ExactSizeIterator + Clone {
        self.moments.iter()
    }

    /// The first moment at a time or after it.
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
}
