//! Detection of links that a lane's solver leaves visibly too soft.

use crate::analysis::{EnoughSweeps, VISIBLE_ERROR, enough_sweeps};
use crate::simulation::Simulation;

/// Simulated time in seconds for which every check must find an error above [`VISIBLE_ERROR`]. In a
/// healthy lane, such errors after a jerk of the mouse, a gust or an impact end sooner.
const LASTING_SECONDS: f64 = 1.0;
/// Simulated time in seconds between two checks. A check costs as much as a sweep of the solver.
const SECONDS_BETWEEN_CHECKS: f64 = 0.1;

/// Lasting error of a lane's solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverError {
    /// Smallest error of the links since the error became visible, as a fraction of a link's
    /// length. Also the factors by which sweeps or substeps must increase to make the error
    /// invisible.
    Length(f64, Option<EnoughSweeps>),
    /// The implicit solve misses its tolerance.
    Solve,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Softness {
    /// Simulated time of the last check in seconds.
    checked_at: Option<f64>,
    /// Simulated time in seconds since which every check has found a visible error, and the
    /// smallest of these errors. The sufficient number of sweeps or substeps is computed once the
    /// error has lasted for [`LASTING_SECONDS`].
    visible_since: Option<(f64, SolverError)>,
}

impl Softness {
    pub fn observe(&mut self, simulation: &Simulation) {
        use SolverError::Length;
        let t = simulation.state().t;
        if self.checked_at.is_some_and(|checked_at| t < checked_at) {
            *self = Self::default();
        }
        let unconverged = simulation.unconverged().steps > 0 && simulation.explosion().is_none();
        if !unconverged
            || self.checked_at.is_some_and(|checked_at| t < checked_at + SECONDS_BETWEEN_CHECKS)
        {
            return;
        }
        self.checked_at = Some(t);
        self.visible_since = visible_error(simulation).map(|now| match (self.visible_since, now) {
            (Some((since, Length(least, enough))), Length(now, _)) => {
                (since, Length(least.min(now), enough))
            }
            (Some((since, _)), now) => (since, now),
            (None, now) => (t, now),
        });
        if let Some((since, Length(error, enough))) = &mut self.visible_since
            && t - *since >= LASTING_SECONDS
        {
            enough.get_or_insert_with(|| enough_sweeps(simulation, *error, VISIBLE_ERROR));
        }
    }

    /// Returns the solver's error if it has been visible for at least [`LASTING_SECONDS`].
    pub fn lasting_error(&self) -> Option<SolverError> {
        let ((since, error), checked_at) = self.visible_since.zip(self.checked_at)?;
        (checked_at - since >= LASTING_SECONDS).then_some(error)
    }
}

/// Returns the solver's error in the last step if it is visible. With n substeps, the error of the
/// links is the residual of one substep divided by n², because the next substeps continue the
/// correction (Macklin et al. 2019, Small Steps in Physics Simulation).
fn visible_error(simulation: &Simulation) -> Option<SolverError> {
    let substeps = f64::from(simulation.settings().substeps);
    let residual = simulation.projection().residual / (substeps * substeps);
    let solve = simulation.solve().failed.then_some(SolverError::Solve);
    solve.or((residual > VISIBLE_ERROR).then_some(SolverError::Length(residual, None)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::scene_source::{Source, entries};
    use crate::scene::Scene;
    use rayon::prelude::*;

    /// Lanes of the library that are visibly too soft: lessons about too few sweeps, and a sheet
    /// that is pulled until it tears.
    const SOFT: [(&str, &str); 8] = [
        ("iterations-or-substeps", "1 x 20 iterations"),
        ("tearing", "does not tear"),
        ("heavy-load", "20 sweeps"),
        ("trapeze", "XPBD, 10 sweeps"),
        ("whipping-rope", "XPBD, 20 sweeps"),
        ("light-band-heavy-load", "XPBD, 3 sweeps"),
        ("steel-link-in-rubber", "VBD, 10 sweeps"),
        ("steel-link-in-rubber", "VBD, 100 sweeps"),
    ];

    fn alarms(scene: &Scene, seconds: f64) -> Vec<(String, bool)> {
        let alarm = |lane: &crate::scene::LaneSetup| {
            let mut simulation = Simulation::new(scene.parts.clone(), lane.settings);
            let uses_dt = lane.settings.stepping.uses_dt();
            let dt = if uses_dt { lane.settings.dt } else { 1.0 / 60.0 };
            let (mut softness, mut alarms) = (Softness::default(), false);
            while simulation.state().t < seconds && simulation.explosion().is_none() && !alarms {
                simulation.step(dt);
                softness.observe(&simulation);
                alarms = softness.lasting_error().is_some();
            }
            (lane.name.clone(), alarms)
        };
        scene.lanes.par_iter().map(alarm).collect()
    }

    #[test]
    fn only_visibly_soft_lanes_of_the_library_raise_the_alarm() {
        let indices: Vec<usize> = (0..entries().len()).collect();
        indices.par_iter().for_each(|&index| {
            let name = entries()[index].name;
            let loaded = Source::Listed(index).load().unwrap_or_else(|e| panic!("{e}"));
            let solves = |lane: &crate::scene::LaneSetup| {
                !lane.settings.solver().is_none() || lane.settings.integrator.info().implicit
            };
            if !loaded.scene.lanes.iter().any(solves) {
                return;
            }
            for (lane, alarms) in alarms(&loaded.scene, 4.0) {
                let expected = SOFT.contains(&(name, &*lane));
                assert_eq!(alarms, expected, "{name}, lane {lane}");
            }
        });
    }

    fn chain(iterations: u32, substeps: u32) -> Scene {
        let text = format!(
            "(version: 1, name: \"chain\",
              materials: [Rope(name: \"m\", mass_per_metre: 1, stiffness: 2000, damping: 0)],
              ropes: [(name: \"r\", from: (0, 0, 0), to: (0, -1, 0), segments: 20,
                       material: \"m\")],
              masses: [(of: End(\"r\"), mass: 2)],
              pins: [(of: Start(\"r\"))],
              forces: [(law: Gravity()), (law: LinearDrag(coefficient: 3))],
              settings: (integrator: SymplecticEuler,
                         constraints: Xpbd(iterations: {iterations}), substeps: {substeps},
                         dt: 0.016666666666666666, contact: Off))"
        );
        Scene::parse(&text, "chain").unwrap_or_else(|e| panic!("{e}"))
    }

    /// A rope is reported as too soft, but not with the recommended number of sweeps or substeps.
    #[test]
    fn what_is_called_enough_ends_the_alarm() {
        let lane = |iterations: u32, substeps: u32| {
            let scene = chain(iterations, substeps);
            Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
        };
        let lasting = |mut lane: Simulation| {
            let mut softness = Softness::default();
            for _ in 0..240 {
                lane.step(1.0 / 60.0);
                softness.observe(&lane);
            }
            softness.lasting_error()
        };
        for iterations in [4, 10, 30] {
            let Some(SolverError::Length(_, Some(enough))) = lasting(lane(iterations, 1)) else {
                panic!("{iterations} sweeps leave no lasting error");
            };
            let sweeps = enough.sweeps.expect("sweeps converge");
            assert_eq!(
                lasting(lane(iterations * sweeps, 1)),
                None,
                "from {iterations} sweeps: {enough:?}"
            );
            assert_eq!(
                lasting(lane(iterations, enough.substeps)),
                None,
                "from {iterations} sweeps: {enough:?}"
            );
        }
    }

    /// XPBD leaves the bends of a clamped rod too soft, so the rod sags more than the elastica.
    #[test]
    fn a_rod_that_is_too_soft_raises_the_alarm() {
        let text = "(version: 1, name: \"rod\",
            materials: [Rope(name: \"m\", mass_per_metre: 0.2, damping: 0,
                             flexural_rigidity: 1, rigid: true)],
            ropes: [(name: \"r\", from: (-0.020833333333333332, 0, 0), to: (1, 0, 0),
                     segments: 49, material: \"m\")],
            pins: [(of: Any([Node(\"r\", 0), Node(\"r\", 1)]))],
            masses: [(of: End(\"r\"), mass: 0.004)],
            forces: [(law: LinearDrag(coefficient: 4)),
                     (law: Gravity(g: (0, -75, 0)), on: End(\"r\"))],
            settings: (integrator: SymplecticEuler, constraints: Xpbd(), dt: 0.001,
                       contact: Off))";
        let scene = Scene::parse(text, "rod").unwrap_or_else(|e| panic!("{e}"));
        assert!(alarms(&scene, 4.0)[0].1);
    }
}
