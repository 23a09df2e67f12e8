//! Cells of a plate: six links between six corners.

use super::super::rule::{Block, Rule};
use super::front::{Cells, Front, IN_FLIGHT, Now, splat};
use crate::numerics::simd::Vector;

/// Corners in the order below, and the lowest ones of the moment before.
#[derive(Clone, Copy)]
pub struct Plate<V> {
    corners: [Block<V>; 6],
    lowest_before: Block<V>,
}

const UPPER_LEFT: usize = 0;
const UPPER_RIGHT: usize = 1;
/// Two columns to the right of the upper left corner.
const FAR: usize = 2;
const LOWER_LEFT: usize = 3;
const LOWER_RIGHT: usize = 4;
/// Two rows below the upper left corner.
const LOWEST: usize = 5;

impl<V: Vector> Cells<V> for Plate<V> {
    const PERIOD: usize = 1;

    /// What is right will be left, what is far will be right.
    #[inline(always)]
    fn begin<R>(front: &Front<V, R>, strip: usize) -> Self {
        let nothing = [V::splat(0.0); 4];
        let mut corners = [nothing; 6];
        corners[UPPER_RIGHT] = front.blocks[front.at(strip, 0)];
        corners[FAR] = front.blocks[front.at(strip, 1)];
        corners[LOWER_RIGHT] = front.lower(front.blocks, strip, 0);
        Self { corners, lowest_before: nothing }
    }

    /// What was right is left, what was far is right. Far corners come from the lanes above, which
    /// have just left them behind as lower left ones, and lower right corners too: two moments ago
    /// they were the lowest ones there.
    #[inline(always)]
    fn go_on<R, const ODD: usize>(&mut self, front: &Front<V, R>, strip: usize, moment: usize) {
        let Self { corners, lowest_before } = self;
        let far = shifted(&corners[LOWER_LEFT], &front.blocks[front.at(strip, moment + 2)], 0);
        let second_row = &front.blocks[front.at(strip, moment + 1 + front.layout.behind())];
        let lower_right = shifted(lowest_before, second_row, 1);
        *lowest_before = corners[LOWEST];
        corners[UPPER_LEFT] = corners[UPPER_RIGHT];
        corners[UPPER_RIGHT] = corners[FAR];
        corners[FAR] = far;
        corners[LOWER_LEFT] = corners[LOWER_RIGHT];
        corners[LOWER_RIGHT] = lower_right;
        corners[LOWEST] = lowest(front, front.blocks, strip, moment);
    }

    #[inline(always)]
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; IN_FLIGHT],
        front: &Front<V, R>,
        now: [Now; IN_FLIGHT],
        links: &mut [[V; K]],
    ) {
        front.link(now, 0, [UPPER_LEFT, UPPER_RIGHT], cells, links);
        front.link(now, 1, [UPPER_LEFT, LOWER_LEFT], cells, links);
        front.link(now, 2, [UPPER_LEFT, LOWER_RIGHT], cells, links);
        front.link(now, 3, [UPPER_RIGHT, LOWER_LEFT], cells, links);
        front.link(now, 4, [UPPER_LEFT, FAR], cells, links);
        front.link(now, 5, [UPPER_LEFT, LOWEST], cells, links);
    }

    #[inline(always)]
    fn put<R, const ODD: usize>(&self, front: &mut Front<V, R>, strip: usize, moment: usize) {
        let at = front.at(strip, moment);
        front.blocks[at] = self.corners[UPPER_LEFT];
        front.hand_on(strip, moment, 0, &self.corners[LOWER_LEFT]);
        front.hand_on(strip, moment, 1, &self.corners[LOWEST]);
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
    fn started<R>(front: &Front<V, R>, strip: usize, moment: usize, corner: usize) -> Block<V> {
        match corner {
            LOWER_LEFT => front.lower(front.start, strip, moment),
            LOWER_RIGHT => front.lower(front.start, strip, moment + 1),
            LOWEST => lowest(front, front.start, strip, moment),
            _ => front.start[front.at(strip, moment + corner)],
        }
    }
}

/// Each lane gets what the lane above has; the first one gets a lane of `first`.
#[inline(always)]
fn shifted<V: Vector>(above: &Block<V>, first: &Block<V>, lane: usize) -> Block<V> {
    let mut shifted = *above;
    for k in 0..4 {
        shifted[k] = above[k].shift_up(splat(first[k], lane));
    }
    shifted
}

/// The particles two rows below those of a strip's lanes when the first lane is in a column. Of the
/// last two lanes they are in the strip below.
#[inline(always)]
fn lowest<V: Vector, R>(
    front: &Front<V, R>,
    blocks: &[Block<V>],
    strip: usize,
    column: usize,
) -> Block<V> {
    let behind = front.layout.behind();
    let mut lowest = blocks[front.at(strip, column + 2 * behind)];
    let below = &blocks[front.below(strip, column + behind)];
    for k in 0..4 {
        lowest[k] = lowest[k].shift_down(below[k]).shift_down(splat(below[k], 1));
    }
    lowest
}
