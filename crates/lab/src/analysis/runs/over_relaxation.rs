//! Best over-relaxation ω for the sweeps of a lane (one simulation of the scene) in its current
//! state.

use super::sweeps::{ROUNDING, rope_factor};
use crate::constraint::SweepOrder;
use crate::simulation::settings::Settings;
use crate::simulation::{Simulation, SweepTrial};

/// Numbers of sweeps of a measurement, tried in this order until one leaves more than rounding
/// errors. Needed only if theory gives no value. The reduction of the error per sweep is measured
/// over the second half of the sweeps. In a cloth of 20 × 20 cells, it is constant after 40 sweeps.
const MEASURED_SWEEPS: [u32; 3] = [60, 20, 6];
/// Largest returned ω. At ω = 2, sweeps do not converge.
const MOST_OMEGA: f64 = 1.99;

/// Returns the best over-relaxation ω = 2/(1 + √(1 − ρ)), where ρ is the factor by which a
/// Gauss–Seidel sweep multiplies the error (Young 1954, Trans. AMS 76, 92). For a rope, ρ comes
/// from theory: a straight rope of N equal links has ω = 2/(1 + sin(π/(2N))). For other bodies, ρ
/// is measured. `None` if the solver has no ω, if its sweep order is Jacobi, or if its sweeps do
/// not converge.
pub fn best_omega(simulation: &Simulation) -> Option<f64> {
    let (solver, order) = simulation.settings().solver().plain_sweeps()?;
    if matches!(order, SweepOrder::Jacobi { .. }) {
        return None;
    }
    let mut plain = simulation.clone();
    plain.configure(Settings { constraints: solver, ..*simulation.settings() });
    let mut trial = plain.sweep_trial()?;
    let factor = rope_factor(&plain, &trial).or_else(|| measured_factor(&mut trial))?;
    if !(0.0..1.0).contains(&factor) {
        return None;
    }
    Some((2.0 / (1.0 + (1.0 - factor).sqrt())).min(MOST_OMEGA))
}

/// Measures the factor by which a late sweep multiplies the residual. `None` if only rounding
/// errors are left.
fn measured_factor(trial: &mut SweepTrial) -> Option<f64> {
    MEASURED_SWEEPS.into_iter().find_map(|sweeps| {
        let [half, whole] = [sweeps / 2, sweeps].map(|sweeps| trial.residual(sweeps));
        (whole > ROUNDING).then(|| (whole / half).powf(1.0 / f64::from(sweeps - sweeps / 2)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sweeps::tests::{rope, rope_of};
    use super::*;
    use crate::constraint::ConstraintSolver;
    use crate::support;
    use std::f64::consts::PI;

    fn cloth(solver: &str) -> Simulation {
        let text = format!(
            "(version: 1, name: \"lane\", {CLOTH}, forces: [(law: Gravity())],
              settings: (dt: 0.01, links: Constraints, constraints: {solver}))"
        );
        support::lane(&text)
    }

    /// Returns the residual of the worst link after 60 sweeps with this ω.
    fn residual_after(lane: &Simulation, omega: f64) -> f64 {
        let mut solver = lane.settings().solver();
        if let ConstraintSolver::Relaxation(relaxation) = &mut solver {
            relaxation.omega = omega;
        }
        let mut lane = lane.clone();
        lane.configure(Settings { constraints: solver, ..*lane.settings() });
        lane.sweep_trial().expect("a solver").residual(MEASURED_SWEEPS[0])
    }

    const CLOTH: &str = r#"cloths: [(name: "cloth", corner: (0, 2, 0), across: (1, 0, 0),
        down: (0, -1, 0), cells: (12, 12))], pins: [(of: Edge("cloth", Top))]"#;

    #[test]
    fn a_straight_rope_has_the_omega_of_theory() {
        for n in [5, 10, 20] {
            let expected = 2.0 / (1.0 + (PI / (2 * n) as f64).sin());
            // The ω of the lane's settings has no influence on the result.
            for solver in ["Relaxation()", "Relaxation(omega: 1.3)", "Xpbd(omega: 1.7)"] {
                let found = best_omega(&rope(n, solver)).expect("an ω");
                assert!((found - expected).abs() < 1e-6, "{solver}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn on_a_cloth_the_measured_omega_leaves_less_than_one() {
        let cloth = cloth("Relaxation()");
        let best = best_omega(&cloth).expect("an ω");
        let [plain, better] = [1.0, best].map(|omega| residual_after(&cloth, omega));
        assert!(better < 0.2 * plain, "ω = {best}: {better}, with 1 {plain}");
    }

    #[test]
    fn a_compliance_of_the_solver_replaces_that_of_the_links() {
        let omega = |links, solver| best_omega(&rope_of(10, links, solver)).expect("an ω");
        let own = omega("stiffness: 100", "Xpbd(compliance: 1e-4)");
        let same = omega("stiffness: 1e4", "Xpbd()");
        assert!((own - same).abs() < 1e-9, "{own}, not {same}");
        let links = omega("stiffness: 100", "Xpbd()");
        assert!((own - links).abs() > 0.1, "{own} and {links}");
    }

    #[test]
    fn solvers_without_omega_have_no_best_one() {
        for solver in ["Shake()", "Direct()", "Relaxation(order: Jacobi(damping: 0.5))"] {
            assert_eq!(best_omega(&cloth(solver)), None, "{solver}");
        }
    }
}
