//! Reduction of a curve to fewer points.

/// Returns a curve with fewer points that differs from the given points by at most `tolerance` in
/// height. The points must be in ascending order of x. A point is kept if no single slope from the
/// last kept point approximates all later points within the tolerance.
///
/// A dashed curve of many short pieces would lose its dashes, because egui rounds horizontal pieces
/// shorter than a pixel to nothing.
pub fn straightened(points: &[[f64; 2]], tolerance: f64) -> Vec<[f64; 2]> {
    const ALL: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
    let Some((&first, rest)) = points.split_first() else { return Vec::new() };
    let mut kept = vec![first];
    let (mut from, mut last, mut slopes) = (first, first, ALL);
    for &point in rest {
        let slope = (point[1] - from[1]) / (point[0] - from[0]);
        if last != from && !(slopes[0]..=slopes[1]).contains(&slope) {
            kept.push(last);
            (from, slopes) = (last, ALL);
        }
        let across = point[0] - from[0];
        if across > 0.0 {
            let [low, high] =
                [-tolerance, tolerance].map(|off| (point[1] + off - from[1]) / across);
            slopes = [slopes[0].max(low), slopes[1].min(high)];
        } else {
            kept.push(point);
            (from, slopes) = (point, ALL);
        }
        last = point;
    }
    if last != from {
        kept.push(last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the height of a line through points at `x`.
    fn height(line: &[[f64; 2]], x: f64) -> f64 {
        let after = line.partition_point(|point| point[0] < x).clamp(1, line.len() - 1);
        let ([a, b], [c, d]) = (line[after - 1], line[after]);
        b + (d - b) * (x - a) / (c - a)
    }

    #[test]
    fn a_level_curve_is_one_piece() {
        let points: Vec<_> = (0..320).map(|i| [f64::from(i), 3.0]).collect();
        assert_eq!(straightened(&points, 0.01), [[0.0, 3.0], [319.0, 3.0]]);
    }

    #[test]
    fn no_point_is_lost_by_more_than_the_tolerance() {
        let curve = |i: i32| [f64::from(i) * 0.1, (f64::from(i) * 0.05).sin()];
        let mut points: Vec<_> = (0..320).map(curve).collect();
        points[100][1] = 5.0;
        let line = straightened(&points, 0.02);
        assert!(line.len() < 80, "{} points left", line.len());
        for [x, y] in points {
            assert!(
                (height(&line, x) - y).abs() <= 0.02 + 1e-12,
                "point ({x}, {y}) is off the line"
            );
        }
    }

    #[test]
    fn few_points_stay() {
        assert_eq!(straightened(&[], 1.0), [[0.0; 2]; 0]);
        assert_eq!(straightened(&[[1.0, 2.0]], 1.0), [[1.0, 2.0]]);
        let upright = [[1.0, 2.0], [1.0, 4.0], [2.0, 4.0]];
        assert_eq!(straightened(&upright, 0.1), upright);
    }
}
