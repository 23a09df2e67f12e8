//! Triangles of cloths, for wind and drawing.

use super::grid::Grid;
use itertools::{Either, Itertools};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Triangles as particle indices, counter-clockwise seen from the front. A grid's triangles are
/// computed and take no memory. A clone shares its memory until one of the two changes.
#[derive(Clone, Default)]
pub struct Faces {
    runs: Arc<Vec<FaceRun>>,
}

/// Consecutive triangles of the list.
#[derive(Clone)]
pub enum FaceRun {
    /// Two triangles for each cell of a grid, row by row. A cell with the corners a (upper left), b
    /// (upper right), c (lower left) and d (lower right) has the triangles (a, b, c) and (b, d, c).
    Grid {
        /// Particles at the corners of the cells.
        grid: Grid,
        /// Indices of the removed triangles within the grid, in ascending order.
        missing: Vec<u32>,
    },
    /// Triangles as explicit particle indices.
    Single(Vec<[u32; 3]>),
}

impl FaceRun {
    /// Calls `use_face` with the corners of each triangle, in the order of the list.
    pub fn for_each(&self, mut use_face: impl FnMut([u32; 3])) {
        match self {
            Self::Grid { grid, missing } => {
                let mut missing = missing.iter().peekable();
                let mut number = 0;
                for row in 1..grid.rows {
                    for column in 1..grid.columns {
                        for face in cell_triangles(*grid, column - 1, row - 1) {
                            if missing.next_if(|missing| **missing == number).is_none() {
                                use_face(face);
                            }
                            number += 1;
                        }
                    }
                }
            }
            Self::Single(faces) => faces.iter().for_each(|face| use_face(*face)),
        }
    }
}

impl Faces {
    /// Appends a triangle.
    pub fn push(&mut self, face: [u32; 3]) {
        let runs = Arc::make_mut(&mut self.runs);
        if let Some(FaceRun::Single(faces)) = runs.last_mut() {
            faces.push(face);
        } else {
            runs.push(FaceRun::Single(vec![face]));
        }
    }

    /// Appends two triangles for each cell of a grid, row by row.
    pub fn push_grid(&mut self, grid: Grid) {
        Arc::make_mut(&mut self.runs).push(FaceRun::Grid { grid, missing: Vec::new() });
    }

    /// Removes the triangles that have a cut link as a side. `sides` are the ends of the cut links,
    /// in either order.
    pub fn cut(&mut self, sides: &[[u32; 2]]) {
        if sides.is_empty() {
            return;
        }
        let sides: HashSet<[u32; 2]> = sides.iter().copied().map(ascending).collect();
        for run in Arc::make_mut(&mut self.runs) {
            match run {
                FaceRun::Grid { grid, missing } => {
                    missing.extend(sides.iter().flat_map(|side| triangles_with_side(*grid, *side)));
                    missing.sort_unstable();
                    missing.dedup();
                }
                FaceRun::Single(faces) => {
                    faces.retain(|face| !sides_of(face).iter().any(|side| sides.contains(side)));
                }
            }
        }
    }

    /// Calls `use_face` with the corners of each triangle, in the order of the list. Five times as
    /// fast as a loop over [`Self::iter`].
    pub fn for_each(&self, mut use_face: impl FnMut([u32; 3])) {
        self.runs.iter().for_each(|run| run.for_each(&mut use_face));
    }

    /// Returns the runs of triangles in insertion order. A run contains the triangles of one grid,
    /// or a list of single triangles.
    pub fn runs(&self) -> &[FaceRun] {
        &self.runs
    }

    /// Yields the corners of the triangles, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = [u32; 3]> {
        self.runs.iter().flat_map(|run| match run {
            FaceRun::Grid { grid, missing } => {
                let mut missing = missing.iter().peekable();
                let is_left = move |(number, _): &(u32, _)| missing.next_if_eq(&number).is_none();
                Either::Left((0..).zip(grid_triangles(*grid)).filter(is_left).map(|(_, face)| face))
            }
            FaceRun::Single(faces) => Either::Right(faces.iter().copied()),
        })
    }
}

/// Returns a pair of particles with the smaller index first.
pub fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Returns the sides of a triangle as pairs of particles, each with the smaller index first.
pub fn sides_of(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]].map(ascending)
}

fn grid_triangles(grid: Grid) -> impl Iterator<Item = [u32; 3]> {
    let cells =
        (1..grid.rows).flat_map(move |row| (1..grid.columns).map(move |column| (column, row)));
    cells.flat_map(move |(column, row)| cell_triangles(grid, column - 1, row - 1))
}

fn cell_triangles(grid: Grid, column: u32, row: u32) -> [[u32; 3]; 2] {
    let [a, b, c, d] = grid.cell(column, row);
    [[a, b, c], [b, d, c]]
}

/// Yields the indices within a grid of the triangles that have this side. Only the four cells
/// around one end of the side are searched.
fn triangles_with_side(grid: Grid, side: [u32; 2]) -> impl Iterator<Item = u32> {
    let Grid { first, columns, rows } = grid;
    let at = side[0].checked_sub(first).filter(|at| *at < columns * rows);
    let cells = at.into_iter().flat_map(move |at| {
        let (column, row) = (at % columns, at / columns);
        let near = |i: u32, n: u32| i.saturating_sub(1)..(i + 1).min(n - 1);
        near(row, rows).cartesian_product(near(column, columns))
    });
    cells.flat_map(move |(row, column)| {
        let number = 2 * (row * (columns - 1) + column);
        let triangles = (number..).zip(cell_triangles(grid, column, row));
        triangles.filter(move |(_, face)| sides_of(face).contains(&side)).map(|(number, _)| number)
    })
}

impl FromIterator<[u32; 3]> for Faces {
    fn from_iter<I: IntoIterator<Item = [u32; 3]>>(faces: I) -> Self {
        Self { runs: Arc::new(vec![FaceRun::Single(faces.into_iter().collect())]) }
    }
}

impl PartialEq for Faces {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Faces {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_goes_with_each_of_its_sides() {
        let mut faces = Faces::default();
        faces.push([0, 1, 2]);
        faces.push_grid(Grid { first: 3, columns: 4, rows: 3 });
        let all: Vec<[u32; 3]> = faces.iter().collect();
        for side in (0..16).cartesian_product(0..16).map(|(a, b)| [a, b]) {
            let mut torn = faces.clone();
            torn.cut(&[side]);
            torn.cut(&[[3, 4], [1, 0]]);
            let gone = [side, [3, 4], [0, 1]].map(ascending);
            let has = |face: &[u32; 3]| sides_of(face).iter().any(|side| gone.contains(side));
            let left = all.iter().copied().filter(|face| !has(face));
            assert!(torn.iter().eq(left), "{side:?}");
            let mut seen = Vec::new();
            torn.for_each(|face| seen.push(face));
            assert!(torn.iter().eq(seen), "{side:?}");
        }
        assert!(faces.iter().eq(all));
    }

    #[test]
    fn grids_and_single_triangles_keep_their_order() {
        let mut faces = Faces::default();
        faces.push([9, 8, 7]);
        faces.push_grid(Grid { first: 10, columns: 3, rows: 2 });
        faces.push([6, 5, 4]);
        let cells = [[10, 11, 13], [11, 14, 13], [11, 12, 14], [12, 15, 14]];
        let all = [&[[9, 8, 7]][..], &cells, &[[6, 5, 4]]].concat();
        assert!(faces.iter().eq(all.iter().copied()));
        assert_eq!(faces, all.into_iter().collect());
    }
}
