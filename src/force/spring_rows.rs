//! One pass over a grid's rows; a chain is a grid of one row. docs/speed.md explains it with a
//! picture.

use super::spring_grid::{DOWN, DOWN_LEFT, DOWN_RIGHT, RIGHT, SpringGrid};
use crate::simd::{Kernel, Line, Vector, lines, numbers_mut, vectors};
use glam::DVec3;
use std::ops::Range;

/// Springs under load, one a lane: what force and derivative have in common.
pub(super) struct Taut<V> {
    /// Rest length in metres.
    rest: V,
    stiffness: V,
    damping: V,
    /// Length in metres.
    l: V,
    /// Unit vector from first to second end.
    n: [V; 3],
}

/// What a spring adds to its first end and takes from its second, from the differences of K
/// columns between its ends: operation by operation what the plain loop does.
pub(super) trait Pull<const K: usize>: Copy + Send + Sync {
    fn pull<V: Vector>(self, spring: Taut<V>, differences: [[V; 3]; K]) -> [V; 3];
}

/// See [`super::Springs`]; from velocities.
#[derive(Clone, Copy)]
pub(super) struct SpringForce;

impl Pull<1> for SpringForce {
    #[inline(always)]
    fn pull<V: Vector>(self, spring: Taut<V>, [dv]: [[V; 3]; 1]) -> [V; 3] {
        let Taut { rest, stiffness, damping, l, n } = spring;
        let tension = stiffness * (l - rest) + damping * dot(dv, n);
        [tension * n[0], tension * n[1], tension * n[2]]
    }
}

/// See [`super::Springs`]; from dx and dv.
#[derive(Clone, Copy)]
pub(super) struct SpringDerivative;

impl Pull<2> for SpringDerivative {
    #[inline(always)]
    fn pull<V: Vector>(self, spring: Taut<V>, [dx, dv]: [[V; 3]; 2]) -> [V; 3] {
        let Taut { rest, stiffness, damping, l, n } = spring;
        let stretch = dot(n, dx);
        let along = [n[0] * stretch, n[1] * stretch, n[2] * stretch];
        let across = minus(dx, along);
        let sideways = V::splat(1.0) - rest / l;
        let sideways = sideways.only(sideways.is_above(V::splat(0.0)));
        let damped = damping * dot(n, dv);
        [
            stiffness * (along[0] + sideways * across[0]) + damped * n[0],
            stiffness * (along[1] + sideways * across[1]) + damped * n[1],
            stiffness * (along[2] + sideways * across[2]) + damped * n[2],
        ]
    }
}

/// Adds up the pulls around every particle in some rows of a grid.
pub(super) struct Walk<'a, P, const K: usize> {
    pub grid: &'a SpringGrid,
    pub law: P,
    pub rows: Range<usize>,
    /// Of all rows.
    pub x: &'a [DVec3],
    pub others: [&'a [DVec3]; K],
    /// Of these rows.
    pub sums: &'a mut [DVec3],
    pub scratch: &'a mut Vec<Line>,
}

impl<P: Pull<K>, const K: usize> Kernel for Walk<'_, P, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { grid, law, rows, x, others, mut sums, scratch } = self;
        let columns = grid.columns();
        let at = |row: usize| (row * columns).min(x.len());
        // The row above gives these rows something, and gets nothing here.
        let first = rows.start.saturating_sub(1);
        let mut work = Work::<V, K>::new(columns, scratch);
        work.lower.read::<V>(&x[at(first)..], others.map(|column| &column[at(first)..]));
        for j in 0..work.n {
            put(&mut work.partial, j, cleared(points::<V>(sums, j * V::LANES)));
        }
        for row in first..rows.end {
            std::mem::swap(&mut work.upper, &mut work.lower);
            let below = at(row + 1);
            if below < x.len() {
                work.lower.read::<V>(&x[below..], others.map(|column| &column[below..]));
            }
            let own = if row < rows.start { 0 } else { below - at(row) };
            let (of_row, of_below) = sums.split_at_mut(own);
            let springs = |direction| grid.row(row, direction);
            work.add_up(law, springs, of_row, (below < x.len()).then_some(&*of_below));
            sums = of_below;
        }
    }
}

/// x, y and z of a row.
type Coordinates<'a> = [&'a mut [f64]; 3];

/// A row's positions and other columns.
struct Row<'a, const K: usize> {
    x: Coordinates<'a>,
    others: [Coordinates<'a>; K],
}

/// A vector for each vector of a row.
type Vectors<'a, V> = [&'a mut [<V as Vector>::Array]; 3];

/// The rows in work.
struct Work<'a, V: Vector, const K: usize> {
    /// Vectors in a row.
    n: usize,
    upper: Row<'a, K>,
    lower: Row<'a, K>,
    /// Of the upper row's particles: what has been summed so far.
    sum: Vectors<'a, V>,
    /// Of a row's particles: what was there, and the springs from the row above.
    partial: Vectors<'a, V>,
    /// The upper row's pulls.
    right: Vectors<'a, V>,
    down_left: Vectors<'a, V>,
    down_right: Vectors<'a, V>,
}

impl<'a, V: Vector, const K: usize> Work<'a, V, K> {
    #[inline(always)]
    fn new(columns: usize, scratch: &'a mut Vec<Line>) -> Self {
        let n = columns.div_ceil(V::LANES);
        // A vector may begin at the last column but one of whole vectors.
        let length = columns.next_multiple_of(8) + 8;
        let needed = (2 * (1 + K) + 5) * 3 * length;
        if numbers_mut(scratch).len() < needed {
            *scratch = lines(needed, 0.0);
        }
        let mut rows = numbers_mut(scratch).chunks_exact_mut(length);
        let mut coordinates = || -> Coordinates { [(); 3].map(|()| rows.next().expect("a row")) };
        let mut row = || Row { x: coordinates(), others: [(); K].map(|()| coordinates()) };
        let (upper, lower) = (row(), row());
        let mut vectors = || coordinates().map(|row| &mut V::arrays_mut(row)[..n]);
        let (sum, partial) = (vectors(), vectors());
        let (right, down_left, down_right) = (vectors(), vectors(), vectors());
        Self { n, upper, lower, sum, partial, right, down_left, down_right }
    }

    /// Without `of_below` there is no row below. Adds to the sums of the upper row's particles, in the order of the list: as each is the
    /// end of down-right, down, down-left, right; then as it is the beginning of down-left, right,
    /// down, down-right.
    #[inline(always)]
    fn add_up<'s>(
        &mut self,
        law: impl Pull<K>,
        springs: impl Fn(usize) -> [&'s [Line]; 2],
        of_row: &mut [DVec3],
        of_below: Option<&[DVec3]>,
    ) {
        let Self { n, upper, lower, sum, partial, right, down_left, down_right } = self;
        let springs = |direction: usize| Springs::<V>::new(springs(direction), *n);
        let (here, next) = (upper.from::<V>(0, *n), upper.from::<V>(1, *n));
        let (below, below_next) = (lower.from::<V>(0, *n), lower.from::<V>(1, *n));
        let mut left = [V::splat(0.0); 3];
        springs(RIGHT).pull(
            law,
            [&here, &next],
            #[inline(always)]
            |j, pull| {
                put(sum, j, minus(at(partial, j), shifted(pull, left)));
                put(right, j, pull);
                left = pull;
            },
        );
        let Some(of_below) = of_below else {
            for j in 0..*n {
                put_points(of_row, j, plus(at::<V>(sum, j), at(right, j)));
            }
            return;
        };
        left = [V::splat(0.0); 3];
        springs(DOWN_LEFT).pull(
            law,
            [&next, &below],
            #[inline(always)]
            |j, pull| {
                let so_far = plus(at(sum, j), shifted(pull, left));
                put(sum, j, plus(so_far, at(right, j)));
                put(down_left, j, pull);
                left = pull;
            },
        );
        left = [V::splat(0.0); 3];
        springs(DOWN_RIGHT).pull(
            law,
            [&here, &below_next],
            #[inline(always)]
            |j, pull| {
                let so_far = cleared(points(of_below, j * V::LANES));
                put(partial, j, minus(so_far, shifted(pull, left)));
                put(down_right, j, pull);
                left = pull;
            },
        );
        springs(DOWN).pull(
            law,
            [&here, &below],
            #[inline(always)]
            |j, pull| {
                let whole = plus(plus(at(sum, j), pull), at(down_right, j));
                put_points(of_row, j, whole);
                let so_far = minus(minus(at(partial, j), pull), at(down_left, j));
                put(partial, j, so_far);
            },
        );
    }
}

impl<const K: usize> Row<'_, K> {
    /// Reads the first particles of columns: a row and what the last vector has behind it, where
    /// there is no spring.
    #[inline(always)]
    fn read<V: Vector>(&mut self, x: &[DVec3], others: [&[DVec3]; K]) {
        for j in 0..self.x[0].len() / V::LANES {
            put_numbers(&mut self.x, j, points::<V>(x, j * V::LANES));
            for (row, column) in self.others.iter_mut().zip(&others) {
                put_numbers(row, j, points::<V>(column, j * V::LANES));
            }
        }
    }

    /// n vectors from a column on.
    #[inline(always)]
    fn from<V: Vector>(&self, column: usize, n: usize) -> Ends<'_, V, K> {
        let mut others = [[&[] as &[V::Array]; 3]; K];
        for (vectors, coordinates) in others.iter_mut().zip(&self.others) {
            *vectors = vectors_from::<V>(coordinates, column, n);
        }
        Ends { x: vectors_from::<V>(&self.x, column, n), others }
    }
}

/// Ends of a row's springs in one direction.
struct Ends<'a, V: Vector, const K: usize> {
    x: [&'a [V::Array]; 3],
    others: [[&'a [V::Array]; 3]; K],
}

/// The springs of a row in one direction.
struct Springs<'a, V> {
    rest: &'a [V],
    /// Stiffness, damping and slack: see [`SpringGrid`].
    material: &'a [[V; 3]],
}

impl<'a, V: Vector> Springs<'a, V> {
    #[inline(always)]
    fn new([rest, material]: [&'a [Line]; 2], n: usize) -> Self {
        let material = vectors::<V>(material).as_chunks().0;
        Self { rest: &vectors::<V>(rest)[..n], material: &material[..n] }
    }

    /// Hands over the pulls on the first ends, vector after vector.
    ///
    /// Three vectors are under way: one waits for its roots, the one before for its quotients,
    /// and the one before that pulls.
    #[inline(always)]
    fn pull<const K: usize>(
        self,
        law: impl Pull<K>,
        [first, second]: [&Ends<V, K>; 2],
        mut give: impl FnMut(usize, [V; 3]),
    ) {
        let n = self.rest.len();
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let (mut d, mut l, mut reciprocal) = ([zero; 3], zero, zero);
        let (mut next_d, mut next_l) = (d, l);
        for t in 0..n + 2 {
            let (mut after_d, mut after_l, mut next_reciprocal) = (next_d, next_l, reciprocal);
            if t < n {
                after_d = difference::<V>(&first.x, &second.x, t);
                after_l = dot(after_d, after_d).sqrt();
            }
            if t <= n {
                next_reciprocal = one / next_l;
            }
            if t >= 2 {
                let j = t - 2;
                let mut differences = [d; K];
                for (k, difference_k) in differences.iter_mut().enumerate() {
                    *difference_k = difference::<V>(&first.others[k], &second.others[k], j);
                }
                let pull = law.pull(self.taut(j, d, l, reciprocal), differences);
                give(j, self.only_acting(j, l, pull));
            }
            (d, l, reciprocal) = (next_d, next_l, next_reciprocal);
            (next_d, next_l) = (after_d, after_l);
        }
    }

    #[inline(always)]
    fn taut(&self, j: usize, d: [V; 3], l: V, reciprocal: V) -> Taut<V> {
        let [stiffness, damping, _] = self.material[j];
        let n = [d[0] * reciprocal, d[1] * reciprocal, d[2] * reciprocal];
        Taut { rest: self.rest[j], stiffness, damping, l, n }
    }

    /// The pull of vector j, but 0 where there is no spring or it does nothing.
    #[inline(always)]
    fn only_acting(&self, j: usize, l: V, pull: [V; 3]) -> [V; 3] {
        let [_, _, slack] = self.material[j];
        let acts = V::both(l.is_above(slack), V::splat(f64::INFINITY).is_above(l));
        [pull[0].only(acts), pull[1].only(acts), pull[2].only(acts)]
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

#[inline(always)]
fn put_numbers<V: Vector>(to: &mut Coordinates, j: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        V::arrays_mut(to)[j] = v.to_array();
    }
}

#[inline(always)]
fn put<V: Vector>(to: &mut Vectors<V>, j: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        to[j] = v.to_array();
    }
}

#[inline(always)]
fn put_points<V: Vector>(to: &mut [DVec3], j: usize, v: [V; 3]) {
    V::put_points(v, to.get_mut(j * V::LANES..).unwrap_or_default(), 1);
}

#[inline(always)]
fn at<V: Vector>(from: &Vectors<V>, j: usize) -> [V; 3] {
    [V::from_array(&from[0][j]), V::from_array(&from[1][j]), V::from_array(&from[2][j])]
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

/// +0 for −0: then adding ±0 and adding nothing are the same.
#[inline(always)]
fn cleared<V: Vector>(v: [V; 3]) -> [V; 3] {
    plus(v, [V::splat(0.0); 3])
}

/// What each lane's left neighbour has.
#[inline(always)]
fn shifted<V: Vector>(v: [V; 3], before: [V; 3]) -> [V; 3] {
    [v[0].shift_up(before[0]), v[1].shift_up(before[1]), v[2].shift_up(before[2])]
}

#[inline(always)]
fn plus<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn minus<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a·b, summed as glam sums it.
#[inline(always)]
fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
