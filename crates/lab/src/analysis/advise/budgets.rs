//! Comparison of solvers at equal budgets of computing time: the error of each solver.

use super::error_measure::ErrorMeasure;
use super::family::{Family, MOST_SUBSTEPS, method_of};
use super::trial::{Tester, Trial};
use super::{AdviceQuestion, Goal};
use crate::analysis::job::{Cancelled, Work};
use crate::constraint::{ConstraintSolver, Usage};
use crate::integrate::Method;
use crate::model::Parts;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Largest error that references are accurate for, as a fraction of the scene's size. A run with
/// four times this error is stopped.
const SEEN: f64 = 0.1;
/// Number of substeps in the step that measures the cost of a substep.
const PRICED_SUBSTEPS: u32 = 16;

/// Outcome of one computing budget for one solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spent {
    /// Computing budget per frame of 1/60 s, in seconds.
    pub budget: f64,
    /// Trial with as many substeps as the budget pays for; `None` if the budget does not pay for
    /// one.
    pub trial: Option<Trial>,
}

/// Outcomes of all budgets for one solver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpentBySolver {
    /// Solver, integrator and sweeps in words.
    pub solver: &'static str,
    /// Computing time of one frame with one substep, in seconds.
    pub least: f64,
    /// Outcomes, one per budget.
    pub spent: Vec<Spent>,
}

/// Comparison of solvers at equal computing budgets on one scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EqualBudgets {
    /// Solvers, in the order of the table.
    pub solvers: Vec<SpentBySolver>,
    /// Seconds for which errors are meaningful; null if they are meaningful to the end.
    pub predictable_for: Option<f64>,
}

/// Returns the solvers to compare, with their names in words.
fn rows(lane: &Settings) -> Vec<(&'static str, Family)> {
    let mut rows = vec![
        ("springs, symplectic Euler", Family::springs(lane, Method::SymplecticEuler)),
        ("springs, RK4", Family::springs(lane, Method::Rk4)),
        ("springs, implicit Euler", Family::springs(lane, Method::ImplicitEuler)),
    ];
    let held = ConstraintSolver::all().flat_map(|solver| solver.comparison_settings());
    rows.extend(held.map(|(Usage { name, solver, .. }, motion)| {
        (name, Family::held(lane, method_of(motion), solver))
    }));
    rows
}

/// Runs every solver with as many substeps as each budget pays for, and measures its distance from
/// the reference. Budgets are computing times per frame of 1/60 s, in seconds. Trials run one after
/// the other, so that none disturbs the cost of another. Every trial is sent. `clock` returns
/// seconds.
pub fn equal_budgets(
    parts: &Arc<Parts>,
    lane: &Settings,
    (budgets, duration): (&[f64], f64),
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<EqualBudgets, Cancelled> {
    let question = &AdviceQuestion { goal: Goal::Error(SEEN), budget: None, duration };
    let measure = &ErrorMeasure::of(parts, lane, question, &|| work.check())?;
    let tester = Tester { parts, question, measure, course: None, clock, started: clock(), work };
    let mut solvers = Vec::new();
    for (solver, family) in rows(lane) {
        let least = tester.price(&family.with(1))?;
        let of_one = tester.price(&family.with(PRICED_SUBSTEPS))? / f64::from(PRICED_SUBSTEPS);
        let mut spent = Vec::new();
        for &budget in budgets {
            let substeps = (budget / of_one).clamp(1.0, f64::from(MOST_SUBSTEPS)) as u32;
            let trial = match substeps == 1 && least > budget {
                true => None,
                false => Some(tester.run(parts, &family.with(substeps), duration)?.0),
            };
            trial.into_iter().for_each(|trial| work.send(trial));
            spent.push(Spent { budget, trial });
        }
        solvers.push(SpentBySolver { solver, least, spent });
    }
    Ok(EqualBudgets { solvers, predictable_for: measure.predictable_for() })
}
