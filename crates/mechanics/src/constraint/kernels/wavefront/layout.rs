//! Memory layout of a wavefront: places of particles and links, and transfer of particles to these
//! places and back.

use crate::mesh::Link;
use crate::mesh::component::{Direction, LinkPattern, Place};
use crate::numerics::simd::{CacheLine, numbers, numbers_mut};
use glam::{DVec3, dvec3};

/// Memory layout of a grid or plate. Its rows are divided into strips of as many rows as a vector
/// has elements, one row per element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveLayout {
    pub columns: usize,
    pub elements: usize,
    pub strips: usize,
    /// True for a plate, i.e. if some links join second neighbours.
    pub plate: bool,
}

impl WaveLayout {
    /// Creates the layout of a component for vectors of the given number of elements. `None` if the
    /// component is neither grid nor plate.
    pub fn of(pattern: LinkPattern, particles: usize, elements: usize) -> Option<Self> {
        let (columns, plate) = match pattern {
            LinkPattern::Grid { columns } => (columns as usize, false),
            LinkPattern::Plate { columns } => (columns as usize, true),
            LinkPattern::Chain | LinkPattern::Net => return None,
        };
        Some(Self {
            columns,
            elements,
            strips: particles.div_ceil(columns).div_ceil(elements),
            plate,
        })
    }

    pub fn cell_links(self) -> usize {
        if self.plate { 6 } else { 4 }
    }

    /// Returns the lag of a row behind the row above it in a sweep, in columns.
    pub fn row_lag(self) -> usize {
        if self.plate { 3 } else { 2 }
    }

    /// Returns the lag of a strip's last row behind its first row, in columns.
    pub fn element_lag(self) -> usize {
        self.row_lag() * (self.elements - 1)
    }

    /// Returns the smallest lag of a strip behind the strip before it, in wave steps. The strip
    /// before it is the strip above or, in a grid of one strip, the same strip in the previous
    /// sweep. A strip reads up to two rows ahead.
    pub fn strip_lag(self) -> usize {
        (self.row_lag() * self.elements).max(2 * self.row_lag() + 2)
    }

    /// Returns the number of wave steps of a strip of rows. In a wave step each row advances by one
    /// column. The number is even, because grids take two wave steps at a time. It is at least
    /// twice [`Self::strip_lag`], because at most two strips are in progress at the same time.
    pub fn wave_steps(self) -> usize {
        (self.columns + self.element_lag()).next_multiple_of(2).max(2 * self.strip_lag())
    }

    /// Returns the number of wave steps of a sweep whose strips do not overlap in time.
    pub fn total_wave_steps(self) -> usize {
        self.strips * self.wave_steps()
    }

    /// Returns the number of blocks (vectors of particles) of a strip of rows. A plate reads up to
    /// two rows ahead of the last wave step, a grid one row and one column.
    pub fn strip_blocks(self) -> usize {
        self.wave_steps() + 2 * self.row_lag()
    }

    /// Returns the index of x of a row's first particle. The particle's y, z and inverse mass
    /// follow at distances of one vector, the next particle at a distance of four vectors.
    fn row(self, row: usize) -> usize {
        let (strip, element) = (row / self.elements, row % self.elements);
        (strip * self.strip_blocks() + self.row_lag() * element) * 4 * self.elements + element
    }

    /// Returns the length of a table with one value per link, for all strips and one empty strip.
    pub fn numbers(self) -> usize {
        (self.strips + 1) * self.wave_steps() * self.cell_links() * self.elements
    }

    /// Returns the index of a link's value in tables for all strips. `first` is the index of the
    /// grid's first particle. `None` if the link does not fit into the grid.
    pub fn place(self, first: usize, link: &Link) -> Option<usize> {
        Some(self.number(list_cell(Place::of(link, first as u32, self.columns as u32)?)))
    }

    /// Returns the index of a link's value, e.g. its rest length, in the tables for all strips.
    fn number(self, cell: CellLink) -> usize {
        let [row, column, link] = cell.map(|number| number as usize);
        let (strip, element) = (row / self.elements, row % self.elements);
        let wave_step = strip * self.wave_steps() + column + self.row_lag() * element;
        (wave_step * self.cell_links() + link) * self.elements + element
    }

    /// Copies the particles of a strip into blocks.
    pub fn pack(self, strip: usize, x: &[DVec3], blocks: &mut [CacheLine]) {
        for (row, x) in x.chunks(self.columns).enumerate() {
            let first = self.row(strip * self.elements + row);
            let places = numbers_mut(blocks)[first..].chunks_mut(4 * self.elements);
            for (place, x) in places.zip(x) {
                // + 0 clears the sign of −0, see `ScalarFallback::clear_signs_of_zeros`.
                for (k, number) in [x.x + 0.0, x.y + 0.0, x.z + 0.0].into_iter().enumerate() {
                    place[k * self.elements] = number;
                }
            }
        }
    }

    pub fn pack_weights(self, w: &[f64], blocks: &mut [CacheLine]) {
        for (row, w) in w.chunks(self.columns).enumerate() {
            let places = numbers_mut(blocks)[self.row(row)..].chunks_mut(4 * self.elements);
            places.zip(w).for_each(|(place, w)| place[3 * self.elements] = *w);
        }
    }

    pub fn unpack(self, strip: usize, blocks: &[CacheLine], x: &mut [DVec3]) {
        for (row, x) in x.chunks_mut(self.columns).enumerate() {
            let first = self.row(strip * self.elements + row);
            let places = numbers(blocks)[first..].chunks(4 * self.elements);
            for (place, x) in places.zip(x) {
                *x = dvec3(place[0], place[self.elements], place[2 * self.elements]);
            }
        }
    }
}

/// Row and column of a cell, and index of a link in the cell.
pub type CellLink = [u32; 3];

pub fn list_cell(place: Place) -> CellLink {
    let Place { row, column, direction } = place;
    let column = if direction == Direction::DownLeft { column - 1 } else { column };
    [row, column, direction as u32]
}
