//! Kernel for grids swept colour by colour. All sweeps run in one pass over the rows: each sweep
//! follows the sweep before it at a distance of two rows. docs/speed.md explains the layout and the
//! order with figures.
//!
//! Terms: a *pair* consists of two rows 2p and 2p + 1. A *phase* is a sweep, or the boundary
//! between two substeps. A *strip* consists of the pairs that one thread sweeps. An *active pair*
//! is between its first and its last phase, and is kept in a *slot* of a buffer. A *block* is a
//! vector of particles, one per element.

mod active_rows;
mod layout;
mod links;
mod phases;
mod pipeline;
mod prefetch_queue;
mod rest_lengths;
mod slack;
mod strip;
mod transfer;
mod wave_step;

use super::compliances::Compliances;
use super::fast_path::FastPath;
use super::formula::{Formula, SweepJob, formula_rules};
use super::rule::Rule;
use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::constraint::particles::ParticleAccess;
use crate::mesh::component::Component;
use crate::mesh::{Link, Links as LinkList};
use crate::numerics::distinct_rows::DistinctRows;
use crate::numerics::simd::{
    CacheLine, Isa, Kernel, Vector, allocate_lines, numbers, numbers_mut, vectors, vectors_mut,
};
use active_rows::ActiveRows;
use glam::DVec3;
use layout::GridLayout;
use links::LinkNumbers;
use phases::Phases;
use prefetch_queue::PrefetchQueue;
use rest_lengths::rest_lengths;
use slack::Slack;
use std::ops::Range;
use strip::{Division, Slots, SweepPart};
use transfer::RowTransfer;

/// Smallest number of link corrections (links × sweeps) at which several threads are faster than
/// one.
const LEAST_THREADED_CORRECTIONS: usize = 100_000;

/// Grid of particles in the memory layout of this kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColouredGrid {
    isa: Isa,
    first: usize,
    particles: usize,
    layout: GridLayout,
    one_sided: bool,
    links: usize,
    rests: DistinctRows,
    compliances: Compliances,
    /// Buffers for the pairs of rows that are being swept, one for each thread's strip of rows.
    windows: Vec<RowWindow>,
    /// Buffers for the pairs of rows around the borders between two threads' strips, one for each
    /// border.
    borders: Vec<RowWindow>,
}

/// Buffers for the pairs of rows that are being swept: those between their first and their last
/// sweep.
#[derive(Clone, Debug, Default, PartialEq)]
struct RowWindow {
    blocks: Vec<CacheLine>,
    /// Inverse masses in 1/kg, in the order of `blocks`.
    weights: Vec<CacheLine>,
    /// Positions at the start of the step, for XPBD with damping.
    start: Vec<CacheLine>,
    /// Buffer for the positions of a pair of rows, before `access` stores them.
    outgoing: Vec<DVec3>,
}

impl RowWindow {
    fn allocate(&mut self, layout: &GridLayout, slots: Slots, damped: bool) {
        let allocate = |column: &mut Vec<CacheLine>, needed: usize| {
            if 8 * column.len() < needed {
                *column = allocate_lines(needed, 0.0);
            }
        };
        allocate(&mut self.weights, slots.len() * layout.pair_weights());
        let numbers = slots.len() * layout.pair_numbers();
        allocate(&mut self.blocks, numbers);
        if damped {
            allocate(&mut self.start, numbers);
        }
        self.outgoing.resize(2 * layout.columns, DVec3::ZERO);
    }

    /// Copies a pair of rows from slot `from` of another window to slot `to`.
    fn copy(&mut self, layout: &GridLayout, to: usize, other: &Self, from: usize) {
        let copy = |here: &mut [CacheLine], there: &[CacheLine], size: usize| {
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

impl ColouredGrid {
    pub fn new(component: &Component, columns: u32, links: &LinkList, isa: Isa) -> Self {
        let particles = component.particles.len();
        let columns = columns as usize;
        let layout = GridLayout::new(particles.div_ceil(columns), columns, isa.elements());
        Self {
            isa,
            first: component.particles.start as usize,
            particles,
            layout,
            one_sided: component.links.iter().any(|&i| links.at(i as usize).one_sided),
            links: component.links.len(),
            rests: rest_lengths(&layout, component, links),
            compliances: Compliances::default(),
            windows: Vec::new(),
            borders: Vec::new(),
        }
    }

    pub fn links(&self) -> usize {
        self.links
    }

    fn place(&self, link: &Link) -> Option<usize> {
        self.layout.place(self.first, link)
    }

    /// Runs coloured sweeps over the grid's links, in all substeps of `access`.
    pub fn sweep(&mut self, job: SweepJob, access: &mut dyn ParticleAccess) {
        let mut left = Phases { first: 0, substeps: access.substeps(), sweeps: job.iterations };
        while left.substeps > 0 {
            let (phases, threads) = self.next_phases(left);
            self.sweep_phases(phases, threads, job, access);
            left.first += phases.substeps;
            left.substeps -= phases.substeps;
        }
    }

    /// Returns the phases of the next pass over the rows, and the number of threads. The phases are
    /// the sweeps of one or more of the remaining substeps.
    ///
    /// The pass covers as many substeps as possible with as many strips as for one substep. More
    /// phases make the borders between strips longer, and with fewer strips a thread would be idle.
    fn next_phases(&self, left: Phases) -> (Phases, usize) {
        let pairs = self.layout.pairs();
        let most = |threads| {
            let some = |substeps| Phases { substeps, ..left };
            let strips = |phases: Phases| Division::new(pairs, phases.len(), threads).strips;
            let fits = |phases: &Phases| strips(*phases) == strips(some(1));
            (1..=left.substeps).rev().map(some).find(fits).unwrap_or(some(1))
        };
        let threads = rayon::current_num_threads();
        let phases = most(threads);
        if self.links * phases.substeps * phases.sweeps < LEAST_THREADED_CORRECTIONS {
            (most(1), 1)
        } else {
            (phases, threads)
        }
    }

    /// Runs the sweeps of some substeps in one pass over the rows.
    fn sweep_phases(
        &mut self,
        phases: Phases,
        threads: usize,
        job: SweepJob,
        access: &mut dyn ParticleAccess,
    ) {
        let of_grid = self.particles();
        let Self { isa, layout, rests, compliances, windows, borders, .. } = self;
        let formula = job.formula.one_sided(self.one_sided);
        let (compliances, damped) = match formula {
            Formula::Compliant { damped, .. } => (&mut compliances.lines[..], damped),
            _ => (&mut [][..], false),
        };
        let division = Division::new(layout.pairs(), phases.len(), threads);
        windows.resize_with(division.strips, RowWindow::default);
        for (number, window) in windows.iter_mut().enumerate() {
            window.allocate(layout, division.strip(number).slots(phases.len()), damped);
        }
        let (isa, layout, w) = (*isa, *layout, job.w);
        let of_grid = &of_grid;
        let work = GridWork { isa, layout, of_grid, rests, phases, formula, division, w };
        work.sweep_strips(0, windows, compliances, access);
        borders.resize_with(division.strips - 1, RowWindow::default);
        for border in borders.iter_mut() {
            border.allocate(&layout, Slots::in_order(0, 2 * phases.len()), damped);
        }
        work.sweep_borders(0, windows, borders, (0, compliances), access);
    }

    /// Yields the sections of links, two rows of the grid each, as the particle range of each
    /// section's links, including the row below.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        let GridLayout { rows, columns, .. } = self.layout;
        let particles = self.particles();
        (0..self.layout.pairs()).map(move |pair| {
            let end = (2 * pair + 3).min(rows) * columns;
            particles.start + 2 * pair * columns..particles.end.min(particles.start + end)
        })
    }

    /// Returns the length in metres by which the links of a section may still grow before one
    /// reaches `factor` times its rest length; zero or negative if a link has reached that length.
    /// The result is computed with 0.999 `factor`, as a margin for rounding errors.
    pub fn slack(&mut self, section: usize, factor: f64, x: &[DVec3]) -> f64 {
        let x = &x[self.particles()];
        let Self { isa, layout, rests, windows, .. } = self;
        windows.resize_with(windows.len().max(1), RowWindow::default);
        let window = &mut windows[0];
        window.allocate(layout, Slots::in_order(0, 1), false);
        let blocks = &mut window.blocks;
        let rows = 2 * section..layout.rows.min(2 * section + 2);
        isa.run(Slack { layout: *layout, rests, rows, factor: 0.999 * factor, blocks, x })
    }
}

impl FastPath for ColouredGrid {
    fn particles(&self) -> Range<usize> {
        self.first..self.first + self.particles
    }

    fn cut(&mut self, _: usize, link: &Link) {
        if let Some(place) = self.place(link) {
            self.rests.set(place, f64::NAN);
            self.compliances.cut(place);
        }
    }

    fn tune(&mut self, links: &LinkList, tuning: Tuning) {
        let (of_grid, layout) = (self.particles(), self.layout);
        self.compliances.allocate(layout.elements, layout.numbers());
        let place = |link: &Link| layout.place(of_grid.start, link);
        self.compliances.put_all(links, of_grid.clone(), tuning, place);
    }

    fn multiplier(&self, _: usize, link: &Link) -> Option<Multiplier> {
        self.compliances.multiplier(self.place(link)?)
    }
}

/// Input of the sweeps over a grid, shared by all threads.
#[derive(Clone, Copy)]
struct GridWork<'a> {
    isa: Isa,
    layout: GridLayout,
    of_grid: &'a Range<usize>,
    rests: &'a DistinctRows,
    phases: Phases,
    formula: Formula,
    division: Division,
    w: &'a [f64],
}

impl GridWork<'_> {
    /// Runs all sweeps in the threads' strips of rows, starting with strip `first`, except near the
    /// borders between strips. `windows` has one window per strip. `compliances` are the XPBD
    /// values of the links in these strips.
    fn sweep_strips(
        self,
        first: usize,
        windows: &mut [RowWindow],
        compliances: &mut [CacheLine],
        access: &mut dyn ParticleAccess,
    ) {
        let strip = self.division.strip(first);
        let first_row = 2 * strip.pairs.start;
        if let [window] = windows {
            let slots = strip.slots(self.phases.len());
            let part = SweepPart::Strip(strip);
            let rows = ActivePart { slots, window, first_row, compliances, access };
            return self.sweep_part(part, rows);
        }
        let middle = windows.len() / 2;
        let row = 2 * self.division.strip(first + middle).pairs.start;
        let lines = (row - first_row) * self.layout.compliance_lines();
        let (windows_above, windows_below) = windows.split_at_mut(middle);
        let (above, below) = compliances.split_at_mut(lines.min(compliances.len()));
        access.split(self.of_grid.start + row * self.layout.columns, &mut |to_above, to_below| {
            rayon::join(
                || self.sweep_strips(first, windows_above, above, to_above),
                || self.sweep_strips(first + middle, windows_below, below, to_below),
            );
        });
    }

    /// Runs the sweeps that are missing at the lower border of each strip, starting with strip
    /// `first`. `compliances` are the XPBD values of the links, starting with row `first_row`.
    fn sweep_borders(
        self,
        first: usize,
        windows: &[RowWindow],
        borders: &mut [RowWindow],
        (first_row, compliances): (usize, &mut [CacheLine]),
        access: &mut dyn ParticleAccess,
    ) {
        match borders {
            [] => {}
            [border] => self.sweep_border(first, windows, border, (first_row, compliances), access),
            _ => {
                // Two threads share the borders. Their rows are divided in the middle of a strip,
                // which no border reaches.
                let above = borders.len() / 2;
                let Range { start, end } = self.division.strip(first + above).pairs;
                let row = 2 * ((start + end) / 2);
                let lines = (row - first_row) * self.layout.compliance_lines();
                let (borders_above, borders_below) = borders.split_at_mut(above);
                let (of_above, of_below) = compliances.split_at_mut(lines.min(compliances.len()));
                let at = self.of_grid.start + row * self.layout.columns;
                access.split(at, &mut |to_above, to_below| {
                    let of_above = (first_row, &mut *of_above);
                    let of_below = (row, &mut *of_below);
                    let (here, there) = (&windows[..=above], &windows[above..]);
                    rayon::join(
                        || self.sweep_borders(first, here, borders_above, of_above, to_above),
                        || {
                            self.sweep_borders(
                                first + above,
                                there,
                                borders_below,
                                of_below,
                                to_below,
                            )
                        },
                    );
                });
            }
        }
    }

    /// Runs the sweeps that are missing at the border between strip `number` and the next strip.
    /// `windows` are the buffers of these two strips.
    fn sweep_border(
        self,
        number: usize,
        windows: &[RowWindow],
        border: &mut RowWindow,
        (first_row, compliances): (usize, &mut [CacheLine]),
        access: &mut dyn ParticleAccess,
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
        let rows = ActivePart { slots, window: border, first_row, compliances, access };
        self.sweep_part(SweepPart::Border(at), rows);
    }

    /// Runs all sweeps in a strip of rows or at a border, on the current thread.
    fn sweep_part(self, part: SweepPart, rows: ActivePart) {
        macro_rules! run {
            ($rule:expr) => {
                self.isa.run(GridSweep { rule: $rule, work: self, part, rows })
            };
        }
        formula_rules!(self.formula, run)
    }
}

/// Buffers and particle access for the sweeps of one thread in a strip of rows or at a border.
struct ActivePart<'a> {
    slots: Slots,
    window: &'a mut RowWindow,
    /// Index of the first row whose links have their XPBD values in `compliances`.
    first_row: usize,
    compliances: &'a mut [CacheLine],
    access: &'a mut dyn ParticleAccess,
}

/// Kernel that runs all sweeps in a strip of rows or at a border, on one thread.
struct GridSweep<'w, 'r, R, const K: usize> {
    rule: R,
    work: GridWork<'w>,
    part: SweepPart,
    rows: ActivePart<'r>,
}

impl<R: Rule<K>, const K: usize> Kernel for GridSweep<'_, '_, R, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let GridSweep {
            rule,
            work,
            part,
            rows: ActivePart { slots, window, first_row, compliances, access },
        } = self;
        let GridWork { layout, of_grid, rests, phases, w, .. } = work;
        let GridLayout { rows, columns, segment, .. } = layout;
        let RowWindow { blocks, weights, start, outgoing } = window;
        let mut transfer = RowTransfer { of_grid, w, access, columns, outgoing };
        let links = LinkNumbers {
            segment,
            rests,
            distinct: vectors(rests.distinct()),
            compliances: vectors_mut(compliances).as_chunks_mut().0,
            first_row,
        };
        let mut rows = ActiveRows {
            rule,
            rows,
            segment,
            slots,
            blocks: vectors_mut::<V>(blocks).as_chunks_mut().0,
            weights: vectors_mut(weights),
            start: vectors_mut::<V>(start).as_chunks_mut().0,
            links,
            prefetch: PrefetchQueue::NONE,
        };
        let (first, last, count) = (phases.first, phases.last(), phases.len());
        let (loading, storing) = match &part {
            SweepPart::Strip(strip) => (strip.pairs.clone(), strip.finished(count)),
            SweepPart::Border(_) => (0..0, 0..0),
        };
        for wave_step in part.wave_steps(count) {
            if loading.contains(&wave_step) {
                rows.load(wave_step, first, &mut transfer);
            }
            if loading.contains(&(wave_step + 1)) {
                rows.queue_prefetch(wave_step + 1, &transfer);
            }
            rows.advance(wave_step, phases, &part, &mut transfer);
            if wave_step >= count && storing.contains(&(wave_step - count)) {
                rows.store(wave_step - count, last, &mut transfer);
            }
        }
        if let SweepPart::Border(at) = part {
            for pair in at - count..at + count {
                rows.store(pair, last, &mut transfer);
            }
        }
    }
}
