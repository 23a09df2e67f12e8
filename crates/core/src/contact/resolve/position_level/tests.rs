//! Tests of contacts at position level: an incline, and a rope round a drum.

use super::*;
use crate::contact::bodies::collider::{Collider, Obstacles, Placed};
use crate::contact::bodies::layer::Layer;
use crate::contact::bodies::properties::{ContactProperties, PointSetup};
use crate::contact::colliders::at_colliders::{find_contacts, stop_at_colliders};
use crate::contact::report::ContactReport;
use crate::contact::resolve::velocity_level::{FreeMotion, Lag, Velocities};
use crate::contact::shape::Cylinder;
use crate::contact::shape::Plane;
use crate::contact::shape::Shape;
use crate::contact::substep::SubstepMotion;
use itertools::izip;

const G: f64 = 9.81;
const MARGIN: f64 = 0.01;

/// Ends a substep of symplectic Euler, whose integrator velocities equal the motion velocities.
fn finish(
    contacts: &mut PositionContacts,
    v: &mut [DVec3],
    w: &[f64],
    resting_speed: f64,
    ForceScale { h, projected_fraction }: ForceScale,
) {
    let lag = Lag { h, omitted_fractions: [0.0; 2], projected_fraction };
    let (reaction, contact_reaction) = (&mut Vec::new(), &mut Vec::new());
    let free = FreeMotion { v: [&[]; 2], x: [&[]; 2] };
    let velocities = Velocities { integrator_v: v, reaction, contact_reaction, lag, free };
    contacts.apply_to_velocities(velocities, w, resting_speed, &mut ContactReport::default());
}

const PLACED_AT_ORIGIN: [Placed; 1] = [Placed { start: DVec3::ZERO, displacement: DVec3::ZERO }];

fn point(particle: u32, surface: Surface) -> PointSetup {
    let properties = ContactProperties { radius: 0.0, surface, layer: Layer::default() };
    PointSetup { particle, properties }
}

/// Simulates a particle on a plane that rises at `slope` = tan α, by symplectic Euler. Returns its
/// position and velocity.
fn slide(slope: f64, friction: f64, seconds: f64) -> (DVec3, DVec3) {
    let normal = DVec3::new(-slope, 1.0, 0.0).normalize();
    let surface = Surface { restitution: 0.0, static_friction: friction, friction };
    let colliders = [Collider::still(Shape::Plane(Plane { normal }), DVec3::ZERO, surface)];
    let h = 0.01;
    let force_scale = ForceScale { h, projected_fraction: 1.0 };
    let obstacles = Obstacles::among(&colliders, &PLACED_AT_ORIGIN);
    let points = [point(0, surface)];
    let mut contacts = PositionContacts::default();
    let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
    for _ in 0..(seconds / h).round() as u64 {
        let start = x;
        v[0].y -= G * h;
        x[0] += v[0] * h;
        let free = x;
        contacts.begin_substep(&[]);
        let w = &[1.0];
        let motion = SubstepMotion { start: &start, x: &x, w, h, margin: MARGIN, discrete: false };
        find_contacts(0, &mut contacts, &points, &motion, obstacles, &mut Vec::new());
        contacts.sweep(&start, &mut x, &[1.0], force_scale);
        v[0] += (x[0] - free[0]) / h;
        finish(&mut contacts, &mut v, &[1.0], 2.0 * G * h, force_scale);
        stop_at_colliders(&points, &start, &mut x, &[1.0], obstacles);
    }
    (x[0], v[0])
}

#[test]
fn what_holds_on_an_incline_does_not_move_in_an_hour_and_a_millionth_more_slides() {
    let slope = 0.3;
    let (x, _) = slide(slope, slope * (1.0 + 1e-6), 3600.0);
    assert!(x.length() < 1e-12, "{x}");
    let (x, _) = slide(slope, slope * (1.0 - 1e-6), 3600.0);
    assert!(x.length() > 1.0, "{x}");
}

#[test]
fn what_slides_down_an_incline_has_the_published_acceleration() {
    // 30°, μ = 0.3: a = g (sin α − μ cos α) = 2.3562872 m/s².
    let (_, v) = slide((1.0_f64 / 3.0).sqrt(), 0.3, 1.0);
    assert!((v.length() - 2.3562872).abs() < 1e-7, "{}", v.length());
}

/// Simulates beads on rigid links around the upper half of a drum, with a force on each end and one
/// sweep per step. Returns the creep in metres of the bead that creeps most on the drum in the last
/// of three seconds.
fn capstan(beads: usize, friction: f64, ratio: f64) -> f64 {
    let surface = Surface { restitution: 0.0, static_friction: friction, friction };
    let radius = 0.2;
    let drum = Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius });
    let colliders = [Collider::still(drum, DVec3::ZERO, surface)];
    let h = 1e-3;
    let force_scale = ForceScale { h, projected_fraction: 1.0 };
    let obstacles = Obstacles::among(&colliders, &PLACED_AT_ORIGIN);
    // Each bead turns the rope by the same angle, so that the ends hang straight down.
    let turn = std::f64::consts::PI / beads as f64;
    let on_drum = |k: usize| {
        let angle = (k as f64 + 0.5) * turn;
        DVec3::new(-angle.cos(), angle.sin(), 0.0) * radius
    };
    let mut x: Vec<DVec3> = (0..beads).map(on_drum).collect();
    x.insert(0, x[0] - DVec3::Y * 0.1);
    x.push(x[beads] - DVec3::Y * 0.1);
    let n = x.len();
    let rest: Vec<f64> = x.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let points: Vec<PointSetup> = (1..=beads as u32).map(|i| point(i, surface)).collect();
    let w = vec![1.0; n];
    let mut v = vec![DVec3::ZERO; n];
    let mut contacts = PositionContacts::default();
    let mut before = Vec::new();
    for step in 0..3000 {
        if step == 2000 {
            before = x.clone();
        }
        let start = x.clone();
        v[0].y -= 10.0 * h;
        v[n - 1].y -= 10.0 * ratio * h;
        for (x, v) in izip!(&mut x, &mut v) {
            *v *= 1.0 - 2.0 * h;
            *x += *v * h;
        }
        let free = x.clone();
        contacts.begin_substep(&[]);
        let motion =
            SubstepMotion { start: &start, x: &x, w: &w, h, margin: MARGIN, discrete: false };
        find_contacts(0, &mut contacts, &points, &motion, obstacles, &mut Vec::new());
        for (i, rest) in rest.iter().enumerate() {
            let d = x[i + 1] - x[i];
            let p = d * (0.5 * (d.length() - rest) / d.length());
            x[i] += p;
            x[i + 1] -= p;
        }
        contacts.sweep(&start, &mut x, &w, force_scale);
        for (x, free, v) in izip!(&x, &free, &mut v) {
            *v += (*x - *free) / h;
        }
        finish(&mut contacts, &mut v, &w, 0.0, force_scale);
        stop_at_colliders(&points, &start, &mut x, &w, obstacles);
    }
    izip!(&x, &before)
        .skip(1)
        .take(beads)
        .map(|(x, before)| x.distance(*before))
        .fold(0.0, f64::max)
}

#[test]
fn beads_round_a_drum_hold_up_to_their_own_capstan_limit_and_slip_beyond() {
    // Limit of the ratio of the tensions at both ends: Π (1 + μ tan δ/2)/(1 − μ tan δ/2) over the
    // beads, where the rope turns by the angle δ at a bead and μ is the coefficient of friction.
    for (beads, limit) in [(8, 2.601049711), (16, 2.574853857)] {
        let creep = capstan(beads, 0.3, limit * 0.995);
        let slip = capstan(beads, 0.3, limit * 1.005);
        assert!(creep < 1e-9, "{beads} beads creep by {creep} m");
        assert!(slip > 1e-3, "{beads} beads slip by {slip} m");
    }
}
