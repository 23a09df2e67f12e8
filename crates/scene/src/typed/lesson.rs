//! Lesson of a scene: a few exercises that the window ticks off when they are done.

use super::number::Positive;
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use serde::{Deserialize, Serialize};

/// Upper limit of the number of steps in a lesson. Three steps take about half a minute.
pub const MOST_LESSON_STEPS: usize = 3;

/// One step of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "lesson", deny_unknown_fields)]
pub struct LessonStepFile {
    /// Instruction of one or two sentences: what to do and what to watch.
    pub say: String,
    /// Condition for ticking off the step.
    pub done: Goal,
}

/// Condition for ticking off a step of a lesson. "Changed" compares with the beginning of the step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Goal {
    /// Something was dragged with the mouse.
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
    /// The selected lane's step is longer than this, in seconds.
    StepAbove(Positive),
    /// The selected lane's step is shorter than this, in seconds.
    StepBelow(Positive),
    /// The selected lane has at least this many substeps.
    Substeps(u32),
    /// The selected lane's frame clamp was switched on or off.
    FrameClampSwitched,
    /// A lane has exploded.
    Exploded,
    /// This many seconds have passed in the scene, and no lane has exploded.
    Lived(Positive),
    /// The time bar was dragged into the past.
    WentBack,
    /// The window of all scenes was opened.
    Scenes,
}

/// Checked [`LessonStepFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct LessonStep {
    /// Instruction: what to do and what to watch.
    pub say: String,
    /// Condition for ticking off the step.
    pub done: Goal,
}
