//! Readings: values measured in a lane, with the prediction of a formula.

use super::located::Located;
use super::number::{Finite, Point, Positive};
use super::particles::Particles;
use glam::DVec3;
use ropelab_core::numerics::state::State;
use ropelab_core::quantity::in_words::{LEAST_FACTOR, moment_in_words, percent_to};
use ropelab_core::simulation::Simulation;
use serde::{Deserialize, Serialize};

/// A measured value and the prediction of a formula, shown in each lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "reading", deny_unknown_fields)]
pub struct ReadingFile {
    /// The particle, 0 by default; ignored by measures of all links or of a collider.
    #[serde(default = "first")]
    pub of: Located<Particles>,
    /// Text before the number.
    pub name: String,
    /// Measured quantity.
    pub measure: Located<Measure>,
    /// Unit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Formula, shown before its value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub formula: String,
    /// Prediction, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Located<ClosedForm>>,
    /// Name of the only lane that shows the reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<Located<String>>,
}

fn first() -> Located<Particles> {
    Located::new(Particles::Particle(0))
}

/// A measured value. Directions may have any length. Collider indices start at 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "measure", deny_unknown_fields)]
pub enum Measure {
    /// Displacement from the initial position along a direction, in metres, times `factor`.
    Way {
        /// Direction of the measured displacement.
        along: Point,
        /// Factor, 1 by default. For example, a spring's stiffness in N/m gives its force in
        /// newtons.
        #[serde(default = "one")]
        factor: Finite,
    },
    /// Distance from a point along a direction, in metres.
    Place {
        /// Origin of the measured distance, in metres.
        from: Point,
        /// Direction of the measured distance.
        along: Point,
    },
    /// Greatest height above a point in free flight, in metres: s + v²/(2g).
    Apex {
        /// Base of the measured height, in metres.
        from: Point,
    },
    /// Speed of the particle in m/s.
    Speed,
    /// Amplitude of the oscillation about a point, in metres: √(x² + (v/ω)²).
    Amplitude {
        /// Centre of the oscillation, in metres.
        from: Point,
        /// Direction of the oscillation.
        along: Point,
        /// Angular frequency ω in rad/s.
        rate: Positive,
    },
    /// Mean strain of all links in per cent.
    MeanStretch,
    /// Largest strain of any link in per cent.
    GreatestStretch,
    /// Largest strain so far in per cent, over the time that plots cover.
    PeakStretch,
    /// Ratio of simulated to real time.
    Pace,
    /// Energy that the integrator made, in per cent of the largest kinetic + elastic energy so far.
    EnergyMade,
    /// Mean acceleration since the start in m/s²: velocity along a direction / time.
    Acceleration {
        /// Direction of the measured acceleration.
        along: Point,
    },
    /// Torque on a collider about an axis through its centre, in N·m.
    Torque {
        /// Index of the collider.
        collider: u32,
        /// Direction of the axis.
        about: Point,
    },
    /// Ratio of the tensions at the ends of half a turn of rope around a drum: (F r + M)/(F r − M),
    /// with force F and torque M on the drum.
    TensionRatio {
        /// Index of the collider.
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

/// Prediction of a reading as a closed form of the lane's time t.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "value", deny_unknown_fields)]
pub enum ClosedForm {
    /// A constant value.
    Constant(Finite),
    /// v t + a t²/2.
    Fall {
        /// Initial velocity v, in the reading's unit per second.
        #[serde(default)]
        velocity: Finite,
        /// Acceleration a, in the reading's unit per second squared.
        acceleration: Finite,
    },
    /// Damped amplitude: a e^(−c t).
    Decay {
        /// Initial amplitude a, in the reading's unit.
        start: Finite,
        /// Decay rate c in 1/s.
        rate: Finite,
    },
    /// Motion from rest with an acceleration proportional to the distance from a point: a (cosh ω t
    /// − 1).
    Cosh {
        /// Initial distance a, in the reading's unit.
        start: Finite,
        /// Growth rate ω in 1/s.
        rate: Finite,
    },
    /// Force F on a collider in newtons times a factor. Example: F r tanh(μ π/2), the largest
    /// torque of a belt.
    Load {
        /// Index of the collider.
        collider: u32,
        /// Factor; in metres if the reading is a torque.
        factor: Finite,
    },
}

/// Whether the readings of a scene are still valid, since the user may have changed scene values,
/// e.g. gravity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validity {
    /// All scene values equal those of the scene file, so all readings are valid.
    #[default]
    Full,
    /// The user has changed a value, so closed forms are invalid.
    OtherNumbers,
    /// The user has changed the number of segments or cells. Closed forms are invalid, and the
    /// particles of readings are at other positions in their bodies.
    OtherParticles,
}

impl Measure {
    fn is_of_particle(&self) -> bool {
        use Measure::{Acceleration, Amplitude, Apex, Place, Speed, Way};
        matches!(
            self,
            Way { .. }
                | Place { .. }
                | Apex { .. }
                | Speed
                | Amplitude { .. }
                | Acceleration { .. }
        )
    }

    /// Returns the measured collider; `None` for other measures.
    pub(crate) fn collider(&self) -> Option<u32> {
        match self {
            Self::Torque { collider, .. } | Self::TensionRatio { collider, .. } => Some(*collider),
            _ => None,
        }
    }
}

impl ClosedForm {
    /// Returns the collider on whose load the closed form depends; `None` for functions of time.
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
    /// Name of the value.
    pub name: String,
    /// Measured quantity.
    pub measure: Measure,
    /// Unit.
    pub unit: String,
    /// Formula as text.
    pub formula: String,
    /// Closed form that computes the prediction; `None` if only the measured value is shown.
    pub value: Option<ClosedForm>,
    /// Name of the only lane that shows the reading; `None` = every lane.
    pub lane: Option<String>,
}

impl Reading {
    /// True if the lane with this name shows the reading.
    pub fn is_shown_in(&self, lane: &str) -> bool {
        self.lane.as_ref().is_none_or(|only| only == lane)
    }

    /// True if the prediction describes the motion since the start. It then becomes invalid when
    /// the user moves a body. Other predictions describe a state of rest, to which a body returns.
    pub fn is_of_motion(&self) -> bool {
        use ClosedForm::{Cosh, Decay, Fall};
        use Measure::{Acceleration, Amplitude, Apex};
        matches!(self.value, Some(Cosh { .. } | Decay { .. } | Fall { .. }))
            || matches!(self.measure, Acceleration { .. } | Amplitude { .. } | Apex { .. })
    }

    /// Returns the measured value and the prediction for a lane (one simulation of the scene). The
    /// prediction is NaN if there is no formula.
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
            Measure::EnergyMade => lane
                .energy_account()
                .map_or(f64::NAN, |account| 100.0 * account.energy_made_fraction()),
            Measure::Pace => lane.time_account().simulated / lane.time_account().wall,
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
        let predicted = match self.value {
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
        [measured, predicted]
    }

    /// Returns the text of the reading: a line with the measured value and, if there is a valid
    /// formula, a line with the prediction. A dash replaces loads on colliders before the first
    /// step, and values that are infinite, NaN or invalid.
    pub fn lines(&self, lane: &Simulation, valid: Validity) -> String {
        let [measured, predicted] = self.values(lane);
        let is_invalid = valid == Validity::OtherParticles && self.measure.is_of_particle();
        let has_stepped = lane.state().t > 0.0;
        let is_known = [
            !is_invalid && (has_stepped || self.measure.collider().is_none()),
            has_stepped || self.value.is_none_or(|value| value.collider().is_none()),
        ];
        let Self { name, unit, formula, .. } = self;
        let text = |value: f64, is_known: bool| match is_known && value.is_finite() {
            true => format_value(value, unit),
            false => format!("– {unit}").trim_end().to_owned(),
        };
        let (measured, predicted) = (text(measured, is_known[0]), text(predicted, is_known[1]));
        let since = match (self.measure, lane.energy_account().map(|account| account.since())) {
            (Measure::EnergyMade, Some(since)) if since > 0.0 => {
                format!(" since {}", moment_in_words(since))
            }
            _ => String::new(),
        };
        let measured = format!("{name}{since}: measured {measured}");
        match self.value {
            Some(_) if valid == Validity::Full => {
                format!("{measured}\n{formula} = {predicted}")
            }
            Some(_) | None => measured,
        }
    }
}

/// Formats a value with three decimals and its unit. A value that rounds to 0 has no sign.
/// Percentages from 1000 % are written as factors.
fn format_value(value: f64, unit: &str) -> String {
    if unit == "%" && value.abs() >= 100.0 * LEAST_FACTOR {
        return percent_to(value / 100.0, 3);
    }
    let text = format!("{value:.3}");
    let text = if text == "-0.000" { "0.000".to_owned() } else { text };
    format!("{text} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_rounded_to_0_has_no_sign() {
        let shown = [-0.0004, -0.0006, 0.0, 1.25].map(|value| format_value(value, ""));
        assert_eq!(shown, ["0.000", "-0.001", "0.000", "1.250"]);
        let shares = [999.0, 1234.0, -5678.9].map(|value| format_value(value, "%"));
        assert_eq!(shares, ["999.000 %", "12.3 times", "-56.8 times"]);
    }
}
