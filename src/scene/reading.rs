//! A number read off one particle, beside what its closed form says.

use super::file::Particles;
use super::located::Located;
use super::number::{Finite, Point};
use crate::numerics::state::State;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A measured value and the one that a formula gives, in each lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "reading", deny_unknown_fields)]
pub struct ReadingFile {
    /// Off which particle.
    pub of: Located<Particles>,
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

/// What is measured. Of directions the length does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "measure", deny_unknown_fields)]
pub enum Measure {
    /// How far it has moved, in metres, times a factor.
    Way {
        /// Along which direction.
        along: Point,
        /// A spring's stiffness in N/m makes its force of it. Without it, 1.
        #[serde(default = "one")]
        factor: Finite,
    },
    /// Its mean acceleration since the start, in m/s²: its speed over the time.
    Acceleration {
        /// Along which direction.
        along: Point,
    },
}

fn one() -> Finite {
    Finite::checked(1.0)
}

/// A closed form as a function of the lane's time t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "value", deny_unknown_fields)]
pub enum ClosedForm {
    /// The same at all times.
    Constant(Finite),
    /// a (cosh ω t − 1): the way of what starts at rest and is driven by its distance from a
    /// place, a at the start.
    Cosh {
        /// a, in the unit of the reading.
        start: Finite,
        /// ω in 1/s.
        rate: Finite,
    },
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
    /// The measured value and the formula's. `start` is where the particle was at t = 0, in metres.
    pub fn values(&self, start: DVec3, state: &State) -> [f64; 2] {
        let i = self.of as usize;
        let (x, v, t) = (state.x[i], state.v[i], state.t);
        let unit = |along: Point| DVec3::from(along).normalize_or_zero();
        let measured = match self.measure {
            Measure::Way { along, factor } => f64::from(factor) * (x - start).dot(unit(along)),
            Measure::Acceleration { along } => v.dot(unit(along)) / t,
        };
        let said = match self.value {
            ClosedForm::Constant(value) => value.into(),
            ClosedForm::Cosh { start, rate } => {
                f64::from(start) * ((f64::from(rate) * t).cosh() - 1.0)
            }
        };
        [measured, said]
    }

    /// Both values in words, on two lines; before anything moved, and where a value is no number, a dash.
    pub fn lines(&self, start: DVec3, state: &State) -> String {
        let [measured, said] = self.values(start, state).map(|value| {
            let is_known = state.t > 0.0 && value.is_finite();
            if is_known { format!("{value:.3}") } else { "–".to_owned() }
        });
        let Self { name, unit, formula, .. } = self;
        format!("{name}: measured {measured} {unit}\n{formula} = {said} {unit}")
    }
}
