//! SIMD access to one row of a grid of particles at a time, with one particle per vector element.

use crate::numerics::simd::Vector;
use glam::DVec3;
use std::ops::Range;

/// Divides the rows among this many threads. Each thread calls `write` with its rows and their part
/// of `out`, which contains the results of all rows.
pub(super) fn split_among_threads(
    rows: Range<usize>,
    columns: usize,
    out: &mut [DVec3],
    threads: usize,
    write: &(impl Fn(Range<usize>, &mut [DVec3]) + Sync),
) {
    let above = threads / 2;
    let middle = rows.start + rows.len() * above / threads;
    if middle == rows.start {
        return write(rows, out);
    }
    let (of_above, of_below) = out.split_at_mut((middle - rows.start) * columns);
    rayon::join(
        || split_among_threads(rows.start..middle, columns, of_above, above, write),
        || split_among_threads(middle..rows.end, columns, of_below, threads - above, write),
    );
}

/// Coordinates of one row, as separate columns x, y and z.
pub(super) type Coordinates<'a> = [&'a mut [f64]; 3];

/// Positions of one row, and K other columns such as velocities.
pub(super) struct RowColumns<'a, const K: usize> {
    pub x: Coordinates<'a>,
    pub others: [Coordinates<'a>; K],
}

/// Results of one row: vectors in separate columns x, y and z.
pub(super) type Vectors<'a, V> = [&'a mut [<V as Vector>::Array]; 3];

impl<const K: usize> RowColumns<'_, K> {
    /// Reads a row from the beginning of the columns. Particles after the row fill the last vector.
    #[inline(always)]
    pub fn read<V: Vector>(&mut self, x: &[DVec3], others: [&[DVec3]; K]) {
        for j in 0..self.x[0].len() / V::ELEMENTS {
            let first = j * V::ELEMENTS;
            write_numbers(&mut self.x, first, points::<V>(x, first));
            for (row, column) in self.others.iter_mut().zip(&others) {
                write_numbers(row, first, points::<V>(column, first));
            }
        }
    }

    /// Returns `n` consecutive vectors of the row, starting at `column`.
    #[inline(always)]
    pub fn vectors_from_column<V: Vector>(&self, column: usize, n: usize) -> RowRun<'_, V, K> {
        let mut others = [[&[] as &[V::Array]; 3]; K];
        for (vectors, coordinates) in others.iter_mut().zip(&self.others) {
            *vectors = vectors_from::<V>(coordinates, column, n);
        }
        RowRun { x: vectors_from::<V>(&self.x, column, n), others }
    }
}

/// Vectors of consecutive particles of one row.
pub(super) struct RowRun<'a, V: Vector, const K: usize> {
    pub x: [&'a [V::Array]; 3],
    pub others: [[&'a [V::Array]; 3]; K],
}

#[inline(always)]
fn vectors_from<'a, V: Vector>(
    row: &'a Coordinates,
    column: usize,
    n: usize,
) -> [&'a [V::Array]; 3] {
    [
        &V::arrays(&row[0][column..])[..n],
        &V::arrays(&row[1][column..])[..n],
        &V::arrays(&row[2][column..])[..n],
    ]
}

/// Returns one vector each of x, y and z, beginning at `column`.
#[inline(always)]
pub(super) fn read_numbers<V: Vector>(rows: &Coordinates, column: usize) -> [V; 3] {
    [V::load(&rows[0][column..]), V::load(&rows[1][column..]), V::load(&rows[2][column..])]
}

#[inline(always)]
pub(super) fn write_numbers<V: Vector>(to: &mut Coordinates, column: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        V::arrays_mut(&mut to[column..])[0] = v.to_array();
    }
}

/// Returns b − a for vector `j` of the columns a and b.
#[inline(always)]
pub(super) fn difference<V: Vector>(
    a: &[&[V::Array]; 3],
    b: &[&[V::Array]; 3],
    j: usize,
) -> [V; 3] {
    [
        V::from_array(&b[0][j]) - V::from_array(&a[0][j]),
        V::from_array(&b[1][j]) - V::from_array(&a[1][j]),
        V::from_array(&b[2][j]) - V::from_array(&a[2][j]),
    ]
}

/// Returns the points starting at index `first`, as one vector each of x, y and z. Elements beyond
/// the last point are 0.
#[inline(always)]
fn points<V: Vector>(column: &[DVec3], first: usize) -> [V; 3] {
    V::points(column.get(first..).unwrap_or_default(), 1)
}

/// Returns vector `j` of x, of y and of z.
#[inline(always)]
pub(super) fn read_points<V: Vector>(columns: &[&[V::Array]; 3], j: usize) -> [V; 3] {
    [V::from_array(&columns[0][j]), V::from_array(&columns[1][j]), V::from_array(&columns[2][j])]
}

#[inline(always)]
pub(super) fn write_vectors<V: Vector>(to: &mut Vectors<V>, j: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        to[j] = v.to_array();
    }
}

#[inline(always)]
pub(super) fn write_points<V: Vector>(to: &mut [DVec3], j: usize, v: [V; 3]) {
    V::put_points(v, to.get_mut(j * V::ELEMENTS..).unwrap_or_default(), 1);
}

#[inline(always)]
pub(super) fn read_vectors<V: Vector>(from: &Vectors<V>, j: usize) -> [V; 3] {
    [V::from_array(&from[0][j]), V::from_array(&from[1][j]), V::from_array(&from[2][j])]
}

/// Shifts the elements up by one, so that each element gets its left neighbour. The first element
/// gets the last element of `before`.
#[inline(always)]
pub(super) fn left_neighbours<V: Vector>(v: [V; 3], before: [V; 3]) -> [V; 3] {
    [v[0].shift_up(before[0]), v[1].shift_up(before[1]), v[2].shift_up(before[2])]
}

#[inline(always)]
pub(super) fn scaled<V: Vector>(k: V, v: [V; 3]) -> [V; 3] {
    [k * v[0], k * v[1], k * v[2]]
}

#[inline(always)]
pub(super) fn plus<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn minus<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the cross product a × b, with the operations in glam's order.
#[inline(always)]
pub(super) fn cross<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}
