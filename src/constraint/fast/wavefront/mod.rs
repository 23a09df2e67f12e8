//! Grids and plates, end to end: the lane is the row. docs/speed.md explains the front with a
//! picture.

mod front;
mod membrane;
mod plate;

use super::super::body::{Body, Direction, Place, Reach, Shape};
use super::super::constraints::Multiplier;
use super::super::xpbd::Tuning;
use super::super::{Link, Links};
use super::{Compliances, Formula, Job, Path};
use crate::simd::{Isa, Line, lines, numbers, numbers_mut};
use front::Sweep;
use glam::{DVec3, dvec3};
use itertools::{Itertools, izip};
use std::ops::Range;

/// A grid or plate whose links are listed cell by cell, as a cloth's are: from a cell's upper left
/// corner to the right, down and down-right, from its upper right corner down-left, and then from
/// the upper left one to the right and down by two.
///
/// A cell needs the cells to its left and above it, the last of which is the one to its upper
/// right, in a plate the one after that. So a row may be two or three cells behind the row above it:
/// lane i of a strip of rows works at time t on column t − 2i or t − 3i.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wavefront {
    isa: Isa,
    particles: Range<usize>,
    layout: Layout,
    one_sided: bool,
    /// Particles as the strips' lanes meet them.
    blocks: Vec<Line>,
    /// XPBD with damping: positions at the start of the step, likewise.
    start: Vec<Line>,
    /// Rest lengths as in [`Rule`](super::rule::Rule), links of a cell one after the other.
    rest: Vec<Line>,
    compliances: Compliances,
}

/// Rows in strips, one a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    columns: usize,
    lanes: usize,
    strips: usize,
    plate: bool,
}

impl Layout {
    /// `None` for a net.
    fn of(shape: Shape, particles: usize, lanes: usize) -> Option<Self> {
        let (columns, plate) = match shape {
            Shape::Grid { columns } => (columns as usize, false),
            Shape::Plate { columns } => (columns as usize, true),
            Shape::Chain | Shape::Net => return None,
        };
        Some(Self { columns, lanes, strips: particles.div_ceil(columns).div_ceil(lanes), plate })
    }

    /// Links of a cell.
    fn links(self) -> usize {
        if self.plate { 6 } else { 4 }
    }

    /// How far a row is behind the row above it.
    fn behind(self) -> usize {
        if self.plate { 3 } else { 2 }
    }

    /// How far the last lane is behind the first.
    fn lag(self) -> usize {
        self.behind() * (self.lanes - 1)
    }

    /// Moments of a strip: an even number.
    fn moments(self) -> usize {
        (self.columns + self.lag()).next_multiple_of(2)
    }

    /// Blocks of a strip: lanes look ahead, to the next column of the next row or to the row after
    /// that.
    fn blocks(self) -> usize {
        self.moments() + 2 * self.behind()
    }

    /// Where the first coordinate of a row's first particle lies. Its other coordinates follow
    /// a register apart, the next particles four.
    fn row(self, row: usize) -> usize {
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        (strip * self.blocks() + self.behind() * lane) * 4 * self.lanes + lane
    }

    /// Numbers that the links of all rows need.
    fn numbers(self) -> usize {
        self.strips * self.moments() * self.links() * self.lanes
    }

    /// Where the number of a link lies, in the grid whose particles begin at `first`.
    fn place(self, first: usize, link: &Link) -> Option<usize> {
        Some(self.number(cell(Place::of(link, first as u32, self.columns as u32)?)))
    }

    /// Where the number of a link lies.
    fn number(self, cell: Cell) -> usize {
        let [row, column, link] = cell.map(|number| number as usize);
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        let moment = strip * self.moments() + column + self.behind() * lane;
        (moment * self.links() + link) * self.lanes + lane
    }

    /// Particles come into the lanes. Behind the last strip there is one more, in which nothing is.
    fn read(self, x: &[DVec3], w: &[f64], blocks: &mut Vec<Line>) {
        if blocks.is_empty() {
            *blocks = lines((self.strips + 1) * self.blocks() * 4 * self.lanes, 0.0);
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
    fn write(self, blocks: &[Line], x: &mut [DVec3]) {
        for (row, x) in x.chunks_mut(self.columns).enumerate() {
            let places = numbers(blocks)[self.row(row)..].chunks(4 * self.lanes);
            for (place, x) in places.zip(x) {
                *x = dvec3(place[0], place[self.lanes], place[2 * self.lanes]);
            }
        }
    }
}

/// Row and column of a cell, and which of its links.
type Cell = [u32; 3];

fn cell(place: Place) -> Cell {
    let Place { row, column, direction, reach } = place;
    let column = if direction == Direction::DownLeft { column - 1 } else { column };
    let link = match reach {
        Reach::One => direction as u32,
        Reach::Two => 4 + direction as u32,
    };
    [row, column, link]
}

impl Wavefront {
    /// Whether the links are listed cell by cell, row by row.
    pub fn can_take(body: &Body, links: &Links) -> bool {
        let (Shape::Grid { columns } | Shape::Plate { columns }) = body.shape else { return false };
        let cells =
            body.links.iter().map(|&i| body.place(&links.at(i as usize), columns).map(cell));
        cells.tuple_windows().all(|(before, next)| before < next)
    }

    /// `None` for a body that is neither grid nor plate.
    pub fn new(body: &Body, links: &Links, isa: Isa) -> Option<Self> {
        let layout = Layout::of(body.shape, body.particles.len(), isa.lanes())?;
        let mut wavefront = Self {
            isa,
            particles: body.particles.start as usize..body.particles.end as usize,
            layout,
            one_sided: body.links.iter().any(|&i| links.at(i as usize).one_sided),
            blocks: Vec::new(),
            start: Vec::new(),
            rest: lines(layout.numbers(), f64::NAN),
            compliances: Compliances::default(),
        };
        for link in body.links.iter().map(|&i| links.at(i as usize)) {
            if let Some(number) = wavefront.number(&link) {
                let rest = if link.one_sided { -link.rest } else { link.rest };
                numbers_mut(&mut wavefront.rest)[number] = rest;
            }
        }
        Some(wavefront)
    }

    /// End-to-end sweeps over the grid's links.
    pub fn sweep(&mut self, job: Job, x: &mut [DVec3], from: &[DVec3]) {
        let of_grid = self.particles.clone();
        let Self { isa, layout, blocks, start, rest, compliances, .. } = self;
        let (x, w) = (&mut x[of_grid.clone()], &job.w[of_grid.clone()]);
        let formula = job.formula.one_sided(self.one_sided);
        let links = match formula {
            Formula::Compliant { damped, .. } => {
                if damped {
                    layout.read(&from[of_grid], w, start);
                }
                &mut compliances.lines
            }
            _ => rest,
        };
        layout.read(x, w, blocks);
        let iterations = job.iterations;
        macro_rules! run {
            ($rule:expr) => {{
                let (rule, layout) = ($rule, *layout);
                if layout.plate {
                    isa.run(Sweep::<_, _, true> { rule, iterations, layout, blocks, start, links })
                } else {
                    isa.run(Sweep::<_, _, false> { rule, iterations, layout, blocks, start, links })
                }
            }};
        }
        formula_rules!(formula, run);
        layout.write(blocks, x);
    }

    /// Where the number of a link lies.
    fn number(&self, link: &Link) -> Option<usize> {
        self.layout.place(self.particles.start, link)
    }
}

impl Path for Wavefront {
    fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    fn cut(&mut self, _: usize, link: &Link) {
        if let Some(number) = self.number(link) {
            numbers_mut(&mut self.rest)[number] = f64::NAN;
            self.compliances.cut(number);
        }
    }

    fn tune(&mut self, links: &Links, tuning: Tuning) {
        let (of_grid, layout) = (self.particles(), self.layout);
        self.compliances.make_room(layout.lanes, layout.numbers());
        let place = |link: &Link| layout.place(of_grid.start, link);
        self.compliances.put_all(links, of_grid.clone(), tuning, place);
    }

    fn multiplier(&self, _: usize, link: &Link) -> Option<Multiplier> {
        self.compliances.multiplier(self.number(link)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ClothMaterial, Mesh};
    use glam::DVec3;

    /// A wrong answer would cost time and change nothing else.
    #[test]
    fn cloths_are_taken_with_and_without_bending() {
        for (bend_stiffness, plate) in [(0.0, false), (1.0, true)] {
            let mut mesh = Mesh::default();
            let material = ClothMaterial { bend_stiffness, ..ClothMaterial::default() };
            mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [11, 8], &material);
            let body = &Body::all(&mesh.links, mesh.positions.len())[0];
            assert!(Wavefront::can_take(body, &mesh.links));
            let front = Wavefront::new(body, &mesh.links, Isa::best());
            assert_eq!(front.map(|front| front.layout.plate), Some(plate));
        }
    }
}
