//! Links as damped springs.

use super::spring_grid::SpringGrid;
use super::spring_rows::{EPILOGUE_PARTICLES, Epilogue};
use crate::force::law::{ForceLaw, Kinematics};
use crate::mesh::component::{Component, LinkPattern};
use crate::mesh::link_sums::{elastic_energy, sum_over_links};
use crate::mesh::{Link, LinkKind, Links};
use crate::numerics::block_matrix::axial_block;
use crate::numerics::columns::axpy;
use crate::numerics::simd::Isa;
use glam::{DMat3, DVec3};
use std::borrow::Borrow;
use std::ops::Range;

/// Number of particles from which a chain is computed in SIMD. At 16 particles AVX-512 takes 113
/// ns, the plain loop 161 ns, and SSE2 as long as the plain loop.
const SHORTEST_CHAIN: usize = 16;

/// Damped springs, for the links that no constraint solver handles:
///
/// ```text
/// f_a = (k (l − L) + c (v_b − v_a)·n) n,   f_b = −f_a,   n = (x_b − x_a)/l
/// ```
///
/// A one-sided spring exerts no force while l < L. A spring of length 0 has no direction and exerts
/// no force. The law acts on the ends of all springs, even on particles that are not targets. The
/// properties are stored as columns with one entry per spring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    a: Vec<u32>,
    b: Vec<u32>,
    rest: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    one_sided: Vec<bool>,
    grids: Vec<SpringGrid>,
    /// Indices of the springs that belong to no grid or chain, in ascending order. The plain loop
    /// computes them.
    single: Vec<u32>,
}

/// A spring that exerts a force, with the terms that the force and its derivative share.
struct LoadedSpring {
    a: usize,
    b: usize,
    rest: f64,
    stiffness: f64,
    damping: f64,
    l: f64,
    /// Unit vector from a to b.
    n: DVec3,
}

impl Springs {
    /// Creates one spring per link, in the same order.
    pub fn new(links: impl IntoIterator<Item = impl Borrow<Link>>) -> Self {
        Self::with_isa(Isa::best(), links)
    }

    /// Creates springs whose grids use the given instruction set. With [`Isa::Scalar`] the plain
    /// loop computes all springs. Every instruction set gives the same bits.
    pub fn with_isa(isa: Isa, links: impl IntoIterator<Item = impl Borrow<Link>>) -> Self {
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

    /// Cuts spring `i`. The spring stays in the list but exerts no force.
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

    /// Returns the number of springs, including cut springs.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// True if there are no springs.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// Returns spring `i` as a link. The link's `kind` and `rigid` are meaningless.
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

    /// Returns spring `i` at the positions `x`. `None` if the spring exerts no force, because it is
    /// cut, slack or of length 0.
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

    /// Returns the springs that belong to no grid and exert a force, in the order of the list.
    fn loaded_singles<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = LoadedSpring> + 'a {
        self.single.iter().filter_map(|&i| self.load(i as usize, x))
    }

    /// Writes the springs' forces in newtons to `f`, overwriting it. `epilogue` receives the
    /// finished forces of one range of particles at a time, and may transform them while they are
    /// in the first-level cache. This function accesses the memory half as often as
    /// [`ForceLaw::add`].
    pub fn write(&self, at: &Kinematics, f: &mut [DVec3], epilogue: &Epilogue) {
        let write = |grid: &SpringGrid, f: &mut [DVec3], epilogue: &Epilogue| {
            grid.write(at.x, at.v, f, epilogue);
        };
        self.sum_forces(f, epilogue, write, |f| {
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
    /// This formula differs from the true derivative in two terms, so that the matrix is symmetric
    /// and definite for conjugate gradients (Choi and Ko 2002, "Stable but responsive cloth"). 1 −
    /// L/l is clamped at 0, because a compressed spring has negative stiffness across its
    /// direction. The derivative of the damping force with respect to position, which is not
    /// symmetric, is left out.
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
        self.sum_forces(df, epilogue, write, |df| {
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

    /// Yields the particle indices at both ends of each spring, including cut springs.
    pub fn ends(&self) -> impl Iterator<Item = [u32; 2]> {
        self.a.iter().zip(&self.b).map(|(a, b)| [*a, *b])
    }

    /// Calls `add` for each spring that exerts a force, with its index, its ends, and the block cx
    /// k (n nᵀ + max(1 − L/l, 0) (1 − n nᵀ)) + cv c n nᵀ of the derivative in [`Self::write_jvp`].
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

    /// Writes the sum of the springs' forces on each particle. `write` writes the sums of a grid,
    /// `add_singles` adds the springs that belong to no grid, and other particles get 0.
    fn sum_forces(
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
            // A spring that belongs to no grid may act on any particle, so the epilogue must wait.
            add_singles(f);
            call_epilogue(f, all, epilogue);
        }
    }
}

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

    /// Returns Σ ½k (l − L)², including springs of length 0.
    fn potential(&self, at: &Kinematics) -> Option<f64> {
        let links = (0..self.len()).map(|i| self.link(i));
        Some(sum_over_links(links, at.x, elastic_energy).sum)
    }
}
