//! Kernel for grids and plates swept end to end: each element of a SIMD vector sweeps its own row.
//! docs/speed.md explains the wavefront with a figure.

mod cell_of_4;
mod cell_of_6;
mod layout;
mod wave;
mod wave_sweep;

use super::compliances::Compliances;
use super::fast_path::FastPath;
use super::formula::{Formula, SweepJob, formula_rules};
use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::constraint::particles::ParticleAccess;
use crate::mesh::component::{Component, LinkPattern};
use crate::mesh::{Link, Links};
use crate::numerics::simd::{CacheLine, Isa, Width, allocate_lines, numbers_mut};
use glam::DVec3;
use itertools::Itertools;
use layout::{WaveLayout, list_cell};
use std::ops::Range;
use wave_sweep::WaveSweep;

/// Time of a wave step with AVX2 divided by the time with AVX-512, measured as 0.6 to 0.7 on an
/// Intel Xeon. AVX2 may be faster in small cloths, because the elements of wide vectors are idle
/// more often: before the first column and after the last.
const AVX2_TIME_RATIO: f64 = 0.65;

/// Grid or plate whose links are listed cell by cell, as in a cloth. The links of a cell are, in
/// this order: from its upper left corner right, down and down-right; from its upper right corner
/// down-left; in a plate from its upper left corner two to the right and two down.
///
/// A cell depends on the cells to its left and above it. The last of these that a sweep reaches is
/// the upper right one or, in a plate, the cell to the right of that one. Each row may therefore
/// follow the row above at a distance of two cells (three in a plate): at time t, element i of a
/// strip of rows works on column t − 2i (t − 3i in a plate).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wavefront {
    isa: Isa,
    particles: Range<usize>,
    layout: WaveLayout,
    one_sided: bool,
    /// Positions and inverse masses of the particles, in the memory layout of [`WaveLayout`].
    blocks: Vec<CacheLine>,
    /// Positions at the start of the step in the same layout, for XPBD with damping.
    start: Vec<CacheLine>,
    /// Rest lengths in the encoding of [`Rule`](super::rule::Rule), cell by cell.
    rest: Vec<CacheLine>,
    compliances: Compliances,
    /// Buffer for the stored particles of a strip.
    outgoing: Vec<DVec3>,
}

impl Wavefront {
    /// True if the links are listed cell by cell and row by row.
    pub fn can_sweep(component: &Component, links: &Links) -> bool {
        let (LinkPattern::Grid { columns } | LinkPattern::Plate { columns }) = component.pattern
        else {
            return false;
        };
        let cells = component
            .links
            .iter()
            .map(|&i| component.place(&links.at(i as usize), columns).map(list_cell));
        cells.tuple_windows().all(|(before, next)| before < next)
    }

    /// Creates the kernel of a component. `None` if the component is neither grid nor plate.
    pub fn new(component: &Component, links: &Links, width: Width) -> Option<Self> {
        let (isa, layout) = fastest_layout(component, width)?;
        let mut wavefront = Self {
            isa,
            particles: component.particles.start as usize..component.particles.end as usize,
            layout,
            one_sided: component.links.iter().any(|&i| links.at(i as usize).one_sided),
            blocks: Vec::new(),
            start: Vec::new(),
            rest: allocate_lines(layout.numbers(), f64::NAN),
            compliances: Compliances::default(),
            outgoing: Vec::new(),
        };
        for link in component.links.iter().map(|&i| links.at(i as usize)) {
            if let Some(number) = wavefront.number(&link) {
                let rest = if link.one_sided { -link.rest } else { link.rest };
                numbers_mut(&mut wavefront.rest)[number] = rest;
            }
        }
        Some(wavefront)
    }

    /// Runs end-to-end sweeps over the links, in all substeps of `access`.
    pub fn sweep(&mut self, job: SweepJob, access: &mut dyn ParticleAccess) {
        let damped = matches!(job.formula, Formula::Compliant { damped: true, .. });
        self.allocate(damped);
        self.layout.pack_weights(&job.w[self.particles()], &mut self.blocks);
        let (strips, substeps) = (self.layout.strips, access.substeps());
        (0..strips).for_each(|strip| self.load(strip, 0, access));
        for substep in 0..substeps {
            self.relax(job);
            for strip in 0..strips {
                self.store(strip, substep, access);
                if substep + 1 < substeps {
                    self.load(strip, substep + 1, access);
                }
            }
        }
    }

    fn relax(&mut self, job: SweepJob) {
        let Self { isa, layout, blocks, start, rest, compliances, .. } = self;
        let formula = job.formula.one_sided(self.one_sided);
        let links = match formula {
            Formula::Compliant { .. } => &mut compliances.lines,
            _ => rest,
        };
        let iterations = job.iterations;
        macro_rules! run {
            ($rule:expr) => {{
                let (rule, layout) = ($rule, *layout);
                if layout.plate {
                    isa.run(WaveSweep::<_, _, true> {
                        rule,
                        iterations,
                        layout,
                        blocks,
                        start,
                        links,
                    })
                } else {
                    isa.run(WaveSweep::<_, _, false> {
                        rule,
                        iterations,
                        layout,
                        blocks,
                        start,
                        links,
                    })
                }
            }};
        }
        formula_rules!(formula, run);
    }

    fn allocate(&mut self, damped: bool) {
        let WaveLayout { columns, elements, strips, .. } = self.layout;
        // Two empty strips follow the last strip. The first of them is in progress together with
        // the first and with the last strip of the grid. The second one is the strip below it.
        let numbers = (strips + 2) * self.layout.strip_blocks() * 4 * elements;
        for column in [Some(&mut self.blocks), damped.then_some(&mut self.start)] {
            column.filter(|column| column.is_empty()).into_iter().for_each(|column| {
                *column = allocate_lines(numbers, 0.0);
            });
        }
        self.outgoing.resize(elements * columns, DVec3::ZERO);
    }

    fn load(&mut self, strip: usize, substep: usize, access: &mut dyn ParticleAccess) {
        let loaded = access.load(substep, self.strip_particles(strip));
        let Self { layout, blocks, start, .. } = self;
        layout.pack(strip, loaded.x, blocks);
        if !start.is_empty() {
            layout.pack(strip, loaded.start, start);
        }
    }

    fn store(&mut self, strip: usize, substep: usize, access: &mut dyn ParticleAccess) {
        let particles = self.strip_particles(strip);
        let Self { layout, blocks, outgoing, .. } = self;
        let x = &mut outgoing[..particles.len()];
        layout.unpack(strip, blocks, x);
        access.store(substep, particles, x);
    }

    fn strip_particles(&self, strip: usize) -> Range<usize> {
        let Range { start, end } = self.particles;
        let size = self.layout.elements * self.layout.columns;
        start + strip * size..end.min(start + (strip + 1) * size)
    }

    fn number(&self, link: &Link) -> Option<usize> {
        self.layout.place(self.particles.start, link)
    }
}

/// Returns the instruction set that takes the least time, and its layout. `None` if the component
/// is neither grid nor plate.
fn fastest_layout(component: &Component, width: Width) -> Option<(Isa, WaveLayout)> {
    let with = |isa: Isa| {
        Some((isa, WaveLayout::of(component.pattern, component.particles.len(), isa.elements())?))
    };
    let (isa, layout) = with(width.widest())?;
    let narrower = width.narrower().and_then(with).filter(|(_, narrower)| {
        AVX2_TIME_RATIO * (narrower.total_wave_steps() as f64) < layout.total_wave_steps() as f64
    });
    narrower.or(Some((isa, layout)))
}

impl FastPath for Wavefront {
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
        self.compliances.allocate(layout.elements, layout.numbers());
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
    use crate::mesh::LinkKind;
    use crate::mesh::{ClothMaterial, Mesh};

    /// Returns true if the kernel sweeps a cloth's links as a plate, false if as a grid. `None` if
    /// it does not support them.
    fn taken(bend_stiffness: f64, relist: impl Fn(&mut Vec<Link>)) -> Option<bool> {
        let mut mesh = Mesh::default();
        let material = ClothMaterial { bend_stiffness, ..ClothMaterial::default() };
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [11, 8], &material);
        let mut links: Vec<Link> = mesh.links.iter().collect();
        relist(&mut links);
        let links = links.into();
        let component = &Component::all(&links, mesh.positions.len())[0];
        let wave = Wavefront::new(component, &links, Width::Fastest);
        wave.filter(|_| Wavefront::can_sweep(component, &links)).map(|wave| wave.layout.plate)
    }

    /// A list in another order would be swept wrongly and change bits. A list that is not
    /// recognised only takes more time.
    #[test]
    fn cloths_are_taken_with_and_without_bending_as_they_are_listed() {
        for (bend_stiffness, plate) in [(0.0, false), (1.0, true)] {
            assert_eq!(taken(bend_stiffness, |_| ()), Some(plate));
            assert_eq!(taken(bend_stiffness, |links| links.reverse()), None);
            assert_eq!(taken(bend_stiffness, |links| links.swap(30, 32)), None);
        }
        let without_shear = |links: &mut Vec<Link>| links.retain(|l| l.kind != LinkKind::Shear);
        assert_eq!(taken(1.0, without_shear), Some(true));
        let bends = |links: &mut Vec<Link>| links.retain(|l| l.kind == LinkKind::Bend);
        assert_eq!(taken(1.0, bends), Some(true));
        let bends_last = |links: &mut Vec<Link>| links.sort_by_key(|l| l.kind == LinkKind::Bend);
        assert_eq!(taken(1.0, bends_last), None);
    }
}
