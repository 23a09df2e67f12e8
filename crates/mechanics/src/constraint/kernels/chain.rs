//! Kernel for chains swept end to end: each element of a SIMD vector runs its own sweep.
//! docs/speed.md explains the kernel with a figure.

use super::fast_path::FastPath;
use super::formula::{Formula, SweepJob, formula_rules};
use super::rule::{Block, Rule, length_measure, pull_ends, pull_factor};
use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::mesh::component::Component;
use crate::mesh::{Link, Links};
use crate::numerics::simd::{Isa, Kernel, Vector, Width};
use glam::{DVec3, dvec3};
use std::ops::Range;

/// Largest number of vectors that are computed at the same time. With five, the root and the
/// division of one vector overlap with the work of the others.
const MOST_VECTORS: usize = 5;

/// Largest number of simultaneous sweeps: 20 elements in five vectors of four, or in three vectors
/// of eight.
const MOST_SWEEPS: usize = 20;

/// Chain whose sweeps overlap in time: at time t, vector element i processes link t − 2i for sweep
/// i.
///
/// Sweep i + 1 follows two links behind sweep i, because it needs the particle that sweep i has
/// just finished. In each time step all elements advance by one link, and each element passes its
/// finished particles to the next element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChainKernel {
    width: Width,
    isa: Isa,
    particles: Range<usize>,
    one_sided: bool,
    /// Indices of the links in the list of links, in ascending order.
    links: Vec<u32>,
    rest: SkewedColumn,
    w: SkewedColumn,
    /// Time-scaled compliance α̃ of each link, for XPBD. This column and the next three are empty
    /// until the first XPBD projection.
    alpha: SkewedColumn,
    /// Damping coefficient γ of each link, for XPBD.
    gamma: SkewedColumn,
    /// Positions at the start of the step, for XPBD with damping.
    start: [SkewedColumn; 3],
    /// Multiplier λ of each link, for XPBD.
    lambda: Vec<f64>,
}

impl ChainKernel {
    pub fn new(component: &Component, links: &Links, width: Width) -> Self {
        let links = || component.links.iter().map(|&i| links.at(i as usize));
        let mut rest = SkewedColumn::new(links().len(), f64::NAN);
        rest.fill(links().map(|link| if link.one_sided { -link.rest } else { link.rest }));
        Self {
            width,
            isa: width.widest(),
            particles: component.particles.start as usize..component.particles.end as usize,
            one_sided: links().any(|link| link.one_sided),
            rest,
            w: SkewedColumn::new(links().len() + 1, 0.0),
            links: component.links.clone(),
            alpha: SkewedColumn::default(),
            gamma: SkewedColumn::default(),
            start: Default::default(),
            lambda: Vec::new(),
        }
    }

    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Returns the instruction set of the last sweeps; before the first sweep, the widest available
    /// one.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the fastest instruction set for this number of sweeps. Roots and quotients have a
    /// shorter latency in vectors of four elements than in vectors of eight. XPBD has more other
    /// operations per link. It is therefore faster with eight elements if the sweeps fill more than
    /// two vectors of four.
    fn fastest_isa(&self, formula: Formula, sweeps: usize) -> Isa {
        let narrower = self.width.narrower().filter(|narrower| match formula {
            Formula::Compliant { .. } => sweeps <= 2 * narrower.elements(),
            Formula::Exact { .. } | Formula::RootFree { .. } => true,
        });
        narrower.unwrap_or(self.width.widest())
    }

    pub fn sweep(&mut self, job: SweepJob, x: &mut [DVec3], from: &[DVec3]) {
        let of_chain = self.particles.clone();
        self.w.fill(job.w[of_chain.clone()].iter().copied());
        let formula = job.formula.one_sided(self.one_sided);
        if let Formula::Compliant { damped, .. } = formula {
            self.lambda.fill(0.0);
            for (k, start) in self.start.iter_mut().enumerate().filter(|_| damped) {
                start.fill(from[of_chain.clone()].iter().map(|x| x[k]));
            }
        }
        let x = &mut x[of_chain];
        // + 0 clears the sign of −0, see `ScalarFallback::clear_signs_of_zeros`.
        x.iter_mut().for_each(|x| *x += DVec3::ZERO);
        self.isa = self.fastest_isa(formula, job.iterations);
        let most = MOST_SWEEPS.min(MOST_VECTORS * self.isa.elements());
        let mut left = job.iterations;
        while left > 0 {
            let sweeps = left.min(most);
            let Self { w, rest, alpha, gamma, start, lambda, .. } = self;
            let columns = ChainColumns { w, rest, alpha, gamma, start, lambda };
            macro_rules! run {
                ($rule:expr) => {
                    self.isa.run(ChainSweep { rule: $rule, sweeps, columns, x: &mut *x })
                };
            }
            formula_rules!(formula, run);
            left -= sweeps;
        }
    }

    /// Returns the position of link `number` of the list in the chain. `None` if the link is not in
    /// the chain.
    fn place(&self, number: usize) -> Option<usize> {
        self.links.binary_search(&(number as u32)).ok()
    }
}

impl FastPath for ChainKernel {
    fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    fn cut(&mut self, number: usize, _: &Link) {
        let Some(place) = self.place(number) else { return };
        self.rest.put(place, f64::NAN);
        self.lambda.get_mut(place).into_iter().for_each(|lambda| *lambda = 0.0);
    }

    fn tune(&mut self, links: &Links, tuning: Tuning) {
        let Self { links: own, alpha, gamma, start, lambda, .. } = self;
        if lambda.is_empty() {
            *alpha = SkewedColumn::new(own.len(), 0.0);
            *gamma = SkewedColumn::new(own.len(), 0.0);
            *start = [(); 3].map(|()| SkewedColumn::new(own.len() + 1, 0.0));
            lambda.resize(own.len(), 0.0);
        }
        let multipliers = || own.iter().map(|&i| tuning.multiplier(&links.at(i as usize)));
        alpha.fill(multipliers().map(|m| m.alpha));
        gamma.fill(multipliers().map(|m| m.gamma));
    }

    fn multiplier(&self, number: usize, _: &Link) -> Option<Multiplier> {
        let place = self.place(number)?;
        let lambda = *self.lambda.get(place)?;
        let [alpha, gamma] = [&self.alpha, &self.gamma].map(|column| column.entries_from(place)[0]);
        Some(Multiplier { lambda, alpha, gamma })
    }
}

/// Column with one entry per link or particle of a chain. The entries t, t − 2, t − 4 … are
/// consecutive in memory, so one vector load reads them. To this end, entries of even and of odd
/// index are in separate halves, both in reverse order. Each half is padded at both ends, for
/// elements that have not begun or have ended their sweep.
#[derive(Clone, Debug, Default, PartialEq)]
struct SkewedColumn {
    halves: [Vec<f64>; 2],
    /// Index of entry 0 in the first half, and of entry 1 in the second half.
    start: usize,
}

/// Largest number of elements of all vectors together. Each element may read one entry beyond the
/// ends of a column.
const MOST_ELEMENTS: usize = MOST_VECTORS * 8;

impl SkewedColumn {
    /// Creates a column of this many entries. Vector elements that read before the first or after
    /// the last entry get `beyond`.
    fn new(entries: usize, beyond: f64) -> Self {
        let start = entries.div_ceil(2) + MOST_ELEMENTS;
        let half = vec![beyond; start + MOST_ELEMENTS];
        Self { halves: [half.clone(), half], start }
    }

    fn fill(&mut self, entries: impl Iterator<Item = f64>) {
        entries.enumerate().for_each(|(k, entry)| self.put(k, entry));
    }

    #[inline(always)]
    fn put(&mut self, k: usize, entry: f64) {
        self.halves[k % 2][self.start - k / 2] = entry;
    }

    /// Returns the entries t, t − 2, t − 4 … as a slice that is long enough to fill a vector.
    #[inline(always)]
    fn entries_from(&self, t: usize) -> &[f64] {
        &self.halves[t % 2][self.start - t / 2..]
    }
}

/// Columns that the kernel reads; it also writes λ.
struct ChainColumns<'a> {
    w: &'a SkewedColumn,
    rest: &'a SkewedColumn,
    alpha: &'a SkewedColumn,
    gamma: &'a SkewedColumn,
    start: &'a [SkewedColumn; 3],
    lambda: &'a mut [f64],
}

/// Kernel that runs some sweeps over a chain at the same time.
struct ChainSweep<'a, R, const K: usize> {
    rule: R,
    sweeps: usize,
    columns: ChainColumns<'a>,
    x: &'a mut [DVec3],
}

impl<R: Rule<K>, const K: usize> Kernel for ChainSweep<'_, R, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rule, sweeps, columns, x } = self;
        match sweeps.div_ceil(V::ELEMENTS) {
            1 => sweep_vectors::<V, _, _, 1>(rule, sweeps, columns, x),
            2 => sweep_vectors::<V, _, _, 2>(rule, sweeps, columns, x),
            3 => sweep_vectors::<V, _, _, 3>(rule, sweeps, columns, x),
            4 => sweep_vectors::<V, _, _, 4>(rule, sweeps, columns, x),
            _ => sweep_vectors::<V, _, _, MOST_VECTORS>(rule, sweeps, columns, x),
        }
    }
}

/// Runs all sweeps over a chain at the same time, one per element of G vectors.
#[inline(always)]
fn sweep_vectors<V: Vector, R: Rule<K>, const K: usize, const G: usize>(
    rule: R,
    sweeps: usize,
    columns: ChainColumns,
    x: &mut [DVec3],
) {
    let links = x.len() - 1;
    let nothing = V::splat(0.0);
    let last = sweeps - 1;
    let (last_vector, last_element) = (last / V::ELEMENTS, last % V::ELEMENTS);
    // Ends of the link that each element has just corrected.
    let mut left: [Block<V>; G] = [[nothing; 4]; G];
    let mut right: [Block<V>; G] = [[nothing; 4]; G];
    for (vector, right) in right.iter_mut().enumerate() {
        right[3] = V::load(&columns.w.entries_from(0)[vector * V::ELEMENTS..]);
    }
    let first = x[0].to_array();
    for (k, coordinate) in first.into_iter().enumerate() {
        right[0][k].as_mut_slice()[0] = coordinate;
    }
    // λ of the links that each element corrected at time t and at time t − 1.
    let mut lambda = [[nothing; G]; 2];
    for t in 0..links + 2 * last {
        // At each time step one particle, with the λ of its link, enters the first sweep.
        let entering = x.get(t + 1).copied().unwrap_or(DVec3::ZERO);
        let mut before = [V::splat(entering.x), V::splat(entering.y), V::splat(entering.z)];
        let mut lambda_before = nothing;
        if K > 1 {
            lambda_before = V::splat(columns.lambda.get(t).copied().unwrap_or(0.0));
        }
        let two_steps_ago = lambda[1];
        lambda[1] = lambda[0];
        for vector in 0..G {
            let element = vector * V::ELEMENTS;
            let a = right[vector];
            let [x, y, z, _] = left[vector];
            let b = [
                x.shift_up(before[0]),
                y.shift_up(before[1]),
                z.shift_up(before[2]),
                V::load(&columns.w.entries_from(t + 1)[element..]),
            ];
            before = [x, y, z];
            let mut link = [nothing; K];
            link[0] = V::load(&columns.rest.entries_from(t)[element..]);
            if K > 1 {
                link[1] = V::load(&columns.alpha.entries_from(t)[element..]);
                link[2] = V::load(&columns.gamma.entries_from(t)[element..]);
                link[3] = two_steps_ago[vector].shift_up(lambda_before);
                lambda_before = two_steps_ago[vector];
            }
            let size = length_measure(rule, &a, &b);
            let s = pull_factor(
                rule,
                &mut link,
                size,
                [&a, &b],
                #[inline(always)]
                || {
                    [
                        start_positions(columns.start, t, element),
                        start_positions(columns.start, t + 1, element),
                    ]
                },
            );
            [left[vector], right[vector]] = pull_ends(&a, &b, s);
            lambda[0][vector] = link[K - 1];
        }
        // Stores the particle that the last sweep has finished.
        if let Some(done) = t.checked_sub(2 * last) {
            x[done] = element_point(&left[last_vector], last_element);
            if done + 1 == links {
                x[links] = element_point(&right[last_vector], last_element);
            }
            if K > 1 {
                columns.lambda[done] = lambda[0][last_vector].as_slice()[last_element];
            }
        }
    }
}

/// Returns the positions at the start of the step of the elements' particles. The fourth vector,
/// for inverse masses, is 0.
#[inline(always)]
fn start_positions<V: Vector>([x, y, z]: &[SkewedColumn; 3], t: usize, element: usize) -> Block<V> {
    let [x, y, z] = [
        &x.entries_from(t)[element..],
        &y.entries_from(t)[element..],
        &z.entries_from(t)[element..],
    ];
    [V::load(x), V::load(y), V::load(z), V::splat(0.0)]
}

#[inline(always)]
fn element_point<V: Vector>(block: &Block<V>, element: usize) -> DVec3 {
    dvec3(block[0].as_slice()[element], block[1].as_slice()[element], block[2].as_slice()[element])
}
