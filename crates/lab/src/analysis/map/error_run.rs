//! Error of a cell's run: its distance from a reference run.

use crate::analysis::accuracy::elastic_links::ElasticLinks;
use crate::analysis::accuracy::precise_run::{PreciseRun, RefinementLimits};
use crate::analysis::accuracy::reference::ReferenceTimes;
use crate::analysis::accuracy::reference_plan::ReferencePlan;
use crate::analysis::job::Cancelled;
use crate::model::Parts;
use crate::numerics::hermite::HermiteWeights;
use crate::numerics::state::State;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Number of instants per second at which a cell is compared with the reference.
const INSTANTS_A_SECOND: f64 = 60.0;
/// Tolerance of the Dormand–Prince reference run. It is coarser than in other analyses, because a
/// map may need a reference run per row or column, and the errors of interest are much larger.
const REFERENCE_TOLERANCE: f64 = 1e-9;
/// Numbers of reference steps between two instants. They are tried in this order until one reaches
/// the tolerance.
const REFERENCE_STEPS: [u64; 2] = [1, 16];

/// Maximum work of a refined reference run, in force evaluations × particles plus sweeps × links.
const MOST_REFINED_WORK: f64 = 5e6;

/// Reference run for one row or column of the map, or for the whole map.
pub(super) struct ReferenceRun {
    precise: PreciseRun,
    times: ReferenceTimes,
    /// Distance in metres that counts as an error of 1: the size of the motion.
    size: f64,
}

impl ReferenceRun {
    /// Computes the reference run of a scene. It is valid for all integrators, steps, substeps and
    /// sweeps of a lane (one simulation of the scene). It is refined until its uncertainty is small
    /// compared with the permitted error `most`, or until its work would be too large.
    pub fn of(
        parts: &Arc<Parts>,
        settings: &Settings,
        duration: f64,
        most: f64,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Arc<Self>, Cancelled> {
        let instants = (duration * INSTANTS_A_SECOND).ceil().max(1.0) as u64;
        let [few, many] = REFERENCE_STEPS.map(|steps| ReferenceTimes {
            duration,
            instants,
            finest: steps * instants,
            tolerance: REFERENCE_TOLERANCE,
            most_work: f64::INFINITY,
        });
        let elastic = ElasticLinks::of(parts, settings);
        let mut plan = ReferencePlan::of_lane(parts, settings, elastic, few);
        let mut reference = plan.run(check)?;
        if !reference.is_valid() {
            plan = ReferencePlan::of_lane(parts, settings, elastic, many);
            reference = plan.run(check)?;
        }
        let size = reference.motion_size(parts);
        let is_valid = reference.is_valid();
        let (permitted, last) = (most * size, if is_valid { instants } else { 0 });
        let limits = RefinementLimits { last, permitted, most_work: MOST_REFINED_WORK };
        let precise = PreciseRun::refine(&plan, reference, limits, check)?;
        Ok(Arc::new(Self { precise, times: many, size }))
    }
}

/// Run from the start of a scene. It is repeated with different settings, and each time compared
/// with the reference run.
pub(super) struct ErrorRun {
    simulation: Simulation,
    reference_run: Arc<ReferenceRun>,
    /// Buffer for the positions of all particles at one instant.
    x: Vec<DVec3>,
}

impl ErrorRun {
    pub fn new(parts: &Arc<Parts>, settings: Settings, reference_run: Arc<ReferenceRun>) -> Self {
        let simulation = Simulation::new(parts.clone(), settings);
        Self { simulation, reference_run, x: Vec::new() }
    }

    /// Returns the simulation, rewound to the start of the scene.
    pub fn at_start(&mut self) -> &Simulation {
        self.simulation.rewind();
        &self.simulation
    }

    /// Returns the uncertainty of the reference run at its end, as a fraction of the size of the
    /// motion. `None` if it is negligible.
    pub fn uncertainty(&self) -> Option<f64> {
        let ReferenceRun { precise, times, size } = &*self.reference_run;
        precise.is_uncertain().then(|| precise.uncertainty_at(times.instants) / size)
    }

    /// Returns the error as a fraction of the size of the motion: the largest distance of a
    /// particle from its reference position at any instant, plus the uncertainty of the reference
    /// run. Infinite if the run explodes; NaN if the reference run failed.
    pub fn error(
        &mut self,
        settings: Settings,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<f64, Cancelled> {
        let Self { simulation, reference_run, x } = self;
        let ReferenceRun { precise, times, size } = &**reference_run;
        if !precise.reference.is_valid() {
            return Ok(f64::NAN);
        }
        simulation.configure(settings);
        simulation.rewind();
        let mut greatest = 0.0_f64;
        for instant in 1..=times.instants {
            check()?;
            let t = times.duration * (instant as f64 / times.instants as f64);
            while simulation.state().t < t {
                simulation.step(settings.dt);
                if simulation.explosion().is_some() {
                    return Ok(f64::INFINITY);
                }
            }
            interpolate(simulation.previous(), simulation.state(), t, x);
            let distance = precise.reference.distance(instant, x);
            greatest = greatest.max(distance + precise.uncertainty_at(instant));
        }
        Ok(greatest / size)
    }
}

/// Interpolates the positions of all particles at time `t` between two states.
fn interpolate(before: &State, now: &State, t: f64, x: &mut Vec<DVec3>) {
    let h = now.t - before.t;
    let weights = HermiteWeights::at((t - before.t) / h, h);
    x.clear();
    let ends = before.x.iter().zip(&before.v).zip(now.x.iter().zip(&now.v));
    x.extend(ends.map(|((x0, v0), (x1, v1))| weights.position([*x0, *x1], [*v0, *v1])));
}
