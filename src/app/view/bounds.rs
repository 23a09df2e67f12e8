//! A box in the world.

use glam::DVec3;

/// What lies between two corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub min: DVec3,
    /// Highest corner.
    pub max: DVec3,
}

impl Bounds {
    /// Around all finite positions; `None` if there are none.
    pub fn around(positions: &[DVec3]) -> Option<Bounds> {
        let nothing = Bounds { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        let bounds = positions
            .iter()
            .filter(|p| p.is_finite())
            .fold(nothing, |b, &p| Bounds { min: b.min.min(p), max: b.max.max(p) });
        bounds.min.is_finite().then_some(bounds)
    }

    /// Around both.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The eight corners.
    pub(super) fn corners(self) -> impl Iterator<Item = DVec3> {
        (0..8).map(move |corner| {
            let pick = |bit: i32, low: f64, high: f64| if corner & bit == 0 { low } else { high };
            let Bounds { min, max } = self;
            DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
        })
    }
}
