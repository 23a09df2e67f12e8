//! ropelab: a laboratory of time stepping for rope and cloth.
//!
//! ```text
//! scene file ─► Scene ─► Session ─ lanes ─► Simulation ─ frame ─► Stepper::plan ─► steps
//!                                             each step: integrate ─► constraints ─► look
//! ```
pub mod analysis;
#[cfg(feature = "window")]
pub mod app;
pub mod bench;
pub mod columns;
pub mod constraint;
pub mod diagnostics;
mod distinct_rows;
pub mod export;
pub mod fabric;
pub mod faces;
pub mod flight;
pub mod force;
pub mod integrate;
mod link_sums;
pub mod mesh;
pub mod model;
pub mod moves;
pub mod name;
pub mod path;
pub mod registry;
pub mod scene;
pub mod session;
pub mod settings;
pub mod simd;
pub mod simulation;
pub mod sine;
pub mod state;
pub mod stepper;
pub mod stretch_watch;
pub mod system;
pub mod table;
