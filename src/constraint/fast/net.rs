//! Nets of any shape, colour by colour: registers are filled from wherever the ends lie.

use super::super::body::Body;
use super::super::{Link, Links};
use super::rule::{Rule, part, pulled, size};
use super::{Compliances, Formula, Job};
use crate::simd::{Isa, Kernel, Line, Vector, lines, numbers_mut, vectors_mut};
use glam::{DVec3, dvec3};
use itertools::Itertools;
use std::collections::VecDeque;

/// A net in the order in which its coloured sweep meets it.
///
/// Links of one colour share no particle: so many of them as a register has lanes are read, moved
/// and written back together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Net {
    isa: Isa,
    one_sided: bool,
    /// Particles, neighbours close together.
    order: Vec<u32>,
    /// x, y, z and w of each particle in that order, then one that padding links join to itself.
    rows: Vec<[f64; 4]>,
    /// Ends of the links as places in `rows`, colours one after the other, each padded to whole
    /// registers.
    a: Vec<u32>,
    b: Vec<u32>,
    /// Rest lengths as in [`Rule`], in the same order.
    rest: Vec<Line>,
    compliances: Compliances,
    /// XPBD with damping: positions at the start of the step, like `rows`.
    start: Vec<[f64; 4]>,
}

impl Net {
    /// A link from a particle to itself cannot be done in lanes.
    pub fn can_take(body: &Body, links: &Links) -> bool {
        body.links.iter().all(|&i| links.at(i as usize).a != links.at(i as usize).b)
    }

    pub fn new(body: &Body, colours: &[Vec<u32>], links: &Links, isa: Isa) -> Self {
        let order = neighbours_first(body, links);
        let mut place = vec![0; body.particles.len()];
        for (at, particle) in order.iter().enumerate() {
            place[(particle - body.particles.start) as usize] = at as u32;
        }
        let at = |particle: u32| place[(particle - body.particles.start) as usize];
        let padding = order.len() as u32;
        let (mut a, mut b, mut rests) = (Vec::new(), Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(body.links.len());
        for colour in colours {
            let inside = |&&i: &&u32| body.particles.contains(&links.at(i as usize).a);
            let ends = |i: &u32| [at(links.at(*i as usize).a), at(links.at(*i as usize).b)];
            for i in colour.iter().filter(inside).sorted_by_key(|&i| ends(i)) {
                let link = links.at(*i as usize);
                places.push((*i, a.len() as u32));
                a.push(at(link.a));
                b.push(at(link.b));
                rests.push(if link.one_sided { -link.rest } else { link.rest });
            }
            let whole = a.len().next_multiple_of(isa.lanes());
            a.resize(whole, padding);
            b.resize(whole, padding);
            rests.resize(whole, f64::NAN);
        }
        let mut rest = lines(rests.len(), f64::NAN);
        numbers_mut(&mut rest)[..rests.len()].copy_from_slice(&rests);
        Self {
            isa,
            one_sided: body.links.iter().any(|&i| links.at(i as usize).one_sided),
            rows: vec![[0.0; 4]; order.len() + 1],
            order,
            a,
            b,
            rest,
            compliances: Compliances { places, lines: Vec::new() },
            start: Vec::new(),
        }
    }

    /// Coloured sweeps over the net's links.
    pub fn sweep(&mut self, job: &mut Job, x: &mut [DVec3], from: &[DVec3]) {
        let Self { isa, order, rows, a, b, rest, compliances, start, .. } = self;
        let Job { iterations, w, links, .. } = *job;
        read(order, w, x, rows);
        let formula = job.formula.one_sided(self.one_sided);
        let sweep = |rows, links, start| {
            isa.run(Sweep { iterations, formula, rows, a, b, links, start });
        };
        if let Formula::Compliant { damped, .. } = formula {
            if damped {
                start.resize(rows.len(), [0.0; 4]);
                read(order, w, from, start);
            }
            compliances.fetch(isa.lanes(), a.len(), links, job.multipliers);
            sweep(rows, &mut compliances.lines, start);
            compliances.give_back(isa.lanes(), job.multipliers);
        } else {
            sweep(rows, rest, &[]);
        }
        for (row, &i) in rows.iter().zip(&*order) {
            x[i as usize] = dvec3(row[0], row[1], row[2]);
        }
    }
}

fn read(order: &[u32], w: &[f64], x: &[DVec3], rows: &mut [[f64; 4]]) {
    for (row, &i) in rows.iter_mut().zip(order) {
        let x = x[i as usize];
        // + 0 clears the sign of −0: see `Loose::clear_signs_of_zeros`.
        *row = [x.x + 0.0, x.y + 0.0, x.z + 0.0, w[i as usize]];
    }
}

/// Particles in the order of a breadth-first walk, so that a link's ends lie close together.
fn neighbours_first(body: &Body, links: &Links) -> Vec<u32> {
    let first = body.particles.start;
    let mut neighbours = vec![Vec::new(); body.particles.len()];
    for &i in &body.links {
        let Link { a, b, .. } = links.at(i as usize);
        neighbours[(a - first) as usize].push(b);
        neighbours[(b - first) as usize].push(a);
    }
    let mut order = Vec::with_capacity(neighbours.len());
    let mut seen = vec![false; neighbours.len()];
    let mut queue = VecDeque::new();
    for root in body.particles.clone() {
        queue.push_back(root);
        while let Some(particle) = queue.pop_front() {
            if !std::mem::replace(&mut seen[(particle - first) as usize], true) {
                order.push(particle);
                queue.extend(&neighbours[(particle - first) as usize]);
            }
        }
    }
    order
}

/// Some sweeps over a net.
struct Sweep<'a> {
    iterations: usize,
    formula: Formula,
    rows: &'a mut [[f64; 4]],
    a: &'a [u32],
    b: &'a [u32],
    links: &'a mut [Line],
    start: &'a [[f64; 4]],
}

impl Kernel for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { iterations, formula, rows, a, b, links, start } = self;
        macro_rules! walk {
            ($rule:expr) => {
                for _ in 0..iterations {
                    walk($rule, rows, a, b, vectors_mut::<V>(links).as_chunks_mut().0, start);
                }
            };
        }
        formula_rules!(formula, walk)
    }
}

#[inline(always)]
fn walk<V: Vector, R: Rule<V, K>, const K: usize>(
    rule: R,
    rows: &mut [[f64; 4]],
    a: &[u32],
    b: &[u32],
    links: &mut [[V; K]],
    start: &[[f64; 4]],
) {
    let ends = a.chunks_exact(V::LANES).zip(b.chunks_exact(V::LANES));
    for ((at_a, at_b), link) in ends.zip(links) {
        let (a, b) = (V::gather(rows, at_a), V::gather(rows, at_b));
        let size = size(rule, &a, &b);
        let s = part(
            rule,
            link,
            size,
            [&a, &b],
            #[inline(always)]
            || [V::gather(start, at_a), V::gather(start, at_b)],
        );
        let [a, b] = pulled(&a, &b, s);
        V::scatter(a, rows, at_a);
        V::scatter(b, rows, at_b);
    }
}
