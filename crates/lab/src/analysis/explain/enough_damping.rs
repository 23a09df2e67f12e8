//! Smallest damping that stabilises a growing vibration.

use super::growing_mode::GrowingMode;
use crate::analysis::vibration::step_matrix::stability_limit;
use crate::quantity::magnitude::rounded;
use crate::simulation::settings::Settings;

/// Fraction of the stability limit that remedies use. The margin allows for links that stretch or
/// turn, because this raises their frequencies.
pub(super) const USED_FRACTION: f64 = 0.8;
/// Damping ratios that are tried against the growing vibration, in increasing order.
const DAMPING_RATIOS: [f64; 8] = [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0];

/// Returns the stiffness damping in seconds that stabilises the vibration with the margin. The
/// smallest sufficient damping ratio is chosen. If no ratio suffices, the ratio with the longest
/// stable step is chosen. More damping is not always better: delayed damping shortens the stable
/// step of most explicit integrators.
pub(super) fn damping_against(mode: &GrowingMode, settings: &Settings) -> Option<f64> {
    let GrowingMode { omega, omega_h, damping_ratio, .. } = *mode;
    let limit = |xi: &f64| stability_limit(&settings.integrator, *xi);
    let more = || DAMPING_RATIOS.into_iter().filter(|xi| *xi > damping_ratio);
    let enough = more().find(|xi| USED_FRACTION * limit(xi) >= omega_h);
    let longest = || more().max_by(|a, b| limit(a).total_cmp(&limit(b)));
    let xi = enough.or_else(longest)?;
    let beta = settings.stiffness_damping + 2.0 * (xi - damping_ratio) / omega;
    Some(rounded(beta, 2))
}
