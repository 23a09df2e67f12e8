//! Links and bends as constraints, with the data that the solvers keep between projections.

use super::element::BendConstraints;
use super::kernels::{FastPaths, Formula, SweepJob};
use super::multiplier::{Multiplier, Tuning};
use super::network::Network;
use super::particles::{InPlace, ParticleAccess};
use super::solver_data::{SolverData, SolverDataList};
use super::sweep::{Ends, SweepOrder};
use crate::mesh::component::Component;
use crate::mesh::{Bends, Link, Links, colour_links};
use crate::numerics::simd::{Isa, Width};
use glam::DVec3;
use std::ops::Range;

/// Links and bends for a constraint solver, with the solver's data. A simulation builds them once
/// for a scene and its settings. [`super::Solver::prepare`] adds the data of one solver or sweep
/// order.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    pub(super) network: Network,
    pub(super) bends: BendConstraints,
    tuned: Option<Tuned>,
    paths: FastPaths,
    /// Buffer for the positions of particles without links. Needed in projections that load and
    /// store particles row by row.
    unlinked: Vec<DVec3>,
    /// Positions after the free motion, for a restart of SHAKE.
    pub(super) free: Vec<DVec3>,
    /// Data of individual solvers, e.g. a matrix pattern.
    solver_data: SolverDataList,
}

/// XPBD's multipliers of the links that the plain loop sweeps. SIMD kernels store the other
/// multipliers themselves.
#[derive(Clone, Debug, PartialEq)]
struct Tuned {
    tuning: Tuning,
    is_damped: bool,
    /// One multiplier per link; empty if the plain loop sweeps no links.
    multipliers: Vec<Multiplier>,
}

#[derive(Clone, Copy)]
pub(super) struct Sweeps<'a> {
    pub order: SweepOrder,
    pub iterations: u32,
    /// Formula for the SIMD kernels. It gives the same bits as the closure for the plain loop.
    pub formula: Formula,
    /// Inverse masses in 1/kg.
    pub w: &'a [f64],
}

impl Constraints {
    /// Creates constraints from links over this many particles.
    ///
    /// # Panics
    ///
    /// If a link's end is not below `particles`.
    pub fn new(links: impl Into<Links>, particles: usize) -> Self {
        Self::build(Width::Fastest, links.into(), particles)
    }

    /// Creates constraints whose kernels use the given instruction set. With [`Isa::Scalar`] the
    /// plain loop sweeps all links. Every instruction set gives the same bits.
    ///
    /// # Panics
    ///
    /// If a link's end is not below `particles`.
    pub fn with_isa(isa: Isa, links: impl Into<Links>, particles: usize) -> Self {
        Self::build(Width::Given(isa), links.into(), particles)
    }

    fn build(width: Width, links: Links, particles: usize) -> Self {
        let paths = FastPaths::new(&Component::all(&links, particles), &links, particles, width);
        let network = Network::new(links, particles);
        let bends = BendConstraints::default();
        let (unlinked, free) = (Vec::new(), Vec::new());
        Self {
            network,
            bends,
            tuned: None,
            paths,
            unlinked,
            free,
            solver_data: SolverDataList::default(),
        }
    }

    /// Builds the data for sweeps in this order, e.g. a colouring. Further calls with the same
    /// order do nothing.
    pub(super) fn prepare(&mut self, order: SweepOrder) {
        self.network.prepare(order, &mut self.paths);
    }

    /// Removes all kernels, so that the plain loop sweeps all links. A solver calls this if no
    /// kernel implements its formula.
    pub(super) fn drop_kernels(&mut self) {
        if self.isa() == Isa::Scalar {
            return;
        }
        let (links, particles) = (self.network.links.clone(), self.network.particles);
        let bends = std::mem::take(&mut self.bends);
        *self = Self { bends, ..Self::with_isa(Isa::Scalar, links, particles) };
    }

    /// Cuts a link. Lists and kernels keep their layout, with an inactive link in its place.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    pub fn cut(&mut self, link: usize) {
        let Self { network, tuned, paths, solver_data, .. } = self;
        if !network.links.at(link).is_cut() {
            paths.cut(link, &network.cut(link));
            if let Some(multiplier) = tuned.as_mut().and_then(|t| t.multipliers.get_mut(link)) {
                multiplier.lambda = 0.0;
            }
            solver_data.cut(link);
        }
    }

    /// Replaces the bends. A kernel runs all its sweeps at once, but sweeps over bends and links
    /// must alternate. Constraints with bends and several sweeps per step must therefore have no
    /// kernels, see [`Self::with_isa`].
    pub fn set_bends(&mut self, bends: &Bends) {
        if *self.bends.bends() != *bends {
            self.solver_data.drop_if(|data| data.contains_bends());
        }
        self.bends = BendConstraints::new(bends);
    }

    /// Computes the coefficients of all multipliers, unless they are stored for the same tuning.
    /// Returns true if a link has damping. [`super::Solver::prepare`] must have built the data of
    /// the sweep order `tuning.order`.
    pub(super) fn tune(&mut self, tuning: Tuning) -> bool {
        let Self { network, tuned, paths, solver_data, .. } = self;
        if let Some(tuned) = tuned.as_ref().filter(|tuned| tuned.tuning == tuning) {
            return tuned.is_damped;
        }
        // Multipliers are stored for the most recent solver only.
        solver_data.drop_if(|data| data.has_multipliers());
        let order = tuning.order;
        paths.tune(order, &network.links, tuning);
        let mut multipliers = tuned.take().map_or(Vec::new(), |tuned| tuned.multipliers);
        multipliers.clear();
        let all = || network.links.iter().map(|link| tuning.multiplier(&link));
        if network.has_scalar_links(order) {
            multipliers.extend(all());
        }
        let is_damped = all().any(|multiplier| multiplier.gamma != 0.0);
        *tuned = Some(Tuned { tuning, is_damped, multipliers });
        is_damped
    }

    /// Runs sweeps over particles at `x`. Kernels sweep the links that they support, and the plain
    /// loop sweeps the other links with `rule`. This closure receives a link's index, the link, its
    /// ends and all multipliers, and returns the correction p. Each sweep corrects bends before
    /// links, because the last correction leaves the smallest error, and link errors are more
    /// visible.
    pub(super) fn sweep(
        &mut self,
        sweeps: Sweeps,
        start: &[DVec3],
        x: &mut [DVec3],
        mut rule: impl FnMut(usize, &Link, Ends, &mut [Multiplier]) -> Option<DVec3>,
    ) {
        let Sweeps { order, iterations, formula, w } = sweeps;
        let Self { network, bends, tuned, paths, .. } = self;
        let job = SweepJob { iterations: iterations as usize, formula, w };
        // Bends come first in each sweep. The kernels below run all sweeps at once. This is
        // correct, because constraints with bends and several sweeps have no kernels.
        bends.sweep(w, x);
        paths.sweep_by_rows(order, job, &mut InPlace::new(x, start));
        paths.sweep(order, job, x, start);
        let multipliers = tuned.as_mut().map_or(&mut [][..], |tuned| &mut tuned.multipliers);
        multipliers.iter_mut().for_each(|multiplier| multiplier.lambda = 0.0);
        let sweeps_at_once = if bends.is_empty() { iterations } else { 1 };
        network.sweep(
            order,
            0..sweeps_at_once,
            w,
            x,
            #[inline(always)]
            |i, link, ends| rule(i, link, ends, multipliers),
        );
        for number in sweeps_at_once..iterations {
            bends.sweep(w, x);
            network.sweep(order, number..number + 1, w, x, |i, link, ends| {
                rule(i, link, ends, multipliers)
            });
        }
    }

    /// True for a net or cloth, i.e. if there are more than 1.25 links per particle. Elimination of
    /// all links would then cause too much fill-in.
    pub(super) fn is_net(&self) -> bool {
        self.network.links.len() > self.network.particles + self.network.particles / 4
    }

    /// Returns the data of a solver. Builds them on first use.
    pub(super) fn data<P: SolverData>(&mut self) -> &mut P {
        self.data_and_bends().0
    }

    /// Returns the data of a solver, and the bends. Builds the data on first use.
    pub(super) fn data_and_bends<P: SolverData>(&mut self) -> (&mut P, &mut BendConstraints) {
        let Self { network, bends, tuned, solver_data, .. } = self;
        let list = || P::of(&network.links, bends.bends(), network.particles);
        let data = solver_data.get_or_build(list);
        if data.has_multipliers() {
            // Multipliers are stored for the most recent solver only.
            *tuned = None;
        }
        (data, bends)
    }

    /// Returns the data of a solver. `None` if they have not been built.
    pub(super) fn built_data<P: SolverData>(&self) -> Option<&P> {
        self.solver_data.get()
    }

    /// Moves the initial link forces of a warm start from `forces` to the solver: one per link, in
    /// newtons. An empty list means a cold start. If the solver does not support a warm start,
    /// `forces` does not change.
    pub fn load_warm_start(&mut self, forces: &mut Vec<f64>) {
        if let Some(own) = self.solver_data.warm_start() {
            std::mem::swap(own, forces);
            forces.clear();
        }
    }

    /// Moves the link forces for the solver's next warm start to `forces`: one per link, in
    /// newtons. If the solver does not support a warm start, `forces` does not change.
    pub fn store_warm_start(&mut self, forces: &mut Vec<f64>) {
        if let Some(own) = self.solver_data.warm_start() {
            std::mem::swap(own, forces);
            own.clear();
        }
    }

    /// True if SIMD kernels sweep all links in this order, and all these kernels load and store the
    /// particles row by row. [`super::Solver::prepare`] must have built the data of the order.
    pub(super) fn can_sweep_by_rows(&self, order: SweepOrder) -> bool {
        self.bends.is_empty()
            && !self.network.has_scalar_links(order)
            && self.paths.sweeps_only_by_rows(order)
    }

    /// Runs sweeps over particles that `access` loads and stores row by row. Requires
    /// [`Self::can_sweep_by_rows`].
    pub(super) fn sweep_by_rows(&mut self, sweeps: Sweeps, access: &mut dyn ParticleAccess) {
        let Sweeps { order, iterations, formula, w } = sweeps;
        let Self { paths, unlinked, .. } = self;
        paths.sweep_by_rows(
            order,
            SweepJob { iterations: iterations as usize, formula, w },
            access,
        );
        for substep in 0..access.substeps() {
            for particles in paths.unlinked(order) {
                unlinked.clear();
                unlinked.extend_from_slice(access.load(substep, particles.clone()).x);
                access.store(substep, particles.clone(), unlinked);
            }
        }
    }

    /// Returns the widest instruction set that the kernels have used, or will use before the first
    /// sweep.
    pub fn isa(&self) -> Isa {
        self.paths.isa()
    }

    /// Returns the links in the order of an end-to-end sweep.
    pub fn links(&self) -> &Links {
        &self.network.links
    }

    /// Yields the forces of the bends in the last projection: particle, and force on it in newtons.
    pub fn bend_forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.bends.forces()
    }

    /// Returns the number of links.
    pub fn len(&self) -> usize {
        self.network.links.len()
    }

    /// True if there are no links and no bends.
    pub fn is_empty(&self) -> bool {
        self.network.links.is_empty() && self.bends.is_empty()
    }

    /// Computes an edge colouring. Returns the indices of the links of each colour. Two links of
    /// one colour share no particle.
    pub fn colours(&self) -> Vec<Vec<u32>> {
        colour_links(&self.network.links, self.network.particles)
    }

    /// Returns the largest |l − L|/L of all links at the positions `x`. Slack one-sided links and
    /// links between two pinned particles (`w` = 0) count as 0. Infinite if a position is not
    /// finite.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        self.network.residual(w, x)
    }

    /// Divides the links into sections of two grid rows and returns the range of particles of each
    /// section, in ascending order. [`Self::slack`] checks the links of a section together, which
    /// is faster than link by link. `None` unless all links belong to grids and their number is
    /// `links`.
    pub fn sections(&self, links: usize) -> Option<Vec<Range<usize>>> {
        self.paths.sections(links)
    }

    /// Returns the length in metres by which the links of a section (two rows of a grid) may still
    /// grow before one reaches `factor` times its rest length. Zero or negative if a link has
    /// reached that length. The result is slightly too small. `None` if no section has the index
    /// `section`.
    pub fn slack(&mut self, section: usize, factor: f64, x: &[DVec3]) -> Option<f64> {
        self.paths.slack(section, factor, x)
    }

    /// Returns the tension −λ/dt² of a link in newtons, from the last projection of XPBD or the
    /// direct solver; positive if the link pulls. `dt` is the length of that step in seconds. 0
    /// before the first projection.
    pub fn tension(&self, link: usize, dt: f64) -> f64 {
        self.known_tension(link, dt).unwrap_or(0.0)
    }

    /// Returns the tension like [`Self::tension`]. `None` before the first projection.
    pub fn known_tension(&self, link: usize, dt: f64) -> Option<f64> {
        Some(-self.known_multiplier(link)?.lambda / (dt * dt))
    }

    /// Returns the multiplier of a link after the last projection of XPBD or the direct solver.
    /// Zero before the first projection.
    pub(super) fn multiplier(&self, link: usize) -> Multiplier {
        self.known_multiplier(link).unwrap_or_default()
    }

    fn known_multiplier(&self, link: usize) -> Option<Multiplier> {
        if let Some(multiplier) = self.solver_data.multiplier(link) {
            return Some(multiplier);
        }
        let Tuned { tuning, multipliers, .. } = self.tuned.as_ref()?;
        let of_path = self.paths.multiplier(tuning.order, link, &self.network.links.at(link));
        Some(of_path.unwrap_or_else(|| multipliers[link]))
    }
}
