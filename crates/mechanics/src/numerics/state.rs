//! State of the particles ([`State`]), and memory of the integrator ([`Workspace`]).
//!
//! Both together are a snapshot: a simulation that continues from clones of them gives the same
//! bits.

use super::block_matrix::BlockMatrix;
use glam::DVec3;
use std::array;
use std::ops::Range;

/// Positions and velocities of all particles at one instant.
///
/// The values are f64, because f32 fails visibly: in free fall from 10 m with dt = 1e-4 s, a
/// particle under position Verlet in f32 never moves (`scenes/16-f32-stops-falling.ron`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time in seconds. The caller computes it from an integer number of steps, because rounding
    /// errors of summed step sizes would add up.
    pub t: f64,
    /// Positions in metres.
    pub x: Vec<DVec3>,
    /// Velocities in m/s.
    pub v: Vec<DVec3>,
}

impl State {
    /// Creates a state at t = 0 with all velocities zero.
    pub fn at_rest(x: Vec<DVec3>) -> Self {
        let v = vec![DVec3::ZERO; x.len()];
        Self { t: 0.0, x, v }
    }

    /// Borrows the state as the start of a step.
    pub fn view(&self) -> StateRef<'_> {
        let Self { t, x, v } = self;
        StateRef { t: *t, x, v }
    }

    /// Borrows the state as the buffer for the result of a step.
    pub fn view_mut(&mut self) -> StateMut<'_> {
        let Self { x, v, .. } = self;
        StateMut { x, v }
    }

    /// Resizes the columns to `n` particles. Their content is then unspecified.
    pub fn resize(&mut self, n: usize) {
        self.x.resize(n, DVec3::ZERO);
        self.v.resize(n, DVec3::ZERO);
    }

    /// Copies another state without allocating memory. (A derived `clone_from` would allocate.)
    pub fn copy_from(&mut self, other: &Self) {
        let Self { t, x, v } = other;
        self.t = *t;
        self.x.clone_from(x);
        self.v.clone_from(v);
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True if there are no particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Borrowed state of some particles, e.g. at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct StateRef<'a> {
    /// Time in seconds.
    pub t: f64,
    /// Positions in metres.
    pub x: &'a [DVec3],
    /// Velocities in m/s.
    pub v: &'a [DVec3],
}

impl StateRef<'_> {
    /// Returns the part of the columns that belongs to these particles.
    pub fn part(&self, particles: Range<usize>) -> Self {
        Self { t: self.t, x: &self.x[particles.clone()], v: &self.v[particles] }
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True if there are no particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Borrowed columns of some particles. A step overwrites all their entries with its result.
#[derive(Debug)]
pub struct StateMut<'a> {
    /// Positions in metres.
    pub x: &'a mut [DVec3],
    /// Velocities in m/s.
    pub v: &'a mut [DVec3],
}

impl StateMut<'_> {
    /// Returns the part of the columns that belongs to these particles.
    pub fn part(&mut self, particles: Range<usize>) -> StateMut<'_> {
        StateMut { x: &mut self.x[particles.clone()], v: &mut self.v[particles] }
    }

    /// Splits the columns at particle `at`. The second part is empty if there are at most `at`
    /// particles.
    pub fn split_at(&mut self, at: usize) -> [StateMut<'_>; 2] {
        let at = at.min(self.x.len());
        let (x, x_2) = self.x.split_at_mut(at);
        let (v, v_2) = self.v.split_at_mut(at);
        [StateMut { x, v }, StateMut { x: x_2, v: v_2 }]
    }
}

/// A particle by its index among all particles.
#[derive(Clone, Copy, Debug)]
pub struct ParticleIndex {
    /// Index from 0.
    pub index: usize,
    /// Number of all particles.
    pub count: usize,
}

/// Cost and success of the last step under an integrator with a tolerance. Under other integrators
/// all fields are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Number of Newton iterations of the last step.
    pub newton: u32,
    /// Number of conjugate-gradient iterations of the last step, over all Newton iterations.
    pub linear: u32,
    /// Norm of the last residual divided by the norm of the first one, in the last Newton solve.
    /// For embedded Runge–Kutta pairs, the largest estimated error of an inner step divided by the
    /// permitted error.
    pub residual: f64,
    /// Number of inner steps into which the step was divided; 1 if it was not.
    pub parts: u32,
    /// True if the tolerance was not met. The result is then the best approximation found.
    pub failed: bool,
}

impl SolveReport {
    /// Adds the report of another substep of the same step.
    pub fn add(&mut self, other: &Self) {
        self.newton += other.newton;
        self.linear += other.linear;
        self.residual = self.residual.max(other.residual);
        self.parts += other.parts;
        self.failed |= other.failed;
    }
}

/// Largest number of particle states in a [`Path`] (48 MB).
const MOST_RECORDED: usize = 1 << 20;

/// States between the start and the end of a step, in temporal order: ends of substeps and of inner
/// steps. The energy account integrates powers along this path, because the two ends of a long step
/// do not resolve a vibration that its substeps resolve. When the path is full, every second state
/// is dropped, and only half as many further states are recorded.
#[derive(Clone, Debug, Default)]
pub struct Path {
    records: bool,
    /// Buffers of states. The first `count` of them belong to the step.
    states: Vec<State>,
    count: usize,
    /// Number of states passed to [`Self::record`] in the step. Every `stride`-th one is recorded.
    offered: usize,
    stride: usize,
}

impl Path {
    /// Clears the path at the start of a step. `records` is true if states are to be recorded in
    /// this step.
    pub fn start_step(&mut self, records: bool) {
        (self.records, self.count, self.offered, self.stride) = (records, 0, 0, 1);
    }

    /// Records a state within the step.
    pub fn record(&mut self, at: StateRef) {
        let most = MOST_RECORDED / at.len().max(1);
        if !self.records || most < 2 {
            return;
        }
        self.offered += 1;
        if self.count >= most {
            (0..self.count / 2).for_each(|i| self.states.swap(i, 2 * i + 1));
            self.count /= 2;
            self.stride *= 2;
        }
        if !self.offered.is_multiple_of(self.stride) {
            return;
        }
        if self.states.len() == self.count {
            self.states.push(State::default());
        }
        let state = &mut self.states[self.count];
        state.t = at.t;
        state.x.clear();
        state.x.extend_from_slice(at.x);
        state.v.clear();
        state.v.extend_from_slice(at.v);
        self.count += 1;
    }

    /// Returns the states that were recorded in the step.
    pub fn states(&self) -> &[State] {
        &self.states[..self.count]
    }
}

/// Paths have no meaning between steps, so all are equal.
impl PartialEq for Path {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Largest number of history columns of an integrator that may step some particles before others.
pub const MOST_HISTORY: usize = 2;

/// Memory of an integrator. The history columns persist from step to step and belong to snapshots.
/// The scratch columns have no meaning between steps. All columns are allocated in the first step
/// and reused, so later steps do not allocate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workspace {
    /// Number of steps that the history covers. At 0 a multistep integrator starts without history.
    pub age: u32,
    /// Length of the previous step in seconds; 0 before the first step.
    pub last_dt: f64,
    /// Length in seconds of the next step that an embedded Runge–Kutta pair proposes; 0 if none is
    /// proposed.
    pub proposed_dt: f64,
    /// Report of the last step.
    pub solve: SolveReport,
    /// States within the last step. They have no meaning between steps.
    pub path: Path,
    history: Vec<Vec<DVec3>>,
    scratch: Vec<Vec<DVec3>>,
    /// Matrix of the linear solves of implicit integrators. It has no meaning between steps.
    blocks: BlockMatrix,
    /// Buffer for the state at the start of an inner step. It has no meaning between steps.
    inner: State,
}

impl Workspace {
    /// Invalidates the history after a discontinuity, such as a moved particle, an edited velocity
    /// or a change of the integrator.
    pub fn restart(&mut self) {
        self.age = 0;
        self.last_dt = 0.0;
        self.proposed_dt = 0.0;
        self.solve = SolveReport::default();
    }

    /// Records that the history covers one more step, of length `dt` in seconds.
    pub fn remember_step(&mut self, dt: f64) {
        self.age = self.age.saturating_add(1);
        self.last_dt = dt;
    }

    /// Yields the history columns.
    pub fn memory(&self) -> impl Iterator<Item = &[DVec3]> {
        self.history.iter().map(Vec::as_slice)
    }

    /// Yields the history columns, mutably.
    pub fn memory_mut(&mut self) -> impl Iterator<Item = &mut [DVec3]> {
        self.history.iter_mut().map(Vec::as_mut_slice)
    }

    /// Returns the first `columns` of the history, each limited to the first `n` particles. The
    /// other slices are empty.
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

    /// Returns the entry of a particle in a history column.
    pub fn history_entry(&mut self, column: usize, particle: ParticleIndex) -> &mut DVec3 {
        let ParticleIndex { index, count } = particle;
        self.history.resize_with(self.history.len().max(column + 1), Vec::new);
        let column = &mut self.history[column];
        column.resize(column.len().max(count), DVec3::ZERO);
        &mut column[index]
    }

    /// Inserts a history of zeros for a new particle at index `i`.
    pub fn insert(&mut self, i: usize) {
        for column in &mut self.history {
            column.insert(i.min(column.len()), DVec3::ZERO);
        }
    }

    /// Loads the memory that belongs to some particles: the step data of `whole`, and the given
    /// parts of its history columns.
    pub fn load_part<'a>(
        &mut self,
        whole: &Self,
        columns: impl ExactSizeIterator<Item = &'a [DVec3]>,
    ) {
        self.copy_step_data(whole);
        self.history.resize_with(columns.len(), Vec::new);
        for (own, column) in self.history.iter_mut().zip(columns) {
            own.clear();
            own.extend_from_slice(column);
        }
    }

    /// Copies the history columns of some particles to `columns`, which are parts of another
    /// memory's columns.
    pub fn store_part<'a>(&self, columns: impl Iterator<Item = &'a mut [DVec3]>) {
        for (own, column) in self.history.iter().zip(columns) {
            column.copy_from_slice(own);
        }
    }

    /// Copies everything from `other` that persists between steps: step data and history.
    pub fn copy_memory(&mut self, other: &Self) {
        self.copy_step_data(other);
        self.history.clone_from(&other.history);
    }

    /// Returns the total number of vectors in the history columns.
    pub fn history_len(&self) -> usize {
        self.history.iter().map(Vec::len).sum()
    }

    /// Copies the step data (age, step sizes and report) from another memory.
    pub fn copy_step_data(&mut self, part: &Self) {
        let Self { age, last_dt, proposed_dt, solve, .. } = part;
        (self.age, self.last_dt) = (*age, *last_dt);
        (self.proposed_dt, self.solve) = (*proposed_dt, *solve);
    }

    /// Returns `N` scratch columns of `n` vectors each, with unspecified content.
    pub fn scratch<const N: usize>(&mut self, n: usize) -> &mut [Vec<DVec3>; N] {
        self.columns::<0, N>(n).1
    }

    /// Moves out the buffer for the state of `n` particles at the start of an inner step. The
    /// content is unspecified. [`Self::give_back_inner_state`] must follow, or the next step
    /// allocates a new buffer.
    pub fn take_inner_state(&mut self, n: usize) -> State {
        let mut inner = std::mem::take(&mut self.inner);
        inner.resize(n);
        inner
    }

    /// Returns the buffer of [`Self::take_inner_state`].
    pub fn give_back_inner_state(&mut self, inner: State) {
        self.inner = inner;
    }

    /// Returns `H` history columns, which persist from step to step, and `S` scratch columns, which
    /// do not. Each column has `n` vectors.
    pub fn columns<const H: usize, const S: usize>(
        &mut self,
        n: usize,
    ) -> (&mut [Vec<DVec3>; H], &mut [Vec<DVec3>; S]) {
        let (history, scratch, _) = self.columns_and_blocks(n);
        (history, scratch)
    }

    /// Returns the columns of [`Self::columns`], and a matrix for linear solves.
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
