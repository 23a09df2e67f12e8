//! Mesh generation: turns ropes, nets and cloths into particles, links, bends and faces.

mod bends;
pub(crate) mod colouring;
pub(crate) mod component;
pub mod faces;
mod generators;
mod grid;
pub mod groups;
pub(crate) mod levels;
mod link;
pub mod link_sums;
mod links;
pub mod topology;

pub use bends::Bend;
pub(crate) use bends::{BendRun, Bends};
pub use colouring::colour_links;
pub use generators::{Chain, ClothMaterial, Mesh, RopeMaterial};
pub use grid::Grid;
pub use link::{Link, LinkKind};
pub use links::Links;
