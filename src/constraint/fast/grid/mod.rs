//! Grids, colour by colour, in one pass over the rows. docs/speed.md explains the layout and the
//! order with pictures.

mod layout;
mod line;
mod links;
mod rests;
mod room;
mod strip;
mod walk;

use super::super::body::{Body, Place};
use super::super::constraints::Multiplier;
use super::super::passage::Passage;
use super::super::xpbd::Tuning;
use super::super::{Link, Links as LinkList};
use super::rule::Rule;
use super::{Compliances, Formula, Job, Path};
use crate::distinct_rows::DistinctRows;
use crate::simd::{Isa, Kernel, Line, Vector, lines, vectors, vectors_mut};
use glam::DVec3;
use layout::{Layout, one_lane_further, pack, pack_weights, unpack};
use links::Links;
use rests::rests;
use room::Room;
use std::ops::Range;
use strip::{Division, Part, Slots};
use walk::Rows;

/// Links times sweeps from which waking a second thread pays.
const WORTH_A_THREAD: usize = 100_000;

/// A grid in the layout of registers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    isa: Isa,
    /// Index of the first particle.
    first: usize,
    particles: usize,
    layout: Layout,
    one_sided: bool,
    links: usize,
    rests: DistinctRows,
    compliances: Compliances,
    /// One a strip.
    windows: Vec<Window>,
    /// One a border between strips.
    borders: Vec<Window>,
}

/// Rows in work.
#[derive(Clone, Debug, Default, PartialEq)]
struct Window {
    blocks: Vec<Line>,
    /// XPBD with damping: positions at the start of the step, as blocks.
    start: Vec<Line>,
    /// Particles of a pair on their way out.
    leaving: Vec<DVec3>,
}

impl Window {
    fn make_room(&mut self, layout: &Layout, slots: Slots, damped: bool) {
        let lines_needed = 2 * slots.len() * layout.row_lines();
        if self.blocks.len() < lines_needed {
            self.blocks = lines(8 * lines_needed, 0.0);
        }
        if damped && self.start.len() < lines_needed {
            self.start = lines(8 * lines_needed, 0.0);
        }
        self.leaving.resize(2 * layout.columns, DVec3::ZERO);
    }
}

impl Grid {
    pub fn new(body: &Body, columns: u32, links: &LinkList, isa: Isa) -> Self {
        let particles = body.particles.len();
        let columns = columns as usize;
        let layout = Layout::new(particles.div_ceil(columns), columns, isa.lanes());
        Self {
            isa,
            first: body.particles.start as usize,
            particles,
            layout,
            one_sided: body.links.iter().any(|&i| links.at(i as usize).one_sided),
            links: body.links.len(),
            rests: rests(&layout, body, links),
            compliances: Compliances::default(),
            windows: Vec::new(),
            borders: Vec::new(),
        }
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.links
    }

    /// Where the numbers of a link lie.
    fn place(&self, link: &Link) -> Option<usize> {
        let place = Place::of(link, self.first as u32, self.layout.columns as u32)?;
        Some(self.layout.number(place))
    }

    /// Coloured sweeps over the grid's links.
    pub fn sweep(&mut self, job: Job, passage: &mut dyn Passage) {
        let Job { iterations, w, .. } = job;
        let of_grid = self.particles();
        let Self { isa, layout, rests, compliances, windows, borders, .. } = self;
        let formula = job.formula.one_sided(self.one_sided);
        let (compliances, damped) = match formula {
            Formula::Compliant { damped, .. } => (&mut compliances.lines[..], damped),
            _ => (&mut [][..], false),
        };
        let threads =
            if self.links * iterations < WORTH_A_THREAD { 1 } else { rayon::current_num_threads() };
        let division = Division::new(layout.pairs(), iterations, threads);
        windows.resize_with(division.strips, Window::default);
        for (number, window) in windows.iter_mut().enumerate() {
            window.make_room(layout, division.strip(number).slots(iterations), damped);
        }
        let (isa, layout) = (*isa, *layout);
        let work = Work { isa, layout, of_grid: &of_grid, rests, iterations, formula, division, w };
        work.strips(0, windows, compliances, passage);
        borders.resize_with(division.strips - 1, Window::default);
        for border in borders.iter_mut() {
            border.make_room(&layout, Slots::in_order(0, 2 * iterations), damped);
        }
        work.borders(0, windows, borders, (0, compliances), passage);
    }

    /// What every link may still grow before it has `factor` times its rest length, in metres; at
    /// most zero if one has come so far. A little less than there is, for rounding.
    pub fn room(&mut self, factor: f64, x: &[DVec3]) -> f64 {
        let x = &x[self.particles()];
        let Self { isa, layout, rests, windows, .. } = self;
        windows.resize_with(windows.len().max(1), Window::default);
        let window = &mut windows[0];
        window.make_room(layout, Slots::in_order(0, 1), false);
        let blocks = &mut window.blocks;
        isa.run(Room { layout: *layout, rests, factor: 0.999 * factor, blocks, x })
    }
}

impl Path for Grid {
    fn particles(&self) -> Range<usize> {
        self.first..self.first + self.particles
    }

    fn cut(&mut self, _: usize, link: &Link) {
        if let Some(place) = self.place(link) {
            self.rests.put(place, f64::NAN);
            self.compliances.cut(place);
        }
    }

    fn tune(&mut self, links: &LinkList, tuning: Tuning) {
        self.compliances.make_room(self.layout.lanes, self.layout.numbers());
        let of_grid = self.particles();
        for link in links.iter().filter(|link| of_grid.contains(&(link.a as usize))) {
            if let Some(place) = self.place(&link) {
                self.compliances.put(place, &link, tuning);
            }
        }
    }

    fn multiplier(&self, _: usize, link: &Link) -> Option<Multiplier> {
        self.compliances.multiplier(self.place(link)?)
    }
}

/// What all threads agree on.
#[derive(Clone, Copy)]
struct Work<'a> {
    isa: Isa,
    layout: Layout,
    of_grid: &'a Range<usize>,
    rests: &'a DistinctRows,
    iterations: usize,
    formula: Formula,
    division: Division,
    w: &'a [f64],
}

impl Work<'_> {
    /// All sweeps over strips from the `first` on, one a window, as far as their cuts allow.
    /// `compliances` are of their rows.
    fn strips(
        self,
        first: usize,
        windows: &mut [Window],
        compliances: &mut [Line],
        passage: &mut dyn Passage,
    ) {
        let strip = self.division.strip(first);
        let first_row = 2 * strip.pairs.start;
        if let [window] = windows {
            let slots = strip.slots(self.iterations);
            let part = Part::Strip(strip);
            let rows = InWork { slots, window, first_row, compliances, passage };
            return self.isa.run(Sweep { work: self, part, rows });
        }
        let middle = windows.len() / 2;
        let row = 2 * self.division.strip(first + middle).pairs.start;
        let lines = (row - first_row) * self.layout.compliance_lines();
        let (windows_above, windows_below) = windows.split_at_mut(middle);
        let (above, below) = compliances.split_at_mut(lines.min(compliances.len()));
        passage.split(self.of_grid.start + row * self.layout.columns, &mut |to_above, to_below| {
            rayon::join(
                || self.strips(first, windows_above, above, to_above),
                || self.strips(first + middle, windows_below, below, to_below),
            );
        });
    }

    /// What strips from the `first` on left undone around their common ends, one a border.
    /// `compliances` are of the rows from one on.
    fn borders(
        self,
        first: usize,
        windows: &[Window],
        borders: &mut [Window],
        (first_row, compliances): (usize, &mut [Line]),
        passage: &mut dyn Passage,
    ) {
        match borders {
            [] => {}
            [border] => self.border(first, windows, border, (first_row, compliances), passage),
            _ => {
                // Cut in the middle of a strip, which no border reaches.
                let above = borders.len() / 2;
                let Range { start, end } = self.division.strip(first + above).pairs;
                let row = 2 * ((start + end) / 2);
                let lines = (row - first_row) * self.layout.compliance_lines();
                let (borders_above, borders_below) = borders.split_at_mut(above);
                let (of_above, of_below) = compliances.split_at_mut(lines.min(compliances.len()));
                let at = self.of_grid.start + row * self.layout.columns;
                passage.split(at, &mut |to_above, to_below| {
                    let of_above = (first_row, &mut *of_above);
                    let of_below = (row, &mut *of_below);
                    let (here, there) = (&windows[..=above], &windows[above..]);
                    rayon::join(
                        || self.borders(first, here, borders_above, of_above, to_above),
                        || self.borders(first + above, there, borders_below, of_below, to_below),
                    );
                });
            }
        }
    }

    /// What a strip and the next one, of the two windows, left undone around their common end.
    fn border(
        self,
        number: usize,
        windows: &[Window],
        border: &mut Window,
        (first_row, compliances): (usize, &mut [Line]),
        passage: &mut dyn Passage,
    ) {
        let Self { iterations, layout, .. } = self;
        let at = self.division.strip(number + 1).pairs.start;
        let slots = Slots::in_order(at - iterations, 2 * iterations);
        let lines = 2 * layout.row_lines();
        for pair in at - iterations..at + iterations {
            let side = usize::from(pair >= at);
            let from = self.division.strip(number + side).slots(iterations).of(pair) * lines;
            let to = slots.of(pair) * lines;
            let window = &windows[side];
            border.blocks[to..to + lines].copy_from_slice(&window.blocks[from..from + lines]);
            if !border.start.is_empty() {
                border.start[to..to + lines].copy_from_slice(&window.start[from..from + lines]);
            }
        }
        let rows = InWork { slots, window: border, first_row, compliances, passage };
        self.isa.run(Sweep { work: self, part: Part::Border(at), rows });
    }

    /// The particles of a pair of rows, counted from the grid's first.
    fn particles(self, pair: usize) -> Range<usize> {
        let most = self.of_grid.len();
        let columns = self.layout.columns;
        (2 * pair * columns).min(most)..(2 * (pair + 1) * columns).min(most)
    }

    fn in_scene(self, particles: &Range<usize>) -> Range<usize> {
        self.of_grid.start + particles.start..self.of_grid.start + particles.end
    }
}

/// Rows in work, and what goes with them.
struct InWork<'a> {
    slots: Slots,
    window: &'a mut Window,
    /// The row to which the first of `compliances` belong.
    first_row: usize,
    compliances: &'a mut [Line],
    passage: &'a mut dyn Passage,
}

/// All sweeps over a part of the rows, on one thread.
struct Sweep<'a> {
    work: Work<'a>,
    part: Part,
    rows: InWork<'a>,
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        macro_rules! walk {
            ($rule:expr) => {
                walk::<V, _, _>($rule, self)
            };
        }
        formula_rules!(self.work.formula, walk)
    }
}

/// Walks down the pairs with all sweeps at once.
#[inline(always)]
fn walk<V: Vector, R: Rule<V, K>, const K: usize>(rule: R, sweep: Sweep) {
    let Sweep { work, part, rows: InWork { slots, window, first_row, compliances, passage } } =
        sweep;
    let Window { blocks, start, leaving } = window;
    let Layout { rows, segment, .. } = work.layout;
    let links = Links {
        segment,
        rests: work.rests,
        distinct: vectors(work.rests.distinct()),
        compliances: vectors_mut(compliances).as_chunks_mut().0,
        first_row,
    };
    let mut rows = Rows {
        rule,
        rows,
        segment,
        slots,
        blocks: vectors_mut::<V>(blocks).as_chunks_mut().0,
        start: vectors_mut::<V>(start).as_chunks_mut().0,
        links,
    };
    let iterations = work.iterations;
    let (arriving, leaving_at_once) = match &part {
        Part::Strip(strip) => (strip.pairs.clone(), strip.finished(iterations)),
        Part::Border(_) => (0..0, 0..0),
    };
    for front in part.fronts(iterations) {
        if arriving.contains(&front) {
            rows.arrive(front, work, passage);
        }
        rows.advance(front, iterations, &part);
        if front >= iterations && leaving_at_once.contains(&(front - iterations)) {
            rows.leave(front - iterations, work, leaving, passage);
        }
    }
    if let Part::Border(at) = part {
        for pair in at - iterations..at + iterations {
            rows.leave(pair, work, leaving, passage);
        }
    }
}

impl<V: Vector, R> Rows<'_, V, R> {
    /// Takes in a pair.
    #[inline(always)]
    fn arrive(&mut self, pair: usize, work: Work, passage: &mut dyn Passage) {
        let particles = work.particles(pair);
        let columns = work.layout.columns;
        let first = self.at(2 * pair);
        let w = &work.w[work.in_scene(&particles)];
        self.links.forget(2 * pair..self.rows.min(2 * (pair + 1)));
        let arrived = passage.arrive(work.in_scene(&particles));
        let n = self.segment;
        let rows = self.blocks[first..first + 2 * (n + 1)].chunks_exact_mut(n + 1);
        for ((row, x), w) in rows.zip(arrived.x.chunks(columns)).zip(w.chunks(columns)) {
            pack(x, &mut row[..n]);
            pack_weights(w, &mut row[..n]);
        }
        if !self.start.is_empty() {
            let rows = self.start[first..first + 2 * (n + 1)].chunks_exact_mut(n + 1);
            for (row, start) in rows.zip(arrived.start.chunks(columns)) {
                pack(start, &mut row[..n]);
                row[n] = one_lane_further(row[0]);
            }
        }
    }

    /// Lets a pair go.
    #[inline(always)]
    fn leave(&mut self, pair: usize, work: Work, x: &mut [DVec3], passage: &mut dyn Passage) {
        let particles = work.particles(pair);
        let columns = work.layout.columns;
        let first = self.at(2 * pair);
        let x = &mut x[..particles.len()];
        let rows = self.blocks[first..].chunks_exact(self.segment + 1);
        for (row, x) in rows.zip(x.chunks_mut(columns)) {
            unpack(&row[..self.segment], x);
        }
        passage.leave(work.in_scene(&particles), x);
    }
}
