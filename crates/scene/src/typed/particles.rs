//! Selections of particles in a scene file.

use serde::{Deserialize, Serialize};

/// A selection of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "particles")]
pub enum Particles {
    /// Every particle.
    All,
    /// The particle with this index.
    Particle(u32),
    /// All particles of the body with this name.
    Body(String),
    /// The first particle of a rope.
    Start(String),
    /// The last particle of a rope.
    End(String),
    /// Particle of a rope, counted from 0 at its first end.
    Node(String, u32),
    /// A corner of a net or cloth.
    Corner(String, Corner),
    /// An edge of a net or cloth.
    Edge(String, Edge),
    /// Particle of a net or cloth in this column and row, from 0 at the top left.
    Knot(String, u32, u32),
    /// The particles with these indices.
    Numbers(Vec<u32>),
    /// All particles of these selections.
    Any(Vec<Particles>),
}

impl Particles {
    /// Returns the name of the body that contains all selected particles; `None` for selections
    /// that are not limited to one named body.
    pub(crate) fn body(&self) -> Option<&str> {
        match self {
            Self::Body(name)
            | Self::Start(name)
            | Self::End(name)
            | Self::Node(name, _)
            | Self::Corner(name, _)
            | Self::Edge(name, _)
            | Self::Knot(name, _, _) => Some(name),
            Self::All | Self::Particle(_) | Self::Numbers(_) | Self::Any(_) => None,
        }
    }
}

/// A corner of a net or cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "corner")]
pub enum Corner {
    /// Position `corner`.
    TopLeft,
    /// Position `corner` + `across`.
    TopRight,
    /// Position `corner` + `down`.
    BottomLeft,
    /// Position `corner` + `across` + `down`.
    BottomRight,
}

/// An edge of a net or cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "edge")]
pub enum Edge {
    /// From `TopLeft` along `across`.
    Top,
    /// From `BottomLeft` along `across`.
    Bottom,
    /// From `TopLeft` along `down`.
    Left,
    /// From `TopRight` along `down`.
    Right,
}
