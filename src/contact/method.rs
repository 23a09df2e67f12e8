//! How a lane treats contact, and what is published of it.

use crate::names::{UnknownName, same_name};
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// How pairs are found that may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PairSearch {
    /// Bodies are sorted into cells and look at their neighbours only.
    #[default]
    Grid,
    /// Every body looks at every other: n(n − 1)/2 pairs, as in the article.
    AllPairs,
}

/// On which path a ball goes through a substep, between where it was and where the integrator has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BallPath {
    /// The straight line, as in the article: off by up to |Δa|h²/8 where two bodies are accelerated
    /// differently by Δa.
    #[default]
    Chord,
    /// The parabola with the acceleration of the substep: exact where that is constant.
    Parabola,
}

/// How ropes and cloths whose scene asks for it are kept out of themselves and each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SelfContact {
    /// They go through themselves.
    Off,
    /// Only their particles keep apart: what is thinner than their spacing slips through.
    Particles,
    /// Links and triangles push each other apart.
    Repulsion,
    /// They push each other apart, and no move that would pass is made.
    #[default]
    Guarantee,
}

/// How a lane treats contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ContactMethod {
    /// Everything goes through everything.
    Off,
    /// Overlaps are found at the end of a step: what is fast enough goes through.
    Discrete(Discrete),
    /// The earliest collision on the way is found, again and again: nothing goes through.
    Swept(Swept),
}

impl Default for ContactMethod {
    fn default() -> Self {
        Self::Swept(Swept::default())
    }
}

/// Looks for overlaps at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Discrete", default, deny_unknown_fields)]
pub struct Discrete {
    /// How pairs are found.
    pub pairs: PairSearch,
    /// Approach speeds below 2 g h do not bounce, so that things come to rest.
    pub rest: bool,
}

impl Default for Discrete {
    fn default() -> Self {
        Self { pairs: PairSearch::Grid, rest: true }
    }
}

/// Looks for the earliest collision on the way, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Swept", default, deny_unknown_fields)]
pub struct Swept {
    /// Most collisions in a substep, 0 to 1 000 000. What is left then stops before it touches,
    /// and is counted.
    pub most_events: u32,
    /// How pairs are found.
    pub pairs: PairSearch,
    /// Approach speeds below 2 g h do not bounce, so that things come to rest.
    pub rest: bool,
    /// What keeps ropes and cloths out of themselves.
    pub itself: SelfContact,
    /// On which path balls meet each other and colliders.
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

/// What is known about a method before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactInfo {
    /// Name on the command line: `swept`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Who wrote it down, and where.
    pub reference: &'static str,
    /// One sentence for a tooltip: what to expect of it.
    pub verdict: &'static str,
}

impl ContactMethod {
    /// Every method with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The method of that name with its default parameters. Case and separators do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| same_name(method.info().name, name)).ok_or_else(|| {
            UnknownName::new("contact", name, Self::all().map(|method| method.info().name))
        })
    }

    /// Names, reference and verdict.
    pub fn info(&self) -> ContactInfo {
        match self {
            Self::Off => ContactInfo {
                name: "off",
                title: "no contact",
                reference: "",
                verdict: "everything goes through everything, at no cost",
            },
            Self::Discrete(_) => ContactInfo {
                name: "discrete",
                title: "discrete",
                reference: "Moore and Wilhelms 1988, Collision detection and response for computer \
                            animation",
                verdict: "looks where things are after the step: cheap, and what is fast goes \
                          through",
            },
            Self::Swept(_) => ContactInfo {
                name: "swept",
                title: "swept (continuous)",
                reference: "article E; Bannerman et al. 2014, Stable algorithm for event detection",
                verdict: "finds the earliest collision on the way, again and again: nothing goes \
                          through",
            },
        }
    }

    /// Says in one sentence which parameter makes no sense.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Swept(Swept { most_events, .. }) if *most_events > 1_000_000 => {
                Err(format!("most_events is {most_events}, must be from 0 to 1000000"))
            }
            _ => Ok(()),
        }
    }
}
