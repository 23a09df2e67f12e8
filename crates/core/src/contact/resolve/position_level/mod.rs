//! Contacts at position level, projected in the same sweeps as links.
//!
//! Each contact is a plane that its particles may not cross. Its multipliers for the normal and for
//! friction add up over the sweeps of a substep, as in XPBD, so a sticking contact does not slide
//! at all. With friction bounded by the correction of a single sweep, contacts would creep.

use super::response::{INVERSE_INERTIA, spin_of};
use crate::contact::bodies::surface::Surface;
use crate::contact::contact_force::ContactForce;
use crate::contact::substep::ForceScale;
use glam::DVec3;

/// Fraction of an initial overlap that a substep removes. It is small, so that bodies are not
/// thrown apart.
pub(in crate::contact) const RECOVERY: f64 = 0.1;

/// Largest speed in m/s at which an initial overlap shrinks. Contacts do not turn this motion into
/// velocity, but taut links turn the motion of a neighbour into velocity. Without this limit a rope
/// that overlapped a drum by 5 mm gained 0.7 J in substeps of 1 ms and 66 J in substeps of 0.1 ms.
const RECOVERY_SPEED: f64 = 0.1;

/// Returns the length in metres by which a substep of `h` seconds reduces an initial overlap.
pub(in crate::contact) fn recovered_length(overlap: f64, h: f64) -> f64 {
    (RECOVERY * overlap.max(0.0)).min(RECOVERY_SPEED * h)
}

/// Returns the initial overlap in metres that a substep of `h` seconds leaves.
pub(in crate::contact) fn remaining_length(overlap: f64, h: f64) -> f64 {
    ((1.0 - RECOVERY) * overlap).max(overlap - RECOVERY_SPEED * h)
}

/// Largest gap in metres at which two bodies count as being in contact.
pub(in crate::contact) const CONTACT_GAP: f64 = 1e-12;

/// A contact of two bodies, as a plane that the first body may not cross.
///
/// The first fields are those that a sweep needs to decide whether the bodies touch.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::contact) struct Contact {
    /// Particles of both bodies; the first `count` entries are valid.
    pub particles: [u32; 4],
    /// Weight of each particle: Σ weight · x is the point that may not cross the plane (see
    /// `features.rs`).
    pub weights: [f64; 4],
    /// Unit normal of the plane, towards the first body.
    pub normal: DVec3,
    pub plane_point: DVec3,
    /// Inverse mass of the contact, Σ weight² · w, in 1/kg.
    pub inverse_mass: f64,
    /// Multiplier along the normal in kg·m, at least 0.
    pub normal_multiplier: f64,
    /// Number of valid entries in `particles` and `weights`.
    pub count: usize,
    /// Multiplier of friction in kg·m, tangential to the plane.
    pub friction_multiplier: DVec3,
    /// Displacement of the second body's surface in the substep, in metres.
    pub surface_displacement: DVec3,
    pub surface: Surface,
    /// True if the contact slides; false if it sticks.
    pub slides: bool,
    /// True if the bodies touch, with or without a force.
    pub is_in_contact: bool,
    /// Impulse at velocity level in N·s, in addition to the multipliers.
    pub velocity_impulse: DVec3,
    /// Balls among the first two particles. Friction changes their spins.
    pub rolling_balls: [Option<Rolling>; 2],
    /// Identity of the contact and sort key, by which the next substep finds the stored force.
    pub key: u64,
    /// Index of the collider; `None` if the second body is not a collider.
    pub collider: Option<u32>,
    /// Position of the first particle at the moment of contact, in metres.
    pub at: DVec3,
    /// Part of an initial overlap in metres that the substep removes without changing velocities.
    pub recovered: f64,
    /// Approach speed at the start of the substep, in m/s.
    pub approach: f64,
}

/// A ball in a contact; friction changes its spin.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Rolling {
    /// Index of the ball in the list of balls.
    pub ball: u32,
    /// Inverse mass in 1/kg.
    pub w: f64,
    pub radius: f64,
}

impl Contact {
    /// Key of a contact whose force is not stored.
    const NO_KEY: u64 = u64::MAX;

    /// Returns a contact without particles and without a force, at the position `at` in metres.
    pub fn without_force(normal: DVec3, at: DVec3, surface: Surface) -> Self {
        Self {
            particles: [0; 4],
            weights: [0.0; 4],
            normal,
            plane_point: DVec3::ZERO,
            inverse_mass: 0.0,
            normal_multiplier: 0.0,
            count: 0,
            friction_multiplier: DVec3::ZERO,
            surface_displacement: DVec3::ZERO,
            surface,
            slides: false,
            is_in_contact: false,
            velocity_impulse: DVec3::ZERO,
            rolling_balls: [None; 2],
            key: Self::NO_KEY,
            collider: None,
            at,
            recovered: 0.0,
            approach: 0.0,
        }
    }

    /// Returns the key of a contact with collider `number`. `index` is the index of the link or
    /// triangle if `between` is true, otherwise that of the particle. All keys of one collider
    /// precede those of the next.
    pub fn key_at_collider(number: usize, between: bool, index: usize) -> u64 {
        (number as u64) << 40 | u64::from(between) << 39 | index as u64
    }

    /// Returns the contact key of a pair of features from its key in the near list. Keys of pairs
    /// follow those of colliders.
    pub fn key_of_pair(key: u64) -> u64 {
        1 << 63 | key
    }

    /// Returns Σ weight · x in metres.
    fn contact_point(&self, x: &[DVec3]) -> DVec3 {
        let first = x[self.particles[0] as usize] * self.weights[0];
        (1..self.count).fold(first, |sum, k| sum + x[self.particles[k] as usize] * self.weights[k])
    }

    /// Returns Σ weight · (x − start) in metres.
    pub fn contact_displacement(&self, x: &[DVec3], start: &[DVec3]) -> DVec3 {
        let of = |k: usize| {
            let i = self.particles[k] as usize;
            (x[i] - start[i]) * self.weights[k]
        };
        (1..self.count).fold(of(0), |sum, k| sum + of(k))
    }

    pub fn particles_with_weights(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let Self { particles, weights, count, .. } = *self;
        (0..count).map(move |k| (particles[k] as usize, weights[k]))
    }

    /// Moves the particles by a position impulse: `amount` in kg·m times `direction`.
    fn apply_impulse(&self, x: &mut [DVec3], w: &[f64], direction: DVec3, amount: f64) {
        for k in 0..self.count {
            let i = self.particles[k] as usize;
            x[i] += direction * (w[i] * self.weights[k] * amount);
        }
    }

    /// Returns Σ weight² · w in 1/kg.
    pub fn inverse_mass_of(particles: &[u32], weights: &[f64], w: &[f64]) -> f64 {
        let terms = particles.iter().zip(weights);
        terms.map(|(i, weight)| weight * weight * w[*i as usize]).sum()
    }

    /// Returns the inverse mass of the contact against friction in 1/kg. A friction impulse acts on
    /// the balls' spins `turned` times as strongly as on their motion.
    pub fn inverse_mass_along(&self, turned: f64) -> f64 {
        let rolling_balls = self.rolling_balls.iter().flatten();
        rolling_balls.fold(self.inverse_mass, |inverse_mass, rolling| {
            inverse_mass + INVERSE_INERTIA * turned * rolling.w
        })
    }

    /// Returns the relative velocity in m/s of the surfaces at the contact due to the balls' spins.
    pub fn velocity_by_spins(&self, spins: &[DVec3]) -> DVec3 {
        let rolling_balls = self.rolling_balls.iter().flatten();
        rolling_balls.fold(DVec3::ZERO, |sum, Rolling { ball, radius, .. }| {
            sum + spins[*ball as usize].cross(self.normal) * *radius
        })
    }

    /// Applies a friction impulse in N·s to the spins of the balls.
    pub fn spin_balls(&self, spins: &mut [DVec3], impulse: DVec3) {
        // Impulse and outward direction both change sign for the second ball, so both spins change
        // equally.
        for Rolling { ball, w, radius } in self.rolling_balls.iter().flatten() {
            spins[*ball as usize] += spin_of(-self.normal, impulse, *w, *radius);
        }
    }

    /// True for a contact between ropes and cloths, with neither a collider nor a ball.
    pub fn is_between_meshes(&self) -> bool {
        self.collider.is_none() && self.rolling_balls.iter().all(Option::is_none)
    }

    /// Returns the contact with its mean force in the substep, for display; `None` without a force.
    pub fn as_contact_force(&self, force_scale: ForceScale) -> Option<ContactForce> {
        let Self {
            particles,
            weights,
            count,
            collider,
            normal,
            at,
            normal_multiplier,
            friction_multiplier,
            velocity_impulse,
            ..
        } = *self;
        let force = (normal * normal_multiplier + friction_multiplier) * force_scale.force_rate()
            + velocity_impulse * force_scale.turn_rate();
        (normal_multiplier > 0.0 || velocity_impulse != DVec3::ZERO).then_some(ContactForce {
            particles,
            weights,
            count,
            collider,
            at,
            normal,
            force,
        })
    }

    /// Moves and spins the bodies by the initial multipliers, which come from stored forces.
    pub fn apply_initial_multipliers(
        &self,
        x: &mut [DVec3],
        w: &[f64],
        spins: &mut [DVec3],
        force_scale: ForceScale,
    ) {
        self.apply_impulse(x, w, self.normal, self.normal_multiplier);
        self.apply_friction(x, w, spins, self.friction_multiplier, force_scale);
    }

    /// Applies friction, given as a position impulse in kg·m, to positions and spins.
    fn apply_friction(
        &self,
        x: &mut [DVec3],
        w: &[f64],
        spins: &mut [DVec3],
        friction_multiplier: DVec3,
        force_scale: ForceScale,
    ) {
        self.apply_impulse(x, w, friction_multiplier, 1.0);
        self.spin_balls(spins, friction_multiplier * force_scale.turn_rate());
    }

    /// Projects the contact: first the normal, then friction. Returns the correction along the
    /// normal in metres. w is the inverse mass of the contact, μ its friction coefficient, and s
    /// the displacement along the surface since the start of the substep.
    /// ```text
    /// λ_n ← max(0, λ_n − C/w),            C = n·(Σ weight x − plane_point)
    /// λ_t ← λ_t − s/w within μ λ_n
    /// ```
    pub fn project(
        &mut self,
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        spins: &mut [DVec3],
        force_scale: ForceScale,
    ) -> f64 {
        let Self {
            normal,
            plane_point,
            surface_displacement,
            surface,
            normal_multiplier,
            friction_multiplier,
            inverse_mass,
            ..
        } = *self;
        let error = normal.dot(self.contact_point(x) - plane_point);
        self.normal_multiplier = (normal_multiplier - error / inverse_mass).max(0.0);
        self.is_in_contact = error <= CONTACT_GAP;
        if self.normal_multiplier == 0.0 && normal_multiplier == 0.0 {
            // The normal force was 0 before this projection and is still 0, so there is no
            // friction.
            return 0.0;
        }
        self.apply_impulse(x, w, normal, self.normal_multiplier - normal_multiplier);
        let moved = self.contact_displacement(x, start)
            - surface_displacement
            - self.velocity_by_spins(spins) * force_scale.h;
        let slid = moved - normal * normal.dot(moved);
        let wanted = friction_multiplier
            - slid / self.inverse_mass_along(1.0 / force_scale.projected_fraction);
        let most = self.normal_multiplier * surface.static_friction;
        self.slides = wanted.length_squared() > most * most;
        self.friction_multiplier = if self.slides {
            wanted.normalize_or_zero() * (self.normal_multiplier * surface.friction)
        } else {
            wanted
        };
        self.apply_friction(
            x,
            w,
            spins,
            self.friction_multiplier - friction_multiplier,
            force_scale,
        );
        (self.normal_multiplier - normal_multiplier).abs() * inverse_mass
    }
}

/// Force in a contact of ropes and cloths, with each other or with a collider. The next substep
/// starts from this force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RememberedForce {
    key: u64,
    normal_force: f64,
    friction_force: DVec3,
}

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct PositionContacts {
    pub contacts: Vec<Contact>,
    pub spins: Vec<DVec3>,
    /// Buffer for the acceleration of each particle by contacts, in m/s².
    pub contact_accelerations: Vec<DVec3>,
    /// True if stored forces must be applied before the first sweep.
    has_remembered_forces: bool,
}

impl PositionContacts {
    /// Clears the contacts of the last substep, and sets the spins of the balls.
    pub fn begin_substep(&mut self, spins: &[DVec3]) {
        self.contacts.clear();
        self.spins.clear();
        self.spins.extend(spins);
        self.has_remembered_forces = false;
    }

    /// Gives the contacts of a substep of `h` seconds the forces that they had in the previous
    /// substep. `forces` is sorted by key.
    pub fn restore_forces(&mut self, forces: &[RememberedForce], h: f64) {
        let mut forces = forces.iter().peekable();
        for contact in self.contacts.iter_mut().filter(|contact| contact.key != Contact::NO_KEY) {
            while forces.next_if(|force| force.key < contact.key).is_some() {}
            if let Some(force) = forces.next_if(|force| force.key == contact.key) {
                contact.normal_multiplier = force.normal_force * (h * h);
                contact.friction_multiplier =
                    force.friction_force.reject_from_normalized(contact.normal) * (h * h);
                self.has_remembered_forces = true;
            }
        }
    }

    /// Stores the forces of contacts whose approach speed in a substep of `h` seconds was at most
    /// `resting_speed` m/s. Faster contacts are impacts, whose forces do not last.
    pub fn store_forces(&self, h: f64, resting_speed: f64, forces: &mut Vec<RememberedForce>) {
        let rate = 1.0 / (h * h);
        let lasts = |contact: &&Contact| {
            contact.normal_multiplier > 0.0
                && contact.key != Contact::NO_KEY
                && contact.approach <= resting_speed
        };
        forces.clear();
        forces.extend(self.contacts.iter().filter(lasts).map(|contact| RememberedForce {
            key: contact.key,
            normal_force: contact.normal_multiplier * rate,
            friction_force: contact.friction_multiplier * rate,
        }));
    }

    pub fn sweep(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64], force_scale: ForceScale) {
        if std::mem::take(&mut self.has_remembered_forces) {
            let pushing = self.contacts.iter().filter(|contact| contact.normal_multiplier > 0.0);
            pushing.for_each(|contact| {
                contact.apply_initial_multipliers(x, w, &mut self.spins, force_scale)
            });
        }
        for contact in &mut self.contacts {
            contact.project(start, x, w, &mut self.spins, force_scale);
        }
    }
}

#[cfg(test)]
mod tests;
