//! Lasting energy gain of a run. Energy that a vibration gains and loses again does not count.

/// Number of steps within which a stable vibration returns borrowed energy.
pub(super) const LASTING_STEPS: usize = 24;

/// Returns the largest gain that lasted for [`LASTING_STEPS`] steps.
pub(super) fn lasting_gain(fractions: &[f64]) -> f64 {
    let least = |window: &[f64]| window.iter().copied().fold(f64::INFINITY, f64::min);
    fractions.windows(LASTING_STEPS).map(least).fold(0.0, f64::max)
}

/// Predicts how much energy the integrator will have added and not removed again after `steps`
/// steps, as a fraction like `fractions`. The prediction starts from the minimum of the second half
/// of the record, because energy that is soon removed is not a gain. If this minimum is higher than
/// that of the second quarter, the rise per step is extrapolated to `steps` and added.
pub(super) fn kept_energy(fractions: &[f64], steps: f64) -> f64 {
    let n = fractions.len();
    let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
    let [half, quarter] = [n / 2, n / 4];
    if quarter == 0 {
        return least(fractions);
    }
    let [before, now] = [least(&fractions[quarter..half]), least(&fractions[half..])];
    let per_step = (now - before) / (half - quarter) as f64;
    now + per_step.max(0.0) * (steps - half as f64)
}
