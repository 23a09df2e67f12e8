//! Contacts of one simulation: their search, sweeps and resolution in each substep.

mod clearance;
mod forces;
mod lists;
mod stops;

use super::balls::ball_features::BallFeatures;
use super::balls::events::EventLoop;
use super::balls::events::ball::initialise_balls;
use super::balls::events::rules::Rules;
use super::balls::resting::Resting;
use super::bodies::collider::{Collider, ColliderShift, Placed};
use super::bodies::contact_features::ContactFeatures;
use super::bodies::geometry::Geometry;
use super::cloth::energy_limit::{EnergyLimit, EnergyOf};
use super::cloth::feature_pair::{FeaturePair, Separation};
use super::cloth::impacts;
use super::cloth::self_contact::{PairLists, SelfContactSearch};
use super::cloth::truncation::Truncation;
use super::colliders::at_colliders;
use super::colliders::link_contacts::LinkContacts;
use super::colliders::penalty::{PenaltyForce, PenaltyState};
use super::discrete::Overlaps;
use super::memory::ContactMemory;
use super::method::{ContactMethod, Discrete, SelfContact, Swept};
use super::report::ContactReport;
use super::resolve::position_level::PositionContacts;
use super::resolve::velocity_level::Velocities;
use super::search::clearance::SubstepBounds;
use super::search::crowd::TooManyPairs;
use super::substep::{Bodies, Columns, Instant, SubstepMotion};
use glam::DVec3;

/// Smallest number of sweeps before convergence is checked, in substeps without a constraint
/// solver. With a solver, the solver sets the number of sweeps.
const LEAST_SWEEPS: usize = 4;

/// Largest number of contact visits (sweeps × resting contacts) in a substep. The number of sweeps
/// that follows from it is clamped to `LEAST_SWEEPS_OF_HEAP` and `MOST_SWEEPS`. A heap that needs
/// more sweeps converges over several substeps, because its forces are stored.
const MOST_CONTACT_VISITS: usize = 20_000;
const LEAST_SWEEPS_OF_HEAP: usize = 8;
const MOST_SWEEPS: usize = 100;

/// Convergence tolerance: largest correction of a resting ball in one sweep, as a fraction of the
/// distance `resting_speed` · h.
const CONVERGENCE_TOLERANCE: f64 = 1e-9;

/// Contact of one simulation: contacts of the current substep, and buffers.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    events: EventLoop,
    overlaps: Overlaps,
    position_contacts: PositionContacts,
    resting: Resting,
    collider_gaps: Vec<f64>,
    link_contacts: LinkContacts,
    contact_features: ContactFeatures,
    ball_features: BallFeatures,
    self_contact: SelfContactSearch,
    pairs: Vec<FeaturePair>,
    truncation: Truncation,
    energy_limit: EnergyLimit,
    placed: Vec<Placed>,
    instant: Instant,
    margin: f64,
    /// Largest approach speed without a bounce, 2 g h, in m/s.
    resting_speed: f64,
    /// Number of links that are cut in the current substep.
    cut_links: usize,
    /// True if forces in contacts of ropes and cloths are stored for the next substep.
    keeps_mesh_forces: bool,
    tested: u64,
    motion_bounds: SubstepBounds,
    /// True if the last substep searched for contacts, because some body was near a ball or
    /// collider.
    is_near: bool,
    /// True if more pairs were in contact in this step than contact can process.
    is_crowded: bool,
}

impl Contacts {
    /// Finds the contacts of a substep. The particles move from the positions `start` (metres) with
    /// the velocities `v` (m/s) to `x`, the positions that the integrator computed.
    pub(crate) fn find_contacts(
        &mut self,
        method: &ContactMethod,
        bodies: &Bodies,
        [start, v, x]: [&[DVec3]; 3],
        instant: Instant,
        memory: &ContactMemory,
    ) {
        if self.try_find_contacts(method, bodies, [start, v, x], instant, memory).is_err() {
            self.is_crowded = true;
            self.begin_substep(memory, instant);
        }
    }

    fn try_find_contacts(
        &mut self,
        method: &ContactMethod,
        bodies: &Bodies,
        [start, v, x]: [&[DVec3]; 3],
        instant: Instant,
        memory: &ContactMemory,
    ) -> Result<(), TooManyPairs> {
        let Instant { h, g, .. } = instant;
        let Bodies { geometry, mesh, topology, w, shifts } = *bodies;
        self.begin_substep(memory, instant);
        let (rest, discrete) = match *method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return Ok(()),
            ContactMethod::Discrete(Discrete { rest, .. }) => (rest, true),
            ContactMethod::Swept(Swept { rest, .. }) => (rest, false),
        };
        self.resting_speed = if rest { 2.0 * g * h } else { 0.0 };
        place_colliders(&geometry.colliders, shifts, instant, &mut self.placed);
        self.contact_features.update(mesh, topology, &geometry.balls, &geometry.contact_table);
        self.is_near = !self.is_clear_before_sweeps(method, geometry, [start, x]);
        if self.is_near || geometry.contact_table.has_self_contact() {
            let furthest = x.iter().zip(start).map(|(x, start)| x.distance_squared(*start));
            // Margin for constraints: twice the longest displacement. Links hardly pull particles
            // further beyond `x` than the fastest particle moves.
            self.margin = 2.0 * furthest.fold(0.0, f64::max).sqrt();
        }
        let motion = SubstepMotion { start, x, w, h, margin: self.margin, discrete };
        if self.is_near {
            self.find_at_colliders(geometry, &motion);
            self.ball_features.find_pairs(
                geometry,
                &self.contact_features,
                &motion,
                &mut self.pairs,
            )?;
            self.position_contacts
                .contacts
                .extend(self.pairs.iter().filter_map(|pair| pair.contact(&motion)));
        }
        let Self { position_contacts, placed, contact_features, self_contact, pairs, .. } = self;
        if let ContactMethod::Swept(Swept { itself: self_contact_method, .. }) = *method {
            if self.is_near {
                let Self { resting, resting_speed, .. } = self;
                let obstacles = geometry.obstacles(placed);
                resting.find_contacts(
                    &geometry.balls,
                    &motion,
                    obstacles,
                    *resting_speed,
                    &memory.resting_forces,
                )?;
                self.tested += resting.pairs_tested();
            }
            let lists = PairLists { pairs, contacts: &mut position_contacts.contacts };
            self_contact.find_pairs(
                self_contact_method,
                bodies,
                contact_features,
                &motion,
                v,
                lists,
            )?;
            self.tested += self_contact.count() as u64;
            self.cut_links = topology.cut_links().len();
            self.keeps_mesh_forces = self_contact_method != SelfContact::Off
                && geometry.contact_table.has_self_contact();
            if self.keeps_mesh_forces && self.cut_links == memory.cut_links {
                position_contacts.restore_forces(&memory.mesh_forces, h);
            }
        }
        self.tested += pairs.len() as u64;
        Ok(())
    }

    /// Clears the `is_crowded` flag at the start of a step.
    pub(crate) fn start_step(&mut self) {
        self.is_crowded = false;
    }

    /// True if more pairs were in contact in this step than contact can process. The state after
    /// the step is then meaningless.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    /// Clears the contacts of the last substep and begins the substep `instant`.
    fn begin_substep(&mut self, memory: &ContactMemory, instant: Instant) {
        self.instant = instant;
        self.placed.clear();
        self.position_contacts.begin_substep(&memory.spin);
        self.resting.clear();
        self.pairs.clear();
        self.link_contacts.clear();
        self.events.balls.clear();
        self.events.contact_forces.clear();
        self.tested = 0;
        self.keeps_mesh_forces = false;
        self.margin = 0.0;
        self.is_near = false;
        self.energy_limit.impact_limit = None;
    }

    /// Finds the particles, links and triangles in contact with colliders. Balls have their own
    /// search.
    fn find_at_colliders(&mut self, geometry: &Geometry, motion: &SubstepMotion) {
        let Self {
            position_contacts, placed, contact_features, collider_gaps, link_contacts, ..
        } = self;
        let Geometry { colliders, points, contact_table, .. } = geometry;
        let obstacles = geometry.obstacles(placed);
        let others_touch = !points.is_empty()
            || !contact_features.links.is_empty()
            || !contact_features.triangles.is_empty();
        for number in (0..colliders.len()).filter(|_| others_touch) {
            at_colliders::find_contacts(
                number,
                position_contacts,
                points,
                motion,
                obstacles,
                collider_gaps,
            );
            link_contacts.find_contacts(
                number,
                collider_gaps,
                (contact_features, contact_table),
                motion,
                obstacles,
                position_contacts,
            );
        }
        self.tested += (points.len() * colliders.len() + link_contacts.count()) as u64;
    }

    /// True if this substep has contacts at position level, which require sweeps.
    pub(crate) fn need_sweeps(&self) -> bool {
        !self.position_contacts.contacts.is_empty() || !self.resting.contacts.is_empty()
    }

    /// Runs one sweep over all contacts at position level.
    pub fn sweep(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        let (force_scale, spins) = (self.instant.force_scale(), &mut self.position_contacts.spins);
        self.resting.sweep(start, x, w, spins, force_scale);
        self.position_contacts.sweep(start, x, w, force_scale);
    }

    /// Sweeps over contacts at position level until convergence, in substeps without a constraint
    /// solver. With a solver, the solver sets the number of sweeps.
    pub(crate) fn sweep_until_converged(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        let Self { resting, position_contacts, resting_speed, instant, .. } = self;
        let force_scale = instant.force_scale();
        let most = MOST_CONTACT_VISITS / resting.contacts.len().max(1);
        for sweep in 0..most.clamp(LEAST_SWEEPS_OF_HEAP, MOST_SWEEPS) {
            let moved = resting.sweep(start, x, w, &mut position_contacts.spins, force_scale);
            if sweep >= LEAST_SWEEPS
                && moved <= CONVERGENCE_TOLERANCE * *resting_speed * force_scale.h
            {
                break;
            }
            position_contacts.sweep(start, x, w, force_scale);
        }
    }

    /// Applies restitution and the remaining friction to velocities. The velocities must already
    /// contain the displacements of the sweeps. Stores the contact forces in `memory`.
    pub(crate) fn finish_velocities(
        &mut self,
        method: &ContactMethod,
        velocities: Velocities,
        w: &[f64],
        memory: &mut ContactMemory,
    ) {
        let (h, resting_speed) = (self.instant.h, self.resting_speed);
        self.position_contacts.apply_to_velocities(
            velocities,
            w,
            resting_speed,
            &mut memory.report,
        );
        if *method == ContactMethod::Off {
            return;
        }
        memory.spin.clone_from(&self.position_contacts.spins);
        self.resting.store_forces(h, &mut memory.resting_forces);
        memory.mesh_forces.clear();
        if self.keeps_mesh_forces {
            self.position_contacts.store_forces(h, resting_speed, &mut memory.mesh_forces);
            memory.cut_links = self.cut_links;
        }
    }

    /// Resolves collisions of balls, and stops all motion that would pass through a body, at the
    /// end of a substep.
    pub(crate) fn resolve_collisions(
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
        self.energy_limit.has_shortened_impacts = false;
        if matches!(method, ContactMethod::Off | ContactMethod::Penalty(_)) {
            return;
        }
        self.is_near = self.is_near || swept && !self.is_clear_after_sweeps(geometry, [start, x]);
        if self.is_near {
            let columns = Columns { start, v_start, x: &mut *x, v: &mut *v, swept };
            let resolved = self.resolve_at_balls_and_colliders(method, bodies, columns, memory);
            self.is_crowded |= resolved.is_err();
        }
        let report = &mut memory.report;
        report.pairs_tested += self.tested;
        if !discrete {
            let with_impact_times =
                self.pairs.iter().filter(|pair| pair.separation == Separation::TimesOfImpact);
            impacts::remove_approach(with_impact_times, start, x, v, w, h);
            report.record_overlap(self.self_contact.deepest_overlap());
            report.left_over += self.stop_penetrations(bodies, [start, v_start], [x, v], energy);
        }
        let is_shortened = self.limit_impact_energy(topology, [start, v_start], [x, v], energy);
        self.energy_limit.has_shortened_impacts = is_shortened;
        if is_shortened && !discrete {
            // A whole displacement may lead round the corner of a body, while the shortened
            // displacement ends inside the body.
            self.clear_colliders(geometry, start, x, w);
        }
        for pair in self.pairs.iter().filter(|pair| pair.rolling_ball.is_some()) {
            let apart = pair.features.nearest(&pair.positions_in(x)).1.length();
            report.record_overlap(pair.reach - apart);
        }
        if self.is_near {
            let obstacles = geometry.obstacles(&self.placed);
            let of_points = at_colliders::deepest_overlap(&geometry.points, x, w, obstacles);
            report.record_overlap(of_points.max(self.link_contacts.deepest_overlap(x, obstacles)));
        }
    }

    /// Resolves collisions of balls, and stops all motion that would pass through a collider.
    fn resolve_at_balls_and_colliders(
        &mut self,
        method: &ContactMethod,
        Bodies { geometry, w, .. }: &Bodies,
        columns: Columns,
        memory: &mut ContactMemory,
    ) -> Result<(), TooManyPairs> {
        let Columns { start, v_start, x, v, .. } = columns;
        let Self {
            events,
            overlaps,
            position_contacts,
            placed,
            instant,
            resting_speed,
            link_contacts,
            ..
        } = self;
        let balls_at_rest = &mut self.resting;
        let (h, speed, obstacles) = (instant.h, *resting_speed, geometry.obstacles(placed));
        let rules =
            |search, most_events| Rules { h, most_events, search, resting_speed: speed, obstacles };
        let report = &mut memory.report;
        if matches!(method, ContactMethod::Swept(_)) {
            link_contacts.remove_overlaps(start, x, w, h, obstacles);
            at_colliders::stop_at_colliders(&geometry.points, start, x, w, obstacles);
        }
        initialise_balls(&geometry.balls, [start, x, v], w, &memory.spin, &mut events.balls);
        match *method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return Ok(()),
            ContactMethod::Discrete(Discrete { pairs, .. }) => {
                let EventLoop { balls, contact_forces, .. } = events;
                overlaps.resolve(balls, &rules(pairs, 0), contact_forces, report)?;
            }
            ContactMethod::Swept(Swept { most_events, pairs, path, .. }) => {
                let position_contacts =
                    position_contacts.contacts.iter().chain(&balls_at_rest.contacts);
                events.set_accelerations(path, v_start, position_contacts, h);
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
    /// Records the particles in penalty contact at the end of a substep, with their forces and
    /// overlaps.
    pub(crate) fn record_penalty_contacts(
        &mut self,
        force: &PenaltyForce,
        at: PenaltyState,
        report: &mut ContactReport,
    ) {
        report.pairs_tested += force.pair_count();
        let contact_forces = &mut self.events.contact_forces;
        force.for_each_contact_force(at, |contact_force, depth| {
            contact_forces.push(contact_force);
            report.record_overlap(depth);
        });
    }
}

/// Computes the position of each collider at the start of a substep, and its displacement.
fn place_colliders(
    colliders: &[Collider],
    shifts: &[ColliderShift],
    Instant { t, h, .. }: Instant,
    placed: &mut Vec<Placed>,
) {
    placed.clear();
    placed.extend(colliders.iter().enumerate().map(|(number, collider)| {
        let shift = shifts.get(number);
        let start = collider.shifted_at(shift, t);
        Placed { start, displacement: collider.shifted_at(shift, t + h) - start }
    }));
}
