//! Sweeps of a wavefront: in each wave step, all elements of the strips in progress advance by one
//! cell.

use super::layout::WaveLayout;
use crate::constraint::kernels::rule::{Block, Rule, length_measure, pull_ends, pull_factor};
use crate::numerics::simd::Vector;

/// Number of strips in progress at the same time. While one strip waits for roots and quotients,
/// the other computes. With four strips a grid takes a twelfth longer, because their corners do not
/// fit into the registers.
pub const STRIPS_IN_PROGRESS: usize = 2;

/// Current cells of a strip of rows in a grid or plate, one cell per vector element. The type fixes
/// which corners each link joins.
pub trait WaveCells<V: Vector>: Copy {
    /// Number of wave steps (one or two) after which each corner has the same index as before.
    const PERIOD: usize;

    /// Loads the corners of a strip before its first wave step.
    fn load_first<R>(wave: &WaveMemory<V, R>, strip: usize) -> Self;

    /// Moves all elements to their next cell.
    fn advance<R, const ODD: usize>(&mut self, wave: &WaveMemory<V, R>, now: WavePosition);

    /// Corrects the links of the cells, in the order of the list.
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; STRIPS_IN_PROGRESS],
        wave: &WaveMemory<V, R>,
        now: [WavePosition; STRIPS_IN_PROGRESS],
        links: &mut [[V; K]],
    );

    /// Stores the particles that the sweep has finished. Particles that the strip below also needs
    /// are copied to that strip.
    fn store<R, const ODD: usize>(&self, wave: &mut WaveMemory<V, R>, now: WavePosition);

    fn corners(&self) -> &[Block<V>];

    fn corners_mut(&mut self) -> &mut [Block<V>];

    /// Returns the start-of-step positions of the particles at one corner of the current cells.
    fn start_positions<R>(wave: &WaveMemory<V, R>, now: WavePosition, corner: usize) -> Block<V>;
}

/// Progress of a strip of rows: index of the strip, and number of wave steps taken.
#[derive(Clone, Copy)]
pub struct WavePosition {
    pub strip: usize,
    pub wave_step: usize,
}

/// Formula of the links, and particles of all strips of rows.
pub struct WaveMemory<'a, V: Vector, R> {
    pub rule: R,
    pub layout: WaveLayout,
    pub blocks: &'a mut [Block<V>],
    pub start: &'a [Block<V>],
}

impl<V: Vector, R> WaveMemory<'_, V, R> {
    /// Runs all sweeps, one strip of rows after the other. A strip begins as soon as the strip
    /// before it is far enough ahead.
    #[inline(always)]
    pub fn run_sweeps<const K: usize, C: WaveCells<V>>(
        &mut self,
        iterations: usize,
        links: &mut [V],
    ) where
        R: Rule<K>,
    {
        let links: &mut [[V; K]] = links.as_chunks_mut().0;
        if K > 1 {
            links.iter_mut().for_each(|link| link[K - 1] = V::splat(0.0));
        }
        let WaveLayout { strips, .. } = self.layout;
        let (wave_steps, strip_lag) = (self.layout.wave_steps(), self.layout.strip_lag());
        let all = iterations * strips;
        // Two strips are always in progress. The very first and the very last strip are each in
        // progress together with an empty strip.
        let empty_strip = strips;
        let mut cells = [C::load_first(self, empty_strip); STRIPS_IN_PROGRESS];
        for number in 0..=all {
            let strip = if number < all { number % strips } else { empty_strip };
            let before = if number > 0 { (number - 1) % strips } else { empty_strip };
            // Number of wave steps that the strip `before` has taken. This iteration takes its
            // remaining ones.
            let done = if number % 2 == 0 { wave_steps - strip_lag } else { strip_lag };
            cells = [C::load_first(self, strip), cells[0]];
            let now = [
                WavePosition { strip, wave_step: 0 },
                WavePosition { strip: before, wave_step: done },
            ];
            self.run_wave_steps(&mut cells, now, wave_steps - done, links);
        }
    }

    #[inline(always)]
    fn run_wave_steps<const K: usize, C: WaveCells<V>>(
        &mut self,
        cells: &mut [C; STRIPS_IN_PROGRESS],
        mut now: [WavePosition; STRIPS_IN_PROGRESS],
        wave_steps: usize,
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        for _ in (0..wave_steps).step_by(C::PERIOD) {
            self.relax::<K, 0, C>(&mut now, cells, links);
            if C::PERIOD == 2 {
                self.relax::<K, 1, C>(&mut now, cells, links);
            }
        }
    }

    /// Takes one wave step: moves all elements to their next cell and corrects its links.
    #[inline(always)]
    fn relax<const K: usize, const ODD: usize, C: WaveCells<V>>(
        &mut self,
        now: &mut [WavePosition; STRIPS_IN_PROGRESS],
        cells: &mut [C; STRIPS_IN_PROGRESS],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        for (now, cells) in now.iter().zip(&mut *cells) {
            cells.advance::<R, ODD>(self, *now);
        }
        C::relax::<R, K, ODD>(cells, self, *now, links);
        for (now, cells) in now.iter_mut().zip(&*cells) {
            cells.store::<R, ODD>(self, *now);
            now.wave_step += 1;
        }
    }

    /// Corrects link `number` of each cell, between the corners `a` and `b`.
    #[inline(always)]
    pub fn relax_link<const K: usize, C: WaveCells<V>>(
        &self,
        now: [WavePosition; STRIPS_IN_PROGRESS],
        number: usize,
        [a, b]: [usize; 2],
        cells: &mut [C; STRIPS_IN_PROGRESS],
        links: &mut [[V; K]],
    ) where
        R: Rule<K>,
    {
        let mut parts = [V::splat(0.0); STRIPS_IN_PROGRESS];
        for (size_of, cells) in parts.iter_mut().zip(&*cells) {
            *size_of = length_measure(self.rule, &cells.corners()[a], &cells.corners()[b]);
        }
        for ((s, cells), now) in parts.iter_mut().zip(&*cells).zip(now) {
            let WavePosition { strip, wave_step } = now;
            let link =
                (strip * self.layout.wave_steps() + wave_step) * self.layout.cell_links() + number;
            *s = pull_factor(
                self.rule,
                &mut links[link],
                *s,
                [&cells.corners()[a], &cells.corners()[b]],
                #[inline(always)]
                || [C::start_positions(self, now, a), C::start_positions(self, now, b)],
            );
        }
        for (s, cells) in parts.iter().zip(&mut *cells) {
            let corners = cells.corners_mut();
            [corners[a], corners[b]] = pull_ends(&corners[a], &corners[b], *s);
        }
    }

    /// Returns the index of the current block of a strip whose first row is at `column`.
    #[inline(always)]
    pub fn block_index(&self, strip: usize, column: usize) -> usize {
        strip * self.layout.strip_blocks() + column
    }

    /// Returns the index of the block whose first element is the particle below the last row of a
    /// strip. The strip's first row is at `column`.
    #[inline(always)]
    pub fn block_below(&self, strip: usize, column: usize) -> usize {
        self.block_index(strip + 1, column.saturating_sub(self.layout.element_lag()))
    }

    /// Returns the particles below the current ones of a strip whose first row is at `column`.
    #[inline(always)]
    pub fn particles_below(&self, blocks: &[Block<V>], strip: usize, column: usize) -> Block<V> {
        let mut lower = blocks[self.block_index(strip, column + self.layout.row_lag())];
        let below = &blocks[self.block_below(strip, column)];
        for k in 0..4 {
            lower[k] = lower[k].shift_down(below[k]);
        }
        lower
    }

    /// Copies the last element of a corner to row `row` (0 or 1) of the strip below.
    #[inline(always)]
    pub fn copy_to_strip_below(&mut self, now: WavePosition, row: usize, corner: &Block<V>) {
        let WavePosition { strip, wave_step } = now;
        if wave_step >= self.layout.element_lag() {
            let below = self.block_below(strip, wave_step) + row * self.layout.row_lag();
            for (to, from) in self.blocks[below].iter_mut().zip(corner).take(3) {
                to.as_mut_slice()[row] = from.as_slice()[V::ELEMENTS - 1];
            }
        }
    }
}

/// Returns a vector with element `element` of `block` in every element.
#[inline(always)]
pub fn splat<V: Vector>(block: V, element: usize) -> V {
    V::splat(block.as_slice()[element])
}
