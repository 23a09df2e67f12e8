//! Reports to the integrator's memory: changes of positions and velocities that are no motion.

use crate::contact::Contacts;
use crate::integrate::{CollidedParticle, Integrator, KickedParticle};
use crate::numerics::state::{State, Workspace};
use glam::DVec3;
use itertools::izip;

/// Changes of velocities by contact, or by a solver's velocity stage, at the end of a substep.
pub(super) struct VelocityChanges<'a> {
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
    /// Positions at the end of the substep, in metres.
    pub x: &'a [DVec3],
    /// Velocities after the update by the projection, v + (x − free)/h, in m/s.
    pub consistent_v: &'a [DVec3],
    /// Velocities after the change by contact or velocity stage, in m/s.
    pub v: &'a [DVec3],
}

impl VelocityChanges<'_> {
    /// Reports changes of velocity after the update by the projection to the integrator's memory.
    pub fn report_changes(&self, (integrator, work): (&dyn Integrator, &mut Workspace), h: f64) {
        let n = self.x.len();
        for (i, (v, consistent_v)) in izip!(self.v, self.consistent_v).enumerate() {
            let change = *v - *consistent_v;
            if change != DVec3::ZERO {
                let (particle, moved) = ((i, n), DVec3::ZERO);
                integrator.adapt_to_kick(work, KickedParticle { particle, change, moved }, h);
            }
        }
    }

    /// Reports all changes of velocity to the integrator's memory, and restarts the memory of
    /// particles that hit something.
    pub fn report_with_impacts(
        &self,
        contacts: &Contacts,
        (integrator, work): (&dyn Integrator, &mut Workspace),
        h: f64,
    ) {
        let n = self.x.len();
        self.report_changes((integrator, work), h);
        for i in contacts.bounced_particles() {
            let (x, v) = (self.x[i], self.v[i]);
            let displacement = (x - self.start[i]) + (v - self.consistent_v[i]) * h;
            integrator.restart_after_collision(
                work,
                CollidedParticle { particle: (i, n), x, v, displacement },
                h,
            );
        }
    }
}

/// Reports positions and velocities that the energy limit of impacts has changed to the memory of
/// the integrator. `whole` are positions and velocities before.
pub(super) fn report_shortened_motion(
    (integrator, work): (&dyn Integrator, &mut Workspace),
    whole: [&[DVec3]; 2],
    [x, v]: [&[DVec3]; 2],
    h: f64,
) {
    for (i, (x, v, x_whole, v_whole)) in izip!(x, v, whole[0], whole[1]).enumerate() {
        let (moved, change) = (*x - *x_whole, *v - *v_whole);
        if change != DVec3::ZERO || moved != DVec3::ZERO {
            let particle = (i, whole[0].len());
            integrator.adapt_to_kick(work, KickedParticle { particle, change, moved }, h);
        }
    }
}

/// Clears the reactions of balls that collided in the substep of `h` seconds, because their
/// velocities already are motion velocities V (see `reaction.rs`). Restarts the integrator's memory
/// of these balls.
pub(super) fn reset_collided_balls(
    contacts: &Contacts,
    reactions: [&mut [DVec3]; 2],
    (integrator, work): (&dyn Integrator, &mut Workspace),
    state: &State,
    h: f64,
) {
    for column in reactions.into_iter().filter(|column| !column.is_empty()) {
        contacts.collided_balls().for_each(|(i, _)| column[i] = DVec3::ZERO);
    }
    for (i, displacement) in contacts.collided_balls() {
        let particle = (i, state.len());
        integrator.restart_after_collision(
            work,
            CollidedParticle { particle, x: state.x[i], v: state.v[i], displacement },
            h,
        );
    }
}
