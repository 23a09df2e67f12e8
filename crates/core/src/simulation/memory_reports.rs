//! Reports to the integrator's memory about changes of positions and velocities that are not part
//! of the motion.

use crate::contact::Contacts;
use crate::integrate::{CollidedParticle, KickedParticle, Memory};
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::numerics::state::{ParticleIndex, State, Workspace};

/// Memory of the integrator at the end of a substep of `h` seconds.
pub(super) struct IntegratorMemory<'a> {
    pub columns: Memory,
    pub work: &'a mut Workspace,
    pub h: f64,
}

impl IntegratorMemory<'_> {
    /// Reports positions and velocities that the energy limit for impacts has changed. `whole`
    /// contains the positions and velocities before this change.
    pub fn report_shortened_motion(&mut self, whole: [&[DVec3]; 2], [x, v]: [&[DVec3]; 2]) {
        for (i, (x, v, x_whole, v_whole)) in izip!(x, v, whole[0], whole[1]).enumerate() {
            let particle = ParticleIndex { index: i, count: whole[0].len() };
            self.report_kick(particle, *v - *v_whole, *x - *x_whole);
        }
    }

    fn report_kick(&mut self, particle: ParticleIndex, change: DVec3, moved: DVec3) {
        if change != DVec3::ZERO || moved != DVec3::ZERO {
            let kick = KickedParticle { particle, change, moved };
            self.columns.adapt_to_kick(self.work, kick, self.h);
        }
    }

    fn restart(&mut self, after: CollidedParticle) {
        self.columns.restart_after_collision(self.work, after, self.h);
    }

    /// Clears the reactions of balls that collided in the substep, because their velocities already
    /// are motion velocities V (see `reaction.rs`). Also restarts the integrator's memory of these
    /// balls.
    pub fn reset_collided_balls(
        &mut self,
        contacts: &Contacts,
        reactions: [&mut [DVec3]; 2],
        state: &State,
    ) {
        for column in reactions.into_iter().filter(|column| !column.is_empty()) {
            contacts.collided_balls().for_each(|(i, _)| column[i] = DVec3::ZERO);
        }
        for (i, displacement) in contacts.collided_balls() {
            let particle = ParticleIndex { index: i, count: state.len() };
            let (x, v) = (state.x[i], state.v[i]);
            self.restart(CollidedParticle { particle, x, v, displacement });
        }
    }
}

/// Velocity changes by contact or by a solver's velocity stage, at the end of a substep.
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
    /// Reports velocity changes after the update by the projection.
    pub fn report_changes(&self, memory: &mut IntegratorMemory) {
        for (i, (v, consistent_v)) in izip!(self.v, self.consistent_v).enumerate() {
            memory.report_kick(self.particle(i), *v - *consistent_v, DVec3::ZERO);
        }
    }

    /// Reports all changes of velocity, and restarts the memory of particles that hit something. If
    /// the integrator repeats impulses, also restarts the memory of all particles that `links`, the
    /// links of the solver, connect with them.
    pub fn report_with_impacts(
        &self,
        contacts: &Contacts,
        links: &Links,
        memory: &mut IntegratorMemory,
    ) {
        self.report_changes(memory);
        if !memory.columns.repeats_impulses() {
            return contacts.bounced_particles().for_each(|i| self.restart(i, memory));
        }
        let mut has_bounced = vec![false; self.x.len()];
        contacts.bounced_particles().for_each(|i| has_bounced[i] = true);
        if has_bounced.contains(&true) {
            let bodies = links.bodies(self.x.len()).into_iter();
            let bodies = bodies.map(|body| body.start as usize..body.end as usize);
            let hit = bodies.filter(|body| has_bounced[body.clone()].contains(&true));
            hit.flatten().for_each(|i| self.restart(i, memory));
        }
    }

    fn restart(&self, i: usize, memory: &mut IntegratorMemory) {
        let (x, v) = (self.x[i], self.v[i]);
        let displacement = (x - self.start[i]) + (v - self.consistent_v[i]) * memory.h;
        memory.restart(CollidedParticle { particle: self.particle(i), x, v, displacement });
    }

    fn particle(&self, i: usize) -> ParticleIndex {
        ParticleIndex { index: i, count: self.x.len() }
    }
}
