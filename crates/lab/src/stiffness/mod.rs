//! Stiffness of a link in the notations ("languages") of physics engines.
//!
//! A number typed into an engine determines a stiffness only together with the masses, the substep
//! and the sweeps. [`StiffnessLanguage::write`] returns the numbers to type so that a link has a given
//! stiffness in N/m, and the effective stiffness after the engine's own limits. [`StiffnessLanguage::read`]
//! is the inverse.

mod compliance;
mod engine_rope;
mod fraction;
mod frequency;
mod newton;
mod reference;
mod typical_link;

pub use engine_rope::EngineRope;
pub use typical_link::typical_link;

use crate::names::{UnknownName, same_name};
use serde::Serialize;
use strum::{EnumIter, IntoEnumIterator};

/// Damped link between two particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SoftLink {
    /// Stiffness k in N/m, positive.
    pub stiffness: f64,
    /// Damping c in N·s/m, 0 or more.
    pub damping: f64,
    /// Sum w₁ + w₂ of the inverse masses of the two ends, in 1/kg. The inverse mass of a pinned end
    /// is 0.
    pub inverse_mass: f64,
    /// Rest length L in metres.
    pub length: f64,
}

impl SoftLink {
    /// Returns the undamped angular frequency √(k (w₁ + w₂)) of the link alone in rad/s, with the
    /// stiffness k and the inverse masses w₁ and w₂ of both ends.
    pub fn omega(&self) -> f64 {
        (self.stiffness * self.inverse_mass).sqrt()
    }

    /// Returns the damping ratio ζ = c (w₁ + w₂)/(2 ω), with the damping c, the inverse masses w₁
    /// and w₂ of both ends and the angular frequency ω.
    pub fn damping_ratio(&self) -> f64 {
        0.5 * self.damping * self.inverse_mass / self.omega()
    }

    /// Returns the link with another damping ratio.
    #[must_use]
    pub fn with_damping_ratio(&self, damping_ratio: f64) -> Self {
        let damping = 2.0 * damping_ratio * self.omega() / self.inverse_mass;
        Self { damping, ..*self }
    }

    /// Returns a link with the same masses and length, but another frequency in rad/s and damping
    /// ratio: stiffness k = m ω², damping c = 2 ζ m ω with the effective mass m = 1/(w₁ + w₂).
    fn with_frequency(&self, omega: f64, damping_ratio: f64) -> Self {
        let mass = 1.0 / self.inverse_mass;
        let [stiffness, damping] = [mass * omega * omega, 2.0 * damping_ratio * mass * omega];
        Self { stiffness, damping, ..*self }
    }
}

/// Frequency with which a solver corrects a link: step, substeps and sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverSteps {
    /// Step in seconds.
    pub dt: f64,
    /// Substeps per step.
    pub substeps: u32,
    /// Sweeps per substep.
    pub sweeps: u32,
}

impl SolverSteps {
    /// Returns the length of a substep in seconds.
    pub fn h(&self) -> f64 {
        self.dt / f64::from(self.substeps)
    }
}

/// Engine or notation with a number for the stiffness of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub enum StiffnessLanguage {
    /// Newtons per metre.
    Newton,
    /// E·A of a rope material in newtons.
    Material,
    /// Compliance of XPBD in m/N.
    Xpbd,
    /// Box2D and Box3D: hertz and damping ratio.
    Box2d,
    /// Rapier: natural frequency in hertz and damping ratio.
    Rapier,
    /// Jolt's soft bodies: compliance in m/N.
    Jolt,
    /// Godot 4.6 and later with Jolt: coefficient of a soft body.
    Godot,
    /// Unity's spring joint, in N/m.
    Unity,
    /// Obi for Unity: compliance in m/N.
    Obi,
    /// Unreal's Chaos cloth: stiffness from 0 to 1, for 120 sweeps per second.
    Unreal,
    /// Position-based dynamics: the fraction of an error that one sweep corrects.
    Pbd,
    /// MuJoCo's `solref`: time constant and damping ratio.
    Mujoco,
}

/// Number to type into an engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Name of the number in the engine.
    pub name: &'static str,
    /// Value in `unit`.
    pub value: f64,
    /// Unit of the value; empty for a pure number.
    pub unit: &'static str,
}

/// Stiffness of a link in the notation of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineStiffness {
    /// Name of the notation.
    pub language: &'static str,
    /// Numbers to type into the engine.
    pub parameters: Vec<Parameter>,
    /// Formula of the first number.
    pub formula: &'static str,
    /// Source of the formula.
    pub source: &'static str,
    /// Stiffness in N/m of the link in the engine, after the engine's own limits.
    pub effective: f64,
    /// Clause about the engine's limit, if it changes the stiffness, or about what else changes the
    /// stiffness; null if there is neither.
    pub note: Option<String>,
}

/// Error for a number that is not a valid stiffness in its language.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{language}: {name} is {value}; expected {expected}")]
pub struct Unreadable {
    language: &'static str,
    name: &'static str,
    value: f64,
    expected: &'static str,
}

impl StiffnessLanguage {
    /// Returns every language, in the order of tables.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the language with this name. Case and separators do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all()
            .find(|language| same_name(language.name(), name))
            .ok_or_else(|| UnknownName::new("language", name, Self::all().map(|l| l.name())))
    }

    /// Returns the name of the language on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "newton",
            Self::Material => "material",
            Self::Xpbd => "xpbd",
            Self::Box2d => "box2d",
            Self::Rapier => "rapier",
            Self::Jolt => "jolt",
            Self::Godot => "godot",
            Self::Unity => "unity",
            Self::Obi => "obi",
            Self::Unreal => "unreal",
            Self::Pbd => "pbd",
            Self::Mujoco => "mujoco",
        }
    }

    /// True if the second number of the language is a damping ratio; false if it is a damping in
    /// N·s/m.
    pub fn takes_damping_ratio(self) -> bool {
        matches!(self, Self::Box2d | Self::Rapier | Self::Mujoco)
    }

    /// True if the engine limits its first number to a maximum that depends on the step.
    pub fn limits_first_number(self) -> bool {
        self == Self::Box2d
    }

    /// Returns the numbers to type into the engine for this link.
    pub fn write(self, link: &SoftLink, steps: &SolverSteps) -> EngineStiffness {
        let engine_stiffness = match self {
            Self::Newton => {
                newton::write_per_metre(link, ["stiffness", "damping"], reference::HOOKE)
            }
            Self::Unity => newton::write_per_metre(link, ["spring", "damper"], reference::UNITY),
            Self::Material => newton::write_material(link),
            Self::Xpbd => compliance::write_compliance(link, "compliance", reference::XPBD),
            Self::Jolt => compliance::write_compliance(link, "mCompliance", reference::JOLT),
            Self::Obi => compliance::write_compliance(link, "stretchCompliance", reference::OBI),
            Self::Box2d => frequency::write_frequency(link, steps, &frequency::BOX2D),
            Self::Rapier => frequency::write_frequency(link, steps, &frequency::RAPIER),
            Self::Mujoco => frequency::write_solref(link, steps),
            Self::Godot => fraction::write_fraction(link, steps, &fraction::GODOT),
            Self::Pbd => fraction::write_fraction(link, steps, &fraction::PBD),
            Self::Unreal => fraction::write_fraction(link, steps, &fraction::UNREAL),
        };
        EngineStiffness { language: self.name(), ..engine_stiffness }
    }

    /// Returns a clause with the engine's limit of its first number; `None` if `value` is below the
    /// limit.
    pub fn limit_in_words(self, value: f64, steps: &SolverSteps) -> Option<String> {
        match self {
            Self::Box2d => frequency::BOX2D.limit_in_words(value, steps),
            _ => None,
        }
    }

    /// Returns the link that an engine's numbers describe. `second` is a damping ratio or a damping
    /// in N·s/m; `None` stands for 0. Masses and length are those of `link`.
    pub fn read(
        self,
        value: f64,
        second: Option<f64>,
        link: &SoftLink,
        steps: &SolverSteps,
    ) -> Result<SoftLink, Unreadable> {
        let expect = |name, value, is_good: bool, expected| match is_good {
            true => Ok(()),
            false => Err(Unreadable { language: self.name(), name, value, expected }),
        };
        let name = self.write(link, steps).parameters[0].name;
        // A negative first number belongs to MuJoCo's direct form.
        let is_direct = self == Self::Mujoco && value < 0.0;
        let is_good = value.is_finite() && (value > 0.0 || is_direct);
        expect(name, value, is_good, "a number above 0")?;
        let second = second.unwrap_or(0.0);
        let is_damping = second.is_finite() && second >= 0.0;
        let name_of_second = if self.takes_damping_ratio() { "damping ratio" } else { "damping" };
        expect(name_of_second, second, is_damping, "a number of 0 or more")?;
        let damped = |stiffness| SoftLink { stiffness, damping: second, ..*link };
        // At a fraction of 1 the link is rigid.
        let below_one = || {
            let expected = "a number between 0 and 1, for at 1 the link is rigid (a material with \
                            `rigid: true`)";
            expect(name, value, value < 1.0, expected)
        };
        match self {
            Self::Newton | Self::Unity => Ok(damped(value)),
            Self::Material => Ok(damped(value / link.length)),
            Self::Xpbd | Self::Jolt | Self::Obi => Ok(damped(1.0 / value)),
            Self::Box2d => {
                Ok(frequency::read_frequency(link, steps, &frequency::BOX2D, [value, second]))
            }
            Self::Rapier => {
                Ok(frequency::read_frequency(link, steps, &frequency::RAPIER, [value, second]))
            }
            Self::Mujoco if is_direct => Ok(frequency::read_direct_solref(link, [value, second])),
            Self::Mujoco => {
                let expected = "a damping ratio above 0 beside a time constant; without damping \
                                give the negative number of the direct form";
                expect("dampratio", second, second > 0.0, expected)?;
                Ok(frequency::read_solref(link, steps, [value, second]))
            }
            Self::Godot => {
                below_one().map(|()| fraction::read_fraction(link, steps, &fraction::GODOT, value))
            }
            Self::Pbd => {
                below_one().map(|()| fraction::read_fraction(link, steps, &fraction::PBD, value))
            }
            Self::Unreal => {
                below_one().map(|()| fraction::read_fraction(link, steps, &fraction::UNREAL, value))
            }
        }
    }
}

#[cfg(test)]
mod tests;
