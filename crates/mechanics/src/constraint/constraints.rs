//! Links as constraints, with the lists and fast paths of the solvers.

use super::SweepOrder;
use super::element::BendConstraints;
use super::kernels::{FastPaths, Formula, SweepJob};
use super::particle_stream::{InPlace, ParticleStream};
use super::plans::{Plan, Plans};
use super::sweep::{Ends, Network};
use super::xpbd::Tuning;
use crate::mesh::component::Component;
use crate::mesh::{Bends, Link, Links, colour_links};
use crate::numerics::simd::{Isa, Width};
use glam::DVec3;
use std::ops::Range;

/// Links and bends under a solver, with the solver's memory. Built once for a scene and its
/// settings; [`super::Solver::prepare`] adds the parts that only one solver or order needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    pub(super) network: Network,
    pub(super) bends: BendConstraints,
    tuned: Option<Tuned>,
    paths: FastPaths,
    /// Buffer for particles of a stream without links.
    unlinked: Vec<DVec3>,
    /// Positions after free motion, from which SHAKE may have to start again.
    pub(super) free: Vec<DVec3>,
    /// Lists that belong to one kind of solver each.
    plans: Plans,
}

/// Multipliers of XPBD for the links of the plain loop. Fast paths store the multipliers of their
/// own links.
#[derive(Clone, Debug, PartialEq)]
struct Tuned {
    tuning: Tuning,
    /// True if any link has damping.
    is_damped: bool,
    /// One multiplier per link if the plain loop visits any link; otherwise empty.
    multipliers: Vec<Multiplier>,
}

/// Settings of the sweeps of a projection.
#[derive(Clone, Copy)]
pub(super) struct Sweeps<'a> {
    pub order: SweepOrder,
    pub iterations: u32,
    /// Formula of the fast paths. It computes the same as the rule of the plain loop.
    pub formula: Formula,
    /// Inverse masses in 1/kg.
    pub w: &'a [f64],
}

/// Multiplier of a link and its coefficients during one step of XPBD.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Multiplier {
    /// Total λ in kg·m: the force in the link times dt², negative in tension.
    pub lambda: f64,
    /// Time-scaled compliance α̃ = α/dt² in 1/kg.
    pub alpha: f64,
    /// Damping number γ = αβ/dt, without unit.
    pub gamma: f64,
}

impl Constraints {
    /// Creates constraints over `particles` particles.
    ///
    /// # Panics
    ///
    /// If a link names a particle that does not exist.
    pub fn new(links: impl Into<Links>, particles: usize) -> Self {
        Self::build(Width::Fastest, links.into(), particles)
    }

    /// Creates constraints whose fast paths use a given instruction set. With [`Isa::Scalar`] the
    /// plain loop sweeps all links. The results are the same to the last bit.
    ///
    /// # Panics
    ///
    /// If a link names a particle that does not exist.
    pub fn with_isa(isa: Isa, links: impl Into<Links>, particles: usize) -> Self {
        Self::build(Width::Given(isa), links.into(), particles)
    }

    fn build(width: Width, links: Links, particles: usize) -> Self {
        let paths = FastPaths::new(&Component::all(&links, particles), &links, particles, width);
        let network = Network::new(links, particles);
        let bends = BendConstraints::default();
        let (unlinked, free) = (Vec::new(), Vec::new());
        Self { network, bends, tuned: None, paths, unlinked, free, plans: Plans::default() }
    }

    /// Builds the data that projections in an order need. Later calls with the same order do
    /// nothing.
    pub(super) fn prepare(&mut self, order: SweepOrder) {
        self.network.prepare(order, &mut self.paths);
    }

    /// Drops all kernels, so that the plain loop sweeps all links. Needed for rules that no kernel
    /// computes.
    pub(super) fn drop_kernels(&mut self) {
        if self.isa() == Isa::Scalar {
            return;
        }
        let (links, particles) = (self.network.links.clone(), self.network.particles);
        let bends = std::mem::take(&mut self.bends);
        *self = Self { bends, ..Self::with_isa(Isa::Scalar, links, particles) };
    }

    /// Cuts a link, in place: every list and fast path stays, with a gap where the link was.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    pub fn cut(&mut self, link: usize) {
        let Self { network, tuned, paths, plans, .. } = self;
        if !network.links.at(link).is_cut() {
            paths.cut(link, &network.cut(link));
            if let Some(multiplier) = tuned.as_mut().and_then(|t| t.multipliers.get_mut(link)) {
                multiplier.lambda = 0.0;
            }
            plans.cut(link);
        }
    }

    /// Replaces the bends under the solver. Kernels make all sweeps over their links before the
    /// second sweep over bends. Constraints with bends and more than one sweep per step must
    /// therefore have no kernels, see [`Self::on`].
    pub fn set_bends(&mut self, bends: &Bends) {
        if *self.bends.bends() != *bends {
            self.plans.drop_if(|plan| plan.lists_bends());
        }
        self.bends = BendConstraints::new(bends);
    }

    /// Computes the multipliers of all links, unless they are valid for this tuning already.
    /// Returns true if a link has damping. The order must have been prepared.
    pub(super) fn tune(&mut self, tuning: Tuning) -> bool {
        let Self { network, tuned, paths, plans, .. } = self;
        if let Some(tuned) = tuned.as_ref().filter(|tuned| tuned.tuning == tuning) {
            return tuned.is_damped;
        }
        // Only the solver that was used last keeps its multipliers.
        plans.drop_if(|plan| plan.has_multipliers());
        let order = tuning.xpbd.order;
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

    /// Makes sweeps over particles at `x`. Kernels sweep their links; the plain loop applies `rule`
    /// to the other links. `rule` gets a link's number, the link, its ends and XPBD's multipliers.
    /// Each sweep visits bends before links, because errors of links are visible and the last visit
    /// leaves the smaller error.
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
        // Constraints with bends have no kernels, or make only this sweep.
        bends.sweep(w, x);
        paths.stream(order, job, &mut InPlace::new(x, start));
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

    /// True if links outnumber particles by more than a quarter, as in nets and cloths. Elimination
    /// of all links would then fill the matrix.
    pub(super) fn is_net(&self) -> bool {
        self.network.links.len() > self.network.particles + self.network.particles / 4
    }

    /// Returns the plan of this kind, and builds it if it is missing.
    pub(super) fn plan<P: Plan>(&mut self) -> &mut P {
        self.plan_and_bends().0
    }

    /// Returns the plan of this kind, built if it is missing, and the bends under the solver.
    pub(super) fn plan_and_bends<P: Plan>(&mut self) -> (&mut P, &mut BendConstraints) {
        let Self { network, bends, tuned, plans, .. } = self;
        let list = || P::of(&network.links, bends.bends(), network.particles);
        let plan = plans.get_or_build(list);
        if plan.has_multipliers() {
            // Only the solver that was used last keeps its multipliers.
            *tuned = None;
        }
        (plan, bends)
    }

    /// Returns the plan of this kind. `None` if it is not built yet.
    pub(super) fn built_plan<P: Plan>(&self) -> Option<&P> {
        self.plans.get()
    }

    /// Moves the link forces for a warm start, in newtons, one per link, from `forces` into the
    /// solver. An empty list starts the solver cold. A solver without a warm start leaves `forces`
    /// as it is.
    pub fn take_warm_start(&mut self, forces: &mut Vec<f64>) {
        if let Some(own) = self.plans.warm_start() {
            std::mem::swap(own, forces);
            forces.clear();
        }
    }

    /// Moves the link forces with which the solver starts the next substep to `forces`, in newtons.
    pub fn give_warm_start(&mut self, forces: &mut Vec<f64>) {
        if let Some(own) = self.plans.warm_start() {
            std::mem::swap(own, forces);
            own.clear();
        }
    }

    /// True if kernels that load particles row by row sweep all links in an order. The order must
    /// have been prepared.
    pub(super) fn streams(&self, order: SweepOrder) -> bool {
        self.bends.is_empty()
            && !self.network.has_scalar_links(order)
            && self.paths.only_stream(order)
    }

    /// Makes sweeps over particles that are loaded and stored row by row. Requires
    /// [`Self::streams`].
    pub(super) fn stream(&mut self, sweeps: Sweeps, stream: &mut dyn ParticleStream) {
        let Sweeps { order, iterations, formula, w } = sweeps;
        let Self { paths, unlinked, .. } = self;
        paths.stream(order, SweepJob { iterations: iterations as usize, formula, w }, stream);
        for substep in 0..stream.substeps() {
            for particles in paths.unlinked(order) {
                unlinked.clear();
                unlinked.extend_from_slice(stream.load(substep, particles.clone()).x);
                stream.store(substep, particles.clone(), unlinked);
            }
        }
    }

    /// Returns the widest instruction set that the fast paths have used, or will use.
    pub fn isa(&self) -> Isa {
        self.paths.isa()
    }

    /// Returns the links in the order of an end-to-end sweep.
    pub fn links(&self) -> &Links {
        &self.network.links
    }

    /// Returns the forces, in newtons, that the bends under the solver exerted on particles in the
    /// last projection.
    pub fn bend_forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.bends.forces()
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.network.links.len()
    }

    /// True without links and bends.
    pub fn is_empty(&self) -> bool {
        self.network.links.is_empty() && self.bends.is_empty()
    }

    /// Returns the indices of the links of each colour, computed on each call. No two links of one
    /// colour share a particle.
    pub fn colours(&self) -> Vec<Vec<u32>> {
        colour_links(&self.network.links, self.network.particles)
    }

    /// Returns the largest |l − L|/L at positions `x`; slack one-sided links count as 0. Links
    /// between two pinned particles (`w` = 0) do not count. Infinite if a position is not finite.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        self.network.residual(w, x)
    }

    /// Divides all links into sections. Returns the particles at the ends of each section's links,
    /// in ascending order. `None` unless the constraints are exactly `links` links in grids; a
    /// check of each link is then as fast.
    pub fn sections(&self, links: usize) -> Option<Vec<Range<usize>>> {
        self.paths.sections(links)
    }

    /// Returns the length in metres, or a little less, by which every link of a section may still
    /// grow before it has `factor` times its rest length. At most zero if a link has reached that
    /// length. `None` if there is no section of this number.
    pub fn slack(&mut self, section: usize, factor: f64, x: &[DVec3]) -> Option<f64> {
        self.paths.slack(section, factor, x)
    }

    /// Returns the tension of a link in newtons in the last projection of XPBD or the direct
    /// solver: −λ/dt², positive when the link pulls, where `dt` is the length of that step. 0
    /// before the first projection.
    pub fn tension(&self, link: usize, dt: f64) -> f64 {
        self.known_tension(link, dt).unwrap_or(0.0)
    }

    /// Tension like [`Self::tension`]; `None` before the first projection.
    pub fn known_tension(&self, link: usize, dt: f64) -> Option<f64> {
        Some(-self.known_multiplier(link)?.lambda / (dt * dt))
    }

    /// Returns the multiplier of a link after the last projection of XPBD or the direct solver.
    /// Zeros before the first projection.
    pub(super) fn multiplier(&self, link: usize) -> Multiplier {
        self.known_multiplier(link).unwrap_or_default()
    }

    fn known_multiplier(&self, link: usize) -> Option<Multiplier> {
        if let Some(multiplier) = self.plans.multiplier(link) {
            return Some(multiplier);
        }
        let Tuned { tuning, multipliers, .. } = self.tuned.as_ref()?;
        let of_path = self.paths.multiplier(tuning.xpbd.order, link, &self.network.links.at(link));
        Some(of_path.unwrap_or_else(|| multipliers[link]))
    }
}
