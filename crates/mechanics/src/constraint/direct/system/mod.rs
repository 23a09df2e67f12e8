//! Matrix, multipliers and buffers of the direct solver.

mod blocks;
mod geometric;
mod shake;
mod velocities;

use super::elimination::Elimination;
use super::order::{Coupling, plan_elimination, spanning_tree};
use crate::constraint::multiplier::{Multiplier, Tuning, link_correction};
use crate::constraint::particles::{Particles, Times};
use crate::constraint::solver_data::SolverData;
use crate::constraint::sweep::{Ends, SweepOrder};
use crate::mesh::{Bends, Link, Links};
use blocks::Geometric;
use glam::DVec3;

/// Largest relative error of a link's length at which solves count as converged. This limit is ten
/// times the linearisation error that one solve leaves on a rope that whips at 60 Hz with 4
/// substeps.
pub(super) const CONVERGED: f64 = 0.01;

/// Number of equal parts into which the free motion is divided in each attempt.
const MOTION_PARTS: [u32; 4] = [1, 4, 16, 64];

/// Largest number of halvings of a Newton step that increases the residual.
const MOST_HALVINGS: u32 = 5;

/// Linearised equation of one link at the current positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Equation {
    /// Unit vector from end a to end b.
    normal: DVec3,
    /// Residual C + α̃λ + γ∇C·(x − start) in metres. In a velocity projection, the rate of change
    /// of the length in m/s.
    residual: f64,
    /// True if the link is not cut, not slack, and longer than 0.
    is_active: bool,
}

/// Links as rows of the matrix, with multipliers and buffers.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::constraint) struct DirectSystem {
    links: Vec<Link>,
    /// Index of the link of each matrix row. The links with a row are solved together.
    solved: Vec<u32>,
    /// Indices of the other links, which are swept after each solve.
    swept: Vec<u32>,
    couplings: Vec<Coupling>,
    elimination: Elimination,
    geometric: Geometric,
    multipliers: Vec<Multiplier>,
    /// Times for which the coefficients of the multipliers are valid. `None` if all links are
    /// treated as rigid.
    times: Option<Times>,
    equations: Vec<Equation>,
    /// Largest |residual|/(rest length) of an active link.
    greatest: f64,
    right: Vec<f64>,
    work: Vec<f64>,
    change: Vec<f64>,
    /// Positions before the last solve.
    before: Vec<DVec3>,
    /// Multipliers λ before the last solve.
    lambda_before: Vec<f64>,
    /// Positions after the free motion.
    free: Vec<DVec3>,
    /// Positions that particles would have without link forces at the end of the current part of
    /// the free motion.
    target: Vec<DVec3>,
    displacement: Vec<DVec3>,
}

impl SolverData for DirectSystem {
    fn of(links: &Links, _bends: &Bends, particles: usize) -> Self {
        let links: Vec<Link> = links.iter().collect();
        let all: Vec<u32> = (0..links.len() as u32).collect();
        let whole = plan_elimination(&all, &links, particles);
        let (solved, swept, (elimination, couplings)) = match whole {
            Some(rows) => (all, Vec::new(), rows),
            None => {
                let (tree, others) = spanning_tree(&links, particles);
                let rows = plan_elimination(&tree, &links, particles).unwrap_or_default();
                (tree, others, rows)
            }
        };
        let geometric = match swept.is_empty() {
            true => Geometric::new(&links, particles),
            false => Geometric::default(),
        };
        Self {
            geometric,
            multipliers: vec![Multiplier::default(); links.len()],
            times: None,
            equations: vec![Equation::default(); solved.len()],
            greatest: 0.0,
            links,
            solved,
            swept,
            couplings,
            elimination,
            right: Vec::with_capacity(particles),
            work: Vec::new(),
            change: Vec::new(),
            before: Vec::new(),
            lambda_before: Vec::new(),
            free: Vec::new(),
            target: Vec::new(),
            displacement: Vec::new(),
        }
    }

    fn cut(&mut self, link: usize) {
        self.links[link].rest = f64::NAN;
        self.multipliers[link].lambda = 0.0;
    }

    fn has_multipliers(&self) -> bool {
        true
    }

    fn multiplier(&self, link: usize) -> Option<Multiplier> {
        Some(self.multipliers[link])
    }
}

impl DirectSystem {
    /// True if some links are swept because elimination of all links would cause too much fill-in.
    pub fn sweeps_some(&self) -> bool {
        !self.swept.is_empty()
    }

    /// Resets λ to 0 and computes the multipliers' coefficients for a projection. With `times` =
    /// `None` all links are rigid.
    fn reset_multipliers(&mut self, times: Option<Times>) {
        let Some(known) = times else {
            self.multipliers.fill(Multiplier::default());
            self.times = None;
            return;
        };
        if self.times == times {
            self.multipliers.iter_mut().for_each(|multiplier| multiplier.lambda = 0.0);
            return;
        }
        let order = SweepOrder::default();
        let tuning = Tuning { order, compliance: None, damping: None, times: known };
        for (multiplier, link) in self.multipliers.iter_mut().zip(&self.links) {
            *multiplier = tuning.multiplier(link);
        }
        self.times = times;
    }

    /// Solves `iterations` times, starting with multipliers of 0. If `times` is `None`, all links
    /// are rigid. If the relative error stays above `enough`, links turn too fast for Newton's
    /// method. The projection is then repeated from `start` with the free motion divided into 4,
    /// then 16, then 64 parts. Returns the number of solves.
    pub fn project(
        &mut self,
        iterations: u32,
        times: Option<Times>,
        enough: f64,
        particles: &mut Particles,
    ) -> u32 {
        self.free.clear();
        self.free.extend_from_slice(particles.x);
        let mut solves_made = 0;
        for parts in MOTION_PARTS {
            self.reset_multipliers(times);
            let solves = if parts == 1 { iterations } else { iterations.max(2) };
            for part in 1..=parts {
                if parts > 1 {
                    self.follow_free_motion([part, parts], particles);
                }
                self.set_target([part, parts], particles.start);
                solves_made += self.solve_for_target(solves, particles);
            }
            if self.sweeps_some() || self.worst_residual() <= enough {
                break;
            }
        }
        solves_made
    }

    /// Moves `x` by one of `parts` equal parts of the free motion. Part 1 begins at `start`. Pinned
    /// particles end exactly at their final positions.
    fn follow_free_motion(&self, [part, parts]: [u32; 2], particles: &mut Particles) {
        let Particles { w, start, x, .. } = particles;
        if part == 1 {
            x.copy_from_slice(start);
        }
        let fraction = 1.0 / f64::from(parts);
        for (i, (x, free)) in x.iter_mut().zip(&self.free).enumerate() {
            let is_at_its_place = w[i] == 0.0 && part == parts;
            *x = if is_at_its_place { *free } else { *x + (*free - start[i]) * fraction };
        }
    }

    /// Sets the target to the positions of particles without links at the end of this part of the
    /// free motion.
    fn set_target(&mut self, [part, parts]: [u32; 2], start: &[DVec3]) {
        let fraction = f64::from(part) / f64::from(parts);
        self.target.clear();
        let position = |(start, free): (&DVec3, &DVec3)| *start + (*free - *start) * fraction;
        match part == parts {
            true => self.target.extend_from_slice(&self.free),
            false => self.target.extend(start.iter().zip(&self.free).map(position)),
        }
    }

    /// Solves `iterations` times, starting with the current multipliers and with positions in
    /// equilibrium with them.
    pub fn continue_projection(&mut self, iterations: u32, particles: &mut Particles) {
        let Particles { w, x, .. } = &*particles;
        self.target.clear();
        self.target.extend_from_slice(x);
        for (link, multiplier) in self.links.iter().zip(&self.multipliers) {
            let (a, b) = (link.a as usize, link.b as usize);
            let pull = (x[b] - x[a]).normalize_or_zero() * multiplier.lambda;
            if pull.is_finite() {
                self.target[a] += pull * w[a];
                self.target[b] -= pull * w[b];
            }
        }
        self.solve_for_target(iterations, particles);
    }

    /// Solves `iterations` times, starting with the current multipliers. Further solves include the
    /// geometric stiffness if particles swing fast across taut links. Returns the number of solves.
    fn solve_for_target(&mut self, iterations: u32, particles: &mut Particles) -> u32 {
        self.geometric.residual = 0.0;
        let mut solves_made = 0;
        let mut known = None;
        for solve in 0..iterations {
            known = self.solve(known, particles);
            if self.sweeps_some() {
                self.sweep_remaining(particles);
                known = None;
            }
            solves_made += 1;
            if solve == 0 && self.is_stiff_across(particles.w) {
                // The first solve only served to find the link tensions, so its displacements are
                // undone.
                particles.x.copy_from_slice(&self.before);
                let target = std::mem::take(&mut self.target);
                solves_made += self.solve_across(&target, particles);
                self.target = target;
                known = None;
                if self.worst_residual() <= CONVERGED {
                    break;
                }
                // If the solve did not converge, the next one omits the geometric stiffness again
                // and restores the link lengths.
            }
        }
        solves_made
    }

    /// Returns the larger of two relative residuals after the last solve: the largest residual of a
    /// link, and the largest residual of a particle's force balance.
    fn worst_residual(&self) -> f64 {
        self.greatest.max(self.geometric.residual)
    }

    /// Takes one Newton step over all rows. `known` is the squared residual at `x` if it has been
    /// computed. Returns the squared residual after the step. `None` if every fraction of the step
    /// increased the residual; positions are then unchanged.
    fn solve(&mut self, known: Option<f64>, particles: &mut Particles) -> Option<f64> {
        let &mut Particles { w, start, ref mut x, .. } = particles;
        self.before.clear();
        self.before.extend_from_slice(x);
        let old_residual = known.unwrap_or_else(|| self.evaluate(w, start, x));
        if !(old_residual > 0.0 && old_residual.is_finite()) {
            return Some(old_residual);
        }
        self.assemble(w);
        self.elimination.factor();
        self.elimination.solve(&self.right, &mut self.work, &mut self.change);
        self.compute_displacement(w, x);
        let mut fraction = 1.0;
        for _ in 0..=MOST_HALVINGS {
            self.step_to(fraction, x);
            let new_residual = self.evaluate(w, start, x);
            if new_residual <= old_residual {
                return Some(new_residual);
            }
            fraction *= 0.5;
        }
        self.step_to(0.0, x);
        None
    }

    /// Computes all equations at `x`. Returns Σ (residual/(rest length))².
    fn evaluate(&mut self, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64 {
        let Self { equations, solved, links, multipliers, .. } = self;
        let (mut sum, mut greatest) = (0.0, 0.0_f64);
        for (equation, &number) in equations.iter_mut().zip(&*solved) {
            let link = &links[number as usize];
            let Multiplier { lambda, alpha, gamma } = multipliers[number as usize];
            let (a, b) = (link.a as usize, link.b as usize);
            let d = x[b] - x[a];
            let l = d.length();
            let excess = l - link.rest;
            let normal = d / l;
            let mut residual = excess + alpha * lambda;
            if gamma != 0.0 {
                residual += gamma * normal.dot((x[b] - start[b]) - (x[a] - start[a]));
            }
            let is_slack = link.one_sided && lambda >= 0.0 && excess <= 0.0;
            let can_move = w[a] + w[b] > 0.0 && l > 0.0;
            let is_active = can_move && !is_slack && residual.is_finite();
            *equation = Equation { normal, residual, is_active };
            if is_active {
                let relative = residual / link.rest;
                sum += relative * relative;
                greatest = greatest.max(relative.abs());
            }
        }
        self.greatest = greatest;
        sum
    }

    /// Computes the matrix J W Jᵀ + α̃/(1 + γ) and the right-hand side (J: link directions, W:
    /// inverse masses). Rows of inactive links are rows of the unit matrix.
    fn assemble(&mut self, w: &[f64]) {
        self.elimination.clear();
        self.right.clear();
        for (row, (equation, &number)) in self.equations.iter().zip(&self.solved).enumerate() {
            let link = &self.links[number as usize];
            let Multiplier { alpha, gamma, .. } = self.multipliers[number as usize];
            let sum = w[link.a as usize] + w[link.b as usize];
            let (diagonal, right) = match equation.is_active {
                // For γ = 0 this gives the values of the next line without a division.
                true if gamma == 0.0 => (sum + alpha, -equation.residual),
                true => (sum + alpha / (1.0 + gamma), -equation.residual / (1.0 + gamma)),
                false => (1.0, 0.0),
            };
            self.elimination.set_diagonal(row, diagonal);
            self.right.push(right);
        }
        for &Coupling { slot, rows: [i, j], particle, sign } in &self.couplings {
            let [one, other] = [self.equations[i as usize], self.equations[j as usize]];
            if one.is_active && other.is_active {
                let value = sign * w[particle as usize] * one.normal.dot(other.normal);
                self.elimination.couple(slot, value);
            }
        }
    }

    /// Computes the particles' displacements Δx = W Jᵀ Δλ by the multipliers Δλ of the last solve
    /// (J: link directions, W: inverse masses), and stores the multipliers before the step.
    fn compute_displacement(&mut self, w: &[f64], x: &[DVec3]) {
        self.displacement.clear();
        self.displacement.resize(x.len(), DVec3::ZERO);
        self.lambda_before.clear();
        for ((equation, &number), change) in
            self.equations.iter().zip(&self.solved).zip(&mut self.change)
        {
            self.lambda_before.push(self.multipliers[number as usize].lambda);
            if !equation.is_active {
                *change = 0.0;
            }
            let link = &self.links[number as usize];
            let (a, b) = (link.a as usize, link.b as usize);
            let impulse = equation.normal * *change;
            if impulse.is_finite() {
                self.displacement[a] -= impulse * w[a];
                self.displacement[b] += impulse * w[b];
            }
        }
    }

    /// Sets positions and multipliers to their values after this fraction of the Newton step. λ of
    /// a one-sided link is at most 0, so that the link cannot push.
    fn step_to(&mut self, fraction: f64, x: &mut [DVec3]) {
        for ((x, before), displacement) in x.iter_mut().zip(&self.before).zip(&self.displacement) {
            *x = *before + *displacement * fraction;
        }
        let changes = self.lambda_before.iter().zip(&self.change);
        for (&number, (before, change)) in self.solved.iter().zip(changes) {
            let lambda = before + fraction * change;
            let would_push = self.links[number as usize].one_sided && lambda > 0.0;
            self.multipliers[number as usize].lambda = if would_push { 0.0 } else { lambda };
        }
    }

    /// Runs one XPBD sweep over positions, for the links that are not solved together.
    fn sweep_remaining(&mut self, particles: &mut Particles) {
        let &mut Particles { w, start, ref mut x, .. } = particles;
        for &number in &self.swept {
            let link = &self.links[number as usize];
            let (a, b) = (link.a as usize, link.b as usize);
            let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction: 1.0 };
            if let Some(p) =
                link_correction(link, ends, start, &mut self.multipliers[number as usize])
            {
                x[a] += p * w[a];
                x[b] -= p * w[b];
            }
        }
    }
}
