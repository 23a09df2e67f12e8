//! Link: two particles with a rest distance.

use serde::{Deserialize, Serialize};
use strum::EnumIter;

/// Purpose of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter)]
pub enum LinkKind {
    /// Link between neighbours.
    Structural,
    /// Diagonal of a cloth cell.
    Shear,
    /// Link between second neighbours, which resists folding.
    Bend,
}

/// Two particles with a rest distance: a spring or a constraint, as the settings decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Rest length in metres, positive. NaN once the link is cut: every comparison with NaN fails,
    /// so solvers skip the link.
    pub rest: f64,
    /// Stiffness in N/m, positive. Its inverse is the compliance of XPBD, except for `rigid` links.
    pub stiffness: f64,
    /// Damping along the link in N·s/m.
    pub damping: f64,
    /// Purpose of the link.
    pub kind: LinkKind,
    /// True if the link resists stretch only, like a rope.
    pub one_sided: bool,
    /// True if the link is inextensible as a constraint (compliance 0). As a spring the link still
    /// has `stiffness`.
    pub rigid: bool,
}

impl Link {
    /// Rigid link of 1 m between particles 0 and 1, for tests.
    #[cfg(test)]
    pub(crate) const UNIT: Self = Self {
        a: 0,
        b: 1,
        rest: 1.0,
        stiffness: 1.0,
        damping: 0.0,
        kind: LinkKind::Structural,
        one_sided: false,
        rigid: true,
    };

    /// True if the link was cut and no longer acts.
    pub fn is_cut(&self) -> bool {
        self.rest.is_nan()
    }

    /// Returns the link with stiffness damping, `beta` in seconds times its stiffness, added to its
    /// own.
    pub fn damped(self, beta: f64) -> Self {
        Self { damping: self.damping + beta * self.stiffness, ..self }
    }
}
