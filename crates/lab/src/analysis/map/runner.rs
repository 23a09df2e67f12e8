//! Computation of cells that share one simulated scene.

use super::cell::{GROWS, Perturbed, stretch};
use super::error_run::{ErrorRun, ReferenceRun};
use super::{Cell, Shown};
use crate::analysis::job::Cancelled;
use crate::analysis::stability;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use std::sync::Arc;

pub(super) enum CellRunner {
    Growth(Box<Perturbed>),
    Stretch { simulation: Box<Simulation>, duration: f64, most: f64 },
    Error { run: Box<ErrorRun>, most: f64 },
}

impl CellRunner {
    /// Creates the runner. `truth` is the reference of these parts; `None` lets the runner compute
    /// it if cells show errors.
    pub fn new(
        shown: Shown,
        parts: &Arc<Parts>,
        settings: Settings,
        truth: Option<&Arc<ReferenceRun>>,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        Ok(match shown {
            Shown::Growth => Self::Growth(Box::new(Perturbed::new(parts, settings))),
            Shown::Stretch { duration, most } => {
                let simulation = Box::new(Simulation::new(parts.clone(), settings));
                Self::Stretch { simulation, duration, most }
            }
            Shown::Error { duration, most } => {
                let truth = match truth {
                    Some(truth) => truth.clone(),
                    None => ReferenceRun::of(parts, &settings, duration, check)?,
                };
                Self::Error { run: Box::new(ErrorRun::new(parts, settings, truth)), most }
            }
        })
    }

    /// Returns the longest stable step in seconds, by theory. `None` if cells show strain, or if
    /// cells show errors and a solver holds the links.
    pub fn limit(&mut self, settings: Settings) -> Option<f64> {
        match self {
            Self::Growth(perturbed) => Some(perturbed.limit(settings)),
            Self::Error { run, .. } => {
                let start = run.at_start();
                start.settings().solver().is_none().then(|| stability::predict(start).longest())
            }
            Self::Stretch { .. } => None,
        }
    }

    pub fn look(
        &mut self,
        settings: Settings,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Cell, Cancelled> {
        let (value, most) = match self {
            Self::Growth(perturbed) => (perturbed.growth(settings), GROWS),
            Self::Stretch { simulation, duration, most } => {
                (stretch(simulation, settings, *duration), *most)
            }
            Self::Error { run, most } => (run.error(settings, check)?, *most),
        };
        Ok(Cell { value, holds: value <= most })
    }
}
