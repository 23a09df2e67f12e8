//! Triangles of cloths.

use crate::mesh::Grid;
use itertools::Either;
use std::fmt;

/// Triangles as particle indices, counter-clockwise seen from the front. Those of whole grids
/// take no memory.
#[derive(Clone, Default)]
pub struct Faces {
    runs: Vec<Run>,
}

#[derive(Clone)]
enum Run {
    Grid(Grid),
    Single(Vec<[u32; 3]>),
}

impl Faces {
    /// Appends a triangle.
    pub fn push(&mut self, face: [u32; 3]) {
        if let Some(Run::Single(faces)) = self.runs.last_mut() {
            faces.push(face);
        } else {
            self.runs.push(Run::Single(vec![face]));
        }
    }

    /// Appends two triangles for each cell of a grid, row by row.
    pub fn push_grid(&mut self, grid: Grid) {
        self.runs.push(Run::Grid(grid));
    }

    /// The triangles in their order.
    pub fn iter(&self) -> impl Iterator<Item = [u32; 3]> {
        self.runs.iter().flat_map(|run| match run {
            Run::Grid(grid) => Either::Left(of_grid(*grid)),
            Run::Single(faces) => Either::Right(faces.iter().copied()),
        })
    }
}

fn of_grid(grid: Grid) -> impl Iterator<Item = [u32; 3]> {
    let cells =
        (1..grid.rows).flat_map(move |row| (1..grid.columns).map(move |column| (column, row)));
    cells.flat_map(move |(column, row)| {
        let [a, b, c, d] = grid.cell(column - 1, row - 1);
        [[a, b, c], [b, d, c]]
    })
}

impl FromIterator<[u32; 3]> for Faces {
    fn from_iter<I: IntoIterator<Item = [u32; 3]>>(faces: I) -> Self {
        Self { runs: vec![Run::Single(faces.into_iter().collect())] }
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
