//! Vertex block descent (VBD): implicit Euler, solved particle by particle.
//!
//! Chen, A. H., Liu, Z., Yang, Y. and Yuksel, C. (2024), "Vertex Block Descent". A step of implicit
//! Euler minimises G(x) = Σ m |x − y|²/(2h²) + E(x), with the free motion y and the energy E of
//! links and bends. A sweep goes through all particles. Each particle takes one Newton step for its
//! own three coordinates, while the others stay fixed (eq. 4 to 8):
//!
//! ```text
//! H Δx = f,    f = −m/h² (x − y) − ∂E/∂x,    H = m/h² 1 + Σ ∂²E/∂x²
//!
//! link:  f += T n,           T = k (l − L) + (c/h) n·(Δd),   d from this particle to the other
//!        H += (k + c/h) n nᵀ + k max(0, 1 − L/l) (1 − n nᵀ)
//! bend:  f −= (EI/l) g D,    H += (EI/l) g² 1
//! ```
//!
//! Δd is the change of d since the start of the substep, so c damps the actual velocity. The
//! initial guess is y. If y = x + hv + h²a, the free motion of symplectic Euler, the converged
//! result is implicit Euler. Under another integrator it is a projection of that integrator's free
//! motion.
//!
//! On a straight rope of N equal links that hangs from a pin, with half a particle's mass at the
//! free end, a sweep leaves the fraction [cos(π/(2N))/(1 + 1/(2z²))]² of the slowest error along
//! the rope, z² = h²k/m. XPBD has the same factor. Damping adds c/h to k in this formula, so damped
//! links need more sweeps.
//!
//! Departures from the paper: a compressed link gets no negative stiffness across its direction, so
//! every block is definite. If the Newton step of a particle would increase G, the particle instead
//! takes the step of a larger block, whose quadratic model bounds G from above. So without damping
//! no sweep increases G. The initial guess is always y. Sweeps are serial and not accelerated.
//! Contacts are not part of the blocks: one sweep over contacts follows the projection.
//!
//! Each correction moves one particle alone, so momentum is conserved only at convergence.
//!
//! A sweep costs 62 ns per link; the plain loop of XPBD costs 24 ns and its kernels 5 ns (rope of
//! 100 links, debug build with `opt-level = 1`). A quarter of the 62 ns is spent on keeping G from
//! increasing.

use super::choice::{ConstraintSolver, Vbd};
use super::constraints::Constraints;
use super::parameter::check_iterations;
use super::particles::{Particles, Times};
use super::solver::Solver;
use super::solver_data::SolverData;
use super::usage::{
    ComparisonSettings, Defect, FreeIntegrator, RemedyTrial, RemedyTrials, SWEEPS, SearchSettings,
    TrialSubsteps,
};
use crate::mesh::{Bend, Bends, Link, Links};
use crate::names::CatalogueEntry;
use crate::numerics::block_matrix::{axial_block, inverse_of_definite};
use glam::{DMat3, DVec3};

impl Solver for Vbd {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "vbd",
            title: "vertex block descent (VBD)",
            reference: "Chen, Liu, Yang and Yuksel 2024, Vertex Block Descent, ACM Trans. Graph. \
                        43 (4), 116",
            verdict: "implicit Euler, particle by particle: good with uneven masses; too few \
                      sweeps leave stiff or damped links too soft and change momentum; rigid links \
                      are springs",
        }
    }

    fn short_name(&self) -> &'static str {
        "VBD"
    }

    fn check(&self) -> Result<(), String> {
        check_iterations("iterations of VBD", self.iterations)
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.iterations)
    }

    fn softens_by_residual(&self) -> bool {
        true
    }

    fn constrains_bends(&self) -> bool {
        true
    }

    /// A sweep solves a 3 × 3 system per particle.
    fn work_of_a_sweep(&self) -> u64 {
        8
    }

    fn equivalent_spring(&self, link: &Link, _w: f64, _h: f64) -> Option<Link> {
        Some(Link { rigid: false, ..*link })
    }

    fn approximated_spring(&self, link: &Link) -> Option<Link> {
        Some(*link)
    }

    fn search_settings(&self) -> Option<SearchSettings> {
        let (solver, integrators) =
            (ConstraintSolver::Vbd(Self::default()), FreeIntegrator::FIRST_ORDER);
        Some(SearchSettings { solver, sweeps: SWEEPS, integrators, only_trees: false })
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        let solver = ConstraintSolver::Vbd(Self { iterations: 10 });
        vec![ComparisonSettings::of("VBD, 10 sweeps", solver)]
    }

    /// Returns trials against heavy loads on light ropes.
    fn remedy_trials(&self) -> Option<RemedyTrials> {
        let trials = [5, 20, 100].map(|iterations| RemedyTrial {
            words: format!("links under VBD, {iterations} sweeps"),
            solver: ConstraintSolver::Vbd(Self { iterations }),
            integrator: Some(FreeIntegrator::SymplecticEuler),
            substeps: TrialSubsteps::AsInLane,
        });
        Some(RemedyTrials::of(&[Defect::UnstableSprings, Defect::SoftConstraints], trials))
    }

    fn prepare(&self, c: &mut Constraints) {
        c.data::<Blocks>();
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        let (blocks, bends) = c.data_and_bends::<Blocks>();
        blocks.begin_projection(particles.x);
        for left in (0..self.iterations).rev() {
            blocks.sweep(particles, left as usize);
        }
        bends.set_multipliers(particles.x, particles.times.h);
        self.iterations
    }

    fn residual(&self, c: &Constraints, w: &[f64], _start: &[DVec3], x: &[DVec3]) -> f64 {
        c.built_data::<Blocks>().map_or(0.0, |blocks| blocks.residual(w, x))
    }
}

/// Largest ratio between the changes of two successive sweeps that the estimate of the residual
/// assumes.
const LARGEST_RATIO: f64 = 0.9999;

/// Links and bends at each particle, and the particles' data of a projection.
#[derive(Clone, Debug, PartialEq)]
struct Blocks {
    links: Vec<Link>,
    links_at: Incidence,
    bends: Vec<Bend>,
    bends_at: Incidence,
    /// Positions y after the free motion, in metres.
    free: Vec<DVec3>,
    /// Displacements in metres in the last sweep and in the sweep before.
    displacements: [Vec<DVec3>; 2],
}

impl SolverData for Blocks {
    fn of(links: &Links, bends: &Bends, particles: usize) -> Self {
        let links: Vec<Link> = links.iter().collect();
        let bends: Vec<Bend> = bends.iter().collect();
        let links_at = Incidence::new(particles, links.iter().map(|link| [link.a, link.b]));
        let bends_at = Incidence::new(particles, bends.iter().map(|bend| bend.particles));
        let displacements = [vec![DVec3::ZERO; particles], vec![DVec3::ZERO; particles]];
        Self {
            links,
            links_at,
            bends,
            bends_at,
            free: Vec::with_capacity(particles),
            displacements,
        }
    }

    fn cut(&mut self, link: usize) {
        self.links[link].rest = f64::NAN;
    }

    fn contains_bends(&self) -> bool {
        true
    }
}

impl Blocks {
    fn begin_projection(&mut self, x: &[DVec3]) {
        self.free.clear();
        self.free.extend_from_slice(x);
        self.displacements.iter_mut().for_each(|displacements| displacements.fill(DVec3::ZERO));
    }

    /// Runs one sweep over all particles. `left` is the number of sweeps that will follow.
    fn sweep(&mut self, particles: &mut Particles, left: usize) {
        let &mut Particles { w, start, ref mut x, times } = particles;
        // The sweep skips thrown balls, which are at the end of `x`. Particles without links and
        // bends keep their free motion.
        for i in 0..self.displacements[0].len() {
            let has_elements = !(self.links_at.of(i).is_empty() && self.bends_at.of(i).is_empty());
            if !(has_elements && w[i] > 0.0) {
                continue;
            }
            let (block, force) = self.equation(i, (w[i], times), start, x);
            let Some(inverse) = inverse_of_definite(&block) else { continue };
            let mut change = inverse * force;
            if self.energy_error(i, x, change) > 0.5 * force.dot(change) {
                let bound = inverse_of_definite(&(block + self.bounding_stiffness(i, x)));
                change = bound.map_or(DVec3::ZERO, |inverse| inverse * force);
            }
            if change.is_finite() {
                x[i] += change;
                if let Some(displacements) = self.displacements.get_mut(left) {
                    displacements[i] = change;
                }
            }
        }
    }

    /// Returns H and f (see [`Vbd`]) of particle `i`, whose inverse mass is `w`.
    fn equation(
        &self,
        i: usize,
        (w, Times { h, substep }): (f64, Times),
        start: &[DVec3],
        x: &[DVec3],
    ) -> (DMat3, DVec3) {
        let inertia = 1.0 / (w * (h * h));
        let mut force = (self.free[i] - x[i]) * inertia;
        let mut block = DMat3::from_diagonal(DVec3::splat(inertia));
        for &number in self.links_at.of(i) {
            let (link, other, d) = self.link_at(i, number, x);
            let Some(Pull { n, excess, across }) = Pull::of(link, d) else { continue };
            let damping = link.damping / substep;
            let change = n.dot(d - (start[other] - start[i]));
            force += n * (link.stiffness * excess + damping * change);
            block += axial_block(n, link.stiffness + damping - across, across);
        }
        for &number in self.bends_at.of(i) {
            let bend = &self.bends[number as usize];
            let ([j, k, l], [first, last]) = (bend.particles.map(|p| p as usize), bend.weights());
            let chord = (x[l] - x[k]) * last - (x[k] - x[j]) * first;
            let g = if i == j {
                first
            } else if i == l {
                last
            } else {
                -(first + last)
            };
            force -= chord * (bend.stiffness() * g);
            block += DMat3::from_diagonal(DVec3::splat(bend.stiffness() * (g * g)));
        }
        (block, force)
    }

    /// Returns link `number` at particle `i`, its other end, and the vector to that end.
    fn link_at(&self, i: usize, number: u32, x: &[DVec3]) -> (&Link, usize, DVec3) {
        let link = &self.links[number as usize];
        let other = if link.a as usize == i { link.b } else { link.a } as usize;
        (link, other, x[other] - x[i])
    }

    /// Returns the error of a Newton step's energy model in joules. It is the energy that the links
    /// at particle `i` gain by the displacement `change`, minus the prediction of the quadratic
    /// model. The model decreases by f·Δx/2 in the step, so with a larger error the step increases
    /// the total energy G of [`Vbd`]. This happens if compressed links turn far.
    fn energy_error(&self, i: usize, x: &[DVec3], change: DVec3) -> f64 {
        let energy_error = |number: &u32| {
            let (link, _, d) = self.link_at(i, *number, x);
            let model = Pull::of(link, d).map_or(0.0, |Pull { n, excess, across }| {
                let (k, along) = (link.stiffness, n.dot(change));
                let turned = across * (change.length_squared() - along * along);
                0.5 * (k * along * along + turned) - k * excess * along
            });
            link_energy(link, d - change) - link_energy(link, d) - model
        };
        self.links_at.of(i).iter().map(energy_error).sum()
    }

    /// Returns the stiffness that must be added to the block of particle `i` so that the quadratic
    /// model of the Newton step bounds the links' energy from above. With this addition every link
    /// has the stiffness k in every direction.
    fn bounding_stiffness(&self, i: usize, x: &[DVec3]) -> DMat3 {
        let missing_of_link = |number: &u32| {
            let (link, _, d) = self.link_at(i, *number, x);
            match Pull::of(link, d) {
                _ if link.is_cut() => DMat3::ZERO,
                Some(Pull { n, across, .. }) => {
                    axial_block(n, across - link.stiffness, link.stiffness - across)
                }
                None => DMat3::from_diagonal(DVec3::splat(link.stiffness)),
            }
        };
        self.links_at.of(i).iter().map(missing_of_link).fold(DMat3::ZERO, |sum, one| sum + one)
    }

    /// Estimates the length error of the worst link, divided by its rest length. The estimate is
    /// the sum δ ρ/(1 − ρ) of the changes by all further sweeps, a geometric series: δ is the
    /// change in the last sweep, ρ its ratio to the change in the sweep before. The error of a link
    /// of length 0 counts as 1.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        let mut worst = [0.0_f64; 2];
        let mut without_direction = 0.0_f64;
        for link in self.links.iter().filter(|link| !link.is_cut()) {
            let (a, b) = (link.a as usize, link.b as usize);
            let length = x[a].distance(x[b]);
            if !length.is_finite() {
                return f64::INFINITY;
            }
            if w[a] + w[b] > 0.0 {
                if length == 0.0 {
                    without_direction = 1.0;
                }
                for (worst, displacements) in worst.iter_mut().zip(&self.displacements) {
                    *worst = worst.max(displacements[a].distance(displacements[b]) / link.rest);
                }
            }
        }
        let [last, before] = worst;
        // After a single sweep, ρ = 1/2 is assumed: further sweeps change as much as this one.
        let factor = if before > 0.0 { (last / before).min(LARGEST_RATIO) } else { 0.5 };
        without_direction.max(last * factor / (1.0 - factor))
    }
}

/// Force of an active link on one of its ends, without damping.
struct Pull {
    /// Unit vector to the other end.
    n: DVec3,
    excess: f64,
    /// Stiffness across the link's direction in N/m, at least 0.
    across: f64,
}

impl Pull {
    /// Returns the force of a link on one end; `d` is the vector to the other end. `None` for a cut
    /// link, a link of length 0, and a slack one-sided link.
    fn of(link: &Link, d: DVec3) -> Option<Self> {
        let l = d.length();
        let (n, excess) = (d / l, l - link.rest);
        let acts = excess.is_finite() && n.is_finite() && !(link.one_sided && excess < 0.0);
        let across = link.stiffness * (excess / l).max(0.0);
        acts.then_some(Self { n, excess, across })
    }
}

/// Returns the energy of a link in joules; `d` is the vector between its ends. 0 if the link is cut
/// or slack.
fn link_energy(link: &Link, d: DVec3) -> f64 {
    let excess = d.length() - link.rest;
    if link.is_cut() || link.one_sided && excess < 0.0 {
        return 0.0;
    }
    0.5 * link.stiffness * excess * excess
}

/// Elements (links or bends) at each particle, as lists of indices.
#[derive(Clone, Debug, PartialEq)]
struct Incidence {
    /// Index in `elements` of the first element of each particle. The last entry is the length of
    /// `elements`.
    first: Vec<u32>,
    elements: Vec<u32>,
}

impl Incidence {
    /// Builds the lists. `particles_of_each` yields the particles of each element.
    fn new<const N: usize>(
        particles: usize,
        particles_of_each: impl Iterator<Item = [u32; N]> + Clone,
    ) -> Self {
        let mut first = vec![0; particles + 1];
        particles_of_each.clone().flatten().for_each(|particle| first[particle as usize + 1] += 1);
        (0..particles).for_each(|i| first[i + 1] += first[i]);
        let mut next = first.clone();
        let mut elements = vec![0; first[particles] as usize];
        for (number, particles_of_one) in particles_of_each.enumerate() {
            for particle in particles_of_one {
                let place = &mut next[particle as usize];
                elements[*place as usize] = number as u32;
                *place += 1;
            }
        }
        Self { first, elements }
    }

    /// Returns the indices of the elements at a particle, in ascending order.
    fn of(&self, particle: usize) -> &[u32] {
        &self.elements[self.first[particle] as usize..self.first[particle + 1] as usize]
    }
}
