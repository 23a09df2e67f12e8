//! Questions that are answered by running simulations to their end, without a display.
//!
//! An analysis is a function from a scene and settings to values. It reads no clock and no disk:
//! who wants to know what a step costs hands in a clock. Runs are independent of each other, so
//! they are parallel, and results come in the order of the questions.

mod compare;
mod run;

pub use compare::compare;
pub use run::{Course, CourseError, Feed, MOST_STEPS, Outcome, run};
