//! Slack of a grid's links: the length by which each may still grow before it reaches a limit.

use super::layout::{DIRECTIONS, GridLayout, PointBlock, ghost_block, pack};
use crate::constraint::kernels::rule::end_difference;
use crate::numerics::distinct_rows::DistinctRows;
use crate::numerics::simd::{CacheLine, Kernel, Vector, dot, vectors, vectors_mut};
use glam::DVec3;
use std::ops::Range;

/// Kernel that finds the smallest slack of the links that start in some rows. The slack of a link
/// is `factor` times its rest length minus its length.
pub struct Slack<'a> {
    pub layout: GridLayout,
    pub rests: &'a DistinctRows,
    pub rows: Range<usize>,
    pub factor: f64,
    /// Buffer for the blocks of two rows.
    pub blocks: &'a mut [CacheLine],
    /// Positions of the grid's particles in metres.
    pub x: &'a [DVec3],
}

impl Kernel for Slack<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(self) -> f64 {
        let Self { layout, rests, rows, factor, blocks, x } = self;
        let GridLayout { columns, segment: n, .. } = layout;
        let distinct = vectors::<V>(rests.distinct());
        let blocks: &mut [PointBlock<V>] = vectors_mut::<V>(blocks).as_chunks_mut().0;
        let (upper, lower) = blocks[..2 * n].split_at_mut(n);
        let (mut upper, mut lower) = (upper, lower);
        let mut x = x[rows.start * columns..].chunks(columns);
        pack(x.next().unwrap_or_default(), upper);
        let mut least = V::splat(f64::INFINITY);
        for row in rows {
            let directions = if row + 1 < layout.rows { DIRECTIONS } else { 1 };
            pack(x.next().unwrap_or_default(), lower);
            for direction in 0..directions {
                let rests =
                    &distinct[rests.distinct_index(row * DIRECTIONS + direction) * n..][..n];
                for (number, rest) in rests.iter().enumerate() {
                    let [a, b] = ends(direction, number, upper, lower);
                    let d = end_difference(&a, &b);
                    let slack = rest.abs() * V::splat(factor) - dot(d, d).sqrt();
                    // The slack is NaN where there is no link. `lesser` ignores NaN.
                    least = slack.lesser(least);
                }
            }
            std::mem::swap(&mut upper, &mut lower);
        }
        least.as_slice().iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Returns the ends of the links whose values are at index `number` of a row and direction, see
/// [`GridLayout::number`].
#[inline(always)]
fn ends<V: Vector>(
    direction: usize,
    number: usize,
    upper: &[PointBlock<V>],
    lower: &[PointBlock<V>],
) -> [PointBlock<V>; 2] {
    let half = upper.len() / 2;
    match direction {
        0 => {
            let j = if number < half { 2 * number } else { 2 * (number - half) + 1 };
            [upper[j], block_or_ghost(upper, j + 1)]
        }
        1 => [upper[number], lower[number]],
        2 => [upper[number], block_or_ghost(lower, number + 1)],
        _ => [block_or_ghost(upper, number + 1), lower[number]],
    }
}

#[inline(always)]
fn block_or_ghost<V: Vector>(row: &[PointBlock<V>], j: usize) -> PointBlock<V> {
    if j < row.len() { row[j] } else { ghost_block(row[0]) }
}
