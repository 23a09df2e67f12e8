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
    /// Source of the lane's frames, in place of `display`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Located<FrameSource>>,
}

/// Settings of a scene or lane. `On(value)` is in force, `Off(value)` only keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "settings", default, deny_unknown_fields)]
pub struct SettingsFile {
    /// Integrator.
    pub integrator: Option<Located<Method>>,
    /// Role of links. If `constraints` is given, the default is `Constraints`.
    pub links: Option<Located<LinkMode>>,
    /// Constraint solver.
    #[serde(deserialize_with = "mentioned")]
    pub constraints: Option<Located<ConstraintSolver>>,
    /// Rayleigh's stiffness damping β in seconds, 0 to 10: adds β times its stiffness to the
    /// damping of every link. Relaxation and SHAKE ignore damping.
    pub stiffness_damping: Option<Located<f64>>,
    /// Contact method.
    pub contact: Option<Located<ContactMethod>>,
    /// Load at which links tear.
    pub tear: Option<Located<Tear>>,
    /// Largest distance of a particle from its nearest pin, as 1 to 1000 times the rest length of
    /// the links between them.
    pub tethers: Option<Located<Guard<f64>>>,
    /// Largest strain of links in both directions, above 0 and at most 1000: exact on ropes with a
    /// pin, elsewhere approximated by at most 8 sweeps.
    pub strain_limit: Option<Located<Guard<f64>>>,
    /// Step in seconds, 1e-6 to 1.
    pub dt: Option<Located<f64>>,
    /// Substeps per step, 1 to 1000; each is integrated and projected.
    pub substeps: Option<Located<u32>>,
    /// Stepping scheme.
    pub stepping: Option<Located<Stepping>>,
    /// Guards against long frames.
    pub guards: Option<GuardsFile>,
    /// Length of a link in rest lengths, 1.001 to 1e6, above which the lane counts as soft, or as
    /// exploded if the energy came from nothing.
    pub longest_link: Option<Located<f64>>,
    /// Residual of XPBD or VBD as a fraction of a link's rest length, above 0, from which a step
    /// counts as unconverged because links are too soft.
    pub largest_residual: Option<Located<f64>>,
}

/// Reads `None` as the solver with this name, and not as a missing field.
fn mentioned<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Located<ConstraintSolver>>, D::Error> {
    Located::deserialize(deserializer).map(Some)
}

/// Guards against long frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "guards", default, deny_unknown_fields)]
pub struct GuardsFile {
    /// Upper limit of a frame's length in seconds.
    pub frame_clamp: Option<Located<Guard<f64>>>,
    /// Upper limit of the time in the accumulator in seconds, including the new frame.
    pub accumulator_cap: Option<Located<Guard<f64>>>,
    /// Upper limit of the number of steps per frame.
    pub most_steps: Option<Located<Guard<u32>>>,
    /// Upper limit of the computing time per frame in seconds, estimated from the measured cost of
    /// a step.
    pub time_budget: Option<Located<Guard<f64>>>,
}
