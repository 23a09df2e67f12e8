//! Number read off a particle or a collider, beside the value of its closed form.

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
    /// The only lane that shows it, by name.
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
    /// Mean stretch of all links in per cent.
    MeanStretch,
    /// Greatest stretch of a link in per cent.
    GreatestStretch,
    /// Greatest stretch of a link so far, in per cent, as far back as plots reach.
    PeakStretch,
    /// Simulated time over real time.
    Pace,
    /// Energy that the scheme made, in per cent of the greatest kinetic + elastic energy in the
    /// books; negative if it lost.
    EnergyMade,
    /// Mean acceleration since the start in m/s²: velocity over time.
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
        /// v at the start, in the unit of the reading a second.
        #[serde(default)]
        velocity: Finite,
        /// a, in the unit of the reading a second squared.
        acceleration: Finite,
    },
    /// a e^(−c t): amplitude of a damped swing.
    Decay {
        /// a, in the unit of the reading.
        start: Finite,
        /// c in 1/s.
        rate: Finite,
    },
    /// a (cosh ω t − 1): displacement of a body that starts at rest, driven by its distance from a
    /// place.
    Cosh {
        /// a, in the unit of the reading.
        start: Finite,
        /// ω in 1/s.
        rate: Finite,
    },
    /// Force on a collider in newtons times a factor, as F r tanh(μ π/2): the greatest torque of a
    /// belt on a drum.
    Load {
        /// Number of the collider.
        collider: u32,
        /// Factor; in metres for a torque.
        factor: Finite,
    },
}

/// Validity of the readings of a scene whose own numbers may have been replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validity {
    /// The numbers are the scene's own.
    #[default]
    Full,
    /// Other numbers: closed forms are not about them.
    OtherNumbers,
    /// Another number of segments or cells: the particle of a reading has another place in its
    /// body, too.
    OtherParticles,
}

impl Measure {
    /// True if it is read off one particle.
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

    /// The collider that it is read off.
    pub(crate) fn collider(&self) -> Option<u32> {
        match self {
            Self::Torque { collider, .. } | Self::TensionRatio { collider, .. } => Some(*collider),
            _ => None,
        }
    }
}

impl ClosedForm {
    /// Collider of which it is a function.
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
    /// Off which particle.
    pub of: u32,
    /// Name.
    pub name: String,
    /// Measured quantity.
    pub measure: Measure,
    /// Unit of both values.
    pub unit: String,
    /// The formula in words or signs.
    pub formula: String,
    /// Value by a closed form.
    pub value: Option<ClosedForm>,
    /// The only lane that has it, by name.
    pub lane: Option<String>,
}

impl Reading {
    /// True if the lane of that name shows it.
    pub fn is_of(&self, lane: &str) -> bool {
        self.lane.as_ref().is_none_or(|only| only == lane)
    }

    /// The measured value and the formula's in a lane of the scene that it belongs to; without a
    /// formula, that is no number.
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
                lane.books().map_or(f64::NAN, |books| 100.0 * books.scheme_share())
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

    /// Both values in words, on two lines, or on one without a formula; before anything moved, and
    /// where a value is no number or not valid, a dash.
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

/// Value with three decimals; a value that rounds to 0 has no sign.
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
