//! Balls that rest on each other and on colliders. Their contacts are projected at position level,
//! in the same sweeps as links.
//!
//! Balls in contact that approach too slowly to bounce need no time of impact: in a heap, an event
//! loop would only process thousands of small impulses one by one. Contact forces are stored from
//! substep to substep, so the sweeps of a heap at rest start with the forces of the previous
//! substep.

use crate::contact::bodies::collider::{Collider, Obstacles, Placed};
use crate::contact::bodies::properties::BallSetup;
use crate::contact::resolve::position_level::{Contact, Rolling};
use crate::contact::search::broad_phase::{BoundingCube, CellGrid};
use crate::contact::search::crowd::TooManyPairs;
use crate::contact::substep::{ForceScale, SubstepMotion};
use glam::DVec3;
use itertools::izip;

/// Bodies of a resting contact (a contact too slow to bounce). Contacts between balls sort before
/// contacts with colliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    /// Indices of two balls, the smaller one first.
    Balls(u32, u32),
    /// Indices of a ball and of a collider.
    Collider(u32, u32),
}

/// Force in a resting contact at the end of a substep, from which the next substep starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestingForce {
    support: Support,
    normal_force: f64,
    friction_force: DVec3,
}

impl RestingForce {
    /// Returns `contact` with the multipliers that correspond to this force in a substep of `h`
    /// seconds.
    fn apply_to(self, contact: Contact, h: f64) -> Contact {
        let along = self.friction_force - contact.normal * contact.normal.dot(self.friction_force);
        Contact {
            normal_multiplier: self.normal_force * (h * h),
            friction_multiplier: along * (h * h),
            ..contact
        }
    }
}

/// Resting contacts (contacts too slow to bounce) of one substep.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Resting {
    /// Contacts between balls, then contacts of balls with colliders.
    pub contacts: Vec<Contact>,
    /// Bodies of each contact, in ascending order.
    supports: Vec<Support>,
    /// True until the first sweep of a substep, which begins with the stored forces.
    is_fresh: bool,
    /// Index in `contacts` of each ball's first contact with a ball of larger index. The last entry
    /// is the number of contacts between balls.
    starts: Vec<u32>,
    grid: CellGrid,
    cubes: Vec<BoundingCube>,
    pairs: Vec<(u32, u32)>,
}

impl Resting {
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.supports.clear();
        self.starts.clear();
        self.pairs.clear();
        self.is_fresh = true;
    }

    /// Finds the resting contacts of a substep: between two balls, or between a ball and a
    /// collider. The bodies approach each other at `resting_speed` m/s at most, or a contact force
    /// acted between them in the previous substep (`resting_forces`).
    pub fn find_contacts(
        &mut self,
        balls: &[BallSetup],
        motion: &SubstepMotion,
        obstacles: Obstacles,
        resting_speed: f64,
        resting_forces: &[RestingForce],
    ) -> Result<(), TooManyPairs> {
        let slow = resting_speed * motion.h;
        if balls.is_empty() || slow <= 0.0 || !motion.margin.is_finite() {
            return Ok(());
        }
        self.find_pairs(balls, motion, slow)?;
        let layers = obstacles.layers;
        let may_collide = |i: u32, j: u32| {
            layers
                .may_collide(balls[i as usize].properties.layer, balls[j as usize].properties.layer)
        };
        self.pairs.retain(|&(i, j)| may_collide(i, j));
        let Self { contacts, supports, starts, pairs, .. } = self;
        // Pairs and forces are in the same order, so one pass matches them.
        let mut resting_forces = resting_forces.iter().peekable();
        let mut known = |support: Support| {
            while resting_forces.next_if(|force| force.support < support).is_some() {}
            resting_forces.next_if(|force| force.support == support).copied()
        };
        let mut add = |support: Support, contact: Contact, known: Option<RestingForce>| {
            contacts.push(known.map_or(contact, |known| known.apply_to(contact, motion.h)));
            supports.push(support);
        };
        starts.resize(balls.len() + 1, 0);
        for &(i, j) in pairs.iter() {
            let both = [i, j].map(|number| (number, &balls[number as usize]));
            let support = Support::Balls(i, j);
            let known = known(support);
            let most = if known.is_some() { f64::INFINITY } else { slow };
            if let Some(contact) = on_ball(both, motion, [slow, most]) {
                add(support, contact, known);
                starts[i as usize + 1] += 1;
            }
        }
        for i in 0..balls.len() {
            starts[i + 1] += starts[i];
        }
        for ball in (0..).zip(balls) {
            for (number, collider, placed) in obstacles.colliders_for(ball.1.properties.layer) {
                let support = Support::Collider(ball.0, number);
                let known = known(support);
                let limits = [slow, if known.is_some() { f64::INFINITY } else { slow }];
                let contact = on_collider(ball, (number, collider, placed), motion, limits);
                if let Some(contact) = contact {
                    add(support, contact, known);
                }
            }
        }
        Ok(())
    }

    fn find_pairs(
        &mut self,
        balls: &[BallSetup],
        motion: &SubstepMotion,
        slow: f64,
    ) -> Result<(), TooManyPairs> {
        let Self { grid, cubes, pairs, .. } = self;
        cubes.clear();
        cubes.extend(balls.iter().map(|ball| {
            let i = ball.particle as usize;
            let far = motion.x[i].distance(motion.start[i]).max(0.5 * slow);
            BoundingCube { centre: motion.start[i], half: ball.properties.radius + far }
        }));
        grid.build(cubes);
        grid.collect_pairs(pairs)?;
        pairs.sort_unstable();
        Ok(())
    }

    /// Stores the forces of all contacts with a normal force, in a substep of `h` seconds.
    pub fn store_forces(&self, h: f64, resting_forces: &mut Vec<RestingForce>) {
        let rate = 1.0 / (h * h);
        resting_forces.clear();
        resting_forces.extend(
            izip!(&self.contacts, &self.supports)
                .filter(|(contact, _)| contact.normal_multiplier > 0.0)
                .map(|(contact, support)| RestingForce {
                    support: *support,
                    normal_force: contact.normal_multiplier * rate,
                    friction_force: contact.friction_multiplier * rate,
                }),
        );
    }

    /// Returns the number of pairs whose distance was computed.
    pub fn pairs_tested(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Runs one sweep over all resting contacts. Returns the largest correction along a normal, in
    /// metres.
    pub fn sweep(
        &mut self,
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        spins: &mut [DVec3],
        force_scale: ForceScale,
    ) -> f64 {
        if std::mem::take(&mut self.is_fresh) {
            self.contacts
                .iter()
                .for_each(|contact| contact.apply_initial_multipliers(x, w, spins, force_scale));
        }
        let sweep = |contact: &mut Contact| contact.project(start, x, w, spins, force_scale);
        self.contacts.iter_mut().map(sweep).fold(0.0, f64::max)
    }

    /// True if two balls, the smaller index first, have a resting contact.
    pub fn has_contact_between(&self, i: u32, j: u32) -> bool {
        let Some(&[from, to]) = self.starts.get(i as usize..i as usize + 2) else { return false };
        self.supports[from as usize..to as usize].contains(&Support::Balls(i, j))
    }
}

/// Returns the particle of a ball, and the ball's data for friction.
fn rolling((number, ball): (u32, &BallSetup), w: &[f64]) -> (usize, Rolling) {
    let i = ball.particle as usize;
    (i, Rolling { ball: number, w: w[i], radius: ball.properties.radius })
}

/// Returns the contact of two balls. They must not cross its plane, which is perpendicular to the
/// line between their centres at the start of the substep. `None` if the gap exceeds `slow` metres,
/// or if the balls approach by more than `most` metres.
fn on_ball(
    both: [(u32, &BallSetup); 2],
    motion: &SubstepMotion,
    [slow, most]: [f64; 2],
) -> Option<Contact> {
    let SubstepMotion { start, x, w, .. } = *motion;
    let [(i, first), (j, second)] = both.map(|ball| rolling(ball, w));
    let inverse_mass = first.w + second.w;
    let apart = start[i] - start[j];
    let distance = apart.length();
    let reach = first.radius + second.radius;
    let gap = distance - reach;
    if gap > slow || inverse_mass == 0.0 {
        return None;
    }
    let normal = apart.normalize_or(DVec3::Y);
    let closing = -normal.dot((x[i] - start[i]) - (x[j] - start[j]));
    if closing > most || gap - closing > slow {
        return None;
    }
    let [a, b] = both.map(|(_, ball)| ball.properties.surface);
    let particles = [i as u32, j as u32, j as u32, j as u32];
    Some(Contact {
        particles,
        weights: [1.0, -1.0, 0.0, 0.0],
        count: 2,
        inverse_mass,
        plane_point: normal * reach.min(distance),
        rolling_balls: [Some(first), Some(second)],
        ..Contact::without_force(normal, start[i], a.with(&b))
    })
}

/// Returns the contact of a ball with a collider, like [`on_ball`]. The plane moves with the
/// collider.
fn on_collider(
    ball: (u32, &BallSetup),
    (number, collider, placed): (u32, &Collider, &Placed),
    motion: &SubstepMotion,
    [slow, most]: [f64; 2],
) -> Option<Contact> {
    let SubstepMotion { start, x, w, h, .. } = *motion;
    let (i, rolling) = rolling(ball, w);
    let from = start[i] - placed.start;
    let (distance, normal) = collider.shape.distance(from);
    let gap = distance - rolling.radius;
    if gap > slow || rolling.w == 0.0 {
        return None;
    }
    let closing = -normal.dot(x[i] - start[i] - placed.displacement);
    if closing > most || gap - closing > slow {
        return None;
    }
    let plane_point = start[i] + placed.displacement - normal * gap.max(0.0);
    let surface_displacement =
        placed.displacement + collider.surface_velocity(from - normal * distance) * h;
    let surface = collider.surface.with(&ball.1.properties.surface);
    Some(Contact {
        particles: [i as u32; 4],
        weights: [1.0, 0.0, 0.0, 0.0],
        count: 1,
        collider: Some(number),
        inverse_mass: rolling.w,
        plane_point,
        surface_displacement,
        rolling_balls: [Some(rolling), None],
        ..Contact::without_force(normal, plane_point, surface)
    })
}
