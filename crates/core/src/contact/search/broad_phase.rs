//! Broad phase: a uniform grid of bounding cubes, one per body.
//!
//! Cubes are sorted by cell, then by index, so no order depends on hashing or threads. Cubes larger
//! than a cell are kept in a separate list, so that one fast body does not turn the search into all
//! pairs.

use super::crowd::{TooManyPairs, most_pairs};
use glam::DVec3;

/// Largest edge of a cube in the grid, as a multiple of the median edge. Larger cubes are kept in a
/// separate list.
const LARGE_RATIO: f64 = 2.0;

/// Largest number of cells per body. If there would be more, cells are enlarged.
const MOST_CELLS_A_BODY: usize = 8;

/// Axis-aligned cube that bounds a body's motion in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoundingCube {
    /// Centre of the cube, in metres.
    pub centre: DVec3,
    /// Half the edge of the cube, in metres.
    pub half: f64,
}

impl BoundingCube {
    /// True if two cubes share a point.
    pub fn intersects(&self, other: &Self) -> bool {
        (self.centre - other.centre).abs().max_element() <= self.half + other.half
    }
}

/// Grid of cubes, sorted into cells by their centres.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellGrid {
    least: DVec3,
    /// Edge of a cell in metres, at least as long as the edge of every cube in the grid.
    edge: f64,
    size: [usize; 3],
    /// Index in `entries` of the first cube of each cell, with x as the fastest coordinate. The
    /// last entry is the number of entries.
    starts: Vec<u32>,
    /// Cubes with their indices, sorted by cell.
    entries: Vec<(BoundingCube, u32)>,
    /// Cubes that are larger than a cell, with their indices.
    large: Vec<(BoundingCube, u32)>,
    cells: Vec<u32>,
    halves: Vec<f64>,
}

impl CellGrid {
    /// Builds the grid from cubes, numbered in their order. A cube with a non-finite centre is put
    /// into an arbitrary cell.
    pub fn build(&mut self, cubes: &[BoundingCube]) {
        self.large.clear();
        self.entries.clear();
        self.starts.clear();
        if cubes.is_empty() {
            self.size = [0; 3];
            return;
        }
        self.halves.clear();
        self.halves.extend(cubes.iter().map(|cube| cube.half));
        let middle = self.halves.len() / 2;
        let median = *self.halves.select_nth_unstable_by(middle, f64::total_cmp).1;
        let largest = LARGE_RATIO * median;
        let small = || cubes.iter().filter(|cube| cube.half <= largest);
        let greatest = small().fold(0.0, |half: f64, cube| half.max(cube.half));
        self.choose_cells(small().map(|cube| cube.centre), 2.0 * greatest);
        let cells = self.size.iter().product::<usize>();
        self.cells.clear();
        self.starts.resize(cells + 1, 0);
        for (number, cube) in cubes.iter().enumerate() {
            if cube.half > largest {
                self.large.push((*cube, number as u32));
                self.cells.push(u32::MAX);
            } else {
                let cell = self.cell_index(self.cell_of(cube.centre));
                self.cells.push(cell as u32);
                self.starts[cell + 1] += 1;
            }
        }
        for cell in 0..cells {
            self.starts[cell + 1] += self.starts[cell];
        }
        self.entries.resize(cubes.len() - self.large.len(), (BoundingCube::default(), 0));
        // Counting sort: the start of a cell moves to its end while the cell fills; then all starts
        // move back by one cell.
        for (number, cube) in cubes.iter().enumerate() {
            let cell = self.cells[number];
            if cell != u32::MAX {
                let at = &mut self.starts[cell as usize];
                self.entries[*at as usize] = (*cube, number as u32);
                *at += 1;
            }
        }
        self.starts.copy_within(..cells, 1);
        self.starts[0] = 0;
    }

    /// Chooses origin, size and number of the cells. Cells at the border also contain everything
    /// beyond the border, so cubes in neighbouring places are in neighbouring cells.
    fn choose_cells(&mut self, centres: impl Iterator<Item = DVec3> + Clone, edge: f64) {
        let count = centres.clone().count().max(1) as f64;
        let mean = centres.clone().sum::<DVec3>() / count;
        let square = |centre: DVec3| (centre - mean) * (centre - mean);
        let variance = centres.clone().map(square).sum::<DVec3>() / count;
        // Three standard deviations on each side contain nearly all bodies of any heap.
        let spread = DVec3::from(variance.to_array().map(f64::sqrt)) * 3.0;
        let least = centres.clone().fold(DVec3::INFINITY, DVec3::min).max(mean - spread);
        let most = centres.fold(DVec3::NEG_INFINITY, DVec3::max).min(mean + spread);
        let extent = (most - least).max(DVec3::ZERO);
        let edge = if edge > 0.0 { edge } else { 1e-3 * extent.max_element().max(1.0) };
        let most_cells = (MOST_CELLS_A_BODY as f64 * count).max(8.0);
        self.least = least;
        self.edge = edge;
        self.size = [1; 3];
        if !(extent.is_finite() && edge.is_finite()) {
            return;
        }
        let cells = |edge: f64| (extent / edge).floor() + DVec3::ONE;
        while cells(self.edge).x * cells(self.edge).y * cells(self.edge).z > most_cells {
            self.edge *= 1.25;
        }
        self.size = cells(self.edge).to_array().map(|n| n as usize);
    }

    fn cell_of(&self, p: DVec3) -> [usize; 3] {
        let at = ((p - self.least) / self.edge).floor();
        let clamp = |at: f64, size: usize| at.clamp(0.0, size as f64 - 1.0) as usize;
        [clamp(at.x, self.size[0]), clamp(at.y, self.size[1]), clamp(at.z, self.size[2])]
    }

    fn cell_index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    /// Returns the cubes in the cells `from` to `to` (inclusive) of the row (y, z) along x.
    fn cubes_in_row(&self, from: usize, to: usize, y: usize, z: usize) -> &[(BoundingCube, u32)] {
        let first = self.cell_index([0, y, z]);
        let [start, end] = [first + from, first + to + 1].map(|cell| self.starts[cell] as usize);
        &self.entries[start..end]
    }

    /// Appends every pair of intersecting cubes once, the smaller index first. Fails if there are
    /// too many pairs.
    pub(crate) fn collect_pairs(&self, found: &mut Vec<(u32, u32)>) -> Result<(), TooManyPairs> {
        let most = found.len() + most_pairs(self.large.len() + self.entries.len());
        let mut test_pair = |a: &(BoundingCube, u32), b: &(BoundingCube, u32)| {
            if a.0.intersects(&b.0) {
                found.push((a.1.min(b.1), a.1.max(b.1)));
            }
            found.len()
        };
        for (k, large) in self.large.iter().enumerate() {
            let mut others = self.large[..k].iter().chain(&self.entries);
            if others.any(|other| test_pair(large, other) > most) {
                return Err(TooManyPairs);
            }
        }
        let [columns, rows, layers] = self.size;
        for z in 0..layers {
            for y in 0..rows {
                for x in 0..columns {
                    let here = self.cubes_in_row(x, x, y, z);
                    if here.is_empty() {
                        continue;
                    }
                    let (left, right) = (x.saturating_sub(1), (x + 1).min(columns - 1));
                    let ahead = if right > x { self.cubes_in_row(right, right, y, z) } else { &[] };
                    let below = |y: usize, z: usize| self.cubes_in_row(left, right, y, z);
                    for (k, a) in here.iter().enumerate() {
                        let mut count = 0;
                        let mut test_all = |cubes: &[(BoundingCube, u32)]| {
                            cubes.iter().for_each(|b| count = test_pair(a, b));
                        };
                        test_all(&here[k + 1..]);
                        test_all(ahead);
                        if y + 1 < rows {
                            test_all(below(y + 1, z));
                        }
                        if z + 1 < layers {
                            let last = (y + 1).min(rows - 1);
                            (y.saturating_sub(1)..=last).for_each(|y| test_all(below(y, z + 1)));
                        }
                        if count > most {
                            return Err(TooManyPairs);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls `found` with the index of each cube that intersects `cube`.
    pub fn query(&self, cube: &BoundingCube, found: &mut impl FnMut(u32)) {
        let mut test = |other: &(BoundingCube, u32)| {
            if cube.intersects(&other.0) {
                found(other.1);
            }
        };
        self.large.iter().for_each(&mut test);
        if self.entries.is_empty() {
            return;
        }
        // A cube reaches beyond its cell by at most half the edge of a cell.
        let far = DVec3::splat(cube.half + 0.5 * self.edge);
        let [from, to] = [cube.centre - far, cube.centre + far].map(|corner| self.cell_of(corner));
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                self.cubes_in_row(from[0], to[0], y, z).iter().for_each(&mut test);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropelab_mechanics::numerics::random::Random;
    use std::collections::BTreeSet;

    fn cubes(count: usize, room: f64, half: f64, seed: u64) -> Vec<BoundingCube> {
        let mut random = Random::new(seed);
        let mut cube = |_| BoundingCube {
            centre: random.point(0.5 * room),
            half: half * random.between(0.5, 1.5),
        };
        (0..count).map(&mut cube).collect()
    }

    fn all_pairs(cubes: &[BoundingCube]) -> BTreeSet<(u32, u32)> {
        let n = cubes.len() as u32;
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| cubes[i as usize].intersects(&cubes[j as usize])).collect()
    }

    #[test]
    fn the_grid_finds_the_pairs_that_all_pairs_finds_each_once() {
        let mut grid = CellGrid::default();
        for seed in 0..20 {
            let mut cubes = cubes(300, 4.0, 0.1, seed);
            // Cubes far away, large cubes, and several cubes at the same position.
            cubes[7].centre = DVec3::splat(1e6);
            cubes[9].half = 3.0;
            cubes[10].half = 2.0;
            (20..30).for_each(|i| cubes[i].centre = DVec3::ONE);
            grid.build(&cubes);
            let mut found = Vec::new();
            assert_eq!(grid.collect_pairs(&mut found), Ok(()));
            let expected = all_pairs(&cubes);
            assert_eq!(found.len(), expected.len(), "each once");
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }

    #[test]
    fn a_query_finds_what_all_pairs_finds() {
        let mut grid = CellGrid::default();
        let cubes = cubes(300, 2.0, 0.1, 5);
        grid.build(&cubes);
        for (i, cube) in cubes.iter().enumerate() {
            let mut found = BTreeSet::new();
            grid.query(cube, &mut |j| {
                found.insert(j);
            });
            let meets = |j: &usize| cube.intersects(&cubes[*j]);
            let expected = (0..cubes.len()).filter(meets).map(|j| j as u32);
            assert_eq!(found, expected.collect(), "cube {i}");
        }
    }

    #[test]
    fn few_cubes_are_looked_at_where_they_are_spread_and_one_bullet_changes_little() {
        let mut grid = CellGrid::default();
        let mut cubes = cubes(1000, 4.0, 0.1, 1);
        cubes[3].half = 5.0;
        grid.build(&cubes);
        assert_eq!(grid.large.len(), 1);
        assert!(grid.size.iter().product::<usize>() > 500, "{:?}", grid.size);
    }

    #[test]
    fn points_without_reach_in_one_place_meet() {
        let mut grid = CellGrid::default();
        grid.build(&[BoundingCube { centre: DVec3::ONE, half: 0.0 }; 3]);
        let mut found = Vec::new();
        assert_eq!(grid.collect_pairs(&mut found), Ok(()));
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), [(0, 1), (0, 2), (1, 2)].into());
    }

    #[test]
    fn cubes_of_any_size_have_cells() {
        let mut grid = CellGrid::default();
        let numbers = [0.0, 1e-300, 1.0, 1e15, 1e200, f64::MAX, f64::INFINITY, f64::NAN];
        for half in numbers {
            for far in numbers {
                let cube = |x: f64| BoundingCube { centre: DVec3::new(x, 0.0, -x), half };
                let cubes = [cube(0.0), cube(far), cube(-far), cube(0.5 * far)];
                grid.build(&cubes);
                let mut found = Vec::new();
                assert_eq!(grid.collect_pairs(&mut found), Ok(()));
                cubes.iter().for_each(|cube| grid.query(cube, &mut |_| ()));
            }
        }
    }

    #[test]
    fn all_bodies_in_one_place_are_a_crowd() {
        let mut grid = CellGrid::default();
        grid.build(&[BoundingCube { centre: DVec3::ONE, half: 0.1 }; 1000]);
        assert_eq!(grid.collect_pairs(&mut Vec::new()), Ok(()), "499,500 pairs");
        grid.build(&[BoundingCube { centre: DVec3::ONE, half: 0.1 }; 3000]);
        let mut found = Vec::new();
        assert_eq!(grid.collect_pairs(&mut found), Err(TooManyPairs));
        assert!(found.len() < 1_010_000, "{}", found.len());
    }
}
