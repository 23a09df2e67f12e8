//! Bounding boxes in metres.

use glam::DVec3;

/// Box with edges parallel to the coordinate axes, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min: DVec3,
    pub max: DVec3,
}

impl Bounds {
    /// Returns the bounds of all finite positions; `None` if there are none.
    pub fn around(positions: &[DVec3]) -> Option<Bounds> {
        // 0 · ∞ and 0 · NaN are NaN, so a sum of 0 proves that all positions are finite.
        let zeros = positions.iter().fold(DVec3::ZERO, |sum, p| sum + 0.0 * *p);
        if zeros == DVec3::ZERO {
            around_all(positions.iter())
        } else {
            around_all(positions.iter().filter(|p| p.is_finite()))
        }
    }

    pub fn union(self, other: Bounds) -> Bounds {
        Bounds { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub fn corners(self) -> impl Iterator<Item = DVec3> {
        (0..8).map(move |corner| {
            let pick = |bit: i32, low: f64, high: f64| if corner & bit == 0 { low } else { high };
            let Bounds { min, max } = self;
            DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
        })
    }
}

/// Returns the bounds of positions that are all finite. One comparison per coordinate is enough;
/// `f64::min` would also test for NaN.
fn around_all<'a>(mut positions: impl Iterator<Item = &'a DVec3>) -> Option<Bounds> {
    let lesser = |a: f64, b: f64| if a < b { a } else { b };
    let greater = |a: f64, b: f64| if a > b { a } else { b };
    let first = *positions.next()?;
    Some(positions.fold(Bounds { min: first, max: first }, |Bounds { min: low, max: high }, p| {
        Bounds {
            min: DVec3::new(lesser(p.x, low.x), lesser(p.y, low.y), lesser(p.z, low.z)),
            max: DVec3::new(greater(p.x, high.x), greater(p.y, high.y), greater(p.z, high.z)),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_particle_of_which_one_coordinate_is_no_number_is_left_out_whole() {
        let finite = [dvec3(-1.0, 2.0, -0.0), dvec3(3.0, -4.0, 5.0)];
        let bounds = Bounds { min: dvec3(-1.0, -4.0, -0.0), max: dvec3(3.0, 2.0, 5.0) };
        assert_eq!(Bounds::around(&finite), Some(bounds));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for odd in [dvec3(bad, 9.0, 9.0), dvec3(9.0, bad, 9.0), dvec3(-9.0, 9.0, bad)] {
                for at in 0..=2 {
                    let mut positions = finite.to_vec();
                    positions.insert(at, odd);
                    assert_eq!(Bounds::around(&positions), Some(bounds), "{odd} at {at}");
                }
                assert_eq!(Bounds::around(&[odd]), None);
            }
        }
        assert_eq!(Bounds::around(&[]), None);
    }
}
