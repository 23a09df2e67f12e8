//! The springs of a row, register after register.

use super::spring_law::{Pull, Taut, dot};
use crate::simd::{Line, Vector, vectors};
use glam::DVec3;

/// x, y and z of a row.
pub(super) type Coordinates<'a> = [&'a mut [f64]; 3];

/// A row's positions and other columns.
pub(super) struct Row<'a, const K: usize> {
    pub x: Coordinates<'a>,
    pub others: [Coordinates<'a>; K],
}

/// A vector for each vector of a row.
pub(super) type Vectors<'a, V> = [&'a mut [<V as Vector>::Array]; 3];

impl<const K: usize> Row<'_, K> {
    /// Reads the first particles of columns: a row and what the last vector has behind it, where
    /// there is no spring.
    #[inline(always)]
    pub fn read<V: Vector>(&mut self, x: &[DVec3], others: [&[DVec3]; K]) {
        for j in 0..self.x[0].len() / V::LANES {
            let first = j * V::LANES;
            put_numbers(&mut self.x, first, points::<V>(x, first));
            for (row, column) in self.others.iter_mut().zip(&others) {
                put_numbers(row, first, points::<V>(column, first));
            }
        }
    }

    /// n vectors from a column on.
    #[inline(always)]
    pub fn from<V: Vector>(&self, column: usize, n: usize) -> Ends<'_, V, K> {
        let mut others = [[&[] as &[V::Array]; 3]; K];
        for (vectors, coordinates) in others.iter_mut().zip(&self.others) {
            *vectors = vectors_from::<V>(coordinates, column, n);
        }
        Ends { x: vectors_from::<V>(&self.x, column, n), others }
    }
}

/// Ends of a row's springs in one direction.
pub(super) struct Ends<'a, V: Vector, const K: usize> {
    x: [&'a [V::Array]; 3],
    others: [[&'a [V::Array]; 3]; K],
}

/// The springs of a row in one direction.
pub(super) struct Springs<'a, V: Vector, const K: usize> {
    first: &'a Ends<'a, V, K>,
    second: &'a Ends<'a, V, K>,
    rest: &'a [V],
    /// Stiffness, damping and slack: see [`SpringGrid`](super::spring_grid::SpringGrid).
    material: &'a [[V; 3]],
}

impl<'a, V: Vector, const K: usize> Springs<'a, V, K> {
    #[inline(always)]
    pub fn new(
        [rest, material]: [&'a [Line]; 2],
        first: &'a Ends<'a, V, K>,
        second: &'a Ends<'a, V, K>,
    ) -> Self {
        let n = first.x[0].len();
        let material = vectors::<V>(material).as_chunks().0;
        Self { first, second, rest: &vectors::<V>(rest)[..n], material: &material[..n] }
    }

    /// From first to second ends.
    #[inline(always)]
    fn way(&self, j: usize) -> [V; 3] {
        difference::<V>(&self.first.x, &self.second.x, j)
    }

    /// The pull on the first ends, but 0 where there is no spring or it does nothing. Gets way,
    /// length and its reciprocal.
    #[inline(always)]
    fn pull(&self, law: impl Pull<K>, j: usize, d: [V; 3], l: V, reciprocal: V) -> [V; 3] {
        let n = [d[0] * reciprocal, d[1] * reciprocal, d[2] * reciprocal];
        let mut differences = [n; K];
        for (k, between) in differences.iter_mut().enumerate() {
            *between = difference::<V>(&self.first.others[k], &self.second.others[k], j);
        }
        let [stiffness, damping, slack] = self.material[j];
        let pull = law.pull(Taut { rest: self.rest[j], stiffness, damping, l, n }, differences);
        let acts = V::both(l.is_above(slack), V::splat(f64::INFINITY).is_above(l));
        [pull[0].only(acts), pull[1].only(acts), pull[2].only(acts)]
    }
}

/// Hands over the pulls on the first ends of D directions, vector after vector.
///
/// Two vectors are under way: one waits for its roots, and the one before it pulls. (Loops over
/// indices, since iterators keep small arrays in memory: 1.66 instead of 1.48 ns a spring.)
#[inline(always)]
pub(super) fn pull<V: Vector, const K: usize, const D: usize>(
    law: impl Pull<K>,
    springs: [Springs<V, K>; D],
    mut give: impl FnMut(usize, [[V; 3]; D]),
) {
    let vectors = springs[0].rest.len();
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    let (mut d, mut l) = ([[zero; 3]; D], [zero; D]);
    for t in 0..vectors + 1 {
        let mut reciprocal = [zero; D];
        for k in 0..D {
            reciprocal[k] = one / l[k];
        }
        let (mut next_d, mut next_l) = (d, l);
        if t < vectors {
            for k in 0..D {
                next_d[k] = springs[k].way(t);
            }
            for k in 0..D {
                next_l[k] = dot(next_d[k], next_d[k]).sqrt();
            }
        }
        if t > 0 {
            let mut pulls = [[zero; 3]; D];
            for k in 0..D {
                pulls[k] = springs[k].pull(law, t - 1, d[k], l[k], reciprocal[k]);
            }
            give(t - 1, pulls);
        }
        (d, l) = (next_d, next_l);
    }
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

/// A vector of each row from a column on.
#[inline(always)]
pub(super) fn numbers_at<V: Vector>(rows: &Coordinates, column: usize) -> [V; 3] {
    [V::load(&rows[0][column..]), V::load(&rows[1][column..]), V::load(&rows[2][column..])]
}

#[inline(always)]
pub(super) fn put_numbers<V: Vector>(to: &mut Coordinates, column: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        V::arrays_mut(&mut to[column..])[0] = v.to_array();
    }
}

/// b − a of one vector of columns.
#[inline(always)]
fn difference<V: Vector>(a: &[&[V::Array]; 3], b: &[&[V::Array]; 3], j: usize) -> [V; 3] {
    [
        V::from_array(&b[0][j]) - V::from_array(&a[0][j]),
        V::from_array(&b[1][j]) - V::from_array(&a[1][j]),
        V::from_array(&b[2][j]) - V::from_array(&a[2][j]),
    ]
}

/// The points from one on, as far as there are some.
#[inline(always)]
fn points<V: Vector>(column: &[DVec3], first: usize) -> [V; 3] {
    V::points(column.get(first..).unwrap_or_default(), 1)
}
