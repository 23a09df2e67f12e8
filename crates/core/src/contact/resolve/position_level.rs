//! Contacts held at position level in the same sweeps as links.
//!
//! Each contact is a plane that its particles may not cross, with multipliers for the normal and for
//! friction that add up over the sweeps of a substep (as XPBD's do). What sticks has moved by
//! exactly nothing when the sweeps end: friction that is bounded by the correction of a single
//! sweep creeps instead.

use super::response::{INVERSE_INERTIA, spin_of};
use crate::contact::{Surface, Touch};
use glam::DVec3;

/// Share of an overlap at the start of a substep that the substep takes back: slowly, without a
/// bang.
pub(in crate::contact) const RECOVERY: f64 = 0.1;

/// Distance in metres from which on two touch.
pub(in crate::contact) const TOUCHING: f64 = 1e-12;

/// Conversion of a multiplier to a force in a substep of `h` seconds, in which a projection undoes
/// the share `undone` of a h².
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Pace {
    pub h: f64,
    pub undone: f64,
}

impl Pace {
    /// Newtons of a multiplier in kg·m: λ moves by λ w what a force of λ/(c h²) accelerates.
    pub fn force_rate(self) -> f64 {
        1.0 / (self.undone * self.h * self.h)
    }

    /// Newton-seconds by which a ball turns, of a multiplier in kg·m.
    fn turn_rate(self) -> f64 {
        1.0 / (self.undone * self.h)
    }
}

/// A place where two things touch, as a plane that the one may not cross.
///
/// What a sweep looks at first, to see whether it touches at all, lies together.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::contact) struct Contact {
    /// Particles of the contact: the first `count` of them.
    pub particles: [u32; 4],
    /// With which share each: Σ share · x is what may not cross the plane.
    pub shares: [f64; 4],
    /// Towards the first side.
    pub normal: DVec3,
    /// A place on the plane, in metres.
    pub touch: DVec3,
    /// Σ share² · w in 1/kg.
    pub weight: f64,
    /// Multiplier of the normal in kg·m: at least 0.
    pub push: f64,
    /// Number of particles.
    pub count: usize,
    /// Multiplier of friction in kg·m, along the surface.
    pub rub: DVec3,
    /// Displacement of the other surface in the substep, in metres.
    pub carried: DVec3,
    pub surface: Surface,
    /// It slides.
    pub slides: bool,
    /// It touches without being pushed: so lies what a scheme moves by its velocity alone.
    pub lies: bool,
    /// Impulse in N·s that the velocities needed beyond the multipliers.
    pub extra: DVec3,
    /// The first two particles are these balls, which friction turns.
    pub rolls: [Option<Rolling>; 2],
    /// Its place in the order of contacts, by which it is known in the next substep.
    pub key: u64,
    /// The collider that it is with, by its number; `None` = particles.
    pub collider: Option<u32>,
    /// Position of the first particle as it touches, in metres.
    pub at: DVec3,
    /// Overlap in metres that the substep takes back, without a velocity.
    pub recovered: f64,
    /// Speed in m/s with which it came.
    pub approach: f64,
}

/// A ball that friction turns.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Rolling {
    /// Its number among the balls.
    pub ball: u32,
    /// Its inverse mass in 1/kg.
    pub w: f64,
    /// Its radius in metres.
    pub radius: f64,
}

impl Contact {
    /// Key of a contact that is not recognised in the next substep.
    pub const NO_KEY: u64 = u64::MAX;

    /// Key of a contact with a collider, by number `index` among the particles, or among the links
    /// and triangles `between` them. All contacts of one collider come before those of the next.
    pub fn key_at_collider(number: usize, between: bool, index: usize) -> u64 {
        (number as u64) << 40 | u64::from(between) << 39 | index as u64
    }

    /// Key of a pair by its place in the order of pairs, which come last.
    pub fn key_of_pair(key: u64) -> u64 {
        1 << 63 | key
    }

    /// Σ share · x
    fn sum(&self, x: &[DVec3]) -> DVec3 {
        let first = x[self.particles[0] as usize] * self.shares[0];
        (1..self.count).fold(first, |sum, k| sum + x[self.particles[k] as usize] * self.shares[k])
    }

    /// Σ share · (x − start)
    pub fn moved(&self, x: &[DVec3], start: &[DVec3]) -> DVec3 {
        let of = |k: usize| {
            let i = self.particles[k] as usize;
            (x[i] - start[i]) * self.shares[k]
        };
        (1..self.count).fold(of(0), |sum, k| sum + of(k))
    }

    /// Its particles with their shares.
    pub fn sides(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let Self { particles, shares, count, .. } = *self;
        (0..count).map(move |k| (particles[k] as usize, shares[k]))
    }

    /// Moves its particles by an impulse of positions in kg·m.
    fn push(&self, x: &mut [DVec3], w: &[f64], direction: DVec3, amount: f64) {
        for k in 0..self.count {
            let i = self.particles[k] as usize;
            x[i] += direction * (w[i] * self.shares[k] * amount);
        }
    }

    /// Σ share² · w
    pub fn weight_of(particles: &[u32], shares: &[f64], w: &[f64]) -> f64 {
        let terms = particles.iter().zip(shares);
        terms.map(|(i, share)| share * share * w[*i as usize]).sum()
    }

    /// Inverse mass against friction in 1/kg: a solid sphere turns, too, by so many N·s a multiplier
    /// as move it.
    pub fn weight_along(&self, turned: f64) -> f64 {
        let rolls = self.rolls.iter().flatten();
        rolls.fold(self.weight, |weight, rolling| weight + INVERSE_INERTIA * turned * rolling.w)
    }

    /// Velocity difference of the surfaces of two balls due to their spin, in m/s.
    pub fn turning(&self, spins: &[DVec3]) -> DVec3 {
        let rolls = self.rolls.iter().flatten();
        rolls.fold(DVec3::ZERO, |sum, Rolling { ball, radius, .. }| {
            sum + spins[*ball as usize].cross(self.normal) * *radius
        })
    }

    /// Friction of so many N·s turns balls.
    pub fn turn(&self, spins: &mut [DVec3], rub: DVec3) {
        // At the other side of the contact the impulse is opposite, and so is the way outward.
        for Rolling { ball, w, radius } in self.rolls.iter().flatten() {
            spins[*ball as usize] += spin_of(-self.normal, rub, *w, *radius);
        }
    }

    /// Between ropes and cloths: neither a collider nor a ball.
    pub fn is_layer(&self) -> bool {
        self.collider.is_none() && self.rolls.iter().all(Option::is_none)
    }

    /// Itself, if it pushes, with its mean force in the substep.
    pub fn touch(&self, pace: Pace) -> Option<Touch> {
        let Self { particles, shares, count, collider, normal, at, push, rub, extra, .. } = *self;
        let force = (normal * push + rub) * pace.force_rate() + extra * pace.turn_rate();
        (push > 0.0 || extra != DVec3::ZERO).then_some(Touch {
            particles,
            shares,
            count,
            collider,
            at,
            normal,
            force,
        })
    }

    /// Moves and turns its particles by the multipliers that it begins with.
    pub fn apply(&self, x: &mut [DVec3], w: &[f64], spins: &mut [DVec3], pace: Pace) {
        self.push(x, w, self.normal, self.push);
        self.rub(x, w, spins, self.rub, pace);
    }

    /// Friction takes an impulse of positions in kg·m.
    fn rub(&self, x: &mut [DVec3], w: &[f64], spins: &mut [DVec3], rub: DVec3, pace: Pace) {
        self.push(x, w, rub, 1.0);
        self.turn(spins, rub * pace.turn_rate());
    }

    /// Normal, then friction. Answers with the correction along the
    /// normal in metres.
    /// ```text
    /// λ_n ← max(0, λ_n − C/w),            C = n·(Σ share x − touch)
    /// λ_t ← λ_t − s/w within μ λ_n,       s = what has slid along the surface since the start
    /// ```
    pub fn project(
        &mut self,
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        spins: &mut [DVec3],
        pace: Pace,
    ) -> f64 {
        let Self { normal, touch, carried, surface, push, rub, weight, .. } = *self;
        let error = normal.dot(self.sum(x) - touch);
        self.push = (push - error / weight).max(0.0);
        self.lies = error <= TOUCHING;
        if self.push == 0.0 && push == 0.0 {
            // Neither touched before nor now, so that there is no friction either.
            return 0.0;
        }
        self.push(x, w, normal, self.push - push);
        let moved = self.moved(x, start) - carried - self.turning(spins) * pace.h;
        let slid = moved - normal * normal.dot(moved);
        let wanted = rub - slid / self.weight_along(1.0 / pace.undone);
        let most = self.push * surface.static_friction;
        self.slides = wanted.length_squared() > most * most;
        self.rub = if self.slides {
            wanted.normalize_or_zero() * (self.push * surface.friction)
        } else {
            wanted
        };
        self.rub(x, w, spins, self.rub - rub, pace);
        (self.push - push).abs() * weight
    }
}

/// The force in a contact of layers, or of what lies under them, at the end of a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerForce {
    key: u64,
    /// Along the normal, in newtons.
    push: f64,
    /// Along the surface, in newtons.
    rub: DVec3,
}

/// The contacts of one substep.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct PositionContacts {
    pub contacts: Vec<Contact>,
    /// Spins of balls in rad/s.
    pub spins: Vec<DVec3>,
    /// Room for what the contacts give each particle, in m/s².
    pub reactions: Vec<DVec3>,
    /// Remembered forces push from the first sweep on.
    recalled: bool,
}

impl PositionContacts {
    /// Forgets the contacts of the substep before; balls turn as given.
    pub fn start(&mut self, spins: &[DVec3]) {
        self.contacts.clear();
        self.spins.clear();
        self.spins.extend(spins);
        self.recalled = false;
    }

    /// Begins a substep of `h` seconds with the forces of the one before, ascending by key.
    pub fn recall(&mut self, forces: &[LayerForce], h: f64) {
        let mut forces = forces.iter().peekable();
        for contact in self.contacts.iter_mut().filter(|contact| contact.key != Contact::NO_KEY) {
            while forces.next_if(|force| force.key < contact.key).is_some() {}
            if let Some(force) = forces.next_if(|force| force.key == contact.key) {
                contact.push = force.push * (h * h);
                contact.rub = force.rub.reject_from_normalized(contact.normal) * (h * h);
                self.recalled = true;
            }
        }
    }

    /// The forces of what neither bounces nor came faster than `resting` m/s, in a substep of `h`
    /// seconds: an impact does not last.
    pub fn remember(&self, h: f64, resting: f64, forces: &mut Vec<LayerForce>) {
        let rate = 1.0 / (h * h);
        let lasts = |contact: &&Contact| {
            contact.push > 0.0 && contact.key != Contact::NO_KEY && contact.approach <= resting
        };
        forces.clear();
        forces.extend(self.contacts.iter().filter(lasts).map(|contact| LayerForce {
            key: contact.key,
            push: contact.push * rate,
            rub: contact.rub * rate,
        }));
    }

    /// One sweep.
    pub fn sweep(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64], pace: Pace) {
        if std::mem::take(&mut self.recalled) {
            let pushing = self.contacts.iter().filter(|contact| contact.push > 0.0);
            pushing.for_each(|contact| contact.apply(x, w, &mut self.spins, pace));
        }
        for contact in &mut self.contacts {
            contact.project(start, x, w, &mut self.spins, pace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::colliders::at_colliders::{ColliderContext, find, guarantee};
    use crate::contact::colliders::collider::{Collider, Obstacles, Placed};
    use crate::contact::report::ContactReport;
    use crate::contact::resolve::velocity_level::{FreeMotion, Lag, Velocities};
    use crate::contact::shape::{Cylinder, Plane, Shape};
    use crate::contact::{Layer, PointSetup, Skin};
    use crate::numerics::trajectory::Trajectory;
    use itertools::izip;

    const G: f64 = 9.81;
    const MARGIN: f64 = 0.01;

    /// Ends a substep of symplectic Euler, whose velocities are those of the motion.
    fn finish(
        contacts: &mut PositionContacts,
        v: &mut [DVec3],
        w: &[f64],
        resting: f64,
        Pace { h, undone }: Pace,
    ) {
        let lag = Lag { h, shares: [0.0; 2], undone };
        let (reaction, pressed) = (&mut Vec::new(), &mut Vec::new());
        let free = FreeMotion { v: [&[]; 2], x: [&[]; 2] };
        let velocities = Velocities { own: v, reaction, pressed, lag, free };
        contacts.finish(velocities, w, resting, &mut ContactReport::default());
    }

    /// A particle on a plane that rises at `slope` = tan α, stepped by symplectic Euler.
    fn slide(slope: f64, friction: f64, seconds: f64) -> (DVec3, DVec3) {
        let normal = DVec3::new(-slope, 1.0, 0.0).normalize();
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let colliders = [Collider {
            shape: Shape::Plane(Plane { normal }),
            centre: DVec3::ZERO,
            surface,
            layer: Layer::default(),
            path: Trajectory::Still,
            turn: DVec3::ZERO,
            belt: DVec3::ZERO,
        }];
        let placed = [Placed { start: DVec3::ZERO, way: DVec3::ZERO }];
        let h = 0.01;
        let pace = Pace { h, undone: 1.0 };
        let surroundings = ColliderContext {
            h,
            obstacles: Obstacles::among(&colliders, &placed),
            discrete: false,
            margin: MARGIN,
        };
        let points = [PointSetup {
            particle: 0,
            skin: Skin { radius: 0.0, surface, layer: Layer::default() },
        }];
        let mut contacts = PositionContacts::default();
        let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
        for _ in 0..(seconds / h).round() as u64 {
            let start = x;
            v[0].y -= G * h;
            x[0] += v[0] * h;
            let free = x;
            contacts.start(&[]);
            let ways = ([&start[..], &x[..]], &[1.0][..]);
            find(0, &mut contacts, &points, ways, &surroundings, &mut Vec::new());
            contacts.sweep(&start, &mut x, &[1.0], pace);
            v[0] += (x[0] - free[0]) / h;
            finish(&mut contacts, &mut v, &[1.0], 2.0 * G * h, pace);
            guarantee(&points, &start, &mut x, &[1.0], &surroundings);
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

    /// Beads on rigid links round the upper half of a drum, with a force on each end: how far the
    /// beads on it have crept in the last of three seconds. One sweep a step, as small steps have it.
    fn capstan(beads: usize, friction: f64, ratio: f64) -> f64 {
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let radius = 0.2;
        let colliders = [Collider {
            shape: Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius }),
            centre: DVec3::ZERO,
            surface,
            layer: Layer::default(),
            path: Trajectory::Still,
            turn: DVec3::ZERO,
            belt: DVec3::ZERO,
        }];
        let placed = [Placed { start: DVec3::ZERO, way: DVec3::ZERO }];
        let h = 1e-3;
        let pace = Pace { h, undone: 1.0 };
        let surroundings = ColliderContext {
            h,
            obstacles: Obstacles::among(&colliders, &placed),
            discrete: false,
            margin: MARGIN,
        };
        // Each bead turns the rope by the same angle: ends hang straight down.
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
        let points: Vec<PointSetup> = (1..=beads)
            .map(|i| PointSetup {
                particle: i as u32,
                skin: Skin { radius: 0.0, surface, layer: Layer::default() },
            })
            .collect();
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
            contacts.start(&[]);
            let ways = ([&start[..], &x[..]], &w[..]);
            find(0, &mut contacts, &points, ways, &surroundings, &mut Vec::new());
            for (i, rest) in rest.iter().enumerate() {
                let d = x[i + 1] - x[i];
                let p = d * (0.5 * (d.length() - rest) / d.length());
                x[i] += p;
                x[i + 1] -= p;
            }
            contacts.sweep(&start, &mut x, &w, pace);
            for (x, free, v) in izip!(&x, &free, &mut v) {
                *v += (*x - *free) / h;
            }
            finish(&mut contacts, &mut v, &w, 0.0, pace);
            guarantee(&points, &start, &mut x, &w, &surroundings);
        }
        izip!(&x, &before)
            .skip(1)
            .take(beads)
            .map(|(x, before)| x.distance(*before))
            .fold(0.0, f64::max)
    }

    #[test]
    fn beads_round_a_drum_hold_up_to_their_own_capstan_limit_and_slip_beyond() {
        // T₂/T₁ = Π (1 + μ tan δ/2)/(1 − μ tan δ/2)
        for (beads, limit) in [(8, 2.601049711), (16, 2.574853857)] {
            let creep = capstan(beads, 0.3, limit * 0.995);
            let slip = capstan(beads, 0.3, limit * 1.005);
            assert!(creep < 1e-9, "{beads} beads creep by {creep} m");
            assert!(slip > 1e-3, "{beads} beads slip by {slip} m");
        }
    }
}
