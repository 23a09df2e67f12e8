//! Cell of a plate in a wavefront sweep: six links between six corners.

use super::wave::{STRIPS_IN_PROGRESS, WaveCells, WaveMemory, WavePosition, splat};
use crate::constraint::kernels::rule::{Block, Rule};
use crate::numerics::simd::Vector;

/// Six corners of the current cells, in the order of the constants below, and the lowest corners in
/// the previous wave step. Each block contains one corner, for one cell per vector element.
#[derive(Clone, Copy)]
pub struct CellOf6<V> {
    corners: [Block<V>; 6],
    lowest_before: Block<V>,
}

const UPPER_LEFT: usize = 0;
const UPPER_RIGHT: usize = 1;
/// Corner two columns to the right of the upper left corner.
const FAR: usize = 2;
const LOWER_LEFT: usize = 3;
const LOWER_RIGHT: usize = 4;
/// Corner two rows below the upper left corner.
const LOWEST: usize = 5;

impl<V: Vector> WaveCells<V> for CellOf6<V> {
    const PERIOD: usize = 1;

    /// Loads the right and the far corners of the imaginary cell left of a strip's first cell.
    /// [`Self::advance`] then moves to the first cell.
    #[inline(always)]
    fn load_first<R>(wave: &WaveMemory<V, R>, strip: usize) -> Self {
        let nothing = [V::splat(0.0); 4];
        let mut corners = [nothing; 6];
        corners[UPPER_RIGHT] = wave.blocks[wave.block_index(strip, 0)];
        corners[FAR] = wave.blocks[wave.block_index(strip, 1)];
        corners[LOWER_RIGHT] = wave.particles_below(wave.blocks, strip, 0);
        Self { corners, lowest_before: nothing }
    }

    /// Moves all elements to their next cell: right corners become left ones, far corners become
    /// right ones. Two new corners come from the element above: the new far corner was that
    /// element's lower left corner in the last wave step, and the new lower right corner was its
    /// lowest corner two wave steps ago.
    #[inline(always)]
    fn advance<R, const ODD: usize>(&mut self, wave: &WaveMemory<V, R>, now: WavePosition) {
        let WavePosition { strip, wave_step } = now;
        let Self { corners, lowest_before } = self;
        let far =
            shift_in(&corners[LOWER_LEFT], &wave.blocks[wave.block_index(strip, wave_step + 2)], 0);
        let second_row =
            &wave.blocks[wave.block_index(strip, wave_step + 1 + wave.layout.row_lag())];
        let lower_right = shift_in(lowest_before, second_row, 1);
        *lowest_before = corners[LOWEST];
        corners[UPPER_LEFT] = corners[UPPER_RIGHT];
        corners[UPPER_RIGHT] = corners[FAR];
        corners[FAR] = far;
        corners[LOWER_LEFT] = corners[LOWER_RIGHT];
        corners[LOWER_RIGHT] = lower_right;
        corners[LOWEST] = particles_two_below(wave, wave.blocks, strip, wave_step);
    }

    #[inline(always)]
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; STRIPS_IN_PROGRESS],
        wave: &WaveMemory<V, R>,
        now: [WavePosition; STRIPS_IN_PROGRESS],
        links: &mut [[V; K]],
    ) {
        wave.relax_link(now, 0, [UPPER_LEFT, UPPER_RIGHT], cells, links);
        wave.relax_link(now, 1, [UPPER_LEFT, LOWER_LEFT], cells, links);
        wave.relax_link(now, 2, [UPPER_LEFT, LOWER_RIGHT], cells, links);
        wave.relax_link(now, 3, [UPPER_RIGHT, LOWER_LEFT], cells, links);
        wave.relax_link(now, 4, [UPPER_LEFT, FAR], cells, links);
        wave.relax_link(now, 5, [UPPER_LEFT, LOWEST], cells, links);
    }

    #[inline(always)]
    fn store<R, const ODD: usize>(&self, wave: &mut WaveMemory<V, R>, now: WavePosition) {
        let at = wave.block_index(now.strip, now.wave_step);
        wave.blocks[at] = self.corners[UPPER_LEFT];
        wave.copy_to_strip_below(now, 0, &self.corners[LOWER_LEFT]);
        wave.copy_to_strip_below(now, 1, &self.corners[LOWEST]);
    }

    #[inline(always)]
    fn corners(&self) -> &[Block<V>] {
        &self.corners
    }

    #[inline(always)]
    fn corners_mut(&mut self) -> &mut [Block<V>] {
        &mut self.corners
    }

    #[inline(always)]
    fn start_positions<R>(wave: &WaveMemory<V, R>, now: WavePosition, corner: usize) -> Block<V> {
        let WavePosition { strip, wave_step } = now;
        match corner {
            LOWER_LEFT => wave.particles_below(wave.start, strip, wave_step),
            LOWER_RIGHT => wave.particles_below(wave.start, strip, wave_step + 1),
            LOWEST => particles_two_below(wave, wave.start, strip, wave_step),
            _ => wave.start[wave.block_index(strip, wave_step + corner)],
        }
    }
}

/// Shifts the elements up by one. The first element gets element `element` of `first`.
#[inline(always)]
fn shift_in<V: Vector>(above: &Block<V>, first: &Block<V>, element: usize) -> Block<V> {
    let mut shifted = *above;
    for k in 0..4 {
        shifted[k] = above[k].shift_up(splat(first[k], element));
    }
    shifted
}

/// Returns the particles two rows below the current ones of a strip whose first row is at `column`.
/// For the last two rows of the strip, these particles belong to the strip below.
#[inline(always)]
fn particles_two_below<V: Vector, R>(
    wave: &WaveMemory<V, R>,
    blocks: &[Block<V>],
    strip: usize,
    column: usize,
) -> Block<V> {
    let row_lag = wave.layout.row_lag();
    let mut lowest = blocks[wave.block_index(strip, column + 2 * row_lag)];
    let below = &blocks[wave.block_below(strip, column + row_lag)];
    for k in 0..4 {
        lowest[k] = lowest[k].shift_down(below[k]).shift_down(splat(below[k], 1));
    }
    lowest
}
