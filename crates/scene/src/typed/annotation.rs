//! Annotations that the window draws over a scene: texts, trails and readings. They do not affect
//! the simulation.

use super::lesson::{LessonStep, LessonStepFile};
use super::located::Located;
use super::number::{Point, Positive};
use super::particles::Particles;
use super::reading::{Reading, ReadingFile};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Upper limit of the number of labels, trails, periods, phases and readings of a scene in total,
/// because each of them is drawn in every frame.
pub const MOST_ANNOTATIONS: usize = 256;

/// Texts, trails and readings that the window draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "annotations", default, deny_unknown_fields)]
pub struct AnnotationsFile {
    /// Texts at particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelFile>,
    /// Recent paths of particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trails: Vec<TrailFile>,
    /// Particles whose swings along x are timed, with the words before the number. All are compared
    /// with the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<LabelFile>,
    /// Motions in which a particle keeps a velocity at times, as a block that sticks to a belt. The
    /// durations of their phases are measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhasesFile>,
    /// Measured values in each lane, next to the value of a formula.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingFile>,
    /// Patterns of cloths. A cloth without one is chequered in two tones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<PatternFile>,
    /// Scale of heights above the floor in metres, in each lane.
    pub height_scale: bool,
    /// Clock in each lane, with a grey hand for the session.
    pub clock: bool,
    /// Seconds after which the window starts the scene again, if the hand holds nothing.
    pub restart: Option<Positive>,
    /// Ratio of simulated to real time at the start, 0.001 to 10.
    pub speed: Option<Located<Positive>>,
    /// True to show the two states from which a picture is interpolated.
    pub microscope: bool,
    /// Exercises, up to 3, which the window offers one after the other and ticks off.
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

/// A motion in which a particle keeps a velocity at times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "phases", deny_unknown_fields)]
pub struct PhasesFile {
    /// The particle.
    pub of: Located<Particles>,
    /// Velocity in m/s, with a tolerance of 0.5 %.
    pub velocity: Point,
    /// Words before the mean duration of phases with this velocity.
    pub kept: String,
    /// Words before the mean duration of the phases with other velocities.
    pub between: String,
}

/// A line through the recent positions of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "trail", deny_unknown_fields)]
pub struct TrailFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Duration in seconds of simulated time.
    #[serde(default = "two_seconds")]
    pub seconds: Positive,
}

/// The pattern of one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "pattern", deny_unknown_fields)]
pub struct PatternFile {
    /// The cloth, as `Body("towel")`.
    pub of: Located<Particles>,
    /// Pattern in the colour of the lane, with about fourteen stripes or checks along the longer
    /// edge.
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
    /// Undyed stripes in both directions.
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
    /// Particles with a trail, and its duration in seconds.
    pub trails: Vec<(u32, f64)>,
    /// Particles whose swings are timed, with the words before the number.
    pub periods: Vec<(u32, String)>,
    /// Motions whose phases are timed.
    pub phases: Vec<TimedPhases>,
    /// Measured values next to the value of a formula.
    pub readings: Vec<Reading>,
    /// Indices of cloths, with their patterns.
    pub patterns: Vec<(u32, Pattern)>,
    /// True to draw a scale of heights at the left edge.
    pub height_scale: bool,
    /// True to draw a clock in each lane.
    pub clock: bool,
    /// Seconds of the session after which the scene starts again; `None` = never.
    pub restart: Option<f64>,
    /// Ratio of simulated to real time at the start; `None` = unchanged.
    pub speed: Option<f64>,
    /// True if the microscope is on at the start.
    pub microscope: bool,
    /// Steps of the lesson, in order.
    pub lesson: Vec<LessonStep>,
}

/// Checked [`PhasesFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct TimedPhases {
    /// Index of the particle.
    pub of: u32,
    /// Velocity in m/s.
    pub velocity: DVec3,
    /// Words before the mean durations: of the phases with this velocity, and of the others.
    pub words: [String; 2],
}
