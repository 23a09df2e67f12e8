//! Where the particles and links of a wavefront lie in memory, and how particles come and go.

use crate::constraint::Link;
use crate::constraint::body::{Direction, Place, Shape};
use crate::simd::{Line, lines, numbers, numbers_mut};
use glam::{DVec3, dvec3};
use itertools::izip;

/// Rows in strips, one a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    columns: usize,
    pub lanes: usize,
    pub strips: usize,
    /// Some links lead to the next particle but one.
    pub plate: bool,
}

impl Layout {
    /// `None` for a body that is neither grid nor plate.
    pub fn of(shape: Shape, particles: usize, lanes: usize) -> Option<Self> {
        let (columns, plate) = match shape {
            Shape::Grid { columns } => (columns as usize, false),
            Shape::Plate { columns } => (columns as usize, true),
            Shape::Chain | Shape::Net => return None,
        };
        Some(Self { columns, lanes, strips: particles.div_ceil(columns).div_ceil(lanes), plate })
    }

    /// Links of a cell.
    pub fn links(self) -> usize {
        if self.plate { 6 } else { 4 }
    }

    /// How far a row is behind the row above it.
    pub fn behind(self) -> usize {
        if self.plate { 3 } else { 2 }
    }

    /// How far the last lane is behind the first.
    pub fn lag(self) -> usize {
        self.behind() * (self.lanes - 1)
    }

    /// How far a strip must be behind the one before it: the one above it, or the same one in the
    /// sweep before, of which it sees up to two rows ahead.
    pub fn room(self) -> usize {
        (self.behind() * self.lanes).max(2 * self.behind() + 2)
    }

    /// Moments of a strip: an even number, since membranes take two at a time, and enough for the
    /// next strip but one to begin when this one ends.
    pub fn moments(self) -> usize {
        (self.columns + self.lag()).next_multiple_of(2).max(2 * self.room())
    }

    /// Moments of a sweep, if one strip were in flight.
    pub fn work(self) -> usize {
        self.strips * self.moments()
    }

    /// Blocks of a strip: lanes of a plate look two rows ahead, those of a membrane one row and one
    /// column.
    pub fn blocks(self) -> usize {
        self.moments() + 2 * self.behind()
    }

    /// Where the first coordinate of a row's first particle lies. Its other coordinates follow
    /// a register apart, the next particles four.
    fn row(self, row: usize) -> usize {
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        (strip * self.blocks() + self.behind() * lane) * 4 * self.lanes + lane
    }

    /// Numbers that the links of all rows need, and those of a strip in which nothing is.
    pub fn numbers(self) -> usize {
        (self.strips + 1) * self.moments() * self.links() * self.lanes
    }

    /// Where the number of a link lies, in the grid whose particles begin at `first`.
    pub fn place(self, first: usize, link: &Link) -> Option<usize> {
        Some(self.number(cell(Place::of(link, first as u32, self.columns as u32)?)))
    }

    /// Where the number of a link lies.
    fn number(self, cell: Cell) -> usize {
        let [row, column, link] = cell.map(|number| number as usize);
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        let moment = strip * self.moments() + column + self.behind() * lane;
        (moment * self.links() + link) * self.lanes + lane
    }

    /// Particles come into the lanes. Behind the last strip there are two more, in which nothing is:
    /// one is in flight beside the others, and one is below that.
    pub fn read(self, x: &[DVec3], w: &[f64], blocks: &mut Vec<Line>) {
        if blocks.is_empty() {
            *blocks = lines((self.strips + 2) * self.blocks() * 4 * self.lanes, 0.0);
        }
        let numbers = numbers_mut(blocks);
        let rows = x.chunks(self.columns).zip(w.chunks(self.columns));
        for (row, (x, w)) in rows.enumerate() {
            let places = numbers[self.row(row)..].chunks_mut(4 * self.lanes);
            for (place, x, w) in izip!(places, x, w) {
                // + 0 clears the sign of −0: see `Loose::clear_signs_of_zeros`.
                for (k, number) in [x.x + 0.0, x.y + 0.0, x.z + 0.0, *w].into_iter().enumerate() {
                    place[k * self.lanes] = number;
                }
            }
        }
    }

    /// Particles come back out of the lanes.
    pub fn write(self, blocks: &[Line], x: &mut [DVec3]) {
        for (row, x) in x.chunks_mut(self.columns).enumerate() {
            let places = numbers(blocks)[self.row(row)..].chunks(4 * self.lanes);
            for (place, x) in places.zip(x) {
                *x = dvec3(place[0], place[self.lanes], place[2 * self.lanes]);
            }
        }
    }
}

/// Row and column of a cell, and which of its links.
pub type Cell = [u32; 3];

/// The cell that lists a link.
pub fn cell(place: Place) -> Cell {
    let Place { row, column, direction } = place;
    let column = if direction == Direction::DownLeft { column - 1 } else { column };
    [row, column, direction as u32]
}
