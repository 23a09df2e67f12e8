//! A list of pairs of features that may come near each other within some substeps.
//!
//! It foresees that particles go on as they move, and allows each to stray from that so far: pairs
//! are listed that may then touch, and the list serves until a particle strays further or the
//! substeps are over. What falls or swings together comes no nearer and is not listed.

use super::Geometry;
use super::feature_tree::{FeatureTree, MovingBox, sort_by_place};
use super::features::Features;
use super::margins::Margins;
use super::pair::Ways;
use super::rings::Rings;
use super::touchable::{Skins, Touchable};
use crate::mesh::Mesh;
use glam::DVec3;
use itertools::izip;
use rayon::prelude::*;

/// A particle may stray by this many of the largest radius.
const ASTRAY: f64 = 0.75;

/// Substeps that a list is made for at most: as many as move neighbours that far on the average. Where
/// that is one, nothing may stray.
const MOST_SUBSTEPS: f64 = 32.0;

/// Features that one thread looks for at least.
const FEATURES_A_THREAD: usize = 1000;

/// A pair that may come near.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedPair {
    pub features: Features,
    /// Those of the first side, then those of the second; the last one again where there are fewer
    /// than four.
    pub particles: [u32; 4],
    /// How near they may come, in metres.
    pub reach: f64,
}

/// What of ropes and cloths touches itself.
#[derive(Clone, Debug, Default)]
pub(super) struct SelfTouching {
    /// Particles, ascending.
    pub points: Vec<u32>,
    /// Links of ropes and sides of triangles, in the order of their places.
    pub edges: Vec<[u32; 2]>,
    /// In the order of their places.
    pub triangles: Vec<[u32; 3]>,
    pub rings: Rings,
}

impl SelfTouching {
    /// Of all that can be touched.
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
        let rings = Rings::new(mesh.positions.len(), &edges);
        Self { points, edges, triangles, rings }
    }
}

/// Makes and keeps the list.
#[derive(Clone, Debug, Default)]
pub(super) struct NearList {
    pairs: Vec<ListedPair>,
    /// Where particles were when it was made, in metres; none = it must be made.
    at: Vec<DVec3>,
    /// How far they went in the substep for which it was made, in metres.
    ways: Vec<DVec3>,
    /// How far each may stray from that, in metres.
    astray: Vec<f64>,
    /// Substeps that it is made for, and those that it has served.
    substeps: f64,
    served: f64,
    /// The lists of features that it is made of.
    version: Option<u64>,
    /// Only particles with each other.
    only_points: bool,
    chosen: SelfTouching,
    tree: FeatureTree,
    /// What each thread has found.
    parts: Vec<ListPart>,
}

/// What one thread finds.
#[derive(Clone, Debug, Default)]
struct ListPart {
    pairs: Vec<ListedPair>,
}

/// What stays the same while a list is made.
#[derive(Clone, Copy)]
struct ListContext<'a> {
    chosen: &'a SelfTouching,
    at: &'a [DVec3],
    /// The ways that are foreseen in each of so many substeps, in metres.
    ways: &'a [DVec3],
    substeps: f64,
    astray: &'a [f64],
    /// Where particles are at the start of the scene, in metres.
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

    /// Makes the list anew if it does not serve in this substep.
    pub fn update(&mut self, ways: &Ways, margins: &Margins, geometry: &Geometry, mesh: &Mesh) {
        let count = mesh.positions.len();
        self.served += 1.0;
        if self.at.len() == count && self.serves(ways, margins) {
            return;
        }
        let thickest = geometry.skins.thickest();
        let most = ASTRAY * thickest;
        self.substeps = (most / margins.mean_change()).floor().clamp(1.0, MOST_SUBSTEPS);
        let astray = if self.substeps > 1.0 { most } else { 0.0 };
        self.served = 1.0;
        self.at.clear();
        self.at.extend(&ways.start[..count]);
        self.ways.clear();
        self.ways.extend(izip!(ways.x, ways.start).take(count).map(|(x, start)| *x - *start));
        self.astray.clear();
        self.astray.extend(margins.of().iter().map(|margin| margin + astray));
        self.pairs.clear();
        let Self { pairs, at, ways, astray, chosen, tree, parts, .. } = self;
        let (only_points, substeps) = (self.only_points, self.substeps);
        let first = &mesh.positions[..];
        let context =
            ListContext { chosen, at, ways, substeps, astray, first, geometry, only_points };
        let SelfTouching { points, edges, triangles, .. } = &*chosen;
        let mut search = |features: Features, [one, other]: [usize; 2]| {
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
            let search_part = |(part, found): (usize, &mut ListPart)| {
                found.pairs.clear();
                for k in part * size..((part + 1) * size).min(total) {
                    let first = particles(one, k);
                    let least = if one == other { k + 1 } else { 0 };
                    tree.query(&context.around(first), least, 2.0 * thickest, &mut |k| {
                        found.pairs.extend(context.pair(features, [first, particles(other, k)]));
                    });
                }
            };
            match used {
                0 | 1 => parts[..used].iter_mut().enumerate().for_each(search_part),
                _ => parts[..used].par_iter_mut().enumerate().for_each(search_part),
            }
            parts[..used].iter().for_each(|found| pairs.extend_from_slice(&found.pairs));
        };
        if only_points {
            search(Features::Points, [1, 1]);
        } else {
            search(Features::Links, [2, 2]);
            search(Features::PointAndTriangle, [1, 3]);
        }
    }

    /// Whether every particle goes as foreseen in this substep, at its start and at its end.
    fn serves(&self, ways: &Ways, margins: &Margins) -> bool {
        let Self { at, ways: foreseen, astray, served, .. } = self;
        if *served > self.substeps {
            return false;
        }
        self.chosen.points.iter().all(|&i| {
            let i = i as usize;
            let way = foreseen[i];
            let [before, after] = [*served - 1.0, *served].map(|substeps| at[i] + way * substeps);
            let end = ways.x[i].distance(after) + margins.of()[i];
            ways.start[i].distance(before) <= astray[i] && end <= astray[i]
        })
    }
}

impl ListContext<'_> {
    /// What some particles may reach while the list serves.
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

    /// How much nearer two sides may come while the list serves, in metres.
    fn nearer(&self, one: &[u32], other: &[u32]) -> f64 {
        let way = |i: &u32| self.ways[*i as usize];
        let ways = || one.iter().chain(other).map(way);
        let mean = ways().sum::<DVec3>() / (one.len() + other.len()) as f64;
        let most = |side: &[u32]| {
            side.iter().map(|i| (way(i) - mean).length_squared()).fold(0.0, f64::max).sqrt()
        };
        self.substeps * (most(one) + most(other)) + self.astray(one) + self.astray(other)
    }

    /// The pair, unless it hangs together or is too far away.
    fn pair(&self, features: Features, [one, other]: [&[u32]; 2]) -> Option<ListedPair> {
        let rings = &self.chosen.rings;
        let hangs = || one.iter().any(|i| other.iter().any(|j| rings.join(*i, *j)));
        if !self.only_points && hangs() {
            return None;
        }
        let mut particles = [other[other.len() - 1]; 4];
        particles[..one.len()].copy_from_slice(one);
        particles[one.len()..one.len() + other.len()].copy_from_slice(other);
        let apart = |x: &[DVec3]| features.nearest(&particles.map(|i| x[i as usize])).1.length();
        let Geometry { skins, layers, .. } = self.geometry;
        let (first, second) = (skins.over(one), skins.over(other));
        let reach = first.radius + second.radius;
        let far = apart(self.at) - self.nearer(one, other);
        if far > reach || !layers.touch(first.layer, second.layer) {
            return None;
        }
        // What is nearer to each other at the start of the scene may be so.
        let reach = reach.min(apart(self.first));
        (reach > 0.0 && far <= reach).then_some(ListedPair { features, particles, reach })
    }
}

/// How many of `total` things one thread does, which are at least `least` unless it does all.
///
/// Only a thread of the pool hands work out: from outside it, rayon takes memory now and then.
pub(super) fn part_size(total: usize, least: usize) -> usize {
    let threads = if rayon::current_thread_index().is_some() {
        total.div_ceil(least).min(rayon::current_num_threads())
    } else {
        1
    };
    total.div_ceil(threads.max(1)).max(1)
}
