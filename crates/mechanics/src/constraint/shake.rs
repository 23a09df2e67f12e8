//! SHAKE: positions projected along the links' directions at the start of the step.
//!
//! Ryckaert, J.-P., Ciccotti, G. and Berendsen, H. J. C. (1977), "Numerical integration of the
//! Cartesian equations of motion of a system with constraints". All two-sided links are solved
//! together by Newton's method with the matrix J W Jᵀ (J: link directions at the start of the step,
//! W: inverse masses). Ropes and trees use elimination, nets and cloths conjugate gradients. Sweeps
//! from end to end correct one-sided links, and all links that Newton's method leaves outside the
//! tolerance.
//!
//! Departures from the paper: Links may turn too far for multipliers along their directions at the
//! start of the step. Their lengths are then restored along their current directions, by the direct
//! solver in ropes and trees, by conjugate gradients in nets and cloths. The sweeps may reach their
//! maximum number, or turn a link by more than a right angle. Particles are then far from their
//! correct positions, and no later step would correct them. Therefore sweeps of relaxation start
//! again from the free motion, with the same maximum number. Such steps count as unconverged.
//!
//! The velocities after a step of velocity Verlet contain the impulses of the link forces at the
//! start of the step. On links that turn with the angular velocity ω, these velocities are too
//! large by the fraction (ωh)²/2, starting with the first step. The positions conserve the angular
//! momentum Σ m x × Δx/h exactly.
//!
//! SHAKE is explicit perpendicular to the links. A load F therefore requires steps with ωh < 2,
//! where ω² = Σ F/(m l) over the links of length l at a particle of mass m.

use super::choice::{ConstraintSolver, Shake};
use super::conjugate_gradients::NetSystem;
use super::constraints::Constraints;
use super::direct::DirectSystem;
use super::parameter::{self, Parameter, check_iterations, check_tolerance};
use super::particles::Particles;
use super::solver::{RequiredMotion, Solver};
use super::sweep::Ends;
use super::usage::{
    Defect, FreeIntegrator, RemedyTrial, RemedyTrials, SearchSettings, TrialSubsteps,
};
use crate::mesh::{Link, LinkKind};
use crate::names::CatalogueEntry;
use glam::DVec3;

/// Largest number of Newton solves. After these, sweeps take over. On a rope that turns by 0.05 rad
/// per step, each solve leaves a twentieth of the error.
const MOST_SOLVES: u32 = 30;

struct Swept {
    iterations: u32,
    /// True if some link could not be corrected along its direction at the start of the step, and
    /// was corrected along its current direction instead.
    used_current_direction: bool,
}

impl Shake {
    /// Projects the positions by SHAKE. Returns the number of sweeps or solves; more than
    /// `max_iterations` if the step counts as unconverged.
    pub(super) fn project_positions(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        c.free.clear();
        c.free.extend_from_slice(particles.x);
        if let Some(solves) = self.solve(c, particles) {
            return solves;
        }
        if let Some(solves) = self.restore_lengths(c, particles) {
            return self.max_iterations + solves.max(1);
        }
        let Swept { iterations, used_current_direction } = self.sweep(c, particles);
        let Particles { w, start, x, .. } = particles;
        let is_unconverged = || {
            iterations >= self.max_iterations && !self.meets_tolerance(c.residual(w, x), iterations)
        };
        // True if the sweeps, not the free motion, turned a link by more than a right angle.
        let has_turned = || {
            let turned = |link: &Link, x: &[DVec3]| has_turned_back(link, start, x);
            c.network.links.iter().any(|link| turned(&link, x) && !turned(&link, &c.free))
        };
        if !(used_current_direction && (is_unconverged() || has_turned())) {
            return iterations;
        }
        x.copy_from_slice(&c.free);
        let more = self.sweep_until_still(|| {
            let mut moved = false;
            c.network.sweep_in_list_order(w, x, &mut |_, link, ends| {
                let p = length_error(link, &ends, self.tolerance)
                    .and_then(|_| length_correction(link, &ends));
                moved |= p.is_some();
                p
            });
            moved
        });
        self.max_iterations + more
    }

    /// Solves all links together along their directions at the start of the step, by elimination or
    /// conjugate gradients. `None` on failure; `x` is then reset to the free motion.
    fn solve(&self, c: &mut Constraints, particles: &mut Particles) -> Option<u32> {
        let Self { tolerance, max_iterations: most } = *self;
        solve_together(
            c,
            particles,
            |net, particles| net.shake(tolerance, most, particles),
            |tree, particles| tree.shake(tolerance, most.min(MOST_SOLVES), particles),
        )
    }

    /// Restores the lengths of all links along their current directions, by elimination or
    /// conjugate gradients. `None` on failure; `x` is then reset to the free motion.
    fn restore_lengths(&self, c: &mut Constraints, particles: &mut Particles) -> Option<u32> {
        solve_together(
            c,
            particles,
            |net, particles| net.restore_lengths(self.tolerance, particles),
            |tree, particles| tree.restore_lengths(particles),
        )
    }

    /// Runs sweeps that correct each link along its direction at the start of the step.
    fn sweep(&self, c: &Constraints, particles: &mut Particles) -> Swept {
        let Particles { w, start, x, .. } = particles;
        let mut used_current_direction = false;
        let iterations = self.sweep_until_still(|| {
            let mut moved = false;
            c.network.sweep_in_list_order(w, x, &mut |_, link, ends| {
                let s = start[link.b as usize] - start[link.a as usize];
                let excess = length_error(link, &ends, self.tolerance)?;
                moved = true;
                along_start(&ends, s, excess).or_else(|| {
                    used_current_direction = true;
                    length_correction(link, &ends)
                })
            });
            moved
        });
        Swept { iterations, used_current_direction }
    }

    /// Repeats `sweep` until it returns false (nothing moved) or the maximum number is reached.
    /// Returns the number of sweeps.
    fn sweep_until_still(&self, mut sweep: impl FnMut() -> bool) -> u32 {
        let mut iterations = 0;
        let mut moved = true;
        while moved && iterations < self.max_iterations {
            moved = sweep();
            iterations += 1;
        }
        iterations
    }
}

/// Returns the trials of a solver that keeps all links at their rest lengths.
pub(super) fn rigid_trials(name: &str, solver: ConstraintSolver) -> RemedyTrials {
    let trial = RemedyTrial {
        words: format!("links under {name}"),
        solver,
        integrator: Some(FreeIntegrator::VelocityVerlet),
        substeps: TrialSubsteps::AsInLane,
    };
    let cures = &[Defect::SoftConstraints, Defect::SoftSprings, Defect::ChangedEnergy];
    // In a large cloth, the tolerance needs thousands of sweeps.
    RemedyTrials { most_links: 200, ..RemedyTrials::of(cures, [trial]) }
}

impl Solver for Shake {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "shake",
            title: "SHAKE",
            reference: "Ryckaert, Ciccotti and Berendsen 1977, J. Comput. Phys. 23, 327",
            verdict: "rigid links that conserve energy; slow on cloths with rigid diagonals; \
                      loses energy where light links swing under a load with ωh > 2",
        }
    }

    fn short_name(&self) -> &'static str {
        "SHAKE"
    }

    fn check(&self) -> Result<(), String> {
        let Self { tolerance, max_iterations } = *self;
        check_tolerance("SHAKE", tolerance)?;
        check_iterations("max_iterations of SHAKE", max_iterations)
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.max_iterations)
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![parameter::tolerance(&mut self.tolerance)]
    }

    fn has_tolerance(&self) -> bool {
        true
    }

    fn constrains(&self, link: &Link) -> bool {
        link.kind != LinkKind::Bend
    }

    fn required_motion(&self) -> Option<RequiredMotion> {
        Some(RequiredMotion::Positions)
    }

    fn remedy(&self) -> &'static str {
        "shorter steps or more sweeps help"
    }

    fn search_settings(&self) -> Option<SearchSettings> {
        Some(SearchSettings::of(ConstraintSolver::Shake(Self::default()), &[]))
    }

    fn remedy_trials(&self) -> Option<RemedyTrials> {
        Some(rigid_trials("SHAKE", ConstraintSolver::Shake(Self::default())))
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        self.project_positions(c, particles)
    }

    /// True if the projection counts as converged: at most `max_iterations` sweeps or solves, and a
    /// residual (l − L)/L within the tolerance. The sweeps test the error (l² − L²)/(2L²) instead,
    /// which differs from the residual by terms of second order. The factor 1 + tolerance allows
    /// for this difference.
    fn meets_tolerance(&self, residual: f64, iterations: u32) -> bool {
        iterations <= self.max_iterations && residual <= self.tolerance * (1.0 + self.tolerance)
    }
}

/// Solves all links together: `net` for nets and cloths, `tree` for ropes and trees. `None` on
/// failure; the positions are then reset to the free motion.
fn solve_together(
    c: &mut Constraints,
    particles: &mut Particles,
    net: impl FnOnce(&mut NetSystem, &mut Particles) -> Option<u32>,
    tree: impl FnOnce(&mut DirectSystem, &mut Particles) -> Option<u32>,
) -> Option<u32> {
    let solves = match c.network.links.len() {
        // A sweep solves a single link exactly, so no matrix is needed.
        0..2 => return None,
        _ if c.is_net() => net(c.data(), particles),
        _ => tree(c.data(), particles),
    };
    if solves.is_none() {
        particles.x.copy_from_slice(&c.free);
    }
    solves
}

/// Returns the error l² − L² of the squared length. `None` if it is within the tolerance or not
/// finite.
fn length_error(link: &Link, ends: &Ends, tolerance: f64) -> Option<f64> {
    let rest2 = link.rest * link.rest;
    let excess = (ends.b - ends.a).length_squared() - rest2;
    let error = if link.one_sided { excess } else { excess.abs() };
    (error > 2.0 * tolerance * rest2 && excess.is_finite()).then_some(excess)
}

/// Returns the correction p that restores a link's length along its current direction, as in
/// relaxation.
fn length_correction(link: &Link, ends: &Ends) -> Option<DVec3> {
    let (l, n) = ends.length_and_direction()?;
    Some(n * ((l - link.rest) / ends.w))
}

/// Returns the correction p = g s with g = (d·d − L²) / (2 (w_a + w_b) s·d), where s is the link's
/// vector at the start of the step and d its current vector. The correction is one Newton step for
/// |d − (w_a + w_b) g s| = L.
///
/// `None` if the step would move d beyond the foot of the perpendicular on s, or if the link has
/// turned by more than a right angle: g s may then be huge or of the wrong sign. The caller then
/// corrects the link along d, a departure from the paper. This departure happens only in steps far
/// too long for an accurate SHAKE.
fn along_start(ends: &Ends, s: DVec3, excess: f64) -> Option<DVec3> {
    let along = s.dot(ends.b - ends.a);
    let is_near = along > 0.0 && s.length_squared() * excess.abs() <= 2.0 * along * along;
    is_near.then(|| s * (excess / (2.0 * ends.w * along)))
}

/// True if a link has turned by more than a right angle since the start of the step.
fn has_turned_back(link: &Link, start: &[DVec3], x: &[DVec3]) -> bool {
    let between = |x: &[DVec3]| x[link.b as usize] - x[link.a as usize];
    between(start).dot(between(x)) < 0.0
}
