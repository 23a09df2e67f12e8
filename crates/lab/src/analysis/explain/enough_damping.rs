//! The damping that a growing vibration needs.

use super::growing_mode::GrowingMode;
use crate::analysis::vibration::step_matrix::stability_limit;
use crate::numerics::in_words::rounded;
use crate::simulation::settings::Settings;

/// Part of the limit that a remedy uses: the rest is for stretching and turning.
pub(super) const MARGIN: f64 = 0.8;
/// Damping ratios for the growing vibration, from the least.
const DAMPING_RATIOS: [f64; 8] = [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0];

/// Stiffness damping of the lane that gives a vibration the least damping ratio at which the scheme
/// is stable at its ωh, with the margin. If no ratio is enough, the one with the longest stable
/// step: damping that lags shortens that of most explicit schemes.
pub(super) fn damping_against(mode: &GrowingMode, settings: &Settings) -> Option<f64> {
    let GrowingMode { omega, omega_h, damping_ratio, .. } = *mode;
    let limit = |xi: &f64| stability_limit(&settings.integrator, *xi);
    let more = || DAMPING_RATIOS.into_iter().filter(|xi| *xi > damping_ratio);
    let enough = more().find(|xi| MARGIN * limit(xi) >= omega_h);
    let longest = || more().max_by(|a, b| limit(a).total_cmp(&limit(b)));
    let xi = enough.or_else(longest)?;
    let beta = settings.stiffness_damping + 2.0 * (xi - damping_ratio) / omega;
    Some(rounded(beta, 2))
}
