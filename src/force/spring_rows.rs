//! One pass over a grid's rows; a chain is a grid of one row. docs/speed.md explains it with a
//! picture.

use super::spring_grid::{SpringGrid, Weave};
use crate::constraint::body::Direction;
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

/// Goes on with the sums of some particles, which nothing will be added to here.
pub type GoOn<'a> = dyn Fn(Range<usize>, &mut [DVec3]) + Sync + 'a;

/// Particles, at least, that are gone on with together: two rows of a cloth of 100 columns are
/// still in the nearest cache.
pub(super) const TOGETHER: usize = 128;

/// What of a walk is the same for all rows.
#[derive(Clone, Copy)]
pub(super) struct Around<'a, P, const K: usize> {
    pub grid: &'a SpringGrid,
    pub law: P,
    /// Of all rows.
    pub x: &'a [DVec3],
    pub others: [&'a [DVec3]; K],
    pub go_on: &'a GoOn<'a>,
}

/// Adds up the pulls around every particle in some rows of a grid. `PLATE`: some springs lead to
/// the next particle but one.
pub(super) struct Walk<'a, P, const K: usize, const PLATE: bool> {
    pub around: Around<'a, P, K>,
    pub rows: Range<usize>,
    /// Of these rows.
    pub sums: &'a mut [DVec3],
    pub scratch: &'a mut Vec<Line>,
}

impl<P: Pull<K>, const K: usize, const PLATE: bool> Kernel for Walk<'_, P, K, PLATE> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { around, rows, mut sums, scratch } = self;
        let Around { grid, law, x, others, go_on } = around;
        let reach = if PLATE { 2 } else { 1 };
        let at = |row: usize| (row * grid.columns()).min(x.len());
        let (mut next, mut summed) = (grid.particles().start + at(rows.start), 0);
        // The rows above give these rows something, and get nothing here.
        let first = rows.start.saturating_sub(reach);
        let mut work = Work::<V, K, PLATE>::new(grid.columns(), scratch);
        for row in first..first + reach {
            work.read(x, others, at(row));
        }
        for row in first..rows.end {
            work.read(x, others, at(row + reach));
            let below = at(row + 1);
            let own = if row < rows.start { 0 } else { below - at(row) };
            let springs = |direction| grid.row(row, direction);
            let sums_of_row = &mut sums[summed..summed + own];
            if PLATE && grid.weave() == Weave::Bending {
                work.add_up_bending(law, springs, sums_of_row);
            } else {
                work.add_up(law, springs, below == x.len(), sums_of_row);
            }
            summed += own;
            if summed >= TOGETHER || row + 1 == rows.end {
                let (done, rest) = sums.split_at_mut(summed);
                go_on(next..next + summed, done);
                (next, sums, summed) = (next + summed, rest, 0);
            }
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
struct Work<'a, V: Vector, const K: usize, const PLATE: bool> {
    /// Vectors in a row.
    n: usize,
    /// The row whose springs pull, the one below it, and in a plate the one below that.
    rows: [Row<'a, K>; 3],
    /// Of the upper row's particles: what has been summed so far.
    sum: Vectors<'a, V>,
    /// Of a row's particles: the springs from rows above.
    partial: Vectors<'a, V>,
    /// The upper row's pulls to the lower left.
    down_left: Vectors<'a, V>,
    /// The upper row's pulls to the next but one.
    bent: Bent<'a, V, PLATE>,
}

impl<'a, V: Vector, const K: usize, const PLATE: bool> Work<'a, V, K, PLATE> {
    #[inline(always)]
    fn new(columns: usize, scratch: &'a mut Vec<Line>) -> Self {
        let n = columns.div_ceil(V::LANES);
        // Vectors begin up to two columns later than whole ones.
        let length = columns.next_multiple_of(8) + 8;
        let needed = (3 * (1 + K) + 6) * 3 * length;
        if numbers_mut(scratch).len() < needed {
            *scratch = lines(needed, 0.0);
        }
        let mut rows = numbers_mut(scratch).chunks_exact_mut(length);
        let mut coordinates = || -> Coordinates { [(); 3].map(|()| rows.next().expect("a row")) };
        let mut row = || Row { x: coordinates(), others: [(); K].map(|()| coordinates()) };
        let rows = [row(), row(), row()];
        let right = coordinates();
        let mut vectors = || coordinates().map(|row| &mut V::arrays_mut(row)[..n]);
        let (sum, mut partial, down_left) = (vectors(), vectors(), vectors());
        let mut bent = Bent { right, down: vectors(), down_from_above: vectors() };
        for row in partial.iter_mut().chain(&mut bent.down) {
            row.fill(V::splat(0.0).to_array());
        }
        bent.right.iter_mut().for_each(|row| row[..2].fill(0.0));
        Self { n, rows, sum, partial, down_left, bent }
    }

    /// All rows move up by one, and the one whose particles begin at `first` comes below them: if
    /// there are none, whatever was there, since no spring leads to it.
    #[inline(always)]
    fn read(&mut self, x: &[DVec3], others: [&[DVec3]; K], first: usize) {
        let last = if PLATE { 2 } else { 1 };
        self.rows[..=last].rotate_left(1);
        if first < x.len() {
            self.rows[last].read::<V>(&x[first..], others.map(|column| &column[first..]));
        }
    }

    /// Sums the pulls around the upper row's particles, in the order of the list: as each is the end
    /// of down two, down-right, down, down-left, right two, right; then as it is the beginning of
    /// down-left, right, down, down-right, right two, down two.
    #[inline(always)]
    fn add_up<'s>(
        &mut self,
        law: impl Pull<K>,
        springs: impl Fn(Direction) -> [&'s [Line]; 2],
        is_last: bool,
        sums: &mut [DVec3],
    ) {
        if PLATE {
            self.bend(law, &springs);
        }
        let Self { n, rows: [upper, lower, _], sum, partial, down_left, bent } = self;
        let (here, next) = (upper.from::<V>(0, *n), upper.from::<V>(1, *n));
        let (below, below_next) = (lower.from::<V>(0, *n), lower.from::<V>(1, *n));
        let from_to = |direction: Direction, first, second| {
            Springs::<V, K>::new(springs(direction), first, second)
        };
        let mut left = [[V::splat(0.0); 3]; 2];
        if is_last {
            pull(
                law,
                [from_to(Direction::Right, &here, &next)],
                #[inline(always)]
                |j, [right]| {
                    let so_far = minus(bent.minus_left(j, at(partial, j)), shifted(right, left[0]));
                    put_points(sums, j, bent.plus_own(j, plus(so_far, right)));
                    left[0] = right;
                },
            );
            return;
        }
        pull(
            law,
            [from_to(Direction::Right, &here, &next), from_to(Direction::DownLeft, &next, &below)],
            #[inline(always)]
            |j, [right, to_below]| {
                let so_far = minus(bent.minus_left(j, at(partial, j)), shifted(right, left[0]));
                let so_far = plus(so_far, shifted(to_below, left[1]));
                put(sum, j, plus(so_far, right));
                put(down_left, j, to_below);
                left = [right, to_below];
            },
        );
        let mut left = [V::splat(0.0); 3];
        pull(
            law,
            [
                from_to(Direction::Down, &here, &below),
                from_to(Direction::DownRight, &here, &below_next),
            ],
            #[inline(always)]
            |j, [down, right]| {
                let so_far = plus(plus(at(sum, j), down), right);
                put_points(sums, j, bent.plus_own(j, so_far));
                let so_far = minus(bent.given_below(j), shifted(right, left));
                let so_far = minus(so_far, down);
                put(partial, j, minus(so_far, at(down_left, j)));
                left = right;
            },
        );
    }

    /// The same where no spring leads to a neighbour.
    #[inline(always)]
    fn add_up_bending<'s>(
        &mut self,
        law: impl Pull<K>,
        springs: impl Fn(Direction) -> [&'s [Line]; 2],
        sums: &mut [DVec3],
    ) {
        self.bend(law, springs);
        let Self { n, partial, bent, .. } = self;
        for j in 0..*n {
            put_points(sums, j, bent.plus_own(j, bent.minus_left(j, at(partial, j))));
            put(partial, j, bent.given_below(j));
        }
    }

    /// The upper row's pulls to the next but one.
    #[inline(always)]
    fn bend<'s>(&mut self, law: impl Pull<K>, springs: impl Fn(Direction) -> [&'s [Line]; 2]) {
        let Self { n, rows: [upper, _, lowest], bent, .. } = self;
        let here = upper.from::<V>(0, *n);
        let (right, down) = (upper.from::<V>(2, *n), lowest.from::<V>(0, *n));
        let from_to =
            |direction: Direction, second| Springs::<V, K>::new(springs(direction), &here, second);
        std::mem::swap(&mut bent.down, &mut bent.down_from_above);
        pull(
            law,
            [from_to(Direction::RightTwo, &right), from_to(Direction::DownTwo, &down)],
            #[inline(always)]
            |j, [right, down]| {
                put_numbers(&mut bent.right, 2 + j * V::LANES, right);
                put(&mut bent.down, j, down);
            },
        );
    }
}

/// In a plate, a row's pulls to the next particles but one.
struct Bent<'a, V: Vector, const PLATE: bool> {
    /// To the right, those on the first two particles as from two further to the left.
    right: Coordinates<'a>,
    down: Vectors<'a, V>,
    /// Those of the row above.
    down_from_above: Vectors<'a, V>,
}

impl<V: Vector, const PLATE: bool> Bent<'_, V, PLATE> {
    /// Takes what the particles on the left pull with from sums.
    #[inline(always)]
    fn minus_left(&self, j: usize, sum: [V; 3]) -> [V; 3] {
        if PLATE { minus(sum, numbers_at(&self.right, j * V::LANES)) } else { sum }
    }

    /// Adds what the row's own particles pull with to sums.
    #[inline(always)]
    fn plus_own(&self, j: usize, sum: [V; 3]) -> [V; 3] {
        if !PLATE {
            return sum;
        }
        plus(plus(sum, numbers_at(&self.right, 2 + j * V::LANES)), at(&self.down, j))
    }

    /// Where the sums of the row below begin: with what the row above pulls with.
    #[inline(always)]
    fn given_below(&self, j: usize) -> [V; 3] {
        let zero = [V::splat(0.0); 3];
        if PLATE { minus(zero, at(&self.down_from_above, j)) } else { zero }
    }
}

impl<const K: usize> Row<'_, K> {
    /// Reads the first particles of columns: a row and what the last vector has behind it, where
    /// there is no spring.
    #[inline(always)]
    fn read<V: Vector>(&mut self, x: &[DVec3], others: [&[DVec3]; K]) {
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
struct Springs<'a, V: Vector, const K: usize> {
    first: &'a Ends<'a, V, K>,
    second: &'a Ends<'a, V, K>,
    rest: &'a [V],
    /// Stiffness, damping and slack: see [`SpringGrid`].
    material: &'a [[V; 3]],
}

impl<'a, V: Vector, const K: usize> Springs<'a, V, K> {
    #[inline(always)]
    fn new(
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
fn pull<V: Vector, const K: usize, const D: usize>(
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
fn numbers_at<V: Vector>(rows: &Coordinates, column: usize) -> [V; 3] {
    [V::load(&rows[0][column..]), V::load(&rows[1][column..]), V::load(&rows[2][column..])]
}

#[inline(always)]
fn put_numbers<V: Vector>(to: &mut Coordinates, column: usize, v: [V; 3]) {
    for (to, v) in to.iter_mut().zip(&v) {
        V::arrays_mut(&mut to[column..])[0] = v.to_array();
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
