//! Contact methods, with their names and sources.

use ropelab_mechanics::names::{CatalogueEntry, UnknownName, same_name};
use ropelab_mechanics::quantity::magnitude::{
    format_six_digits, is_moderate, is_moderate_positive,
};
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Broad phase: search for pairs that may be in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PairSearch {
    /// Bodies in the same or neighbouring cells.
    #[default]
    Grid,
    /// All n(n − 1)/2 pairs.
    AllPairs,
}

/// Path of a ball within a substep, to the position that the integrator computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BallPath {
    /// Straight line. The computed distance between two balls is off by up to |Δa| h²/8, where Δa
    /// is the difference of their accelerations.
    #[default]
    Chord,
    /// Exact for constant acceleration.
    Parabola,
}

/// Method for contact of ropes and cloths with themselves and each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SelfContact {
    /// No self-contact.
    Off,
    /// Particles repel each other; thin bodies slip between them.
    Particles,
    /// Links and triangles repel each other.
    Repulsion,
    /// `Repulsion`, then inelastic impulses at the times of impact, in eight rounds. Particles that
    /// would still pass through a feature are stopped and counted.
    Swept,
    /// `Repulsion`, then truncation of every motion that would pass through a feature.
    #[default]
    Guarantee,
}

/// Contact method of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ContactMethod {
    /// No contact.
    Off,
    /// Overlaps are resolved at the end of a step. Fast bodies pass through each other, and the
    /// balls of a heap sink into each other.
    Discrete(Discrete),
    /// Colliders push particles out by k · depth + c · rate. Balls pass through each other, and
    /// friction does not turn them.
    Penalty(Penalty),
    /// Collisions are detected along the motion. Nothing passes through.
    Swept(Swept),
}

impl Default for ContactMethod {
    fn default() -> Self {
        Self::Swept(Swept::default())
    }
}

/// Parameters of [`ContactMethod::Discrete`], which detects overlaps at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Discrete", default, deny_unknown_fields)]
pub struct Discrete {
    /// Broad phase for balls.
    pub pairs: PairSearch,
    /// True if approaches below 2 g h do not bounce, so that bodies come to rest.
    pub rest: bool,
}

impl Default for Discrete {
    fn default() -> Self {
        Self { pairs: PairSearch::Grid, rest: true }
    }
}

/// Parameters of [`ContactMethod::Penalty`]: a collider pushes out particles inside it with the
/// force k · depth + c · rate, in newtons.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Penalty", default, deny_unknown_fields)]
pub struct Penalty {
    /// Stiffness k in N/m. A mass m sinks in by m g/k; Verlet needs h < 2 √(m/k).
    pub stiffness: f64,
    /// Damping c in N·s/m. Contacts do not pull.
    pub damping: f64,
    /// Sliding speed in m/s from which friction is full. Slower bodies creep; no body sticks.
    pub slip: f64,
}

impl Default for Penalty {
    fn default() -> Self {
        Self { stiffness: 1e4, damping: 5.0, slip: 1e-2 }
    }
}

/// Parameters of [`ContactMethod::Swept`], which detects collisions along the motion, in order of
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Swept", default, deny_unknown_fields)]
pub struct Swept {
    /// Largest number of collisions in a substep, 0 to 1,000,000. Bodies that would collide later
    /// stop before contact and are counted.
    pub most_events: u32,
    /// Broad phase for balls.
    pub pairs: PairSearch,
    /// True if approaches below 2 g h do not bounce, so that bodies come to rest.
    pub rest: bool,
    /// Method for ropes and cloths with `itself: true`.
    pub itself: SelfContact,
    /// Path of balls within a substep.
    pub path: BallPath,
}

impl Default for Swept {
    fn default() -> Self {
        Self {
            most_events: 10_000,
            pairs: PairSearch::Grid,
            rest: true,
            itself: SelfContact::default(),
            path: BallPath::default(),
        }
    }
}

impl ContactMethod {
    /// Yields every method with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the method called `name` with its default parameters. Case and separators do not
    /// matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| same_name(method.info().name, name)).ok_or_else(|| {
            UnknownName::new("contact", name, Self::all().map(|method| method.info().name))
        })
    }

    /// Returns names, reference and verdict.
    pub fn info(&self) -> CatalogueEntry {
        match self {
            Self::Off => CatalogueEntry {
                name: "off",
                title: "no contact",
                reference: "",
                verdict: "everything passes through everything, at no cost",
            },
            Self::Discrete(_) => CatalogueEntry {
                name: "discrete",
                title: "discrete",
                reference: "Moore and Wilhelms 1988, Collision detection and response for computer \
                            animation",
                verdict: "detects overlaps after the step only: cheap, but fast bodies pass through \
                          and stacked balls sink into each other",
            },
            Self::Penalty(_) => CatalogueEntry {
                name: "penalty",
                title: "penalty force",
                reference: "Moore and Wilhelms 1988; friction: Li et al. 2020, Incremental Potential \
                            Contact",
                verdict: "colliders push like springs: bodies sink in and creep, balls do not roll, \
                          and stiff contacts explode under explicit schemes",
            },
            Self::Swept(_) => CatalogueEntry {
                name: "swept",
                title: "swept (continuous)",
                reference: "article E; Bannerman et al. 2014, Stable algorithm for event detection",
                verdict: "finds the collisions along the motion, the earliest first: nothing passes \
                          through",
            },
        }
    }

    /// Returns the parameters of the penalty force, or `None` for other methods.
    pub fn penalty(&self) -> Option<Penalty> {
        match self {
            Self::Penalty(penalty) => Some(*penalty),
            Self::Off | Self::Discrete(_) | Self::Swept(_) => None,
        }
    }

    /// Checks the ranges of all parameters. The error contains the name, the value found and the
    /// values expected.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Off | Self::Discrete(_) => Ok(()),
            Self::Penalty(penalty) => penalty.check(),
            Self::Swept(Swept { most_events, .. }) if *most_events > 1_000_000 => {
                Err(format!("most_events is {most_events}, must be from 0 to 1000000"))
            }
            Self::Swept(_) => Ok(()),
        }
    }
}

impl Penalty {
    fn check(&self) -> Result<(), String> {
        let Self { stiffness, damping, slip } = *self;
        if !is_moderate_positive(stiffness) {
            return Err(format!(
                "stiffness is {}; expected N/m above 0",
                format_six_digits(stiffness)
            ));
        }
        if !is_moderate(damping) || damping < 0.0 {
            return Err(format!(
                "damping is {}; expected 0 or more N·s/m",
                format_six_digits(damping)
            ));
        }
        if !is_moderate_positive(slip) {
            return Err(format!("slip is {}; expected m/s above 0", format_six_digits(slip)));
        }
        Ok(())
    }
}
