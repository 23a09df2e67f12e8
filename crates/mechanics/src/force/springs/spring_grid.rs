//! Springs of a grid, stored for SIMD evaluation one row at a time. docs/speed.md explains the
//! method with a figure.

use crate::mesh::component::{Component, Direction, Place};
use crate::mesh::{Link, Links};
use crate::numerics::distinct_rows::{DistinctRows, DistinctRowsBuilder};
use crate::numerics::simd::{CacheLine, Isa};
use std::ops::Range;

/// Number of values per spring in the material table: stiffness, damping and slack length.
const MATERIAL_NUMBERS: usize = 3;
/// Index of the slack length among the three values of a spring.
const SLACK_INDEX: usize = 2;

/// Set of directions of a grid particle's springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::force) enum Stencil {
    /// Springs to the eight neighbours.
    Grid,
    /// Springs to the eight neighbours, and to second neighbours in the same row or column.
    Plate,
    /// Only springs to second neighbours in the same row or column. This stencil occurs if a
    /// constraint solver handles the other links.
    Bending,
}

impl Stencil {
    /// Returns the stencil of springs with these grid positions. `None` if some spring has no
    /// position in the grid.
    fn of(places: impl Iterator<Item = Option<Place>>) -> Option<Self> {
        let [mut short, mut long] = [false; 2];
        for place in places {
            let is_long = place?.direction >= Direction::RightTwo;
            short |= !is_long;
            long |= is_long;
        }
        Some(match (short, long) {
            (_, false) => Self::Grid,
            (true, true) => Self::Plate,
            (false, true) => Self::Bending,
        })
    }

    fn directions(self) -> Range<usize> {
        match self {
            Self::Grid => 0..4,
            Self::Plate => 0..6,
            Self::Bending => 4..6,
        }
    }

    /// Returns the table index of the springs that start at a row of particles and lead in a
    /// direction.
    fn row(self, row: usize, direction: Direction) -> usize {
        let Range { start, end } = self.directions();
        row * (end - start) + direction as usize - start
    }
}

/// Springs of one grid as tables of values, row by row.
///
/// Each particle sums the forces of its springs (eight, or twelve in a plate) in the order of the
/// plain loop, if the springs are listed as in [`crate::mesh::Mesh::cloth`]. Springs listed in
/// another order are left to the plain loop.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::force) struct SpringGrid {
    pub isa: Isa,
    particles: Range<usize>,
    /// Number of particles in a row.
    pub columns: usize,
    pub stencil: Stencil,
    /// Number of vectors in a row of springs.
    row_vectors: usize,
    /// Rest lengths in metres. One table row for each row of particles and direction.
    rest: DistinctRows,
    /// Stiffness in N/m, damping in N·s/m and slack length in metres, for each vector of the same
    /// rows. A spring exerts no force up to its slack length. The slack length is 0 for a two-sided
    /// spring, the largest f64 below the rest length for a one-sided spring, and ∞ for a missing
    /// spring.
    material: DistinctRows,
}

impl SpringGrid {
    /// Creates the grid from a component's springs. `columns` is the number of columns of the grid.
    /// `None` if a spring has no position in the grid, or if the springs are not listed row by row
    /// as in `Mesh::cloth`.
    pub fn new(component: &Component, columns: u32, links: &Links, isa: Isa) -> Option<Self> {
        let particles = component.particles.start as usize..component.particles.end as usize;
        let springs = || component.links.iter().map(|&i| links.at(i as usize));
        let stencil = Stencil::of(springs().map(|link| component.place(&link, columns)))?;
        let placed = || springs().filter_map(|link| Some((link, component.place(&link, columns)?)));
        if !are_in_cloth_order(placed(), &particles) {
            return None;
        }
        let (columns, elements) = (columns as usize, isa.elements());
        let row_vectors = columns.next_multiple_of(8) / elements;
        let length = row_vectors * elements;
        let [mut rest, mut material] =
            [1, MATERIAL_NUMBERS].map(|k| DistinctRowsBuilder::new(k * length));
        let vectors = stencil.directions().len() * row_vectors;
        let nothing =
            [vec![0.0; 2 * elements], vec![f64::INFINITY; elements]].concat().repeat(vectors);
        let mut springs = placed().peekable();
        for row in 0..particles.len().div_ceil(columns) {
            let (mut rests, mut materials) = (vec![0.0; vectors * elements], nothing.clone());
            while let Some((link, place)) = springs.next_if(|(_, p)| p.row as usize == row) {
                if link.is_cut() {
                    continue;
                }
                let (vector, element) =
                    vector_and_element(stencil, Place { row: 0, ..place }, row_vectors, elements);
                let slack = if link.one_sided { link.rest.next_down().max(0.0) } else { 0.0 };
                rests[vector * elements + element] = link.rest;
                for (k, number) in [link.stiffness, link.damping, slack].into_iter().enumerate() {
                    materials[(vector * MATERIAL_NUMBERS + k) * elements + element] = number;
                }
            }
            rests.chunks(length).for_each(|row| rest.push(row));
            materials.chunks(MATERIAL_NUMBERS * length).for_each(|row| material.push(row));
        }
        let (rest, material) = (rest.into(), material.into());
        let whole = springs.next().is_none();
        whole.then_some(Self { isa, particles, columns, stencil, row_vectors, rest, material })
    }

    /// Removes a spring by setting its slack length to infinity.
    pub fn cut(&mut self, link: &Link) {
        let place = Place::of(link, self.particles.start as u32, self.columns as u32);
        let (place, elements) = (place.expect("a spring of the grid"), self.isa.elements());
        let (vector, element) = vector_and_element(self.stencil, place, self.row_vectors, elements);
        self.material
            .set((vector * MATERIAL_NUMBERS + SLACK_INDEX) * elements + element, f64::INFINITY);
    }

    pub fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    /// Returns the rest lengths and the material of the springs that start at a row of particles
    /// and lead in a direction.
    pub fn row(&self, row: usize, direction: Direction) -> [&[CacheLine]; 2] {
        let row = self.stencil.row(row, direction);
        [self.rest.row(row), self.material.row(row)]
    }
}

/// True if the springs at each particle have ascending [`ranks`] in the order of the list.
fn are_in_cloth_order(
    mut springs: impl Iterator<Item = (Link, Place)>,
    particles: &Range<usize>,
) -> bool {
    let mut last_rank = vec![-1_i8; particles.len()];
    let mut is_next = |end: u32, rank: i8| {
        std::mem::replace(&mut last_rank[end as usize - particles.start], rank) < rank
    };
    springs.all(|(link, place)| {
        let [first, second] = ranks(place.direction);
        is_next(link.a.min(link.b), first) && is_next(link.a.max(link.b), second)
    })
}

/// Returns the ranks of a spring in the sums at its two ends: first at the end with the lower
/// index, then at the other end. A particle sums its springs in ascending order of rank, see
/// `ActiveSpringRows::add_up`.
fn ranks(direction: Direction) -> [i8; 2] {
    match direction {
        Direction::DownTwo => [11, 0],
        Direction::DownRight => [9, 1],
        Direction::Down => [8, 2],
        Direction::DownLeft => [6, 3],
        Direction::RightTwo => [10, 4],
        Direction::Right => [7, 5],
    }
}

/// Returns the storage place of a spring: vector and element. A spring to the lower left is stored
/// in the column of its lower end.
fn vector_and_element(
    stencil: Stencil,
    Place { row, column, direction }: Place,
    row_vectors: usize,
    elements: usize,
) -> (usize, usize) {
    let column = if direction == Direction::DownLeft { column - 1 } else { column } as usize;
    (stencil.row(row as usize, direction) * row_vectors + column / elements, column % elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::LinkKind;
    use crate::mesh::{ClothMaterial, Mesh};
    use glam::DVec3;

    /// Returns the stencil of a cloth's links of these `kinds`, after `relist` has rearranged the
    /// list. `None` if the links form no grid.
    fn stencil(
        bend_stiffness: f64,
        kinds: &[LinkKind],
        relist: impl Fn(&mut Vec<Link>),
    ) -> Option<Stencil> {
        let mut mesh = Mesh::default();
        let material = ClothMaterial { bend_stiffness, ..ClothMaterial::default() };
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [11, 8], &material);
        let mut links: Vec<Link> =
            mesh.links.iter().filter(|link| kinds.contains(&link.kind)).collect();
        relist(&mut links);
        let links = links.into();
        let component = &Component::all(&links, mesh.positions.len())[0];
        SpringGrid::new(component, mesh.cloths[0].columns, &links, Isa::best())
            .map(|grid| grid.stencil)
    }

    /// A wrong grid would sum forces in another order and change bits. A grid that is not
    /// recognised only takes more time.
    #[test]
    fn cloths_are_grids_with_and_without_bending_as_they_are_listed() {
        use LinkKind::{Bend, Shear, Structural};
        let all = [Structural, Shear, Bend];
        let as_it_is = |_: &mut Vec<Link>| ();
        assert_eq!(stencil(0.0, &all, as_it_is), Some(Stencil::Grid));
        assert_eq!(stencil(1.0, &all, as_it_is), Some(Stencil::Plate));
        assert_eq!(stencil(1.0, &[Structural, Bend], as_it_is), Some(Stencil::Plate));
        assert_eq!(stencil(1.0, &[Bend], as_it_is), Some(Stencil::Bending));
        for kinds in [&all[..], &[Structural], &[Bend]] {
            assert_eq!(stencil(1.0, kinds, |links| links.reverse()), None, "{kinds:?}");
            assert_eq!(stencil(1.0, kinds, |links| links.swap(30, 32)), None, "{kinds:?}");
        }
        let bends_last = |links: &mut Vec<Link>| links.sort_by_key(|link| link.kind == Bend);
        assert_eq!(stencil(1.0, &all, bends_last), None);
    }
}
