//! Overlaps of bodies at the start of a scene.

use super::Geometry;
use crate::contact::search::broad_phase::{CellGrid, Reach};
use crate::numerics::magnitude::short;
use glam::DVec3;
use std::fmt;

/// Tolerance of overlaps in metres: rounding of positions to six digits may cause as much.
const TOLERATED: f64 = 1e-6;

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OverlappingPair {
    /// Indices of the particles of two balls.
    Balls(u32, u32),
    /// Index of a particle and number of a collider.
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
    /// Finds the overlaps of balls with each other, and of balls and points with colliders. `x` are
    /// the positions at the start, in metres. Returns `None` if no overlap exceeds the tolerance.
    pub fn find(geometry: &Geometry, x: &[DVec3]) -> Option<Self> {
        let balls = geometry.balls.iter().map(|ball| (ball.particle, ball.properties));
        let points = geometry.points.iter().map(|point| (point.particle, point.properties));
        let reaches: Vec<Reach> = balls
            .clone()
            .map(|(i, properties)| Reach { centre: x[i as usize], half: properties.radius })
            .collect();
        let mut grid = CellGrid::default();
        grid.build(&reaches);
        let mut pairs = Vec::new();
        let is_crowded = grid.collect_pairs(&mut pairs).is_err();
        pairs.sort_unstable();
        let mut found: Option<Self> = None;
        let mut see = |pair: OverlappingPair, depth: f64| {
            if depth > TOLERATED {
                let so_far = found.unwrap_or(Self { count: 0, depth: 0.0, pair, is_crowded });
                let deepest =
                    if depth > so_far.depth { (depth, pair) } else { (so_far.depth, so_far.pair) };
                let (depth, pair) = deepest;
                found = Some(Self { count: so_far.count + 1, depth, pair, is_crowded });
            }
        };
        for (a, b) in pairs {
            let [first, second] = [a, b].map(|number| &geometry.balls[number as usize]);
            if !geometry.layers.may_touch(first.properties.layer, second.properties.layer) {
                continue;
            }
            let [i, j] = [first.particle, second.particle];
            let apart = x[i as usize].distance(x[j as usize]);
            see(
                OverlappingPair::Balls(i, j),
                first.properties.radius + second.properties.radius - apart,
            );
        }
        for (number, collider) in (0..).zip(&geometry.colliders) {
            for (i, properties) in balls.clone().chain(points.clone()) {
                if !geometry.layers.may_touch(properties.layer, collider.layer) {
                    continue;
                }
                let (distance, _) = collider.shape.distance(x[i as usize] - collider.at(0.0));
                see(OverlappingPair::Collider(i, number), properties.radius - distance);
            }
        }
        found
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
        let millimetres = short(depth * 1e3);
        match pair {
            OverlappingPair::Balls(i, j) => {
                write!(f, "{pairs} at the start, balls {i} and {j} by {millimetres} mm")?
            }
            OverlappingPair::Collider(i, k) => {
                write!(
                    f,
                    "{pairs} at the start, particle {i} and collider {k} by {millimetres} mm"
                )?;
            }
        }
        if *count > 1 {
            write!(f, ", the deepest")?;
        }
        if *is_crowded {
            return write!(f, "; contact looks at no more and stops in the first step");
        }
        write!(f, "; a tenth of it is taken back in each substep")
    }
}
