//! Collision response of two bodies: one impulse at the point of contact.

use crate::contact::bodies::surface::Surface;
use glam::DVec3;

/// Factor 5/2 of the inverse moment of inertia of a solid sphere: 1/I = 5/2 · w/r², from I = 2/5 m
/// r² and w = 1/m.
pub(in crate::contact) const INVERSE_INERTIA: f64 = 2.5;

/// A body in a collision.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Velocity of the centre in m/s.
    pub v: DVec3,
    /// Angular velocity in rad/s.
    pub spin: DVec3,
    /// Inverse mass in 1/kg; 0 = immovable.
    pub w: f64,
    /// Radius in metres.
    pub radius: f64,
    /// True for a solid sphere; friction changes its spin. Other bodies keep their spin.
    pub rolls: bool,
}

impl Body {
    /// Returns the velocity in m/s of the surface point in the direction `outward` from the centre.
    fn at_surface(&self, outward: DVec3) -> DVec3 {
        self.v + self.spin.cross(outward) * self.radius
    }

    /// Returns the inverse in 1/kg of the mass that resists an impulse along the surface. In a
    /// solid sphere, rotation adds r²/I = 5/2 w.
    pub(crate) fn inverse_mass_along(&self) -> f64 {
        if self.rolls { self.w * (1.0 + INVERSE_INERTIA) } else { self.w }
    }

    /// Returns the spin change in rad/s by `impulse` (in N·s), which acts on the surface point in
    /// the direction `outward` from the centre.
    pub(crate) fn spin_by(&self, outward: DVec3, impulse: DVec3) -> DVec3 {
        if self.rolls { spin_of(outward, impulse, self.w, self.radius) } else { DVec3::ZERO }
    }
}

/// Returns the spin change of a solid sphere in rad/s, see [`Body::spin_by`].
pub(in crate::contact) fn spin_of(outward: DVec3, impulse: DVec3, w: f64, radius: f64) -> DVec3 {
    outward.cross(impulse) * (INVERSE_INERTIA * w / radius)
}

/// Returns the impulse on `b` in N·s; `a` gets the opposite impulse. `normal` is the unit vector
/// from `a` to `b`. Bodies that approach at `resting_speed` m/s or less do not bounce.
///
/// The normal part is j = (1 + e) s/(w_a + w_b) with the restitution e and the approach speed s.
/// The tangential part stops the sliding if static friction allows it (Coulomb); otherwise it is
/// the kinetic friction μ j.
pub fn impulse(a: &Body, b: &Body, normal: DVec3, surface: &Surface, resting_speed: f64) -> DVec3 {
    let relative = b.at_surface(-normal) - a.at_surface(normal);
    let approach = -relative.dot(normal);
    let inverse_mass = a.w + b.w;
    if approach <= 0.0 || inverse_mass == 0.0 {
        return DVec3::ZERO;
    }
    let restitution = if approach <= resting_speed { 0.0 } else { surface.restitution };
    let push = (1.0 + restitution) * approach / inverse_mass;
    let sliding = relative + normal * approach;
    let speed = sliding.length();
    if speed == 0.0 {
        return normal * push;
    }
    let to_stop = speed / (a.inverse_mass_along() + b.inverse_mass_along());
    let friction = if to_stop <= surface.static_friction * push {
        to_stop
    } else {
        to_stop.min(surface.friction * push)
    };
    normal * push - sliding * (friction / speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    fn ball(v: f64, mass: f64) -> Body {
        let (v, w) = (DVec3::X * v, 1.0 / mass);
        Body { v, spin: DVec3::ZERO, w, radius: 0.5, rolls: true }
    }

    fn speeds_after(a: Body, b: Body, restitution: f64) -> [f64; 2] {
        let surface = Surface { restitution, static_friction: 0.0, friction: 0.0 };
        let push = impulse(&a, &b, DVec3::X, &surface, 0.0);
        [a.v.x - a.w * push.x, b.v.x + b.w * push.x]
    }

    #[test]
    fn balls_leave_a_collision_with_the_published_speeds() {
        assert_eq!(speeds_after(ball(1.0, 1.0), ball(0.0, 3.0), 1.0), [-0.5, 0.5]);
        assert_eq!(speeds_after(ball(3.0, 2.0), ball(-1.0, 1.0), 0.5), [1.0, 3.0]);
    }

    #[test]
    fn energy_lost_is_what_restitution_says() {
        // Loss of kinetic energy: ½ μ (1 − e²) s², with the reduced mass μ = 2/3 kg, the
        // restitution e = 0.5 and the approach speed s = 4 m/s.
        let [a, b] = speeds_after(ball(3.0, 2.0), ball(-1.0, 1.0), 0.5);
        let lost = 0.5 * (2.0 * 9.0 + 1.0 - 2.0 * a * a - b * b);
        assert!((lost - 0.5 * (2.0 / 3.0) * 0.75 * 16.0).abs() < 1e-14);
    }

    #[test]
    fn a_slow_approach_does_not_bounce() {
        let surface = Surface { restitution: 1.0, ..Surface::default() };
        let push = |resting_speed| {
            impulse(&ball(1.0, 1.0), &ball(0.0, 1.0), DVec3::X, &surface, resting_speed)
        };
        assert_eq!(push(0.9).x, 1.0);
        assert_eq!(push(1.1).x, 0.5);
    }

    #[test]
    fn friction_stops_what_it_can_and_slows_the_rest() {
        let wall = Body { w: 0.0, ..ball(0.0, 1.0) };
        let surface = Surface { restitution: 0.0, static_friction: 0.5, friction: 0.3 };
        let along = |speed| {
            let b = Body { v: dvec3(-1.0, speed, 0.0), ..ball(0.0, 1.0) };
            impulse(&wall, &b, DVec3::X, &surface, 0.0).y
        };
        // A rolling sphere resists with 2/7 of its mass.
        assert!((along(1.7) + 1.7 * 2.0 / 7.0).abs() < 1e-15, "sticks up to 7/2 μ");
        assert!((along(1.8) + 0.3).abs() < 1e-15, "slides beyond");
    }

    #[test]
    fn friction_turns_both_balls_the_same_way_and_keeps_their_angular_momentum() {
        let a = Body { v: dvec3(1.0, 0.5, 0.0), ..ball(0.0, 2.0) };
        let b = ball(-1.0, 1.0);
        let surface = Surface { restitution: 0.5, static_friction: 0.4, friction: 0.4 };
        let push = impulse(&a, &b, DVec3::X, &surface, 0.0);
        let turned = [a.spin_by(DVec3::X, -push), b.spin_by(-DVec3::X, push)];
        let inertia = |body: &Body| body.radius * body.radius / (2.5 * body.w);
        // Angular momentum about the point of contact: r × p of both centres, plus that of both
        // spins.
        let orbital = (-DVec3::X * 0.5).cross(-push) + (DVec3::X * 0.5).cross(push);
        let total = orbital + turned[0] * inertia(&a) + turned[1] * inertia(&b);
        assert!(total.length() < 1e-15, "{total}");
        assert!(turned[0].z * turned[1].z > 0.0);
    }
}
