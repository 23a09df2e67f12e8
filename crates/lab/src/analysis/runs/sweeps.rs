//! Convergence of a solver's sweeps in the current state of a lane (one simulation of the scene).

use crate::analysis::job::{Cancelled, Work};
use crate::analysis::linear::symmetric::lowest_of_tridiagonal;
use crate::constraint::SweepOrder;
use crate::mesh::Link;
use crate::simulation::{Simulation, SweepTrial};
use glam::DVec3;

/// Largest residual that may be a rounding error.
pub(super) const ROUNDING: f64 = 1e-12;

/// Residuals of the links after successive sweeps.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepConvergence {
    /// Residual of the worst link's equation after 1, 2, 3 … sweeps, as a fraction of the link's
    /// rest length.
    pub residuals: Vec<f64>,
    /// Measured factor by which a late sweep multiplies the residual; `None` if only rounding
    /// errors are left.
    pub factor: Option<f64>,
    /// Theoretical factor by which a late sweep multiplies the residual; `None` unless the links
    /// form a single rope.
    pub theory: Option<f64>,
}

impl SweepConvergence {
    /// Measures the residual after each of 1 to `most` sweeps in the next substep of a lane. `None`
    /// if no solver constrains links.
    pub fn of<P>(
        simulation: &Simulation,
        most: u32,
        work: &Work<P>,
    ) -> Result<Option<Self>, Cancelled> {
        let Some(mut trial) = simulation.sweep_trial() else { return Ok(None) };
        work.expect(most.into());
        let theory = rope_factor(simulation, &trial);
        let mut residuals = Vec::new();
        for sweeps in 1..=most {
            residuals.push(trial.residual(sweeps));
            work.done(1)?;
        }
        Ok(Some(Self { factor: last_factor(&residuals), residuals, theory }))
    }
}

/// Returns the mean factor per sweep over the second half of the residuals above rounding. The mean
/// spans an even number of sweeps, because the residuals of Jacobi sweeps alternate.
fn last_factor(residuals: &[f64]) -> Option<f64> {
    let above = residuals.iter().take_while(|residual| **residual > ROUNDING).count();
    let last = above.checked_sub(1)?;
    let middle = last - last / 4 * 2;
    (last > middle && residuals[last].is_finite())
        .then(|| (residuals[last] / residuals[middle]).powf(1.0 / (last - middle) as f64))
}

/// Returns the spectral radius of a sweep on a chain of links. For Jacobi, it is the ρ of the
/// iteration matrix of A = J W Jᵀ + α̃ (J: gradients of the links' lengths, W: inverse masses, α̃:
/// compliance divided by the square of the substep). For Gauss–Seidel in a consistent order, it is
/// ρ² (Young 1954). A straight rope of N equal links and masses with one pinned end has ρ² =
/// cos²(π/(2N)). `None` if the links do not form a chain, or if theory does not cover the solver.
pub(super) fn rope_factor(simulation: &Simulation, trial: &SweepTrial) -> Option<f64> {
    let solver = trial.solver();
    let (w, x, h) = trial.start_of_sweeps();
    let topology = simulation.model().topology();
    let links: Vec<Link> = topology.links().iter().filter(|link| solver.constrains(link)).collect();
    let is_chain = links.windows(2).all(|pair| shared_particle(&pair[0], &pair[1]).is_some())
        && links.len() < x.len()
        && (0..x.len() as u32)
            .all(|i| links.iter().filter(|l| [l.a, l.b].contains(&i)).count() < 3);
    if !is_chain || links.iter().any(|link| link.one_sided || !link.rest.is_finite()) {
        return None;
    }
    let (_, order) = solver
        .plain_sweeps()
        .filter(|(plain, _)| plain == solver && solver.removed_fraction() == 1.0)?;
    let squared = is_squared(order)?;
    let weight = |link: &Link| {
        let w = w[link.a as usize] + w[link.b as usize];
        let spring = solver.equivalent_spring(link, w, h);
        w + spring.map_or(0.0, |spring| 1.0 / (spring.stiffness * h * h))
    };
    let direction = |link: &Link| (x[link.b as usize] - x[link.a as usize]).normalize_or_zero();
    let off_diagonal = links.windows(2).map(|pair| {
        let turn = DVec3::dot(direction(&pair[0]), direction(&pair[1]));
        let common = shared_particle(&pair[0], &pair[1]).map_or(0.0, |i| w[i as usize]);
        common * turn / (weight(&pair[0]) * weight(&pair[1])).sqrt()
    });
    let off_diagonal: Vec<f64> = off_diagonal.collect();
    // The matrix is scaled to a diagonal of 1. Its eigenvalues λ are symmetric about 1, so ρ = 1 −
    // the lowest λ.
    let lowest = *lowest_of_tridiagonal(&vec![1.0; links.len()], &off_diagonal, 1).first()?;
    let radius = (1.0 - lowest).clamp(0.0, 1.0);
    Some(if squared { radius * radius } else { radius })
}

/// True if a sweep in this order is a Gauss–Seidel sweep, which reduces the error as much as two
/// Jacobi sweeps; false if it is an undamped Jacobi sweep. `None` for orders that theory does not
/// cover.
fn is_squared(order: SweepOrder) -> Option<bool> {
    match order {
        SweepOrder::EndToEnd | SweepOrder::Coloured => Some(true),
        SweepOrder::Jacobi { damping: 1.0 } => Some(false),
        SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => None,
    }
}

fn shared_particle(a: &Link, b: &Link) -> Option<u32> {
    [a.a, a.b].into_iter().find(|i| [b.a, b.b].contains(i))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::support;
    use std::f64::consts::PI;

    /// Creates a straight rope of particles of equal mass, which hangs from its first particle.
    pub fn rope(n: usize, solver: &str) -> Simulation {
        rope_of(n, "stiffness: 1e4, rigid: true", solver)
    }

    /// Like [`rope`], with links that have these properties.
    pub fn rope_of(n: usize, properties: &str, solver: &str) -> Simulation {
        let at = |i: usize| format!("(name: \"p{i}\", at: (0, {}, 0))", -0.1 * i as f64);
        let link = |i: usize| format!("(a: Body(\"p{i}\"), b: Body(\"p{}\"), {properties})", i + 1);
        let particles = (0..=n).map(at).collect::<Vec<_>>().join(",");
        let links = (0..n).map(link).collect::<Vec<_>>().join(",");
        let text = format!(
            "(version: 1, name: \"rope\", particles: [{particles}], links: [{links}],
            pins: [(of: Body(\"p0\"))], forces: [(law: Gravity())],
            settings: (dt: 0.01, links: Constraints, constraints: {solver}))"
        );
        support::lane(&text)
    }

    fn convergence(simulation: &Simulation, sweeps: u32) -> SweepConvergence {
        let work = Work::<()>::unwatched();
        SweepConvergence::of(simulation, sweeps, &work).unwrap().expect("a solver")
    }

    #[test]
    fn a_straight_rope_converges_with_the_factor_of_theory() {
        for n in [5, 10, 20] {
            let jacobi = (PI / (2 * n) as f64).cos();
            for (solver, printed) in [
                ("Relaxation()", jacobi * jacobi),
                ("Xpbd(order: Coloured)", jacobi * jacobi),
                ("Relaxation(order: Jacobi(damping: 1))", jacobi),
            ] {
                let SweepConvergence { residuals, factor, theory } =
                    convergence(&rope(n, solver), 6 * (n * n) as u32);
                let (factor, theory) = (factor.unwrap(), theory.unwrap());
                assert!(
                    (theory - printed).abs() < 1e-6,
                    "{solver}, {n} links: factor in theory {theory}, published {printed}"
                );
                assert!(
                    (factor - printed).abs() < 2e-3 * (1.0 - printed),
                    "{solver}, {n} links: measured factor {factor}"
                );
                assert!(residuals.iter().all(|r| r.is_finite()));
            }
        }
    }

    #[test]
    fn no_solver_no_sweeps_and_no_rope_no_theory() {
        let scene = Scene::parse(
            r#"(version: 1, name: "cloth", materials: [Cloth(name: "cotton", areal_density: 0.3)],
            cloths: [(name: "cloth", corner: (0, 2, 0), across: (1, 0, 0), down: (0, -1, 0), cells: (4, 4), material: "cotton")],
            pins: [(of: Edge("cloth", Top))], forces: [(law: Gravity())],
            lanes: [(name: "a", settings: (links: Constraints, constraints: Relaxation())), (name: "b")])"#,
            "cloth",
        );
        let scene = scene.unwrap_or_else(|e| panic!("{e}"));
        let [held, free] = [0, 1]
            .map(|lane: usize| Simulation::new(scene.parts.clone(), scene.lanes[lane].settings));
        assert_eq!(convergence(&held, 20).theory, None);
        let none = SweepConvergence::of(&free, 20, &Work::<()>::unwatched());
        assert_eq!(none.unwrap(), None);
    }
}
