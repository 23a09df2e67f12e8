//! Longest stable step of an integrator on a linearised scene, from the spectral radius of its step
//! matrix.

use super::linear_run::{LinearRun, largest_in_window};
use crate::analysis::vibration::reduced_scene::{ReducedScene, Tangent};
use crate::analysis::vibration::step_matrix::{is_linear, stability_limit, step_matrix_of};
use crate::integrate::Method;
use glam::DVec3;

/// Largest amount by which rounding raises the spectral radius above 1 in a step of length 0.
const ROUNDING: f64 = 3e-8;
/// Increase of [`ROUNDING`] per radian of step × fastest rate.
const GROWTH_PER_RADIAN: f64 = 1e-7;
/// Relative accuracy of the longest stable step.
const ACCURACY: f64 = 1e-3;
/// Ratio between the limit of the fastest vibration alone and the first two tried steps, one
/// shorter and one longer.
const START_RATIO: f64 = 1.002;
/// Ratio between successive steps of the search.
const SEARCH_RATIO: f64 = 1.3;
/// Smallest result, as a fraction of the step at which the search starts. A smaller limit counts as
/// 0.
const LEAST_RESULT: f64 = 1e-4;
/// Largest result, as a multiple of the step at which the search starts. A larger limit counts as
/// infinite.
const MOST_RESULT: f64 = 8.0;
/// Steps that are tried if the fastest vibration has no limit, as multiples of 1 / fastest rate. An
/// integrator that is stable at all of them counts as stable at every step.
const UNLIMITED_CHECKS: [f64; 4] = [0.5, 3.0, 30.0, 300.0];
/// Shorter steps that are also tried, as fractions of the longest stable step: some integrators
/// have an unstable range below a stable one.
const SHORTER_CHECKS: [f64; 5] = [0.9, 0.75, 0.6, 0.4, 0.2];
/// Number of steps of the run that checks the longest stable step on the whole linear scene.
const CHECKED_STEPS: usize = 400;
/// Step of the checking run, as a fraction of the longest stable step.
const CHECKED_FRACTION: f64 = 0.995;
/// The scene counts as growing if its growth factor in the second half of the check exceeds this
/// value.
const LEAST_TOTAL_GROWTH: f64 = 1.5;
/// Multiple of the growth that rounding can cause. If even a step longer by [`SEARCH_RATIO`] grows
/// by less, rounding may hide growth. An integrator that is never stable without damping then gets
/// the limit 0.
const HIDDEN_GROWTH: f64 = 10.0;
/// Number of steps in a window. Only the largest size in a window counts, because modes beat.
const WINDOW: usize = 60;
/// Largest number of rounds in which growing displacements are added to the reduced scene.
const MOST_ROUNDS: u32 = 5;

/// Growth of small motions in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct StepGrowth {
    /// Growth factor per step: the spectral radius of the step matrix.
    pub factor: f64,
    /// True if the growth exceeds rounding errors.
    pub grows: bool,
}

impl ReducedScene {
    /// Returns the growth in a step of `h` seconds.
    pub fn growth(&self, method: &Method, h: f64) -> StepGrowth {
        if self.is_empty() {
            return StepGrowth { factor: 1.0, grows: false };
        }
        let factor = step_matrix_of(method, self, h).spectral_radius();
        StepGrowth { factor, grows: factor.is_nan() || factor > 1.0 + self.rounding(h) }
    }

    /// Returns the apparent growth that rounding errors cause in a step of `h` seconds.
    fn rounding(&self, h: f64) -> f64 {
        ROUNDING + GROWTH_PER_RADIAN * h * self.fastest_rate()
    }

    /// True if a step of `h` seconds seems stable only because rounding hides the growth of
    /// undamped motion.
    fn is_hidden_growth(&self, method: &Method, h: f64) -> bool {
        let h = SEARCH_RATIO * h;
        let factor = self.growth(method, h).factor;
        method.info().stability_limit == 0.0 && factor < 1.0 + HIDDEN_GROWTH * self.rounding(h)
    }

    /// Returns the longest step in seconds up to which no motion grows. 0 means no step; ∞ means
    /// every step.
    fn longest_step(&self, method: &Method) -> f64 {
        let rate = self.fastest_rate();
        if self.is_empty() || rate <= 0.0 {
            return f64::INFINITY;
        }
        let grows = |h: f64| self.growth(method, h).grows;
        let alone = match self.fastest_vibration() {
            Some((omega, xi)) => stability_limit(method, xi) / omega,
            None => 1.0 / rate,
        };
        if alone.is_infinite() && !UNLIMITED_CHECKS.iter().any(|part| grows(part / rate)) {
            return f64::INFINITY;
        }
        let first = if alone > 0.0 && alone.is_finite() { alone } else { 1.0 / rate };
        let (mut stable, mut unstable) = (first / START_RATIO, first * START_RATIO);
        while grows(stable) {
            (stable, unstable) = (stable / SEARCH_RATIO, stable);
            if stable < LEAST_RESULT * first {
                return 0.0;
            }
        }
        while !grows(unstable) {
            (stable, unstable) = (unstable, unstable * SEARCH_RATIO);
            if unstable > MOST_RESULT * first {
                return f64::INFINITY;
            }
        }
        let between = SHORTER_CHECKS.into_iter().rev().map(|part| part * stable);
        let mut low = 0.0;
        for h in between {
            if grows(h) {
                (stable, unstable) = (low, h);
                break;
            }
            low = h;
        }
        while unstable > stable * (1.0 + ACCURACY) && unstable > LEAST_RESULT * first {
            let middle = 0.5 * (stable + unstable);
            if grows(middle) { unstable = middle } else { stable = middle }
        }
        if stable < LEAST_RESULT * first || self.is_hidden_growth(method, stable) {
            return 0.0;
        }
        // The fastest vibration alone decides, so its exact limit is the result.
        if (stable..=unstable).contains(&alone) { alone } else { stable }
    }
}

/// Returns the longest stable step of an integrator on a linearised scene, in seconds.
///
/// The reduced scene yields the step. Then the whole linear scene is run with a slightly shorter
/// step, and displacements that grow are added to the reduced scene. The reduced scene keeps them,
/// because other integrators also need them.
pub(in crate::analysis) fn longest_step(
    tangent: &Tangent,
    scene: &mut ReducedScene,
    method: &Method,
) -> f64 {
    if !is_linear(method) {
        // The integrator takes inner steps, so the published limit of its shortest inner step
        // applies.
        let omega = scene.fastest_vibration().map_or(0.0, |(omega, _)| omega);
        return method.info().stability_limit / omega;
    }
    let mut longest = scene.longest_step(method);
    for _ in 0..MOST_ROUNDS {
        if scene.is_whole || longest == 0.0 || longest.is_infinite() {
            break;
        }
        let Some(grown) = grown_displacements(tangent, method, CHECKED_FRACTION * longest) else {
            break;
        };
        scene.add(tangent, grown);
        longest = scene.longest_step(method).min(longest);
    }
    longest
}

/// Returns the displacements and velocities that have grown in a run on the whole linear scene;
/// `None` if nothing grows.
fn grown_displacements(tangent: &Tangent, method: &Method, h: f64) -> Option<Vec<Vec<DVec3>>> {
    let mut run = LinearRun::new(tangent, method, h);
    let mut sizes = Vec::with_capacity(CHECKED_STEPS);
    for _ in 0..CHECKED_STEPS {
        run.step(h);
        let size = run.size();
        sizes.push(size);
        if !size.is_finite() || size > 1e12 * sizes[0] {
            break;
        }
    }
    let half = sizes.len() / 2;
    let window = WINDOW.min(half.max(1));
    let [later, earlier] =
        [sizes.len(), half.max(1)].map(|end| largest_in_window(&sizes, end, window));
    (later > LEAST_TOTAL_GROWTH * earlier).then(|| run.into_displacements())
}
