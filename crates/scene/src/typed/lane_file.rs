//! Lanes and their settings, as the author of a scene file writes them.

use super::located::Located;
use ropelab_core::constraint::ConstraintSolver;
use ropelab_core::contact::ContactMethod;
use ropelab_core::integrate::Method;
use ropelab_core::simulation::settings::{LinkMode, Tear};
use ropelab_core::simulation::timing::frame_source::FrameSource;
use ropelab_core::simulation::timing::stepper::{Guard, Stepping};
use serde::{Deserialize, Deserializer, Serialize};

/// A lane: one simulation of the scene's bodies with its own settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lane", deny_unknown_fields)]
pub struct LaneFile {
    /// Unique name.
    pub name: String,
    /// Settings that differ from the settings of the scene.
    #[serde(default)]
    pub settings: SettingsFile,
    /// Frame rate of a simulated display in Hz, 1 to 1000; by default the rate of the real display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<Located<f64>>,
    /// Source of frames, instead of `display`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Located<FrameSource>>,
}

/// Settings of a simulation. `On(value)` applies a value; `Off(value)` only stores it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "settings", default, deny_unknown_fields)]
pub struct SettingsFile {
    /// Integrator.
    pub integrator: Option<Located<Method>>,
    /// Role of links; by default `Constraints` if `constraints` names a solver.
    pub links: Option<Located<LinkMode>>,
    /// Constraint solver.
    #[serde(deserialize_with = "read_solver")]
    pub constraints: Option<Located<ConstraintSolver>>,
    /// Rayleigh's stiffness damping β in seconds, 0 to 10. The damping of each link grows by β
    /// times the stiffness of the link.
    pub stiffness_damping: Option<Located<f64>>,
    /// Contact method.
    pub contact: Option<Located<ContactMethod>>,
    /// Load at which links tear.
    pub tear: Option<Located<Tear>>,
    /// Tethers: greatest distance between a particle and its nearest pin, as a multiple of the rest
    /// length between them, 1 to 1000.
    pub tethers: Option<Located<Guard<f64>>>,
    /// Largest strain of links in (0, 1000], also in compression; exact on ropes with a pin,
    /// elsewhere approximated by up to 8 sweeps.
    pub strain_limit: Option<Located<Guard<f64>>>,
    /// Time step in seconds, 1e-6 to 1.
    pub dt: Option<Located<f64>>,
    /// Substeps per step, 1 to 1000.
    pub substeps: Option<Located<u32>>,
    /// Scheme that turns frame time into steps.
    pub stepping: Option<Located<Stepping>>,
    /// Limits that keep a long frame from causing too many steps.
    pub guards: Option<GuardsFile>,
    /// Limit of a link's length in rest lengths, 1.001 to 1e6. A lane with a longer link is soft,
    /// or exploded if the integrator made most of its kinetic and elastic energy.
    pub longest_link: Option<Located<f64>>,
    /// Largest residual of a converged step under XPBD or VBD, as a positive fraction of a link's
    /// rest length.
    pub largest_residual: Option<Located<f64>>,
}

/// Reads the value `None` as the solver of this name and not as a missing field.
fn read_solver<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Located<ConstraintSolver>>, D::Error> {
    Located::deserialize(deserializer).map(Some)
}

/// Limits that keep a long frame from causing too many steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "guards", default, deny_unknown_fields)]
pub struct GuardsFile {
    /// Longest frame in seconds. Longer frames are shortened to it.
    pub frame_clamp: Option<Located<Guard<f64>>>,
    /// Most time in the accumulator, in seconds, including the new frame. Excess time is dropped.
    pub accumulator_cap: Option<Located<Guard<f64>>>,
    /// Most steps per frame.
    pub most_steps: Option<Located<Guard<u32>>>,
    /// Most computing time per frame in seconds.
    pub time_budget: Option<Located<Guard<f64>>>,
}
