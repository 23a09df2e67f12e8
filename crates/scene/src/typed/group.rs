//! Groups of scenes in the gallery, by the subject that they teach.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Group of a scene in the gallery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumIter)]
pub enum Group {
    /// Bodies to drag and cut.
    #[default]
    Play,
    /// Explosions and soft links.
    Breaks,
    /// Frame times, steps and the drawn state.
    Time,
    /// Effects of integrators.
    Integrators,
    /// Effects of constraint solvers.
    Solvers,
    /// Balls, colliders, friction.
    Contact,
    /// Motions with a closed form.
    Physics,
}

impl Group {
    /// Returns every group, in the order of the gallery.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the heading of the group.
    pub fn title(self) -> &'static str {
        match self {
            Self::Play => "Play",
            Self::Breaks => "What breaks, why, and the cure",
            Self::Time => "Frames and time steps",
            Self::Integrators => "Integrators",
            Self::Solvers => "Constraint solvers",
            Self::Contact => "Contact",
            Self::Physics => "Known motions",
        }
    }
}
