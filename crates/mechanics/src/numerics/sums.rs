//! Dot products and the median.

use glam::DVec3;

/// Returns the dot product Σ a b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the mass-weighted inner product Σ m a·b. The matrices of implicit steps and of
/// vibrations are symmetric in this product. Pinned particles (m = 0) do not count.
pub fn mass_dot(m: &[f64], a: &[DVec3], b: &[DVec3]) -> f64 {
    m.iter().zip(a).zip(b).map(|((m, a), b)| m * a.dot(*b)).sum()
}

/// Returns the median: the middle value, or the mean of the two middle values; NaN if there are no
/// values. Sorts `values`.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count => 0.5 * (values[(count - 1) / 2] + values[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&mut []).is_nan());
    }
}
