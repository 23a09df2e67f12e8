//! Kernel for arbitrary nets, swept in classes of links that share no particle. The ends of the
//! links are gathered into SIMD vectors.

use super::compliances::Compliances;
use super::fast_path::FastPath;
use super::formula::{Formula, SweepJob, formula_rules};
use super::rule::{Block, Rule, length_measure, pull_ends, pull_factor};
use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::mesh::component::Component;
use crate::mesh::levels::divide_into_levels;
use crate::mesh::{Link, Links};
use crate::numerics::simd::{
    CacheLine, Isa, Kernel, Vector, Width, allocate_lines, numbers, numbers_mut, vectors_mut,
};
use glam::{DVec3, dvec3};
use itertools::Itertools;
use std::collections::VecDeque;
use std::ops::Range;

/// Smallest average number of links per level at which this kernel is faster than the plain loop.
const LEAST_LINKS_PER_LEVEL: usize = 2;

/// Net whose particles and links are stored in the order of a sweep.
///
/// Its links are divided into classes: the colours of a coloured sweep, or the dependency levels of
/// an ordered sweep. Links of one class share no particle. They are loaded, corrected and stored
/// together, one link per vector element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Net {
    isa: Isa,
    particles: Range<usize>,
    one_sided: bool,
    /// Particle indices, sorted so that the particles of a class are close together in memory.
    order: Vec<u32>,
    /// Rows of x, y, z and w, one per particle in the order of `order`. One more row stands for the
    /// ends of padding links. Rows are aligned so that none crosses a cache line, which saves 3 to
    /// 7 % of a sweep.
    rows: Vec<CacheLine>,
    /// First ends of the links as indices in `rows`, class by class. Each class is padded to whole
    /// vectors.
    a: Vec<u32>,
    /// Second ends of the links, in the order of `a`.
    b: Vec<u32>,
    /// Index in `a` and `b` after the last link of each class.
    ends: Vec<usize>,
    /// True if every second sweep goes through the classes in reverse.
    back_and_forth: bool,
    /// Rest lengths in the encoding of [`Rule`], in the order of `a`.
    rest: Vec<CacheLine>,
    /// Indices of the links in the list of links, in ascending order, each with its index in `a`,
    /// `b` and `rest`.
    places: Vec<(u32, u32)>,
    compliances: Compliances,
    /// Positions at the start of the step, in the order of `rows`, for XPBD with damping.
    start: Vec<CacheLine>,
}

impl Net {
    /// True if no link joins a particle to itself. The kernel does not support links that do.
    pub fn can_sweep(component: &Component, links: &Links) -> bool {
        component.links.iter().all(|&i| links.at(i as usize).a != links.at(i as usize).b)
    }

    /// Creates a net that is swept colour by colour. Links of other components are ignored.
    pub fn coloured(
        component: &Component,
        colours: &[Vec<u32>],
        links: &Links,
        width: Width,
    ) -> Self {
        Self::new(component, colours, breadth_first_order(component, links), links, width)
    }

    /// Creates a net that is swept in the order of the list. `None` if there are too few links per
    /// level.
    pub fn in_list_order(component: &Component, links: &Links, width: Width) -> Option<Self> {
        let levels = divide_into_levels(component, links);
        let is_worth_it = component.links.len() >= LEAST_LINKS_PER_LEVEL * levels.len();
        is_worth_it.then(|| {
            Self::new(
                component,
                &levels,
                order_of_first_use(component, &levels, links),
                links,
                width,
            )
        })
    }

    fn new(
        component: &Component,
        classes: &[Vec<u32>],
        order: Vec<u32>,
        links: &Links,
        width: Width,
    ) -> Self {
        let isa = fitting_isa(component.links.len(), classes.len(), width);
        let mut place = vec![0; component.particles.len()];
        for (at, particle) in order.iter().enumerate() {
            place[(particle - component.particles.start) as usize] = at as u32;
        }
        let at = |particle: u32| place[(particle - component.particles.start) as usize];
        let padding = order.len() as u32;
        let (mut a, mut b, mut rests, mut class_ends) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(component.links.len());
        for class in classes {
            let inside = |&&i: &&u32| component.particles.contains(&links.at(i as usize).a);
            let ends = |i: &u32| [at(links.at(*i as usize).a), at(links.at(*i as usize).b)];
            let reading = |&i: &&u32| {
                let [a, b] = ends(i);
                (a.min(b), a.max(b))
            };
            for i in class.iter().filter(inside).sorted_by_key(reading) {
                let link = links.at(*i as usize);
                places.push((*i, a.len() as u32));
                a.push(at(link.a));
                b.push(at(link.b));
                rests.push(if link.one_sided { -link.rest } else { link.rest });
            }
            let whole = a.len().next_multiple_of(isa.elements());
            a.resize(whole, padding);
            b.resize(whole, padding);
            rests.resize(whole, f64::NAN);
            class_ends.push(whole);
        }
        places.sort_unstable();
        let mut rest = allocate_lines(rests.len(), f64::NAN);
        numbers_mut(&mut rest)[..rests.len()].copy_from_slice(&rests);
        Self {
            isa,
            particles: component.particles.start as usize..component.particles.end as usize,
            one_sided: component.links.iter().any(|&i| links.at(i as usize).one_sided),
            rows: allocate_lines(4 * (order.len() + 1), 0.0),
            order,
            a,
            b,
            ends: class_ends,
            back_and_forth: false,
            rest,
            places,
            compliances: Compliances::default(),
            start: Vec::new(),
        }
    }

    pub fn back_and_forth(self) -> Self {
        Self { back_and_forth: true, ..self }
    }

    pub fn sweep(&mut self, job: SweepJob, x: &mut [DVec3], from: &[DVec3]) {
        let Self { isa, order, rows, a, b, ends, rest, compliances, start, .. } = self;
        let back_and_forth = self.back_and_forth;
        let SweepJob { iterations, w, .. } = job;
        let formula = job.formula.one_sided(self.one_sided);
        if let Formula::Compliant { damped: true, .. } = formula {
            if start.is_empty() {
                *start = allocate_lines(numbers(rows).len(), 0.0);
            }
            pack_rows(order, w, from, start);
        }
        pack_rows(order, w, x, rows);
        let links = match formula {
            Formula::Compliant { .. } => &mut compliances.lines,
            _ => rest,
        };
        let (rows, start) = (numbers_mut(rows).as_chunks_mut().0, numbers(start).as_chunks().0);
        macro_rules! run {
            ($rule:expr) => {
                isa.run(NetSweep {
                    rule: $rule,
                    iterations,
                    back_and_forth,
                    rows: &mut *rows,
                    a,
                    b,
                    ends,
                    links,
                    start,
                })
            };
        }
        formula_rules!(formula, run);
        for (row, &i) in rows.iter().zip(&*order) {
            x[i as usize] = dvec3(row[0], row[1], row[2]);
        }
    }

    /// Returns the index in `a` and `b` of link `number` of the list.
    fn place(&self, number: usize) -> Option<usize> {
        // Most nets contain a consecutive range of the list of links. Then the entry of the link
        // has the index `number` − `first`; otherwise a binary search finds it.
        let first = self.places.first()?.0 as usize;
        let guess = self.places.get(number.wrapping_sub(first));
        let found = guess.filter(|(link, _)| *link as usize == number).or_else(|| {
            let at = self.places.binary_search_by_key(&number, |(link, _)| *link as usize).ok()?;
            self.places.get(at)
        });
        found.map(|(_, place)| *place as usize)
    }
}

impl FastPath for Net {
    fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    fn cut(&mut self, number: usize, _: &Link) {
        if let Some(place) = self.place(number) {
            self.compliances.cut(place);
            numbers_mut(&mut self.rest)[place] = f64::NAN;
        }
    }

    fn tune(&mut self, links: &Links, tuning: Tuning) {
        let Self { isa, compliances, places, a, .. } = self;
        compliances.allocate(isa.elements(), a.len());
        for (link, place) in places {
            compliances.put(*place as usize, &links.at(*link as usize), tuning);
        }
    }

    fn multiplier(&self, number: usize, _: &Link) -> Option<Multiplier> {
        self.compliances.multiplier(self.place(number)?)
    }
}

/// Returns the instruction set for this number of links: the widest one for which an average class
/// fills two vectors, or the narrowest if there is none. Partly filled vectors waste time waiting
/// for roots and quotients.
fn fitting_isa(links: usize, classes: usize, width: Width) -> Isa {
    let fills = |isa: &Isa| links >= 2 * isa.elements() * classes;
    width.all().find(fills).or(width.all().last()).unwrap_or(width.widest())
}

fn pack_rows(order: &[u32], w: &[f64], x: &[DVec3], rows: &mut [CacheLine]) {
    for (row, &i) in numbers_mut(rows).as_chunks_mut().0.iter_mut().zip(order) {
        let x = x[i as usize];
        // + 0 clears the sign of −0, see `ScalarFallback::clear_signs_of_zeros`.
        *row = [x.x + 0.0, x.y + 0.0, x.z + 0.0, w[i as usize]];
    }
}

/// Returns the particles in the order of their first use by the classes, followed by those without
/// links.
fn order_of_first_use(component: &Component, classes: &[Vec<u32>], links: &Links) -> Vec<u32> {
    let ends = classes.iter().flatten().flat_map(|&i| {
        let Link { a, b, .. } = links.at(i as usize);
        [a, b]
    });
    ends.chain(component.particles.clone()).unique().collect()
}

/// Returns the particles in breadth-first order, so that the ends of a link are close together in
/// memory.
///
/// A first search finds the particle that is reached last. A second search starts there, because
/// search fronts are shortest from an edge of the net (Cuthill and McKee 1969, "Reducing the
/// bandwidth of sparse symmetric matrices").
fn breadth_first_order(component: &Component, links: &Links) -> Vec<u32> {
    let first = component.particles.start;
    let mut neighbours = vec![Vec::new(); component.particles.len()];
    for &i in &component.links {
        let Link { a, b, .. } = links.at(i as usize);
        neighbours[(a - first) as usize].push(b);
        neighbours[(b - first) as usize].push(a);
    }
    let search = |roots: &mut dyn Iterator<Item = u32>| {
        let mut order = Vec::with_capacity(neighbours.len());
        let mut is_visited = vec![false; neighbours.len()];
        let mut queue = VecDeque::new();
        for root in roots {
            queue.push_back(root);
            while let Some(particle) = queue.pop_front() {
                if !std::mem::replace(&mut is_visited[(particle - first) as usize], true) {
                    order.push(particle);
                    queue.extend(&neighbours[(particle - first) as usize]);
                }
            }
        }
        order
    };
    let first_order = search(&mut component.particles.clone());
    search(&mut first_order.into_iter().rev())
}

struct NetSweep<'a, R, const K: usize> {
    rule: R,
    iterations: usize,
    back_and_forth: bool,
    rows: &'a mut [[f64; 4]],
    a: &'a [u32],
    b: &'a [u32],
    /// Index in `a` and `b` after the last link of each class.
    ends: &'a [usize],
    links: &'a mut [CacheLine],
    start: &'a [[f64; 4]],
}

impl<R: Rule<K>, const K: usize> Kernel for NetSweep<'_, R, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rule, iterations, back_and_forth, rows, a, b, ends, links, start } = self;
        let links: &mut [[V; K]] = vectors_mut(links).as_chunks_mut().0;
        reset_multipliers(links);
        for number in 0..iterations {
            for k in 0..ends.len() {
                let goes_back = back_and_forth && number % 2 == 1;
                let k = if goes_back { ends.len() - 1 - k } else { k };
                let (first, end) = (if k > 0 { ends[k - 1] } else { 0 }, ends[k]);
                let links = &mut links[first / V::ELEMENTS..end / V::ELEMENTS];
                let (a, b) = (&a[first..end], &b[first..end]);
                Class { rule, rows: &mut *rows, start, a, b, links }.sweep();
            }
        }
    }
}

/// Sets λ to 0 for rules with multipliers (K > 1).
#[inline(always)]
fn reset_multipliers<V: Vector, const K: usize>(links: &mut [[V; K]]) {
    if K > 1 {
        links.iter_mut().for_each(|link| link[K - 1] = V::splat(0.0));
    }
}

/// Ends of a vector of links, gathered from the rows of particles.
struct GatheredEnds<V: Vector> {
    a: Block<V>,
    b: Block<V>,
    size: V,
}

/// Links of one class (a colour or a dependency level), and the rows of particles that they move.
struct Class<'a, V: Vector, R, const K: usize> {
    rule: R,
    rows: &'a mut [[f64; 4]],
    start: &'a [[f64; 4]],
    a: &'a [u32],
    b: &'a [u32],
    links: &'a mut [[V; K]],
}

impl<V: Vector, R: Rule<K>, const K: usize> Class<'_, V, R, K> {
    /// Sweeps the class, with three vectors of links in progress as in the grid's pipeline. While
    /// one vector waits for its roots, the second computes quotients, and the third moves its ends.
    #[inline(always)]
    fn sweep(&mut self) {
        let count = self.links.len();
        if count == 0 {
            return;
        }
        let mut rooted = self.load(0);
        let mut divided = None;
        for k in 1..count {
            if let Some((load, s)) = divided {
                self.move_ends(k - 2, load, s);
            }
            let s = self.pull_factor(k - 1, &rooted);
            divided = Some((std::mem::replace(&mut rooted, self.load(k)), s));
        }
        if let Some((load, s)) = divided {
            self.move_ends(count - 2, load, s);
        }
        let s = self.pull_factor(count - 1, &rooted);
        self.move_ends(count - 1, rooted, s);
    }

    #[inline(always)]
    fn end_indices(&self, k: usize) -> [&[u32]; 2] {
        let elements = k * V::ELEMENTS..(k + 1) * V::ELEMENTS;
        [&self.a[elements.clone()], &self.b[elements]]
    }

    #[inline(always)]
    fn load(&self, k: usize) -> GatheredEnds<V> {
        let [a, b] = self.end_indices(k);
        let (a, b) = (V::gather(self.rows, a), V::gather(self.rows, b));
        GatheredEnds { size: length_measure(self.rule, &a, &b), a, b }
    }

    #[inline(always)]
    fn pull_factor(&mut self, k: usize, GatheredEnds { a, b, size }: &GatheredEnds<V>) -> V {
        let mut link = self.links[k];
        let s = pull_factor(
            self.rule,
            &mut link,
            *size,
            [a, b],
            #[inline(always)]
            || {
                let [a, b] = self.end_indices(k);
                [V::gather(self.start, a), V::gather(self.start, b)]
            },
        );
        self.links[k] = link;
        s
    }

    #[inline(always)]
    fn move_ends(&mut self, k: usize, load: GatheredEnds<V>, s: V) {
        let [a, b] = pull_ends(&load.a, &load.b, s);
        let elements = k * V::ELEMENTS..(k + 1) * V::ELEMENTS;
        V::scatter(a, self.rows, &self.a[elements.clone()]);
        V::scatter(b, self.rows, &self.b[elements]);
    }
}
