//! A list of pairs of features that may come near each other within some substeps.
//!
//! It foresees that particles go on as they move, and allows each to stray from that so far: pairs
//! are listed that may then touch, and the list serves until a particle strays further or the
//! substeps are over. What falls or swings together comes no nearer and is not listed.

use super::crowd::{Crowded, most_looked_at, most_pairs};
use super::feature_tree::{FeatureTree, MovingBox, sort_by_place};
use super::margins::Margins;
use crate::contact::Geometry;
use crate::contact::cloth::features::{EARLY, Features, gap};
use crate::contact::cloth::pair::Ways;
use crate::contact::cloth::rings::Rings;
use crate::contact::cloth::touchable::{Skins, Touchable};
use crate::mesh::Mesh;
use glam::DVec3;
use itertools::izip;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A particle may stray by this share of the largest radius and of what ways change near it, where a
/// list is made for more than one substep.
const ASTRAY: [f64; 2] = [0.5, 1.0];

/// And by this many radii at most.
const MOST_ASTRAY: f64 = 2.0;

/// Substeps that a list is made for at most: twice those that the one before was made for if it
/// served beyond its end, else as many as it served.
const MOST_SUBSTEPS: f64 = 32.0;

/// Features that one thread looks for at least.
const FEATURES_A_THREAD: usize = 500;

/// Share by which a bound of distances must exceed them, beyond what rounding may do and the share
/// by which a touch may be found early.
const SURE: f64 = 1.0 + 4.0 * EARLY;

/// A pair that may come near.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct ListedPair {
    pub features: Features,
    /// Those of the first side, then those of the second; the last one again where there are fewer
    /// than four.
    pub particles: [u32; 4],
    /// Distance at which the pair counts as touching, in metres.
    pub reach: f64,
    /// Both are sides of triangles.
    pub sides: bool,
    /// Its place in the order of all pairs, whichever of them are listed.
    pub key: u64,
    /// Distance of its sides when the list was made, in metres.
    apart: f64,
    /// Approach of its sides in each substep that goes as foreseen, in metres.
    closing: f64,
}

/// Deviation of a particle from its foreseen motion in a substep, in metres.
#[derive(Clone, Copy, Debug, Default)]
struct Stray {
    /// Deviation of its free motion from the displacement that the list foresees.
    astray: f64,
    /// And how much further constraints may move it.
    margin: f64,
}

/// Features of ropes and cloths with self-contact.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct SelfTouching {
    /// Particles, ascending.
    pub points: Vec<u32>,
    /// Links of ropes and sides of triangles, in the order of their places.
    pub edges: Vec<[u32; 2]>,
    /// Flags of edges that are sides of triangles.
    pub are_sides: Vec<bool>,
    /// Triangles in the order of their places.
    pub triangles: Vec<[u32; 3]>,
    pub rings: Rings,
}

impl SelfTouching {
    /// Chooses the features among all touchable ones.
    pub fn choose(touchable: &Touchable, skins: &Skins, mesh: &Mesh) -> Self {
        let touch = |particles: &[u32]| skins.touch(particles);
        let edges = touchable.links.iter().chain(&touchable.sides);
        let mut edges: Vec<[u32; 2]> = edges.filter(|edge| touch(*edge)).copied().collect();
        let triangles = touchable.triangles.iter().filter(|triangle| touch(*triangle));
        let mut triangles: Vec<[u32; 3]> = triangles.copied().collect();
        let mut points: Vec<u32> = edges.iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        sort_by_place(&mut edges, &mesh.positions);
        sort_by_place(&mut triangles, &mesh.positions);
        let are_sides =
            edges.iter().map(|edge| touchable.sides.binary_search(edge).is_ok()).collect();
        let rings = Rings::new(mesh.positions.len(), &edges);
        Self { points, edges, are_sides, triangles, rings }
    }
}

/// Makes and keeps the list.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct NearList {
    pairs: Vec<ListedPair>,
    /// Positions for which the list was made, in metres; empty = it must be made.
    at: Vec<DVec3>,
    /// Displacements in the substep for which it was made, in metres.
    ways: Vec<DVec3>,
    /// Deviation that each particle may have where a list is to serve again, in metres.
    slack: Vec<f64>,
    /// Deviation that each particle may have now, in metres.
    astray: Vec<f64>,
    /// Displacement of each particle relative to those within two links while the list serves as
    /// foreseen, in metres.
    drifts: Vec<f64>,
    /// Substeps that it is made for, and those that it has served.
    substeps: f64,
    served: f64,
    /// Deviation of each particle in this substep.
    strays: Vec<Stray>,
    /// The lists of features that it is made of.
    version: Option<u64>,
    /// Only particles with each other.
    only_points: bool,
    chosen: SelfTouching,
    tree: FeatureTree,
    /// Pairs that each thread has found.
    parts: Vec<ListPart>,
}

/// Pairs that one thread finds.
#[derive(Clone, Debug, Default)]
struct ListPart {
    pairs: Vec<ListedPair>,
}

/// Data that stays the same while a list is made.
#[derive(Clone, Copy)]
struct ListContext<'a> {
    chosen: &'a SelfTouching,
    at: &'a [DVec3],
    /// The ways that are foreseen in each of so many substeps, in metres.
    ways: &'a [DVec3],
    substeps: f64,
    astray: &'a [f64],
    /// Displacement of particles relative to those within two links of them while the list serves
    /// as foreseen, in metres.
    drifts: &'a [f64],
    /// Positions of particles at the start of the scene, in metres.
    first: &'a [DVec3],
    geometry: &'a Geometry,
    /// Whether what hangs together may touch.
    only_points: bool,
}

impl NearList {
    /// Pairs in the order of their numbers.
    pub fn pairs(&self) -> &[ListedPair] {
        &self.pairs
    }

    /// The particles that touch themselves, ascending.
    pub fn points(&self) -> &[u32] {
        &self.chosen.points
    }

    /// The links between them.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.chosen.edges
    }

    /// Chooses the features anew if links were cut.
    pub fn choose(&mut self, only_points: bool, touchable: &Touchable, skins: &Skins, mesh: &Mesh) {
        if self.version == Some(touchable.version) && self.only_points == only_points {
            return;
        }
        self.version = Some(touchable.version);
        self.only_points = only_points;
        self.at.clear();
        self.chosen = SelfTouching::choose(touchable, skins, mesh);
    }

    /// Makes it again for one substep, with the features of another list.
    pub fn update_as(
        &mut self,
        other: &Self,
        ways: &Ways,
        margins: &Margins,
        (geometry, mesh): (&Geometry, &Mesh),
    ) -> Result<(), Crowded> {
        if self.version != other.version || self.only_points != other.only_points {
            self.version = other.version;
            self.only_points = other.only_points;
            self.chosen.clone_from(&other.chosen);
        }
        self.at.clear();
        self.served = 0.0;
        self.update(ways, margins, geometry, mesh)
    }

    /// Makes the list anew if it does not serve in this substep.
    pub fn update(
        &mut self,
        ways: &Ways,
        margins: &Margins,
        geometry: &Geometry,
        mesh: &Mesh,
    ) -> Result<(), Crowded> {
        let count = mesh.positions.len();
        self.served += 1.0;
        let thickest = geometry.skins.thickest();
        let is_made = self.at.len() == count;
        let serves = is_made && self.serves(ways, margins);
        if serves && self.served <= self.substeps {
            return Ok(());
        }
        let before = self.served - 1.0;
        let next = if serves { 2.0 * before } else { before };
        self.substeps = next.clamp(1.0, MOST_SUBSTEPS);
        self.served = 1.0;
        self.at.clear();
        self.at.extend(&ways.start[..count]);
        self.ways.clear();
        self.ways.extend(izip!(ways.x, ways.start).take(count).map(|(x, start)| *x - *start));
        let slack =
            |change: &f64| (ASTRAY[0] * thickest + ASTRAY[1] * change).min(MOST_ASTRAY * thickest);
        self.slack.clear();
        self.slack.extend(izip!(margins.of(), margins.changes()).map(|(m, c)| m + slack(c)));
        self.astray.clear();
        // Made for one substep it knows where everything goes.
        let is_short = self.substeps == 1.0;
        self.astray.extend(if is_short { margins.of() } else { &self.slack });
        self.drifts.clear();
        self.drifts.extend(margins.changes().iter().map(|change| self.substeps * change));
        self.strays.clear();
        self.strays.extend(margins.of().iter().map(|&margin| Stray { astray: 0.0, margin }));
        self.pairs.clear();
        let found = if self.only_points {
            self.search(Features::Points, [1, 1], geometry, mesh)
        } else {
            self.search(Features::Links, [2, 2], geometry, mesh)
                .and_then(|()| self.search(Features::PointAndTriangle, [1, 3], geometry, mesh))
        };
        if found.is_err() {
            self.at.clear();
            self.pairs.clear();
        }
        found
    }

    /// Lists the pairs of features of so many particles.
    fn search(
        &mut self,
        features: Features,
        [one, other]: [usize; 2],
        geometry: &Geometry,
        mesh: &Mesh,
    ) -> Result<(), Crowded> {
        let Self { pairs, at, ways, astray, drifts, chosen, tree, parts, .. } = self;
        let Self { substeps, only_points, .. } = self;
        let (substeps, only_points) = (*substeps, *only_points);
        let first = &mesh.positions[..];
        let context = ListContext {
            chosen,
            at,
            ways,
            substeps,
            astray,
            drifts,
            first,
            geometry,
            only_points,
        };
        let SelfTouching { points, edges, triangles, .. } = &*chosen;
        let particles = |kind: usize, k: usize| -> &[u32] {
            match kind {
                1 => std::slice::from_ref(&points[k]),
                2 => &edges[k],
                _ => &triangles[k],
            }
        };
        let counts = [points.len(), edges.len(), triangles.len()];
        let total = counts[one - 1];
        tree.build((0..counts[other - 1]).map(|k| context.around(particles(other, k))));
        let tree = &*tree;
        let size = part_size(total, FEATURES_A_THREAD);
        let used = total.div_ceil(size);
        parts.resize_with(used.max(parts.len()), ListPart::default);
        let reach = 2.0 * geometry.skins.thickest();
        let count = counts.iter().sum();
        let (most, most_met) = (most_pairs(count), most_looked_at(count));
        // Both are sums over all threads, so that it does not depend on them whether they are too many.
        let [listed, met] = [(); 2].map(|()| AtomicUsize::new(0));
        let is_crowded =
            || listed.load(Ordering::Relaxed) > most || met.load(Ordering::Relaxed) > most_met;
        let search_part = |(part, found): (usize, &mut ListPart)| {
            found.pairs.clear();
            for number in part * size..((part + 1) * size).min(total) {
                if is_crowded() {
                    return;
                }
                let first = particles(one, number);
                let (mut met_here, before) = (0, found.pairs.len());
                let least = if one == other { number + 1 } else { 0 };
                tree.query(&context.around(first), least, reach, &mut |k| {
                    met_here += 1;
                    let sides = [first, particles(other, k)];
                    if context.hangs(sides) && context.stay_apart(sides) {
                        return;
                    }
                    let key = key(features, [number, k]);
                    let pair = context.pair((features, key), sides);
                    let sides = features == Features::Links
                        && chosen.are_sides[number]
                        && chosen.are_sides[k];
                    found.pairs.extend(pair.map(|pair| ListedPair { sides, ..pair }));
                });
                met.fetch_add(met_here, Ordering::Relaxed);
                listed.fetch_add(found.pairs.len() - before, Ordering::Relaxed);
            }
        };
        match used {
            0 | 1 => parts[..used].iter_mut().enumerate().for_each(search_part),
            _ => parts[..used].par_iter_mut().enumerate().for_each(search_part),
        }
        if is_crowded() {
            return Err(Crowded);
        }
        parts[..used].iter().for_each(|found| pairs.extend_from_slice(&found.pairs));
        Ok(())
    }

    /// Whether every particle goes as foreseen in this substep, at its start and at its end, or strays
    /// no further than a list allows that is made for several.
    fn serves(&mut self, ways: &Ways, margins: &Margins) -> bool {
        let Self { at, ways: foreseen, slack, served, strays, chosen, .. } = self;
        chosen.points.iter().all(|&i| {
            let i = i as usize;
            let way = foreseen[i];
            let [before, after] = [*served - 1.0, *served].map(|substeps| at[i] + way * substeps);
            let far = ways.start[i].distance(before).max(ways.x[i].distance(after));
            let margin = margins.of()[i];
            strays[i] = Stray { astray: far, margin };
            far + margin <= slack[i]
        })
    }

    /// Whether the sides of a pair stay further apart in this substep than contact looks.
    pub fn is_far(&self, pair: &ListedPair) -> bool {
        let (first, count) = pair.features.counts();
        let side = |particles: &[u32]| {
            let strays = particles.iter().map(|i| self.strays[*i as usize]);
            let most = strays.fold(Stray::default(), |most, stray| Stray {
                astray: most.astray.max(stray.astray),
                margin: most.margin.max(stray.margin),
            });
            most.astray + most.margin
        };
        let strays = side(&pair.particles[..first]) + side(&pair.particles[first..count]);
        pair.apart > SURE * (pair.closing * self.served + strays + pair.reach)
    }
}

/// Rank of a pair in the order of all pairs: by kind, first feature, second feature.
fn key(features: Features, [first, second]: [usize; 2]) -> u64 {
    let kind = u64::from(features == Features::PointAndTriangle);
    kind << 62 | (first as u64) << 31 | second as u64
}

impl ListContext<'_> {
    /// Box of the places that some particles may reach while the list serves.
    fn around(&self, particles: &[u32]) -> MovingBox {
        let of = |i: u32| {
            let i = i as usize;
            MovingBox::of(self.at[i], self.ways[i] * self.substeps, self.astray[i])
        };
        particles[1..].iter().fold(of(particles[0]), |all, i| all.with(&of(*i)))
    }

    fn astray(&self, particles: &[u32]) -> f64 {
        particles.iter().map(|i| self.astray[*i as usize]).fold(0.0, f64::max)
    }

    /// Approach of two sides in a substep, in metres.
    fn closing(&self, one: &[u32], other: &[u32]) -> f64 {
        let way = |i: &u32| self.ways[*i as usize];
        let ways = || one.iter().chain(other).map(way);
        let mean = ways().sum::<DVec3>() / (one.len() + other.len()) as f64;
        let most = |side: &[u32]| {
            side.iter().map(|i| (way(i) - mean).length_squared()).fold(0.0, f64::max).sqrt()
        };
        most(one) + most(other)
    }

    /// Whether two sides are within two links of each other, so that they are no pair unless the scene
    /// starts with them further apart than their thickness.
    fn hangs(&self, [one, other]: [&[u32]; 2]) -> bool {
        let rings = &self.chosen.rings;
        !self.only_points && one.iter().any(|i| other.iter().any(|j| rings.join(*i, *j)))
    }

    /// Whether two sides within two links of each other share a particle, or stay further apart than
    /// their thickness while the list serves: spares most of what lies flat.
    fn stay_apart(&self, [one, other]: [&[u32]; 2]) -> bool {
        if one.iter().any(|i| other.contains(i)) {
            return true;
        }
        let places =
            |side: &[u32]| [0, 1, 2].map(|k| self.at[side[k.min(side.len() - 1)] as usize]);
        let drift = |side: &[u32]| {
            let ways = side.iter().map(|i| self.drifts[*i as usize]).fold(0.0, f64::max);
            ways + self.astray(side)
        };
        let reach = 2.0 * self.geometry.skins.thickest();
        gap(&places(one), &places(other)) > SURE * (reach + drift(one) + drift(other))
    }

    /// The pair, unless it is too far away.
    fn pair(
        &self,
        (features, key): (Features, u64),
        [one, other]: [&[u32]; 2],
    ) -> Option<ListedPair> {
        let mut particles = [other[other.len() - 1]; 4];
        particles[..one.len()].copy_from_slice(one);
        particles[one.len()..one.len() + other.len()].copy_from_slice(other);
        let Geometry { skins, layers, .. } = self.geometry;
        let (first, second) = (skins.over(one), skins.over(other));
        let reach = first.radius + second.radius;
        let closing = self.closing(one, other);
        let nearer = self.substeps * closing + self.astray(one) + self.astray(other);
        let at = particles.map(|i| self.at[i as usize]);
        let is_far = |x: &[DVec3; 4], most: f64| {
            let (side, count) = features.counts();
            gap(&x[..side], &x[side..count]) > most * SURE
        };
        if is_far(&at, reach + nearer) || !layers.touch(first.layer, second.layer) {
            return None;
        }
        let apart = features.nearest(&at).1.length();
        if apart > SURE * (reach + nearer) {
            return None;
        }
        // What is nearer to each other at the start of the scene may be so.
        let begun = particles.map(|i| self.first[i as usize]);
        let reach = if is_far(&begun, reach) {
            reach
        } else {
            let apart = features.nearest(&begun).1.length();
            if apart < reach && self.hangs([one, other]) {
                return None;
            }
            reach.min(apart)
        };
        let is_listed = reach > 0.0 && apart <= SURE * (reach + nearer);
        let sides = false;
        is_listed.then_some(ListedPair { features, particles, reach, sides, key, apart, closing })
    }
}

/// Parts that each thread gets, so that one which has less to do takes some from another.
const PARTS_A_THREAD: usize = 4;

/// Size of a part of `total` things that a thread takes: at least `least`, unless it is all of
/// them.
///
/// Only a thread of the pool hands work out: from outside it, rayon takes memory now and then.
pub(in crate::contact) fn part_size(total: usize, least: usize) -> usize {
    let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    let parts = if threads > 1 { total.div_ceil(least).min(PARTS_A_THREAD * threads) } else { 1 };
    total.div_ceil(parts.max(1)).max(1)
}
