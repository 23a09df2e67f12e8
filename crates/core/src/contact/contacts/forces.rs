//! Forces of contacts and bodies in contact after a substep, for display and measurements.

use super::Contacts;
use crate::contact::bodies::collider::Collider;
use crate::contact::contact_force::ContactForce;
use glam::DVec3;

impl Contacts {
    /// Yields the contacts of the last substep with their forces. The force of a collision is its
    /// impulse divided by h.
    pub(crate) fn contact_forces(&self) -> impl Iterator<Item = ContactForce> {
        let force_scale = self.instant.force_scale();
        let position_contacts =
            self.position_contacts.contacts.iter().chain(&self.resting.contacts);
        let position_contacts =
            position_contacts.filter_map(move |contact| contact.as_contact_force(force_scale));
        position_contacts.chain(self.events.contact_forces.iter().copied())
    }

    /// Yields the balls whose velocities collisions changed in the last substep: index of the
    /// particle, and its displacement in metres in a whole substep at the velocity after the
    /// collision. The removal of an overlap moves a ball without a collision.
    pub(crate) fn collided_balls(&self) -> impl Iterator<Item = (usize, DVec3)> {
        let balls = self.events.balls.iter().filter(|ball| ball.collided);
        balls.map(|ball| (ball.particle as usize, ball.whole_displacement()))
    }

    /// Yields the work of collisions on the centre of each ball that collided in the last substep:
    /// index of the particle, and work in joules.
    pub fn collision_work(&self) -> impl Iterator<Item = (usize, f64)> {
        let balls = self.events.balls.iter().filter(|ball| ball.collided);
        balls.map(|ball| (ball.particle as usize, ball.work))
    }

    /// Calls `visit` for each particle in contact with a collider that moves or whose surface
    /// moves, and passes the velocity of the surface at the contact in m/s.
    pub(crate) fn for_each_moving_surface(
        &self,
        colliders: &[Collider],
        mut visit: impl FnMut(u32, DVec3),
    ) {
        for contact in self.contact_forces() {
            let Some(number) = contact.collider.map(|number| number as usize) else { continue };
            let both = colliders.get(number).zip(self.placed.get(number));
            let Some((collider, placed)) = both else { continue };
            let from = contact.at - placed.at(1.0);
            let (distance, normal) = collider.shape.distance(from);
            let surface = collider.surface_velocity(from - normal * distance);
            let velocity = placed.displacement * (1.0 / self.instant.h) + surface;
            if velocity != DVec3::ZERO {
                (0..contact.count).for_each(|k| visit(contact.particles[k], velocity));
            }
        }
    }

    /// Yields the particles whose velocities contact has changed abruptly. The integrator's memory
    /// restarts for them.
    pub(crate) fn bounced_particles(&self) -> impl Iterator<Item = usize> {
        self.position_contacts.bounced_particles(self.resting_speed)
    }

    /// Yields the particles that an impact on a collider has moved in the last substep.
    pub(crate) fn particles_struck_by_colliders(&self) -> impl Iterator<Item = usize> {
        self.position_contacts.particles_struck_by_colliders(self.resting_speed)
    }

    /// Returns the positions (in metres) and velocities (in m/s) before the newest substep removed
    /// energy that impacts on colliders had created; `None` if it removed none.
    pub(crate) fn motion_before_shortening(&self) -> Option<[&[DVec3]; 2]> {
        self.has_shortened_impacts().then(|| self.energy_limit.stored_motion())
    }

    /// True if the newest substep has removed energy that impacts on colliders had created.
    pub(crate) fn has_shortened_impacts(&self) -> bool {
        self.energy_limit.has_shortened_impacts
    }
}
