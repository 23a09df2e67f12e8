//! Record of a simulation's samples. It survives jumps to an earlier or later time.

use super::sample::Sample;
use std::collections::VecDeque;

/// Samples before and after the present time of a simulation, oldest first. There are samples after
/// the present time if the simulation has gone back.
#[derive(Clone, Debug, Default)]
pub struct SampleRecord {
    /// Samples up to the present time, including those before a restart.
    samples: VecDeque<RecordedSample>,
    /// Samples after the present time, earliest first.
    later: VecDeque<RecordedSample>,
    /// Number of restarts of the simulation before the present time.
    starts: u32,
}

#[derive(Clone, Copy, Debug)]
struct RecordedSample {
    /// Number of restarts of the simulation before the sample.
    starts: u32,
    sample: Sample,
}

impl RecordedSample {
    fn is_after(&self, starts: u32, wall: f64) -> bool {
        self.starts > starts || self.starts == starts && self.sample.wall > wall
    }
}

impl SampleRecord {
    /// Largest number of samples on either side of the present time: one minute at 60 frames per
    /// second.
    pub(crate) const CAPACITY: usize = 3600;

    /// Appends a sample and removes the later samples up to its time. If the record is full,
    /// forgets the oldest sample.
    pub fn push(&mut self, sample: Sample) {
        while self.later.front().is_some_and(|next| !next.is_after(self.starts, sample.wall)) {
            self.later.pop_front();
        }
        self.append(RecordedSample { starts: self.starts, sample });
    }

    /// Moves the present time back or forward: to `wall` seconds (wall-clock time × speed) after
    /// restart number `starts`. Samples after this time are kept until [`Self::forget_later`].
    pub fn go_to(&mut self, starts: u32, wall: f64) {
        self.starts = starts;
        let now = self.samples.partition_point(|kept| !kept.is_after(starts, wall));
        self.samples.drain(now..).rev().for_each(|kept| self.later.push_front(kept));
        self.later.truncate(Self::CAPACITY);
        let passed = self.later.partition_point(|kept| !kept.is_after(starts, wall));
        for _ in 0..passed {
            let next = self.later.pop_front();
            next.into_iter().for_each(|next| self.append(next));
        }
    }

    /// Forgets the samples after the present time, because the simulation will continue
    /// differently, e.g. with new settings.
    pub(crate) fn forget_later(&mut self) {
        self.later.clear();
    }

    /// Yields the samples since the last restart, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Sample> {
        let first = self.samples.partition_point(|kept| kept.starts < self.starts);
        self.samples.range(first..).map(|kept| &kept.sample)
    }

    /// Returns the newest sample since the last restart.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back().filter(|kept| kept.starts == self.starts).map(|kept| &kept.sample)
    }

    fn append(&mut self, kept: RecordedSample) {
        if self.samples.len() == Self::CAPACITY {
            self.samples.pop_front();
        }
        self.samples.push_back(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walls(record: &SampleRecord) -> Vec<f64> {
        record.iter().map(|sample| sample.wall).collect()
    }

    fn sample(wall: f64) -> Sample {
        Sample { wall, ..Sample::default() }
    }

    #[test]
    fn a_record_keeps_a_minute_before_a_moment_and_a_minute_after_it() {
        let mut record = SampleRecord::default();
        (0..5000).for_each(|frame| record.push(sample(f64::from(frame))));
        assert_eq!(record.iter().len(), SampleRecord::CAPACITY);
        record.go_to(0, 100.0);
        assert_eq!(record.iter().len(), 0, "so far back nothing was kept");
        (101..400).for_each(|frame| record.push(sample(f64::from(frame))));
        record.go_to(0, 200.0);
        assert_eq!(walls(&record), (101..=200).map(f64::from).collect::<Vec<_>>());
        assert_eq!(record.later.len(), SampleRecord::CAPACITY);
        record.go_to(0, 4999.0);
        assert_eq!(record.iter().len(), SampleRecord::CAPACITY);
        record.go_to(1, 0.0);
        assert_eq!((record.iter().len(), record.last()), (0, None), "a new start");
    }
}
