//! What a scene teaches.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// What a scene teaches: the gallery is sorted by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumIter)]
pub enum Group {
    /// Something to drag, cut and look at.
    #[default]
    Play,
    /// What explodes or gives way, why, and what helps.
    Breaks,
    /// How frame time becomes steps, and what is drawn.
    Time,
    /// What integrators do to motion and energy.
    Integrators,
    /// What constraint solvers do to lengths and energy.
    Solvers,
    /// Balls, obstacles, friction.
    Contact,
    /// Motions that are known in closed form.
    Physics,
}

impl Group {
    /// Every group, in the order of the gallery.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// A heading.
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
