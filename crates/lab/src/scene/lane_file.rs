//! Lanes and their settings, as they are typed.

use super::located::Located;
use crate::constraint::ConstraintSolver;
use crate::contact::ContactMethod;
use crate::integrate::Method;
use crate::simulation::frame_source::FrameSource;
use crate::simulation::settings::{LinkMode, Tear};
use crate::simulation::stepper::{Guard, Stepping};
use serde::{Deserialize, Deserializer, Serialize};

/// One contestant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lane", deny_unknown_fields)]
pub struct LaneFile {
    /// Name for its header.
    pub name: String,
    /// What it does differently from the scene's settings.
    #[serde(default)]
    pub settings: SettingsFile,
    /// Frames a second of a display of its own, 1 to 1000. Without it, those of the real display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<Located<f64>>,
    /// Where its frames come from, instead of `display`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Located<FrameSource>>,
}

/// Settings of a scene or lane. What is not mentioned stays: in a lane as the scene says, in a
/// scene at its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "settings", default, deny_unknown_fields)]
pub struct SettingsFile {
    /// How to step: the integrator and its parameters.
    pub integrator: Option<Located<Method>>,
    /// Whether links act as springs or as constraints. Naming a solver under `constraints` and
    /// not mentioning `links` means `Constraints`.
    pub links: Option<Located<LinkMode>>,
    /// The constraint solver and its parameters.
    #[serde(deserialize_with = "mentioned")]
    pub constraints: Option<Located<ConstraintSolver>>,
    /// Stiffness damping β in seconds, 0 to 10: every link has β times its stiffness in N·s/m
    /// besides its own damping (Rayleigh damping without its part for the masses). Relaxation and
    /// SHAKE know no damping.
    pub stiffness_damping: Option<Located<f64>>,
    /// How contact is found: balls with balls, and everything with colliders.
    pub contact: Option<Located<ContactMethod>>,
    /// Which links tear, and when.
    pub tear: Option<Located<Tear>>,
    /// Fixed step in seconds, 1e-6 to 1.
    pub dt: Option<Located<f64>>,
    /// Equal parts into which a step is cut, each integrated and projected; 1 to 1000.
    pub substeps: Option<Located<u32>>,
    /// When to step: how frame time becomes steps.
    pub stepping: Option<Located<Stepping>>,
    /// What keeps long frames in check.
    pub guards: Option<GuardsFile>,
    /// A link longer than this many rest lengths has given way, or exploded if energy came from
    /// nothing; 1.001 to 1e6.
    pub longest_link: Option<Located<f64>>,
}

/// Reads `None` as the solver of that name, not as a field that is not mentioned.
fn mentioned<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Located<ConstraintSolver>>, D::Error> {
    Located::deserialize(deserializer).map(Some)
}

/// Guards against long frames: `On(value)` in force, `Off(value)` remembered only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "guards", default, deny_unknown_fields)]
pub struct GuardsFile {
    /// Longest frame in seconds.
    pub frame_clamp: Option<Located<Guard<f64>>>,
    /// Most owed time in seconds, after the frame was added.
    pub accumulator_cap: Option<Located<Guard<f64>>>,
    /// Most steps a frame.
    pub most_steps: Option<Located<Guard<u32>>>,
    /// Most seconds of computing a frame, judged by the measured cost of a step.
    pub time_budget: Option<Located<Guard<f64>>>,
}
