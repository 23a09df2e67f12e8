use crate::contact::bodies::properties::{BallSetup, ContactProperties};
use crate::contact::contact_force::ContactForce;
use crate::contact::resolve::response::Body;
use crate::contact::swept::Path;
use glam::DVec3;

/// State of a ball during a step of the event loop. Times are fractions of the step.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Ball {
    pub particle: u32,
    /// Position at the time `since`, in metres.
    pub x: DVec3,
    /// Velocity at the time `since`, as the displacement in metres in a whole step.
    pub displacement: DVec3,
    /// Half the acceleration in metres per step squared; 0 on a straight path.
    pub half_acceleration: DVec3,
    /// Velocity at the end of the step, in m/s.
    pub v: DVec3,
    pub spin: DVec3,
    /// Inverse mass in 1/kg.
    pub w: f64,
    pub properties: ContactProperties,
    /// Time of the last change of the path, as a fraction of the step.
    pub since: f64,
    /// Number of changes of the path in this step. Predictions for an older version are invalid.
    pub version: u32,
    /// True once an impulse has changed the velocity in this step.
    pub collided: bool,
    /// Work in joules of collisions on the motion of the centre so far in this step.
    pub work: f64,
}

impl Ball {
    /// Creates a ball at the start of a step, on a straight path. `v` is the velocity at the end of
    /// the step in m/s, `w` the inverse mass.
    pub fn new(
        particle: u32,
        [x, displacement, v, spin]: [DVec3; 4],
        w: f64,
        properties: ContactProperties,
    ) -> Self {
        Self {
            particle,
            x,
            displacement,
            half_acceleration: DVec3::ZERO,
            v,
            spin,
            w,
            properties,
            since: 0.0,
            version: 0,
            collided: false,
            work: 0.0,
        }
    }

    pub fn at(&self, t: f64) -> DVec3 {
        let passed = t - self.since;
        self.x + self.displacement * passed + self.half_acceleration * (passed * passed)
    }

    pub(super) fn rate_at(&self, t: f64) -> DVec3 {
        self.displacement + self.half_acceleration * (2.0 * (t - self.since))
    }

    pub(super) fn advance_to(&mut self, t: f64) {
        (self.x, self.displacement, self.since) = (self.at(t), self.rate_at(t), t);
    }

    /// Returns an upper bound in metres of the length of the path after time `t`.
    pub(super) fn path_length_bound(&self, t: f64) -> f64 {
        let rest = 1.0 - t;
        self.displacement.length() * rest + self.half_acceleration.length() * (rest * rest)
    }

    /// Returns the displacement in metres that the ball would have in a whole step of its present
    /// motion.
    pub fn whole_displacement(&self) -> DVec3 {
        self.displacement + self.half_acceleration * (1.0 - 2.0 * self.since)
    }

    /// Returns the path of the ball after time `t` relative to another body. At `t` this body is at
    /// `from`. It moves by `rate` metres per step, with half the acceleration `half_acceleration`.
    pub(super) fn path(&self, t: f64, from: DVec3, rate: DVec3, half_acceleration: DVec3) -> Path {
        let rest = 1.0 - t;
        Path {
            start: self.at(t) - from,
            rate: (self.rate_at(t) - rate) * rest,
            half_acceleration: (self.half_acceleration - half_acceleration) * (rest * rest),
        }
    }

    pub fn body(&self, h: f64) -> Body {
        let Self { displacement, spin, w, properties, .. } = *self;
        Body { v: displacement / h, spin, w, radius: properties.radius, rolls: true }
    }

    /// Returns the force of a collision with another ball, for display. `force` is the force on
    /// this ball in newtons.
    pub fn as_contact_force(&self, other: u32, normal: DVec3, force: DVec3) -> ContactForce {
        let (mut particles, weights) = ([self.particle; 4], [1.0, -1.0, 0.0, 0.0]);
        particles[1] = other;
        ContactForce { particles, weights, count: 2, collider: None, at: self.x, normal, force }
    }

    /// Returns the force of a collision with a collider, for display. `force` is the force on the
    /// ball in newtons.
    pub fn as_collider_force(&self, collider: u32, normal: DVec3, force: DVec3) -> ContactForce {
        let (particles, weights) = ([self.particle; 4], [1.0, 0.0, 0.0, 0.0]);
        let collider = Some(collider);
        ContactForce { particles, weights, count: 1, collider, at: self.x, normal, force }
    }

    /// Applies an impulse in N·s at the surface point in the direction `outward` from the centre.
    /// The impulse was computed for the velocity `met` of the centre, in m/s. It works along the
    /// mean of the velocities before and after it, so the computed work is exact.
    pub fn apply_impulse(&mut self, outward: DVec3, impulse: DVec3, met: DVec3, h: f64) {
        self.work += impulse.dot(met + impulse * (0.5 * self.w));
        self.spin += self.body(h).spin_by(outward, impulse);
        self.v += impulse * self.w;
        self.displacement += impulse * (self.w * h);
        self.version += 1;
        self.collided = true;
    }

    /// Adds a constant supporting force from now to the end of a step of `h` seconds. `half_force`
    /// is half the force in kg·m per step squared.
    pub(super) fn add_support(&mut self, half_force: DVec3, h: f64) {
        self.half_acceleration += half_force * self.w;
        self.v += half_force * (self.w * 2.0 * (1.0 - self.since) / h);
    }
}

/// Initialises the balls of a substep. `start` and `x` are the positions at its start and end in
/// metres, `v` the velocities at its end in m/s.
pub(in crate::contact) fn initialise_balls(
    setups: &[BallSetup],
    [start, x, v]: [&[DVec3]; 3],
    w: &[f64],
    spins: &[DVec3],
    balls: &mut Vec<Ball>,
) {
    balls.clear();
    balls.extend(setups.iter().zip(spins).map(|(setup, spin)| {
        let i = setup.particle as usize;
        let motion = [start[i], x[i] - start[i], v[i], *spin];
        Ball::new(setup.particle, motion, w[i], setup.properties)
    }));
}
