//! Chains, end to end: the lane is the sweep. docs/speed.md explains the wave with a picture.

use super::super::Link;
use super::super::body::Body;
use super::Formula;
use super::rule::{Block, Rule, part, pulled, size};
use crate::simd::{Isa, Kernel, Vector};
use glam::{DVec3, dvec3};
use std::ops::Range;

/// Vectors in flight: enough for a link's root and division to wait while others compute.
const MOST_VECTORS: usize = 5;

/// Sweeps in flight: five vectors of four lanes, or three of eight.
const MOST_SWEEPS: usize = 20;

/// A chain as lane i meets it at time t: link t − 2i.
///
/// Sweep i + 1 may be two links behind sweep i: what it needs next is the particle that sweep i
/// has just left behind. So all lanes take a step at once, and a particle moves from lane to lane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    isa: Isa,
    particles: Range<usize>,
    one_sided: bool,
    rest: Wave,
    w: Wave,
}

impl Chain {
    pub fn new(body: &Body, links: &[Link], isa: Isa) -> Self {
        let links = || body.links.iter().map(|&i| &links[i as usize]);
        let mut rest = Wave::new(links().len(), f64::NAN);
        rest.fill(links().map(|link| if link.one_sided { -link.rest } else { link.rest }));
        Self {
            isa,
            particles: body.particles.start as usize..body.particles.end as usize,
            one_sided: links().any(|link| link.one_sided),
            rest,
            w: Wave::new(links().len() + 1, 0.0),
        }
    }

    /// End-to-end sweeps over the chain's links.
    pub fn sweep(&mut self, iterations: usize, formula: Formula, w: &[f64], x: &mut [DVec3]) {
        let x = &mut x[self.particles.clone()];
        x.iter_mut().for_each(|x| *x += DVec3::ZERO);
        self.w.fill(w[self.particles.clone()].iter().copied());
        let most = MOST_SWEEPS.min(MOST_VECTORS * self.isa.lanes());
        let mut left = iterations;
        while left > 0 {
            let sweeps = left.min(most);
            let formula = formula.one_sided(self.one_sided);
            self.isa.run(Sweep { sweeps, formula, w: &self.w, rest: &self.rest, x });
            left -= sweeps;
        }
    }
}

/// A column of a chain, stored such that the entries t, t − 2, t − 4 … lie side by side: entries
/// with even and with odd index apart, both backwards, with room on both sides for lanes that
/// have not begun or have ended.
#[derive(Clone, Debug, PartialEq)]
struct Wave {
    halves: [Vec<f64>; 2],
    /// Where entries 0 and 1 lie.
    start: usize,
}

/// Lanes that may look beyond the ends.
const MOST_LANES: usize = MOST_VECTORS * 8;

impl Wave {
    /// A column of so many entries; `beyond` is what lanes find past its ends.
    fn new(entries: usize, beyond: f64) -> Self {
        let start = entries.div_ceil(2) + MOST_LANES;
        let half = vec![beyond; start + MOST_LANES];
        Self { halves: [half.clone(), half], start }
    }

    fn fill(&mut self, entries: impl Iterator<Item = f64>) {
        for (k, entry) in entries.enumerate() {
            self.halves[k % 2][self.start - k / 2] = entry;
        }
    }

    /// Entries t, t − 2, t − 4 …, as many as the caller has lanes.
    #[inline(always)]
    fn at(&self, t: usize) -> &[f64] {
        &self.halves[t % 2][self.start - t / 2..]
    }
}

/// Some sweeps at once over a chain.
struct Sweep<'a> {
    sweeps: usize,
    formula: Formula,
    w: &'a Wave,
    rest: &'a Wave,
    x: &'a mut [DVec3],
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { sweeps, formula, w, rest, x } = self;
        macro_rules! walk {
            ($rule:expr) => {
                match sweeps.div_ceil(V::LANES) {
                    1 => wave::<V, _, 1>($rule, sweeps, w, rest, x),
                    2 => wave::<V, _, 2>($rule, sweeps, w, rest, x),
                    3 => wave::<V, _, 3>($rule, sweeps, w, rest, x),
                    4 => wave::<V, _, 4>($rule, sweeps, w, rest, x),
                    _ => wave::<V, _, MOST_VECTORS>($rule, sweeps, w, rest, x),
                }
            };
        }
        formula_rules!(formula, walk)
    }
}

/// `sweeps` sweeps in G vectors.
#[inline(always)]
fn wave<V: Vector, R: Rule<V, 1>, const G: usize>(
    rule: R,
    sweeps: usize,
    w: &Wave,
    rest: &Wave,
    x: &mut [DVec3],
) {
    let links = x.len() - 1;
    let nothing = V::splat(0.0);
    let last = sweeps - 1;
    let (last_vector, last_lane) = (last / V::LANES, last % V::LANES);
    // The ends of the link that each lane has just finished.
    let mut left: [Block<V>; G] = [[nothing; 4]; G];
    let mut right: [Block<V>; G] = [[nothing; 4]; G];
    for (vector, right) in right.iter_mut().enumerate() {
        right[3] = V::load(&w.at(0)[vector * V::LANES..]);
    }
    let first = x[0].to_array();
    for (k, coordinate) in first.into_iter().enumerate() {
        right[0][k].as_mut_slice()[0] = coordinate;
    }
    for t in 0..links + 2 * last {
        // The particle that enters the first lane.
        let entering = x.get(t + 1).copied().unwrap_or(DVec3::ZERO);
        let mut before = [V::splat(entering.x), V::splat(entering.y), V::splat(entering.z)];
        let (w, rest) = (&w.at(t + 1)[..G * V::LANES], &rest.at(t)[..G * V::LANES]);
        for vector in 0..G {
            let a = right[vector];
            let [x, y, z, _] = left[vector];
            let b = [
                x.shift_up(before[0]),
                y.shift_up(before[1]),
                z.shift_up(before[2]),
                V::load(&w[vector * V::LANES..]),
            ];
            before = [x, y, z];
            let mut link = [V::load(&rest[vector * V::LANES..])];
            let size = size(rule, &a, &b);
            let s = part(rule, &mut link, size, [&a, &b], || unreachable!());
            [left[vector], right[vector]] = pulled(&a, &b, s);
        }
        // The particle that the last sweep leaves behind.
        if let Some(done) = t.checked_sub(2 * last) {
            x[done] = lane(&left[last_vector], last_lane);
            if done + 1 == links {
                x[links] = lane(&right[last_vector], last_lane);
            }
        }
    }
}

#[inline(always)]
fn lane<V: Vector>(block: &Block<V>, lane: usize) -> DVec3 {
    dvec3(block[0].as_slice()[lane], block[1].as_slice()[lane], block[2].as_slice()[lane])
}
