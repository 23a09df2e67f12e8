//! Contact of one lane: collisions of balls, of ropes and cloths, and of all of them with
//! colliders.
//!
//! [`Contacts`] corrects the result of an integrator: from the positions at the start of a substep
//! and the positions that the integrator computed for its end ([`Columns`]), it computes corrected
//! positions and velocities at the end. Its modules, in the order of a substep:
//!
//! | Module | Question |
//! |---|---|
//! | `shape`, `swept` | when do two moving bodies touch for the first time? |
//! | `search` | which bodies may come near each other at all? |
//! | `balls` | balls: collisions in order of time, heaps at rest, balls on ropes and cloths |
//! | `colliders` | ropes and cloths at colliders |
//! | `cloth` | ropes and cloths at themselves and each other; nothing passes through |
//! | `resolve` | what contacts do to positions, velocities and energy |

mod balls;
mod cloth;
mod colliders;
mod discrete;
mod geometry;
mod initial_overlaps;
mod layer;
mod lists;
mod memory;
mod method;
mod report;
mod resolve;
mod search;
pub mod shape;
mod substep;
mod surface;
pub mod swept;

pub use balls::resting::Pressure;
pub use cloth::features;
pub use cloth::initial_crossings::InitialCrossings;
pub use cloth::touchable::{ContactKind, ContactTable};
pub use colliders::collider::{Collider, ColliderShift};
pub use colliders::penalty::{Motion, PenaltyForce};
pub use geometry::{BallSetup, ContactProperties, Geometry, PointSetup};
pub use initial_overlaps::InitialOverlaps;
pub use layer::{Layer, Layers};
pub use memory::ContactMemory;
pub use method::{BallPath, ContactMethod, Discrete, PairSearch, Penalty, SelfContact, Swept};
pub use report::ContactReport;
pub use resolve::energy_limit::EnergyOf;
pub use resolve::position_level::LayerForce;
pub use resolve::response;
pub use resolve::velocity_level::{FreeMotion, Lag, Velocities};
pub use search::broad_phase;
pub use search::clearance::Travels;
pub use search::crowd;
pub use substep::{Bodies, Columns, Instant};
pub use surface::Surface;

use balls::ball_features::BallFeatures;
use balls::events::{EventLoop, Rules, collect};
use balls::resting::Resting;
use cloth::cut::Cut;
use cloth::feature_pair::{FeaturePair, Separation, Ways};
use cloth::self_contact::SelfContactSearch;
use cloth::touchable::Touchable;
use colliders::collider::Placed;
use colliders::link_contacts::LinkContacts;
use discrete::Overlaps;
use glam::DVec3;
use resolve::energy_limit::EnergyLimit;
use resolve::position_level::PositionContacts;
use search::crowd::Crowded;

/// Number of sweeps before the check for convergence, in a substep in which no solver sets the
/// number of sweeps.
const SWEEPS: usize = 4;

/// Number of sweeps times resting contacts that a substep may cost. The number of sweeps that
/// follows is kept between `LEAST_OF_A_HEAP` and `MOST_SWEEPS`. A heap that needs more converges
/// over several substeps, because its forces are remembered.
const MOST_VISITS: usize = 20_000;
const LEAST_OF_A_HEAP: usize = 8;
const MOST_SWEEPS: usize = 100;

/// Tolerance of convergence: correction of resting balls in one sweep, as a fraction of 2 g h².
const CONVERGED: f64 = 1e-9;

/// Contact of one lane: the contacts of the current substep, and buffers.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    events: EventLoop,
    overlaps: Overlaps,
    held: PositionContacts,
    resting: Resting,
    gaps: Vec<f64>,
    between: LinkContacts,
    touchable: Touchable,
    draped: BallFeatures,
    itself: SelfContactSearch,
    pairs: Vec<FeaturePair>,
    cut: Cut,
    energy_limit: EnergyLimit,
    placed: Vec<Placed>,
    instant: Instant,
    margin: f64,
    /// Approach speed in m/s up to which contacts do not bounce.
    slow: f64,
    /// Number of cut links.
    cut_links: usize,
    /// True if contact forces between layers are kept from one substep to the next.
    remembers: bool,
    tested: u64,
    travels: Travels,
    /// True if contacts were searched in the last substep, because something was near balls or
    /// colliders.
    is_near: bool,
    /// True if more pairs met in this step than contact can process.
    is_crowded: bool,
}

impl Contacts {
    /// Finds the contacts of particles in a substep. The particles move from `start` with the
    /// velocities `v` in m/s to `x`, the positions that the integrator computed; positions are in
    /// metres.
    pub fn find(
        &mut self,
        method: &ContactMethod,
        bodies: &Bodies,
        [start, v, x]: [&[DVec3]; 3],
        instant: Instant,
        memory: &ContactMemory,
    ) {
        if self.detect(method, bodies, [start, v, x], instant, memory).is_err() {
            self.is_crowded = true;
            self.forget(memory, instant);
        }
    }

    fn detect(
        &mut self,
        method: &ContactMethod,
        bodies: &Bodies,
        [start, v, x]: [&[DVec3]; 3],
        instant: Instant,
        memory: &ContactMemory,
    ) -> Result<(), Crowded> {
        let Instant { h, g, .. } = instant;
        let Bodies { geometry, mesh, topology, w, shifts } = *bodies;
        self.forget(memory, instant);
        let (rest, discrete) = match *method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return Ok(()),
            ContactMethod::Discrete(Discrete { rest, .. }) => (rest, true),
            ContactMethod::Swept(Swept { rest, .. }) => (rest, false),
        };
        self.slow = if rest { 2.0 * g * h } else { 0.0 };
        place(&geometry.colliders, shifts, instant, &mut self.placed);
        self.touchable.update(mesh, topology, &geometry.balls, &geometry.contact_table);
        self.is_near = !self.starts_clear(method, geometry, [start, x]);
        if self.is_near || geometry.contact_table.touch_themselves() {
            let furthest = x.iter().zip(start).map(|(x, start)| x.distance_squared(*start));
            // Links pull particles along, but hardly further than the fastest particle moves, so
            // twice the longest displacement is the margin.
            self.margin = 2.0 * furthest.fold(0.0, f64::max).sqrt();
        }
        let ways = Ways { start, x, w, h, margin: self.margin, discrete };
        if self.is_near {
            self.find_at_colliders(geometry, &ways);
            self.draped.find(geometry, &self.touchable, &ways, &mut self.pairs)?;
            self.held.contacts.extend(self.pairs.iter().filter_map(|pair| pair.contact(&ways)));
        }
        let Self { held, placed, touchable, itself, pairs, .. } = self;
        if let ContactMethod::Swept(Swept { itself: way, .. }) = *method {
            if self.is_near {
                let Self { resting, slow, .. } = self;
                let obstacles = geometry.obstacles(placed);
                resting.find(&geometry.balls, &ways, obstacles, *slow, &memory.pressures)?;
                self.tested += resting.tested();
            }
            let lists = (&mut *pairs, &mut held.contacts);
            itself.find(way, (geometry, mesh), touchable, (&ways, v), lists)?;
            self.tested += itself.count() as u64;
            self.cut_links = topology.cut_links().len();
            self.remembers = way != SelfContact::Off && geometry.contact_table.touch_themselves();
            if self.remembers && self.cut_links == memory.cut_links {
                held.recall(&memory.layers, h);
            }
        }
        self.tested += pairs.len() as u64;
        Ok(())
    }

    /// Clears the flag that the step is crowded, at the start of a step.
    pub fn start_step(&mut self) {
        self.is_crowded = false;
    }

    /// True if more pairs met in this step than contact can process. The results of the step are
    /// then meaningless.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    /// Forgets the contacts of the last substep and begins the substep `instant`.
    fn forget(&mut self, memory: &ContactMemory, instant: Instant) {
        self.instant = instant;
        self.placed.clear();
        self.held.start(&memory.spin);
        self.resting.clear();
        self.pairs.clear();
        self.between.clear();
        self.events.balls.clear();
        self.events.touches.clear();
        self.tested = 0;
        self.remembers = false;
        self.margin = 0.0;
        self.is_near = false;
        self.energy_limit.expect_nothing();
    }

    /// Finds the particles, links and triangles that touch colliders. Balls have their own search.
    fn find_at_colliders(&mut self, geometry: &Geometry, ways: &Ways) {
        let Self { held, placed, touchable, gaps, between, .. } = self;
        let Geometry { colliders, points, contact_table, .. } = geometry;
        let obstacles = geometry.obstacles(placed);
        let others_touch =
            !points.is_empty() || !touchable.links.is_empty() || !touchable.triangles.is_empty();
        for number in (0..colliders.len()).filter(|_| others_touch) {
            colliders::at_colliders::find(number, held, points, ways, obstacles, gaps);
            between.find(number, gaps, (touchable, contact_table), ways, obstacles, held);
        }
        self.tested += (points.len() * colliders.len() + between.count()) as u64;
    }

    /// True if this substep has contacts at position level, so that sweeps must be made.
    pub fn need_sweeps(&self) -> bool {
        !self.held.contacts.is_empty() || !self.resting.contacts.is_empty()
    }

    /// Makes one sweep over the contacts at position level.
    pub fn sweep(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        let (pace, spins) = (self.instant.pace(), &mut self.held.spins);
        self.resting.sweep((start, x, w), spins, pace);
        self.held.sweep(start, x, w, pace);
    }

    /// Sweeps over contacts until they have converged, in a substep in which no solver sets the
    /// number of sweeps.
    pub fn sweep_until_converged(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        let Self { resting, held, slow, instant, .. } = self;
        let pace = instant.pace();
        let most = MOST_VISITS / resting.contacts.len().max(1);
        for sweep in 0..most.clamp(LEAST_OF_A_HEAP, MOST_SWEEPS) {
            let moved = resting.sweep((start, x, w), &mut held.spins, pace);
            if sweep >= SWEEPS && moved <= CONVERGED * *slow * pace.h {
                break;
            }
            held.sweep(start, x, w, pace);
        }
    }

    /// Applies restitution and the rest of the friction to velocities that agree with the positions
    /// after the sweeps. Stores the contact forces in `memory`.
    pub fn finish(
        &mut self,
        method: &ContactMethod,
        velocities: Velocities,
        w: &[f64],
        memory: &mut ContactMemory,
    ) {
        let (h, slow) = (self.instant.h, self.slow);
        self.held.finish(velocities, w, slow, &mut memory.report);
        if *method == ContactMethod::Off {
            return;
        }
        memory.spin.clone_from(&self.held.spins);
        self.resting.remember(h, &mut memory.pressures);
        memory.layers.clear();
        if self.remembers {
            self.held.remember(h, slow, &mut memory.layers);
            memory.cut_links = self.cut_links;
        }
    }

    /// Ends a substep: collides balls and stops all motion that would pass through a body.
    pub fn resolve(
        &mut self,
        method: &ContactMethod,
        bodies: &Bodies,
        columns: Columns,
        energy: EnergyOf,
        memory: &mut ContactMemory,
    ) {
        let Bodies { geometry, topology, w, .. } = *bodies;
        let Columns { start, v_start, x, v, swept } = columns;
        let Instant { h, .. } = self.instant;
        let discrete = matches!(method, ContactMethod::Discrete(_));
        if matches!(method, ContactMethod::Off | ContactMethod::Penalty(_)) {
            return;
        }
        self.is_near = self.is_near || swept && !self.ends_clear(geometry, [start, x]);
        if self.is_near {
            let columns = Columns { start, v_start, x: &mut *x, v: &mut *v, swept };
            let resolved = self.resolve_at_balls_and_colliders(method, bodies, columns, memory);
            self.is_crowded |= resolved.is_err();
        }
        let report = &mut memory.report;
        report.pairs_tested += self.tested;
        if !discrete {
            let timed =
                self.pairs.iter().filter(|pair| pair.separation == Separation::TimesOfImpact);
            cloth::impacts::take_out(timed, start, (x, v), w, h);
            report.note_overlap(self.itself.deepest_overlap());
            report.left_over += self.stop(bodies, [start, v_start], [x, v], energy);
        }
        if self.land(topology, [start, v_start], [x, v], energy) && !discrete {
            // A full displacement may lead round the corner of a body while its shortened part ends
            // inside.
            self.clear_colliders(geometry, start, x, w);
        }
        for pair in self.pairs.iter().filter(|pair| pair.rolls.is_some()) {
            let apart = pair.features.nearest(&pair.of(x)).1.length();
            report.note_overlap(pair.reach - apart);
        }
        if self.is_near {
            let obstacles = geometry.obstacles(&self.placed);
            let of_points =
                colliders::at_colliders::deepest_overlap(&geometry.points, x, w, obstacles);
            report.note_overlap(of_points.max(self.between.deepest_overlap(x, obstacles)));
        }
    }

    /// Collides balls, and stops all motion that would pass through a collider.
    fn resolve_at_balls_and_colliders(
        &mut self,
        method: &ContactMethod,
        Bodies { geometry, w, .. }: &Bodies,
        columns: Columns,
        memory: &mut ContactMemory,
    ) -> Result<(), Crowded> {
        let Columns { start, v_start, x, v, .. } = columns;
        let Self { events, overlaps, held, placed, instant, slow, between, .. } = self;
        let balls_at_rest = &mut self.resting;
        let (h, resting, obstacles) = (instant.h, *slow, geometry.obstacles(placed));
        let rules = |search, most_events| Rules { h, most_events, search, resting, obstacles };
        let report = &mut memory.report;
        match *method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return Ok(()),
            ContactMethod::Discrete(Discrete { pairs, .. }) => {
                collect(&geometry.balls, [start, x, v], w, &memory.spin, &mut events.balls);
                let EventLoop { balls, touches, .. } = events;
                overlaps.resolve(balls, &rules(pairs, 0), touches, report)?;
            }
            ContactMethod::Swept(Swept { most_events, pairs, path, .. }) => {
                between.remove_overlaps(start, x, w, obstacles);
                colliders::at_colliders::guarantee(&geometry.points, start, x, w, obstacles);
                collect(&geometry.balls, [start, x, v], w, &memory.spin, &mut events.balls);
                let held = held.contacts.iter().chain(&balls_at_rest.contacts);
                events.bend(path, v_start, held, h);
                events.run(&rules(pairs, most_events), balls_at_rest, report)?;
            }
        }
        for (ball, spin) in events.balls.iter().zip(&mut memory.spin) {
            if ball.version > 0 {
                x[ball.particle as usize] = ball.x;
                v[ball.particle as usize] = ball.v;
                *spin = ball.spin;
            }
        }
        Ok(())
    }
}

impl Contacts {
    /// Records the particles that colliders push out with a force, at the end of a substep.
    pub fn note_pushed(&mut self, force: &PenaltyForce, at: Motion, report: &mut ContactReport) {
        report.pairs_tested += force.pairs();
        let touches = &mut self.events.touches;
        force.touches(at, |touch, depth| {
            touches.push(touch);
            report.note_overlap(depth);
        });
    }
}

/// A contact or a collision in the substep that was resolved last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Particles of both sides; the first `count` entries are valid.
    pub particles: [u32; 4],
    /// Factors of `force`, one per particle. They add up to 1 on the first side. On the second side
    /// they add up to −1 if that side consists of particles.
    pub shares: [f64; 4],
    /// Number of particles.
    pub count: usize,
    /// Number of the collider on the other side in the scene; `None` if that side consists of
    /// particles.
    pub collider: Option<u32>,
    /// Position of the first particle at the moment of contact, in metres.
    pub at: DVec3,
    /// Unit normal towards the first side.
    pub normal: DVec3,
    /// Sum of normal force and friction on the first side in newtons; in a collision, the mean over
    /// the substep.
    pub force: DVec3,
}

impl Touch {
    /// Yields each particle with the force on it in newtons.
    pub fn forces(self) -> impl Iterator<Item = (u32, DVec3)> {
        (0..self.count).map(move |k| (self.particles[k], self.force * self.shares[k]))
    }
}

impl Contacts {
    /// Yields the contacts of the substep that was resolved last. Their forces are impulses divided
    /// by the substep's length, in newtons.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        let pace = self.instant.pace();
        let held = self.held.contacts.iter().chain(&self.resting.contacts);
        let held = held.filter_map(move |contact| contact.as_touch(pace));
        held.chain(self.events.touches.iter().copied())
    }

    /// Yields the balls whose velocities collisions changed in the substep that was resolved last
    /// (the removal of an overlap moves a ball without a collision): the index of the particle, and the displacement in metres that the motion after the collision causes in a
    /// whole substep.
    pub fn collided(&self) -> impl Iterator<Item = (usize, DVec3)> {
        let balls = self.events.balls.iter().filter(|ball| ball.collided);
        balls.map(|ball| (ball.particle as usize, ball.whole_way()))
    }

    /// Calls `see` for each particle that touched a moving collider, or a collider with a moving
    /// surface, with the velocity of the surface there in m/s.
    pub fn each_moving_surface(&self, colliders: &[Collider], mut see: impl FnMut(u32, DVec3)) {
        for touch in self.touches() {
            let Some(number) = touch.collider.map(|number| number as usize) else { continue };
            let both = colliders.get(number).zip(self.placed.get(number));
            let Some((collider, placed)) = both else { continue };
            let from = touch.at - placed.at(1.0);
            let (distance, normal) = collider.shape.distance(from);
            let surface = collider.surface_velocity(from - normal * distance);
            let velocity = placed.way * (1.0 / self.instant.h) + surface;
            if velocity != DVec3::ZERO {
                (0..touch.count).for_each(|k| see(touch.particles[k], velocity));
            }
        }
    }

    /// Yields the particles of impacts at position level in the substep that was resolved last:
    /// they approached too fast to come to rest.
    pub fn struck(&self) -> impl Iterator<Item = usize> {
        self.held.struck(self.slow)
    }
}

/// Computes the positions of all colliders at the start of a substep, and their displacements.
fn place(
    colliders: &[Collider],
    shifts: &[ColliderShift],
    Instant { t, h, .. }: Instant,
    placed: &mut Vec<Placed>,
) {
    placed.clear();
    placed.extend(colliders.iter().enumerate().map(|(number, collider)| {
        let shift = shifts.get(number);
        let start = collider.shifted_at(shift, t);
        Placed { start, way: collider.shifted_at(shift, t + h) - start }
    }));
}
