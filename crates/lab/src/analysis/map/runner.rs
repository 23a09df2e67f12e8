//! Runner for the cells of a stability map that share one simulated scene.

use super::cell::{PerturbedScene, largest_strain};
use super::error_run::{ErrorRun, ReferenceRun};
use super::shown_quantity::{Cell, ShownQuantity};
use crate::analysis::job::Cancelled;
use crate::analysis::stability;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use std::sync::Arc;

pub(super) enum CellRunner {
    Growth(Box<PerturbedScene>),
    Stretch { simulation: Box<Simulation>, duration: f64, most: f64 },
    Error { run: Box<ErrorRun>, most: f64 },
}

impl CellRunner {
    /// Creates the runner. `reference_run` is the reference run of `parts`. If it is `None` and
    /// cells show errors, the runner computes one.
    pub fn new(
        shown: ShownQuantity,
        parts: &Arc<Parts>,
        settings: Settings,
        reference_run: Option<&Arc<ReferenceRun>>,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        Ok(match shown {
            ShownQuantity::Growth => Self::Growth(Box::new(PerturbedScene::new(parts, settings))),
            ShownQuantity::Stretch { duration, most } => {
                let simulation = Box::new(Simulation::new(parts.clone(), settings));
                Self::Stretch { simulation, duration, most }
            }
            ShownQuantity::Error { duration, most } => {
                let reference_run = match reference_run {
                    Some(reference_run) => reference_run.clone(),
                    None => ReferenceRun::of(parts, &settings, duration, most, check)?,
                };
                Self::Error { run: Box::new(ErrorRun::new(parts, settings, reference_run)), most }
            }
        })
    }

    /// Returns the theoretical longest stable step in seconds. `None` if cells show strain, or if
    /// cells show errors and a solver constrains the links.
    pub fn limit(&mut self, settings: Settings) -> Option<f64> {
        match self {
            Self::Growth(perturbed) => Some(perturbed.limit(settings)),
            Self::Error { run, .. } => {
                let start = run.at_start();
                start
                    .settings()
                    .solver()
                    .is_none()
                    .then(|| stability::predict_limit(start).longest())
            }
            Self::Stretch { .. } => None,
        }
    }

    /// Returns the uncertainty of the reference run, as a fraction of the size of the motion.
    /// `None` if it is negligible or if cells do not show errors.
    pub fn uncertainty(&self) -> Option<f64> {
        match self {
            Self::Error { run, .. } => run.uncertainty(),
            Self::Growth(_) | Self::Stretch { .. } => None,
        }
    }

    pub fn compute_cell(
        &mut self,
        settings: Settings,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Cell, Cancelled> {
        let (value, most) = match self {
            Self::Growth(perturbed) => return Ok(perturbed.compute_cell(settings)),
            Self::Stretch { simulation, duration, most } => {
                (largest_strain(simulation, settings, *duration), *most)
            }
            Self::Error { run, most } => (run.error(settings, check)?, *most),
        };
        Ok(Cell { value, holds: value <= most })
    }
}
