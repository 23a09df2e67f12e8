//! Links as damped springs.

use super::spring_grid::SpringGrid;
use super::spring_rows::{EPILOGUE_PARTICLES, Epilogue};
use crate::force::{ForceLaw, Kinematics};
use crate::mesh::component::{Component, LinkPattern};
use crate::mesh::link_sums::{elastic_energy, sum_over_links};
use crate::mesh::{Link, LinkKind, Links};
use crate::numerics::block_matrix::axial_block;
use crate::numerics::columns::axpy;
use crate::numerics::simd::Isa;
use glam::{DMat3, DVec3};
use std::borrow::Borrow;
use std::ops::Range;

/// Number of particles from which a chain is computed in vectors: 16 particles take 113 instead of
/// 161 ns with AVX-512, and as long as the plain loop with SSE2.
const SHORTEST_CHAIN: usize = 16;

/// Links without a constraint solver, as damped springs:
///
/// ```text
/// f_a = (k (l − L) + c (v_b − v_a)·n) n,   f_b = −f_a,   n = (x_b − x_a)/l
/// ```
///
/// A one-sided spring has no force while l < L. A spring of length zero has no force either. The
/// law acts on its links' ends, whatever the targets. It has one column per quantity, with one
/// entry per spring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    a: Vec<u32>,
    b: Vec<u32>,
    rest: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    one_sided: Vec<bool>,
    grids: Vec<SpringGrid>,
    /// Springs that are in no grid, in their order.
    single: Vec<u32>,
}

/// Spring under load: terms that force and derivative share.
struct LoadedSpring {
    a: usize,
    b: usize,
    /// Rest length in metres.
    rest: f64,
    stiffness: f64,
    damping: f64,
    /// Length in metres.
    l: f64,
    /// Unit vector from a to b.
    n: DVec3,
}

impl Springs {
    /// Creates springs from links, in their order.
    pub fn new(links: impl IntoIterator<Item = impl Borrow<Link>>) -> Self {
        Self::on(Isa::best(), links)
    }

    /// Creates springs whose grids use a given instruction set. With [`Isa::Scalar`] the plain loop
    /// computes all springs. The forces are the same to the last bit.
    pub fn on(isa: Isa, links: impl IntoIterator<Item = impl Borrow<Link>>) -> Self {
        let links: Links = links.into_iter().map(|link| *link.borrow()).collect();
        let mut springs = Self::default();
        for link in links.iter() {
            let Link { a, b, rest, stiffness, damping, kind: _, one_sided, rigid: _ } = link;
            springs.a.push(a);
            springs.b.push(b);
            springs.rest.push(rest);
            springs.stiffness.push(stiffness);
            springs.damping.push(damping);
            springs.one_sided.push(one_sided);
        }
        let particles = links.iter().map(|link| link.a.max(link.b) + 1).max().unwrap_or(0);
        for component in Component::all(&links, particles as usize) {
            let columns = match component.pattern {
                LinkPattern::Grid { columns } | LinkPattern::Plate { columns } => Some(columns),
                LinkPattern::Chain if component.particles.len() >= SHORTEST_CHAIN => {
                    Some(component.particles.len() as u32)
                }
                _ => None,
            };
            let grid = columns
                .filter(|_| isa != Isa::Scalar)
                .and_then(|columns| SpringGrid::new(&component, columns, &links, isa));
            match grid {
                Some(grid) => springs.grids.push(grid),
                None => springs.single.extend(&component.links),
            }
        }
        springs
    }

    /// Cuts a spring, in place.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    pub fn cut(&mut self, i: usize) {
        let link = self.link(i);
        let particle = link.a as usize;
        if let Some(grid) = self.grids.iter_mut().find(|g| g.particles().contains(&particle)) {
            grid.cut(&link);
        }
        self.rest[i] = f64::NAN;
    }

    /// Number of springs, including cut springs.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// True without springs.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// Returns a spring as a link. Its `kind` and `rigid` have no meaning.
    #[inline(always)]
    fn link(&self, i: usize) -> Link {
        Link {
            a: self.a[i],
            b: self.b[i],
            rest: self.rest[i],
            stiffness: self.stiffness[i],
            damping: self.damping[i],
            kind: LinkKind::Structural,
            one_sided: self.one_sided[i],
            rigid: false,
        }
    }

    /// Returns a spring under load. `None` for a spring that is cut, slack or without direction.
    #[inline]
    fn load(&self, i: usize, x: &[DVec3]) -> Option<LoadedSpring> {
        let (a, b, rest) = (self.a[i] as usize, self.b[i] as usize, self.rest[i]);
        let d = x[b] - x[a];
        let l = d.length();
        let reciprocal = 1.0 / l;
        let n = (reciprocal.is_finite() && reciprocal > 0.0).then(|| d * reciprocal)?;
        let slack = self.one_sided[i] && l < rest;
        let (stiffness, damping) = (self.stiffness[i], self.damping[i]);
        (!slack && !rest.is_nan()).then_some(LoadedSpring { a, b, rest, stiffness, damping, l, n })
    }

    /// Returns the springs that act and are in no grid, in their order.
    fn loaded_singles<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = LoadedSpring> + 'a {
        self.single.iter().filter_map(|&i| self.load(i as usize, x))
    }

    /// Writes the springs' forces in newtons to `f`: the result of [`ForceLaw::add`] on zeros, in
    /// half the passes over memory. `epilogue` gets the force of every particle once and may
    /// transform it, some particles at a time, while the forces are in the first-level cache.
    pub fn write(&self, at: &Kinematics, f: &mut [DVec3], epilogue: &Epilogue) {
        let write = |grid: &SpringGrid, f: &mut [DVec3], epilogue: &Epilogue| {
            grid.write(at.x, at.v, f, epilogue);
        };
        self.sum_up(f, epilogue, write, |f| {
            for LoadedSpring { a, b, rest, stiffness, damping, l, n } in self.loaded_singles(at.x) {
                let pull = (stiffness * (l - rest) + damping * (at.v[b] - at.v[a]).dot(n)) * n;
                f[a] += pull;
                f[b] -= pull;
            }
        });
    }

    /// Writes the directional derivatives of the forces of [`Self::write`]:
    ///
    /// df_a = k (n nᵀ + max(1 − L/l, 0) (1 − n nᵀ)) (dx_b − dx_a) + c n nᵀ (dv_b − dv_a).
    ///
    /// Two departures from the true derivative keep the matrix symmetric and definite for conjugate
    /// gradients (Choi and Ko 2002, "Stable but responsive cloth"). 1 − L/l is clamped at 0,
    /// because a compressed spring pushes sideways and would make the matrix indefinite. The
    /// damping force's derivative by position, which is not symmetric, is left out.
    pub fn write_jvp(
        &self,
        at: &Kinematics,
        dx: &[DVec3],
        dv: &[DVec3],
        df: &mut [DVec3],
        epilogue: &Epilogue,
    ) {
        let write = |grid: &SpringGrid, df: &mut [DVec3], epilogue: &Epilogue| {
            grid.write_jvp(at.x, dx, dv, df, epilogue);
        };
        self.sum_up(df, epilogue, write, |df| {
            for LoadedSpring { a, b, rest, stiffness, damping, l, n } in self.loaded_singles(at.x) {
                let (dx, dv) = (dx[b] - dx[a], dv[b] - dv[a]);
                let along = n * n.dot(dx);
                let across = (1.0 - rest / l).max(0.0) * (dx - along);
                let pull = stiffness * (along + across) + damping * n.dot(dv) * n;
                df[a] += pull;
                df[b] -= pull;
            }
        });
    }

    /// Returns both ends of all springs in their order, including cut springs.
    pub fn ends(&self) -> impl Iterator<Item = [u32; 2]> {
        self.a.iter().zip(&self.b).map(|(a, b)| [*a, *b])
    }

    /// Calls `add` with the block of [`Self::write_jvp`] of each spring that acts, in their order:
    /// with the spring's number, its ends, and cx k (n nᵀ + max(1 − L/l, 0) (1 − n nᵀ)) + cv c n
    /// nᵀ.
    #[inline]
    pub fn for_each_block(
        &self,
        x: &[DVec3],
        [cx, cv]: [f64; 2],
        mut add: impl FnMut(usize, [usize; 2], &DMat3),
    ) {
        for i in 0..self.len() {
            let Some(spring) = self.load(i, x) else { continue };
            let LoadedSpring { a, b, rest, stiffness, damping, l, n } = spring;
            let across = cx * stiffness * (1.0 - rest / l).max(0.0);
            let along = cx * stiffness + cv * damping - across;
            add(i, [a, b], &axial_block(n, along, across));
        }
    }

    /// Lets the grids write the sums of their particles, writes zeros for the other particles, and
    /// adds the loose springs.
    fn sum_up(
        &self,
        f: &mut [DVec3],
        epilogue: &Epilogue,
        write: impl Fn(&SpringGrid, &mut [DVec3], &Epilogue),
        add_singles: impl FnOnce(&mut [DVec3]),
    ) {
        let (is_whole, all) = (self.single.is_empty(), 0..f.len());
        let nothing: &Epilogue = &|_, _| ();
        let epilogue_now = if is_whole { epilogue } else { nothing };
        let mut first = 0;
        for grid in &self.grids {
            let Range { start, end } = grid.particles();
            write_zeros(f, first..start, epilogue_now);
            write(grid, f, epilogue_now);
            first = end;
        }
        write_zeros(f, first..all.end, epilogue_now);
        if !is_whole {
            // A loose spring may pull at any particle.
            add_singles(f);
            call_epilogue(f, all, epilogue);
        }
    }
}

/// Writes zeros for particles that are in no grid, and calls the epilogue.
fn write_zeros(f: &mut [DVec3], particles: Range<usize>, epilogue: &Epilogue) {
    if !particles.is_empty() {
        f[particles.clone()].fill(DVec3::ZERO);
        call_epilogue(f, particles, epilogue);
    }
}

fn call_epilogue(f: &mut [DVec3], particles: Range<usize>, epilogue: &Epilogue) {
    for first in particles.clone().step_by(EPILOGUE_PARTICLES) {
        let part = first..particles.end.min(first + EPILOGUE_PARTICLES);
        epilogue(part.clone(), &mut f[part]);
    }
}

impl ForceLaw for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }

    fn title(&self) -> &'static str {
        "damped springs: the links without a constraint solver"
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        let mut own = vec![DVec3::ZERO; f.len()];
        self.write(at, &mut own, &|_, _| ());
        axpy(1.0, &own, f);
    }

    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        let mut own = vec![DVec3::ZERO; df.len()];
        self.write_jvp(at, dx, dv, &mut own, &|_, _| ());
        axpy(1.0, &own, df);
    }

    /// Returns Σ ½k (l − L)², also of springs of length zero.
    fn potential(&self, at: &Kinematics) -> Option<f64> {
        let links = (0..self.len()).map(|i| self.link(i));
        Some(sum_over_links(links, at.x, elastic_energy).sum)
    }
}
