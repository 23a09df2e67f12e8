//! Lanes and their settings, as they are typed.

use super::located::Located;
use crate::constraint::ConstraintSolver;
use crate::contact::ContactMethod;
use crate::integrate::Method;
use crate::simulation::settings::{LinkMode, Tear};
use crate::simulation::timing::frame_source::FrameSource;
use crate::simulation::timing::stepper::{Guard, Stepping};
use serde::{Deserialize, Deserializer, Serialize};

/// A lane: one simulation of the bodies with its own settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lane", deny_unknown_fields)]
pub struct LaneFile {
    /// Name, different from those of the other lanes.
    pub name: String,
    /// Settings that differ from those of the scene.
    #[serde(default)]
    pub settings: SettingsFile,
    /// Frame rate of the lane's own display in Hz, 1 to 1000. Without it, that of the real display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<Located<f64>>,
    /// Source of the lane's frames, instead of `display`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Located<FrameSource>>,
}

/// Settings of a scene or lane. `On(value)` is in force, `Off(value)` only keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "settings", default, deny_unknown_fields)]
pub struct SettingsFile {
    /// Integrator.
    pub integrator: Option<Located<Method>>,
    /// Role of links. Beside `constraints`, the default is `Constraints`.
    pub links: Option<Located<LinkMode>>,
    /// Constraint solver.
    #[serde(deserialize_with = "mentioned")]
    pub constraints: Option<Located<ConstraintSolver>>,
    /// Rayleigh's stiffness damping β in seconds, 0 to 10: adds β times its stiffness to the
    /// damping of every link. Relaxation and SHAKE ignore damping.
    pub stiffness_damping: Option<Located<f64>>,
    /// Contact method.
    pub contact: Option<Located<ContactMethod>>,
    /// Loads at which links tear.
    pub tear: Option<Located<Tear>>,
    /// Greatest distance of a particle from its nearest pin, 1 to 1000 times the rest length along
    /// the links.
    pub tethers: Option<Located<Guard<f64>>>,
    /// Greatest strain of links in both directions, above 0, at most 1000: exact on ropes with a
    /// pin, elsewhere by at most 8 sweeps.
    pub strain_limit: Option<Located<Guard<f64>>>,
    /// Step in seconds, 1e-6 to 1.
    pub dt: Option<Located<f64>>,
    /// Substeps of a step, 1 to 1000, each integrated and projected.
    pub substeps: Option<Located<u32>>,
    /// Stepping scheme.
    pub stepping: Option<Located<Stepping>>,
    /// Guards against long frames.
    pub guards: Option<GuardsFile>,
    /// Greatest length of a link in rest lengths, 1.001 to 1e6. A lane with a longer link is soft,
    /// or exploded if its energy came from nothing.
    pub longest_link: Option<Located<f64>>,
    /// Residual of XPBD or VBD over a link's rest length, above 0, from which a step counts as
    /// unconverged: links are too soft.
    pub largest_residual: Option<Located<f64>>,
}

/// Reads `None` as the solver of that name, not as a missing field.
fn mentioned<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Located<ConstraintSolver>>, D::Error> {
    Located::deserialize(deserializer).map(Some)
}

/// Guards against long frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "guards", default, deny_unknown_fields)]
pub struct GuardsFile {
    /// Longest frame in seconds.
    pub frame_clamp: Option<Located<Guard<f64>>>,
    /// Most owed time in seconds, the new frame included.
    pub accumulator_cap: Option<Located<Guard<f64>>>,
    /// Most steps a frame.
    pub most_steps: Option<Located<Guard<u32>>>,
    /// Most computing time per frame in seconds, judged by the measured cost of a step.
    pub time_budget: Option<Located<Guard<f64>>>,
}
