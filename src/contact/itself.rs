//! Ropes and cloths against themselves and each other: which features may touch.
//!
//! A list of pairs is made from a grid and kept while nothing has moved so far, seen from the mean
//! motion of all, that another pair could have come near. What is near in a substep follows from the
//! state alone, whenever the list was made.

use super::broad_phase::{CellGrid, Reach};
use super::features::Features;
use super::pair::{FeaturePair, Ways};
use super::touchable::{Skins, Touchable};
use super::{Geometry, SelfContact};
use crate::mesh::Mesh;
use glam::DVec3;

/// A list reaches further than a substep needs by this many of the largest radius, so that it
/// serves for some. Lists that reach three times as far as needed took 4 GB for a cloth of 100 × 100
/// that falls at 4 m/s.
const AHEAD: f64 = 2.0;

/// Share of the largest radius by which links may move a particle that moves with all others.
const AT_REST: f64 = 0.25;

/// Finds the pairs of ropes and cloths with themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Itself {
    /// Near pairs when the list was made, in the order of their numbers.
    pairs: Vec<FeaturePair>,
    /// Where particles were then, in metres.
    at: Vec<DVec3>,
    /// How far beyond touching the list reaches, in metres.
    ahead: f64,
    /// What the lists below were made of.
    made_of: Option<(u64, SelfContact)>,
    points: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// Particles within two links of each, ascending.
    rings: Vec<Vec<u32>>,
    grid: CellGrid,
    reaches: Vec<Reach>,
    numbers: Vec<(u32, u32)>,
}

impl Itself {
    /// Adds the pairs that may touch in a substep, if nothing ends further than the margin from
    /// where it is now.
    pub fn find(
        &mut self,
        way: SelfContact,
        (geometry, mesh): (&Geometry, &Mesh),
        touchable: &Touchable,
        ways: &Ways,
        pairs: &mut Vec<FeaturePair>,
    ) {
        if way == SelfContact::Off || !geometry.skins.touch_themselves() {
            return;
        }
        if self.made_of != Some((touchable.version, way)) {
            self.made_of = Some((touchable.version, way));
            self.choose(touchable, &geometry.skins, mesh);
            self.at.clear();
        }
        let thickest = geometry.skins.thickest();
        // Nothing comes nearer in a common motion, such as a fall.
        let margin = 2.0 * fastest(ways, mesh.positions.len()) + AT_REST * thickest;
        let ways = &Ways { margin, ..*ways };
        let needed = 2.0 * margin;
        if !needed.is_finite() {
            return;
        }
        if self.at.is_empty() || 2.0 * self.moved(ways.start) + needed > self.ahead {
            self.ahead = needed + AHEAD * thickest;
            self.at.clear();
            self.at.extend(&ways.start[..mesh.positions.len()]);
            self.list(way, geometry, mesh);
        }
        pairs.extend(self.pairs.iter().filter_map(|pair| pair.near(ways)));
    }

    /// How many pairs are looked at in each substep.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// The greatest way of a particle since the list was made, seen from the mean of all.
    fn moved(&self, x: &[DVec3]) -> f64 {
        let ways = || x.iter().zip(&self.at).map(|(x, at)| *x - *at);
        let mean = ways().sum::<DVec3>() / self.at.len() as f64;
        ways().map(|way| (way - mean).length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Chooses the features that touch each other.
    fn choose(&mut self, touchable: &Touchable, skins: &Skins, mesh: &Mesh) {
        let Self { points, edges, triangles, rings, .. } = self;
        let touch = |particles: &[u32]| skins.touch(particles);
        edges.clear();
        edges.extend(touchable.links.iter().filter(|link| touch(*link)));
        edges.extend(touchable.sides.iter().filter(|side| touch(*side)));
        triangles.clear();
        triangles.extend(touchable.triangles.iter().filter(|triangle| touch(*triangle)));
        points.clear();
        points.extend(edges.iter().flatten());
        points.sort_unstable();
        points.dedup();
        let mut next = vec![Vec::new(); mesh.positions.len()];
        for &[a, b] in edges.iter() {
            next[a as usize].push(b);
            next[b as usize].push(a);
        }
        rings.clear();
        rings.extend((0..next.len()).map(|i| {
            let first = &next[i];
            let second = first.iter().flat_map(|j| &next[*j as usize]);
            let mut ring: Vec<u32> = first.iter().chain(second).copied().collect();
            ring.push(i as u32);
            ring.sort_unstable();
            ring.dedup();
            ring
        }));
    }

    /// Makes the list anew.
    fn list(&mut self, way: SelfContact, geometry: &Geometry, mesh: &Mesh) {
        self.pairs.clear();
        let more = geometry.skins.thickest() + 0.5 * self.ahead;
        if way == SelfContact::Particles {
            let Self { points, reaches, grid, numbers, at, .. } = self;
            reaches.clear();
            reaches.extend(points.iter().map(|&i| around(&[i], at, more)));
            pairs_of(grid, reaches, numbers);
            for k in 0..self.numbers.len() {
                let (i, j) = self.numbers[k];
                let [a, b] = [i, j].map(|k| self.points[k as usize]);
                self.add(way, Features::Points, [a, b, b, b], geometry, mesh);
            }
            return;
        }
        let Self { edges, reaches, grid, numbers, at, .. } = self;
        reaches.clear();
        reaches.extend(edges.iter().map(|edge| around(edge, at, more)));
        pairs_of(grid, reaches, numbers);
        for k in 0..self.numbers.len() {
            let (i, j) = self.numbers[k];
            let [[a, b], [c, d]] = [i, j].map(|k| self.edges[k as usize]);
            self.add(way, Features::Links, [a, b, c, d], geometry, mesh);
        }
        let Self { triangles, points, reaches, grid, numbers, at, .. } = self;
        reaches.clear();
        reaches.extend(triangles.iter().map(|triangle| around(triangle, at, more)));
        grid.build(reaches);
        numbers.clear();
        for &point in points.iter() {
            grid.query(&around(&[point], at, more), &mut |k| numbers.push((point, k)));
        }
        numbers.sort_unstable();
        for k in 0..self.numbers.len() {
            let (point, triangle) = self.numbers[k];
            let [a, b, c] = self.triangles[triangle as usize];
            self.add(way, Features::PointAndTriangle, [point, a, b, c], geometry, mesh);
        }
    }

    /// Adds a pair to the list, unless it hangs together or is too far away.
    fn add(
        &mut self,
        way: SelfContact,
        features: Features,
        particles: [u32; 4],
        geometry: &Geometry,
        mesh: &Mesh,
    ) {
        let Geometry { skins, layers, .. } = geometry;
        let (first, count) = features.counts();
        let (one, other) = particles[..count].split_at(first);
        let ring = |i: &u32| &self.rings[*i as usize];
        let hangs = |i: &u32| other.iter().any(|j| ring(i).binary_search(j).is_ok());
        if way != SelfContact::Particles && one.iter().any(hangs) {
            return;
        }
        let of = |x: &[DVec3]| features.nearest(&particles.map(|i| x[i as usize])).1.length();
        let (skin, second) = (skins.over(one), skins.over(other));
        if !layers.touch(skin.layer, second.layer) {
            return;
        }
        // What is nearer to each other at the start of the scene may be so.
        let reach = (skin.radius + second.radius).min(of(&mesh.positions));
        if reach > 0.0 && of(&self.at) <= reach + self.ahead {
            self.pairs.push(FeaturePair {
                features,
                particles,
                reach,
                surface: skin.surface.with(&second.surface),
                rolls: None,
                apart: DVec3::ZERO,
                guarded: way == SelfContact::Guarantee,
            });
        }
    }
}

/// The greatest way of the first particles in a substep, seen from the mean of all.
fn fastest(ways: &Ways, count: usize) -> f64 {
    let each = || ways.x.iter().zip(ways.start).take(count).map(|(x, start)| *x - *start);
    let mean = each().sum::<DVec3>() / count as f64;
    each().map(|way| (way - mean).length_squared()).fold(0.0, f64::max).sqrt()
}

/// Pairs of cubes that meet, in the order of their numbers.
fn pairs_of(grid: &mut CellGrid, reaches: &[Reach], numbers: &mut Vec<(u32, u32)>) {
    numbers.clear();
    grid.build(reaches);
    grid.pairs(&mut |i, j| numbers.push((i, j)));
    numbers.sort_unstable();
}

/// A cube round some particles, and `more` metres.
fn around(particles: &[u32], x: &[DVec3], more: f64) -> Reach {
    let places = || particles.iter().map(|i| x[*i as usize]);
    let least = places().fold(DVec3::INFINITY, DVec3::min);
    let most = places().fold(DVec3::NEG_INFINITY, DVec3::max);
    Reach { centre: 0.5 * (least + most), half: 0.5 * (most - least).max_element() + more }
}
