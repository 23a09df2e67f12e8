//! Annotations that the window draws over a scene: texts, trails and readings. They do not affect
//! the simulation.

use super::lesson::{LessonStep, LessonStepFile};
use super::located::Located;
use super::number::{Point, Positive};
use super::particles::Particles;
use super::reading::{Reading, ReadingFile};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Largest number of labels, trails, periods, phases and readings of a scene in total. Each of them
/// is drawn in every frame.
pub const MOST_ANNOTATIONS: usize = 256;

/// Texts, trails and readings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "annotations", default, deny_unknown_fields)]
pub struct AnnotationsFile {
    /// Texts next to particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelFile>,
    /// Lines through recent positions of particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trails: Vec<TrailFile>,
    /// Particles whose period of oscillation along x is measured and compared with the period of
    /// the first particle; `text` precedes the number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<LabelFile>,
    /// Mean durations of sticking at a given velocity and of other motion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhasesFile>,
    /// Measured values and their predictions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingFile>,
    /// Patterns of cloths, `Checks` by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternFile>,
    /// True to draw a scale of heights above the floor in metres.
    pub height_scale: bool,
    /// True to draw a clock that turns once in 10 s. Its grey hand shows real time × speed.
    pub clock: bool,
    /// Time in seconds after which the scene restarts, unless the mouse holds a particle.
    pub restart: Option<Positive>,
    /// Ratio of simulated to real time at the start, 0.001 to 10.
    pub speed: Option<Located<Positive>>,
    /// True to show the two states between which the drawn state is interpolated.
    pub microscope: bool,
    /// Up to 3 exercises, one after the other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lesson: Vec<Located<LessonStepFile>>,
}

/// A text next to a particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "label", deny_unknown_fields)]
pub struct LabelFile {
    /// The particle.
    pub of: Located<Particles>,
    /// The text.
    pub text: String,
}

/// A stick–slip motion of a particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "phases", deny_unknown_fields)]
pub struct PhasesFile {
    /// The particle.
    pub of: Located<Particles>,
    /// Velocity of the sticking particle in m/s, with a tolerance of 0.5 %.
    pub velocity: Point,
    /// Text before the duration of sticking.
    pub kept: String,
    /// Text before the duration of other motion.
    pub between: String,
}

/// A line through the recent positions of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "trail", deny_unknown_fields)]
pub struct TrailFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Length of the trail in simulated seconds.
    #[serde(default = "two_seconds")]
    pub seconds: Positive,
}

/// The pattern of one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "pattern", deny_unknown_fields)]
pub struct PatternFile {
    /// The cloth, e.g. `Body("towel")`.
    pub of: Located<Particles>,
    /// Pattern in the colour of the lane.
    pub pattern: Pattern,
}

/// Pattern of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// Checks of two tones.
    #[default]
    Checks,
    /// Undyed stripes from top to bottom.
    Stripes,
    /// Undyed stripes along rows and columns.
    Gingham,
    /// No pattern.
    Plain,
}

fn two_seconds() -> Positive {
    Positive::checked(2.0)
}

/// Checked [`AnnotationsFile`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Texts, each with the index of its particle.
    pub labels: Vec<(u32, String)>,
    /// Indices of particles with a trail, and the length of the trail in simulated seconds.
    pub trails: Vec<(u32, f64)>,
    /// Indices of particles whose period along x is measured, each with the text before the period.
    pub periods: Vec<(u32, String)>,
    /// Stick–slip motions whose phases (sticking, and other motion) are timed.
    pub phases: Vec<TimedPhases>,
    /// Measured values, with the predictions of formulas.
    pub readings: Vec<Reading>,
    /// Indices of cloths in the mesh, with their patterns.
    pub patterns: Vec<(u32, Pattern)>,
    /// True to draw a scale of heights at the right edge of each lane.
    pub height_scale: bool,
    /// True to draw a clock in each lane.
    pub clock: bool,
    /// Session time after which the scene restarts, in seconds; `None` = never.
    pub restart: Option<f64>,
    /// Ratio of simulated to real time at the start of the scene; `None` = unchanged.
    pub speed: Option<f64>,
    /// True if the window shows the two states between which the drawn state is interpolated.
    pub microscope: bool,
    /// Exercises of the lesson, in order.
    pub lesson: Vec<LessonStep>,
}

/// Checked [`PhasesFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct TimedPhases {
    /// Index of the particle.
    pub of: u32,
    /// Velocity in m/s of the particle while it sticks.
    pub velocity: DVec3,
    /// Texts before the mean durations of the phases with this velocity and of the other phases.
    pub words: [String; 2],
}
