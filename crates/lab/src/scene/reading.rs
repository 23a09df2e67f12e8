//! A number read off a particle or a collider, beside what its closed form says.

use super::file::Particles;
use super::located::Located;
use super::number::{Finite, Point, Positive};
use crate::numerics::state::State;
use crate::simulation::Simulation;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A measured value and the value of a formula, in each lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "reading", deny_unknown_fields)]
pub struct ReadingFile {
    /// The particle; not needed for values of a collider.
    #[serde(default = "first")]
    pub of: Located<Particles>,
    /// Name.
    pub name: String,
    /// What is measured.
    pub measure: Located<Measure>,
    /// Unit of both values.
    pub unit: String,
    /// The formula as text.
    pub formula: String,
    /// Value of the formula.
    pub value: Located<ClosedForm>,
}

fn first() -> Located<Particles> {
    Located::new(Particles::Particle(0))
}

/// A measured value. Directions may have any length; colliders are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "measure", deny_unknown_fields)]
pub enum Measure {
    /// Displacement of the particle in metres, times a factor.
    Way {
        /// Direction.
        along: Point,
        /// Factor, 1 by default. With a spring's stiffness in N/m the value is its force.
        #[serde(default = "one")]
        factor: Finite,
    },
    /// Distance of the particle from a place, in metres.
    Place {
        /// The place, in metres.
        from: Point,
        /// Direction.
        along: Point,
    },
    /// Mean acceleration since the start in m/s²: velocity over time.
    Acceleration {
        /// Direction.
        along: Point,
    },
    /// Torque on a collider about its centre in N·m, from everything that touches it.
    Torque {
        /// Number of the collider.
        collider: u32,
        /// Direction of the axis.
        about: Point,
    },
    /// Ratio of the tensions on both sides of a drum with half a turn of rope: (F r + M)/(F r − M),
    /// with force F and torque M on the drum.
    TensionRatio {
        /// Number of the collider.
        collider: u32,
        /// Direction of the axis.
        about: Point,
        /// Radius r in metres.
        radius: Positive,
    },
}

fn one() -> Finite {
    Finite::checked(1.0)
}

/// A closed form as a function of the lane's time t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "value", deny_unknown_fields)]
pub enum ClosedForm {
    /// A constant value.
    Constant(Finite),
    /// a (cosh ω t − 1): displacement of a body that starts at rest and is driven by its distance
    /// from a place, a at the start.
    Cosh {
        /// a, in the unit of the reading.
        start: Finite,
        /// ω in 1/s.
        rate: Finite,
    },
    /// Force on a collider in newtons, times a factor. M = F r tanh(μ π/2) is the greatest torque
    /// of a belt with half a turn on a drum.
    Load {
        /// Number of the collider.
        collider: u32,
        /// Factor; in metres for a torque.
        factor: Finite,
    },
}

impl Measure {
    /// The collider that it is read off.
    pub(super) fn collider(&self) -> Option<u32> {
        match self {
            Self::Way { .. } | Self::Place { .. } | Self::Acceleration { .. } => None,
            Self::Torque { collider, .. } | Self::TensionRatio { collider, .. } => Some(*collider),
        }
    }
}

impl ClosedForm {
    /// The collider that it asks.
    pub(super) fn collider(&self) -> Option<u32> {
        match self {
            Self::Constant(_) | Self::Cosh { .. } => None,
            Self::Load { collider, .. } => Some(*collider),
        }
    }
}

/// Checked [`ReadingFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Off which particle.
    pub of: u32,
    /// What it is called.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// Unit of both values.
    pub unit: String,
    /// The formula in words or signs.
    pub formula: String,
    /// What it says.
    pub value: ClosedForm,
}

impl Reading {
    /// The measured value and the formula's in a lane of the scene that it belongs to.
    pub fn values(&self, lane: &Simulation) -> [f64; 2] {
        let (i, State { t, x, v }) = (self.of as usize, lane.state());
        let unit = |along: Point| DVec3::from(along).normalize_or_zero();
        let measured = match self.measure {
            Measure::Way { along, factor } => {
                let start = lane.parts().mesh.positions[i];
                f64::from(factor) * (x[i] - start).dot(unit(along))
            }
            Measure::Place { from, along } => (x[i] - DVec3::from(from)).dot(unit(along)),
            Measure::Acceleration { along } => v[i].dot(unit(along)) / t,
            Measure::Torque { collider, about } => {
                lane.load_on_collider(collider).torque.dot(unit(about))
            }
            Measure::TensionRatio { collider, about, radius } => {
                let load = lane.load_on_collider(collider);
                let sum = load.force.length() * f64::from(radius);
                let torque = load.torque.dot(unit(about));
                (sum + torque) / (sum - torque)
            }
        };
        let said = match self.value {
            ClosedForm::Constant(value) => value.into(),
            ClosedForm::Cosh { start, rate } => {
                f64::from(start) * ((f64::from(rate) * t).cosh() - 1.0)
            }
            ClosedForm::Load { collider, factor } => {
                f64::from(factor) * lane.load_on_collider(collider).force.length()
            }
        };
        [measured, said]
    }

    /// Both values in words, on two lines; before anything moved, and where a value is no number, a dash.
    pub fn lines(&self, lane: &Simulation) -> String {
        let [measured, said] = self.values(lane).map(|value| {
            let is_known = lane.state().t > 0.0 && value.is_finite();
            if is_known { format!("{value:.3}") } else { "–".to_owned() }
        });
        let Self { name, unit, formula, .. } = self;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        format!("{name}: measured {measured}{unit}\n{formula} = {said}{unit}")
    }
}
