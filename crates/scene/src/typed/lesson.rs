//! Lesson of a scene: up to three exercises. The window ticks off the finished ones.

use super::number::Positive;
use ropelab_core::constraint::ConstraintSolver;
use ropelab_core::integrate::Method;
use serde::{Deserialize, Serialize};

/// Largest number of exercises in a lesson. Three exercises take about half a minute.
pub const MOST_LESSON_STEPS: usize = 3;

/// An exercise of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lesson", deny_unknown_fields)]
pub struct LessonStepFile {
    /// Instruction: what to do and what to watch.
    pub say: String,
    /// Condition for ticking off the exercise.
    pub done: Goal,
}

/// Condition for ticking off an exercise, in the selected lane unless a row says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Goal {
    /// Particle dragged with the mouse.
    Dragged,
    /// Link cut with the scissors.
    Cut,
    /// Ball thrown.
    Thrown,
    /// Integrator other than at the start of the exercise.
    IntegratorChanged,
    /// This integrator, with any parameters.
    Integrator(Method),
    /// This solver, with any parameters.
    Solver(ConstraintSolver),
    /// Time step other than at the start of the exercise.
    StepChanged,
    /// Time step longer than this, in seconds.
    StepAbove(Positive),
    /// Time step shorter than this, in seconds.
    StepBelow(Positive),
    /// At least this many substeps per step.
    Substeps(u32),
    /// Frame clamp switched on or off.
    FrameClampSwitched,
    /// A lane has exploded.
    Exploded,
    /// This time has passed without an explosion, in seconds.
    Lived(Positive),
    /// Time bar dragged backwards.
    WentBack,
    /// Gallery opened.
    Scenes,
}

/// Checked [`LessonStepFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct LessonStep {
    /// Instruction: what to do and what to watch.
    pub say: String,
    /// Condition for ticking off the exercise.
    pub done: Goal,
}
