//! Replacement of a running simulation's scene by a scene with added or removed bodies.

use crate::contact::{ColliderShift, ContactMemory};
use crate::measure::Explosion;
use crate::model::{MOST_THROWN, Parts, PinnedParticle, Thrown};
use crate::simulation::run_state::{ENERGY_NOT_COMPUTED, Failure, RunState};
use crate::simulation::running_scene::Simulation;
use crate::simulation::snapshot::cut_links;
use glam::DVec3;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::numerics::state::State;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Correspondence between the particles and colliders of the old parts and those of the new parts.
#[derive(Clone, Copy, Debug)]
pub struct PartsMapping<'a> {
    /// For each particle of the new parts, the index of the old particle whose position and
    /// velocity it keeps; `None` for a new particle. Indices beyond the old parts are thrown balls.
    pub particles: &'a [Option<u32>],
    /// For each particle of the old parts, its index in the new parts; `None` if it is removed.
    pub numbers: &'a [Option<u32>],
    /// Positions of the new particles in metres, by ascending index.
    pub fresh: &'a [DVec3],
    /// For each collider of the new parts, its index in the old parts; `None` for a new collider.
    pub colliders: &'a [Option<u32>],
    /// Index of the thrown ball that is removed, or that becomes a ball of the new parts; `None` if
    /// all thrown balls remain.
    pub lost_ball: Option<usize>,
}

impl Simulation {
    /// Replaces the parts of the scene by parts that share some particles with the old ones. Shared
    /// particles keep position, velocity, pins, cuts and spins. The hand releases its body. The
    /// memories of integrator and solver restart.
    pub fn carry_over(&mut self, parts: Arc<Parts>, mapping: &PartsMapping) {
        self.release();
        let old = self.parts().clone();
        let scene = old.mesh.positions.len();
        let order = thrown_order(self.model.thrown(), mapping.lost_ball);
        let thrown = select_thrown_balls(self.model.thrown(), &order, mapping.lost_ball.is_some());
        let pins = mapping.pins(self.model.pins(), &parts, (scene, &order));
        let cut = mapping.cuts([&old.mesh.links, &parts.mesh.links], &cut_links(&self.model));
        let run = std::mem::take(&mut self.run);
        let state = |from: &State| State {
            t: from.t,
            x: mapping.column(&from.x, mapping.fresh, (scene, &order)),
            v: mapping.column(&from.v, &[], (scene, &order)),
        };
        let failure = run.failure.map(|failure| Failure {
            explosion: Explosion {
                particle: mapping.number(failure.explosion.particle).unwrap_or(0),
                link: None,
                ..failure.explosion
            },
            ..failure
        });
        let arriving = run.arriving.iter();
        let place = |old: u32| mapping.colliders.iter().position(|from| *from == Some(old));
        let arriving = arriving.filter_map(|(old, goal)| Some((place(*old)? as u32, *goal)));
        self.run = RunState {
            state: state(&run.state),
            previous: state(&run.previous),
            clock: run.clock,
            stepper: run.stepper,
            plan: run.plan,
            frame: run.frame,
            shifts: mapping.shifts(&run.shifts),
            arriving: arriving.collect(),
            blow: run.blow,
            failure,
            start_energy: ENERGY_NOT_COMPUTED,
            sweeps: run.sweeps,
            stretch_armed: run.stretch_armed,
            contact_memory: mapping.contact_memory(&run.contact_memory, [&old, &parts], &order),
            scheduled_throws: run.scheduled_throws,
            torn: run.torn,
            ..RunState::default()
        };
        self.motion = None;
        self.trails.clear();
        self.rebuild(parts, &cut, &thrown, &pins);
    }
}

impl PartsMapping<'_> {
    fn number(&self, old: u32) -> Option<u32> {
        self.numbers.get(old as usize).copied().flatten()
    }

    /// Returns a column of the new state. New particles get the values in `fresh`, or 0.
    fn column(
        &self,
        old: &[DVec3],
        fresh: &[DVec3],
        (scene, thrown): (usize, &[usize]),
    ) -> Vec<DVec3> {
        let mut fresh = fresh.iter();
        let bodies = self.particles.iter().map(|from| match from {
            Some(from) => old[*from as usize],
            None => fresh.next().copied().unwrap_or_default(),
        });
        let bodies: Vec<DVec3> = bodies.collect();
        bodies.into_iter().chain(thrown.iter().map(|k| old[scene + k])).collect()
    }

    /// Returns the pins of the remaining particles, then those of new particles.
    fn pins(
        &self,
        pins: &[PinnedParticle],
        parts: &Parts,
        (scene, thrown): (usize, &[usize]),
    ) -> Vec<PinnedParticle> {
        let thrown_number = |particle: u32| {
            let k = (particle as usize).checked_sub(scene)?;
            let place = thrown.iter().position(|it| *it == k)?;
            Some((parts.mesh.positions.len() + place) as u32)
        };
        let stays = |pin: &PinnedParticle| {
            let particle = self.number(pin.particle).or_else(|| thrown_number(pin.particle))?;
            Some(PinnedParticle { particle, ..pin.clone() })
        };
        let is_new = |particle: u32| self.particles[particle as usize].is_none();
        let new = parts.pins.iter().filter(|pin| is_new(pin.particle)).map(|pin| PinnedParticle {
            particle: pin.particle,
            origin: parts.mesh.positions[pin.particle as usize],
            path: pin.path.clone(),
        });
        pins.iter().filter_map(stays).chain(new).collect()
    }

    /// Returns the indices of the cut links in the new parts. If two particles have several links,
    /// these keep their order.
    fn cuts(&self, [old, new]: [&Links; 2], cut: &[u32]) -> Vec<u32> {
        if cut.is_empty() {
            return Vec::new();
        }
        let mut numbers: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (number, link) in (0..).zip(old.iter()) {
            numbers.entry([link.a, link.b]).or_default().push(number);
        }
        let mut counts: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let from = |particle: u32| self.particles[particle as usize];
        let is_cut = |link: crate::mesh::Link| {
            let ends = [from(link.a)?, from(link.b)?];
            let count = counts.entry(ends).or_default();
            let number = numbers.get(&ends)?.get(*count);
            *count += 1;
            cut.binary_search(number?).ok()
        };
        let which: Vec<bool> = new.iter().map(is_cut).map(|it| it.is_some()).collect();
        (0..).zip(which).filter(|(_, is_cut)| *is_cut).map(|(number, _)| number).collect()
    }

    fn shifts(&self, old: &[ColliderShift]) -> Vec<ColliderShift> {
        if old.is_empty() {
            return Vec::new();
        }
        let shift = |from: &Option<u32>| from.and_then(|from| old.get(from as usize).copied());
        self.colliders.iter().map(|from| shift(from).unwrap_or_default()).collect()
    }

    /// Returns a contact memory with the old spins and counts, but without remembered contact
    /// forces.
    fn contact_memory(
        &self,
        old: &ContactMemory,
        [before, after]: [&Parts; 2],
        thrown: &[usize],
    ) -> ContactMemory {
        let balls = before.contact.balls.iter().map(|ball| ball.particle);
        let balls = balls.chain(before.mesh.positions.len() as u32..);
        let spins: BTreeMap<u32, DVec3> = balls.zip(old.spin.iter().copied()).collect();
        let mut contact_memory = ContactMemory::new(&after.contact);
        for (spin, ball) in contact_memory.spin.iter_mut().zip(&after.contact.balls) {
            let from = self.particles[ball.particle as usize];
            if let Some(own) = from.and_then(|from| spins.get(&from)) {
                *spin = *own;
            }
        }
        let first = before.contact.balls.len();
        let spins = thrown.iter().map(|k| old.spin.get(first + k).copied().unwrap_or_default());
        contact_memory.spin.extend(spins);
        contact_memory.report = old.report;
        contact_memory
    }
}

/// Returns the old indices of the remaining thrown balls, in their new order. If one ball is lost,
/// the oldest remaining one comes first.
fn thrown_order(thrown: &Thrown, lost: Option<usize>) -> Vec<usize> {
    let count = thrown.balls.len();
    let oldest = match lost {
        Some(_) if count == MOST_THROWN => (thrown.throws % MOST_THROWN as u64) as usize,
        _ => 0,
    };
    let order = (0..count).map(|k| (oldest + k) % count);
    order.filter(|k| Some(*k) != lost).collect()
}

fn select_thrown_balls(thrown: &Thrown, order: &[usize], is_other: bool) -> Thrown {
    let balls: Vec<_> = order.iter().map(|k| thrown.balls[*k]).collect();
    let throws = if is_other { balls.len() as u64 } else { thrown.throws };
    Thrown { balls, throws }
}
