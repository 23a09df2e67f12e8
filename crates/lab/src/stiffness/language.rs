//! Engines and notations: the parameters with which they describe a link, and the conversion
//! between these parameters and a stiffness in N/m.

use super::engine_stiffness::{EngineStiffness, Parameter};
use super::fraction::{self, FractionEngine};
use super::frequency::{self, FrequencyEngine};
use super::soft_link::{SoftLink, SolverSteps};
use crate::names::{UnknownName, same_name};
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// Engine or notation that has a parameter for the stiffness of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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

/// Values that describe a link in an engine or notation.
enum Notation {
    /// Stiffness in N/m and damping in N·s/m, under the names that the engine gives them.
    PerMetre([&'static str; 2]),
    /// E·A = k L, which does not depend on the length of links.
    Material,
    /// Compliance 1/k in m/N, under the name that the engine gives it.
    Compliance(&'static str),
    Fraction(FractionEngine),
    Frequency(FrequencyEngine),
    /// MuJoCo's time constant and damping ratio.
    Solref,
}

/// Error if a value is not a valid stiffness in its language.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{language}: {name} is {value}; expected {expected}")]
pub struct Unreadable {
    language: &'static str,
    name: &'static str,
    value: f64,
    expected: &'static str,
}

impl StiffnessLanguage {
    /// Returns every language, in the order in which tables list them.
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
        self.into()
    }

    /// Returns the parameters that describe a link, and the source of their formula.
    fn notation(self) -> (Notation, &'static str) {
        match self {
            Self::Newton => (Notation::PerMetre(["stiffness", "damping"]), "Hooke's law"),
            Self::Unity => (
                Notation::PerMetre(["spring", "damper"]),
                "Unity manual, SpringJoint: spring in N/m, damper in N·s/m",
            ),
            Self::Material => (Notation::Material, "E A/L of a bar of length L"),
            Self::Xpbd => (
                Notation::Compliance("compliance"),
                "Macklin, Müller and Chentanez 2016, XPBD, α = 1/k",
            ),
            Self::Jolt => (
                Notation::Compliance("mCompliance"),
                "Jolt, SoftBodySharedSettings::Edge::mCompliance, inverse of k",
            ),
            Self::Obi => (
                Notation::Compliance("stretchCompliance"),
                "Obi manual, distance constraints: compliance in m/N",
            ),
            Self::Box2d => (
                Notation::Frequency(frequency::BOX2D),
                "Box2D, b2MakeSoft in src/solver.h; joints at most 0.25/h in src/joint.c",
            ),
            Self::Rapier => (
                Notation::Frequency(frequency::RAPIER),
                "Rapier, SpringCoefficients, normalised by the effective mass",
            ),
            Self::Mujoco => (
                Notation::Solref,
                "MuJoCo, Modeling, Solver parameters: solref; refsafe keeps timeconst ≥ 2 dt",
            ),
            Self::Godot => (
                Notation::Fraction(fraction::GODOT),
                "Godot 4.6, modules/jolt_physics/objects/jolt_soft_body_3d.cpp: α = h²(1/κ − 1)(w₁ + w₂)",
            ),
            Self::Pbd => (
                Notation::Fraction(fraction::PBD),
                "Müller et al. 2007, Position Based Dynamics, 3.3: 1 − (1 − κ)ⁿ",
            ),
            Self::Unreal => (
                Notation::Fraction(fraction::UNREAL),
                "Unreal, Chaos/PBDStiffness.h: ParameterFrequency = 120 Hz",
            ),
        }
    }

    /// True if the second parameter of the language is a damping ratio; false if it is a damping in
    /// N·s/m.
    pub fn takes_damping_ratio(self) -> bool {
        matches!(self, Self::Box2d | Self::Rapier | Self::Mujoco)
    }

    /// True if the engine limits its first parameter to a maximum that depends on the step.
    pub fn limits_first_number(self) -> bool {
        self == Self::Box2d
    }

    /// Returns the values to type into the engine for this link.
    pub fn write(self, link: &SoftLink, steps: &SolverSteps) -> EngineStiffness {
        let (notation, source) = self.notation();
        let number = |name, value, unit| Parameter { name, value, unit };
        let engine_stiffness = match notation {
            Notation::PerMetre([stiffness, damping]) => {
                let stiffness = number(stiffness, link.stiffness, "N/m");
                let damping = number(damping, link.damping, "N·s/m");
                EngineStiffness::of(link, "k", vec![stiffness, damping])
            }
            Notation::Material => {
                let value = link.stiffness * link.length;
                let stiffness = number("stiffness of a rope material", value, "N");
                EngineStiffness::of(link, "E·A = k L", vec![stiffness])
            }
            Notation::Compliance(name) => {
                let compliance = number(name, 1.0 / link.stiffness, "m/N");
                EngineStiffness::of(link, "α = 1/k", vec![compliance])
            }
            Notation::Frequency(engine) => engine.write(link, steps),
            Notation::Fraction(engine) => engine.write(link, steps),
            Notation::Solref => frequency::write_solref(link, steps),
        };
        EngineStiffness { language: self.name(), source, ..engine_stiffness }
    }

    /// Returns a clause with the value to which the engine limits its first parameter; `None` if
    /// the engine permits `value`.
    pub fn limit_in_words(self, value: f64, steps: &SolverSteps) -> Option<String> {
        match self.notation().0 {
            Notation::Frequency(engine) => engine.limit_in_words(value, steps),
            _ => None,
        }
    }

    /// Returns the link that an engine's parameters describe, with the masses and the length of
    /// `link`. `second` is a damping ratio or a damping in N·s/m; `None` stands for 0.
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
        // A negative first parameter belongs to MuJoCo's direct form.
        let is_direct = self == Self::Mujoco && value < 0.0;
        let is_good = value.is_finite() && (value > 0.0 || is_direct);
        expect(name, value, is_good, "a number above 0")?;
        let second = second.unwrap_or(0.0);
        let is_damping = second.is_finite() && second >= 0.0;
        let name_of_second = if self.takes_damping_ratio() { "damping ratio" } else { "damping" };
        expect(name_of_second, second, is_damping, "a number of 0 or more")?;
        let damped = |stiffness| SoftLink { stiffness, damping: second, ..*link };
        Ok(match self.notation().0 {
            Notation::PerMetre(_) => damped(value),
            Notation::Material => damped(value / link.length),
            Notation::Compliance(_) => damped(1.0 / value),
            Notation::Frequency(engine) => engine.read(link, steps, [value, second]),
            Notation::Solref if is_direct => frequency::read_direct_solref(link, [value, second]),
            Notation::Solref => {
                let expected = "a damping ratio above 0 together with a time constant; for a \
                                link without damping, minus the stiffness instead of the time \
                                constant";
                expect("dampratio", second, second > 0.0, expected)?;
                frequency::read_solref(link, steps, [value, second])
            }
            Notation::Fraction(engine) => {
                let expected = "a number between 0 and 1; at 1 the link is rigid (a material with \
                                `rigid: true`)";
                expect(name, value, value < 1.0, expected)?;
                engine.read(link, steps, value)
            }
        })
    }
}
