//! Grids, colour by colour, in one pass over the rows. docs/speed.md explains the layout and the
//! order with pictures.

use super::super::body::{Body, Direction, Place};
use super::super::{Link, Links};
use super::rule::{Block, Rule, between, dot, part, pulled, size};
use super::{Compliances, Formula, Job};
use crate::simd::{Isa, Kernel, Line, Vector, lines, numbers, numbers_mut, vectors, vectors_mut};
use glam::{DVec3, dvec3};
use std::ops::Range;

/// Links times sweeps from which waking a second thread pays.
const WORTH_A_THREAD: usize = 100_000;

/// Right, down, down-right, down-left: the order in which a row keeps its links.
const DIRECTIONS: usize = 4;

/// A grid in the layout of registers.
///
/// A row is cut into as many segments as a register has lanes. Block j of a row holds column j of
/// every segment, one a lane, as [x y z w]; its right neighbour is block j + 1, lane by lane. Only
/// the last block of a row finds its right neighbours in block 0, one lane further.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    isa: Isa,
    particles: Range<usize>,
    columns: usize,
    layout: Layout,
    one_sided: bool,
    links: usize,
    blocks: Vec<Line>,
    /// Rest lengths as in [`Rule`]: for each row, direction and block one vector.
    rest: Vec<Line>,
    compliances: Compliances,
    /// XPBD with damping: positions at the start of the step, as blocks.
    start: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    rows: usize,
    /// Blocks in a row: even, so that a column is even when its block is.
    segment: usize,
    lanes: usize,
}

impl Grid {
    pub fn new(body: &Body, columns: u32, links: &Links, isa: Isa) -> Self {
        let particles = body.particles.start as usize..body.particles.end as usize;
        let rows = particles.len().div_ceil(columns as usize);
        let lanes = isa.lanes();
        let segment = (columns as usize).div_ceil(lanes).next_multiple_of(2);
        let layout = Layout { rows, segment, lanes };
        let mut rest = lines(rows * DIRECTIONS * segment * lanes, f64::NAN);
        let mut one_sided = false;
        for &i in &body.links {
            let link = links.at(i as usize);
            let place = body.place(&link, columns).expect("a link of the grid");
            numbers_mut(&mut rest)[layout.number(place)] =
                if link.one_sided { -link.rest } else { link.rest };
            one_sided |= link.one_sided;
        }
        Self {
            isa,
            particles,
            columns: columns as usize,
            layout,
            one_sided,
            links: body.links.len(),
            blocks: lines(rows * segment * 4 * lanes, 0.0),
            rest,
            compliances: Compliances::default(),
            start: Vec::new(),
        }
    }

    /// Coloured sweeps over the grid's links.
    pub fn sweep(&mut self, job: &mut Job) {
        let Self { isa, layout, columns, blocks, rest, compliances, start, .. } = self;
        let iterations = job.iterations;
        let of_grid = self.particles.clone();
        let formula = job.formula.one_sided(self.one_sided);
        let work = Work { isa: *isa, layout: *layout, iterations, formula };
        let pairs = 0..layout.rows.div_ceil(2);
        let whole = Strip { pairs, cut_above: false, cut_below: false };
        let threads =
            if self.links * iterations < WORTH_A_THREAD { 1 } else { rayon::current_num_threads() };
        layout.pack(*columns, &job.x[of_grid.clone()], blocks);
        layout.pack_weights(*columns, &job.w[of_grid.clone()], blocks);
        if let Formula::Compliant { damped, .. } = formula {
            if damped {
                start.resize(blocks.len(), blocks[0]);
                layout.pack(*columns, &job.start[of_grid.clone()], start);
            }
            if compliances.places.is_empty() {
                compliances.places = layout.places(*columns, &of_grid, job.links);
            }
            compliances.fetch(layout.lanes, rest, job.multipliers);
            work.relax(whole, threads, blocks, &mut compliances.lines, start);
            compliances.give_back(layout.lanes, job.multipliers);
        } else {
            work.relax(whole, threads, blocks, rest, &[]);
        }
        layout.unpack(*columns, blocks, &mut job.x[of_grid]);
    }
}

impl Grid {
    /// What every link may still grow before it has `factor` times its rest length, in metres; at
    /// most zero if one has come so far. A little less than there is, for rounding.
    pub fn room(&mut self, factor: f64, x: &[DVec3]) -> f64 {
        let Self { isa, layout, columns, particles, blocks, rest, .. } = self;
        layout.pack(*columns, &x[particles.clone()], blocks);
        isa.run(Room { layout: *layout, factor: 0.999 * factor, blocks, rest })
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.links
    }
}

impl Layout {
    /// Where the number of a link lies.
    fn number(&self, Place { row, column, direction }: Place) -> usize {
        let (direction, column) = match direction {
            Direction::Right => (0, column),
            Direction::Down => (1, column),
            Direction::DownRight => (2, column),
            // Kept with the column that it leads to, so that its ends are blocks j + 1 and j.
            Direction::DownLeft => (3, column - 1),
        };
        let (lane, block) = (column as usize / self.segment, column as usize % self.segment);
        let vector = (row as usize * DIRECTIONS + direction) * self.segment + block;
        vector * self.lanes + lane
    }

    /// The links of a grid by index, with the places of their numbers.
    fn places(&self, columns: usize, particles: &Range<usize>, links: &Links) -> Vec<(u32, u32)> {
        let first = particles.start as u32;
        let place = |link: &Link| {
            Place::of(link, first, columns as u32).map(|place| self.number(place) as u32)
        };
        let of_grid = |(_, link): &(usize, Link)| particles.contains(&(link.a as usize));
        let links = links.iter().enumerate().filter(of_grid);
        links.filter_map(|(i, link)| Some((i as u32, place(&link)?))).collect()
    }

    /// Cache lines in a row of blocks.
    fn row_lines(&self) -> usize {
        self.segment * 4 * self.lanes / 8
    }

    fn pack(&self, columns: usize, x: &[DVec3], blocks: &mut [Line]) {
        let Self { segment, lanes, .. } = *self;
        let rows = numbers_mut(blocks).chunks_exact_mut(segment * 4 * lanes);
        for (row, x) in rows.zip(x.chunks(columns)) {
            for (lane, x) in x.chunks(segment).enumerate() {
                for (block, x) in row.chunks_exact_mut(4 * lanes).zip(x) {
                    // + 0 clears the sign of −0: see `Loose::clear_signs_of_zeros`.
                    block[lane] = x.x + 0.0;
                    block[lanes + lane] = x.y + 0.0;
                    block[2 * lanes + lane] = x.z + 0.0;
                }
            }
        }
    }

    fn pack_weights(&self, columns: usize, w: &[f64], blocks: &mut [Line]) {
        let Self { segment, lanes, .. } = *self;
        let rows = numbers_mut(blocks).chunks_exact_mut(segment * 4 * lanes);
        for (row, w) in rows.zip(w.chunks(columns)) {
            for (lane, w) in w.chunks(segment).enumerate() {
                for (block, w) in row.chunks_exact_mut(4 * lanes).zip(w) {
                    block[3 * lanes + lane] = *w;
                }
            }
        }
    }

    fn unpack(&self, columns: usize, blocks: &[Line], x: &mut [DVec3]) {
        let Self { segment, lanes, .. } = *self;
        let rows = numbers(blocks).chunks_exact(segment * 4 * lanes);
        for (row, x) in rows.zip(x.chunks_mut(columns)) {
            for (lane, x) in x.chunks_mut(segment).enumerate() {
                for (block, x) in row.chunks_exact(4 * lanes).zip(x) {
                    *x = dvec3(block[lane], block[lanes + lane], block[2 * lanes + lane]);
                }
            }
        }
    }
}

/// What all threads agree on.
#[derive(Clone, Copy)]
struct Work {
    isa: Isa,
    layout: Layout,
    iterations: usize,
    formula: Formula,
}

/// A run of row pairs (pair p is rows 2p and 2p + 1), perhaps cut off from its neighbours, which
/// other threads work on.
#[derive(Clone)]
struct Strip {
    pairs: Range<usize>,
    cut_above: bool,
    cut_below: bool,
}

impl Work {
    /// All sweeps over a strip, as far as its cuts allow. `blocks`, `links` and, if it is needed,
    /// `start` are its rows.
    fn relax(
        self,
        strip: Strip,
        threads: usize,
        blocks: &mut [Line],
        links: &mut [Line],
        start: &[Line],
    ) {
        let first = strip.pairs.start;
        let middle = first + strip.pairs.len() / 2;
        // A half must be longer than the borders at its two ends, which cost a pair a sweep each.
        if threads < 2 || strip.pairs.len() < 4 * self.iterations + 4 {
            return self.run(Part::Strip(strip), first, blocks, links, start);
        }
        let above = Strip { pairs: first..middle, cut_below: true, ..strip };
        let below = Strip { pairs: middle..strip.pairs.end, cut_above: true, ..strip };
        let row = 2 * (middle - first) * self.layout.row_lines();
        let per_block = links.len() / blocks.len();
        let (blocks_above, blocks_below) = blocks.split_at_mut(row);
        let (links_above, links_below) = links.split_at_mut(row * per_block);
        let (start_above, start_below) = start.split_at(row.min(start.len()));
        rayon::join(
            || self.relax(above, threads / 2, blocks_above, links_above, start_above),
            || self.relax(below, threads - threads / 2, blocks_below, links_below, start_below),
        );
        self.run(Part::Border(middle), first, blocks, links, start);
    }

    fn run(
        self,
        part: Part,
        first_pair: usize,
        blocks: &mut [Line],
        links: &mut [Line],
        start: &[Line],
    ) {
        let Self { isa, layout, iterations, formula } = self;
        isa.run(Sweep { layout, iterations, formula, part, first_pair, blocks, links, start });
    }
}

/// Which row pairs are worked on in which sweep.
enum Part {
    /// A strip: at a cut, each sweep reaches one pair less far than the one before, because the
    /// pair beyond has not had that one.
    Strip(Strip),
    /// What two strips left undone around their common end.
    Border(usize),
}

impl Part {
    /// Pairs whose inner links are worked on in a sweep.
    fn inside(&self, sweep: usize) -> Range<usize> {
        match self {
            Self::Strip(Strip { pairs, cut_above, cut_below }) => {
                pairs.start + usize::from(*cut_above) * sweep
                    ..pairs.end - usize::from(*cut_below) * sweep
            }
            Self::Border(at) => at - sweep..at + sweep,
        }
    }

    /// Pairs p whose links to pair p + 1 are worked on in a sweep.
    fn between(&self, sweep: usize) -> Range<usize> {
        let inside = self.inside(sweep);
        match self {
            Self::Strip(strip) => inside.start..inside.end - usize::from(strip.cut_below),
            Self::Border(_) => inside.start - 1..inside.end,
        }
    }
}

/// Some sweeps over some rows, on one thread.
struct Sweep<'a> {
    layout: Layout,
    iterations: usize,
    formula: Formula,
    part: Part,
    first_pair: usize,
    blocks: &'a mut [Line],
    links: &'a mut [Line],
    start: &'a [Line],
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { layout, iterations, formula, part, first_pair, blocks, links, start } = self;
        let Layout { rows, segment, .. } = layout;
        let rows = rows - 2 * first_pair;
        let blocks = vectors_mut::<V>(blocks).as_chunks_mut().0;
        let links = vectors_mut::<V>(links);
        let start = vectors::<V>(start).as_chunks().0;
        macro_rules! walk {
            ($rule:expr) => {{
                let links = links.as_chunks_mut().0;
                Rows { rule: $rule, segment, blocks, links, start }
                    .walk(rows, first_pair, iterations, &part)
            }};
        }
        formula_rules!(formula, walk)
    }
}

/// The least of `factor` times rest length minus length, over all links.
struct Room<'a> {
    layout: Layout,
    factor: f64,
    blocks: &'a [Line],
    rest: &'a [Line],
}

impl Kernel for Room<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(self) -> f64 {
        let Self { layout: Layout { rows, segment: n, .. }, factor, blocks, rest } = self;
        let blocks: &[Block<V>] = vectors::<V>(blocks).as_chunks().0;
        let mut least = V::splat(f64::INFINITY);
        let rests = vectors::<V>(rest).chunks_exact(n);
        for (number, rests) in rests.enumerate() {
            let (row, direction) = (number / DIRECTIONS, number % DIRECTIONS);
            if direction > 0 && row + 1 == rows {
                break;
            }
            let upper = &blocks[row * n..][..n];
            let lower = if direction > 0 { &blocks[(row + 1) * n..][..n] } else { upper };
            // Ends of the link that is kept with a column: how many columns further right.
            let (first, shift_first, second, shift_second) = match direction {
                0 => (upper, 0, lower, 1),
                1 => (upper, 0, lower, 0),
                2 => (upper, 0, lower, 1),
                _ => (upper, 1, lower, 0),
            };
            for (j, rest) in rests.iter().enumerate() {
                let (a, b) = (shifted(first, j + shift_first), shifted(second, j + shift_second));
                let d = between(&a, &b);
                let room = rest.abs() * V::splat(factor) - dot(d, d).sqrt();
                // NaN without a link.
                least = V::select(least.is_above(room), room, least);
            }
        }
        least.as_slice().iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Block j of a row, or what the lanes have to the right of its last.
#[inline(always)]
fn shifted<V: Vector>(row: &[Block<V>], j: usize) -> Block<V> {
    if j < row.len() { row[j] } else { one_lane_further(row[0]) }
}

/// Rows of blocks and their links.
struct Rows<'a, V: Vector, R, const K: usize> {
    rule: R,
    segment: usize,
    blocks: &'a mut [Block<V>],
    links: &'a mut [[V; K]],
    start: &'a [Block<V>],
}

impl<V: Vector, R: Rule<V, K>, const K: usize> Rows<'_, V, R, K> {
    /// Walks down the pairs with all sweeps at once, each a pair behind the one before.
    ///
    /// When sweep i comes to pair p, sweep i − 1 has just left it: it has done the pairs up to
    /// p + 1 and the links from p to p + 1. So the rows that are in work fit into the cache.
    #[inline(always)]
    fn walk(&mut self, rows: usize, first_pair: usize, iterations: usize, part: &Part) {
        let (from, to) = match part {
            Part::Strip(strip) => (strip.pairs.start, strip.pairs.end + iterations),
            Part::Border(at) => (*at, at + 2 * iterations),
        };
        for front in from..=to {
            for sweep in 0..iterations.min(front + 1) {
                let pair = front - sweep;
                if part.inside(sweep).contains(&pair) {
                    let row = 2 * (pair - first_pair);
                    self.right(row);
                    if row + 1 < rows {
                        self.right(row + 1);
                        self.down(row);
                    }
                }
                if pair > 0 && part.between(sweep).contains(&(pair - 1)) {
                    let row = 2 * (pair - 1 - first_pair) + 1;
                    if row + 1 < rows {
                        self.down(row);
                    }
                }
            }
        }
    }

    /// The links within a row: from even columns, then from odd columns.
    #[inline(always)]
    fn right(&mut self, row: usize) {
        let n = self.segment;
        let first = row * n;
        let links = row * DIRECTIONS * n;
        self.batch(first, first + 1, links, 2, n / 2);
        self.batch(first + 1, first + 2, links + 1, 2, n / 2 - 1);
        self.across(first + n - 1, first, links + n - 1);
    }

    /// The links from a row to the next: straight down, down-right, down-left.
    #[inline(always)]
    fn down(&mut self, row: usize) {
        let n = self.segment;
        let (upper, lower) = (row * n, row * n + n);
        let links = row * DIRECTIONS * n;
        self.batch(upper, lower, links + n, 1, n);
        self.batch(upper, lower + 1, links + 2 * n, 1, n - 1);
        self.across(upper + n - 1, lower, links + 3 * n - 1);
        self.batch(upper + 1, lower, links + 3 * n, 1, n - 1);
        self.across(lower + n - 1, upper, links + 4 * n - 1);
    }

    /// `count` links that share no particle, from block a to block b, then from a + stride to
    /// b + stride and so on.
    ///
    /// The stages of three links overlap: while one waits for its root, the one before divides
    /// and the one before that moves. Without this the processor's queues fill with operations
    /// that wait (1.8 instead of 1.4 ns a link).
    #[inline(always)]
    fn batch(&mut self, a: usize, b: usize, link: usize, stride: usize, count: usize) {
        if count == 0 {
            return;
        }
        let mut sizes = self.size(a, b);
        let mut parts = V::splat(0.0);
        for k in 1..count {
            let next_size = self.size(a + k * stride, b + k * stride);
            let done = (k - 1) * stride;
            let next_part = self.part(a + done, b + done, link + done, sizes);
            if k > 1 {
                self.pull(a + done - stride, b + done - stride, parts);
            }
            (sizes, parts) = (next_size, next_part);
        }
        let last = (count - 1) * stride;
        let last_part = self.part(a + last, b + last, link + last, sizes);
        if count > 1 {
            self.pull(a + last - stride, b + last - stride, parts);
        }
        self.pull(a + last, b + last, last_part);
    }

    #[inline(always)]
    fn size(&self, a: usize, b: usize) -> V {
        size(self.rule, &self.blocks[a], &self.blocks[b])
    }

    #[inline(always)]
    fn part(&mut self, a: usize, b: usize, link: usize, size: V) -> V {
        let ends = [&self.blocks[a], &self.blocks[b]];
        let start = self.start;
        part(
            self.rule,
            &mut self.links[link],
            size,
            ends,
            #[inline(always)]
            || [start[a], start[b]],
        )
    }

    #[inline(always)]
    fn pull(&mut self, a: usize, b: usize, s: V) {
        [self.blocks[a], self.blocks[b]] = pulled(&self.blocks[a], &self.blocks[b], s);
    }

    /// The links from the last block of a row, `a`, to the first block of a row one lane further,
    /// `b`.
    #[inline(always)]
    fn across(&mut self, a: usize, b: usize, link: usize) {
        let [x, y, z, w] = self.blocks[b];
        let next = one_lane_further(self.blocks[b]);
        let size = size(self.rule, &self.blocks[a], &next);
        let start = self.start;
        let part = part(
            self.rule,
            &mut self.links[link],
            size,
            [&self.blocks[a], &next],
            #[inline(always)]
            || [start[a], one_lane_further(start[b])],
        );
        let [last, next] = pulled(&self.blocks[a], &next, part);
        self.blocks[a] = last;
        self.blocks[b] = [
            next[0].shift_up(V::splat(x.as_slice()[0])),
            next[1].shift_up(V::splat(y.as_slice()[0])),
            next[2].shift_up(V::splat(z.as_slice()[0])),
            w,
        ];
    }
}

/// What the lanes of a row's last block have to their right, from the first block of a row.
#[inline(always)]
fn one_lane_further<V: Vector>([x, y, z, w]: Block<V>) -> Block<V> {
    let none = V::splat(0.0);
    [x.shift_down(none), y.shift_down(none), z.shift_down(none), w.shift_down(none)]
}
