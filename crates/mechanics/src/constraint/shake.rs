//! SHAKE.

use super::conjugate_gradients::NetPlan;
use super::direct::DirectPlan;
use super::parameter::{self, Parameter};
use super::sweep::Ends;
use super::{
    CatalogueEntry, ConstraintSolver, Constraints, CountedMotion, FreeMotion, Particles, Searched,
    Solver, check_iterations, check_tolerance,
};
use crate::mesh::{Link, LinkKind};
use glam::DVec3;
use serde::{Deserialize, Serialize};

const INFO: CatalogueEntry = CatalogueEntry {
    name: "shake",
    title: "SHAKE",
    reference: "Ryckaert, Ciccotti and Berendsen 1977, J. Comput. Phys. 23, 327",
    verdict: "rigid links that keep their energy, quick on ropes and nets; slow on cloths whose \
              diagonals are rigid; loses energy where light links swing under a load with ωh > 2",
};

/// Constraint forces along the links' directions at the start of the step, as velocity Verlet
/// requires: the step stays symplectic, and a pendulum keeps its swing.
///
/// Ryckaert, J.-P., Ciccotti, G. and Berendsen, H. J. C. (1977), "Numerical integration of the
/// Cartesian equations of motion of a system with constraints". Two-sided links are solved together
/// with the matrix J W Jᵀ of the start (Newton's method), in ropes and trees by elimination, in
/// nets and cloths by conjugate gradients; others, and what that does not bring within the
/// tolerance, are visited end to end until every one is.
///
/// Departures from the paper: where links turn too far for multipliers along the start, all are put
/// to their lengths along themselves, in ropes and trees as the direct solver does it, in nets and
/// cloths by conjugate gradients. If sweeps run out, or end with a link turned round, particles
/// have moved far away and no later step repairs that; as many sweeps of relaxation then start
/// again from the free motion. Such steps count as unconverged.
///
/// Across its links SHAKE is explicit: under a load it is for steps of ωh < 2, ω² = Σ F/(m l) at a
/// knot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shake {
    /// Permitted error of a length over the rest length, 1e-15 to 0.1.
    pub tolerance: f64,
    /// Most sweeps in a substep, 1 to 100 000; a step that needs more counts as unconverged.
    pub max_iterations: u32,
}

/// Solves after which sweeps take over. On a rope that turns by 0.05 rad a step each solve leaves a
/// twentieth.
const MOST_SOLVES: u32 = 30;

/// Result of the sweeps.
pub(super) struct Swept {
    iterations: u32,
    /// Some link could not be put to its length along its direction at the start.
    strayed: bool,
}

impl Default for Shake {
    /// Lengths to 1e-10 within 1000 sweeps.
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 1000 }
    }
}

impl Shake {
    /// SHAKE's positions. Returns the number of sweeps.
    pub(super) fn correct(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        c.free.clear();
        c.free.extend_from_slice(particles.x);
        if let Some(solves) = self.solve(c, particles) {
            return solves;
        }
        if let Some(solves) = self.put_to_lengths(c, particles) {
            return self.max_iterations + solves.max(1);
        }
        let Swept { iterations, strayed } = self.sweep(c, particles);
        let Particles { w, start, x, .. } = particles;
        let missed =
            || iterations >= self.max_iterations && !self.is_met(c.residual(w, x), iterations);
        // By the sweeps, not by the free motion.
        let has_turned = || {
            let turned = |link: &Link, x: &[DVec3]| turns(link, start, x);
            c.network.links.iter().any(|link| turned(&link, x) && !turned(&link, &c.free))
        };
        if !(strayed && (missed() || has_turned())) {
            return iterations;
        }
        x.copy_from_slice(&c.free);
        let more = self.repeat(|| {
            let mut moved = false;
            c.network.visit_all(w, x, &mut |_, link, ends| {
                let p = is_off(link, &ends, self.tolerance).and_then(|_| to_length(link, &ends));
                moved |= p.is_some();
                p
            });
            moved
        });
        self.max_iterations + more
    }

    /// Solves all links together, by elimination or by conjugate gradients, along their directions
    /// at the start of the step. `None` if that fails; `x` is then the free motion again.
    fn solve(&self, c: &mut Constraints, particles: &mut Particles) -> Option<u32> {
        let Self { tolerance, max_iterations: most } = *self;
        together(
            (c, particles),
            |net, particles| net.shake((tolerance, most), particles),
            |tree, particles| tree.shake((tolerance, most.min(MOST_SOLVES)), particles),
        )
    }

    /// All links that turned too far, at their lengths along themselves, by conjugate gradients or
    /// by elimination. `None`, and the free motion again, where that does not help.
    fn put_to_lengths(&self, c: &mut Constraints, particles: &mut Particles) -> Option<u32> {
        together(
            (c, particles),
            |net, particles| net.put_to_lengths(self.tolerance, particles),
            |tree, particles| tree.put_to_lengths(particles),
        )
    }

    /// Sweeps along the links at the start of the step.
    pub(super) fn sweep(&self, c: &Constraints, particles: &mut Particles) -> Swept {
        let Particles { w, start, x, .. } = particles;
        let mut strayed = false;
        let iterations = self.repeat(|| {
            let mut moved = false;
            c.network.visit_all(w, x, &mut |_, link, ends| {
                let s = start[link.b as usize] - start[link.a as usize];
                let excess = is_off(link, &ends, self.tolerance)?;
                moved = true;
                along_start(&ends, s, excess).or_else(|| {
                    strayed = true;
                    to_length(link, &ends)
                })
            });
            moved
        });
        Swept { iterations, strayed }
    }

    /// Sweeps until one moves nothing or they run out, and how many there were.
    fn repeat(&self, mut sweep: impl FnMut() -> bool) -> u32 {
        let mut iterations = 0;
        let mut moved = true;
        while moved && iterations < self.max_iterations {
            moved = sweep();
            iterations += 1;
        }
        iterations
    }
}

impl Solver for Shake {
    fn info(&self) -> CatalogueEntry {
        INFO
    }

    fn check(&self) -> Result<(), String> {
        let Self { tolerance, max_iterations } = *self;
        check_tolerance("SHAKE", tolerance)?;
        check_iterations("max_iterations of SHAKE", max_iterations)
    }

    fn iterations(&self) -> Option<u32> {
        Some(self.max_iterations)
    }

    fn set_iterations(&mut self, most: u32) {
        self.max_iterations = most;
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![parameter::tolerance(&mut self.tolerance)]
    }

    fn has_tolerance(&self) -> bool {
        true
    }

    fn takes(&self, link: &Link) -> bool {
        link.kind != LinkKind::Bend
    }

    fn spring(&self, _link: &Link, _w: f64, _h: f64) -> Option<Link> {
        None
    }

    fn counts_on(&self) -> Option<CountedMotion> {
        Some(CountedMotion::Positions)
    }

    fn remedy(&self) -> &'static str {
        "shorter steps or more sweeps help"
    }

    fn searched(&self) -> Option<Searched> {
        let solver = ConstraintSolver::Shake(Self::default());
        Some(Searched { solver, sweeps: &[], motions: FreeMotion::BOTH, only_trees: false })
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        self.correct(c, particles)
    }

    fn sweep_in_turn(&self, _turn: u32, c: &mut Constraints, particles: &mut Particles) {
        self.sweep(c, particles);
    }

    fn residual(&self, c: &Constraints, w: &[f64], _start: &[DVec3], x: &[DVec3]) -> f64 {
        c.residual(w, x)
    }

    /// True if the tolerance is met, and was before relaxation. Links compare squares,
    /// (l² − L²)/2L², which differs from (l − L)/L in the second order.
    fn is_met(&self, residual: f64, iterations: u32) -> bool {
        iterations <= self.max_iterations && residual <= self.tolerance * (1.0 + self.tolerance)
    }
}

/// Solves all links together: those of a net by conjugate gradients, those of ropes and trees by
/// elimination. `None` if that fails; positions are then those of the free motion again.
fn together(
    (c, particles): (&mut Constraints, &mut Particles),
    net: impl FnOnce(&mut NetPlan, &mut Particles) -> Option<u32>,
    tree: impl FnOnce(&mut DirectPlan, &mut Particles) -> Option<u32>,
) -> Option<u32> {
    let solves = match c.network.links.len() {
        // One link alone needs no matrix.
        0..2 => return None,
        _ if c.is_net() => net(c.plan(), particles),
        _ => tree(c.plan(), particles),
    };
    if solves.is_none() {
        particles.x.copy_from_slice(&c.free);
    }
    solves
}

/// Error of the squared length, where it is more than the tolerance and finite.
fn is_off(link: &Link, ends: &Ends, tolerance: f64) -> Option<f64> {
    let rest2 = link.rest * link.rest;
    let excess = (ends.b - ends.a).length_squared() - rest2;
    let error = if link.one_sided { excess } else { excess.abs() };
    (error > 2.0 * tolerance * rest2 && excess.is_finite()).then_some(excess)
}

/// Correction that restores a link's length along itself, as in relaxation.
fn to_length(link: &Link, ends: &Ends) -> Option<DVec3> {
    let (l, n) = ends.length_and_direction()?;
    Some(n * ((l - link.rest) / ends.w))
}

/// p = g s with g = (d·d − L²) / (2 (w_a + w_b) s·d), where s is the link at the start of the
/// step and d the link now: one Newton step for |d − (w_a + w_b) g s| = L.
///
/// None, which is a departure from the paper, where that step would carry d beyond the foot of the
/// perpendicular on s, or the link has turned by more than a right angle: g s may be huge or point
/// the wrong way. Such a link is put to its length along d instead. It happens only to steps far
/// too long for SHAKE's accuracy to matter.
fn along_start(ends: &Ends, s: DVec3, excess: f64) -> Option<DVec3> {
    let along = s.dot(ends.b - ends.a);
    let is_near = along > 0.0 && s.length_squared() * excess.abs() <= 2.0 * along * along;
    is_near.then(|| s * (excess / (2.0 * ends.w * along)))
}

/// True if a link has turned by more than a right angle.
fn turns(link: &Link, start: &[DVec3], x: &[DVec3]) -> bool {
    let between = |x: &[DVec3]| x[link.b as usize] - x[link.a as usize];
    between(start).dot(between(x)) < 0.0
}
