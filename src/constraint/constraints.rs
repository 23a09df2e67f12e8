//! Links as constraints, with what the solvers need to run fast.

use super::body::Body;
use super::fast::Paths;
use super::sweep::Network;
use super::{Links, SweepOrder, colour_classes};
use crate::simd::Isa;
use glam::DVec3;

/// The links that a solver takes and its memory. Built once for a scene and its settings; what
/// only one solver or order needs is added by [`super::ConstraintSolver::prepare`].
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    pub(super) network: Network,
    /// One a link, once XPBD has been prepared.
    pub(super) multipliers: Vec<Multiplier>,
    pub(super) paths: Paths,
}

/// What XPBD keeps for a link during one step.
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
    /// Constraints over `particles` particles.
    ///
    /// # Panics
    ///
    /// If a link names a particle that does not exist.
    pub fn new(links: impl Into<Links>, particles: usize) -> Self {
        Self::on(Isa::best(), links, particles)
    }

    /// Constraints whose fast paths use a given instruction set; with [`Isa::Scalar`] there are
    /// none. The results are the same to the last bit.
    ///
    /// # Panics
    ///
    /// If a link names a particle that does not exist.
    pub fn on(isa: Isa, links: impl Into<Links>, particles: usize) -> Self {
        let links = links.into();
        let paths = Paths::new(&Body::all(&links, particles), &links, isa);
        Self { network: Network::new(links, particles), multipliers: Vec::new(), paths }
    }

    /// Makes what projections in an order need, if it was not made before.
    pub(super) fn prepare(&mut self, order: SweepOrder) {
        self.network.prepare(order, &mut self.paths);
    }

    /// The instruction set that the fast paths use.
    pub fn isa(&self) -> Isa {
        self.paths.isa()
    }

    /// The links in the order of an end-to-end sweep.
    pub fn links(&self) -> &Links {
        &self.network.links
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.network.links.len()
    }

    /// True without links.
    pub fn is_empty(&self) -> bool {
        self.network.links.is_empty()
    }

    /// Link indices by colour, found anew: no two links of one colour share a particle.
    pub fn colours(&self) -> Vec<Vec<u32>> {
        colour_classes(&self.network.links, self.network.particles)
    }

    /// Greatest |l − L|/L at positions `x`, of one-sided links only the stretch; links between two
    /// pinned particles (`w` = 0) do not count. Infinite when a position is not finite.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        self.network.residual(w, x)
    }

    /// What every one of `links` links may still grow before it has `factor` times its rest
    /// length, in metres, or a little less; at most zero if one has come so far. `None` when these
    /// constraints do not hold so many links in grids: then nothing is faster than to look at each.
    pub fn room(&mut self, links: usize, factor: f64, x: &[DVec3]) -> Option<f64> {
        self.paths.room(links, factor, x)
    }

    /// Tension of a link in newtons in the last XPBD projection, whose step had length `dt`:
    /// −λ/dt², positive when the link pulls. 0 before the first and after other solvers.
    pub fn tension(&self, link: usize, dt: f64) -> f64 {
        -self.multiplier(link).lambda / (dt * dt)
    }

    /// Zeros before the first XPBD projection.
    pub(super) fn multiplier(&self, link: usize) -> Multiplier {
        self.multipliers.get(link).copied().unwrap_or_default()
    }
}
