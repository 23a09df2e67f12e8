//! Lesson of a scene: up to three exercises that the window ticks off when they are done.

use super::number::Positive;
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use serde::{Deserialize, Serialize};

/// Upper limit of the number of exercises in a lesson. Three exercises take about half a minute.
pub const MOST_LESSON_STEPS: usize = 3;

/// An exercise of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lesson", deny_unknown_fields)]
pub struct LessonStepFile {
    /// Instruction of one or two sentences: what to do and what to watch.
    pub say: String,
    /// Condition for ticking off the exercise.
    pub done: Goal,
}

/// Condition for ticking off an exercise of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Goal {
    /// A particle was dragged with the mouse.
    Dragged,
    /// A link was cut with the scissors.
    Cut,
    /// A ball was thrown.
    Thrown,
    /// The selected lane has another integrator than at the beginning of the exercise.
    IntegratorChanged,
    /// The selected lane has this integrator, with any parameters.
    Integrator(Method),
    /// The selected lane has this solver, with any parameters.
    Solver(ConstraintSolver),
    /// The selected lane has another time step than at the beginning of the exercise.
    StepChanged,
    /// The selected lane's time step is longer than this, in seconds.
    StepAbove(Positive),
    /// The selected lane's time step is shorter than this, in seconds.
    StepBelow(Positive),
    /// The selected lane has at least this many substeps per step.
    Substeps(u32),
    /// The selected lane's frame clamp was switched on or off during the exercise.
    FrameClampSwitched,
    /// A lane has exploded.
    Exploded,
    /// This many seconds have passed in the scene, and no lane has exploded.
    Lived(Positive),
    /// The time bar was dragged to an earlier time.
    WentBack,
    /// The gallery of all scenes was opened.
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
