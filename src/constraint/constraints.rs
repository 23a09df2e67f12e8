//! Links as constraints, with what the solvers need to run fast.

use super::sweep::Network;
use super::{Link, colour_classes};
use glam::DVec3;

/// The links that a solver takes, their colours and its memory. Built once for a scene and its
/// settings; [`super::ConstraintSolver::project`] then allocates nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    pub(super) network: Network,
    pub(super) multipliers: Vec<Multiplier>,
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
    pub fn new(links: Vec<Link>, particles: usize) -> Self {
        let classes = colour_classes(&links, particles);
        let multipliers = vec![Multiplier::default(); links.len()];
        Self { network: Network::new(links, classes, particles), multipliers }
    }

    /// The links in the order of an end-to-end sweep.
    pub fn links(&self) -> &[Link] {
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

    /// Link indices by colour: no two links of one colour share a particle.
    pub fn colours(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.network.colours()
    }

    /// Greatest |l − L|/L at positions `x`, of one-sided links only the stretch; links between two
    /// pinned particles (`w` = 0) do not count. Infinite when a position is not finite.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        self.network.residual(w, x)
    }

    /// Tension of a link in newtons in the last XPBD projection, whose step had length `dt`:
    /// −λ/dt², positive when the link pulls. 0 before the first and after other solvers.
    pub fn tension(&self, link: usize, dt: f64) -> f64 {
        -self.multipliers[link].lambda / (dt * dt)
    }
}
