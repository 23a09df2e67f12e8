//! Strips of a grid: rows that are in work, their division among threads, and their places in
//! memory.

use std::ops::Range;

/// A run of row pairs (pair p is rows 2p and 2p + 1), perhaps cut off from its neighbours, which
/// other threads work on.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    pub pairs: Range<usize>,
    pub has_border_above: bool,
    pub has_border_below: bool,
}

/// Division of all pairs into strips.
///
/// At a border each phase of a strip ends one pair earlier than the phase before. A strip therefore
/// has (phases + 1)/2 pairs less work per phase on average, and the triangle of work left at a
/// border is twice that. Threads take borders when all strips are done. With one strip more than
/// threads there are as many borders as threads, so no thread is idle. The last thread takes two
/// shorter strips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    pairs: usize,
    /// Work at a cut, in pairs.
    border: usize,
    threads: usize,
    pub strips: usize,
}

impl Division {
    /// Divides the pairs into strips for this many threads or fewer, because a strip must be longer
    /// than the borders at its two ends.
    pub fn new(pairs: usize, phases: usize, threads: usize) -> Self {
        let border = phases.saturating_add(1);
        let threads = threads.min(pairs / border.saturating_mul(2)).max(1);
        // The last two strips need the work of 3/2 borders together.
        let has_one_more = threads > 1 && 2 * pairs > 5 * threads * border + 2 * threads;
        let strips = threads + usize::from(has_one_more);
        Self { pairs, border, threads, strips }
    }

    pub fn strip(self, number: usize) -> Strip {
        Strip {
            pairs: self.begin(number)..self.begin(number + 1),
            has_border_above: number > 0,
            has_border_below: number + 1 < self.strips,
        }
    }

    /// Returns the first pair of a strip; for the strip after the last one the number of pairs.
    fn begin(self, number: usize) -> usize {
        let Self { pairs, border, threads, strips } = self;
        if number == 0 || number == strips {
            return if number == 0 { 0 } else { pairs };
        }
        let work = pairs - (strips - 1) * border;
        let before = if number < threads {
            number * work / threads
        } else {
            // The last strip but one is cut at both ends.
            let two = work - (threads - 1) * work / threads;
            work - two + border.max(two / 2)
        };
        before + number * border - border / 2
    }
}

impl Strip {
    /// Returns the pairs that have had all phases when the strip is done.
    pub fn finished(&self, phases: usize) -> Range<usize> {
        let Range { start, end } = self.pairs;
        let above = if self.has_border_above { phases } else { 0 };
        let below = if self.has_border_below { phases } else { 0 };
        start + above..end - below
    }

    /// Returns the places in memory of the strip's pairs.
    pub fn slots(&self, phases: usize) -> Slots {
        let kept = if self.has_border_above { phases } else { 0 };
        let ring = (self.pairs.len() - kept).min(phases.saturating_add(1));
        Slots { first: self.pairs.start, kept, ring }
    }
}

/// Places in memory of the pairs in work. The last phase works as many pairs behind the first phase
/// as there are phases, so pairs take turns in a ring of places. Pairs at a cut above keep their
/// places until their border is swept. Pairs at a cut below come last, so no later pair takes their
/// places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    /// The first pair.
    first: usize,
    /// Number of pairs that keep their places.
    kept: usize,
    /// Number of places in the ring.
    ring: usize,
}

impl Slots {
    /// Creates a place of its own for each of `pairs` pairs from `first` on.
    pub fn in_order(first: usize, pairs: usize) -> Self {
        Self { first, kept: pairs, ring: 0 }
    }

    /// Number of places.
    pub fn len(self) -> usize {
        self.kept + self.ring
    }

    /// Returns the place of a pair.
    #[inline(always)]
    pub fn of(self, pair: usize) -> usize {
        let Self { first, kept, ring } = self;
        let number = pair - first;
        if number < kept { number } else { kept + (number - kept) % ring }
    }
}

/// Part of a sweep: the row pairs on which each phase works.
pub enum SweepPart {
    /// A strip. At a cut each phase ends one pair earlier than the phase before, because the pair
    /// beyond has not had that phase.
    Strip(Strip),
    /// The work that two strips have left around their common end, which is just above this pair.
    Border(usize),
}

impl SweepPart {
    /// Returns the pairs whose inner links are swept in a phase.
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

    /// Returns the pairs p whose links to pair p + 1 are swept in a phase.
    #[inline(always)]
    pub fn between(&self, phase: usize) -> Range<usize> {
        let inside = self.inside(phase);
        match self {
            Self::Strip(strip) => inside.start..inside.end - usize::from(strip.has_border_below),
            Self::Border(_) => inside.start - 1..inside.end,
        }
    }

    /// Returns the wave steps: one for each pair that the first phase visits, and more until the
    /// last phase is done.
    pub fn wave_steps(&self, phases: usize) -> Range<usize> {
        match self {
            Self::Strip(strip) => strip.pairs.start..strip.pairs.end + phases,
            Self::Border(at) => *at..at + 2 * phases + 1,
        }
    }

    /// Returns the phases that have something to do when the first phase would be at pair
    /// `wave_step`.
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
        // A border is 9: 21 − 4.5 on one side, 18 − 9 + 11 − 4.5 on the other.
        assert_eq!(strips, [0..21, 21..39, 39..50]);
    }
}
