//! Annotations: texts and marks that the window draws beside a scene. No simulation knows of them.

use super::file::Particles;
use super::lesson::{LessonStep, LessonStepFile};
use super::located::Located;
use super::number::Positive;
use super::reading::{Reading, ReadingFile};
use serde::{Deserialize, Serialize};

/// Most labels, trails, periods and readings that a scene may have together: each is drawn every frame.
pub const MOST_ANNOTATIONS: usize = 256;

/// Texts, trails and readings that the window draws, so that a scene explains itself without plots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "annotations", default, deny_unknown_fields)]
pub struct AnnotationsFile {
    /// Texts at particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelFile>,
    /// Recent paths of particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trails: Vec<TrailFile>,
    /// Particles whose swings along x are timed in each lane, and words before the number; all
    /// after the first one are compared with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<LabelFile>,
    /// Measured values beside the value of a formula, in each lane.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingFile>,
    /// Patterns of cloths. Without one, a cloth has checks of two tones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternFile>,
    /// Heights above the floor at the left edge of each picture, in metres.
    pub height_scale: bool,
    /// A clock in each lane, with a grey hand for the time of the session: a lane that is late or
    /// early shows by how much.
    pub clock: bool,
    /// Seconds of the session after which the window starts the scene again, unless something is
    /// held.
    pub restart: Option<Positive>,
    /// Simulated time over real time with which the window opens the scene, 0.001 to 10.
    pub speed: Option<Located<Positive>>,
    /// The window opens the scene with the microscope on, which shows the states between which a
    /// picture lies.
    pub microscope: bool,
    /// Things to do in this scene, up to 5, which the window offers one after another and ticks off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lesson: Vec<Located<LessonStepFile>>,
}

/// A text at a particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "label", deny_unknown_fields)]
pub struct LabelFile {
    /// The particle.
    pub of: Located<Particles>,
    /// The text.
    pub text: String,
}

/// A line through the last positions of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "trail", deny_unknown_fields)]
pub struct TrailFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Duration of the trail in seconds of the lane's time.
    #[serde(default = "two_seconds")]
    pub seconds: Positive,
}

/// The pattern of one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "pattern", deny_unknown_fields)]
pub struct PatternFile {
    /// The cloth, as `Body("towel")`.
    pub of: Located<Particles>,
    /// Its pattern.
    pub pattern: Pattern,
}

/// A pattern of a cloth, some fourteen stripes or checks along its longer edge, in the colour of the
/// lane. It shows how the cloth is deformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// Checks of two tones.
    #[default]
    Checks,
    /// Undyed stripes that run down.
    Stripes,
    /// Undyed stripes that run down and across.
    Gingham,
    /// None.
    Plain,
}

fn two_seconds() -> Positive {
    Positive::checked(2.0)
}

/// Checked [`AnnotationsFile`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Words at a particle.
    pub labels: Vec<(u32, String)>,
    /// A particle, and how many seconds of its way are shown.
    pub trails: Vec<(u32, f64)>,
    /// Particles whose swings are timed, and what they are called.
    pub periods: Vec<(u32, String)>,
    /// Measured values beside what a formula says.
    pub readings: Vec<Reading>,
    /// Cloths by their number, and what is woven into them.
    pub patterns: Vec<(u32, Pattern)>,
    /// Heights at the left edge.
    pub height_scale: bool,
    /// A clock in each lane.
    pub clock: bool,
    /// Seconds of the session after which it starts again.
    pub restart: Option<f64>,
    /// Simulated time over real time at the start.
    pub speed: Option<f64>,
    /// Whether the microscope is on at the start.
    pub microscope: bool,
    /// Things to do, one after another.
    pub lesson: Vec<LessonStep>,
}
