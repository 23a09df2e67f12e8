//! Cells of a grid: four links between four corners.

use super::super::rule::{Block, Rule};
use super::front::{Cells, Front, IN_FLIGHT, Now, splat};
use crate::numerics::simd::Vector;

/// Two upper and two lower corners. What is right in one cell is left in the next, so the left ones
/// are 0 and 2 at even moments, 1 and 3 at odd ones.
#[derive(Clone, Copy)]
pub struct Membrane<V>([Block<V>; 4]);

/// Upper left, upper right, lower left and lower right.
const fn corners(odd: usize) -> [usize; 4] {
    [odd, 1 - odd, 2 + odd, 3 - odd]
}

impl<V: Vector> Cells<V> for Membrane<V> {
    const PERIOD: usize = 2;

    /// The right corners: they will be the left ones.
    #[inline(always)]
    fn begin<R>(front: &Front<V, R>, strip: usize) -> Self {
        let mut corners = [[V::splat(0.0); 4]; 4];
        corners[0] = front.blocks[front.at(strip, 0)];
        corners[2] = front.lower(front.blocks, strip, 0);
        Self(corners)
    }

    /// What was right is left. The upper right corners come from the lanes above, which have just
    /// left them behind.
    #[inline(always)]
    fn go_on<R, const ODD: usize>(&mut self, front: &Front<V, R>, strip: usize, moment: usize) {
        let Self(cell) = self;
        let [_, _, left_behind, _] = const { corners(1 - ODD) };
        let [_, upper_right, _, lower_right] = const { corners(ODD) };
        let ahead = &front.blocks[front.at(strip, moment + 1)];
        for k in 0..3 {
            cell[upper_right][k] = cell[left_behind][k].shift_up(splat(ahead[k], 0));
        }
        cell[upper_right][3] = ahead[3];
        cell[lower_right] = front.lower(front.blocks, strip, moment + 1);
    }

    #[inline(always)]
    fn relax<R: Rule<K>, const K: usize, const ODD: usize>(
        cells: &mut [Self; IN_FLIGHT],
        front: &Front<V, R>,
        now: [Now; IN_FLIGHT],
        links: &mut [[V; K]],
    ) {
        let [upper_left, upper_right, lower_left, lower_right] = const { corners(ODD) };
        front.link(now, 0, [upper_left, upper_right], cells, links);
        front.link(now, 1, [upper_left, lower_left], cells, links);
        front.link(now, 2, [upper_left, lower_right], cells, links);
        front.link(now, 3, [upper_right, lower_left], cells, links);
    }

    #[inline(always)]
    fn put<R, const ODD: usize>(&self, front: &mut Front<V, R>, strip: usize, moment: usize) {
        let [upper_left, _, lower_left, _] = const { corners(ODD) };
        let at = front.at(strip, moment);
        front.blocks[at] = self.0[upper_left];
        front.hand_on(strip, moment, 0, &self.0[lower_left]);
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
    fn started<R>(front: &Front<V, R>, strip: usize, moment: usize, corner: usize) -> Block<V> {
        let column = moment + (moment + corner) % 2;
        if corner < 2 {
            front.start[front.at(strip, column)]
        } else {
            front.lower(front.start, strip, column)
        }
    }
}
