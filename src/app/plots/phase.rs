//! Phase portraits: one quantity of a lane plotted against another, without a time axis.

use crate::app::charts::over_time::{LONGEST_AXIS, newest};
use crate::app::charts::{LiveChart, LiveChartAxis, lane_curve};
use crate::export::chart::{Curve, CurveStyle};
use crate::measure::{Moment, Sample};
use crate::session::Lane;
use glam::DVec3;
use std::f64::consts::PI;

/// Largest number of points per curve.
const MOST_POINTS: usize = 1500;

pub const TIP: &str = "Path of every lane over the last seconds; a dot marks the newest state. x, \
    y, z, velocities and angle belong to the picked particle (click one to pick it). The angle is \
    measured at the first pin, from straight down, seen along z.";
/// Indices in [`COORDINATES`] of the quantities shown at first: x, and velocity along x.
pub const FIRST_AXES: [usize; 2] = [0, 3];

pub struct Coordinate {
    pub name: &'static str,
    unit: &'static str,
    // Computes the quantity.
    of: CoordinateValue,
}

enum CoordinateValue {
    /// Value from the motion of the picked particle and the position of a pin.
    Motion(fn(&Moment, DVec3) -> f64),
    /// Angle in degrees, computed from the same arguments, with jumps of 360° removed.
    Turn(fn(&Moment, DVec3) -> f64),
    /// Value from a sample of the whole lane.
    Lane(fn(&Sample) -> f64),
}

pub const COORDINATES: [Coordinate; 15] = {
    const fn motion(
        name: &'static str,
        unit: &'static str,
        of: fn(&Moment, DVec3) -> f64,
    ) -> Coordinate {
        Coordinate { name, unit, of: CoordinateValue::Motion(of) }
    }
    const fn lane(name: &'static str, unit: &'static str, of: fn(&Sample) -> f64) -> Coordinate {
        Coordinate { name, unit, of: CoordinateValue::Lane(of) }
    }
    [
        motion("x", "m", |m, _| m.x.x),
        motion("y", "m", |m, _| m.x.y),
        motion("z", "m", |m, _| m.x.z),
        motion("velocity x", "m/s", |m, _| m.v.x),
        motion("velocity y", "m/s", |m, _| m.v.y),
        motion("velocity z", "m/s", |m, _| m.v.z),
        motion("speed", "m/s", |m, _| m.v.length()),
        Coordinate { name: "angle", unit: "°", of: CoordinateValue::Turn(angle) },
        motion("turning rate", "rad/s", turning_rate),
        lane("total energy", "J", |s| s.energy.total()),
        lane("kinetic energy", "J", |s| s.energy.kinetic),
        lane("potential energy", "J", |s| s.energy.potential),
        lane("elastic energy", "J", |s| s.energy.elastic),
        lane("greatest stretch", "%", |s| 100.0 * s.stretch.max),
        lane("least stretch", "%", |s| 100.0 * s.stretch.min),
    ]
};

/// Returns the angle from the vertical below the pin, seen along z, in degrees.
fn angle(moment: &Moment, pin: DVec3) -> f64 {
    let arm = moment.x - pin;
    arm.x.atan2(-arm.y) * 180.0 / PI
}

/// Returns the rate of the angle in rad/s, (r × v)_z / r², where r is the vector from the pin
/// projected onto the plane.
fn turning_rate(moment: &Moment, pin: DVec3) -> f64 {
    let arm = moment.x - pin;
    (arm.x * moment.v.y - arm.y * moment.v.x) / arm.truncate().length_squared()
}

pub fn portrait(lanes: &[&Lane], across: &Coordinate, up: &Coordinate) -> LiveChart {
    let start = newest(lanes) - LONGEST_AXIS;
    let curve = |lane: &&Lane| {
        let parts = lane.simulation.parts();
        let pin = parts.pins.first().map(|pin| parts.mesh.positions[pin.particle as usize]);
        let points = path(lane, start, pin.unwrap_or(DVec3::ZERO), [across, up]);
        let exploded = lane.simulation.explosion().map(|explosion| explosion.t);
        Curve { exploded, ..lane_curve(&lane.name, lane.color, points) }
    };
    let dot = |curve: &Curve<'static>| {
        let newest: Vec<_> = curve.points.last().copied().into_iter().collect();
        let dot = Curve::new("", newest, CurveStyle::Dots, curve.colour);
        Curve { width: curve.width, exploded: curve.exploded, ..dot }
    };
    let particle = lanes.iter().find_map(|lane| lane.simulation.motion());
    let label = |coordinate: &Coordinate| match (&coordinate.of, particle) {
        (CoordinateValue::Motion(_) | CoordinateValue::Turn(_), Some(motion)) => {
            format!("{} of particle {}", coordinate.name, motion.particle())
        }
        _ => coordinate.name.to_owned(),
    };
    let axis = |it: &Coordinate| LiveChartAxis::new(&label(it), it.unit);
    let (x, y) = (axis(across), axis(up));
    let mut curves: Vec<Curve> = lanes.iter().map(curve).collect();
    curves.extend(curves.iter().map(dot).collect::<Vec<_>>());
    LiveChart { name: "Phase portrait", x, y, curves, marks: Vec::new(), function: false }
}

/// Returns the points of one lane: one per step if both quantities belong to the picked particle,
/// otherwise one per frame.
fn path(lane: &Lane, start: f64, pin: DVec3, axes: [&Coordinate; 2]) -> Vec<[f64; 2]> {
    let Some(motion) = lane.simulation.motion() else { return Vec::new() };
    let is_of_lane = |axis: &&Coordinate| matches!(axis.of, CoordinateValue::Lane(_));
    let mut points: Vec<[f64; 2]> = if axes.iter().any(is_of_lane) {
        let samples = lane.simulation.record().iter().filter(|sample| sample.t >= start);
        let nothing = Moment { t: 0.0, x: DVec3::NAN, v: DVec3::NAN };
        let point = |sample: &Sample| {
            // A sample is taken at the end of a step. `motion.at` returns that step only for a time
            // slightly before the sample's time.
            let moment = motion.at(sample.t * (1.0 - 1e-12)).unwrap_or(&nothing);
            axes.map(|axis| axis.value(moment, Some(sample), pin))
        };
        samples.map(point).collect()
    } else {
        let moments = motion.iter().rev().take_while(|moment| moment.t >= start);
        let stride = moments.clone().count().div_ceil(MOST_POINTS).max(1);
        let mut points: Vec<_> = moments
            .step_by(stride)
            .map(|moment| axes.map(|axis| axis.value(moment, None, pin)))
            .collect();
        points.reverse();
        points
    };
    points.retain(|point| point.iter().all(|value| value.is_finite()));
    for (k, axis) in axes.into_iter().enumerate() {
        if matches!(axis.of, CoordinateValue::Turn(_)) {
            unwind(&mut points, k);
        }
    }
    points
}

impl Coordinate {
    fn value(&self, moment: &Moment, sample: Option<&Sample>, pin: DVec3) -> f64 {
        match self.of {
            CoordinateValue::Motion(of) | CoordinateValue::Turn(of) => of(moment, pin),
            CoordinateValue::Lane(of) => sample.map_or(f64::NAN, of),
        }
    }
}

/// Removes jumps of an angle by multiples of 360°.
fn unwind(points: &mut [[f64; 2]], axis: usize) {
    let mut turns = 0.0;
    for i in 1..points.len() {
        let jump = points[i][axis] + turns - points[i - 1][axis];
        turns -= 360.0 * (jump / 360.0).round();
        points[i][axis] += turns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::session_of;

    #[test]
    fn an_angle_goes_on_beyond_a_turn() {
        let degrees = |i: i32| f64::from(i) * 50.0;
        let wrapped = |a: f64| a - 360.0 * (a / 360.0).round();
        let mut points: Vec<[f64; 2]> =
            (0..40).map(|i| [wrapped(degrees(i)), wrapped(-degrees(i))]).collect();
        unwind(&mut points, 0);
        unwind(&mut points, 1);
        for (i, point) in (0..).zip(&points) {
            assert!((point[0] - degrees(i)).abs() < 1e-9 && (point[1] + degrees(i)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_pendulum_draws_the_curve_of_its_energy_and_every_pair_can_be_drawn() {
        let text = r#"(version: 1, name: "pendulum", particles: [(name: "pivot", at: (0, 1, 0)),
            (name: "bob", at: (1, 1, 0))], pins: [(of: Body("pivot"))], forces: [(law: Gravity())],
            links: [(a: Body("pivot"), b: Body("bob"), stiffness: 1e6)],
            settings: (integrator: Rk4, dt: 0.0005))"#;
        let mut session = session_of(text);
        session.watch(Some(1));
        (0..120).for_each(|_| drop(session.advance(1.0 / 60.0, &|| 0.0)));
        let lanes: Vec<&Lane> = session.lanes().iter().collect();
        let of = |name: &str| COORDINATES.iter().find(|c| c.name == name).unwrap();
        let chart = portrait(&lanes, of("angle"), of("turning rate"));
        let points = &chart.curves[0].points;
        assert!(points.len() > 500, "{}", points.len());
        for [angle, rate] in points.iter() {
            // By conservation of energy, a pendulum of length l = 1 m that starts at rest at 90°
            // has ½ θ'² = (g/l) cos θ at angle θ. Its stiff rod stretches by 3e-5.
            let energy = 0.5 * rate * rate - 9.81 * angle.to_radians().cos();
            assert!(energy.abs() < 0.05, "{angle} {rate} {energy}");
        }
        for across in &COORDINATES {
            for up in &COORDINATES {
                let chart = portrait(&lanes, across, up);
                assert!(chart.curves[0].points.len() > 50, "{} {}", across.name, up.name);
            }
        }
    }
}
