//! Question why a lane explodes or behaves badly.

use crate::scene::vary::VariableScene;
use crate::session::Inputs;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use std::sync::Arc;

/// Duration of a displayed frame, in seconds.
pub(super) const FRAME: f64 = 1.0 / 60.0;

/// Input of [`explain`](super::explain): a lane (one simulation of the scene with its own
/// settings), and what happened to it.
#[derive(Clone, Debug)]
pub struct ExplainQuestion {
    /// Lane at the start of the explained run.
    pub start: Simulation,
    /// Inputs during the run: mouse drags, cuts, changed settings.
    pub inputs: Inputs,
    /// Step in seconds. If frames determine the step, but are unknown: the assumed frame time.
    pub dt: f64,
    /// Frame times in seconds, repeated cyclically; empty if unknown.
    pub frames: Arc<[f64]>,
    /// Duration of the run in simulated seconds.
    pub duration: f64,
    /// Scene with the values of its file; `None` if unknown. Remedies may change these values.
    pub scene: Option<VariableScene>,
}

impl ExplainQuestion {
    /// Creates the question about a lane. It has no inputs, no known frames, and no values of a
    /// scene file.
    pub fn of(start: Simulation, duration: f64) -> Self {
        let Settings { stepping, dt, .. } = *start.settings();
        let dt = if stepping.uses_dt() { dt } else { FRAME };
        Self { start, inputs: Inputs::default(), dt, frames: [].into(), duration, scene: None }
    }
}
