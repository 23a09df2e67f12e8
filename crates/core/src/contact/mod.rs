//! Contact in one simulation: of balls, ropes and cloths with each other, and with colliders.
//!
//! [`Contacts`] corrects the result of an integrator in each substep. The input (`Columns`)
//! consists of the positions at the start and those that the integrator computed for the end. The
//! output consists of corrected positions and velocities at the end. Each module uses only the
//! modules above it:
//!
//! | Module | Contents |
//! |---|---|
//! | `features`, `shape`, `swept` | distances, and times of impact of two moving bodies |
//! | `method`, `bodies` | contact methods; bodies of a scene with their surfaces and layers |
//! | `substep`, `report`, `contact_force` | inputs and results of a substep |
//! | `resolve` | effects of contacts on positions and velocities |
//! | `search` | search for bodies that may come near each other |
//! | `cloth` | self-contact of ropes and cloths, and the guarantee that nothing passes through |
//! | `colliders` | ropes and cloths in contact with colliders |
//! | `balls`, `discrete` | collisions of balls in order of time, heaps at rest, balls on ropes and cloths |
//! | `initial_overlaps`, `memory` | overlaps at the start of a scene; state from step to step |
//! | `contacts` | the order of a substep |

mod balls;
mod bodies;
mod cloth;
mod colliders;
mod contact_force;
mod contacts;
mod discrete;
pub mod features;
mod initial_overlaps;
mod memory;
mod method;
mod report;
mod resolve;
mod search;
pub mod shape;
mod substep;
pub mod swept;

pub use bodies::collider::Collider;
pub use bodies::contact_table::{ContactKind, ContactTable};
pub use bodies::geometry::Geometry;
pub use bodies::layer::Layer;
pub use bodies::properties::{BallSetup, ContactProperties, PointSetup};
pub use bodies::surface::Surface;
pub use cloth::initial_crossings::InitialCrossings;
pub use contact_force::ContactForce;
pub use contacts::Contacts;
pub use initial_overlaps::InitialOverlaps;
pub use method::{BallPath, ContactMethod, Discrete, PairSearch, Penalty, SelfContact, Swept};
pub use report::ContactReport;
pub use resolve::velocity_level::FreeMotion;
pub use substep::{Bodies, Instant};

pub(crate) use bodies::collider::ColliderShift;
pub(crate) use colliders::penalty::{PenaltyForce, PenaltyState};
pub(crate) use memory::ContactMemory;
pub(crate) use resolve::velocity_level::{Lag, Velocities};
pub(crate) use search::clearance::SubstepBounds;
pub(crate) use substep::Columns;
