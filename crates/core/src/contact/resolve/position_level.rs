//! Contacts at position level, in the same sweeps as links.
//!
//! Each contact is a plane that its particles may not cross. Its multipliers for the normal and for
//! friction add up over the sweeps of a substep, as in XPBD, so a sticking contact does not slide
//! at all. Friction that is bounded by the correction of a single sweep would creep.

use super::response::{INVERSE_INERTIA, spin_of};
use crate::contact::{Surface, Touch};
use glam::DVec3;

/// Fraction of an initial overlap that a substep removes: small, so that bodies are not thrown
/// apart.
pub(in crate::contact) const RECOVERY: f64 = 0.1;

/// Distance in metres up to which two bodies touch.
pub(in crate::contact) const TOUCHING: f64 = 1e-12;

/// Conversion of multipliers into forces in a substep of `h` seconds. For a particle held against
/// an acceleration a, a projection takes back the displacement c a h² with c = `undone`.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Pace {
    pub h: f64,
    pub undone: f64,
}

impl Pace {
    /// Force in newtons per kg·m of a multiplier λ, which moves a particle of inverse mass w by λ
    /// w, as far as a force of λ/(c h²) does.
    pub fn force_rate(self) -> f64 {
        1.0 / (self.undone * self.h * self.h)
    }

    /// Impulse in N·s that turns a ball, per kg·m of a multiplier.
    fn turn_rate(self) -> f64 {
        1.0 / (self.undone * self.h)
    }
}

/// A contact of two bodies, as a plane that the first one may not cross.
///
/// Fields that a sweep reads first, to decide whether the contact touches at all, are first.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::contact) struct Contact {
    /// Particles of both sides; the first `count` entries are valid.
    pub particles: [u32; 4],
    /// Share of each particle: Σ share · x is the point that may not cross the plane.
    pub shares: [f64; 4],
    /// Unit normal towards the first side.
    pub normal: DVec3,
    /// A point of the plane, in metres.
    pub touch: DVec3,
    /// Inverse mass of the contact, Σ share² · w, in 1/kg.
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
    /// True if the contact slides.
    pub slides: bool,
    /// True if both sides touch, with or without a force.
    pub lies: bool,
    /// Impulse at velocity level in addition to the multipliers, in N·s.
    pub extra: DVec3,
    /// Balls among the first two particles, which friction turns.
    pub rolls: [Option<Rolling>; 2],
    /// Rank in the order of contacts, by which the next substep recognises the contact.
    pub key: u64,
    /// Number of the collider on the other side; `None` if that side consists of particles.
    pub collider: Option<u32>,
    /// Position of the first particle at the moment of contact, in metres.
    pub at: DVec3,
    /// Overlap in metres that the substep removes without changing velocities.
    pub recovered: f64,
    /// Approach speed in m/s.
    pub approach: f64,
}

/// A ball that friction turns.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Rolling {
    /// Number of the ball among the balls.
    pub ball: u32,
    /// Inverse mass in 1/kg.
    pub w: f64,
    /// Radius in metres.
    pub radius: f64,
}

impl Contact {
    /// Key of a contact that is not recognised in the next substep.
    const NO_KEY: u64 = u64::MAX;

    /// Returns a contact without particles and without force. `at` is its position in metres.
    pub fn without_force(normal: DVec3, at: DVec3, surface: Surface) -> Self {
        Self {
            particles: [0; 4],
            shares: [0.0; 4],
            normal,
            touch: DVec3::ZERO,
            weight: 0.0,
            push: 0.0,
            count: 0,
            rub: DVec3::ZERO,
            carried: DVec3::ZERO,
            surface,
            slides: false,
            lies: false,
            extra: DVec3::ZERO,
            rolls: [None; 2],
            key: Self::NO_KEY,
            collider: None,
            at,
            recovered: 0.0,
            approach: 0.0,
        }
    }

    /// Returns the key of a contact with collider `number`. `index` is the number of the particle
    /// or, if `between` is true, of the link or triangle. All keys of one collider precede those of
    /// the next.
    pub fn key_at_collider(number: usize, between: bool, index: usize) -> u64 {
        (number as u64) << 40 | u64::from(between) << 39 | index as u64
    }

    /// Returns the key of a pair, from its rank in the order of pairs. Pairs follow colliders.
    pub fn key_of_pair(key: u64) -> u64 {
        1 << 63 | key
    }

    /// Returns Σ share · x in metres.
    fn sum(&self, x: &[DVec3]) -> DVec3 {
        let first = x[self.particles[0] as usize] * self.shares[0];
        (1..self.count).fold(first, |sum, k| sum + x[self.particles[k] as usize] * self.shares[k])
    }

    /// Returns Σ share · (x − start) in metres.
    pub fn moved(&self, x: &[DVec3], start: &[DVec3]) -> DVec3 {
        let of = |k: usize| {
            let i = self.particles[k] as usize;
            (x[i] - start[i]) * self.shares[k]
        };
        (1..self.count).fold(of(0), |sum, k| sum + of(k))
    }

    /// Yields the contact's particles with their shares.
    pub fn sides(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let Self { particles, shares, count, .. } = *self;
        (0..count).map(move |k| (particles[k] as usize, shares[k]))
    }

    /// Moves its particles by an impulse of positions in kg·m, `amount` along `direction`.
    fn push(&self, x: &mut [DVec3], w: &[f64], direction: DVec3, amount: f64) {
        for k in 0..self.count {
            let i = self.particles[k] as usize;
            x[i] += direction * (w[i] * self.shares[k] * amount);
        }
    }

    /// Returns Σ share² · w in 1/kg.
    pub fn weight_of(particles: &[u32], shares: &[f64], w: &[f64]) -> f64 {
        let terms = particles.iter().zip(shares);
        terms.map(|(i, share)| share * share * w[*i as usize]).sum()
    }

    /// Returns the inverse mass of the contact against friction in 1/kg. Balls also turn: their
    /// spin gets `turned` times the impulse that moves them.
    pub fn weight_along(&self, turned: f64) -> f64 {
        let rolls = self.rolls.iter().flatten();
        rolls.fold(self.weight, |weight, rolling| weight + INVERSE_INERTIA * turned * rolling.w)
    }

    /// Relative velocity of the surfaces at the contact because of the balls' spins, in m/s.
    pub fn turning(&self, spins: &[DVec3]) -> DVec3 {
        let rolls = self.rolls.iter().flatten();
        rolls.fold(DVec3::ZERO, |sum, Rolling { ball, radius, .. }| {
            sum + spins[*ball as usize].cross(self.normal) * *radius
        })
    }

    /// Turns the balls by a friction impulse in N·s.
    pub fn turn(&self, spins: &mut [DVec3], rub: DVec3) {
        // On the other side of the contact the impulse is opposite, and so is the outward
        // direction.
        for Rolling { ball, w, radius } in self.rolls.iter().flatten() {
            spins[*ball as usize] += spin_of(-self.normal, rub, *w, *radius);
        }
    }

    /// True for a contact between ropes and cloths: with neither a collider nor a ball.
    pub fn is_layer(&self) -> bool {
        self.collider.is_none() && self.rolls.iter().all(Option::is_none)
    }

    /// Returns the contact for display, with its mean force in the substep, or `None` without a
    /// force.
    pub fn as_touch(&self, pace: Pace) -> Option<Touch> {
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

    /// Moves and turns its particles by its initial multipliers.
    pub fn apply(&self, x: &mut [DVec3], w: &[f64], spins: &mut [DVec3], pace: Pace) {
        self.push(x, w, self.normal, self.push);
        self.rub(x, w, spins, self.rub, pace);
    }

    /// Applies friction: an impulse of positions in kg·m.
    fn rub(&self, x: &mut [DVec3], w: &[f64], spins: &mut [DVec3], rub: DVec3, pace: Pace) {
        self.push(x, w, rub, 1.0);
        self.turn(spins, rub * pace.turn_rate());
    }

    /// Projects the contact, first the normal, then friction. Returns the correction along the
    /// normal in metres.
    /// ```text
    /// λ_n ← max(0, λ_n − C/w),            C = n·(Σ share x − touch)
    /// λ_t ← λ_t − s/w within μ λ_n,       s = displacement along the surface since the start
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
            // The contact pushed neither before nor now, so there is no friction either.
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

/// Force in a contact of ropes and cloths with each other or with a collider, at the end of a
/// substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerForce {
    key: u64,
    /// Normal force in newtons.
    push: f64,
    /// Friction force in newtons.
    rub: DVec3,
}

/// Contacts of one substep at position level.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct PositionContacts {
    pub contacts: Vec<Contact>,
    /// Spins of balls in rad/s.
    pub spins: Vec<DVec3>,
    /// Buffer for the accelerations that contacts give each particle, in m/s².
    pub reactions: Vec<DVec3>,
    /// True if remembered forces must be applied before the first sweep.
    recalled: bool,
}

impl PositionContacts {
    /// Forgets the contacts of the substep before, and sets the spins of the balls.
    pub fn start(&mut self, spins: &[DVec3]) {
        self.contacts.clear();
        self.spins.clear();
        self.spins.extend(spins);
        self.recalled = false;
    }

    /// Gives the contacts of a substep of `h` seconds the forces that they had in the substep
    /// before. `forces` is sorted by key.
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

    /// Stores the forces of contacts that approached at `resting` m/s at most, in a substep of `h`
    /// seconds. Faster contacts are impacts, whose forces do not last.
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

    /// Makes one sweep over all contacts.
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
    use crate::contact::cloth::feature_pair::Ways;
    use crate::contact::colliders::at_colliders::{find, guarantee};
    use crate::contact::colliders::collider::{Collider, Obstacles, Placed};
    use crate::contact::report::ContactReport;
    use crate::contact::resolve::velocity_level::{FreeMotion, Lag, Velocities};
    use crate::contact::shape::{Cylinder, Plane, Shape};
    use crate::contact::{ContactProperties, Layer, PointSetup};
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

    const PLACED: [Placed; 1] = [Placed { start: DVec3::ZERO, way: DVec3::ZERO }];

    /// An obstacle at the origin that stays.
    fn still(shape: Shape, surface: Surface) -> [Collider; 1] {
        let (path, layer) = (Trajectory::Still, Layer::default());
        let (centre, turn, belt) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        [Collider { shape, centre, surface, layer, path, turn, belt }]
    }

    fn point(particle: u32, surface: Surface) -> PointSetup {
        let properties = ContactProperties { radius: 0.0, surface, layer: Layer::default() };
        PointSetup { particle, properties }
    }

    /// A particle on a plane that rises at `slope` = tan α, stepped by symplectic Euler.
    fn slide(slope: f64, friction: f64, seconds: f64) -> (DVec3, DVec3) {
        let normal = DVec3::new(-slope, 1.0, 0.0).normalize();
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let colliders = still(Shape::Plane(Plane { normal }), surface);
        let h = 0.01;
        let pace = Pace { h, undone: 1.0 };
        let obstacles = Obstacles::among(&colliders, &PLACED);
        let points = [point(0, surface)];
        let mut contacts = PositionContacts::default();
        let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
        for _ in 0..(seconds / h).round() as u64 {
            let start = x;
            v[0].y -= G * h;
            x[0] += v[0] * h;
            let free = x;
            contacts.start(&[]);
            let w = &[1.0];
            let ways = Ways { start: &start, x: &x, w, h, margin: MARGIN, discrete: false };
            find(0, &mut contacts, &points, &ways, obstacles, &mut Vec::new());
            contacts.sweep(&start, &mut x, &[1.0], pace);
            v[0] += (x[0] - free[0]) / h;
            finish(&mut contacts, &mut v, &[1.0], 2.0 * G * h, pace);
            guarantee(&points, &start, &mut x, &[1.0], obstacles);
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

    /// Beads on rigid links round the upper half of a drum, with a force on each end. Returns how
    /// far the beads on the drum have crept in the last of three seconds. One sweep a step, as is
    /// usual with small steps.
    fn capstan(beads: usize, friction: f64, ratio: f64) -> f64 {
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let radius = 0.2;
        let drum = Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius });
        let colliders = still(drum, surface);
        let h = 1e-3;
        let pace = Pace { h, undone: 1.0 };
        let obstacles = Obstacles::among(&colliders, &PLACED);
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
            contacts.start(&[]);
            let ways = Ways { start: &start, x: &x, w: &w, h, margin: MARGIN, discrete: false };
            find(0, &mut contacts, &points, &ways, obstacles, &mut Vec::new());
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
            guarantee(&points, &start, &mut x, &w, obstacles);
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
