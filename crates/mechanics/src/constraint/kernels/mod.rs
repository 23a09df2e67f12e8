//! SIMD kernels for sweeps over chains, grids, plates and nets. docs/speed.md explains them.
//!
//! The plain loop (`sweep/`) defines the result of a sweep. A kernel gives the same bits.
//! Components without a kernel are left to the plain loop.

mod chain;
mod compliances;
mod fast_path;
mod formula;
mod grid;
mod net;
mod rule;
mod wavefront;

pub(super) use formula::{Formula, SweepJob};

use super::multiplier::{Multiplier, Tuning};
use super::particles::ParticleAccess;
use super::sweep::SweepOrder;
use crate::mesh::component::{Component, LinkPattern};
use crate::mesh::{Link, Links};
use crate::numerics::simd::{Isa, Width};
use chain::ChainKernel;
use fast_path::{FastPath, cut_link_in, gaps_between, path_of_particle};
use glam::DVec3;
use grid::ColouredGrid;
use net::Net;
use std::ops::Range;
use wavefront::Wavefront;

/// Kernels of nets for each sweep order, in ascending order of their particles.
#[derive(Clone, Debug, Default, PartialEq)]
struct Nets {
    end_to_end: Vec<Net>,
    back_and_forth: Vec<Net>,
    coloured: Vec<Net>,
}

impl Nets {
    fn of(&self, order: SweepOrder) -> &[Net] {
        match order {
            SweepOrder::EndToEnd => &self.end_to_end,
            SweepOrder::BackAndForth => &self.back_and_forth,
            SweepOrder::Coloured => &self.coloured,
            SweepOrder::Jacobi { .. } => &[],
        }
    }

    fn of_mut(&mut self, order: SweepOrder) -> &mut [Net] {
        match order {
            SweepOrder::EndToEnd => &mut self.end_to_end,
            SweepOrder::BackAndForth => &mut self.back_and_forth,
            SweepOrder::Coloured => &mut self.coloured,
            SweepOrder::Jacobi { .. } => &mut [],
        }
    }

    fn is_empty(&self) -> bool {
        SweepOrder::ALL.into_iter().all(|order| self.of(order).is_empty())
    }
}

/// SIMD kernels of those components of a mesh that a kernel supports.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FastPaths {
    width: Width,
    chains: Vec<ChainKernel>,
    wavefronts: Vec<Wavefront>,
    grids: Vec<ColouredGrid>,
    nets: Nets,
    particles: usize,
    between_grids: Vec<Range<usize>>,
    between_wavefronts: Vec<Range<usize>>,
}

impl FastPaths {
    pub fn new(components: &[Component], links: &Links, particles: usize, width: Width) -> Self {
        let isa = width.widest();
        let mut paths = Self {
            width,
            chains: Vec::new(),
            wavefronts: Vec::new(),
            grids: Vec::new(),
            nets: Nets::default(),
            particles,
            between_grids: gaps_between::<ColouredGrid>(&[], particles),
            between_wavefronts: gaps_between::<Wavefront>(&[], particles),
        };
        if isa == Isa::Scalar {
            return paths;
        }
        for component in components {
            match component.pattern {
                LinkPattern::Chain => paths.chains.push(ChainKernel::new(component, links, width)),
                LinkPattern::Grid { columns } => {
                    paths.grids.push(ColouredGrid::new(component, columns, links, isa));
                }
                LinkPattern::Plate { .. } | LinkPattern::Net => {}
            }
        }
        paths.between_grids = gaps_between(&paths.grids, particles);
        paths
    }

    /// Adds the kernels for the sweep order `order`. For end-to-end sweeps these are the kernels of
    /// grids and plates (`Wavefront`) and of nets, for back-and-forth sweeps those of nets.
    pub fn add_ordered(&mut self, order: SweepOrder, components: &[Component], links: &Links) {
        if self.width.widest() == Isa::Scalar {
            return;
        }
        if order == SweepOrder::EndToEnd {
            let listed =
                components.iter().filter(|component| Wavefront::can_sweep(component, links));
            let wavefront = |component| Wavefront::new(component, links, self.width);
            self.wavefronts = listed.filter_map(wavefront).collect();
            self.between_wavefronts = gaps_between(&self.wavefronts, self.particles);
        }
        let left = components.iter().filter(|component| !self.can_sweep(order, component));
        let nets = left.filter(|component| Net::can_sweep(component, links));
        let nets = nets.filter_map(|component| Net::in_list_order(component, links, self.width));
        if order == SweepOrder::BackAndForth {
            self.nets.back_and_forth = nets.map(Net::back_and_forth).collect();
        } else {
            self.nets.end_to_end = nets.collect();
        }
    }

    /// Adds the kernels of nets for coloured sweeps. Chains and plates count as nets.
    pub fn add_coloured(&mut self, components: &[Component], colours: &[Vec<u32>], links: &Links) {
        if self.width.widest() == Isa::Scalar {
            return;
        }
        let left =
            components.iter().filter(|component| !self.can_sweep(SweepOrder::Coloured, component));
        let nets = left.filter(|component| Net::can_sweep(component, links));
        self.nets.coloured =
            nets.map(|component| Net::coloured(component, colours, links, self.width)).collect();
    }

    pub fn cut(&mut self, number: usize, link: &Link) {
        cut_link_in(&mut self.chains, number, link);
        cut_link_in(&mut self.wavefronts, number, link);
        cut_link_in(&mut self.grids, number, link);
        for order in SweepOrder::ALL {
            cut_link_in(self.nets.of_mut(order), number, link);
        }
    }

    /// Computes the coefficients of XPBD's multipliers for projections in this order.
    pub fn tune(&mut self, order: SweepOrder, links: &Links, tuning: Tuning) {
        let Self { chains, wavefronts, grids, nets, .. } = self;
        match order {
            SweepOrder::EndToEnd => {
                chains.iter_mut().for_each(|chain| chain.tune(links, tuning));
                wavefronts.iter_mut().for_each(|wavefront| wavefront.tune(links, tuning));
            }
            SweepOrder::Coloured => grids.iter_mut().for_each(|grid| grid.tune(links, tuning)),
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => {}
        }
        nets.of_mut(order).iter_mut().for_each(|net| net.tune(links, tuning));
    }

    /// Returns the multiplier of a link after the last XPBD projection in this order. `None` if no
    /// kernel contains the link.
    pub fn multiplier(&self, order: SweepOrder, number: usize, link: &Link) -> Option<Multiplier> {
        self.path(order, link.a)?.multiplier(number, link)
    }

    /// Returns the kernel that sweeps a particle in this order. `None` if there is no such kernel.
    fn path(&self, order: SweepOrder, particle: u32) -> Option<&dyn FastPath> {
        fn find_path<P: FastPath>(paths: &[P], particle: u32) -> Option<&dyn FastPath> {
            path_of_particle(paths, particle).map(|path| path as &dyn FastPath)
        }
        let Self { chains, wavefronts, grids, nets, .. } = self;
        let of_pattern = match order {
            SweepOrder::EndToEnd => {
                find_path(chains, particle).or_else(|| find_path(wavefronts, particle))
            }
            SweepOrder::Coloured => find_path(grids, particle),
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => None,
        };
        of_pattern.or_else(|| find_path(nets.of(order), particle))
    }

    /// True if the kernels of chains and grids sweep all links in this order.
    pub fn can_sweep_all(&self, order: SweepOrder, links: &Links) -> bool {
        let swept_links: usize = match order {
            SweepOrder::EndToEnd => self.chains.iter().map(ChainKernel::links).sum(),
            SweepOrder::Coloured => self.grids.iter().map(ColouredGrid::links).sum(),
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => 0,
        };
        swept_links == links.len()
    }

    /// Returns the widest instruction set that the kernels have used, or will use before the first
    /// sweep.
    pub fn isa(&self) -> Isa {
        let only_chains = self.grids.is_empty() && self.nets.is_empty();
        let of_chains = self.chains.iter().map(ChainKernel::isa).max_by_key(|isa| isa.elements());
        of_chains.filter(|_| only_chains).unwrap_or(self.width.widest())
    }

    pub fn can_sweep(&self, order: SweepOrder, component: &Component) -> bool {
        self.path(order, component.particles.start).is_some()
    }

    /// Returns the particle range of each section of links, see [`Self::slack`]. `None` unless all
    /// links belong to grids and their number is `links`.
    pub fn sections(&self, links: usize) -> Option<Vec<Range<usize>>> {
        let links_in_grids: usize = self.grids.iter().map(ColouredGrid::links).sum();
        (links_in_grids == links)
            .then(|| self.grids.iter().flat_map(ColouredGrid::sections).collect())
    }

    /// Returns the length in metres by which the links of a section (two rows of a grid) may still
    /// grow before one reaches `factor` times its rest length. `None` if no section has the index
    /// `section`.
    pub fn slack(&mut self, section: usize, factor: f64, x: &[DVec3]) -> Option<f64> {
        let mut number = section;
        for grid in &mut self.grids {
            let sections = grid.sections().len();
            if number < sections {
                return Some(grid.slack(number, factor, x));
            }
            number -= sections;
        }
        None
    }

    /// True if [`Self::sweep_by_rows`] sweeps all links that have a kernel in this order.
    pub fn sweeps_only_by_rows(&self, order: SweepOrder) -> bool {
        let without_chains = match order {
            SweepOrder::EndToEnd => self.chains.is_empty(),
            SweepOrder::Coloured => true,
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => false,
        };
        without_chains && self.nets.of(order).is_empty()
    }

    /// Returns the particle ranges that [`Self::sweep_by_rows`] does not load and store, in
    /// ascending order.
    pub fn unlinked(&self, order: SweepOrder) -> &[Range<usize>] {
        match order {
            SweepOrder::EndToEnd => &self.between_wavefronts,
            SweepOrder::Coloured => &self.between_grids,
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => &[],
        }
    }

    /// Runs all sweeps of each projection with the kernels that load and store particles row by
    /// row.
    pub fn sweep_by_rows(
        &mut self,
        order: SweepOrder,
        job: SweepJob,
        access: &mut dyn ParticleAccess,
    ) {
        match order {
            SweepOrder::EndToEnd => {
                self.wavefronts.iter_mut().for_each(|wavefront| wavefront.sweep(job, access));
            }
            SweepOrder::Coloured => {
                self.grids.iter_mut().for_each(|grid| grid.sweep(job, access));
            }
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => {}
        }
    }

    /// Runs all sweeps of one projection with the kernels that [`Self::sweep_by_rows`] skips.
    /// `start` are the positions at the start of the step, for XPBD.
    pub fn sweep(&mut self, order: SweepOrder, job: SweepJob, x: &mut [DVec3], start: &[DVec3]) {
        let Self { chains, nets, .. } = self;
        if order == SweepOrder::EndToEnd {
            chains.iter_mut().for_each(|chain| chain.sweep(job, x, start));
        }
        nets.of_mut(order).iter_mut().for_each(|net| net.sweep(job, x, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ClothMaterial, Mesh, RopeMaterial};
    use crate::mesh::{LinkKind, colouring};

    /// Returns the sweep orders with a kernel for the first component of a mesh, after `relist` has
    /// rearranged its links.
    fn swept_links(mesh: &Mesh, relist: impl Fn(&mut Vec<Link>)) -> Vec<SweepOrder> {
        let mut links: Vec<Link> = mesh.links.iter().collect();
        relist(&mut links);
        let (links, particles) = (Links::from(links), mesh.positions.len());
        let components = Component::all(&links, particles);
        let colours = colouring::colour_components(&components, &links, particles);
        let mut paths = FastPaths::new(&components, &links, particles, Width::Fastest);
        paths.add_ordered(SweepOrder::EndToEnd, &components, &links);
        paths.add_ordered(SweepOrder::BackAndForth, &components, &links);
        paths.add_coloured(&components, &colours, &links);
        SweepOrder::ALL
            .into_iter()
            .filter(|order| paths.can_sweep(*order, &components[0]))
            .collect()
    }

    /// The plain loop gives links without a kernel the same bits, but takes longer.
    #[test]
    fn only_ropes_have_no_path_in_some_orders() {
        use SweepOrder::{BackAndForth, Coloured, EndToEnd};
        let without_bending = |links: &mut Vec<Link>| links.retain(|l| l.kind != LinkKind::Bend);
        let mut rope = Mesh::default();
        let material = RopeMaterial { bend_stiffness: 1.0, ..RopeMaterial::default() };
        rope.rope(DVec3::ZERO, DVec3::X, 1.0, 20, &material);
        assert_eq!(swept_links(&rope, without_bending), [EndToEnd, Coloured]);
        assert_eq!(swept_links(&rope, |_| ()), [Coloured]);
        let mut cloth = Mesh::default();
        let material = ClothMaterial { bend_stiffness: 1.0, ..ClothMaterial::default() };
        cloth.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [11, 8], &material);
        let tied = |links: &mut Vec<Link>| links.extend(Some(Link { b: 80, ..links[0] }));
        let relistings: [fn(&mut Vec<Link>); 4] =
            [|_| (), without_bending, |links| links.reverse(), tied];
        for relist in relistings {
            assert_eq!(swept_links(&cloth, relist), [EndToEnd, BackAndForth, Coloured]);
        }
    }
}
