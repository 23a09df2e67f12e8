//! Comparison of the errors of solvers at equal computing times.

use super::error_measure::ErrorMeasure;
use super::family::{Family, MOST_SUBSTEPS, integrator_of};
use super::question::{AdviceQuestion, EndOfErrors, Goal};
use super::trial::{Tester, Trial};
use crate::analysis::job::{Cancelled, Work};
use crate::constraint::{ComparisonSettings, ConstraintSolver};
use crate::integrate::Method;
use crate::model::Parts;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Largest error that is measured, as a fraction of the size of the motion. Reference runs are
/// precise enough for it. A trial stops at four times this error.
const LARGEST_ERROR: f64 = 0.1;
/// Number of substeps in the step that measures the cost of a substep.
const MEASURED_SUBSTEPS: u32 = 16;

/// Result of one solver at one computing budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BudgetTrial {
    /// Computing budget per frame of 1/60 s, in seconds.
    pub budget: f64,
    /// Trial with as many substeps as the budget permits.
    pub trial: Option<Trial>,
}

/// Results of one solver at all budgets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolverTrials {
    /// Solver, integrator and sweeps as text.
    pub solver: &'static str,
    /// Computing time of a frame with only one substep, in seconds.
    pub least: f64,
    /// Trials, one per budget.
    pub spent: Vec<BudgetTrial>,
}

/// Comparison of solvers at equal computing budgets on one scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EqualBudgets {
    /// Trials per solver.
    pub solvers: Vec<SolverTrials>,
    /// Time in seconds up to which errors are meaningful; null if they are meaningful until the end
    /// of the run.
    pub predictable_for: Option<f64>,
    /// Distance in metres that counts as an error of 1, as in `explain`.
    pub error_size: f64,
    /// Reason why errors are not meaningful until the end; null if they are.
    pub end_of_errors: Option<EndOfErrors>,
    /// Uncertainty of the precise run (a reference run with tiny steps), divided by `error_size`:
    /// twice the error that its distance from a coarser run implies. Null if it is negligible.
    pub uncertainty: Option<f64>,
    /// Sentence that says why the precise run keeps elastic links at their rest lengths; null if it
    /// does not.
    pub rigid_reference: Option<String>,
}

fn compared_families(lane: &Settings) -> Vec<(&'static str, Family)> {
    let mut families = vec![
        ("springs, symplectic Euler", Family::springs(lane, Method::SymplecticEuler)),
        ("springs, RK4", Family::springs(lane, Method::Rk4)),
        ("springs, implicit Euler", Family::springs(lane, Method::ImplicitEuler)),
    ];
    let constrained = ConstraintSolver::all().flat_map(|solver| solver.comparison_settings());
    families.extend(constrained.map(|ComparisonSettings { name, solver, integrator }| {
        (name, Family::constrained(lane, integrator_of(integrator), solver))
    }));
    families
}

/// Runs every solver with as many substeps as each budget permits, and measures its distance from
/// the reference run. Budgets are computing times in seconds per frame of 1/60 s. Trials run one
/// after another, so that they do not slow each other. Each trial is sent through `work`. `clock`
/// returns seconds.
pub fn equal_budgets(
    parts: &Arc<Parts>,
    lane: &Settings,
    budgets: &[f64],
    duration: f64,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<EqualBudgets, Cancelled> {
    let question = &AdviceQuestion { goal: Goal::Error(LARGEST_ERROR), budget: None, duration };
    let measure = &ErrorMeasure::of(parts, lane, question, f64::INFINITY, &|| work.check())?;
    let tester = Tester { parts, question, measure, samples: None, clock, started: clock(), work };
    let mut solvers = Vec::new();
    for (solver, family) in compared_families(lane) {
        let least = tester.measure_step_cost(&family.with(1))?;
        let substep_cost = tester.measure_step_cost(&family.with(MEASURED_SUBSTEPS))?
            / f64::from(MEASURED_SUBSTEPS);
        let mut spent = Vec::new();
        for &budget in budgets {
            let substeps = (budget / substep_cost).clamp(1.0, f64::from(MOST_SUBSTEPS)) as u32;
            let trial = match substeps == 1 && least > budget {
                true => None,
                false => Some(tester.run(parts, &family.with(substeps), duration)?.0),
            };
            trial.into_iter().for_each(|trial| work.send(trial));
            spent.push(BudgetTrial { budget, trial });
        }
        solvers.push(SolverTrials { solver, least, spent });
    }
    Ok(EqualBudgets {
        solvers,
        predictable_for: measure.predictable_for(),
        error_size: measure.size().unwrap_or(f64::NAN),
        end_of_errors: measure.end(),
        uncertainty: measure.uncertainty(),
        rigid_reference: measure.rigid_reference(),
    })
}
