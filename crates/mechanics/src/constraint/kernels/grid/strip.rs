//! Strips of a grid: rows that are in work, their division among threads, and their places in
//! memory.

use std::ops::Range;

/// A run of row pairs (pair p is rows 2p and 2p + 1), perhaps cut off from its neighbours, which
/// other threads work on.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    pub pairs: Range<usize>,
    pub cut_above: bool,
    pub cut_below: bool,
}

/// All pairs in strips.
///
/// A phase of a strip with a border reaches less far, by (phases + 1)/2 pairs on average; the
/// triangle left at a border is twice that. Threads take borders when all strips are done. One
/// strip more than threads makes as many borders as threads, so that none is idle. The last thread
/// takes two shorter strips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    pairs: usize,
    /// Pairs' worth of work at a cut.
    border: usize,
    threads: usize,
    pub strips: usize,
}

impl Division {
    /// Strips for this many threads, or fewer: a strip must be longer than the borders at its two
    /// ends.
    pub fn new(pairs: usize, phases: usize, threads: usize) -> Self {
        let border = phases.saturating_add(1);
        let threads = threads.min(pairs / border.saturating_mul(2)).max(1);
        // The last two are to have 3/2 borders' worth of work together.
        let has_one_more = threads > 1 && 2 * pairs > 5 * threads * border + 2 * threads;
        let strips = threads + usize::from(has_one_more);
        Self { pairs, border, threads, strips }
    }

    pub fn strip(self, number: usize) -> Strip {
        Strip {
            pairs: self.begin(number)..self.begin(number + 1),
            cut_above: number > 0,
            cut_below: number + 1 < self.strips,
        }
    }

    /// First pair of a strip; the number of pairs for the strip behind the last.
    fn begin(self, number: usize) -> usize {
        let Self { pairs, border, threads, strips } = self;
        if number == 0 || number == strips {
            return if number == 0 { 0 } else { pairs };
        }
        let work = pairs - (strips - 1) * border;
        let before = if number < threads {
            number * work / threads
        } else {
            // The last but one is cut at both ends.
            let two = work - (threads - 1) * work / threads;
            work - two + border.max(two / 2)
        };
        before + number * border - border / 2
    }
}

impl Strip {
    /// The pairs that have had all phases when the strip is done.
    pub fn finished(&self, phases: usize) -> Range<usize> {
        let Range { start, end } = self.pairs;
        let above = if self.cut_above { phases } else { 0 };
        let below = if self.cut_below { phases } else { 0 };
        start + above..end - below
    }

    /// Places in memory of the strip's pairs.
    pub fn slots(&self, phases: usize) -> Slots {
        let held = if self.cut_above { phases } else { 0 };
        let ring = (self.pairs.len() - held).min(phases.saturating_add(1));
        Slots { first: self.pairs.start, held, ring }
    }
}

/// Memory for the pairs in work. A pair is in work from the first phase to the last, which is as
/// many pairs behind as there are phases: the pairs take turns in a ring. Those that wait at a cut
/// above for the border keep their places until then; those at a cut below come last anyway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    /// The first pair.
    first: usize,
    /// Pairs that keep their places.
    held: usize,
    /// Places of the others.
    ring: usize,
}

impl Slots {
    /// A place of its own for each of `pairs` pairs from `first` on.
    pub fn in_order(first: usize, pairs: usize) -> Self {
        Self { first, held: pairs, ring: 0 }
    }

    /// Number of places.
    pub fn len(self) -> usize {
        self.held + self.ring
    }

    /// The place of a pair.
    #[inline(always)]
    pub fn of(self, pair: usize) -> usize {
        let Self { first, held, ring } = self;
        let number = pair - first;
        if number < held { number } else { held + (number - held) % ring }
    }
}

/// Part of a sweep: the row pairs on which each phase works.
pub enum SweepPart {
    /// A strip: at a cut, each phase reaches one pair less far than the one before, because the
    /// pair beyond has not had that one.
    Strip(Strip),
    /// The work that two strips have left around their common end, which is before this pair.
    Border(usize),
}

impl SweepPart {
    /// Pairs whose inner links are worked on in a phase.
    #[inline(always)]
    pub fn inside(&self, phase: usize) -> Range<usize> {
        match self {
            Self::Strip(Strip { pairs, cut_above, cut_below }) => {
                pairs.start + usize::from(*cut_above) * phase
                    ..pairs.end - usize::from(*cut_below) * phase
            }
            Self::Border(at) => at - phase..at + phase,
        }
    }

    /// Pairs p whose links to pair p + 1 are worked on in a phase.
    #[inline(always)]
    pub fn between(&self, phase: usize) -> Range<usize> {
        let inside = self.inside(phase);
        match self {
            Self::Strip(strip) => inside.start..inside.end - usize::from(strip.cut_below),
            Self::Border(_) => inside.start - 1..inside.end,
        }
    }

    /// Pairs that the first phase visits, and the additional ones until the last phase is done.
    pub fn wave_steps(&self, phases: usize) -> Range<usize> {
        match self {
            Self::Strip(strip) => strip.pairs.start..strip.pairs.end + phases,
            Self::Border(at) => *at..at + 2 * phases + 1,
        }
    }

    /// The phases that have something to do when the first one would be at pair `wave_step`.
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
                        let cuts = usize::from(strip.cut_above) + usize::from(strip.cut_below);
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
