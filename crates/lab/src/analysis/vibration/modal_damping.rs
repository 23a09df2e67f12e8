//! Numerical damping of the vibrations of a scene, measured by exciting its modes.
//!
//! Two simulations start from the rest position, without the scene's dampers: one is displaced by
//! +ε φ along a mode φ, the other by −ε φ. Their positions are x₊ and x₋. Half of their difference
//! along the mode, q = φᵀM (x₊ − x₋)/2, contains neither other motion of the scene nor even powers
//! of ε. [`Dissipation::fit`] determines damping ratio and period error from q.

use super::damping::{Dissipation, LONGEST_STEP, SHORTEST_STEP};
use super::modes::Vibrations;
use crate::analysis::job::Cancelled;
use crate::integrate::Method;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use glam::DVec3;
use serde::Serialize;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Largest initial displacement of a particle, as a fraction of the mean rest length of links.
/// Measured on a chain with a step of a tenth of the period: at 1e-6, the residual of an implicit
/// solve changes the sixth digit of the result; at 1e-3, the curvature of the forces changes it.
const DISPLACEMENT: f64 = 1e-4;
/// Largest number of samples that are skipped before the fit, so that the transient of a multistep
/// integrator decays.
const MOST_SKIPPED: usize = 30;
/// Smallest number of samples that are skipped before the fit.
const LEAST_SKIPPED: usize = 2;
/// Number of samples to which a vibration is fitted.
const FITTED_SAMPLES: usize = 20;
/// Smallest value that the largest fitted sample may have, as a fraction of the initial amplitude.
/// If a vibration is strongly damped, earlier samples are fitted to reach this value.
const LEAST_AMPLITUDE: f64 = 0.1;
/// Largest number of samples per period. If a period has more steps, some steps are not sampled.
const SAMPLES_PER_PERIOD: f64 = 10.0;
/// Relative difference up to which frequencies count as equal.
const FREQUENCY_TOLERANCE: f64 = 1e-6;

/// Largest expected difference between measurement and theory, for the damping ratio and for the
/// period error.
pub const MEASURING_ERROR: f64 = 2e-6;

/// Numerical damping and period error of an integrator for one mode of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ModalDissipation {
    /// Index of the mode, counted from 1 for the slowest. Modes with equal frequencies count once.
    pub mode: usize,
    /// Frequency in Hz.
    pub frequency: f64,
    /// Step divided by the period.
    pub step_over_period: f64,
    /// Measured values; `None` if the numerical motion does not vibrate.
    pub measured: Option<Dissipation>,
    /// Theoretical values; `None` if the numerical motion does not vibrate at this step.
    pub theory: Option<Dissipation>,
}

/// Damping ratio and period error of an integrator, in theory and measured on a scene.
#[derive(Clone, Debug, Serialize)]
pub struct IntegratorDissipation {
    /// Name of the integrator.
    pub integrator: &'static str,
    /// Theory for 60 steps, the shortest first.
    pub curve: Vec<Dissipation>,
    /// Modes of the scene, the slowest first.
    pub modes: Vec<ModalDissipation>,
}

impl IntegratorDissipation {
    /// Returns the theoretical values, without modes.
    pub fn of(method: &Method) -> Self {
        let curve = Dissipation::curve(method);
        Self { integrator: method.info().name, curve, modes: Vec::new() }
    }

    /// Returns the measured values of all modes that have them.
    pub fn measured(&self) -> impl Iterator<Item = &Dissipation> {
        self.modes.iter().filter_map(|mode| mode.measured.as_ref())
    }
}

/// Numbers of modes of a scene, grouped by their period in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeCounts {
    /// Modes whose period is 2 to 200 steps.
    pub in_range: usize,
    /// Modes whose period is shorter than 2 steps.
    pub faster: usize,
    /// Modes whose period is longer than 200 steps.
    pub slower: usize,
}

/// Scene at rest with its modes, which can be excited one by one.
pub struct ModalScene {
    vibrations: Vibrations,
    /// Index and ω² in rad²/s² of each mode, the slowest first; modes with equal frequencies count
    /// once.
    modes: Vec<(usize, f64)>,
}

impl ModalScene {
    /// Finds the modes of a scene after removing its dampers, drag and wind. `None` if the scene
    /// does not come to rest, has no links, or has more than 150 free particles.
    pub fn of(parts: &Arc<Parts>) -> Option<Self> {
        let mut undamped = Parts::clone(parts);
        undamped.forces.retain(|force| force.law.law().has_potential());
        let without = |link: crate::mesh::Link| crate::mesh::Link { damping: 0.0, ..link };
        undamped.mesh.links = parts.mesh.links.iter().map(without).collect();
        let vibrations = Vibrations::of(&Arc::new(undamped))?;
        let mut squared_frequencies = vibrations.matrix.lowest_eigenvalues(usize::MAX);
        let stiffest = squared_frequencies.last().copied().unwrap_or(0.0);
        // Free sideways motion has the frequency 0; its computed ω² is a rounding error.
        squared_frequencies.retain(|square| *square > 1e-12 * stiffest);
        squared_frequencies.dedup_by(|next, before| {
            next.sqrt() - before.sqrt() <= FREQUENCY_TOLERANCE * next.sqrt()
        });
        let modes = (1..).zip(squared_frequencies).collect();
        Some(Self { vibrations, modes })
    }

    /// Returns the frequencies of the modes in Hz, in ascending order. Empty if no force pulls the
    /// scene back to its rest position.
    pub fn frequencies(&self) -> impl Iterator<Item = f64> {
        self.modes.iter().map(|(_, square)| square.sqrt() / TAU)
    }

    /// Returns the lowest and the highest frequency of the modes in Hz; both are 0 without modes.
    pub fn ends(&self) -> [f64; 2] {
        let of = |mode: Option<f64>| mode.unwrap_or(0.0);
        [of(self.frequencies().next()), of(self.frequencies().last())]
    }

    /// Counts the modes whose period is 2 to 200 steps of `h` seconds, and the faster and slower
    /// modes.
    pub fn counts(&self, h: f64) -> ModeCounts {
        let faster = self.frequencies().filter(|f| h * f > LONGEST_STEP).count();
        let slower = self.frequencies().filter(|f| h * f < SHORTEST_STEP).count();
        ModeCounts { in_range: self.modes.len() - faster - slower, faster, slower }
    }

    /// Measures the integrator of the settings on at most `most` modes, the slowest first. They are
    /// spread evenly over the modes whose period is 2 to 200 steps. Links act as springs. A step is
    /// a substep of the settings.
    pub fn measure(
        &self,
        settings: &Settings,
        most: usize,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Vec<ModalDissipation>, Cancelled> {
        let h = settings.dt / f64::from(settings.substeps);
        let at = |(_, square): &(usize, f64)| h * square.sqrt() / TAU;
        let in_range = |mode: &&(usize, f64)| (SHORTEST_STEP..=LONGEST_STEP).contains(&at(mode));
        let modes: Vec<_> = self.modes.iter().filter(in_range).copied().collect();
        let evenly_spread = evenly_spread(modes.len(), most).map(|i| modes[i]);
        let settings = Settings {
            dt: h,
            substeps: 1,
            links: LinkMode::Springs,
            stiffness_damping: 0.0,
            ..*settings
        };
        let measured = |(mode, square): (usize, f64)| {
            check()?;
            let frequency = square.sqrt() / TAU;
            Ok(ModalDissipation {
                mode,
                frequency,
                step_over_period: h * frequency,
                measured: self.excite_mode(square, settings),
                theory: Dissipation::of(&settings.integrator, h * frequency),
            })
        };
        evenly_spread.map(measured).collect()
    }

    fn excite_mode(&self, square: f64, settings: Settings) -> Option<Dissipation> {
        let Vibrations { parts, rest, masses, .. } = &self.vibrations;
        let step_over_period = settings.dt * square.sqrt() / TAU;
        let stride = (1.0 / (SAMPLES_PER_PERIOD * step_over_period)).floor().max(1.0) as usize;
        let mode_shape = self.vibrations.mode_shape(square);
        let longest = mode_shape.iter().map(|phi| phi.length()).fold(0.0, f64::max);
        let epsilon = DISPLACEMENT * parts.mesh.links.mean_rest_length() / longest;
        let mut both = [epsilon, -epsilon].map(|epsilon| {
            let mut displaced = Parts::clone(parts);
            let places = rest.iter().zip(&mode_shape).map(|(x, phi)| *x + epsilon * *phi);
            displaced.mesh.positions = places.collect();
            Simulation::new(Arc::new(displaced), settings)
        });
        let mut samples = vec![displacement(&both, masses, &mode_shape)];
        while samples.len() < MOST_SKIPPED + FITTED_SAMPLES {
            for simulation in &mut both {
                (0..stride).for_each(|_| simulation.step(settings.dt));
                if simulation.explosion().is_some() {
                    return None;
                }
            }
            samples.push(displacement(&both, masses, &mode_shape));
        }
        Dissipation::fit(samples_to_fit(&samples), step_over_period, stride)
    }
}

/// Returns φᵀM (x₊ − x₋)/2, where x₊ and x₋ are the positions of the two simulations and φ is the
/// mode.
fn displacement(both: &[Simulation; 2], masses: &[f64], mode_shape: &[DVec3]) -> f64 {
    let [x, y] = both.each_ref().map(|simulation| &simulation.state().x);
    let along = masses.iter().zip(mode_shape).zip(x.iter().zip(y));
    0.5 * along.map(|((m, phi), (x, y))| m * phi.dot(*x - *y)).sum::<f64>()
}

/// Returns the samples to fit: after the transient has decayed, but before the vibration has.
fn samples_to_fit(samples: &[f64]) -> &[f64] {
    let part = |first: usize| &samples[first..first + FITTED_SAMPLES];
    let greatest = |part: &[f64]| part.iter().map(|q| q.abs()).fold(0.0, f64::max);
    let is_large = |first: &usize| greatest(part(*first)) >= LEAST_AMPLITUDE * samples[0].abs();
    part((LEAST_SKIPPED..=MOST_SKIPPED).rev().find(is_large).unwrap_or(LEAST_SKIPPED))
}

/// Returns at most `most` evenly spread indices below `count`, including the first and the last
/// one.
fn evenly_spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    let last = (count.max(1) - 1) as f64;
    (0..taken).map(move |i| (i as f64 * last / (taken.max(2) - 1) as f64).round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;

    /// Scene of three stretched and damped links along a line, in air.
    const CHAIN: &str = r#"(version: 1, name: "chain",
        materials: [Rope(name: "spring", mass_per_metre: 0.5, stiffness: 40, damping: 0.3)],
        ropes: [(name: "chain", from: (0, 1, 0), to: (1, 1, 0), length: 0.75, segments: 3, material: "spring")],
        pins: [(of: Start("chain")), (of: End("chain"))], forces: [(law: LinearDrag(coefficient: 0.2))])"#;

    fn modes_of(text: &str) -> Option<ModalScene> {
        let scene = support::scene(text);
        ModalScene::of(&scene.parts)
    }

    /// The step is a tenth of the mode's period. Other tests compare the theory with published
    /// values.
    #[test]
    fn the_fastest_mode_is_damped_and_late_as_theory_has_it() {
        use crate::analysis::vibration::step_matrix::is_linear;
        use crate::integrate::GeneralizedAlpha;
        let modes = modes_of(CHAIN).expect("it rests");
        assert_eq!(modes.modes.len(), 4, "two along, two across that come twice");
        let dt = 0.1 * TAU / modes.modes[3].1.sqrt();
        let alpha = |rho_inf| Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf });
        let methods = Method::all().filter(is_linear).chain([0.0, 0.5, 1.0].map(alpha));
        for integrator in methods {
            let settings = Settings { integrator, dt, ..Settings::default() };
            let found = modes.measure(&settings, 8, &|| Ok(())).expect("nobody cancels");
            let last = found.last().expect("a mode");
            assert_eq!(last.mode, 4);
            let (measured, theory) = (last.measured.unwrap(), last.theory.unwrap());
            let ratio = (measured.damping_ratio - theory.damping_ratio).abs();
            let error = (measured.period_error - theory.period_error).abs();
            assert!(
                ratio < 5e-7 && error < 5e-7,
                "{integrator:?}: damping ratio off by {ratio:e}, period by {error:e}"
            );
        }
    }

    #[test]
    fn short_steps_and_modes_across_are_measured_as_well() {
        let modes = modes_of(CHAIN).expect("it rests");
        let slowest = TAU / modes.modes[0].1.sqrt();
        for (integrator, part) in [
            (Method::ImplicitEuler, 0.01),
            (Method::Trapezoid, 0.05),
            (Method::SymplecticEuler, 0.01),
        ] {
            let settings = Settings { integrator, dt: part * slowest, ..Settings::default() };
            let found = modes.measure(&settings, 8, &|| Ok(())).expect("nobody cancels");
            assert_eq!(found.len(), 4);
            for ModalDissipation { mode, measured, theory, .. } in found {
                let (measured, theory) = (measured.unwrap(), theory.unwrap());
                let ratio = (measured.damping_ratio - theory.damping_ratio).abs();
                let error = (measured.period_error - theory.period_error).abs();
                assert!(
                    ratio < MEASURING_ERROR && error < MEASURING_ERROR,
                    "{integrator:?}, mode {mode}: damping ratio off by {ratio:e}, period by {error:e}"
                );
            }
        }
    }

    #[test]
    fn what_explodes_or_falls_has_no_damping() {
        let modes = modes_of(CHAIN).expect("it rests");
        let period = TAU / modes.modes[3].1.sqrt();
        let settings = Settings {
            integrator: Method::SymplecticEuler,
            dt: 0.45 * period,
            ..Settings::default()
        };
        let found = modes.measure(&settings, 1, &|| Ok(())).expect("nobody cancels");
        assert_eq!(found.len(), 1);
        let fast = modes.measure(&settings, 8, &|| Ok(())).expect("nobody cancels");
        assert_eq!(fast.last().and_then(|mode| mode.measured), None, "z = 2.8 is above 2");
        let falls = CHAIN.replace("pins: [(of: Start(\"chain\")), (of: End(\"chain\"))], ", "");
        let falls = falls.replace("LinearDrag(coefficient: 0.2)", "Gravity()");
        assert!(modes_of(&falls).is_none());
    }

    #[test]
    fn modes_are_spread_evenly() {
        let evenly_spread = |count, most| evenly_spread(count, most).collect::<Vec<usize>>();
        assert!(evenly_spread(0, 5).is_empty());
        assert_eq!(evenly_spread(3, 5), [0, 1, 2]);
        assert_eq!(evenly_spread(11, 3), [0, 5, 10]);
        assert_eq!(evenly_spread(9, 1), [0]);
    }
}
