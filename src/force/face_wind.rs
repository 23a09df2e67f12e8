//! Wind on the faces of cloths.

use super::{ForceLaw, Gust, Kinematics, check};
use glam::{DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// Drag and lift of every triangle as a flat plate, a third to each corner.
///
/// With the velocity u of the air relative to the face, its unit normal n (either one: the
/// formulas are even in it) and area A, θ the angle between u and n:
///
/// ```text
/// drag = ½ρ C_D A |u·n| u                              along the wind, ∝ |cos θ|
/// lift = ½ρ C_L A ((u·n)|u| n − (u·n)²/|u| u)          across it, ∝ sin θ cos θ
/// ```
///
/// Face forces after Wejchert and Haumann (1991), "Animation aerodynamics". Wilson, Salazar and
/// Marsh (2014), "Simulating wind effects on cloth and hair in Disney's Frozen", let lift act
/// along n with |u|²; that force jumps when the wind passes from one side to the other, and this
/// one does not.
///
/// The Jacobian-vector product is exact and not symmetric: a solver that needs symmetry sees
/// some asymmetry in strong wind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaceWind {
    /// Mean velocity of the air in m/s.
    pub velocity: DVec3,
    /// Density of the air in kg/m³, at least 0.
    pub air_density: f64,
    /// Drag coefficient C_D without unit, at least 0.
    pub drag: f64,
    /// Lift coefficient C_L without unit, at least 0.
    pub lift: f64,
    /// Swelling and fading, a factor on the velocity.
    pub gust: Gust,
}

impl Default for FaceWind {
    /// A steady breeze of 5 m/s along x, air at 15 °C and sea level, a flat plate.
    fn default() -> Self {
        Self {
            velocity: dvec3(5.0, 0.0, 0.0),
            air_density: 1.225,
            drag: 1.2,
            lift: 0.6,
            gust: Gust::Constant,
        }
    }
}

/// A face in the wind.
struct Plate {
    corners: [usize; 3],
    /// Velocity of the air relative to the face in m/s.
    u: DVec3,
    /// Area times normal in m².
    s: DVec3,
}

impl FaceWind {
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { velocity, air_density, drag, lift, gust } = self;
        check::finite_vector("velocity of face wind", *velocity)?;
        check::not_negative("air_density of face wind", *air_density)?;
        check::not_negative("drag of face wind", *drag)?;
        check::not_negative("lift of face wind", *lift)?;
        gust.check()
    }

    /// Shows the faces that have all corners among the targets.
    fn for_each_plate(&self, at: &Kinematics, mut see: impl FnMut(Plate)) {
        let air = self.velocity * self.gust.factor(at.t);
        at.faces.for_each(|face| {
            let corners = face.map(|i| i as usize);
            if corners.iter().all(|&i| at.targets.contains(i)) {
                let [a, b, c] = corners;
                let v = (at.v[a] + at.v[b] + at.v[c]) / 3.0;
                let s = 0.5 * (at.x[b] - at.x[a]).cross(at.x[c] - at.x[a]);
                see(Plate { corners, u: air - v, s });
            }
        });
    }

    /// The force on a face in newtons.
    fn force(&self, plate: &Plate) -> DVec3 {
        let Plate { corners: _, u, s } = *plate;
        let (Some(n), speed) = (s.try_normalize(), u.length()) else { return DVec3::ZERO };
        if speed == 0.0 {
            return DVec3::ZERO;
        }
        let (flow, across) = (u.dot(s), u.dot(n));
        let drag = self.drag * flow.abs() * u;
        let lift = self.lift * (flow * speed * n - flow * across / speed * u);
        0.5 * self.air_density * (drag + lift)
    }

    /// The change of that force when u changes by `du` and s by `ds`: the product rule, term by
    /// term.
    fn force_change(&self, plate: &Plate, du: DVec3, ds: DVec3) -> DVec3 {
        let Plate { corners: _, u, s } = *plate;
        let (Some(n), speed) = (s.try_normalize(), u.length()) else { return DVec3::ZERO };
        if speed == 0.0 {
            return DVec3::ZERO;
        }
        let dn = (ds - n * n.dot(ds)) / s.length();
        let dspeed = u.dot(du) / speed;
        let (flow, across) = (u.dot(s), u.dot(n));
        let dflow = du.dot(s) + u.dot(ds);
        let dacross = du.dot(n) + u.dot(dn);
        let ratio = flow * across / speed;
        let dratio = (dflow * across + flow * dacross - ratio * dspeed) / speed;
        let ddrag = flow.signum() * dflow * u + flow.abs() * du;
        let dlift =
            (dflow * speed + flow * dspeed) * n + flow * speed * dn - (dratio * u + ratio * du);
        0.5 * self.air_density * (self.drag * ddrag + self.lift * dlift)
    }
}

impl ForceLaw for FaceWind {
    fn name(&self) -> &'static str {
        "face-wind"
    }

    fn title(&self) -> &'static str {
        "wind on the faces of cloths: constant, gusts or a sine"
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        self.for_each_plate(at, |plate| {
            let third = self.force(&plate) / 3.0;
            for i in plate.corners {
                f[i] += third;
            }
        });
    }

    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        self.for_each_plate(at, |plate| {
            let [a, b, c] = plate.corners;
            let du = -(dv[a] + dv[b] + dv[c]) / 3.0;
            let (ab, ac) = (at.x[b] - at.x[a], at.x[c] - at.x[a]);
            let (dab, dac) = (dx[b] - dx[a], dx[c] - dx[a]);
            let ds = 0.5 * (dab.cross(ac) + ab.cross(dac));
            let third = self.force_change(&plate, du, ds) / 3.0;
            for i in plate.corners {
                df[i] += third;
            }
        });
    }

    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
