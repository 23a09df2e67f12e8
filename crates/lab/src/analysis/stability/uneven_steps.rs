//! Growth of small vibrations under steps of different lengths.
//!
//! An integrator may be stable at each step length and still unstable if step lengths alternate.
//! The step matrix then varies with the period of the frames, which can amplify a vibration like a
//! swing whose length changes twice a period (parametric resonance; for leapfrog see Skeel 1993,
//! Variable step size destabilizes the Störmer/leapfrog/Verlet method). The matrix of a single step
//! cannot show this, so the linearised scene is run with the actual sequence of steps.

use super::linear_run::{LinearRun, largest_in_window};
use crate::analysis::vibration::reduced_scene::Tangent;
use crate::integrate::Method;
use crate::numerics::system::System;

/// Maximum work of a run, in steps × particles. A run of [`FEWEST_STEPS`] may take more.
const MOST_WORK: usize = 1_000_000;
/// Minimum number of steps in a run.
const FEWEST_STEPS: usize = 2_000;
/// Maximum number of steps in a run. Steps of a longer sequence are ignored.
pub const MOST_STEPS: usize = 20_000;
/// Growth factor in the second half of a run above which the motion counts as growing.
const LEAST_GROWTH: f64 = 1.5;
/// Multiple of the initial perturbation at which a run ends early, because the growth is certain.
const CERTAIN_GROWTH: f64 = 1e12;
/// Minimum number of steps in a window. Modes beat, so only the largest size in a window counts.
const SHORTEST_WINDOW: usize = 60;

/// Returns the growth rate in 1/s of the vibration that grows fastest; 0 if nothing grows. The step
/// lengths are in seconds and are repeated cyclically. `check` is called at every step.
pub(super) fn growth_rate<E>(
    tangent: &Tangent,
    method: &Method,
    steps: &[f64],
    check: &mut impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let longest = steps.iter().copied().fold(0.0, f64::max);
    let particles = tangent.masses().len().max(1);
    let count = (MOST_WORK / particles).clamp(FEWEST_STEPS, MOST_STEPS);
    let mut run = LinearRun::new(tangent, method, longest);
    let (mut sizes, mut times) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut t = 0.0;
    for h in steps.iter().cycle().take(count) {
        check()?;
        run.step(*h);
        t += h;
        sizes.push(run.size());
        times.push(t);
        let size = sizes[sizes.len() - 1];
        if !size.is_finite() || size > CERTAIN_GROWTH * sizes[0] {
            break;
        }
    }
    if sizes.last().is_some_and(|size| !size.is_finite()) {
        sizes.pop();
    }
    let (end, half) = (sizes.len(), sizes.len() / 2);
    if half == 0 {
        return Ok(f64::INFINITY);
    }
    let window = SHORTEST_WINDOW.max(steps.len()).min(half);
    let grown = largest_in_window(&sizes, end, window) / largest_in_window(&sizes, half, window);
    Ok(if grown > LEAST_GROWTH { grown.ln() / (times[end - 1] - times[half - 1]) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use crate::analysis::stability::scene_samples::SceneSamples;
    use crate::integrate::Method;
    use crate::simulation::Simulation;
    use crate::simulation::settings::Settings;
    use crate::support;
    use glam::{DMat2, DVec2};
    use std::convert::Infallible;

    /// Four short frames and a long one, as fractions of the long frame.
    const FRAMES: [f64; 5] = [0.4, 0.4, 0.4, 0.4, 1.0];
    /// ω in rad/s of 0.5 kg on a spring of 2000 N/m.
    const OMEGA: f64 = 63.245_553_203_367_59;

    fn samples() -> SceneSamples {
        let text = r#"(version: 1, name: "spring", forces: [],
            particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0, 1, 0), mass: 0.5)],
            links: [(a: Body("hook"), b: Body("bob"), stiffness: 2000)], pins: [(of: Body("hook"))])"#;
        let scene = support::scene(text);
        SceneSamples::of_current_state(&Simulation::new(scene.parts.clone(), Settings::default()))
    }

    fn doubling(samples: &SceneSamples, settings: &Settings, steps: &[f64]) -> Option<f64> {
        let Ok(growth) = samples.growth_under(settings, steps, || Ok::<(), Infallible>(()));
        growth.and_then(|growth| growth.doubling)
    }

    /// Returns the growth factor of symplectic Euler over all five frames, where the longest frame
    /// has ωh = z: the spectral radius of the product of the step matrices for (x, v/ω), which have
    /// determinant 1.
    fn growth_by_theory(z: f64) -> f64 {
        let step = |z: f64| DMat2::from_cols(DVec2::new(1.0 - z * z, -z), DVec2::new(z, 1.0));
        let product = FRAMES.iter().fold(DMat2::IDENTITY, |all, part| step(part * z) * all);
        let half = 0.5 * (product.x_axis.x + product.y_axis.y).abs();
        if half > 1.0 { half + (half * half - 1.0).sqrt() } else { 1.0 }
    }

    #[test]
    fn steps_in_turn_grow_where_the_product_of_their_matrices_does() {
        let samples = samples();
        let settings = Settings { integrator: Method::SymplecticEuler, ..Settings::default() };
        for k in 4..19 {
            let z = 0.1 * f64::from(k);
            let steps = FRAMES.map(|part| part * z / OMEGA);
            let found = doubling(&samples, &settings, &steps);
            let factor = growth_by_theory(z);
            if factor == 1.0 {
                assert_eq!(found, None, "ωh = {z}");
                continue;
            }
            let period: f64 = steps.iter().sum();
            let expected = std::f64::consts::LN_2 / factor.ln() * period;
            let found = found.unwrap_or_else(|| panic!("ωh = {z} grows {factor}-fold a period"));
            assert!((found / expected - 1.0).abs() < 0.01, "ωh = {z}: {found}, not {expected}");
        }
    }

    #[test]
    fn equal_steps_grow_beyond_the_limit_only() {
        let samples = samples();
        for method in Method::all().filter(|method| method.info().stability_limit > 0.5) {
            let settings = Settings { integrator: method, ..Settings::default() };
            let limit = samples.limit(&settings).dt.min(1e3 / OMEGA);
            let at = |part: f64| doubling(&samples, &settings, &[part * limit]);
            assert_eq!(at(0.98), None, "{method:?}");
            let has_limit = method.info().stability_limit.is_finite();
            let is_linear = !matches!(method, Method::DormandPrince(_));
            assert_eq!(at(1.02).is_some(), has_limit && is_linear, "{method:?}");
        }
    }
}
