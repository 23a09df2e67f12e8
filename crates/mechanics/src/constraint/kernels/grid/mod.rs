//! Grids, colour by colour, in one pass over the rows. docs/speed.md explains the layout and the
//! order with pictures.

mod ahead;
mod gate;
mod layout;
mod line;
mod links;
mod phases;
mod rests;
mod room;
mod strip;
mod walk;

use super::super::constraints::Multiplier;
use super::super::passage::Passage;
use super::super::xpbd::Tuning;
use super::rule::Rule;
use super::{Compliances, Formula, Job, Path};
use crate::mesh::component::Component;
use crate::mesh::{Link, Links as LinkList};
use crate::numerics::distinct_rows::DistinctRows;
use crate::numerics::simd::{
    Isa, Kernel, Line, Vector, lines, numbers, numbers_mut, vectors, vectors_mut,
};
use ahead::Ahead;
use gate::Gate;
use glam::DVec3;
use layout::Layout;
use links::Links;
use phases::Phases;
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
    /// Inverse masses.
    weights: Vec<Line>,
    /// XPBD with damping: positions at the start of the step, as blocks.
    start: Vec<Line>,
    /// Particles of a pair on their way out.
    leaving: Vec<DVec3>,
}

impl Window {
    fn make_room(&mut self, layout: &Layout, slots: Slots, damped: bool) {
        let make_room = |column: &mut Vec<Line>, needed: usize| {
            if 8 * column.len() < needed {
                *column = lines(needed, 0.0);
            }
        };
        make_room(&mut self.weights, slots.len() * layout.pair_weights());
        let numbers = slots.len() * layout.pair_numbers();
        make_room(&mut self.blocks, numbers);
        if damped {
            make_room(&mut self.start, numbers);
        }
        self.leaving.resize(2 * layout.columns, DVec3::ZERO);
    }

    /// The pair in a slot becomes one from another window.
    fn copy(&mut self, layout: &Layout, to: usize, other: &Self, from: usize) {
        let copy = |here: &mut [Line], there: &[Line], size: usize| {
            let pair = &numbers(there)[from * size..][..size];
            numbers_mut(here)[to * size..][..size].copy_from_slice(pair);
        };
        copy(&mut self.weights, &other.weights, layout.pair_weights());
        copy(&mut self.blocks, &other.blocks, layout.pair_numbers());
        if !self.start.is_empty() {
            copy(&mut self.start, &other.start, layout.pair_numbers());
        }
    }
}

impl Grid {
    pub fn new(body: &Component, columns: u32, links: &LinkList, isa: Isa) -> Self {
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
        self.layout.place(self.first, link)
    }

    /// Coloured sweeps over the grid's links, in all substeps.
    pub fn sweep(&mut self, job: Job, passage: &mut dyn Passage) {
        let mut left = Phases { first: 0, substeps: passage.substeps(), sweeps: job.iterations };
        while left.substeps > 0 {
            let (phases, threads) = self.at_once(left);
            self.walk(phases, threads, job, passage);
            left.first += phases.substeps;
            left.substeps -= phases.substeps;
        }
    }

    /// How many of the substeps that are left one walk takes, and with how many threads.
    ///
    /// As many as leave the division of the rows as it is for one substep: more phases make
    /// borders between strips longer, and no thread shall be idle for that.
    fn at_once(&self, left: Phases) -> (Phases, usize) {
        let pairs = self.layout.pairs();
        let most = |threads| {
            let some = |substeps| Phases { substeps, ..left };
            let strips = |phases: Phases| Division::new(pairs, phases.len(), threads).strips;
            let fits = |phases: &Phases| strips(*phases) == strips(some(1));
            (1..=left.substeps).rev().map(some).find(fits).unwrap_or(some(1))
        };
        let threads = rayon::current_num_threads();
        let phases = most(threads);
        if self.links * phases.substeps * phases.sweeps < WORTH_A_THREAD {
            (most(1), 1)
        } else {
            (phases, threads)
        }
    }

    /// Some substeps in one walk down the rows.
    fn walk(&mut self, phases: Phases, threads: usize, job: Job, passage: &mut dyn Passage) {
        let of_grid = self.particles();
        let Self { isa, layout, rests, compliances, windows, borders, .. } = self;
        let formula = job.formula.one_sided(self.one_sided);
        let (compliances, damped) = match formula {
            Formula::Compliant { damped, .. } => (&mut compliances.lines[..], damped),
            _ => (&mut [][..], false),
        };
        let division = Division::new(layout.pairs(), phases.len(), threads);
        windows.resize_with(division.strips, Window::default);
        for (number, window) in windows.iter_mut().enumerate() {
            window.make_room(layout, division.strip(number).slots(phases.len()), damped);
        }
        let (isa, layout, w) = (*isa, *layout, job.w);
        let of_grid = &of_grid;
        let work = Work { isa, layout, of_grid, rests, phases, formula, division, w };
        work.strips(0, windows, compliances, passage);
        borders.resize_with(division.strips - 1, Window::default);
        for border in borders.iter_mut() {
            border.make_room(&layout, Slots::in_order(0, 2 * phases.len()), damped);
        }
        work.borders(0, windows, borders, (0, compliances), passage);
    }

    /// The ends of each pair's links: two rows, and the one below.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        let Layout { rows, columns, .. } = self.layout;
        let particles = self.particles();
        (0..self.layout.pairs()).map(move |pair| {
            let end = (2 * pair + 3).min(rows) * columns;
            particles.start + 2 * pair * columns..particles.end.min(particles.start + end)
        })
    }

    /// What every link of a section may still grow before it has `factor` times its rest length, in
    /// metres; at most zero if one has come so far. A little less than there is, for rounding.
    pub fn room(&mut self, section: usize, factor: f64, x: &[DVec3]) -> f64 {
        let x = &x[self.particles()];
        let Self { isa, layout, rests, windows, .. } = self;
        windows.resize_with(windows.len().max(1), Window::default);
        let window = &mut windows[0];
        window.make_room(layout, Slots::in_order(0, 1), false);
        let blocks = &mut window.blocks;
        let rows = 2 * section..layout.rows.min(2 * section + 2);
        isa.run(Room { layout: *layout, rests, rows, factor: 0.999 * factor, blocks, x })
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
        let (of_grid, layout) = (self.particles(), self.layout);
        self.compliances.make_room(layout.lanes, layout.numbers());
        let place = |link: &Link| layout.place(of_grid.start, link);
        self.compliances.put_all(links, of_grid.clone(), tuning, place);
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
    phases: Phases,
    formula: Formula,
    division: Division,
    w: &'a [f64],
}

impl Work<'_> {
    /// All phases over strips from the `first` on, one a window, as far as their cuts allow.
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
            let slots = strip.slots(self.phases.len());
            let part = Part::Strip(strip);
            let rows = InWork { slots, window, first_row, compliances, passage };
            return self.sweep(part, rows);
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
        let Self { layout, .. } = self;
        let phases = self.phases.len();
        let at = self.division.strip(number + 1).pairs.start;
        let slots = Slots::in_order(at - phases, 2 * phases);
        for pair in at - phases..at + phases {
            let side = usize::from(pair >= at);
            let from = self.division.strip(number + side).slots(phases).of(pair);
            border.copy(&layout, slots.of(pair), &windows[side], from);
        }
        let rows = InWork { slots, window: border, first_row, compliances, passage };
        self.sweep(Part::Border(at), rows);
    }

    /// All phases over a part of the rows, on one thread.
    fn sweep(self, part: Part, rows: InWork) {
        macro_rules! run {
            ($rule:expr) => {
                self.isa.run(Sweep { rule: $rule, work: self, part, rows })
            };
        }
        formula_rules!(self.formula, run)
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

/// All phases over a part of the rows, on one thread.
struct Sweep<'w, 'r, R, const K: usize> {
    rule: R,
    work: Work<'w>,
    part: Part,
    rows: InWork<'r>,
}

impl<R: Rule<K>, const K: usize> Kernel for Sweep<'_, '_, R, K> {
    type Output = ();

    /// Walks down the pairs with all phases at once.
    #[inline(always)]
    fn run<V: Vector>(self) {
        let Sweep {
            rule,
            work,
            part,
            rows: InWork { slots, window, first_row, compliances, passage },
        } = self;
        let Work { layout, of_grid, rests, phases, w, .. } = work;
        let Layout { rows, columns, segment, .. } = layout;
        let Window { blocks, weights, start, leaving } = window;
        let mut gate = Gate { of_grid, w, passage, columns, leaving };
        let links = Links {
            segment,
            rests,
            distinct: vectors(rests.distinct()),
            compliances: vectors_mut(compliances).as_chunks_mut().0,
            first_row,
        };
        let mut rows = Rows {
            rule,
            rows,
            segment,
            slots,
            blocks: vectors_mut::<V>(blocks).as_chunks_mut().0,
            weights: vectors_mut(weights),
            start: vectors_mut::<V>(start).as_chunks_mut().0,
            links,
            ahead: Ahead::NONE,
        };
        let (first, last, count) = (phases.first, phases.last(), phases.len());
        let (arriving, leaving_at_once) = match &part {
            Part::Strip(strip) => (strip.pairs.clone(), strip.finished(count)),
            Part::Border(_) => (0..0, 0..0),
        };
        for front in part.fronts(count) {
            if arriving.contains(&front) {
                rows.arrive(front, first, &mut gate);
            }
            if arriving.contains(&(front + 1)) {
                rows.look_ahead(front + 1, &gate);
            }
            rows.advance(front, phases, &part, &mut gate);
            if front >= count && leaving_at_once.contains(&(front - count)) {
                rows.leave(front - count, last, &mut gate);
            }
        }
        if let Part::Border(at) = part {
            for pair in at - count..at + count {
                rows.leave(pair, last, &mut gate);
            }
        }
    }
}
