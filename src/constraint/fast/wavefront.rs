//! Grids, end to end: the lane is the row. docs/speed.md explains the front with a picture.

use super::super::body::{Body, Place, Shape};
use super::super::constraints::Multiplier;
use super::super::xpbd::Tuning;
use super::super::{Link, Links};
use super::rule::{Block, Rule, part, pulled, size};
use super::{Compliances, Formula, Job, Path};
use crate::simd::{Isa, Kernel, Line, Vector, lines, numbers, numbers_mut, vectors, vectors_mut};
use glam::{DVec3, dvec3};
use itertools::{Itertools, izip};
use std::ops::Range;

/// Sweeps in flight, each on a strip of its own, so that one waits for roots and quotients while
/// the other computes. The corners of four do not fit into registers: they are a twelfth slower.
const MOST_SWEEPS: usize = 2;

/// Links of a cell: from its upper left corner to the right, down and down-right, and from its
/// upper right corner down-left.
const LINKS: usize = 4;

/// A grid whose links are listed cell by cell, as a cloth's are.
///
/// A cell needs the cells to its left and above it, the last of which is the one to its upper
/// right. So a row may be two cells behind the row above it: lane i of a strip of rows works at
/// time t on column t − 2i.
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
    /// Rest lengths as in [`Rule`], links of a cell one after the other.
    rest: Vec<Line>,
    compliances: Compliances,
}

/// Rows in strips, one a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    columns: usize,
    lanes: usize,
    strips: usize,
}

impl Layout {
    /// How far the last lane is behind the first.
    fn lag(self) -> usize {
        2 * (self.lanes - 1)
    }

    /// Moments of a strip: an even number.
    fn moments(self) -> usize {
        (self.columns + self.lag()).next_multiple_of(2)
    }

    /// Blocks of a strip: lanes look three ahead.
    fn blocks(self) -> usize {
        self.moments() + 3
    }

    /// Where the first coordinate of a row's first particle lies. Its other coordinates follow
    /// a register apart, the next particles four.
    fn row(self, row: usize) -> usize {
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        (strip * self.blocks() + 2 * lane) * 4 * self.lanes + lane
    }

    /// Where the number of a link lies.
    fn number(self, cell: Cell) -> usize {
        let [row, column, link] = cell.map(|number| number as usize);
        let (strip, lane) = (row / self.lanes, row % self.lanes);
        let moment = strip * self.moments() + column + 2 * lane;
        (moment * LINKS + link) * self.lanes + lane
    }
}

/// Row and column of a cell, and which of its links.
type Cell = [u32; 3];

fn cell(place: Place) -> Cell {
    let Place { row, column, direction } = place;
    let link = direction as u32;
    [row, if link == 3 { column - 1 } else { column }, link]
}

impl Wavefront {
    /// Whether the links are listed cell by cell, row by row.
    pub fn can_take(body: &Body, links: &Links) -> bool {
        let Shape::Grid { columns } = body.shape else { return false };
        let cells =
            body.links.iter().map(|&i| body.place(&links.at(i as usize), columns).map(cell));
        cells.tuple_windows().all(|(before, next)| before < next)
    }

    pub fn new(body: &Body, columns: u32, links: &Links, isa: Isa) -> Self {
        let columns = columns as usize;
        let rows = body.particles.len().div_ceil(columns);
        let lanes = isa.lanes();
        let layout = Layout { columns, lanes, strips: rows.div_ceil(lanes) };
        let mut wavefront = Self {
            isa,
            particles: body.particles.start as usize..body.particles.end as usize,
            layout,
            one_sided: body.links.iter().any(|&i| links.at(i as usize).one_sided),
            blocks: Vec::new(),
            start: Vec::new(),
            rest: lines(layout.strips * layout.moments() * LINKS * lanes, f64::NAN),
            compliances: Compliances::default(),
        };
        for link in body.links.iter().map(|&i| links.at(i as usize)) {
            if let Some(number) = wavefront.number(&link) {
                let rest = if link.one_sided { -link.rest } else { link.rest };
                numbers_mut(&mut wavefront.rest)[number] = rest;
            }
        }
        wavefront
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
        isa.run(Sweep { iterations, formula, layout: *layout, blocks, start, links });
        layout.write(blocks, x);
    }

    /// Where the number of a link lies.
    fn number(&self, link: &Link) -> Option<usize> {
        let place = Place::of(link, self.particles.start as u32, self.layout.columns as u32)?;
        Some(self.layout.number(cell(place)))
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
        let Layout { lanes, strips, .. } = self.layout;
        self.compliances.make_room(lanes, strips * self.layout.moments() * LINKS * lanes);
        let of_grid = self.particles();
        for link in links.iter().filter(|link| of_grid.contains(&(link.a as usize))) {
            if let Some(number) = self.number(&link) {
                self.compliances.put(number, &link, tuning);
            }
        }
    }

    fn multiplier(&self, _: usize, link: &Link) -> Option<Multiplier> {
        self.compliances.multiplier(self.number(link)?)
    }
}

impl Layout {
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

/// Some sweeps over a grid.
struct Sweep<'a> {
    iterations: usize,
    formula: Formula,
    layout: Layout,
    blocks: &'a mut [Line],
    start: &'a [Line],
    links: &'a mut [Line],
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { iterations, formula, layout, blocks, start, links } = self;
        macro_rules! walk {
            ($rule:expr) => {
                Front::<V, _> {
                    rule: $rule,
                    layout,
                    blocks: vectors_mut(blocks).as_chunks_mut().0,
                    start: vectors(start).as_chunks().0,
                }
                .sweeps(iterations, vectors_mut(links))
            };
        }
        formula_rules!(formula, walk)
    }
}

/// What the lanes of all strips see.
struct Front<'a, V: Vector, R> {
    rule: R,
    layout: Layout,
    blocks: &'a mut [Block<V>],
    start: &'a [Block<V>],
}

/// The corners of a cell a lane: two upper and two lower ones. What is right in one cell is left in
/// the next, so the left ones are 0 and 2 at even moments, 1 and 3 at odd ones.
type Corners<V> = [Block<V>; 4];

/// Upper left, upper right, lower left and lower right.
const fn corners(odd: usize) -> [usize; 4] {
    [odd, 1 - odd, 2 + odd, 3 - odd]
}

impl<V: Vector, R> Front<'_, V, R> {
    #[inline(always)]
    fn sweeps<const K: usize>(&mut self, iterations: usize, links: &mut [V])
    where
        R: Rule<V, K>,
    {
        let links: &mut [[V; K]] = links.as_chunks_mut().0;
        if K > 1 {
            links.iter_mut().for_each(|link| link[K - 1] = V::splat(0.0));
        }
        let strips = self.layout.strips;
        let mut left = iterations;
        while left > 0 {
            let sweeps = left.min(MOST_SWEEPS);
            // A sweep is a strip behind the one before.
            for front in 0..strips + sweeps - 1 {
                let first = (front + 1).saturating_sub(strips);
                let end = sweeps.min(front + 1);
                if end - first == MOST_SWEEPS {
                    self.pass::<K, MOST_SWEEPS>(front - first, links);
                } else {
                    self.pass::<K, 1>(front - first, links);
                }
            }
            left -= sweeps;
        }
    }

    /// A sweep over a strip, the next one over the strip above it, and so on: G at once.
    #[inline(always)]
    fn pass<const K: usize, const G: usize>(&mut self, lowest: usize, links: &mut [[V; K]])
    where
        R: Rule<V, K>,
    {
        let mut cells = [[[V::splat(0.0); 4]; 4]; G];
        for (g, cell) in cells.iter_mut().enumerate() {
            self.begin(lowest - g, cell);
        }
        for moment in (0..self.layout.moments()).step_by(2) {
            self.relax::<K, G, 0>(lowest, moment, &mut cells, links);
            self.relax::<K, G, 1>(lowest, moment + 1, &mut cells, links);
        }
    }

    /// All lanes go to their next cell and relax its links.
    #[inline(always)]
    fn relax<const K: usize, const G: usize, const ODD: usize>(
        &mut self,
        lowest: usize,
        moment: usize,
        cells: &mut [Corners<V>; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<V, K>,
    {
        for (g, cell) in cells.iter_mut().enumerate() {
            self.go_on::<ODD>(lowest - g, moment, cell);
        }
        let [upper_left, upper_right, lower_left, lower_right] = const { corners(ODD) };
        let first = (lowest * self.layout.moments() + moment) * LINKS;
        self.link(lowest, moment, first, [upper_left, upper_right], cells, links);
        self.link(lowest, moment, first + 1, [upper_left, lower_left], cells, links);
        self.link(lowest, moment, first + 2, [upper_left, lower_right], cells, links);
        self.link(lowest, moment, first + 3, [upper_right, lower_left], cells, links);
        for (g, cell) in cells.iter().enumerate() {
            self.put(lowest - g, moment, &cell[upper_left], &cell[lower_left]);
        }
    }

    /// One link of each cell, between two of its corners. `first` is where the number of the
    /// lowest strip's is.
    #[inline(always)]
    fn link<const K: usize, const G: usize>(
        &self,
        lowest: usize,
        moment: usize,
        first: usize,
        [a, b]: [usize; 2],
        cells: &mut [Corners<V>; G],
        links: &mut [[V; K]],
    ) where
        R: Rule<V, K>,
    {
        let a_strip = self.layout.moments() * LINKS;
        let mut parts = [V::splat(0.0); G];
        for (size_of, cell) in parts.iter_mut().zip(&*cells) {
            *size_of = size(self.rule, &cell[a], &cell[b]);
        }
        for (g, (s, cell)) in parts.iter_mut().zip(&*cells).enumerate() {
            let strip = lowest - g;
            *s = part(
                self.rule,
                &mut links[first - g * a_strip],
                *s,
                [&cell[a], &cell[b]],
                #[inline(always)]
                || [self.started(strip, moment, a), self.started(strip, moment, b)],
            );
        }
        for (s, cell) in parts.iter().zip(&mut *cells) {
            [cell[a], cell[b]] = pulled(&cell[a], &cell[b], *s);
        }
    }

    /// Where the block of a strip lies that its first lane meets in a column.
    #[inline(always)]
    fn at(&self, strip: usize, column: usize) -> usize {
        strip * self.layout.blocks() + column
    }

    /// The block whose first lane is the particle below the last row of a strip, seen from lanes
    /// of which the first is in a column.
    #[inline(always)]
    fn below(&self, strip: usize, column: usize) -> usize {
        self.at(strip + 1, column.saturating_sub(self.layout.lag()))
    }

    /// The corners before the first moment, of which the right ones will be the left ones.
    #[inline(always)]
    fn begin(&self, strip: usize, cell: &mut Corners<V>) {
        cell[0] = self.blocks[self.at(strip, 0)];
        self.lower(self.blocks, strip, 0, &mut cell[2]);
    }

    /// All lanes go to the next cell: what was right is left. The upper right corners come from the
    /// lanes above, which have just left them behind.
    #[inline(always)]
    fn go_on<const ODD: usize>(&self, strip: usize, moment: usize, cell: &mut Corners<V>) {
        let [_, _, left_behind, _] = const { corners(1 - ODD) };
        let [_, upper_right, _, lower_right] = const { corners(ODD) };
        let ahead = &self.blocks[self.at(strip, moment + 1)];
        for k in 0..3 {
            cell[upper_right][k] = cell[left_behind][k].shift_up(first_of(ahead[k]));
        }
        cell[upper_right][3] = ahead[3];
        self.lower(self.blocks, strip, moment + 1, &mut cell[lower_right]);
    }

    /// The particles below those of a strip's lanes when the first lane is in a column.
    #[inline(always)]
    fn lower(&self, blocks: &[Block<V>], strip: usize, column: usize, lower: &mut Block<V>) {
        let of_lanes = &blocks[self.at(strip, column + 2)];
        let below = &blocks[self.below(strip, column)];
        for k in 0..4 {
            lower[k] = of_lanes[k].shift_down(below[k]);
        }
    }

    /// Where a corner started.
    #[inline(always)]
    fn started(&self, strip: usize, moment: usize, corner: usize) -> Block<V> {
        let column = moment + (moment + corner) % 2;
        let mut start = self.start[self.at(strip, column)];
        if corner >= 2 {
            self.lower(self.start, strip, column, &mut start);
        }
        start
    }

    /// The sweep has left the upper left corners; what is below the last lane is for the strip
    /// below.
    #[inline(always)]
    fn put(&mut self, strip: usize, moment: usize, upper: &Block<V>, lower: &Block<V>) {
        let at = self.at(strip, moment);
        self.blocks[at] = *upper;
        if moment >= self.layout.lag() {
            let below = self.below(strip, moment);
            for (to, from) in self.blocks[below].iter_mut().zip(lower).take(3) {
                to.as_mut_slice()[0] = from.as_slice()[V::LANES - 1];
            }
        }
    }
}

/// The first lane's number, in the last lane.
#[inline(always)]
fn first_of<V: Vector>(block: V) -> V {
    V::splat(block.as_slice()[0])
}
