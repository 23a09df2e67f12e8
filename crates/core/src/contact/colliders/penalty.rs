//! Penalty contact: a force that pushes particles out of colliders.
//!
//! A particle at depth d in a collider with the outward normal n moves inwards at the rate ḋ and
//! slides along the surface at the velocity u. The force f on the particle follows from the
//! stiffness k, damping c, coefficient of friction μ and slip speed ε (penalty method: Moore and
//! Wilhelms 1988; friction regularised as in Li et al. 2020, Incremental Potential Contact):
//! ```text
//! N = max(0, k d + c ḋ)
//! f = N n − μ N s(|u|) u/|u|,     s(u) = (2 − u/ε) u/ε below the slip speed ε, 1 above
//! ```
//! The force is stiff in contact and zero elsewhere. A particle of mass m in contact vibrates with
//! ω = √(k/m), so symplectic Euler and Verlet are stable only for steps h < 2 √(m/k). Any other
//! explicit integrator is stable for steps below √(m/k) times its own limit of ωh. Links that pull
//! at the particle shorten the longest stable step. Balls are pushed at their centres and do not
//! roll.

use crate::contact::bodies::collider::{Collider, ColliderShift};
use crate::contact::bodies::geometry::Geometry;
use crate::contact::bodies::properties::ContactProperties;
use crate::contact::contact_force::ContactForce;
use crate::contact::method::Penalty;
use glam::DVec3;

/// Input of the penalty force: the state of all particles.
#[derive(Clone, Copy, Debug)]
pub struct PenaltyState<'a> {
    pub t: f64,
    pub x: &'a [DVec3],
    pub v: &'a [DVec3],
    /// Inverse masses in 1/kg; 0 = pinned, not pushed.
    pub w: &'a [f64],
}

/// Penalty force of a scene's colliders.
#[derive(Clone, Copy, Debug)]
pub struct PenaltyForce<'a> {
    pub penalty: Penalty,
    pub geometry: &'a Geometry,
    /// Displacements of colliders by the hand, by collider index. Colliders after the end of the
    /// list have none.
    pub shifts: &'a [ColliderShift],
}

/// A particle inside a collider, with the terms of its penalty force.
#[derive(Clone, Copy, Debug)]
struct PenaltyContact {
    particle: u32,
    collider: u32,
    /// Unit normal out of the collider.
    normal: DVec3,
    depth: f64,
    /// Normal force in newtons.
    push: f64,
    /// Velocity of the particle relative to the surface and along it, in m/s.
    slide: DVec3,
    /// Velocity of the collider's surface at the particle, in m/s.
    surface_velocity: DVec3,
    friction: f64,
    penalty: Penalty,
}

impl PenaltyContact {
    fn force(&self) -> DVec3 {
        self.normal * self.push + self.friction()
    }

    fn friction(&self) -> DVec3 {
        -self.slide * (self.friction * self.push * self.friction_factor(self.slide.length()))
    }

    /// Returns the damping part of the normal force in newtons. It has no potential.
    fn damping(&self) -> DVec3 {
        self.normal * (self.push - self.penalty.stiffness * self.depth)
    }

    /// Returns s(u)/u in s/m for the sliding speed u, see the formulas at the top of the file.
    fn friction_factor(&self, speed: f64) -> f64 {
        let slip = self.penalty.slip;
        if speed < slip { (2.0 - speed / slip) / slip } else { 1.0 / speed }
    }

    /// Returns the directional derivative of the force along changes of position and velocity.
    /// Normal and normal force in the friction term are kept constant, so that the derivative is
    /// symmetric and adds no energy.
    fn jvp(&self, dx: DVec3, dv: DVec3) -> DVec3 {
        let Self { normal, push, slide, friction, penalty, .. } = *self;
        let Penalty { stiffness, damping, slip } = penalty;
        if push == 0.0 {
            return DVec3::ZERO;
        }
        let along = -normal * (stiffness * normal.dot(dx) + damping * normal.dot(dv));
        let (across, speed) = (dv - normal * normal.dot(dv), slide.length());
        // d(s u/|u|) = s/|u| du + (s/|u|)′ |u| (u·du)/|u|² u
        let factor_slope = if speed < slip { -1.0 / (slip * slip) } else { -1.0 / (speed * speed) };
        let turned = if speed > 0.0 {
            slide * (factor_slope * slide.dot(across) / speed)
        } else {
            DVec3::ZERO
        };
        along - (across * self.friction_factor(speed) + turned) * (friction * push)
    }
}

impl PenaltyForce<'_> {
    /// Calls `visit` for each particle inside a collider.
    fn for_each_press(&self, at: PenaltyState, mut visit: impl FnMut(PenaltyContact)) {
        let Self { geometry, shifts, .. } = *self;
        for (number, collider) in (0..).zip(&geometry.colliders) {
            let shift = shifts.get(number as usize);
            let (place, velocity) =
                (collider.shifted_at(shift, at.t), collider.velocity(shift, at.t));
            let balls = geometry.balls.iter().map(|ball| (ball.particle, &ball.properties));
            let points = geometry.points.iter().map(|point| (point.particle, &point.properties));
            for (particle, properties) in balls.chain(points) {
                let i = particle as usize;
                if at.w[i] > 0.0 && geometry.layers.may_collide(properties.layer, collider.layer) {
                    let relative_motion = [at.x[i] - place, at.v[i], velocity];
                    self.penalty_contact(
                        (particle, properties),
                        (number, collider),
                        relative_motion,
                    )
                    .into_iter()
                    .for_each(&mut visit);
                }
            }
        }
    }

    /// Returns the penalty contact of a particle with a collider, or `None` if the particle is
    /// outside. `out` is the particle's position in metres relative to the collider's origin. `v`
    /// is the velocity of the particle and `velocity` that of the origin, in m/s.
    fn penalty_contact(
        &self,
        (particle, properties): (u32, &ContactProperties),
        (number, collider): (u32, &Collider),
        [out, v, velocity]: [DVec3; 3],
    ) -> Option<PenaltyContact> {
        let (distance, normal) = collider.shape.distance(out);
        let depth = properties.radius - distance;
        if depth <= 0.0 {
            return None;
        }
        let penalty = self.penalty;
        let surface_velocity = velocity + collider.surface_velocity(out - normal * distance);
        let relative = v - surface_velocity;
        let rate = -normal.dot(relative);
        Some(PenaltyContact {
            particle,
            collider: number,
            normal,
            depth,
            push: (penalty.stiffness * depth + penalty.damping * rate).max(0.0),
            slide: relative + normal * rate,
            surface_velocity,
            friction: collider.surface.with(&properties.surface).friction,
            penalty,
        })
    }

    /// Adds the penalty forces in newtons to `f`, one entry per particle.
    pub fn add_forces(&self, at: PenaltyState, f: &mut [DVec3]) {
        self.for_each_press(at, |press| f[press.particle as usize] += press.force());
    }

    /// Adds the directional derivatives of the forces along `dx` and `dv` to `df`, see
    /// `PenaltyContact::jvp`.
    pub fn add_jvp(&self, at: PenaltyState, [dx, dv]: [&[DVec3]; 2], df: &mut [DVec3]) {
        self.for_each_press(at, |press| {
            let i = press.particle as usize;
            df[i] += press.jvp(dx[i], dv[i]);
        });
    }

    /// Returns the potential energy of all contacts, Σ ½ k d², in joules.
    pub fn potential(&self, at: PenaltyState) -> f64 {
        let mut squares = 0.0;
        self.for_each_press(at, |press| squares += press.depth * press.depth);
        0.5 * self.penalty.stiffness * squares
    }

    /// Returns two powers in watts: heat, and work done by colliders that move or whose surfaces
    /// move. The heat of friction is −force · (particle velocity − surface velocity). Of this, the
    /// returned heat contains only the term force · surface velocity. The caller computes the other
    /// term from impulses: this function adds each particle's friction force times `weight` (in
    /// seconds) to `friction`.
    pub fn powers(&self, at: PenaltyState, weight: f64, friction: &mut [DVec3]) -> [f64; 2] {
        let [mut heat, mut drive] = [0.0; 2];
        self.for_each_press(at, |press| {
            let i = press.particle as usize;
            heat -= press.damping().dot(at.v[i] - press.surface_velocity);
            heat += press.friction().dot(press.surface_velocity);
            drive += press.force().dot(press.surface_velocity);
            friction[i] += press.friction() * weight;
        });
        [heat, drive]
    }

    /// Calls `visit` for each contact with its force and its depth in metres.
    pub(in crate::contact) fn for_each_contact_force(
        &self,
        at: PenaltyState,
        mut visit: impl FnMut(ContactForce, f64),
    ) {
        self.for_each_press(at, |press| {
            let contact_force = ContactForce {
                particles: [press.particle; 4],
                weights: [1.0, 0.0, 0.0, 0.0],
                count: 1,
                collider: Some(press.collider),
                at: at.x[press.particle as usize],
                normal: press.normal,
                force: press.force(),
            };
            visit(contact_force, press.depth);
        });
    }

    /// Returns how many particle–collider distances a force evaluation computes.
    pub(in crate::contact) fn pair_count(&self) -> u64 {
        let Geometry { balls, points, colliders, .. } = self.geometry;
        ((balls.len() + points.len()) * colliders.len()) as u64
    }
}
