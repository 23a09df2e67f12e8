//! State of the laboratory apart from its session: shown lanes and their distances, background
//! work, and the replay of a recording.

mod background;
mod continuation;
mod distances;
mod replaying;
mod shown;

pub use background::{BackgroundTask, BackgroundWork, Expected, LONG, StepPools};
pub use continuation::Continuation;
pub use distances::{DistanceChart, Distances};
pub use replaying::{Replayed, Replaying, recorded_scene};
pub use shown::Shown;
