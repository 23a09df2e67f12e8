//! Cell of a map: a run of a few hundred steps with the cell's scene and settings.

use super::shown_quantity::Cell;
use crate::analysis::linear::mass_product::pseudo_random;
use crate::analysis::stability::SceneSamples;
use crate::analysis::vibration::come_to_rest::come_to_rest;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::SHORTEST_DT;
use glam::DVec3;
use std::sync::Arc;

/// Number of steps for which a perturbation is followed.
pub(super) const GROWTH_STEPS: usize = 400;
/// Size of the perturbation, as a fraction of the mean rest length of a link.
const PERTURBATION: f64 = 1e-6;
/// Total growth factor at which the run ends, because the perturbation has certainly grown.
const CERTAIN_GROWTH: f64 = 1e6;
/// Largest growth factor per step that a stable cell may show in a run. Over 200 steps, half of the
/// run, this amounts to a factor of 4.
const MOST_STABLE_GROWTH: f64 = 1.007;
/// Growth counts as physical, not numerical, if its rate per second with half the step is at least
/// this fraction of its rate with the full step.
const PHYSICAL_GROWTH: f64 = 0.75;

/// Scene at rest, with a small perturbation of every free particle. If the scene does not come to
/// rest, its start is perturbed instead.
#[derive(Debug)]
pub(super) struct PerturbedScene {
    perturbed: Simulation,
    /// Simulation of the unperturbed scene; `None` if the scene is at rest, because its positions
    /// are then known.
    unperturbed: Option<Simulation>,
    rest: Vec<DVec3>,
    /// Theory of small vibrations; `None` if not computed yet.
    theory: Option<Theory>,
}

/// Theory of small vibrations of a scene about its rest.
#[derive(Debug)]
struct Theory {
    /// Settings for which the theory is valid, with the shortest dt and one substep.
    settings: Settings,
    samples: SceneSamples,
    /// Longest stable substep in seconds.
    longest: f64,
}

impl PerturbedScene {
    /// Finds the rest position of a scene, and displaces every free particle by up to 1e-6 of a
    /// link's length along each axis.
    pub fn new(parts: &Arc<Parts>, settings: Settings) -> Self {
        let length = parts.mesh.links.mean_rest_length();
        let at_rest = come_to_rest(parts);
        let mut still = Parts::clone(parts);
        if let Some(x) = &at_rest {
            still.velocities = Vec::new();
            still.mesh.positions.clone_from(x);
        }
        let rest = still.mesh.positions.clone();
        let still = Arc::new(still);
        let unperturbed = at_rest.is_none().then(|| Simulation::new(still.clone(), settings));
        let mut displaced = Parts::clone(&still);
        let noise = pseudo_random(rest.len());
        for (i, (x, push)) in displaced.mesh.positions.iter_mut().zip(noise).enumerate() {
            if parts.pins.iter().all(|pin| pin.particle as usize != i) {
                *x += PERTURBATION * length * push;
            }
        }
        let perturbed = Simulation::new(Arc::new(displaced), settings);
        Self { perturbed, unperturbed, rest, theory: None }
    }

    /// Returns a cell with the growth factor of the perturbation per step, measured over the second
    /// half of 400 steps. The run ends early once the perturbation has grown by a factor of 10⁶. If
    /// the simulation explodes, the growth factor is infinite.
    ///
    /// A cloth that hangs by two corners buckles physically: its growth per second is the same with
    /// half the step. If the step is stable in theory, such physical growth is divided out. Both
    /// runs have the same duration: a cloth that stops moving after it has buckled then stops in
    /// both.
    ///
    /// A run of 400 steps shows neither slow growth (explicit Euler grows by (ωh)²/2 per step) nor
    /// the growth of a perturbation that is no longer small. Therefore a cell whose step is too
    /// long in theory is never stable, and its growth factor is at least the theoretical one.
    pub fn compute_cell(&mut self, settings: Settings) -> Cell {
        let grown = self.growth_within(settings, GROWTH_STEPS);
        if settings.dt > self.limit(settings) {
            return match self.theory(settings).samples.growth_per_step(&settings) {
                Some(theory) => Cell { value: grown.max(theory), holds: false },
                None => cell_of_run(grown),
            };
        }
        if grown <= MOST_STABLE_GROWTH {
            return cell_of_run(grown);
        }
        let half = Settings { dt: 0.5 * settings.dt, ..settings };
        let physical = self.growth_within(half, 2 * GROWTH_STEPS).powi(2);
        if physical.ln() * PHYSICAL_GROWTH > grown.ln() {
            return cell_of_run(grown);
        }
        cell_of_run(grown / physical.max(1.0).powf(1.0 / PHYSICAL_GROWTH))
    }

    /// Returns the theoretical longest stable step in seconds, from the integrator's step matrix on
    /// the linearised scene.
    pub fn limit(&mut self, settings: Settings) -> f64 {
        f64::from(settings.substeps) * self.theory(settings).longest
    }

    fn theory(&mut self, settings: Settings) -> &Theory {
        let of_substep = Settings { dt: SHORTEST_DT, substeps: 1, ..settings };
        let known = self.theory.take().filter(|known| known.settings == of_substep);
        let theory = known.unwrap_or_else(|| {
            self.perturbed.configure(of_substep);
            self.perturbed.rewind();
            let samples = SceneSamples::of_current_state(&self.perturbed);
            let longest = samples.limit(&of_substep).dt;
            Theory { settings: of_substep, samples, longest }
        });
        self.theory.insert(theory)
    }

    fn growth_within(&mut self, settings: Settings, steps: usize) -> f64 {
        for simulation in std::iter::once(&mut self.perturbed).chain(&mut self.unperturbed) {
            simulation.configure(settings);
            simulation.rewind();
        }
        let mut sizes = vec![self.size()];
        for _ in 0..steps {
            self.perturbed.step(settings.dt);
            if let Some(unperturbed) = &mut self.unperturbed {
                unperturbed.step(settings.dt);
            }
            if self.perturbed.explosion().is_some() {
                return f64::INFINITY;
            }
            sizes.push(self.size());
            if sizes[sizes.len() - 1] > CERTAIN_GROWTH * sizes[0] {
                break;
            }
        }
        growth_per_step(&sizes)
    }

    /// Returns the largest distance of a particle from its unperturbed position, in metres.
    fn size(&self) -> f64 {
        let x = &self.perturbed.state().x;
        let there =
            self.unperturbed.as_ref().map_or(&self.rest, |unperturbed| &unperturbed.state().x);
        let squared = x.iter().zip(there).map(|(a, b)| a.distance_squared(*b));
        squared.fold(0.0, f64::max).sqrt()
    }
}

/// Returns a cell with the growth factor per step of a run. It is stable if this factor is small.
fn cell_of_run(growth: f64) -> Cell {
    Cell { value: growth, holds: growth <= MOST_STABLE_GROWTH }
}

/// Returns the growth factor per step, from the largest sizes in the first and the second half of
/// the run. A perturbation that beats, or whose slow modes have not completed a period, was as
/// large in the first half and does not count as growing.
fn growth_per_step(sizes: &[f64]) -> f64 {
    let last = sizes.len() - 1;
    let middle = last / 2;
    let greatest = |sizes: &[f64]| sizes.iter().copied().fold(0.0, f64::max);
    let apart = last - middle;
    let (before, after) = (greatest(&sizes[..=middle]), greatest(&sizes[middle + 1..]));
    if before == 0.0 {
        return if after == 0.0 { 0.0 } else { f64::INFINITY };
    }
    (after / before).powf(1.0 / apart as f64)
}

/// Returns the largest strain of any link in a run from the start of the scene; infinite if the run
/// explodes.
pub(super) fn largest_strain(
    simulation: &mut Simulation,
    settings: Settings,
    duration: f64,
) -> f64 {
    simulation.configure(settings);
    simulation.rewind();
    let steps = (duration / settings.dt).round().max(1.0) as u64;
    let mut greatest = 0.0_f64;
    for _ in 0..steps {
        simulation.step(settings.dt);
        if simulation.explosion().is_some() {
            return f64::INFINITY;
        }
        greatest = greatest.max(simulation.stretch().max);
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::growth_per_step;

    #[test]
    fn growth_is_the_factor_a_step_and_beats_do_not_grow() {
        let grown: Vec<f64> = (0..=400).map(|i| 1e-6 * 1.01f64.powi(i)).collect();
        assert!((growth_per_step(&grown) - 1.01).abs() < 1e-12);
        let quick: Vec<f64> = (0..=9).map(|i| 4f64.powi(i)).collect();
        assert!((growth_per_step(&quick) - 4.0).abs() < 1e-12);
        let beats: Vec<f64> = (0..=400).map(|i| (f64::from(i) * 0.3).sin().abs()).collect();
        assert!((growth_per_step(&beats) - 1.0).abs() < 1e-4);
    }
}
