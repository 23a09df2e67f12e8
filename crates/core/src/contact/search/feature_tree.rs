//! Bounding volume tree of features. Its boxes bound positions and displacements.
//!
//! The order of the features is chosen once, from the positions at the start of a scene; the boxes
//! are updated when particles have moved. Features that move together do not approach each other:
//! only the difference of their displacements counts.

use glam::DVec3;

/// Number of children of a node, and of features in a leaf.
const CHILDREN: usize = 4;

/// Upper bound of the relative error that arises if coordinates are rounded to 32 bits and used in
/// that form.
const ROUNDING: f64 = 1e-6;

/// Number of bits per coordinate in the Morton code of a position.
const BITS_A_COORDINATE: u32 = 10;

/// Bounds of the positions and displacements of some particles.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct MovingBox {
    least: DVec3,
    most: DVec3,
    /// Lower bounds of the displacements, in metres.
    least_displacement: DVec3,
    most_displacement: DVec3,
    /// Largest deviation of a particle from its displacement, in metres.
    deviation: f64,
}

impl MovingBox {
    const EMPTY: Self = Self {
        least: DVec3::INFINITY,
        most: DVec3::NEG_INFINITY,
        least_displacement: DVec3::INFINITY,
        most_displacement: DVec3::NEG_INFINITY,
        deviation: 0.0,
    };

    /// Returns the box of a particle at `x` with the displacement `displacement` and the largest
    /// deviation `deviation`, in metres.
    pub fn of(x: DVec3, displacement: DVec3, deviation: f64) -> Self {
        Self {
            least: x,
            most: x,
            least_displacement: displacement,
            most_displacement: displacement,
            deviation,
        }
    }

    /// Returns the smallest box that contains both boxes.
    pub fn with(self, other: &Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            least_displacement: self.least_displacement.min(other.least_displacement),
            most_displacement: self.most_displacement.max(other.most_displacement),
            deviation: self.deviation.max(other.deviation),
        }
    }
}

/// Four boxes side by side, so that vector instructions compare them at once.
/// [`FeatureTree::rounding_margin`] covers their rounding to 32 bits.
#[derive(Clone, Copy, Debug)]
struct Boxes {
    /// Lower corners in metres, one row per coordinate axis.
    least: [[f32; CHILDREN]; 3],
    most: [[f32; CHILDREN]; 3],
    least_displacement: [[f32; CHILDREN]; 3],
    most_displacement: [[f32; CHILDREN]; 3],
    deviation: [f32; CHILDREN],
}

impl Boxes {
    /// Empty boxes, which intersect nothing, not even a box that reaches infinitely far.
    const EMPTY: Self = Self {
        least: [[f32::MAX; CHILDREN]; 3],
        most: [[f32::MIN; CHILDREN]; 3],
        least_displacement: [[0.0; CHILDREN]; 3],
        most_displacement: [[0.0; CHILDREN]; 3],
        deviation: [f32::NEG_INFINITY; CHILDREN],
    };

    fn set_box(&mut self, k: usize, of: &MovingBox) {
        for axis in 0..3 {
            self.least[axis][k] = of.least[axis] as f32;
            self.most[axis][k] = of.most[axis] as f32;
            self.least_displacement[axis][k] = of.least_displacement[axis] as f32;
            self.most_displacement[axis][k] = of.most_displacement[axis] as f32;
        }
        self.deviation[k] = of.deviation as f32;
    }

    /// Returns for each box whether it may come within `reach` metres of the box at the same index
    /// in `from`, along each axis.
    fn may_meet(&self, from: &Self, reach: f32) -> [bool; CHILDREN] {
        // Not `f32::min`: its NaN handling prevents vectorisation.
        let less = |a: f32, b: f32| if a < b { a } else { b };
        let greater = |a: f32, b: f32| if a > b { a } else { b };
        let mut gap = [f32::MIN; CHILDREN];
        for axis in 0..3 {
            for (k, gap) in gap.iter_mut().enumerate() {
                let above = (from.least[axis][k] - self.most[axis][k])
                    + less(from.least_displacement[axis][k] - self.most_displacement[axis][k], 0.0);
                let below = (self.least[axis][k] - from.most[axis][k])
                    + less(self.least_displacement[axis][k] - from.most_displacement[axis][k], 0.0);
                *gap = greater(*gap, greater(above, below));
            }
        }
        // Coordinates beyond the range of f32 give a gap of −∞, and so does an empty box. Only the
        // negative deviation marks an empty box.
        std::array::from_fn(|k| {
            self.deviation[k] >= 0.0 && gap[k] <= reach + (self.deviation[k] + from.deviation[k])
        })
    }
}

/// Bounding volume tree over features (points, links or triangles), in their given order.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct FeatureTree {
    /// Nodes of four boxes each: the level of the features first, then the levels above it.
    nodes: Vec<Boxes>,
    levels: Vec<usize>,
    /// Buffer: boxes of the level that is being built.
    level: Vec<MovingBox>,
    count: usize,
    /// Enlargement of boxes in metres, so that rounding to 32 bits hides no contact.
    rounding_margin: f64,
}

impl FeatureTree {
    /// Rebuilds all boxes from the boxes of the features.
    pub fn build(&mut self, features: impl Iterator<Item = MovingBox>) {
        let Self { nodes, levels, level, count, rounding_margin } = self;
        level.clear();
        level.extend(features);
        *count = level.len();
        let all = level.iter().fold(MovingBox::EMPTY, MovingBox::with);
        let size = |x: DVec3| x.abs().max_element();
        let displacements =
            size(all.least_displacement) + size(all.most_displacement) + all.deviation;
        *rounding_margin = ROUNDING * (size(all.least) + size(all.most) + displacements);
        nodes.clear();
        levels.clear();
        let mut is_top = level.is_empty();
        while !is_top {
            levels.push(nodes.len());
            let mut made = 0;
            for first in (0..level.len()).step_by(CHILDREN) {
                let children = first..(first + CHILDREN).min(level.len());
                let mut node = Boxes::EMPTY;
                children.clone().for_each(|k| node.set_box(k - first, &level[k]));
                nodes.push(node);
                level[made] = level[children].iter().fold(MovingBox::EMPTY, MovingBox::with);
                made += 1;
            }
            level.truncate(made);
            is_top = made == 1;
        }
    }

    /// Calls `found` with the index of each feature, at least `least` and ascending, that may come
    /// within `reach` metres of `from`. May also report features slightly further away.
    pub fn query(&self, from: &MovingBox, least: usize, reach: f64, found: &mut impl FnMut(usize)) {
        let Self { nodes, levels, count, rounding_margin, .. } = self;
        if *count == 0 {
            return;
        }
        let mut all = Boxes::EMPTY;
        (0..CHILDREN).for_each(|k| all.set_box(k, from));
        let far = from.least.abs().max(from.most.abs()).max_element();
        let reach = (reach + rounding_margin + ROUNDING * far) as f32;
        let mut pending = [(0, 0); 64];
        pending[0] = (levels.len() - 1, 0);
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (level, number) = pending[waiting];
            let meet = nodes[levels[level] + number].may_meet(&all, reach);
            // A child at this level covers 4^level features, starting at its index times 4^level.
            let width = CHILDREN.pow(level as u32);
            let is_met = |k: &usize| meet[*k] && (number * CHILDREN + k + 1) * width > least;
            if level == 0 {
                (0..CHILDREN).filter(is_met).for_each(|k| found(number * CHILDREN + k));
                continue;
            }
            for k in (0..CHILDREN).rev().filter(is_met) {
                pending[waiting] = (level - 1, number * CHILDREN + k);
                waiting += 1;
            }
        }
    }
}

/// Sorts features by the positions of their particles along a space-filling curve (Morton 1966), so
/// that near features have near indices.
pub(in crate::contact) fn sort_by_place<const N: usize>(features: &mut [[u32; N]], x: &[DVec3]) {
    let middle = |feature: &[u32; N]| {
        let sum: DVec3 = feature.iter().map(|i| x[*i as usize]).sum();
        sum / N as f64
    };
    // Only these features count, so that other bodies of the scene do not change their order.
    let least = features.iter().map(middle).fold(DVec3::INFINITY, DVec3::min);
    let most = features.iter().map(middle).fold(DVec3::NEG_INFINITY, DVec3::max);
    let cells = f64::from((1u32 << BITS_A_COORDINATE) - 1);
    let scale = cells / (most - least).max_element().max(f64::MIN_POSITIVE);
    features.sort_by_cached_key(|feature| {
        let place = (middle(feature) - least) * scale;
        let [a, b, c] = place.to_array().map(|place| place as u32);
        let bit = |k: u32| {
            (a >> k & 1) << (3 * k) | (b >> k & 1) << (3 * k + 1) | (c >> k & 1) << (3 * k + 2)
        };
        ((0..BITS_A_COORDINATE).map(bit).sum::<u32>(), *feature)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl MovingBox {
        fn intersects(&self, other: &Self, reach: f64) -> bool {
            let above = (self.least - other.most)
                + (self.least_displacement - other.most_displacement).min(DVec3::ZERO);
            let below = (other.least - self.most)
                + (other.least_displacement - self.most_displacement).min(DVec3::ZERO);
            above.max(below).max_element() <= reach + self.deviation + other.deviation
        }
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        proptest::array::uniform3(-1.0..1.0).prop_map(DVec3::from)
    }

    /// Coordinates of an explosion: 1e40 is beyond the range of f32, a millionth of it is not.
    fn exploded() -> impl Strategy<Value = DVec3> {
        let number = prop_oneof![Just(1e40), Just(-1e40), -1.0..1.0];
        proptest::array::uniform3(number).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn a_tree_of_an_explosion_finds_only_what_it_has(
            ends in proptest::collection::vec((exploded(), exploded(), 0.0..0.1), 2..60),
        ) {
            let of = |(x, displacement, deviation): (DVec3, DVec3, f64)| MovingBox::of(x, displacement, deviation);
            let links: Vec<_> = ends.windows(2).map(|it| of(it[0]).with(&of(it[1]))).collect();
            let mut tree = FeatureTree::default();
            tree.build(links.iter().copied());
            for link in &links {
                tree.query(link, 0, 0.2, &mut |k| assert!(k < links.len(), "no link {k}"));
            }
        }

        #[test]
        fn the_tree_finds_what_looking_at_all_finds(
            all in proptest::collection::vec((vector(), vector(), 0.0..0.1), 1..200),
            from in (vector(), vector(), 0.0..0.1),
            least in 0..50usize,
        ) {
            let of = |(x, displacement, deviation): (DVec3, DVec3, f64)| MovingBox::of(x, displacement * 0.2, deviation);
            let mut tree = FeatureTree::default();
            tree.build(all.iter().map(|one| of(*one)));
            let from = of(from);
            let mut found = Vec::new();
            tree.query(&from, least, 0.2, &mut |k| found.push(k));
            let meets = |k: usize, reach: f64| from.intersects(&of(all[k]), reach);
            let missed = (least..all.len()).find(|k| meets(*k, 0.2) && !found.contains(k));
            prop_assert_eq!(missed, None);
            prop_assert!(found.iter().all(|k| *k >= least && meets(*k, 0.2 + 1e-4)));
            prop_assert!(found.is_sorted());
        }
    }
}
