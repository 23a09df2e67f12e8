//! Features in a tree of boxes, by where they are and where they are about to go.
//!
//! The tree is made once of places at the start of a scene and keeps its form; its boxes are made
//! anew when particles have moved. Boxes that move together come no nearer: only the difference of
//! their ways counts.

use glam::DVec3;

/// Children of a node, and features of a leaf.
const FAN: usize = 4;

/// Bits a coordinate in the order along a space-filling curve.
const BITS: u32 = 10;

/// What some particles may reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingBox {
    least: DVec3,
    most: DVec3,
    /// Bounds of their ways, in metres.
    least_way: DVec3,
    most_way: DVec3,
    /// How far they may stray from them, in metres.
    astray: f64,
}

impl MovingBox {
    const EMPTY: Self = Self {
        least: DVec3::INFINITY,
        most: DVec3::NEG_INFINITY,
        least_way: DVec3::INFINITY,
        most_way: DVec3::NEG_INFINITY,
        astray: 0.0,
    };

    /// Of a particle at `x` that goes on by `way` metres and may stray.
    pub fn of(x: DVec3, way: DVec3, astray: f64) -> Self {
        Self { least: x, most: x, least_way: way, most_way: way, astray }
    }

    /// Of both.
    pub fn with(self, other: &Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            least_way: self.least_way.min(other.least_way),
            most_way: self.most_way.max(other.most_way),
            astray: self.astray.max(other.astray),
        }
    }

    /// Whether two may come as near as `reach` metres along each axis.
    fn meets(&self, other: &Self, reach: f64) -> bool {
        let above = (self.least - other.most) + (self.least_way - other.most_way).min(DVec3::ZERO);
        let below = (other.least - self.most) + (other.least_way - self.most_way).min(DVec3::ZERO);
        above.max(below).max_element() <= reach + self.astray + other.astray
    }
}

/// Boxes of features in the order of their numbers, and boxes of boxes.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureTree {
    /// Those of features first, then level by level.
    boxes: Vec<MovingBox>,
    /// Where each level begins in `boxes`, and the end.
    levels: Vec<usize>,
}

impl FeatureTree {
    /// Makes the boxes anew of those of features.
    pub fn build(&mut self, features: impl Iterator<Item = MovingBox>) {
        let Self { boxes, levels } = self;
        boxes.clear();
        boxes.extend(features);
        levels.clear();
        levels.push(0);
        let mut start = 0;
        while boxes.len() - start > 1 {
            let end = boxes.len();
            levels.push(end);
            for first in (start..end).step_by(FAN) {
                let children = &boxes[first..(first + FAN).min(end)];
                let all = children.iter().fold(MovingBox::EMPTY, MovingBox::with);
                boxes.push(all);
            }
            start = end;
        }
        levels.push(boxes.len());
    }

    /// Numbers, ascending, of the features from `least` on that may come as near to `from` as
    /// `reach` metres.
    pub fn query(&self, from: &MovingBox, least: usize, reach: f64, found: &mut impl FnMut(usize)) {
        let Self { boxes, levels } = self;
        if boxes.is_empty() {
            return;
        }
        let mut pending = [(0, 0); 64];
        pending[0] = (levels.len() - 2, 0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, number) = pending[count];
            // Features below a node: from number · 4^level on.
            let width = FAN.pow(level as u32);
            if (number + 1) * width <= least || !from.meets(&boxes[levels[level] + number], reach) {
                continue;
            }
            if level == 0 {
                found(number);
                continue;
            }
            let below = levels[level] - levels[level - 1];
            for child in (number * FAN..((number + 1) * FAN).min(below)).rev() {
                pending[count] = (level - 1, child);
                count += 1;
            }
        }
    }
}

/// Sorts features by the places of their particles along a space-filling curve (Morton 1966), so
/// that what is near has near numbers.
pub(super) fn sort_by_place<const N: usize>(features: &mut [[u32; N]], x: &[DVec3]) {
    let middle = |feature: &[u32; N]| {
        let sum: DVec3 = feature.iter().map(|i| x[*i as usize]).sum();
        sum / N as f64
    };
    // Of the features alone: what else is in the scene must not change their order.
    let least = features.iter().map(middle).fold(DVec3::INFINITY, DVec3::min);
    let most = features.iter().map(middle).fold(DVec3::NEG_INFINITY, DVec3::max);
    let cells = f64::from((1u32 << BITS) - 1);
    let scale = cells / (most - least).max_element().max(f64::MIN_POSITIVE);
    features.sort_by_cached_key(|feature| {
        let place = (middle(feature) - least) * scale;
        let [a, b, c] = place.to_array().map(|place| place as u32);
        let bit = |k: u32| {
            (a >> k & 1) << (3 * k) | (b >> k & 1) << (3 * k + 1) | (c >> k & 1) << (3 * k + 2)
        };
        ((0..BITS).map(bit).sum::<u32>(), *feature)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        proptest::array::uniform3(-1.0..1.0).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_looking_at_all_finds(
            all in proptest::collection::vec((vector(), vector(), 0.0..0.1), 1..200),
            from in (vector(), vector(), 0.0..0.1),
            least in 0..50usize,
        ) {
            let of = |(x, way, astray): (DVec3, DVec3, f64)| MovingBox::of(x, way * 0.2, astray);
            let mut tree = FeatureTree::default();
            tree.build(all.iter().map(|one| of(*one)));
            let from = of(from);
            let mut found = Vec::new();
            tree.query(&from, least, 0.2, &mut |k| found.push(k));
            let meets = |k: &usize| from.meets(&of(all[*k]), 0.2);
            let expected: Vec<usize> = (least..all.len()).filter(meets).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
