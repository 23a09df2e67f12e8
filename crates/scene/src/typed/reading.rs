//! Readings: values measured on a particle or a collider, next to the value of a closed form.

use super::located::Located;
use super::number::{Finite, Point, Positive};
use super::particles::Particles;
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
    /// Measured quantity.
    pub measure: Located<Measure>,
    /// Unit of both values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The formula as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub formula: String,
    /// Value of the formula. Without it, only the measured value is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Located<ClosedForm>>,
    /// Name of the only lane that shows the reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<Located<String>>,
}

fn first() -> Located<Particles> {
    Located::new(Particles::Particle(0))
}

/// A measured value. Directions may have any length; colliders are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "measure", deny_unknown_fields)]
pub enum Measure {
    /// Displacement of the particle in metres, multiplied by `factor`.
    Way {
        /// Direction.
        along: Point,
        /// Factor, 1 by default. With a spring's stiffness in N/m, the value is the spring's force.
        #[serde(default = "one")]
        factor: Finite,
    },
    /// Distance of the particle from a place along a direction, in metres.
    Place {
        /// The place, in metres.
        from: Point,
        /// Direction.
        along: Point,
    },
    /// Height above a place in metres that the particle reaches in free flight, s + v²/2g.
    Apex {
        /// The place, in metres.
        from: Point,
    },
    /// Speed of the particle in m/s.
    Speed,
    /// Amplitude in metres of a particle that swings about a place: √(x² + (v/ω)²).
    Amplitude {
        /// The place, in metres.
        from: Point,
        /// Direction.
        along: Point,
        /// ω in 1/s.
        rate: Positive,
    },
    /// Mean strain of all links in per cent.
    MeanStretch,
    /// Largest strain of a link in per cent.
    GreatestStretch,
    /// Largest strain of a link so far in per cent, as far back as plots reach.
    PeakStretch,
    /// Ratio of simulated to real time.
    Pace,
    /// Energy that the integrator added, in per cent of the largest kinetic + elastic energy so
    /// far; negative if it removed energy.
    EnergyMade,
    /// Mean acceleration since the start in m/s²: velocity divided by time.
    Acceleration {
        /// Direction.
        along: Point,
    },
    /// Torque on a collider about its centre in N·m.
    Torque {
        /// Number of the collider.
        collider: u32,
        /// Direction of the axis.
        about: Point,
    },
    /// Ratio of the tensions at a drum with half a turn of rope, (F r + M)/(F r − M) with force F
    /// and torque M on the drum.
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
    /// v t + a t²/2: displacement of a body with constant acceleration.
    Fall {
        /// v at the start, in the reading's unit per second.
        #[serde(default)]
        velocity: Finite,
        /// a, in the reading's unit per second squared.
        acceleration: Finite,
    },
    /// a e^(−c t): amplitude of a damped swing.
    Decay {
        /// a, in the unit of the reading.
        start: Finite,
        /// c in 1/s.
        rate: Finite,
    },
    /// a (cosh ω t − 1): displacement of a body that starts at rest and is driven away in
    /// proportion to its distance from a place.
    Cosh {
        /// a, in the unit of the reading.
        start: Finite,
        /// ω in 1/s.
        rate: Finite,
    },
    /// Force on a collider in newtons times a factor, such as F r tanh(μ π/2), the largest torque
    /// of a belt on a drum.
    Load {
        /// Number of the collider.
        collider: u32,
        /// Factor; in metres for a torque.
        factor: Finite,
    },
}

/// Validity of a scene's readings after its numbers may have been replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validity {
    /// The numbers are those of the scene.
    #[default]
    Full,
    /// Numbers have been replaced, so closed forms are invalid.
    OtherNumbers,
    /// A number of segments or cells has been replaced. Closed forms are invalid, and the particles
    /// of readings have other places in their bodies.
    OtherParticles,
}

impl Measure {
    /// True if the value is measured on a particle.
    fn is_of_particle(&self) -> bool {
        match self {
            Self::Way { .. }
            | Self::Place { .. }
            | Self::Apex { .. }
            | Self::Speed
            | Self::Amplitude { .. }
            | Self::Acceleration { .. } => true,
            Self::MeanStretch
            | Self::GreatestStretch
            | Self::PeakStretch
            | Self::Pace
            | Self::EnergyMade
            | Self::Torque { .. }
            | Self::TensionRatio { .. } => false,
        }
    }

    /// Returns the collider on which the value is measured; `None` if it is not measured on one.
    pub(crate) fn collider(&self) -> Option<u32> {
        match self {
            Self::Torque { collider, .. } | Self::TensionRatio { collider, .. } => Some(*collider),
            _ => None,
        }
    }
}

impl ClosedForm {
    /// Returns the collider whose load is the variable of the closed form; `None` for functions of
    /// time.
    pub(crate) fn collider(&self) -> Option<u32> {
        match self {
            Self::Load { collider, .. } => Some(*collider),
            _ => None,
        }
    }
}

/// Checked [`ReadingFile`].
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Index of the particle.
    pub of: u32,
    /// Name.
    pub name: String,
    /// Measured quantity.
    pub measure: Measure,
    /// Unit of both values.
    pub unit: String,
    /// Formula as text.
    pub formula: String,
    /// Value of the formula as a closed form; `None` if only the measured value is shown.
    pub value: Option<ClosedForm>,
    /// Name of the only lane that shows the reading; `None` = every lane.
    pub lane: Option<String>,
}

impl Reading {
    /// True if the lane with this name shows the reading.
    pub fn is_of(&self, lane: &str) -> bool {
        self.lane.as_ref().is_none_or(|only| only == lane)
    }

    /// Returns the measured value and the value of the formula for a lane; the latter is NaN
    /// without a formula.
    pub fn values(&self, lane: &Simulation) -> [f64; 2] {
        let (i, State { t, x, v }) = (self.of as usize, lane.state());
        let unit = |along: Point| DVec3::from(along).normalize_or_zero();
        let measured = match self.measure {
            Measure::Way { along, factor } => {
                let start = lane.parts().mesh.positions[i];
                f64::from(factor) * (x[i] - start).dot(unit(along))
            }
            Measure::Place { from, along } => (x[i] - DVec3::from(from)).dot(unit(along)),
            Measure::Apex { from } => {
                let gravity = lane.model().gravity();
                let up = -gravity.normalize_or_zero();
                let speed = v[i].dot(up);
                (x[i] - DVec3::from(from)).dot(up) + speed * speed / (2.0 * gravity.length())
            }
            Measure::Speed => v[i].length(),
            Measure::Amplitude { from, along, rate } => {
                let away = (x[i] - DVec3::from(from)).dot(unit(along));
                let speed = v[i].dot(unit(along)) / f64::from(rate);
                (away * away + speed * speed).sqrt()
            }
            Measure::MeanStretch => 100.0 * lane.stretch().mean,
            Measure::GreatestStretch => 100.0 * lane.stretch().max,
            Measure::PeakStretch => {
                let before = lane.record().iter().map(|sample| sample.stretch.max);
                100.0 * before.fold(lane.stretch().max, f64::max)
            }
            Measure::EnergyMade => {
                lane.books().map_or(f64::NAN, |books| 100.0 * books.energy_made_fraction())
            }
            Measure::Pace => lane.ledger().simulated / lane.ledger().wall,
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
            None => f64::NAN,
            Some(ClosedForm::Constant(value)) => value.into(),
            Some(ClosedForm::Fall { velocity, acceleration }) => {
                (f64::from(velocity) + 0.5 * f64::from(acceleration) * t) * t
            }
            Some(ClosedForm::Decay { start, rate }) => {
                f64::from(start) * (-f64::from(rate) * t).exp()
            }
            Some(ClosedForm::Cosh { start, rate }) => {
                f64::from(start) * ((f64::from(rate) * t).cosh() - 1.0)
            }
            Some(ClosedForm::Load { collider, factor }) => {
                f64::from(factor) * lane.load_on_collider(collider).force.length()
            }
        };
        [measured, said]
    }

    /// Returns both values as text on two lines, or only the measured value if there is no formula.
    /// A value before the first step, or one that is not finite or not valid, becomes a dash.
    pub fn lines(&self, lane: &Simulation, valid: Validity) -> String {
        let [measured, said] = self.values(lane);
        let said = if valid == Validity::Full { said } else { f64::NAN };
        let is_lost = valid == Validity::OtherParticles && self.measure.is_of_particle();
        let measured = if is_lost { f64::NAN } else { measured };
        let [measured, said] = [measured, said].map(|value| {
            let is_known = lane.state().t > 0.0 && value.is_finite();
            if is_known { rounded(value) } else { "–".to_owned() }
        });
        let Self { name, unit, formula, .. } = self;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let measured = format!("{name}: measured {measured}{unit}");
        match self.value {
            None => measured,
            Some(_) => format!("{measured}\n{formula} = {said}{unit}"),
        }
    }
}

/// Formats a value with three decimals. A value that is rounded to 0 has no sign.
fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_sign() {
        let shown = [-0.0004, -0.0006, 0.0, 1.25].map(rounded);
        assert_eq!(shown, ["0.000", "-0.001", "0.000", "1.250"]);
    }
}
