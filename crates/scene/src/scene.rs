//! Scene: parts, lanes, camera and texts.

use super::camera::CameraSetup;
use super::typed::annotation::Annotations;
use super::typed::file::SceneFile;
use super::typed::group::Group;
use ropelab_core::model::Parts;
use ropelab_core::simulation::settings::Settings;
use ropelab_core::simulation::timing::frame_source::FrameSource;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Checked scene: indices are in range, values are finite, and masses and lengths are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name for lists and titles.
    pub name: String,
    /// Caption: what to look at and what it shows.
    pub look_for: String,
    /// Group in the gallery, by the subject that the scene teaches.
    pub group: Group,
    /// Parts of the simulations of all lanes: mesh, pins, forces and contact.
    pub parts: Arc<Parts>,
    /// Camera at the start of the scene.
    pub camera: CameraSetup,
    /// Height of the drawn floor in metres.
    pub floor: f64,
    /// Texts and marks that the window draws over the scene.
    pub annotations: Annotations,
    /// Lanes (simulations of the scene, side by side), at least one.
    pub lanes: Vec<LaneSetup>,
    /// Scene file, with all settings and the camera written out.
    pub file: Arc<SceneFile>,
}

/// Lane of a scene: its name, its settings, and where its frames come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneSetup {
    /// Name for the header of the lane.
    pub name: String,
    /// Settings of the lane.
    pub settings: Settings,
    /// Source of the lane's frames.
    #[serde(default, skip_serializing_if = "FrameSource::is_measured")]
    pub frames: FrameSource,
}
