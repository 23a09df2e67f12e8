//! List of pairs of features that may come near each other within several substeps.
//!
//! The list assumes that each particle repeats its present displacement in each substep. The
//! particle may leave this predicted path by a tolerance. The list contains all pairs that may be
//! in contact under these assumptions. It is reused until a particle exceeds its tolerance or the
//! planned substeps have passed. Bodies that fall or swing together do not approach each other and
//! are not listed.

use super::crowd::{TooManyPairs, most_checked_pairs, most_pairs};
use super::feature_tree::{FeatureTree, MovingBox};
use super::margins::Margins;
use super::self_contact_features::SelfContactFeatures;
use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::contact_table::ContactTable;
use crate::contact::bodies::geometry::Geometry;
use crate::contact::features::{EARLY, Features, box_gap};
use crate::contact::substep::{Bodies, SubstepMotion};
use glam::DVec3;
use itertools::izip;
use rayon::prelude::*;
use ropelab_mechanics::mesh::Mesh;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tolerance of a list for more than one substep. The first number is a fraction of the largest
/// radius. The second is a fraction of the difference between displacements near the particle. Both
/// parts are added.
const TOLERANCE: [f64; 2] = [0.5, 1.0];

/// Largest tolerance, in units of the largest radius.
const MOST_TOLERANCE: f64 = 2.0;

/// Largest planned life of a list, in substeps. If a list stayed valid to its planned end, the next
/// list is planned to last twice as long. Otherwise it is planned to last as long as the previous
/// one did.
const MOST_SUBSTEPS: f64 = 32.0;

/// Smallest number of features for which a separate task on another thread is worthwhile.
const FEATURES_A_THREAD: usize = 500;

/// Safety factor of distance bounds. It covers more than rounding and `EARLY` require.
const SAFETY: f64 = 1.0 + 4.0 * EARLY;

/// A pair of features that may come near each other while the list is valid.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct ListedPair {
    pub features: Features,
    /// Particles of the first feature, then of the second. The last particle is repeated to fill
    /// four entries.
    pub particles: [u32; 4],
    /// Contact distance of the features in metres.
    pub reach: f64,
    /// True if both features are edges of triangles.
    pub sides: bool,
    /// Rank in the order of all possible pairs, independent of the list.
    pub key: u64,
    /// Distance of the features when the list was made, in metres.
    apart: f64,
    /// Upper bound in metres of the predicted approach of the features in each substep.
    approach: f64,
}

/// Distance of a particle from its predicted path in the current substep, as the sum of two upper
/// bounds in metres.
#[derive(Clone, Copy, Debug, Default)]
struct PathDeviation {
    /// Distance of the free motion from the predicted path.
    free_motion: f64,
    /// Largest displacement of the particle by constraints beyond its free motion.
    margin: f64,
}

/// Candidate pairs for self-contact, kept for several substeps.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct NearList {
    pairs: Vec<ListedPair>,
    /// Positions when the list was made, in metres; empty if a new list must be made.
    positions: Vec<DVec3>,
    /// Displacements in the first substep of the list, in metres: the prediction for each further
    /// substep.
    displacements: Vec<DVec3>,
    /// Largest deviation in metres of each particle from its predicted path, margin included,
    /// before a new list is needed.
    tolerance: Vec<f64>,
    /// Largest deviation in metres of each particle from its predicted path in this list.
    allowed_deviation: Vec<f64>,
    /// Upper bound in metres of each particle's motion relative to particles within two links, over
    /// all planned substeps.
    drifts: Vec<f64>,
    /// Planned life of the list, in substeps.
    substeps: f64,
    substeps_used: f64,
    path_deviations: Vec<PathDeviation>,
    /// Version of the [`ContactFeatures`] lists behind `self_features`.
    version: Option<u64>,
    /// True if only particles are in contact with each other, not links and triangles.
    only_points: bool,
    self_features: SelfContactFeatures,
    tree: FeatureTree,
    found_by_tasks: Vec<Vec<ListedPair>>,
}

/// Inputs that stay the same while a list is made.
#[derive(Clone, Copy)]
struct ListContext<'a> {
    self_features: &'a SelfContactFeatures,
    positions: &'a [DVec3],
    /// Predicted displacement in each substep, in metres.
    displacements: &'a [DVec3],
    substeps: f64,
    allowed_deviation: &'a [f64],
    /// Upper bound in metres of each particle's motion relative to particles within two links, over
    /// all planned substeps.
    drifts: &'a [f64],
    /// Positions at the start of the scene, in metres.
    scene_start: &'a [DVec3],
    geometry: &'a Geometry,
    /// True if only particles are in contact with each other. Linked particles may then also be in
    /// contact.
    only_points: bool,
}

impl NearList {
    /// Returns the pairs, sorted by key.
    pub fn pairs(&self) -> &[ListedPair] {
        &self.pairs
    }

    /// Returns the particles of features with self-contact, in ascending order.
    pub fn points(&self) -> &[u32] {
        &self.self_features.points
    }

    /// Returns the links and edges of triangles with self-contact.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.self_features.edges
    }

    /// Chooses the features with self-contact again, if links were cut or `only_points` has
    /// changed.
    pub fn choose(
        &mut self,
        only_points: bool,
        contact_features: &ContactFeatures,
        contact_table: &ContactTable,
        mesh: &Mesh,
    ) {
        if self.version == Some(contact_features.version) && self.only_points == only_points {
            return;
        }
        self.version = Some(contact_features.version);
        self.only_points = only_points;
        self.positions.clear();
        self.self_features = SelfContactFeatures::choose(contact_features, contact_table, mesh);
    }

    /// Builds the list for one substep, with the features of another list.
    pub fn build_for_one_substep(
        &mut self,
        other: &Self,
        motion: &SubstepMotion,
        margins: &Margins,
        bodies: &Bodies,
    ) -> Result<(), TooManyPairs> {
        if self.version != other.version || self.only_points != other.only_points {
            self.version = other.version;
            self.only_points = other.only_points;
            self.self_features.clone_from(&other.self_features);
        }
        self.positions.clear();
        self.substeps_used = 0.0;
        self.update(motion, margins, bodies)
    }

    /// Builds a new list if the present one is not valid in this substep.
    pub fn update(
        &mut self,
        motion: &SubstepMotion,
        margins: &Margins,
        bodies: &Bodies,
    ) -> Result<(), TooManyPairs> {
        let Bodies { geometry, mesh, .. } = *bodies;
        let count = mesh.positions.len();
        self.substeps_used += 1.0;
        let largest_radius = geometry.contact_table.largest_radius();
        let is_made = self.positions.len() == count;
        let is_valid = is_made && self.is_valid(motion, margins);
        if is_valid && self.substeps_used <= self.substeps {
            return Ok(());
        }
        let before = self.substeps_used - 1.0;
        let next = if is_valid { 2.0 * before } else { before };
        self.substeps = next.clamp(1.0, MOST_SUBSTEPS);
        self.substeps_used = 1.0;
        self.positions.clear();
        self.positions.extend(&motion.start[..count]);
        self.displacements.clear();
        self.displacements
            .extend(izip!(motion.x, motion.start).take(count).map(|(x, start)| *x - *start));
        let tolerance = |change: &f64| {
            (TOLERANCE[0] * largest_radius + TOLERANCE[1] * change)
                .min(MOST_TOLERANCE * largest_radius)
        };
        self.tolerance.clear();
        self.tolerance
            .extend(izip!(margins.values(), margins.changes()).map(|(m, c)| m + tolerance(c)));
        self.allowed_deviation.clear();
        // For a list of one substep the displacements are known exactly, so a particle deviates
        // from its path only by its margin.
        let is_short = self.substeps == 1.0;
        self.allowed_deviation.extend(if is_short { margins.values() } else { &self.tolerance });
        self.drifts.clear();
        self.drifts.extend(margins.changes().iter().map(|change| self.substeps * change));
        self.path_deviations.clear();
        self.path_deviations.extend(
            margins.values().iter().map(|&margin| PathDeviation { free_motion: 0.0, margin }),
        );
        self.pairs.clear();
        let found = if self.only_points {
            self.add_pairs(Features::Points, geometry, mesh)
        } else {
            self.add_pairs(Features::Links, geometry, mesh)
                .and_then(|()| self.add_pairs(Features::PointAndTriangle, geometry, mesh))
        };
        if found.is_err() {
            self.positions.clear();
            self.pairs.clear();
        }
        found
    }

    /// Adds the pairs of two kinds of features to the list.
    fn add_pairs(
        &mut self,
        features: Features,
        geometry: &Geometry,
        mesh: &Mesh,
    ) -> Result<(), TooManyPairs> {
        let Self {
            pairs,
            positions,
            displacements,
            allowed_deviation,
            drifts,
            self_features,
            tree,
            found_by_tasks,
            ..
        } = self;
        let Self { substeps, only_points, .. } = self;
        let (substeps, only_points) = (*substeps, *only_points);
        let context = ListContext {
            self_features,
            positions,
            displacements,
            substeps,
            allowed_deviation,
            drifts,
            scene_start: &mesh.positions,
            geometry,
            only_points,
        };
        let SelfContactFeatures { points, edges, triangles, .. } = &*self_features;
        let particles = |kind: usize, k: usize| -> &[u32] {
            match kind {
                1 => std::slice::from_ref(&points[k]),
                2 => &edges[k],
                _ => &triangles[k],
            }
        };
        // Numbers of particles of the two features.
        let (one, both) = features.counts();
        let other = both - one;
        let counts = [points.len(), edges.len(), triangles.len()];
        let total = counts[one - 1];
        tree.build((0..counts[other - 1]).map(|k| context.bounding_box(particles(other, k))));
        let tree = &*tree;
        let size = part_size(total, FEATURES_A_THREAD);
        let used = total.div_ceil(size);
        found_by_tasks.resize_with(used.max(found_by_tasks.len()), Vec::new);
        let reach = 2.0 * geometry.contact_table.largest_radius();
        let count = counts.iter().sum();
        let (most, most_hits) = (most_pairs(count), most_checked_pairs(count));
        // Sums over all tasks, so the limit of pairs does not depend on threads.
        let [listed, tree_hits] = [(); 2].map(|()| AtomicUsize::new(0));
        let is_crowded = || {
            listed.load(Ordering::Relaxed) > most || tree_hits.load(Ordering::Relaxed) > most_hits
        };
        let search_part = |(part, found): (usize, &mut Vec<ListedPair>)| {
            found.clear();
            for number in part * size..((part + 1) * size).min(total) {
                if is_crowded() {
                    return;
                }
                let first = particles(one, number);
                let (mut hits_here, before) = (0, found.len());
                let least = if one == other { number + 1 } else { 0 };
                tree.query(&context.bounding_box(first), least, reach, &mut |k| {
                    hits_here += 1;
                    let sides = [first, particles(other, k)];
                    if context.are_neighbours(sides) && context.stay_apart(sides) {
                        return;
                    }
                    let key = key(features, [number, k]);
                    let pair = context.pair((features, key), sides);
                    let sides = features == Features::Links
                        && self_features.are_sides[number]
                        && self_features.are_sides[k];
                    found.extend(pair.map(|pair| ListedPair { sides, ..pair }));
                });
                tree_hits.fetch_add(hits_here, Ordering::Relaxed);
                listed.fetch_add(found.len() - before, Ordering::Relaxed);
            }
        };
        let found_by_tasks = &mut found_by_tasks[..used];
        match used {
            0 | 1 => found_by_tasks.iter_mut().enumerate().for_each(search_part),
            _ => found_by_tasks.par_iter_mut().enumerate().for_each(search_part),
        }
        if is_crowded() {
            return Err(TooManyPairs);
        }
        found_by_tasks.iter().for_each(|found| pairs.extend_from_slice(found));
        Ok(())
    }

    /// True if every particle is within its tolerance of the predicted path, at the start and at
    /// the end of this substep. Updates `path_deviations`.
    fn is_valid(&mut self, motion: &SubstepMotion, margins: &Margins) -> bool {
        let Self {
            positions,
            displacements: predicted,
            tolerance,
            substeps_used,
            path_deviations,
            self_features,
            ..
        } = self;
        self_features.points.iter().all(|&i| {
            let i = i as usize;
            let displacement = predicted[i];
            let [before, after] = [*substeps_used - 1.0, *substeps_used]
                .map(|substeps| positions[i] + displacement * substeps);
            let far = motion.start[i].distance(before).max(motion.x[i].distance(after));
            let margin = margins.values()[i];
            path_deviations[i] = PathDeviation { free_motion: far, margin };
            far + margin <= tolerance[i]
        })
    }

    /// True if the features of a pair cannot come into contact in this substep.
    pub fn is_far(&self, pair: &ListedPair) -> bool {
        let (first, count) = pair.features.counts();
        let side = |particles: &[u32]| {
            let deviations = particles.iter().map(|i| self.path_deviations[*i as usize]);
            let most = deviations.fold(PathDeviation::default(), |most, one| PathDeviation {
                free_motion: most.free_motion.max(one.free_motion),
                margin: most.margin.max(one.margin),
            });
            most.free_motion + most.margin
        };
        let deviations = side(&pair.particles[..first]) + side(&pair.particles[first..count]);
        pair.apart > SAFETY * (pair.approach * self.substeps_used + deviations + pair.reach)
    }
}

/// Returns the rank of a pair in the order of all pairs: by kind, then first feature, then second
/// feature.
fn key(features: Features, [first, second]: [usize; 2]) -> u64 {
    let kind = u64::from(features == Features::PointAndTriangle);
    kind << 62 | (first as u64) << 31 | second as u64
}

impl ListContext<'_> {
    /// Returns a box that bounds the motion of some particles while the list is valid.
    fn bounding_box(&self, particles: &[u32]) -> MovingBox {
        let of = |i: u32| {
            let i = i as usize;
            MovingBox::of(
                self.positions[i],
                self.displacements[i] * self.substeps,
                self.allowed_deviation[i],
            )
        };
        particles[1..].iter().fold(of(particles[0]), |all, i| all.with(&of(*i)))
    }

    fn allowed_deviation(&self, particles: &[u32]) -> f64 {
        particles.iter().map(|i| self.allowed_deviation[*i as usize]).fold(0.0, f64::max)
    }

    /// Returns an upper bound in metres of the approach of two features in one substep.
    fn approach_bound(&self, one: &[u32], other: &[u32]) -> f64 {
        let displacement = |i: &u32| self.displacements[*i as usize];
        let displacements = || one.iter().chain(other).map(displacement);
        let mean = displacements().sum::<DVec3>() / (one.len() + other.len()) as f64;
        let most = |side: &[u32]| {
            side.iter()
                .map(|i| (displacement(i) - mean).length_squared())
                .fold(0.0, f64::max)
                .sqrt()
        };
        most(one) + most(other)
    }

    /// True if two features are within two links of each other. Such features form a pair only if
    /// they are further apart than their thickness at the start of the scene.
    fn are_neighbours(&self, [one, other]: [&[u32]; 2]) -> bool {
        let rings = &self.self_features.rings;
        !self.only_points
            && one.iter().any(|i| other.iter().any(|j| rings.are_within_two_links(*i, *j)))
    }

    /// True if two features within two links of each other share a particle, or stay further apart
    /// than their thickness while the list is valid. This test rejects most pairs of a flat cloth.
    fn stay_apart(&self, [one, other]: [&[u32]; 2]) -> bool {
        if one.iter().any(|i| other.contains(i)) {
            return true;
        }
        let places =
            |side: &[u32]| [0, 1, 2].map(|k| self.positions[side[k.min(side.len() - 1)] as usize]);
        let drift = |side: &[u32]| {
            let displacements = side.iter().map(|i| self.drifts[*i as usize]).fold(0.0, f64::max);
            displacements + self.allowed_deviation(side)
        };
        let reach = 2.0 * self.geometry.contact_table.largest_radius();
        box_gap(&places(one), &places(other)) > SAFETY * (reach + drift(one) + drift(other))
    }

    /// Returns the pair of two features, or `None` if they are too far apart.
    fn pair(
        &self,
        (features, key): (Features, u64),
        [one, other]: [&[u32]; 2],
    ) -> Option<ListedPair> {
        let mut particles = [other[other.len() - 1]; 4];
        particles[..one.len()].copy_from_slice(one);
        particles[one.len()..one.len() + other.len()].copy_from_slice(other);
        let Geometry { contact_table, layers, .. } = self.geometry;
        let (first, second) = (contact_table.of_feature(one), contact_table.of_feature(other));
        let reach = first.radius + second.radius;
        let approach = self.approach_bound(one, other);
        let nearer =
            self.substeps * approach + self.allowed_deviation(one) + self.allowed_deviation(other);
        let positions = particles.map(|i| self.positions[i as usize]);
        let is_far = |x: &[DVec3; 4], most: f64| {
            let (side, count) = features.counts();
            box_gap(&x[..side], &x[side..count]) > most * SAFETY
        };
        if is_far(&positions, reach + nearer) || !layers.may_collide(first.layer, second.layer) {
            return None;
        }
        let apart = features.nearest(&positions).1.length();
        if apart > SAFETY * (reach + nearer) {
            return None;
        }
        // The distance of two features may be as small as at the start of the scene.
        let initial = particles.map(|i| self.scene_start[i as usize]);
        let reach = if is_far(&initial, reach) {
            reach
        } else {
            let apart = features.nearest(&initial).1.length();
            if apart < reach && self.are_neighbours([one, other]) {
                return None;
            }
            reach.min(apart)
        };
        let is_listed = reach > 0.0 && apart <= SAFETY * (reach + nearer);
        let sides = false;
        is_listed.then_some(ListedPair { features, particles, reach, sides, key, apart, approach })
    }
}

/// Number of tasks per thread: several, so that a thread that finishes early can take over tasks of
/// another.
const PARTS_A_THREAD: usize = 4;

/// Returns the number of items per task, for `total` items. A task has at least `least`/2 items, or
/// all items if there are fewer.
///
/// Work is divided only on threads of the pool, because rayon sometimes allocates memory if it is
/// called from outside the pool.
pub(in crate::contact) fn part_size(total: usize, least: usize) -> usize {
    let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    let parts = if threads > 1 { total.div_ceil(least).min(PARTS_A_THREAD * threads) } else { 1 };
    total.div_ceil(parts.max(1)).max(1)
}
