//! Links as constraints, with what the solvers need to run fast.

use super::body::Body;
use super::fast::{Formula, Job, Paths};
use super::passage::{Arrived, Passage};
use super::sweep::{Ends, Network};
use super::{Link, SweepOrder, coloring};
use crate::simd::Isa;
use glam::DVec3;
use std::ops::Range;

/// The links that a solver takes, their colours and its memory. Built once for a scene and its
/// settings; [`super::ConstraintSolver::project`] then allocates nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    pub(super) network: Network,
    pub(super) multipliers: Vec<Multiplier>,
    pub(super) paths: Paths,
    left_over: LeftOver,
    waiting: Waiting,
}

/// Particles that have arrived and wait for the others: the plain loop and the paths without rows
/// need all of them at once. One entry a particle.
#[derive(Clone, Debug, Default, PartialEq)]
struct Waiting {
    x: Vec<DVec3>,
    start: Vec<DVec3>,
}

impl Waiting {
    fn arrive(&mut self, particles: &[Range<usize>], passage: &mut dyn Passage) {
        let all = particles.last().map_or(0, |last| last.end);
        self.x.resize(all, DVec3::ZERO);
        self.start.resize(all, DVec3::ZERO);
        for particles in particles {
            let Arrived { x, start } = passage.arrive(particles.clone());
            self.x[particles.clone()].copy_from_slice(x);
            self.start[particles.clone()].copy_from_slice(start);
        }
    }

    fn leave(&self, particles: &[Range<usize>], passage: &mut dyn Passage) {
        for particles in particles {
            passage.leave(particles.clone(), &self.x[particles.clone()]);
        }
    }
}

/// The sweeps of one projection.
#[derive(Clone, Copy)]
pub(super) struct Sweeps<'a> {
    pub order: SweepOrder,
    pub iterations: u32,
    /// What the fast paths compute: the same as the rule.
    pub formula: Formula,
    /// Inverse masses in 1/kg.
    pub w: &'a [f64],
}

/// What a rule may look at besides the ends.
pub(super) struct Beside<'a> {
    /// Positions at the start of the step.
    pub start: &'a [DVec3],
    /// XPBD's, one a link.
    pub multipliers: &'a mut [Multiplier],
}

/// What the fast paths leave to the plain loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeftOver {
    end_to_end: Loose,
    coloured: Loose,
}

impl LeftOver {
    /// In one order; `None` when all is.
    pub fn of(&self, order: SweepOrder) -> Option<&Loose> {
        match order {
            SweepOrder::EndToEnd => Some(&self.end_to_end),
            SweepOrder::Coloured => Some(&self.coloured),
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => None,
        }
    }
}

/// What the fast paths leave to the plain loop in one order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loose {
    /// Links in the order of the sweep.
    pub links: Vec<u32>,
    /// The particles of their bodies.
    particles: Vec<Range<u32>>,
}

impl Loose {
    /// −0 becomes +0 in every coordinate, as it does where a fast path packs. From then on no
    /// sweep makes a −0 (only −0 − (+0) and −0 + −0 would), so that moving a particle by zero and
    /// leaving it alone are the same: that lets the fast paths mask instead of branch.
    pub fn clear_signs_of_zeros(&self, x: &mut [DVec3]) {
        for body in &self.particles {
            for x in &mut x[body.start as usize..body.end as usize] {
                *x += DVec3::ZERO;
            }
        }
    }
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
        Self::on(Isa::best(), links, particles)
    }

    /// Constraints whose fast paths use a given instruction set; with [`Isa::Scalar`] there are
    /// none. The results are the same to the last bit.
    ///
    /// # Panics
    ///
    /// If a link names a particle that does not exist.
    pub fn on(isa: Isa, links: Vec<Link>, particles: usize) -> Self {
        let bodies = Body::all(&links, particles);
        let classes = coloring::of_bodies(&bodies, &links, particles);
        let paths = Paths::new(&bodies, &classes, &links, particles, isa);
        let multipliers = vec![Multiplier::default(); links.len()];
        let mut in_order: Vec<u32> = (0..links.len() as u32).collect();
        let mut by_colour = classes.concat();
        let loose = |order, chosen: &mut Vec<u32>| {
            let mut is_loose = vec![true; links.len()];
            let mut particles = Vec::new();
            for body in &bodies {
                if paths.takes(order, body, &links) {
                    body.links.iter().for_each(|&i| is_loose[i as usize] = false);
                } else {
                    particles.push(body.particles.clone());
                }
            }
            chosen.retain(|&i| is_loose[i as usize]);
            Loose { links: std::mem::take(chosen), particles }
        };
        let end_to_end = loose(SweepOrder::EndToEnd, &mut in_order);
        let coloured = loose(SweepOrder::Coloured, &mut by_colour);
        let network = Network::new(links, classes, particles);
        let left_over = LeftOver { end_to_end, coloured };
        Self { network, multipliers, paths, left_over, waiting: Waiting::default() }
    }

    /// Makes sweeps over particles on their way: by the fast paths as far as they go, by the plain
    /// loop and `rule` over what is left.
    pub(super) fn sweep(
        &mut self,
        sweeps: Sweeps,
        passage: &mut dyn Passage,
        mut rule: impl FnMut(usize, &Link, Ends, Beside) -> Option<DVec3>,
    ) {
        let Sweeps { order, iterations, formula, w } = sweeps;
        let Self { network, multipliers, paths, left_over, waiting } = self;
        let links = &network.links[..];
        let mut job = Job { iterations: iterations as usize, formula, links, w, multipliers };
        paths.pass(order, &mut job, passage);
        if paths.waiting(order).is_empty() {
            return;
        }
        waiting.arrive(paths.waiting(order), passage);
        let Waiting { x, start } = waiting;
        paths.sweep(order, &mut job, x, start);
        let mut rule = |i, link: &Link, ends| rule(i, link, ends, Beside { start, multipliers });
        if let Some(loose) = left_over.of(order) {
            loose.clear_signs_of_zeros(x);
            for _ in 0..iterations {
                network.visit(&loose.links, w, x, &mut rule);
            }
        } else {
            for number in 0..iterations {
                network.sweep(order, number, w, x, &mut rule);
            }
        }
        waiting.leave(paths.waiting(order), passage);
    }

    /// Gathers all particles for a solver that has its own way, with their positions at the start
    /// of the step.
    pub(super) fn gather(
        &mut self,
        particles: usize,
        passage: &mut dyn Passage,
        solve: impl FnOnce(&mut Network, &mut [DVec3], &[DVec3]),
    ) {
        let Self { network, waiting, .. } = self;
        let all = [0..particles];
        waiting.arrive(&all, passage);
        solve(network, &mut waiting.x, &waiting.start);
        waiting.leave(&all, passage);
    }

    /// The instruction set that the fast paths use.
    pub fn isa(&self) -> Isa {
        self.paths.isa()
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

    /// What every one of `links` links may still grow before it has `factor` times its rest
    /// length, in metres, or a little less; at most zero if one has come so far. `None` when these
    /// constraints do not hold so many links in grids: then nothing is faster than to look at each.
    pub fn room(&mut self, links: usize, factor: f64, x: &[DVec3]) -> Option<f64> {
        self.paths.room(links, factor, x)
    }

    /// Tension of a link in newtons in the last XPBD projection, whose step had length `dt`:
    /// −λ/dt², positive when the link pulls. 0 before the first and after other solvers.
    pub fn tension(&self, link: usize, dt: f64) -> f64 {
        -self.multipliers[link].lambda / (dt * dt)
    }
}
