//! Link: two particles with a rest length, used as a spring or as a constraint.

use serde::{Deserialize, Serialize};
use strum::EnumIter;

/// Role of a link in the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter)]
pub enum LinkKind {
    /// Joins neighbours of a rope, row or column.
    Structural,
    /// Diagonal of a cell.
    Shear,
    /// Joins second neighbours.
    Bend,
}

/// Two particles with a rest length. The settings of a simulation determine whether the link is a
/// spring or a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Index of the particle at the first end.
    pub a: u32,
    /// Index of the particle at the second end.
    pub b: u32,
    /// Rest length L in metres, positive. NaN once the link is cut: every comparison with NaN is
    /// false, so solvers skip the link.
    pub rest: f64,
    /// Stiffness k in N/m, positive. XPBD uses the compliance 1/k, or 0 if the link is `rigid`.
    pub stiffness: f64,
    /// Damping coefficient along the link in N·s/m.
    pub damping: f64,
    /// Role of the link in the mesh.
    pub kind: LinkKind,
    /// True if the link resists stretch but not compression, as a rope does.
    pub one_sided: bool,
    /// True if constraint solvers treat the link as inextensible (compliance 0). Springs always use
    /// `stiffness`.
    pub rigid: bool,
}

impl Link {
    /// Rigid, two-sided link of 1 m between particles 0 and 1. Tests override the fields that
    /// matter to them.
    pub const UNIT: Self = Self {
        a: 0,
        b: 1,
        rest: 1.0,
        stiffness: 1.0,
        damping: 0.0,
        kind: LinkKind::Structural,
        one_sided: false,
        rigid: true,
    };

    /// True if the link was cut. A cut link exerts no force.
    pub fn is_cut(&self) -> bool {
        self.rest.is_nan()
    }

    /// Returns the link with additional damping proportional to its stiffness: `beta` (in seconds)
    /// times the stiffness.
    pub fn damped(self, beta: f64) -> Self {
        Self { damping: self.damping + beta * self.stiffness, ..self }
    }
}
