//! Division of a grid's rows among threads, and the buffer slots of the rows that are being swept.

use std::ops::Range;

/// Consecutive pairs of rows (pair p is rows 2p and 2p + 1) that one thread sweeps. The strip may
/// have a border to another thread's strip above or below.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    pub pairs: Range<usize>,
    pub has_border_above: bool,
    pub has_border_below: bool,
}

/// Division of all pairs of rows into strips, one thread per strip.
///
/// At a border to another thread's strip, each sweep ends one pair of rows earlier than the sweep
/// before it, because the pair beyond its end has not completed the sweep before. On average a
/// sweep lacks (phases + 1)/2 pairs on either side of a border, i.e. phases + 1 pairs per border.
/// When all strips are done, the threads run these missing sweeps. If there is one strip more than
/// threads, each thread has a border to sweep. The last thread then sweeps two shorter strips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    pairs: usize,
    /// Missing work at the border between two strips, in row pairs times sweeps.
    border: usize,
    threads: usize,
    pub strips: usize,
}

impl Division {
    /// Divides the row pairs among up to `threads` threads. A strip must be longer than the borders
    /// at its two ends, so a small grid uses fewer threads.
    pub fn new(pairs: usize, phases: usize, threads: usize) -> Self {
        let border = phases.saturating_add(1);
        let threads = threads.min(pairs / border.saturating_mul(2)).max(1);
        // One thread sweeps the last two strips. They adjoin borders on three sides and lack the
        // work of 3/2 borders, so together they must be longer than that.
        let has_one_more = threads > 1 && 2 * pairs > 5 * threads * border + 2 * threads;
        let strips = threads + usize::from(has_one_more);
        Self { pairs, border, threads, strips }
    }

    pub fn strip(self, number: usize) -> Strip {
        Strip {
            pairs: self.first_pair(number)..self.first_pair(number + 1),
            has_border_above: number > 0,
            has_border_below: number + 1 < self.strips,
        }
    }

    /// Returns the first pair of strip `number`. For the number after the last strip, returns the
    /// number of pairs.
    fn first_pair(self, number: usize) -> usize {
        let Self { pairs, border, threads, strips } = self;
        if number == 0 || number == strips {
            return if number == 0 { 0 } else { pairs };
        }
        let work = pairs - (strips - 1) * border;
        let before = if number < threads {
            number * work / threads
        } else {
            // The second-to-last strip has borders at both ends.
            let two = work - (threads - 1) * work / threads;
            work - two + border.max(two / 2)
        };
        before + number * border - border / 2
    }
}

impl Strip {
    /// Returns the pairs of rows whose sweeps are complete when the strip is done.
    pub fn finished(&self, phases: usize) -> Range<usize> {
        let Range { start, end } = self.pairs;
        let above = if self.has_border_above { phases } else { 0 };
        let below = if self.has_border_below { phases } else { 0 };
        start + above..end - below
    }

    pub fn slots(&self, phases: usize) -> Slots {
        let kept = if self.has_border_above { phases } else { 0 };
        let ring = (self.pairs.len() - kept).min(phases.saturating_add(1));
        Slots { first: self.pairs.start, kept, ring }
    }
}

/// Buffer slots of the pairs of rows that are being swept. The last sweep trails the first one by
/// one pair per phase, so most pairs can share a ring of slots. Pairs at the upper border keep
/// their slots until the border is swept. Pairs at the lower border come last, so no later pair
/// reuses their slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    first: usize,
    /// Number of pairs of rows, counted from the first one, that keep their slots.
    kept: usize,
    ring: usize,
}

impl Slots {
    /// Gives each of `pairs` row pairs its own slot. The first of them is pair `first`.
    pub fn in_order(first: usize, pairs: usize) -> Self {
        Self { first, kept: pairs, ring: 0 }
    }

    pub fn len(self) -> usize {
        self.kept + self.ring
    }

    #[inline(always)]
    pub fn of(self, pair: usize) -> usize {
        let Self { first, kept, ring } = self;
        let number = pair - first;
        if number < kept { number } else { kept + (number - kept) % ring }
    }
}

/// Region of a grid for one thread. It determines the row pairs of each phase (sweep).
pub enum SweepPart {
    /// Strip of rows. At a border, each sweep ends one pair earlier than the sweep before it,
    /// because the pair beyond its end has not completed the sweep before.
    Strip(Strip),
    /// Sweeps that two strips have left at their common border. The border is just above this pair
    /// of rows.
    Border(usize),
}

impl SweepPart {
    /// Returns the pairs of rows whose inner links a phase sweeps.
    #[inline(always)]
    pub fn inside(&self, phase: usize) -> Range<usize> {
        match self {
            Self::Strip(Strip { pairs, has_border_above, has_border_below }) => {
                pairs.start + usize::from(*has_border_above) * phase
                    ..pairs.end - usize::from(*has_border_below) * phase
            }
            Self::Border(at) => at - phase..at + phase,
        }
    }

    /// Returns the pairs of rows p whose links to pair p + 1 a phase sweeps.
    #[inline(always)]
    pub fn between(&self, phase: usize) -> Range<usize> {
        let inside = self.inside(phase);
        match self {
            Self::Strip(strip) => inside.start..inside.end - usize::from(strip.has_border_below),
            Self::Border(_) => inside.start - 1..inside.end,
        }
    }

    /// Returns the range of wave steps. In wave step t, all phases (sweeps) advance by one pair of
    /// rows: phase k works on pair t − k.
    pub fn wave_steps(&self, phases: usize) -> Range<usize> {
        match self {
            Self::Strip(strip) => strip.pairs.start..strip.pairs.end + phases,
            Self::Border(at) => *at..at + 2 * phases + 1,
        }
    }

    /// Returns the phases (sweeps) that have a pair of rows to work on in a wave step.
    #[inline(always)]
    pub fn phases(&self, wave_step: usize, phases: usize) -> Range<usize> {
        let (start, end) = match self {
            Self::Strip(strip) => (strip.pairs.start, strip.pairs.end),
            Self::Border(at) => (at - phases.min(*at), at + phases),
        };
        wave_step.saturating_sub(end)..phases.min(wave_step + 1 - start.min(wave_step + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_are_as_long_as_the_borders_at_their_ends() {
        for pairs in 1..200 {
            for phases in [0, 1, 2, 3, 4, 8, 13, 40, usize::MAX] {
                for threads in 1..20 {
                    let division = Division::new(pairs, phases, threads);
                    assert!((1..=threads + 1).contains(&division.strips));
                    let mut end = 0;
                    for number in 0..division.strips {
                        let strip = division.strip(number);
                        assert_eq!(strip.pairs.start, end);
                        end = strip.pairs.end;
                        let cuts = usize::from(strip.has_border_above)
                            + usize::from(strip.has_border_below);
                        let least = cuts.saturating_mul(phases);
                        assert!(strip.pairs.len() >= least, "{division:?}: {strip:?}");
                    }
                    assert_eq!(end, pairs);
                }
            }
        }
    }

    #[test]
    fn two_threads_share_a_cloth_of_100_rows_evenly() {
        let division = Division::new(50, 8, 2);
        let strips: Vec<_> = (0..division.strips).map(|i| division.strip(i).pairs).collect();
        // A border is 9 pairs of work: 21 − 4.5 for the first strip, 18 − 9 + 11 − 4.5 for the
        // other two.
        assert_eq!(strips, [0..21, 21..39, 39..50]);
    }
}
