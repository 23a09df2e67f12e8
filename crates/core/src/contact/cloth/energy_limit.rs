//! Energy limit: stops and impacts must not create energy.
//!
//! The guarantee of `truncation` stops particles one by one, after the sweeps. Particles linked to
//! a stopped particle continue to move, so a large step can stretch a link to many times its
//! length. Therefore all particles of a group that contains a stopped particle move only through
//! the same fraction of the substep, and keep only this fraction of their velocities. Shortening
//! all displacements of a group by the same factor causes no new penetration.
//!
//! Spring forces in a substep do not respond to a collider that is hit within the substep. When
//! contact pushed a stiff cloth back by several centimetres in one step of 1/60 s, the energy of
//! the cloth rose from 0.7 J to 2.5 J. The motion of a group that hits a collider is therefore
//! shortened in the same way.

use super::feature_pair::{FeaturePair, Separation};
use glam::DVec3;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::mesh::groups::{group_of, join_groups};

/// First trial value of the fraction by which a motion is shortened. The fraction grows until the
/// energy is low enough. It starts small, because a body that has gained a thousandth of its energy
/// must not lose more than that.
const FIRST_LOST_FRACTION: f64 = 1.0 / 16_777_216.0;

/// Growth factor of the trial fraction from trial to trial.
const LOST_FRACTION_GROWTH: f64 = 8.0;

/// Number of bisections between a fraction that leaves too much energy and one that does not.
const REFINEMENTS: u32 = 5;

/// Tolerance for rounding errors, as a fraction of the energy.
const ROUNDING: f64 = 1e-12;

/// Function that returns the energy in joules for positions in metres and velocities in m/s.
pub type EnergyOf<'a> = &'a dyn Fn(&[DVec3], &[DVec3]) -> f64;

/// Limiter for the energy created by stops and impacts.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct EnergyLimit {
    /// Positions in metres before particles were stopped or motion was shortened.
    x: Vec<DVec3>,
    /// Velocities in m/s before particles were stopped or motion was shortened.
    v: Vec<DVec3>,
    /// Positions in metres and velocities in m/s of the shortened motion that is being tried.
    trial: [Vec<DVec3>; 2],
    /// True for each particle that was stopped, or that hit a collider.
    pub stopped: Vec<bool>,
    /// Largest energy in joules permitted after an impact on colliders; `None` if no impact is
    /// expected.
    pub impact_limit: Option<f64>,
    /// True if the newest substep has shortened motion after impacts on colliders.
    pub has_shortened_impacts: bool,
    /// Groups of connected particles as a union-find forest. Each entry is a particle of the same
    /// group with a smaller index. The first particle of a group refers to itself.
    groups: Vec<u32>,
}

/// Links that connect particles into groups.
#[derive(Clone, Copy)]
pub(in crate::contact) enum GroupLinks<'a> {
    /// Links with self-contact, including sides of triangles.
    Listed(&'a [[u32; 2]]),
    /// All links that are not cut.
    All(&'a Links),
}

/// A substep whose energy is limited: its start, and the data that define the groups.
pub(in crate::contact) struct LimitedSubstep<'a> {
    /// Positions in metres and velocities in m/s at the start of the substep.
    pub start: [&'a [DVec3]; 2],
    pub energy: EnergyOf<'a>,
    /// Largest permitted energy after the substep, in joules.
    pub most: f64,
    /// Links that connect particles into groups.
    pub links: GroupLinks<'a>,
    pub pairs: &'a [FeaturePair],
}

impl EnergyLimit {
    /// Stores positions and velocities before particles are stopped or motion is shortened.
    pub fn store_motion(&mut self, x: &[DVec3], v: &[DVec3]) {
        self.x.clear();
        self.x.extend(x);
        self.v.clear();
        self.v.extend(v);
        self.reserve(x.len());
    }

    /// Returns the stored positions and velocities.
    pub fn stored_motion(&self) -> [&[DVec3]; 2] {
        [&self.x, &self.v]
    }

    /// Reserves all buffers, so that the first limited step allocates no memory.
    pub fn reserve(&mut self, count: usize) {
        let Self { trial: [x, v], stopped, groups, .. } = self;
        for column in [x, v] {
            column.clear();
            column.reserve(count);
        }
        stopped.clear();
        stopped.reserve(count);
        groups.clear();
        groups.reserve(count + 1);
    }

    /// Returns the larger of two energies in joules: that at the start of the substep and that of
    /// the stored motion.
    pub fn most_without_stops(&self, start: [&[DVec3]; 2], energy: EnergyOf) -> f64 {
        energy(start[0], start[1]).max(energy(&self.x, &self.v))
    }

    /// Marks the particles whose positions differ from the stored motion.
    pub fn mark_stopped(&mut self, x: &[DVec3]) {
        self.stopped.clear();
        self.stopped.extend(x.iter().zip(&self.x).map(|(x, free)| x != free));
    }

    /// Shortens the motion of groups with stopped particles until the energy is at most
    /// `substep.most`. Returns true if it shortened the motion.
    pub fn limit_energy(
        &mut self,
        substep: &LimitedSubstep,
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) -> bool {
        let LimitedSubstep { energy, most, .. } = *substep;
        let most = most + ROUNDING * most.abs();
        let total = energy(x, v);
        if total <= most || !total.is_finite() || !most.is_finite() {
            return false;
        }
        self.find_groups(substep);
        let mut is_too_much = |fraction: f64| {
            self.compute_shortened_motion(fraction, substep, [x, v]);
            let [x, v] = &self.trial;
            energy(x, v) > most
        };
        let [mut too_little, mut lost] = [0.0, FIRST_LOST_FRACTION];
        while lost < 1.0 && is_too_much(1.0 - lost) {
            [too_little, lost] = [lost, (lost * LOST_FRACTION_GROWTH).min(1.0)];
        }
        for _ in 0..REFINEMENTS {
            let between = 0.5 * (too_little + lost);
            if is_too_much(1.0 - between) { too_little = between } else { lost = between }
        }
        self.compute_shortened_motion(1.0 - lost, substep, [x, v]);
        x.copy_from_slice(&self.trial[0]);
        v.copy_from_slice(&self.trial[1]);
        true
    }

    /// Joins linked particles, and the particles of near pairs, into groups. All groups with a
    /// stopped particle are joined with the additional entry after the last particle.
    fn find_groups(&mut self, substep: &LimitedSubstep) {
        let Self { groups, stopped: are_stopped, .. } = self;
        let last = are_stopped.len() as u32;
        groups.clear();
        groups.extend(0..=last);
        let mut join = |ends| _ = join_groups(groups, ends);
        match substep.links {
            GroupLinks::Listed(links) => links.iter().for_each(|ends| join(*ends)),
            GroupLinks::All(links) => {
                let links = links.iter().filter(|link| !link.is_cut());
                links.for_each(|link| join([link.a, link.b]));
            }
        }
        let guarded = |pair: &&FeaturePair| pair.separation != Separation::None;
        for pair in substep.pairs.iter().filter(guarded) {
            pair.distinct_particles().windows(2).for_each(|pair| join([pair[0], pair[1]]));
        }
        for (i, _) in (0..).zip(&*are_stopped).filter(|(_, is_stopped)| **is_stopped) {
            join([i, last]);
        }
    }

    /// Computes the trial motion: groups with stopped particles move only through `fraction` of the
    /// substep.
    fn compute_shortened_motion(
        &mut self,
        fraction: f64,
        substep: &LimitedSubstep,
        [x, v]: [&[DVec3]; 2],
    ) {
        let Self { trial: [trial_x, trial_v], groups, .. } = self;
        let last = group_of(groups, x.len() as u32);
        trial_x.clear();
        trial_v.clear();
        for i in 0..x.len() {
            let is_stopped = group_of(groups, i as u32) == last;
            let start = substep.start[0][i];
            trial_x.push(if is_stopped { start + (x[i] - start) * fraction } else { x[i] });
            trial_v.push(if is_stopped { v[i] * fraction } else { v[i] });
        }
    }
}
