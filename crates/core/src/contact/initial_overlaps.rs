use super::balls::ball_features::BallFeatures;
use super::bodies::collider::Collider;
use super::bodies::contact_features::ContactFeatures;
use super::bodies::geometry::Geometry;
use super::colliders::link_contacts::inner_link_depth;
use super::method::ContactMethod;
use super::search::broad_phase::{BoundingCube, CellGrid};
use super::search::crowd::TooManyPairs;
use super::substep::SubstepMotion;
use glam::DVec3;
use ropelab_mechanics::mesh::Mesh;
use ropelab_mechanics::quantity::magnitude::format_six_digits;
use std::fmt;

/// Largest overlap in metres that does not count. Positions rounded to six digits may cause an
/// overlap of this size.
const OVERLAP_TOLERANCE: f64 = 1e-6;

/// Largest overlap of a point or link with a collider that does not count, as a fraction of the
/// collider's inradius. The links of a rope laid round a drum are chords of the drum.
const CHORD_TOLERANCE: f64 = 0.01;

/// Largest overlap in metres that `CHORD_TOLERANCE` may allow.
const MOST_CHORD_TOLERANCE: f64 = 2e-3;

/// Two bodies that overlap at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OverlappingPair {
    /// Two balls, by the indices of their particles.
    Balls(u32, u32),
    /// A ball and a link, by the indices of their particles.
    Link(u32, [u32; 2]),
    /// A ball and a triangle, by the indices of their particles.
    Triangle(u32, [u32; 3]),
    /// Indices of a particle and of a collider.
    Collider(u32, u32),
    /// Indices of a link's particles, and index of a collider.
    LinkAtCollider([u32; 2], u32),
}

/// Overlaps at the start of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialOverlaps {
    /// Number of pairs that overlap.
    pub count: usize,
    /// Depth of the deepest overlap, in metres.
    pub depth: f64,
    pair: OverlappingPair,
    /// True if more pairs overlap than contact can process. `count` is then a lower bound.
    is_crowded: bool,
}

impl InitialOverlaps {
    /// Finds the overlaps at the start of a scene: between balls; between balls and links or
    /// triangles; between colliders and balls, points or links. Checks only pairs that at least one
    /// of `methods` resolves. `mesh` contains the positions at the start. `None` if nothing
    /// overlaps.
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
        // Penalty forces act on particles only.
        if methods.iter().any(resolves_balls) {
            overlaps.find_overlaps_of_links_and_colliders(mesh);
        }
        overlaps.found.map(|found| Self { is_crowded, ..found })
    }
}

/// Search for overlaps, with the overlaps found so far.
struct Overlaps<'a> {
    geometry: &'a Geometry,
    x: &'a [DVec3],
    found: Option<InitialOverlaps>,
}

impl Overlaps<'_> {
    /// Counts a pair that overlaps by `depth` metres, and stores it if it is the deepest so far.
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

    fn find_ball_overlaps(&mut self) -> Result<(), TooManyPairs> {
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
            if !geometry.layers.may_collide(first.properties.layer, second.properties.layer) {
                continue;
            }
            let [i, j] = [first.particle, second.particle];
            let apart = x[i as usize].distance(x[j as usize]);
            let reach = first.properties.radius + second.properties.radius;
            self.record(OverlappingPair::Balls(i, j), reach - apart);
        }
        all
    }

    /// Finds balls that overlap links and triangles, by the contact search of a substep in which
    /// nothing moves.
    fn find_feature_overlaps(&mut self, mesh: &Mesh) -> Result<(), TooManyPairs> {
        let Self { geometry, x, .. } = *self;
        if geometry.balls.is_empty() {
            return Ok(());
        }
        let contact_features =
            ContactFeatures::at_start(mesh, &geometry.balls, &geometry.contact_table);
        let w = vec![1.0; x.len()];
        let motion = SubstepMotion { start: x, x, w: &w, h: 0.0, margin: 0.0, discrete: true };
        let mut pairs = Vec::new();
        let all =
            BallFeatures::default().find_pairs(geometry, &contact_features, &motion, &mut pairs);
        for pair in pairs {
            let overlapping = match *pair.distinct_particles() {
                [ball, a, b] => OverlappingPair::Link(ball, [a, b]),
                [ball, a, b, c] => OverlappingPair::Triangle(ball, [a, b, c]),
                _ => continue,
            };
            self.record(overlapping, pair.reach - pair.apart.length());
        }
        all
    }

    fn find_collider_overlaps(&mut self) {
        let Self { geometry, x, .. } = *self;
        for (number, collider) in (0..).zip(&geometry.colliders) {
            let tolerance = chord_tolerance(collider);
            let balls = geometry.balls.iter().map(|ball| (ball.particle, ball.properties, 0.0));
            let points = geometry.points.iter();
            let points = points.map(|point| (point.particle, point.properties, tolerance));
            for (i, properties, tolerance) in balls.chain(points) {
                if !geometry.layers.may_collide(properties.layer, collider.layer) {
                    continue;
                }
                let (distance, _) = collider.shape.distance(x[i as usize] - collider.at(0.0));
                let depth = properties.radius - distance;
                if depth > tolerance {
                    self.record(OverlappingPair::Collider(i, number), depth);
                }
            }
        }
    }

    /// Finds links that overlap colliders between their ends.
    fn find_overlaps_of_links_and_colliders(&mut self, mesh: &Mesh) {
        let Self { geometry, x, .. } = *self;
        let Geometry { colliders, contact_table, layers, .. } = geometry;
        if colliders.is_empty() {
            return;
        }
        let contact_features = ContactFeatures::at_start(mesh, &geometry.balls, contact_table);
        for link in
            contact_features.links.iter().filter(|link| contact_table.collides_with_bodies(*link))
        {
            let properties = contact_table.of_feature(link);
            for (number, collider) in (0..).zip(colliders) {
                if !layers.may_collide(properties.layer, collider.layer) {
                    continue;
                }
                let ends = link.map(|i| x[i as usize] - collider.at(0.0));
                let depth = inner_link_depth(&collider.shape, ends, properties.radius);
                if depth.is_some_and(|depth| depth > chord_tolerance(collider)) {
                    let pair = OverlappingPair::LinkAtCollider(*link, number);
                    self.record(pair, depth.unwrap_or(0.0));
                }
            }
        }
    }
}

/// Returns the largest overlap in metres of a point or link with a collider that does not count.
fn chord_tolerance(collider: &Collider) -> f64 {
    let inradius = collider.shape.inradius().unwrap_or(0.0);
    (CHORD_TOLERANCE * inradius).min(MOST_CHORD_TOLERANCE)
}

impl fmt::Display for OverlappingPair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Balls(i, j) => write!(f, "balls {i} and {j}"),
            Self::Link(ball, [a, b]) => write!(f, "ball {ball} and link {a}–{b}"),
            Self::Triangle(ball, [a, b, c]) => write!(f, "ball {ball} and triangle {a}–{b}–{c}"),
            Self::Collider(i, k) => write!(f, "particle {i} and collider {k}"),
            Self::LinkAtCollider([a, b], k) => write!(f, "link {a}–{b} and collider {k}"),
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
        write!(f, "{pairs} at the start, {pair} by {} mm", format_six_digits(depth * 1e3))?;
        if *count > 1 {
            write!(f, ", the deepest")?;
        }
        if *is_crowded {
            return write!(
                f,
                "; contact cannot process them all, so the lane stops in the first step"
            );
        }
        write!(
            f,
            "; a substep removes at most a tenth of the overlap, and position Verlet, Verlet with \
             drag and time-corrected Verlet turn this displacement into speed: move them apart"
        )?;
        match pair {
            OverlappingPair::LinkAtCollider(..) => {
                write!(f, "; `Round` lays a rope with a `gap` round a collider")
            }
            _ => Ok(()),
        }
    }
}
