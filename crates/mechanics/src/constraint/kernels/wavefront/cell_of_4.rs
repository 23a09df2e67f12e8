//! Cell of a grid in a wavefront sweep: four links between four corners.

use super::wave::{STRIPS_IN_PROGRESS, WaveCells, WaveMemory, WavePosition, splat};
use crate::constraint::kernels::rule::{Block, Rule};
use crate::numerics::simd::Vector;

/// Two upper and two lower corners of the current cells, one cell per vector element. The right
/// corners of a cell are the left corners of the next cell. Therefore the left corners have the
/// indices 0 and 2 at even wave steps, 1 and 3 at odd wave steps.
#[derive(Clone, Copy)]
pub struct CellOf4<V>([Block<V>; 4]);

/// Returns the indices of the upper left, upper right, lower left and lower right corners. `odd` is
/// 1 at odd wave steps.
const fn corners(odd: usize) -> [usize; 4] {
    [odd, 1 - odd, 2 + odd, 3 - odd]
}

impl<V: Vector> WaveCells<V> for CellOf4<V> {
    const PERIOD: usize = 2;

    /// Loads the left corners of a strip's first cell. [`Self::advance`] loads the right corners.
    #[inline(always)]
    fn load_first<R>(wave: &WaveMemory<V, R>, strip: usize) -> Self {
        let mut corners = [[V::splat(0.0); 4]; 4];
        corners[0] = wave.blocks[wave.block_index(strip, 0)];
        corners[2] = wave.particles_below(wave.blocks, strip, 0);
        Self(corners)
    }

    /// Moves all elements to their next cell: the right corners become the left ones. The new upper
    /// right corner of each element was the lower left corner of the element above it in the last
    /// wave step.
    #[inline(always)]
    fn advance<R, const ODD: usize>(&mut self, wave: &WaveMemory<V, R>, now: WavePosition) {
        let WavePosition { strip, wave_step } = now;
        let Self(cell) = self;
        let [_, _, left_behind, _] = const { corners(1 - ODD) };
        let [_, upper_right, _, lower_right] = const { corners(ODD) };
        let ahead = &wave.blocks[wave.block_index(strip, wave_step + 1)];
        for k in 0..3 {
            cell[upper_right][k] = cell[left_behind][k].shift_up(splat(ahead[k], 0));
        }
        cell[upper_right][3] = ahead[3];
        cell[lower_right] = wave.particles_below(wave.blocks, strip, wave_step + 1);
    }

    #[inline(always)]
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; STRIPS_IN_PROGRESS],
        wave: &WaveMemory<V, R>,
        now: [WavePosition; STRIPS_IN_PROGRESS],
        links: &mut [[V; K]],
    ) {
        let [upper_left, upper_right, lower_left, lower_right] = const { corners(ODD) };
        wave.relax_link(now, 0, [upper_left, upper_right], cells, links);
        wave.relax_link(now, 1, [upper_left, lower_left], cells, links);
        wave.relax_link(now, 2, [upper_left, lower_right], cells, links);
        wave.relax_link(now, 3, [upper_right, lower_left], cells, links);
    }

    #[inline(always)]
    fn store<R, const ODD: usize>(&self, wave: &mut WaveMemory<V, R>, now: WavePosition) {
        let [upper_left, _, lower_left, _] = const { corners(ODD) };
        let at = wave.block_index(now.strip, now.wave_step);
        wave.blocks[at] = self.0[upper_left];
        wave.copy_to_strip_below(now, 0, &self.0[lower_left]);
    }

    #[inline(always)]
    fn corners(&self) -> &[Block<V>] {
        &self.0
    }

    #[inline(always)]
    fn corners_mut(&mut self) -> &mut [Block<V>] {
        &mut self.0
    }

    #[inline(always)]
    fn start_positions<R>(wave: &WaveMemory<V, R>, now: WavePosition, corner: usize) -> Block<V> {
        let WavePosition { strip, wave_step } = now;
        let column = wave_step + (wave_step + corner) % 2;
        if corner < 2 {
            wave.start[wave.block_index(strip, column)]
        } else {
            wave.particles_below(wave.start, strip, column)
        }
    }
}
