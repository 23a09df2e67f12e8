//! State of the particles ([`State`]) and memory of the scheme that moves them ([`Workspace`]).
//!
//! The pair is a snapshot: a run resumed from a clone of both continues bit for bit.

use super::block_matrix::BlockMatrix;
use glam::DVec3;
use std::array;
use std::ops::Range;

/// Positions and velocities of all particles at one instant, f64, one column per quantity.
///
/// f64 because f32 fails visibly: in free fall from 10 m with dt = 1e-4 s a position-Verlet
/// particle in f32 never moves (`scenes/16-f32-stops-falling.ron`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time in seconds. Set by the caller from an integer step count, never summed by a scheme.
    pub t: f64,
    /// Positions in metres.
    pub x: Vec<DVec3>,
    /// Velocities in metres per second.
    pub v: Vec<DVec3>,
}

impl State {
    /// A state at rest at t = 0.
    pub fn at_rest(x: Vec<DVec3>) -> Self {
        let v = vec![DVec3::ZERO; x.len()];
        Self { t: 0.0, x, v }
    }

    /// The state as the start of a step.
    pub fn as_now(&self) -> Now<'_> {
        let Self { t, x, v } = self;
        Now { t: *t, x, v }
    }

    /// The state as the place where a step writes its result.
    pub fn as_next(&mut self) -> Next<'_> {
        let Self { x, v, .. } = self;
        Next { x, v }
    }

    /// Allocates this many particles, whose positions and velocities mean nothing yet.
    pub fn resize(&mut self, n: usize) {
        self.x.resize(n, DVec3::ZERO);
        self.v.resize(n, DVec3::ZERO);
    }

    /// Copies another state into the present memory: a derived `clone_from` would allocate.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { t, x, v } = other;
        self.t = *t;
        self.x.clone_from(x);
        self.v.clone_from(v);
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True without particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Start of a step: some particles at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Time in seconds.
    pub t: f64,
    /// Positions in metres.
    pub x: &'a [DVec3],
    /// Velocities in metres per second.
    pub v: &'a [DVec3],
}

impl Now<'_> {
    /// Some of the particles.
    pub fn part(&self, particles: Range<usize>) -> Self {
        Self { t: self.t, x: &self.x[particles.clone()], v: &self.v[particles] }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True without particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Result of a step for some particles. The step overwrites it; its previous content means nothing.
#[derive(Debug)]
pub struct Next<'a> {
    /// Positions in metres.
    pub x: &'a mut [DVec3],
    /// Velocities in metres per second.
    pub v: &'a mut [DVec3],
}

impl Next<'_> {
    /// Some of the particles.
    pub fn part(&mut self, particles: Range<usize>) -> Next<'_> {
        Next { x: &mut self.x[particles.clone()], v: &mut self.v[particles] }
    }

    /// Splits the particles; the second part is empty if there are no more of them.
    pub fn split_at(&mut self, at: usize) -> [Next<'_>; 2] {
        let at = at.min(self.x.len());
        let (x, x_2) = self.x.split_at_mut(at);
        let (v, v_2) = self.v.split_at_mut(at);
        [Next { x, v }, Next { x: x_2, v: v_2 }]
    }
}

/// Cost of the last step under a scheme that has a tolerance to meet, and whether it was met; all
/// zero for the other schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Newton iterations of the last step.
    pub newton: u32,
    /// Conjugate-gradient iterations of the last step, over all Newton iterations.
    pub linear: u32,
    /// Norm of the last solve's last residual over the norm of its first; for an embedded pair the
    /// largest estimated error of an inner step over the permitted one.
    pub residual: f64,
    /// Inner steps into which the step was cut: 1 = none was needed.
    pub parts: u32,
    /// The tolerance was not met: the step was taken with the best value found.
    pub failed: bool,
}

impl SolveReport {
    /// Adds the report of one more substep of the same step.
    pub fn add(&mut self, other: &Self) {
        self.newton += other.newton;
        self.linear += other.linear;
        self.residual = self.residual.max(other.residual);
        self.parts += other.parts;
        self.failed |= other.failed;
    }
}

/// Most history columns of a scheme that steps some particles before the others.
pub const MOST_HISTORY: usize = 2;

/// Memory of a scheme: history for snapshots, and scratch columns that have no meaning between
/// steps. Columns grow in the first step and are reused, so later steps do not allocate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workspace {
    /// Steps that the history covers; 0 means that a multistep scheme must start without history.
    pub age: u32,
    /// Length of the previous step in seconds; 0 before the first.
    pub last_dt: f64,
    /// Step size proposed by an embedded error estimate, in seconds; 0 = none yet.
    pub proposed_dt: f64,
    /// Report of the last step, see [`SolveReport`].
    pub solve: SolveReport,
    history: Vec<Vec<DVec3>>,
    scratch: Vec<Vec<DVec3>>,
    /// Room for the linear solves of implicit schemes. Means nothing between steps.
    blocks: BlockMatrix,
    /// Buffer for the state at the start of an inner step. Means nothing between steps.
    inner: State,
}

impl Workspace {
    /// Forgets the history: after a teleport, an edited velocity or another scheme.
    pub fn restart(&mut self) {
        self.age = 0;
        self.last_dt = 0.0;
        self.proposed_dt = 0.0;
        self.solve = SolveReport::default();
    }

    /// Records that the history contains one more step of length `dt`.
    pub fn remember_step(&mut self, dt: f64) {
        self.age = self.age.saturating_add(1);
        self.last_dt = dt;
    }

    /// History columns so far: the scheme's memory of the particles.
    pub fn memory(&self) -> impl Iterator<Item = &[DVec3]> {
        self.history.iter().map(Vec::as_slice)
    }

    /// Mutable version of [`Workspace::memory`].
    pub fn memory_mut(&mut self) -> impl Iterator<Item = &mut [DVec3]> {
        self.history.iter_mut().map(Vec::as_mut_slice)
    }

    /// The first `columns` history columns, of the first `n` particles each; the others are empty.
    pub fn history(&mut self, columns: usize, n: usize) -> [&mut [DVec3]; MOST_HISTORY] {
        if self.history.len() < columns {
            self.history.resize_with(columns, Vec::new);
        }
        let mut all = self.history[..columns].iter_mut();
        array::from_fn(|_| match all.next() {
            Some(column) => {
                column.resize(column.len().max(n), DVec3::ZERO);
                &mut column[..n]
            }
            None => &mut [],
        })
    }

    /// Allocates the memory of a new particle `i`, before that of the later ones.
    pub fn insert(&mut self, i: usize) {
        for column in &mut self.history {
            column.insert(i.min(column.len()), DVec3::ZERO);
        }
    }

    /// Becomes the memory of some particles: the time memory of `whole`, and their part of its
    /// history columns.
    pub fn load_part<'a>(
        &mut self,
        whole: &Self,
        columns: impl ExactSizeIterator<Item = &'a [DVec3]>,
    ) {
        self.follow(whole);
        self.history.resize_with(columns.len(), Vec::new);
        for (own, column) in self.history.iter_mut().zip(columns) {
            own.clear();
            own.extend_from_slice(column);
        }
    }

    /// Writes the memory of some particles back to their part of the history columns.
    pub fn store_part<'a>(&self, columns: impl Iterator<Item = &'a mut [DVec3]>) {
        for (own, column) in self.history.iter().zip(columns) {
            column.copy_from_slice(own);
        }
    }

    /// Copies the columns of another memory that have a meaning between steps.
    pub fn remember_as(&mut self, other: &Self) {
        self.follow(other);
        self.history.clone_from(&other.history);
    }

    /// Vectors in the history columns.
    pub fn remembered(&self) -> usize {
        self.history.iter().map(Vec::len).sum()
    }

    /// Takes over the time memory of a part.
    pub fn follow(&mut self, part: &Self) {
        let Self { age, last_dt, proposed_dt, solve, .. } = part;
        (self.age, self.last_dt) = (*age, *last_dt);
        (self.proposed_dt, self.solve) = (*proposed_dt, *solve);
    }

    /// `N` scratch columns of `n` vectors each. Their content is unspecified.
    pub fn scratch<const N: usize>(&mut self, n: usize) -> &mut [Vec<DVec3>; N] {
        self.columns::<0, N>(n).1
    }

    /// A state of `n` particles for the start of inner steps, whose content is unspecified. It has
    /// to be given back, or the next step allocates another.
    pub fn take_inner(&mut self, n: usize) -> State {
        let mut inner = std::mem::take(&mut self.inner);
        inner.resize(n);
        inner
    }

    /// See [`Self::take_inner`].
    pub fn give_back_inner(&mut self, inner: State) {
        self.inner = inner;
    }

    /// `H` history columns, which survive from step to step, and `S` scratch columns, which do
    /// not; `n` vectors each.
    pub fn columns<const H: usize, const S: usize>(
        &mut self,
        n: usize,
    ) -> (&mut [Vec<DVec3>; H], &mut [Vec<DVec3>; S]) {
        let (history, scratch, _) = self.columns_and_blocks(n);
        (history, scratch)
    }

    /// The columns of [`Self::columns`], and memory for a matrix.
    pub fn columns_and_blocks<const H: usize, const S: usize>(
        &mut self,
        n: usize,
    ) -> (&mut [Vec<DVec3>; H], &mut [Vec<DVec3>; S], &mut BlockMatrix) {
        let Self { history, scratch, blocks, .. } = self;
        (first_columns(history, n), first_columns(scratch, n), blocks)
    }
}

fn first_columns<const N: usize>(pool: &mut Vec<Vec<DVec3>>, n: usize) -> &mut [Vec<DVec3>; N] {
    if pool.len() < N {
        pool.resize_with(N, Vec::new);
    }
    for column in &mut pool[..N] {
        column.resize(n, DVec3::ZERO);
    }
    pool.first_chunk_mut().expect("the pool was grown to N columns")
}
