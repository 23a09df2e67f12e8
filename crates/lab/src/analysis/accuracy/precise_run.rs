//! Precise runs: reference motions whose uncertainty is measured.

use super::reference::Reference;
use super::reference_plan::ReferencePlan;
use crate::analysis::job::Cancelled;

/// Ratio of the step counts of the first two runs, whose difference gives the uncertainty.
const FIRST_RATIO: u64 = 2;
/// Factor by which the number of steps is multiplied if the uncertainty is too large.
const REFINEMENT: u64 = 4;
const MOST_REFINEMENTS: u32 = 5;
/// Largest uncertainty that is accepted without refinement, as a fraction of the permitted error.
const SMALL_FRACTION: f64 = 0.05;
/// Safety factor for the estimated error. The estimate is the error that the difference of two runs
/// implies if errors are proportional to the step.
const SAFETY: f64 = 2.0;

/// Limits of the refinement of a precise run.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct RefinementLimits {
    /// Index of the last instant to compute.
    pub last: u64,
    /// Permitted error in metres. The uncertainty should be small compared with this error.
    pub permitted: f64,
    /// Maximum work of a finer run, in force evaluations × particles plus sweeps × links.
    pub most_work: f64,
}

/// Reference motion and its uncertainty, measured by comparison with a run of fewer steps.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct PreciseRun {
    pub reference: Reference,
    /// Uncertainty in metres at every instant; it never decreases. Empty if the uncertainty is
    /// negligible: for closed forms, and for runs whose precision depends on the tolerance of
    /// Dormand–Prince.
    uncertainty: Vec<f64>,
}

impl PreciseRun {
    /// Measures the uncertainty of a reference that `plan` computed. Refines the reference until
    /// its uncertainty is small, or until another refinement would exceed the limits.
    pub fn refine(
        plan: &ReferencePlan,
        reference: Reference,
        limits: RefinementLimits,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        let RefinementLimits { last, permitted, most_work } = limits;
        let mut precise = Self::measure(plan, reference, FIRST_RATIO, last, check)?;
        let mut finer = plan.clone();
        for _ in 0..MOST_REFINEMENTS {
            let is_small = precise.uncertainty_at(last) <= SMALL_FRACTION * permitted;
            if is_small || precise.reference.work * REFINEMENT as f64 > most_work {
                break;
            }
            let (next, ratio) = finer.finer(REFINEMENT, last);
            finer = next;
            let reference = finer.run(check)?;
            if !reference.is_complete() {
                break;
            }
            let uncertainty = uncertainty(&reference, &precise.reference, ratio, last);
            precise = Self { reference, uncertainty };
        }
        Ok(precise)
    }

    /// Measures the uncertainty of a reference by comparison with a run that takes `ratio` times
    /// fewer steps.
    pub fn measure(
        plan: &ReferencePlan,
        reference: Reference,
        ratio: u64,
        last: u64,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        if !plan.depends_on_steps {
            return Ok(Self { reference, uncertainty: Vec::new() });
        }
        let (plan, ratio) = plan.coarser(ratio, last);
        let coarse = plan.run_once(check)?;
        let uncertainty = uncertainty(&reference, &coarse, ratio, last);
        Ok(Self { reference, uncertainty })
    }

    /// True if the uncertainty was measured. Otherwise it is negligible.
    pub fn is_uncertain(&self) -> bool {
        !self.uncertainty.is_empty()
    }

    /// Returns the uncertainty in metres at the instant with this number, counted from 1.
    pub fn uncertainty_at(&self, instant: u64) -> f64 {
        let place = (instant as usize).min(self.uncertainty.len());
        if place == 0 { 0.0 } else { self.uncertainty[place - 1] }
    }

    /// Returns the first of `last` instants with an uncertainty above `most` metres.
    pub fn first_above(&self, most: f64, last: u64) -> Option<u64> {
        (1..=last).find(|instant| self.uncertainty_at(*instant) > most)
    }
}

/// Returns the uncertainty of a run in metres at every instant. It is the safety factor × the
/// largest distance from a coarser run up to this instant / (ratio of the step counts − 1). If
/// errors are proportional to the step, this is twice the error of the finer run. If errors shrink
/// faster, it is more than twice.
fn uncertainty(fine: &Reference, coarse: &Reference, ratio: f64, last: u64) -> Vec<f64> {
    let mut greatest = 0.0_f64;
    let at = |instant: u64| {
        let apart = fine.positions(instant).map_or(0.0, |x| coarse.distance(instant, x));
        greatest = greatest.max(apart);
        SAFETY / (ratio - 1.0) * greatest
    };
    (1..=last).map(at).collect()
}
