//! Overlaps of bodies at the start of a scene.

use super::balls::ball_features::BallFeatures;
use super::cloth::feature_pair::SubstepMotion;
use super::cloth::touchable::Touchable;
use super::search::broad_phase::{BoundingCube, CellGrid};
use super::search::crowd::Crowded;
use super::{ContactMethod, Geometry};
use crate::mesh::Mesh;
use crate::mesh::topology::Topology;
use crate::numerics::magnitude::short;
use glam::DVec3;
use std::fmt;

/// Tolerance of overlaps in metres: rounding of positions to six digits may cause as much.
const OVERLAP_TOLERANCE: f64 = 1e-6;

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OverlappingPair {
    /// Indices of the particles of two balls.
    Balls(u32, u32),
    /// A ball, as a particle, and the two particles of a link.
    Link(u32, [u32; 2]),
    /// A ball, as a particle, and the three particles of a triangle.
    Triangle(u32, [u32; 3]),
    /// A particle and a collider, by its number.
    Collider(u32, u32),
}

/// Overlaps at the start of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialOverlaps {
    /// Pairs that overlap.
    pub count: usize,
    /// Depth of the deepest overlap, in metres.
    pub depth: f64,
    pair: OverlappingPair,
    /// True if there are more pairs than contact can process. `count` is then a lower bound.
    is_crowded: bool,
}

impl InitialOverlaps {
    /// Finds the overlaps of balls with each other and with links and triangles, and of balls and
    /// points with colliders, as far as one of the contact methods of the lanes resolves such
    /// pairs. The mesh has the positions at the start.
    pub fn find(geometry: &Geometry, mesh: &Mesh, methods: &[ContactMethod]) -> Option<Self> {
        let mut overlaps = Overlaps { geometry, x: &mesh.positions, found: None };
        let resolves_balls = |method: &ContactMethod| {
            matches!(method, ContactMethod::Discrete(_) | ContactMethod::Swept(_))
        };
        let mut is_crowded = false;
        if methods.iter().any(resolves_balls) {
            is_crowded |= overlaps.find_ball_overlaps().is_err();
            is_crowded |= overlaps.find_feature_overlaps(mesh).is_err();
        }
        if methods.iter().any(|method| *method != ContactMethod::Off) {
            overlaps.find_collider_overlaps();
        }
        overlaps.found.map(|found| Self { is_crowded, ..found })
    }
}

/// Search for overlaps, and those found so far.
struct Overlaps<'a> {
    geometry: &'a Geometry,
    /// Positions at the start, in metres.
    x: &'a [DVec3],
    found: Option<InitialOverlaps>,
}

impl Overlaps<'_> {
    /// Counts a pair that overlaps by `depth` metres, and keeps it if it is the deepest so far.
    fn record(&mut self, pair: OverlappingPair, depth: f64) {
        if depth <= OVERLAP_TOLERANCE || depth.is_nan() {
            return;
        }
        let first = InitialOverlaps { count: 0, depth, pair, is_crowded: false };
        let found = self.found.get_or_insert(first);
        found.count += 1;
        if depth > found.depth {
            (found.depth, found.pair) = (depth, pair);
        }
    }

    /// Sees balls that overlap each other.
    fn find_ball_overlaps(&mut self) -> Result<(), Crowded> {
        let Self { geometry, x, .. } = *self;
        let cubes = geometry.balls.iter().map(|ball| BoundingCube {
            centre: x[ball.particle as usize],
            half: ball.properties.radius,
        });
        let mut grid = CellGrid::default();
        grid.build(&cubes.collect::<Vec<_>>());
        let mut pairs = Vec::new();
        let all = grid.collect_pairs(&mut pairs);
        pairs.sort_unstable();
        for (a, b) in pairs {
            let [first, second] = [a, b].map(|number| &geometry.balls[number as usize]);
            if !geometry.layers.may_touch(first.properties.layer, second.properties.layer) {
                continue;
            }
            let [i, j] = [first.particle, second.particle];
            let apart = x[i as usize].distance(x[j as usize]);
            let reach = first.properties.radius + second.properties.radius;
            self.record(OverlappingPair::Balls(i, j), reach - apart);
        }
        all
    }

    /// Sees balls that overlap links of ropes and triangles of cloths, by the rules of the search
    /// in a substep in which nothing moves.
    fn find_feature_overlaps(&mut self, mesh: &Mesh) -> Result<(), Crowded> {
        let Self { geometry, x, .. } = *self;
        if geometry.balls.is_empty() {
            return Ok(());
        }
        let mut touchable = Touchable::default();
        touchable.update(mesh, &Topology::new(mesh), &geometry.balls, &geometry.contact_table);
        let w = vec![1.0; x.len()];
        let motion = SubstepMotion { start: x, x, w: &w, h: 0.0, margin: 0.0, discrete: true };
        let mut pairs = Vec::new();
        let all = BallFeatures::default().find_pairs(geometry, &touchable, &motion, &mut pairs);
        for pair in pairs {
            let overlapping = match *pair.used() {
                [ball, a, b] => OverlappingPair::Link(ball, [a, b]),
                [ball, a, b, c] => OverlappingPair::Triangle(ball, [a, b, c]),
                _ => continue,
            };
            self.record(overlapping, pair.reach - pair.apart.length());
        }
        all
    }

    /// Sees balls and points that overlap colliders.
    fn find_collider_overlaps(&mut self) {
        let Self { geometry, x, .. } = *self;
        let balls = geometry.balls.iter().map(|ball| (ball.particle, ball.properties));
        let points = geometry.points.iter().map(|point| (point.particle, point.properties));
        for (number, collider) in (0..).zip(&geometry.colliders) {
            for (i, properties) in balls.clone().chain(points.clone()) {
                if !geometry.layers.may_touch(properties.layer, collider.layer) {
                    continue;
                }
                let (distance, _) = collider.shape.distance(x[i as usize] - collider.at(0.0));
                self.record(OverlappingPair::Collider(i, number), properties.radius - distance);
            }
        }
    }
}

impl fmt::Display for OverlappingPair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Balls(i, j) => write!(f, "balls {i} and {j}"),
            Self::Link(ball, [a, b]) => write!(f, "ball {ball} and link {a}–{b}"),
            Self::Triangle(ball, [a, b, c]) => write!(f, "ball {ball} and triangle {a}–{b}–{c}"),
            Self::Collider(i, k) => write!(f, "particle {i} and collider {k}"),
        }
    }
}

impl fmt::Display for InitialOverlaps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { count, depth, pair, is_crowded } = self;
        let pairs = match (count, is_crowded) {
            (1, _) => "1 pair overlaps".to_owned(),
            (_, false) => format!("{count} pairs overlap"),
            (_, true) => format!("more than {count} pairs overlap"),
        };
        write!(f, "{pairs} at the start, {pair} by {} mm", short(depth * 1e3))?;
        if *count > 1 {
            write!(f, ", the deepest")?;
        }
        if *is_crowded {
            return write!(f, "; contact looks at no more and stops in the first step");
        }
        write!(f, "; a tenth of it is taken back in each substep: move them apart")
    }
}
